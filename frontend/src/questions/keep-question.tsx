import { Button, Group, Popover, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { answer } from "@/api/client";
import { createScenario } from "@/api/gen/sdk.gen";
import type { Asks } from "@/api/gen/types.gen";
import { toProblem } from "@/api/problem";
import { scenariosQuery } from "@/api/scenarios";
import type { WorkloadOut } from "@/api/workloads";
import { CopyLink } from "@/components/copy-link";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { writeSettled } from "@/components/use-settled";
import { bytes, bytesOfPages, formatBytes, pages } from "@/units/quantity";
import { keptState, QUESTIONS, type Question } from "./registry";

interface KeepQuestionProps {
  readonly question: Question;
  readonly workload: WorkloadOut;
  /** What the page asks at an address; its answer is kept with the scenario. */
  readonly asks: (search: Record<string, unknown>) => Asks | null;
}

/** Keeps the question of the present address: as a scenario, or as a link. */
export function KeepQuestion(props: KeepQuestionProps) {
  const search = usePresentSearch();
  const router = useRouter();
  return (
    <>
      <SaveScenario {...props} />
      <CopyLink
        to={`this page (${QUESTIONS[props.question].label})`}
        href={async () =>
          router.buildLocation({
            to: QUESTIONS[props.question].to,
            search: await search(),
          }).href
        }
      />
    </>
  );
}

/** What the address says once the sliders have written where they stand. */
function usePresentSearch(): () => Promise<Record<string, unknown>> {
  const router = useRouter();
  return async () => {
    writeSettled();
    // The router takes a changed address over after this turn.
    await new Promise((resolve) => window.setTimeout(resolve, 0));
    return router.latestLocation.search as Record<string, unknown>;
  };
}

/** A scenario's name has at most 200 signs. */
const MOST_OF_NAME = 120;

/** "TPC-B: Wear and recovery, 6.75 MiB RAM, 338 MiB flash" */
export function suggestedName(
  question: Question,
  workload: Pick<WorkloadOut, "name" | "summary">,
  search: Record<string, unknown>,
): string {
  const { label, sizes } = QUESTIONS[question];
  const pageBytes = bytes(workload.summary?.page_bytes ?? 0);
  const size = (key: string, tier: string) =>
    typeof search[key] === "number"
      ? [`${formatBytes(bytesOfPages(pages(search[key]), pageBytes))} ${tier}`]
      : [];
  return `${workload.name.slice(0, MOST_OF_NAME)}: ${[
    label,
    ...(sizes === "none" ? [] : size("ram_pages", "RAM")),
    ...(sizes === "both" ? size("flash_pages", "flash") : []),
  ].join(", ")}`;
}

/** The name, or the first of "name (2)", "name (3)", ... that nobody has. */
export function freeName(name: string, taken: readonly string[]): string {
  const names = new Set(taken.map((other) => other.toLowerCase()));
  let free = name;
  for (let count = 2; names.has(free.toLowerCase()); count += 1) {
    free = `${name} (${count})`;
  }
  return free;
}

const isAboutAsks = (error: unknown): boolean =>
  toProblem(error).detail.startsWith("body.asks");

function SaveScenario({ question, workload, asks }: KeepQuestionProps) {
  const [opened, setOpened] = useState(false);
  const [suggested, setSuggested] = useState("");
  /** As it was typed; null: the suggested one. */
  const [typed, setTyped] = useState<string | null>(null);
  const queryClient = useQueryClient();
  const router = useRouter();
  const search = usePresentSearch();
  const scenarios = useQuery({ ...scenariosQuery(), enabled: opened });
  const taken = (scenarios.data ?? []).map((scenario) => scenario.name);
  const name = typed ?? freeName(suggested, taken);
  const isTaken = freeName(name.trim(), taken) !== name.trim();
  const save = useMutation({
    mutationFn: async () => {
      const address = await search();
      const body = { name: name.trim(), question, state: keptState(question, address) };
      const create = async (asked: Asks | null) =>
        answer(createScenario({ body: { ...body, asks: asked }, throwOnError: true }));
      try {
        return await create(asks(address));
      } catch (error) {
        // A question that has no answer can be saved too; the page says why it has none.
        if (!isAboutAsks(error)) {
          throw error;
        }
        return await create(null);
      }
    },
    onSuccess: (scenario) => {
      setOpened(false);
      void queryClient.invalidateQueries({ queryKey: ["scenarios"] });
      const kept = scenario.answer === null ? " (without an answer)" : "";
      showToast(`Saved: ${scenario.name}${kept}`, {
        label: "See scenarios",
        run: () => void router.navigate({ to: "/scenarios" }),
      });
    },
  });
  const open = async () => {
    save.reset();
    setTyped(null);
    setSuggested(suggestedName(question, workload, await search()));
    setOpened(true);
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width={380}
      position="bottom-end"
      trapFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          onClick={() => (opened ? setOpened(false) : void open())}
        >
          Save scenario
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <Stack gap="sm">
            <TextInput
              label="Name"
              description={`Keeps everything set on this page (${QUESTIONS[question].label}).`}
              value={name}
              maxLength={200}
              required
              data-autofocus
              error={isTaken ? "another scenario has this name" : null}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            {save.error !== null && (
              <ProblemAlert error={save.error} title="The scenario was not saved" />
            )}
            <Group>
              <Button
                type="submit"
                loading={save.isPending}
                disabled={name.trim() === "" || isTaken}
              >
                Save
              </Button>
              <Button variant="default" onClick={() => setOpened(false)}>
                Close
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
