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
import { Disclosure } from "@/components/disclosure";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Unknown } from "@/components/unknown";
import {
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
    return "No answer was kept with this scenario";
  }
  if (scenario.to_compute.length > 0) {
    return "The present models have not computed this answer yet";
  }
  if (comparison === null) {
    return "The saved answer cannot be compared with the present one";
  }
  const changed = comparison.figures.filter((figure) => figure.changed).length;
  return changed === 0
    ? "The saved answer is unchanged"
    : `${changed} of ${comparison.figures.length} key figures changed since this was saved`;
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
        <Text size="sm">Open the scenario to compute the present answer.</Text>
      ) : job.running ? (
        <Text size="sm" role="status">
          The present answer is being computed. Both are shown here when it is ready.
        </Text>
      ) : (
        <Button size="compact-sm" onClick={job.start}>
          Compute the present answer
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
    <div className="tw-scroll">
      <table className="tw-table">
        <caption>What the answer rests on, as far as it changed</caption>
        <thead>
          <tr>
            <th scope="col">Changed</th>
            <th scope="col">Figure</th>
            <th scope="col">When saved</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {comparison.facts.map((fact) => (
            <tr key={`${fact.kind} ${fact.id} ${fact.fact}`}>
              <th scope="row">{fact.name}</th>
              <td>{fact.fact === "" ? capital(fact.kind) : fact.fact}</td>
              <td>{fact.before ?? <Unknown reason="it was added since" />}</td>
              <td>{fact.now ?? <Unknown reason="it was removed since" />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FigureTable(props: {
  readonly figures: readonly FigureBeside[];
  readonly label: string;
}) {
  return (
    <div className="tw-scroll">
      <table className="tw-table">
        <caption>{props.label}</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">Scheme</th>
            <th scope="col" className="num">
              When saved
            </th>
            <th scope="col" className="num">
              Now
            </th>
            <th scope="col" className="num">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {props.figures.map((figure) => (
            <tr key={`${figure.ask} ${figure.name} ${figure.scheme} ${figure.unit}`}>
              <th scope="row">
                {figure.title}
                {figure.unit === null ? "" : ` [${figure.unit}]`}
              </th>
              <td>{figure.scheme ?? ""}</td>
              <td className="num">
                <FigureValue value={figure.before} unit={figure.unit} />
              </td>
              <td className="num">
                <FigureValue value={figure.now} unit={figure.unit} />
              </td>
              <td className="num">{changeText(figure)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
        <ProblemAlert error={keep.error} title="The present answer was not kept" />
      )}
      <Button
        size="compact-sm"
        variant="default"
        loading={keep.isPending}
        onClick={() => keep.mutate()}
      >
        Keep the present answer
      </Button>
    </Group>
  );
}
