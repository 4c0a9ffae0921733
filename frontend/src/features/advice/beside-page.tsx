import { Button, Skeleton, Text } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { type AdviceQuestion, adviceCheck, adviceQuery } from "@/api/advice";
import { type PlacementIn, placementQuery } from "@/api/placements";
import { type OpenedScenario, scenarioQuery } from "@/api/scenarios";
import { mayLackWrites, type WorkloadOut, workloadsQuery } from "@/api/workloads";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { ExportCsv } from "@/components/export-csv";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { parseAdviceSearch } from "@/questions/advice";
import { completeState, parseAnalysisSearch } from "@/questions/point";
import { ofScenario, scenarioLink } from "@/questions/registry";
import { rateOf } from "@/units/currency";
import { listed } from "@/units/quantity";
import classes from "./advice.module.css";
import { useSchemeTitles } from "./advice-view";
import { goalText, limitsText } from "./asked-words";
import {
  besideFinding,
  type Decided,
  decided,
  type Figure,
  figures,
  isChecked,
  NO_OPTION,
  placed,
  type Side,
  withoutMachines,
} from "./beside";
import {
  type BesideSearch,
  LEAST_BESIDE,
  MOST_BESIDE,
  readIds,
} from "./beside-address";
import { Compared } from "./compared";
import { isComparable, titleOf } from "./option-figures";
import { adviceQuestion, membersOf, placementQuestion } from "./question";

const HEIGHT = 460;

export function BesidePage() {
  const { of = "" } = useSearch({ strict: false }) as BesideSearch;
  const ids = of === "" ? [] : (readIds(of) ?? []);
  return (
    <Page
      title="Recommendations side by side"
      lead="What saved questions of the page Advise recommend now: by replays where the saved answer was checked, else by the model; each difference is against the first."
      actions={
        <Button
          variant="default"
          renderRoot={(rest) => <Link to="/scenarios" {...rest} />}
        >
          All scenarios
        </Button>
      }
    >
      {ids.length < LEAST_BESIDE ? (
        <Panel>
          <EmptyState title="Nothing to compare yet">
            Select {LEAST_BESIDE} to {MOST_BESIDE} scenarios of the page Advise under{" "}
            <Link to="/scenarios">Scenarios</Link>, and compare them.
          </EmptyState>
        </Panel>
      ) : (
        <Sides key={of} ids={ids} />
      )}
    </Page>
  );
}

interface OfOne {
  readonly question: AdviceQuestion;
  /** Id of the advice that was checked. */
  readonly checked: string | undefined;
}

interface OfSeveral {
  readonly placement: PlacementIn;
}

interface SavedQuestion {
  readonly asked: OfOne | OfSeveral;
  /** Names of the workloads. */
  readonly workloads: readonly string[];
  /** In words. */
  readonly goal: string;
  readonly limits: string;
}

/** What a scenario asked; null where it no longer can be. */
function questionOf(
  { state }: OpenedScenario,
  workloads: readonly WorkloadOut[],
): SavedQuestion | null {
  const raw = ofScenario(state);
  const search = parseAnalysisSearch(raw);
  const complete = completeState(search);
  if (complete === null) {
    return null;
  }
  const asked = { ...search, ...parseAdviceSearch(raw) };
  const members = membersOf(complete.workload, asked);
  const known = members.map(({ id }) => workloads.find((each) => each.id === id));
  const ready = known.flatMap((each) => (each?.summary == null ? [] : [each]));
  const [first] = ready;
  if (first?.summary == null || ready.length < known.length) {
    return null;
  }
  const names = ready.map(({ name }) => name);
  const words = {
    goal: goalText(asked, members.length > 1),
    limits: limitsText(asked),
  };
  if (members.length > 1) {
    return {
      ...words,
      asked: { placement: placementQuestion(complete, asked, members) },
      workloads: names,
    };
  }
  const body = adviceQuestion(complete, asked, mayLackWrites(first.summary));
  return {
    ...words,
    asked: {
      question: { workload: first.id, body: { ...body, how_sure: false } },
      checked: asked.checked,
    },
    workloads: names,
  };
}

const isOfOne = (asked: OfOne | OfSeveral): asked is OfOne => "question" in asked;

const distinct = <T,>(all: readonly T[]): readonly T[] => [
  ...new Map(all.map((each) => [JSON.stringify(each), each])).values(),
];

const placeOf = <T,>(all: readonly T[], one: T): number =>
  all.findIndex((each) => JSON.stringify(each) === JSON.stringify(one));

