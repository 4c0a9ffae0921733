import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { answer } from "@/api/client";
import { updateScenario } from "@/api/gen/sdk.gen";
import type { Asks } from "@/api/gen/types.gen";
import {
  type Comparison,
  type FigureBeside,
  type OpenedScenario,
  scenarioQuery,
} from "@/api/scenarios";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Unknown } from "@/components/unknown";
import {
  counted,
  formatDate,
  formatMoney,
  formatNumber,
  formatPercent,
  ratio,
  usd,
} from "@/units/quantity";
import type { AnalysisSearch } from "./point";
import { isSameQuestion, keptState, type Question } from "./registry";

/** The job of the page, where its answer takes one. */
export interface KeptJob {
  readonly start: () => void;
  readonly running: boolean;
  readonly done: boolean;
}

interface KeptAnswerProps {
  readonly question: Question;
  /** What the page asks now, to be kept in place of what was kept. */
  readonly asks: Asks | null;
  readonly job?: KeptJob;
}

/** The answer that the opened scenario gave when it was saved, beside the present one. */
export function KeptAnswer({ question, ...shown }: KeptAnswerProps) {
  const search = useSearch({ strict: false }) as AnalysisSearch;
  const id = search.scenario;
  const scenario = useQuery({ ...scenarioQuery(id ?? ""), enabled: id !== undefined });
  // Once something was moved, the page answers another question than the one saved.
  const state = keptState(question, search);
  const isShown =
    scenario.data !== undefined &&
    scenario.data.question === question &&
    isSameQuestion(state, scenario.data.state);
  return isShown ? <Kept scenario={scenario.data} state={state} {...shown} /> : null;
}

interface KeptProps extends Omit<KeptAnswerProps, "question"> {
  readonly scenario: OpenedScenario;
  /** Of the page now, with the results that it shows. */
  readonly state: Record<string, unknown>;
}

export function Kept(props: KeptProps) {
  const { scenario, asks, job } = props;
  const { comparison } = scenario;
  const isWaiting = scenario.to_compute.length > 0;
  useReadOnceComputed(isWaiting && job?.done === true);
  return (
    <Panel
      label="Saved answer"
      title={keptTitle(scenario)}
      subtitle={savedText(scenario)}
      actions={
        asks !== null &&
        !isWaiting &&
        (comparison === null || !comparison.unchanged || scenario.stale) ? (
          <KeepNow scenario={scenario} state={props.state} asks={asks} />
        ) : undefined
      }
    >
      <KeptBody scenario={scenario} {...(job === undefined ? {} : { job })} />
    </Panel>
  );
}

/** Reads the scenarios again when the job has computed what they waited for. */
function useReadOnceComputed(isComputed: boolean) {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (isComputed) {
      void queryClient.invalidateQueries({ queryKey: ["scenarios"] });
    }
  }, [isComputed, queryClient]);
}

interface KeptBodyProps {
  readonly scenario: OpenedScenario;
  readonly job?: KeptJob;
}

/** Then and now, or why they cannot be compared. */
export function KeptBody({ scenario, job }: KeptBodyProps) {
  if (scenario.to_compute.length > 0) {
    return <Waiting scenario={scenario} {...(job === undefined ? {} : { job })} />;
  }
  return scenario.comparison === null ? (
    <Text size="sm">{withoutComparison(scenario)}</Text>
  ) : (
    <Beside comparison={scenario.comparison} />
  );
}

/** The finding of the comparison. */
export function keptTitle(scenario: OpenedScenario): string {
  const { comparison } = scenario;
  if (scenario.answer === null) {
    return "No answer was saved with this scenario";
  }
  if (scenario.to_compute.length > 0) {
    return "The current models have not computed this answer yet";
  }
  if (comparison === null) {
    return "The saved answer cannot be compared with the current one";
  }
  const changed = comparison.figures.filter((figure) => figure.changed).length;
  return changed === 0
    ? "The saved answer is unchanged"
    : `${changed} of ${counted(comparison.figures.length, "key figure")} changed since this was saved`;
}

