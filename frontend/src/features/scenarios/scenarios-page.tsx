import { Button, Checkbox, Group, Skeleton, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer } from "@/api/client";
import { deleteScenario, restoreScenario, updateScenario } from "@/api/gen/sdk.gen";
import { type ScenarioOut, scenarioQuery, scenariosQuery } from "@/api/scenarios";
import { workloadsQuery } from "@/api/workloads";
import { Dialog } from "@/components/dialog";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RenameButton } from "@/components/rename-button";
import { showToast } from "@/components/toasts";
import { Unknown } from "@/components/unknown";
import { KeptBody, keptTitle } from "@/questions/kept-answer";
import { completeState, parseAnalysisSearch } from "@/questions/point";
import { QUESTIONS, scenarioLink } from "@/questions/registry";
import { bytes, bytesOfPages, formatBytes, formatDate, pages } from "@/units/quantity";

export function ScenariosPage() {
  const scenarios = useQuery(scenariosQuery());
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const navigate = useNavigate();
  const present = chosen.filter((id) => scenarios.data?.some((item) => item.id === id));
  const [one, other] = present;
  return (
    <Page
      title="Scenarios"
      lead="Saved questions of every page. Opening one restores exactly what was on the screen; two comparisons can be laid side by side."
      actions={
        <Button
          disabled={present.length !== 2}
          onClick={() =>
            one !== undefined &&
            other !== undefined &&
            void navigate({
              to: "/scenarios/$one/beside/$other",
              params: { one, other },
            })
          }
        >
          Compare the two chosen
        </Button>
      }
    >
      {scenarios.error !== null && (
        <ProblemAlert
          error={scenarios.error}
          title="The list could not be loaded"
          onRetry={() => void scenarios.refetch()}
        />
      )}
      {scenarios.isPending && <Skeleton height={220} animate={false} />}
      {scenarios.data !== undefined && (
        <Panel label="All scenarios">
          {scenarios.data.length === 0 ? (
            <EmptyState title="Nothing saved yet">
              Open a page such as <Link to="/compare">Compare</Link>, set sizes and
              devices, and press “Save scenario”.
            </EmptyState>
          ) : (
            <ScenarioTable
              scenarios={scenarios.data}
              chosen={present}
              onChoose={setChosen}
            />
          )}
        </Panel>
      )}
    </Page>
  );
}