function useSides(ids: readonly string[]) {
  const workloads = useQuery(workloadsQuery());
  const scenarios = useQueries({ queries: ids.map((id) => scenarioQuery(id)) });
  const saved = scenarios.map(({ data }) =>
    data === undefined || workloads.data === undefined
      ? undefined
      : questionOf(data, workloads.data),
  );
  const asked = saved.flatMap((each) => (each ? [each.asked] : []));
  const ofOne = asked.filter(isOfOne);
  // Scenarios may ask the same: each question is asked once.
  const questions = distinct(ofOne.map(({ question }) => question));
  const answers = useQueries({ queries: questions.map((each) => adviceQuery(each)) });
  const answerOf = (question: AdviceQuestion) => answers[placeOf(questions, question)];
  const placements = distinct(
    asked.flatMap((each) => (isOfOne(each) ? [] : [each.placement])),
  );
  const sharings = useQueries({
    queries: placements.map((each) => placementQuery(each)),
  });
  const checkable = distinct(
    ofOne.flatMap((each) =>
      isChecked(answerOf(each.question)?.data, each.checked) ? [each.question] : [],
    ),
  );
  const checks = useQueries({
    // The model's answer stands in for a check that is gone.
    queries: checkable.map((each) => ({ ...adviceCheck(each), retry: false })),
  });
  const lost = scenarios.find((_, at) => saved[at] === null)?.data;
  const error =
    workloads.error ??
    [...scenarios, ...answers, ...sharings].find((each) => each.error !== null)
      ?.error ??
    (lost === undefined
      ? null
      : new Error(
          `the scenario ${lost.name} cannot be asked again: a workload of it was deleted, or a part of its settings is missing`,
        ));
  const answerTo = (each: OfOne | OfSeveral): Decided | null => {
    if (!isOfOne(each)) {
      const found = sharings[placeOf(placements, each.placement)]?.data;
      return found === undefined ? null : placed(found);
    }
    const model = answerOf(each.question)?.data;
    if (model === undefined) {
      return null;
    }
    const check = checks[placeOf(checkable, each.question)];
    return decided(model, {
      named: each.checked,
      found: check?.data,
      error: check?.error ?? null,
    });
  };
  const sides = scenarios.flatMap(({ data: scenario }, at): Side[] => {
    const each = saved[at];
    const shown = each ? answerTo(each.asked) : null;
    return each && scenario && shown !== null
      ? [
          {
            scenario,
            workload: listed([...each.workloads]),
            goal: each.goal,
            limits: each.limits,
            ...shown,
          },
        ]
      : [];
  });
  return { scenarios, sides, error };
}

/** What the scenarios of these ids recommend, once all of it is known. */
export function Sides({ ids }: { readonly ids: readonly string[] }) {
  const { scenarios, sides, error } = useSides(ids);
  const titles = useSchemeTitles();
  if (error !== null) {
    return (
      <ProblemAlert
        error={error}
        title="The recommendations could not be shown side by side"
      />
    );
  }
  const [first] = sides;
  if (first === undefined || sides.length < ids.length) {
    return (
      <>
        <Text size="sm" c="dimmed" role="status">
          Evaluating every option of each scenario.
        </Text>
        <Skeleton height={HEIGHT} animate={false} />
      </>
    );
  }
  const columns = columnsOf(
    sides,
    first,
    titles,
    (id) => scenarios.find(({ data }) => data?.id === id)?.data,
  );
  const rows = figures(sides);
  return (
    <Panel
      title={besideFinding(sides)}
      subtitle="Money of all machines together, purchases spread over the months that each scenario states"
      label="Recommendations side by side"
      actions={
        <ExportCsv
          file="recommendations"
          columns={columns}
          rows={rows}
          rate={rateOf(first.found)}
          label="Export CSV of the recommendations"
        />
      }
    >
      <DataTable
        label="Recommendations"
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
      />
    </Panel>
  );
}

/** Puts another scenario first: differences are against the first. */
function CompareAgainst(props: { readonly sides: readonly Side[]; readonly to: Side }) {
  const { id, name } = props.to.scenario;
  const others = props.sides
    .map(({ scenario }) => scenario.id)
    .filter((one) => one !== id);
  return (
    <div>
      <Link
        to="/scenarios/recommendations"
        search={{ of: [id, ...others].join(",") }}
        aria-label={`Compare against it: ${name}`}
        className={classes["headLink"]}
      >
        Compare against it
      </Link>
    </div>
  );
}

function columnsOf(
  sides: readonly Side[],
  first: Side,
  titles: ReadonlyMap<string, string>,
  scenarioOf: (id: string) => OpenedScenario | undefined,
): readonly Column<Figure>[] {
  return [
    {
      key: "Figure",
      rowHeader: true,
      cell: titleOf,
      csv: ({ name }) => name,
    },
    { key: "Unit", csv: ({ unit = "" }) => unit },
    ...sides.map((side, at): Column<Figure> => {
      const scenario = scenarioOf(side.scenario.id);
      return {
        key: side.scenario.name,
        align: "text",
        head: (
          <>
            {scenario === undefined ? (
              side.scenario.name
            ) : (
              <Link {...scenarioLink(scenario)} className={classes["headLink"]}>
                {scenario.name}
              </Link>
            )}
            {at > 0 && <CompareAgainst sides={sides} to={side} />}
          </>
        ),
        cell: (figure) => (
          <Compared
            figure={figure}
            value={figure.of(side, titles)}
            first={
              at === 0 ||
              !isComparable(figure, withoutMachines(side), withoutMachines(first))
                ? null
                : figure.of(first, titles)
            }
            reason={figure.unknown?.(side) ?? NO_OPTION}
          />
        ),
        csv: (figure) => figure.of(side, titles),
      };
    }),
  ];
}
