import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { devicesQuery, priceBooksQuery } from "@/api/catalog";
import {
  deciding,
  type EvaluationIn,
  type EvaluationOut,
  evaluationQuery,
} from "@/api/compare";
import { type ScenarioOut, scenarioQuery } from "@/api/scenarios";
import { useDecision } from "@/api/use-decision";
import { workloadsQuery } from "@/api/workloads";
import { type CsvCell, csvText } from "@/charts/csv";
import { downloadText, fileStem } from "@/charts/download";
import { SchemeMark } from "@/charts/scheme-mark";
import {
  classNamed,
  isFromCounters,
  NOT_FROM_COUNTERS,
} from "@/components/counters-note";
import { DataTable } from "@/components/data-table";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import { growthAsked } from "@/questions/compare";
import {
  type AnalysisState,
  completeState,
  evaluationInput,
  NONE,
  parseAnalysisSearch,
} from "@/questions/point";
import { ofScenario } from "@/questions/registry";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  formatCount,
  formatMoney,
  formatNumber,
  formatPagesAndBytes,
  formatShort,
  pages,
  usd,
} from "@/units/quantity";

export interface Side {
  readonly scenario: ScenarioOut;
  readonly state: AnalysisState;
  readonly evaluation: EvaluationOut;
}

function useSide(id: string) {
  const scenario = useQuery(scenarioQuery(id));
  const state =
    scenario.data === undefined
      ? null
      : completeState(parseAnalysisSearch(ofScenario(scenario.data.state)));
  // Of a given curve; without one it has no single number to lay beside another.
  const {
    dirty_share: dirtyShare,
    metadata,
    new_pages: newPages,
  } = parseAnalysisSearch(scenario.data?.state ?? {});
  const point: EvaluationIn =
    state === null
      ? {
          workload_id: "",
          ram_pages: 1,
          flash_pages: 0,
          flash_device_id: "",
          disk_device_id: "",
        }
      : {
          ...evaluationInput(state, metadata),
          ...growthAsked(
            { new_pages: newPages },
            scenario.data?.question !== "compare",
          ),
          dirty_share: dirtyShare ?? null,
        };
  const evaluation = useQuery({ ...evaluationQuery(point), enabled: state !== null });
  // A close call is decided here as on Compare, so that both show the same figures.
  const decision = useDecision(point, evaluation.data);
  const incomplete =
    scenario.data !== undefined && state === null
      ? new Error(
          `the scenario ${scenario.data.name} is missing a part of its settings`,
        )
      : null;
  const side: Side | null =
    scenario.data !== undefined && state !== null && evaluation.data !== undefined
      ? {
          scenario: scenario.data,
          state,
          evaluation: decision.evaluation ?? evaluation.data,
        }
      : null;
  const error = scenario.error ?? evaluation.error ?? decision.error ?? incomplete;
  return { side, pending: decision.pending, run: decision.run, error };
}

export function SideBySidePage() {
  const { one = "", other = "" } = useParams({ strict: false });
  const left = useSide(one);
  const right = useSide(other);
  const error = left.error ?? right.error;
  return (
    <Page
      title="Two scenarios side by side"
      lead="Differences are marked; each change is from the first to the second."
      actions={
        <>
          <Button
            variant="default"
            renderRoot={(rest) => (
              <Link
                to="/scenarios/$one/beside/$other"
                params={{ one: other, other: one }}
                {...rest}
              />
            )}
          >
            Swap the two
          </Button>
          <ExportButton one={left.side} other={right.side} />
        </>
      }
    >
      {error !== null && (
        <ProblemAlert
          error={error}
          title="The two scenarios could not be shown side by side"
        />
      )}
      {[left, right].map(({ side, pending, run }) =>
        pending && side !== null ? (
          <div key={side.scenario.id} role="status">
            <Text size="sm">
              {side.scenario.name}: its lead is smaller than the error of the model;
              replaying the trace to decide…
            </Text>
            {run !== undefined && <RunProgress run={run} />}
          </div>
        ) : null,
      )}
      {left.side !== null && right.side !== null
        ? error === null && <SideTables one={left.side} other={right.side} />
        : error === null && <Skeleton height={420} animate={false} />}
    </Page>
  );
}

function ExportButton(props: {
  readonly one: Side | null;
  readonly other: Side | null;
}) {
  const { one, other } = props;
  const inputs = useInputRows();
  if (one === null || other === null) {
    return null;
  }
  const exportCsv = () =>
    downloadText(
      `${fileStem(`${one.scenario.name} beside ${other.scenario.name}`)}.csv`,
      "text/csv;charset=utf-8",
      csvText(
        ["scheme", "quantity", one.scenario.name, other.scenario.name],
        sideCells(one, other, inputs(one, [one, other]), inputs(other, [one, other])),
      ),
    );
  return (
    <Button variant="default" onClick={exportCsv}>
      Export CSV
    </Button>
  );
}

