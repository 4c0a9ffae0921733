import { Alert, Anchor, Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { createScaled, type ProductionIn, scalePreviewQuery } from "@/api/scaling";
import type { WorkloadOut } from "@/api/workloads";
import { ProblemAlert } from "@/components/problem-alert";
import { productionText, usualName } from "./production-form";

type Question = "/advise" | "/compare";

const TITLES: readonly (readonly [to: Question, title: string])[] = [
  ["/advise", "Advise what to buy"],
  ["/compare", "Compare schemes"],
];

interface Asked {
  readonly workload: WorkloadOut;
  /** What is filled in and the workload is not scaled to; null where nothing is. */
  readonly production: ProductionIn | null;
}

/** What a press asks where a production is filled in: the workload that it is scaled to, which is made once. */
export function useProductionQuestion({ workload, production }: Asked) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (to: Question) => {
      if (production === null) {
        return;
      }
      // Asked anew: it may have been kept by another page, or deleted, since it was shown.
      const { existing } = await queries.fetchQuery({
        ...scalePreviewQuery(workload.id, production),
        staleTime: 0,
      });
      const asked =
        existing ??
        (await createScaled(
          workload.id,
          production,
          usualName(workload.name, production),
        ));
      await queries.invalidateQueries({ queryKey: ["workloads"] });
      await navigate({
        to,
        search: (previous) => ({
          ...previous,
          workload: asked.id,
          ram_pages: undefined,
          flash_pages: undefined,
          check: undefined,
        }),
      });
    },
  });
}

type Asking = ReturnType<typeof useProductionQuestion>;

/** The first questions of a workload: of its production where one is filled in, else of itself. */
export function QuestionLinks({
  production,
  asking,
}: Pick<Asked, "production"> & { readonly asking: Asking }) {
  return TITLES.map(([to, title], at) =>
    production === null ? (
      <Button
        key={to}
        {...(at > 0 ? { variant: "default" } : {})}
        renderRoot={(rest) => <Link to={to} {...rest} />}
      >
        {title}
      </Button>
    ) : (
      <Button
        key={to}
        {...(at > 0 ? { variant: "default" } : {})}
        loading={asking.isPending && asking.variables === to}
        disabled={asking.isPending}
        onClick={() => asking.mutate(to)}
      >
        {title}
      </Button>
    ),
  );
}

/** Says which links ask the production that is filled in, and which the workload as it is. */
export function UnusedProduction({
  workload,
  production,
  asking,
}: Asked & { readonly asking: Asking }) {
  if (production === null) {
    return null;
  }
  return (
    <Alert
      color="indigo"
      variant="outline"
      title={`This workload is not the production that is filled in below: ${productionText(production)}`}
    >
      <Text size="sm">
        <em>Advise what to buy</em> and <em>Compare schemes</em> above ask for it, and
        add it as a workload of its own. The menu and all other links on this page ask{" "}
        {workload.name} as it is, until you press <em>Use in all questions</em> below.{" "}
        <Anchor
          inherit
          underline="always"
          renderRoot={(rest) => <Link to="/advise" {...rest} />}
        >
          Advise for {workload.name} as it is
        </Anchor>
        .
      </Text>
      {asking.error !== null && (
        <ProblemAlert error={asking.error} title="The production was not used" />
      )}
    </Alert>
  );
}