function ScenarioTable(props: {
  readonly scenarios: readonly ScenarioOut[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}) {
  const { scenarios, chosen, onChoose } = props;
  const toggle = (id: string) =>
    // The two chosen last stay chosen.
    onChoose(
      chosen.includes(id)
        ? chosen.filter((item) => item !== id)
        : [...chosen, id].slice(-2),
    );
  return (
    <div className="tw-scroll">
      <table className="tw-table">
        <caption>Choose two of Compare to lay them side by side.</caption>
        <thead>
          <tr>
            <th scope="col">Choose</th>
            <th scope="col">Name</th>
            <th scope="col">Page</th>
            <th scope="col">Workload</th>
            <th scope="col" className="num">
              RAM
            </th>
            <th scope="col" className="num">
              Flash
            </th>
            <th scope="col">Saved answer</th>
            <th scope="col">Changed</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {scenarios.map((scenario) => (
            <ScenarioRow
              key={scenario.id}
              scenario={scenario}
              chosen={chosen.includes(scenario.id)}
              onToggle={() => toggle(scenario.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ScenarioRow(props: {
  readonly scenario: ScenarioOut;
  readonly chosen: boolean;
  readonly onToggle: () => void;
}) {
  const { scenario, chosen, onToggle } = props;
  const workloads = useQuery(workloadsQuery()).data;
  const { label, sizes } = QUESTIONS[scenario.question];
  const canCompare = scenario.question === "compare";
  const state = completeState(parseAnalysisSearch(scenario.state));
  const workload = workloads?.find((candidate) => candidate.id === state?.workload);
  const size = (count: number | undefined, counts: boolean) =>
    !counts ? (
      <Unknown reason={`the page ${label} does not take this size`} />
    ) : count === undefined || !workload?.summary ? (
      <Unknown reason="the workload of this scenario is not there" />
    ) : (
      formatBytes(bytesOfPages(pages(count), bytes(workload.summary.page_bytes)))
    );
  return (
    <tr>
      <td>
        <Checkbox
          checked={chosen}
          onChange={onToggle}
          disabled={!canCompare}
          title={canCompare ? "" : "Only scenarios of Compare are laid side by side"}
          aria-label={`Choose ${scenario.name}`}
        />
      </td>
      <th scope="row">
        <Link {...scenarioLink(scenario)}>{scenario.name}</Link>
      </th>
      <td>{label}</td>
      <td>
        {workload === undefined ? (
          <Unknown reason={`the workload ${state?.workload ?? ""} was deleted`} />
        ) : (
          workload.name
        )}
      </td>
      <td className="num">{size(state?.ram_pages, sizes !== "none")}</td>
      <td className="num">{size(state?.flash_pages, sizes === "both")}</td>
      <td>
        <SavedAnswer scenario={scenario} />
      </td>
      <td>{formatDate(scenario.updated_at)}</td>
      <td>
        <Group gap={6} wrap="nowrap">
          <Rename scenario={scenario} />
          <Remove scenario={scenario} />
        </Group>
      </td>
    </tr>
  );
}

/** What was answered when it was saved; where that may have changed, a look at it. */
function SavedAnswer({ scenario }: { readonly scenario: ScenarioOut }) {
  const [opened, setOpened] = useState(false);
  const found = useQuery({ ...scenarioQuery(scenario.id), enabled: opened });
  if (scenario.answer === null) {
    return <Unknown reason={scenario.answer_reason ?? ""} />;
  }
  const best = scenario.answer.figures.find((figure) => figure.name === "best")?.value;
  return (
    <>
      {typeof best === "string" && <div>{best}</div>}
      <Text size="xs" c="dimmed">
        Models {scenario.model_version}
      </Text>
      {scenario.stale && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Then and now: ${scenario.name}`}
          onClick={() => setOpened(true)}
        >
          Then and now
        </Button>
      )}
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title={found.data === undefined ? scenario.name : keptTitle(found.data)}
        size="xl"
      >
        {found.error !== null && (
          <ProblemAlert
            error={found.error}
            title="The present answer could not be made"
          />
        )}
        {found.isPending && <Skeleton height={160} animate={false} />}
        {found.data !== undefined && <KeptBody scenario={found.data} />}
      </Dialog>
    </>
  );
}

function Rename({ scenario }: { readonly scenario: ScenarioOut }) {
  const { question, state, version } = scenario;
  return (
    <RenameButton
      inTable
      what="scenario"
      name={scenario.name}
      queryKey={["scenarios"]}
      rename={(name) =>
        answer(
          updateScenario({
            path: { scenario_id: scenario.id },
            body: { name, question, state, version },
            throwOnError: true,
          }),
        )
      }
    />
  );
}

function Remove({ scenario }: { readonly scenario: ScenarioOut }) {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ["scenarios"] });
  const restore = useMutation({
    mutationFn: () =>
      answer(
        restoreScenario({ path: { scenario_id: scenario.id }, throwOnError: true }),
      ),
    onError: () => showToast(`${scenario.name} could not be restored; try again.`),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () =>
      answer(
        deleteScenario({ path: { scenario_id: scenario.id }, throwOnError: true }),
      ),
    onSuccess: () =>
      showToast(`Deleted: ${scenario.name}`, {
        label: "Undo",
        run: () => restore.mutate(),
      }),
    onError: () => showToast(`${scenario.name} could not be deleted; try again.`),
    onSettled: refresh,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={remove.isPending}
      aria-label={`Delete ${scenario.name}`}
      onClick={() => remove.mutate()}
    >
      Delete
    </Button>
  );
}