type Inputs = readonly (readonly [string, string])[];

/** Results first, then the inputs they are made of; unknown values stay empty. */
export function sideCells(
  one: Side,
  other: Side,
  first: Inputs,
  second: Inputs,
): CsvCell[][] {
  const beside = new Map(second);
  return [
    ...resultRows(one, other).map((row): CsvCell[] => [
      row.title,
      row.quantity,
      row.first ?? null,
      row.second ?? null,
    ]),
    ...first.map(([name, text]): CsvCell[] => ["", name, text, beside.get(name) ?? ""]),
  ];
}

function Opener({ side }: { readonly side: Side }) {
  return (
    <Link
      to="/compare"
      search={{ check: undefined, ...parseAnalysisSearch(side.scenario.state) }}
    >
      {side.scenario.name}
    </Link>
  );
}

function SideTables({ one, other }: { readonly one: Side; readonly other: Side }) {
  return (
    <>
      <Panel
        title={finding(one, other)}
        subtitle={`I/O time per access of each one's best scheme; ${countedBy(one, other)}`}
      >
        <ResultTable one={one} other={other} />
      </Panel>
      <Panel title="Inputs">
        <InputTable one={one} other={other} />
      </Panel>
    </>
  );
}

/** Who counted the figures: the model, or a replay where the model cannot tell the best. */
export function countedBy(one: Side, other: Side): string {
  const by = [one, other].map(({ evaluation }) =>
    evaluation.decided_by === "replay" ? "replayed" : "by the model",
  );
  return by[0] === by[1]
    ? `both ${by[0]}`
    : `${one.scenario.name} ${by[0]}, ${other.scenario.name} ${by[1]}`;
}

function bestTime(side: Side): number | null {
  const { evaluation } = side;
  const best = evaluation.schemes.find((scheme) => scheme.scheme === evaluation.best);
  return best === undefined ? null : deciding(best).io_time_us_per_access;
}

export function relativeChange(from: number, to: number): string {
  if (from === to) {
    return "equal";
  }
  if (from === 0) {
    return "from zero";
  }
  const change = (100 * (to - from)) / from;
  return `${change > 0 ? "+" : "−"}${formatShort(Math.abs(change))} %`;
}

function finding(one: Side, other: Side): string {
  const [first, second] = [bestTime(one), bestTime(other)];
  if (first === null || second === null) {
    return "One of the two has no best scheme";
  }
  if (first === second) {
    return "Both need the same I/O time per access";
  }
  const [faster, slower] = first < second ? [one, other] : [other, one];
  const saved = 1 - Math.min(first, second) / Math.max(first, second);
  return `${faster.scenario.name} needs ${formatShort(100 * saved)} % less I/O time than ${slower.scenario.name}`;
}

interface ResultRow {
  readonly name: string;
  readonly title: string;
  readonly quantity: string;
  readonly first: number | undefined;
  readonly second: number | undefined;
  readonly format: (value: number) => string;
}

const QUANTITIES = 3;

/** Three quantities per scheme, in the order of the first scenario. */
export function resultRows(one: Side, other: Side): ResultRow[] {
  const find = (side: Side, name: string) =>
    side.evaluation.schemes.find((scheme) => scheme.scheme === name);
  const names = [
    ...new Set(
      [...one.evaluation.schemes, ...other.evaluation.schemes].map(
        (scheme) => scheme.scheme,
      ),
    ),
  ];
  return names.flatMap((name) => {
    const [first, second] = [find(one, name), find(other, name)];
    const title = first?.title ?? second?.title ?? name;
    return [
      {
        name,
        title,
        quantity: "I/O time [µs/access]",
        first: first && deciding(first).io_time_us_per_access,
        second: second && deciding(second).io_time_us_per_access,
        format: (value: number) => formatNumber(value),
      },
      {
        name,
        title,
        quantity: "Flash writes [1/access]",
        first: first && deciding(first).flash_writes_per_access,
        second: second && deciding(second).flash_writes_per_access,
        format: (value: number) => formatNumber(value),
      },
      {
        name,
        title,
        quantity: `Cost [${shownCurrency()}/month]`,
        first: money(first?.money.usd_per_month),
        second: money(second?.money.usd_per_month),
        format: (value: number) => formatMoney(usd(value)),
      },
    ];
  });
}