function savedText(scenario: OpenedScenario): string | undefined {
  return scenario.answered_at === null
    ? undefined
    : `Saved ${formatDate(scenario.answered_at)} under models ${scenario.model_version}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function withoutComparison(scenario: OpenedScenario): string {
  return scenario.answer === null
    ? `${capital(scenario.answer_reason ?? "")}.`
    : `The question cannot be answered now: ${scenario.answer_now_reason}.`;
}

/** The saved answer alone, and how the present one is had. */
function Waiting({ scenario, job }: KeptBodyProps) {
  return (
    <>
      {scenario.answer?.sentences.map((sentence) => (
        <Text key={sentence} size="sm" mb="xs">
          When saved: {sentence}
        </Text>
      ))}
      {job === undefined ? (
        <Text size="sm">Open the scenario to compute the current answer.</Text>
      ) : job.running ? (
        <Text size="sm" role="status">
          The current answer is being computed. Both are shown here when it is ready.
        </Text>
      ) : (
        <Button size="compact-sm" onClick={job.start}>
          Compute the current answer
        </Button>
      )}
    </>
  );
}

/** What changed, then and now. */
function Beside({ comparison }: { readonly comparison: Comparison }) {
  const changed = comparison.figures.filter((figure) => figure.changed);
  const same = comparison.figures.filter((figure) => !figure.changed);
  return (
    <>
      <Text size="sm" mb={changed.length > 0 ? "sm" : 0}>
        {comparison.sentence}
      </Text>
      {comparison.facts.length > 0 && <FactTable comparison={comparison} />}
      {changed.length > 0 && <FigureTable figures={changed} label="What changed" />}
      {same.length > 0 && changed.length > 0 && (
        <Disclosure label={`${same.length} unchanged`}>
          <FigureTable figures={same} label="What did not change" />
        </Disclosure>
      )}
    </>
  );
}

function FactTable({ comparison }: { readonly comparison: Comparison }) {
  return (
    <DataTable
      label="Changed inputs of the answer"
      caption="Changed inputs of the answer"
      columns={[
        { key: "Changed", rowHeader: true, cell: (fact) => fact.name },
        {
          key: "Figure",
          align: "text",
          cell: (fact) => (fact.fact === "" ? capital(fact.kind) : fact.fact),
        },
        {
          key: "When saved",
          align: "text",
          cell: ({ before }) => before ?? <Unknown reason="it was added since" />,
        },
        {
          key: "Now",
          align: "text",
          cell: ({ now }) => now ?? <Unknown reason="it was removed since" />,
        },
      ]}
      rows={comparison.facts}
      rowKey={(fact) => `${fact.kind} ${fact.id} ${fact.fact}`}
    />
  );
}

const FIGURE_COLUMNS: readonly Column<FigureBeside>[] = [
  {
    key: "Figure",
    rowHeader: true,
    cell: ({ title, unit }) => (unit === null ? title : `${title} [${unit}]`),
  },
  { key: "Scheme", align: "text", cell: ({ scheme }) => scheme ?? "" },
  {
    key: "When saved",
    cell: (figure) => <FigureValue value={figure.before} unit={figure.unit} />,
  },
  {
    key: "Now",
    cell: (figure) => <FigureValue value={figure.now} unit={figure.unit} />,
  },
  { key: "Change", cell: (figure) => changeText(figure) },
];

function FigureTable(props: {
  readonly figures: readonly FigureBeside[];
  readonly label: string;
}) {
  return (
    <DataTable
      label={props.label}
      caption={props.label}
      columns={FIGURE_COLUMNS}
      rows={props.figures}
      rowKey={(figure) =>
        `${figure.ask} ${figure.name} ${figure.scheme} ${figure.unit}`
      }
    />
  );
}

function FigureValue(props: {
  readonly value: FigureBeside["before"];
  readonly unit: string | null;
}) {
  const { value, unit } = props;
  return value === null ? (
    <Unknown reason="the answer had no value here" />
  ) : (
    figureText(value, unit)
  );
}

/** A kept figure as it is shown: a number, money, or a word. */
export function figureText(value: number | string, unit: string | null): string {
  if (typeof value === "number") {
    return formatNumber(value);
  }
  return unit?.startsWith("USD") === true ? formatMoney(usd(Number(value))) : value;
}

export function changeText(figure: FigureBeside): string {
  const { relative } = figure;
  if (!figure.changed) {
    return "unchanged";
  }
  if (relative === null) {
    return "changed";
  }
  const size = formatPercent(ratio(Math.abs(relative)));
  return relative > 0 ? `+${size}` : `−${size}`;
}

function KeepNow(props: {
  readonly scenario: OpenedScenario;
  readonly state: Record<string, unknown>;
  readonly asks: Asks;
}) {
  const { scenario, state, asks } = props;
  const queryClient = useQueryClient();
  const keep = useMutation({
    mutationFn: () =>
      answer(
        updateScenario({
          path: { scenario_id: scenario.id },
          body: {
            name: scenario.name,
            question: scenario.question,
            state,
            version: scenario.version,
            asks,
          },
          throwOnError: true,
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["scenarios"] }),
  });
  return (
    <Group gap="xs">
      {keep.error !== null && (
        <ProblemAlert error={keep.error} title="The current answer was not saved" />
      )}
      <Button
        size="compact-sm"
        variant="default"
        loading={keep.isPending}
        onClick={() => keep.mutate()}
      >
        Save the current answer
      </Button>
    </Group>
  );
}
