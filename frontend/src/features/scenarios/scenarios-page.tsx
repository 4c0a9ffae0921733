import { Button, Checkbox, Group, Skeleton, Stack, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { completeState, parseAnalysisSearch } from "@/analysis/state";
import { answer } from "@/api/client";
import { createScenario, deleteScenario, updateScenario } from "@/api/gen/sdk.gen";
import { type ScenarioOut, scenariosQuery } from "@/api/scenarios";
import { workloadsQuery } from "@/api/workloads";
import { Dialog } from "@/components/dialog";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { Unknown } from "@/components/unknown";
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
      lead="Saved comparisons. Opening one restores exactly what was on the screen; two can be laid side by side."
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
              Open <Link to="/compare">the comparison</Link>, set sizes and devices, and
              press “Save scenario”.
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
        <caption>Choose two to lay them side by side.</caption>
        <thead>
          <tr>
            <th scope="col">Choose</th>
            <th scope="col">Name</th>
            <th scope="col">Workload</th>
            <th scope="col" className="num">
              RAM
            </th>
            <th scope="col" className="num">
              Flash
            </th>
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
  const search = parseAnalysisSearch(scenario.state);
  const state = completeState(search);
  const workload = workloads?.find((candidate) => candidate.id === state?.workload);
  const size = (count: number | undefined) =>
    count === undefined || !workload?.summary ? (
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
          aria-label={`Choose ${scenario.name}`}
        />
      </td>
      <th scope="row">
        <Link to="/compare" search={{ check: undefined, ...search }}>
          {scenario.name}
        </Link>
      </th>
      <td>
        {workload === undefined ? (
          <Unknown reason={`the workload ${state?.workload ?? ""} was deleted`} />
        ) : (
          workload.name
        )}
      </td>
      <td className="num">{size(state?.ram_pages)}</td>
      <td className="num">{size(state?.flash_pages)}</td>
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

function Rename({ scenario }: { readonly scenario: ScenarioOut }) {
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState(scenario.name);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () =>
      answer(
        updateScenario({
          path: { scenario_id: scenario.id },
          body: {
            name: name.trim(),
            question: scenario.question,
            state: scenario.state,
            version: scenario.version,
          },
          throwOnError: true,
        }),
      ),
    onSuccess: () => setOpened(false),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["scenarios"] }),
  });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Rename ${scenario.name}`}
        onClick={() => {
          setName(scenario.name);
          rename.reset();
          setOpened(true);
        }}
      >
        Rename
      </Button>
      <Dialog
        opened={opened}
        onClose={() => setOpened(false)}
        title="Rename the scenario"
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            rename.mutate();
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              value={name}
              maxLength={200}
              data-autofocus
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {rename.error !== null && (
              <ProblemAlert error={rename.error} title="The name was not changed" />
            )}
            <Group>
              <Button
                type="submit"
                loading={rename.isPending}
                disabled={name.trim() === ""}
              >
                Rename
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}

function Remove({ scenario }: { readonly scenario: ScenarioOut }) {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: ["scenarios"] });
  const restore = useMutation({
    mutationFn: () =>
      answer(
        createScenario({
          body: {
            name: scenario.name,
            question: scenario.question,
            state: scenario.state,
          },
          throwOnError: true,
        }),
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