function ResultTable({ one, other }: { readonly one: Side; readonly other: Side }) {
  const rows = resultRows(one, other);
  return (
    <DataTable
      label="Results"
      columns={[
        {
          key: "Scheme",
          rowHeader: true,
          span: (_, index) => (index % QUANTITIES === 0 ? QUANTITIES : 0),
          cell: (row) => (
            <>
              <SchemeMark scheme={row.name} /> {row.title}
            </>
          ),
        },
        { key: "Quantity", align: "text", cell: (row) => row.quantity },
        {
          key: "first",
          head: <Opener side={one} />,
          cell: (row) => <Known value={row.first} format={row.format} />,
        },
        {
          key: "second",
          head: <Opener side={other} />,
          cell: (row) => <Known value={row.second} format={row.format} />,
        },
        {
          key: "Change",
          cell: ({ first, second }) =>
            first === undefined || second === undefined ? (
              <Unknown reason="one of the two values is not known" />
            ) : (
              relativeChange(first, second)
            ),
        },
      ]}
      rows={rows}
      rowKey={(row) => `${row.name} ${row.quantity}`}
    />
  );
}

function Known(props: {
  readonly value: number | undefined;
  readonly format: (value: number) => string;
}) {
  return props.value === undefined ? (
    <Unknown reason="this scenario has no value here; open it to see why" />
  ) : (
    props.format(props.value)
  );
}

const money = (value: string | null | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

/** Every input by the names that people know. */
function useInputRows(): (
  side: Side,
  sides: readonly Side[],
) => readonly (readonly [string, string])[] {
  const workloads = useQuery(workloadsQuery()).data ?? [];
  const devices = useQuery(devicesQuery()).data ?? [];
  const books = useQuery(priceBooksQuery()).data ?? [];
  const nameOf = (list: readonly { id: string; name: string }[], id: string) =>
    id === NONE ? "none" : (list.find((item) => item.id === id)?.name ?? id);
  const size = (side: Side, count: number) =>
    formatPagesAndBytes(pages(count), bytes(side.evaluation.page_bytes));
  return (side, sides) => [
    ["Workload", nameOf(workloads, side.state.workload)],
    ...evidenceRows(
      side.evaluation,
      sides.map(({ evaluation }) => evaluation),
    ),
    ["RAM", size(side, side.state.ram_pages)],
    ["Flash", size(side, side.state.flash_pages)],
    ["Flash device", nameOf(devices, side.state.flash_device)],
    ["Disk device", nameOf(devices, side.state.disk_device)],
    ["RAM device", nameOf(devices, side.state.ram_device)],
    ["Price book", nameOf(books, side.state.price_book)],
    ["Paid over [months]", String(side.state.months)],
    ["Dirty share [%]", dirtyText(side.evaluation)],
    ["Pages newly allocated while recording", formatCount(side.evaluation.new_pages)],
    ["Memory that flash needs", side.evaluation.ram_budget?.title ?? "not charged"],
    ...rateRows(side.evaluation),
  ];
}

type Cautioned = Pick<EvaluationOut, "cautions">;

/** The class of a curve from counters, which the table and its export name; no row where none of those side by side is. */
export const evidenceRows = (
  one: Cautioned,
  all: readonly Cautioned[],
): readonly (readonly [string, string])[] =>
  all.some(({ cautions }) => isFromCounters(cautions))
    ? [["Evidence of the curve", classNamed(one.cautions)?.title ?? NOT_FROM_COUNTERS]]
    : [];

/** The rate that the costs were converted at; none in dollars. */
export function rateRows(
  evaluation: EvaluationOut,
): readonly (readonly [string, string])[] {
  const rate = rateOf(evaluation);
  return rate === null
    ? []
    : [
        [`Exchange rate [${rate.currency} per USD]`, rate.per_usd],
        ["Date of the exchange rate", rate.date],
        ["Source of the exchange rate", rate.source],
      ];
}

function dirtyText({ dirty_share: share }: EvaluationOut): string {
  return share.value === null ? "measured" : formatShort(100 * share.value);
}

function InputTable({ one, other }: { readonly one: Side; readonly other: Side }) {
  const inputs = useInputRows();
  const both = [one, other];
  const beside = new Map(inputs(other, both));
  const rows = inputs(one, both).map(([name, first]) => {
    const second = beside.get(name) ?? "";
    return { name, first, second, differs: first !== second };
  });
  const strong = (text: string, row: (typeof rows)[number]) =>
    row.differs ? <strong>{text}</strong> : text;
  return (
    <DataTable
      label="Inputs"
      columns={[
        { key: "Input", rowHeader: true, cell: (row) => row.name },
        {
          key: "first",
          head: one.scenario.name,
          align: "text",
          cell: (row) => strong(row.first, row),
        },
        {
          key: "second",
          head: other.scenario.name,
          align: "text",
          cell: (row) => strong(row.second, row),
        },
        {
          key: "Differs",
          align: "text",
          cell: (row) => strong(row.differs ? "yes" : "no", row),
        },
      ]}
      rows={rows}
      rowKey={(row) => row.name}
    />
  );
}
