import { Button, Checkbox, Group, Skeleton, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answer } from "@/api/client";
import { deleteScenario, restoreScenario, updateScenario } from "@/api/gen/sdk.gen";
import { type ScenarioOut, scenarioQuery, scenariosQuery } from "@/api/scenarios";
import { type WorkloadOut, workloadsQuery } from "@/api/workloads";
import { DataTable } from "@/components/data-table";
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
  const areAdvices =
    scenarios.data?.find(({ id }) => id === one)?.question === "advice";
  return (
    <Page
      title="Scenarios"
      lead="Saved questions from every page. Opening one restores exactly what was on the screen; two comparisons, or two to four recommendations, can be shown side by side."
      actions={
        <Button
          disabled={one === undefined || other === undefined}
          onClick={() => {
            if (areAdvices) {
              void navigate({
                to: "/scenarios/recommendations",
                search: (previous) => ({ ...previous, of: present.join(",") }),
              });
            } else if (one !== undefined && other !== undefined) {
              void navigate({
                to: "/scenarios/$one/beside/$other",
                params: { one, other },
              });
            }
          }}
        >
          {selectedText(present.length)}
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

/** What the button compares. */
const selectedText = (count: number): string =>
  count > 2 ? `Compare all ${count} selected` : "Compare the two selected";

/** How many of a page can be shown side by side; nothing of the other pages. */
const MOST_BESIDE: Readonly<Partial<Record<ScenarioOut["question"], number>>> = {
  compare: 2,
  advice: 4,
};

/** The selection after a press: of one page alone, those chosen last where it is full. */
export function toggled(
  scenarios: readonly Pick<ScenarioOut, "id" | "question">[],
  chosen: readonly string[],
  id: string,
): readonly string[] {
  if (chosen.includes(id)) {
    return chosen.filter((item) => item !== id);
  }
  const questionOf = (of: string) => scenarios.find((item) => item.id === of)?.question;
  const question = questionOf(id);
  const alike = chosen.filter((item) => questionOf(item) === question);
  const most = question === undefined ? 0 : (MOST_BESIDE[question] ?? 0);
  return most === 0 ? chosen : [...alike, id].slice(-most);
}

function ScenarioTable(props: {
  readonly scenarios: readonly ScenarioOut[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}) {
  const { scenarios, chosen, onChoose } = props;
  const workloads = useQuery(workloadsQuery()).data;
  const workloadOf = (scenario: ScenarioOut) =>
    workloads?.find(({ id }) => id === stateOf(scenario)?.workload);
  const toggle = (id: string) => onChoose(toggled(scenarios, chosen, id));
  return (
    <DataTable
      label="All scenarios"
      caption="Choose two scenarios of the Compare page, or two to four of the Advise page, to see them side by side."
      columns={[
        {
          key: "Choose",
          align: "text",
          cell: (scenario) => (
            <Choice
              scenario={scenario}
              chosen={chosen.includes(scenario.id)}
              onToggle={() => toggle(scenario.id)}
            />
          ),
        },
        {
          key: "Name",
          rowHeader: true,
          cell: (scenario) => <Link {...scenarioLink(scenario)}>{scenario.name}</Link>,
        },
        {
          key: "Page",
          align: "text",
          cell: ({ question }) => QUESTIONS[question].label,
        },
        {
          key: "Workload",
          align: "text",
          cell: (scenario) =>
            workloadOf(scenario)?.name ?? (
              <Unknown
                reason={`the workload ${stateOf(scenario)?.workload ?? ""} was deleted`}
              />
            ),
        },
        {
          key: "RAM",
          cell: (scenario) => (
            <Size
              scenario={scenario}
              tier="ram"
              count={stateOf(scenario)?.ram_pages}
              workload={workloadOf(scenario)}
            />
          ),
        },
        {
          key: "Flash",
          cell: (scenario) => (
            <Size
              scenario={scenario}
              tier="flash"
              count={stateOf(scenario)?.flash_pages}
              workload={workloadOf(scenario)}
            />
          ),
        },
        {
          key: "Saved answer",
          align: "text",
          cell: (scenario) => <SavedAnswer scenario={scenario} />,
        },
        {
          key: "Changed",
          align: "text",
          cell: (scenario) => formatDate(scenario.updated_at),
        },
        {
          key: "Actions",
          align: "text",
          cell: (scenario) => (
            <Group gap={6} wrap="nowrap">
              <Rename scenario={scenario} />
              <Remove scenario={scenario} />
            </Group>
          ),
        },
      ]}
      rows={scenarios}
      rowKey={(scenario) => scenario.id}
    />
  );
}

const stateOf = ({ state }: ScenarioOut) => completeState(parseAnalysisSearch(state));

function Choice(props: {
  readonly scenario: ScenarioOut;
  readonly chosen: boolean;
  readonly onToggle: () => void;
}) {
  const { scenario, chosen, onToggle } = props;
  const canCompare = MOST_BESIDE[scenario.question] !== undefined;
  return (
    <Checkbox
      checked={chosen}
      onChange={onToggle}
      disabled={!canCompare}
      title={
        canCompare
          ? ""
          : "Only scenarios of the pages Compare and Advise can be shown side by side"
      }
      aria-label={`Choose ${scenario.name}`}
    />
  );
}

/** Size of a tier in bytes, where the page takes one. */
function Size(props: {
  readonly scenario: ScenarioOut;
  readonly tier: "ram" | "flash";
  readonly count: number | undefined;
  readonly workload: WorkloadOut | undefined;
}) {
  const { scenario, tier, count, workload } = props;
  const { label, sizes } = QUESTIONS[scenario.question];
  const counts = tier === "ram" ? sizes !== "none" : sizes === "both";
  if (!counts) {
    return <Unknown reason={`the page ${label} does not take this size`} />;
  }
  return count === undefined || !workload?.summary ? (
    <Unknown reason="the workload of this scenario no longer exists" />
  ) : (
    formatBytes(bytesOfPages(pages(count), bytes(workload.summary.page_bytes)))
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
            title="The current answer could not be computed"
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
