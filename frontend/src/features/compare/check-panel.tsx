import { Button, Group, Stack, Text } from "@mantine/core";
import type { EvaluationIn, EvaluationOut, SimulationOut } from "@/api/compare";
import type { Replays } from "@/api/workloads";
import { SchemeMark } from "@/charts/scheme-mark";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import { WarningNotes } from "@/components/warning-notes";
import {
  bytes,
  formatCount,
  formatNumber,
  formatPagesAndBytes,
  pages,
} from "@/units/quantity";
import {
  counterTitle,
  exactSchemes,
  hasGap,
  isLargeGap,
  type CheckRow as Row,
  signedPercent,
  summary,
  type Titles,
  titlesOf,
  verdict,
} from "./check-findings";
import classes from "./compare.module.css";
import { CheckWithoutGrowth } from "./growth";
import type { Checking } from "./use-check";

interface CheckPanelProps {
  readonly replays: Replays;
  readonly checking: Checking;
  readonly evaluation: EvaluationOut;
  readonly onGoToCheck: (inputs: EvaluationIn) => void;
}

/** Model beside simulation, counter by counter. */
export function CheckPanel(props: CheckPanelProps) {
  const { replays, checking, evaluation, onGoToCheck } = props;
  const { simulation, run, stale, running } = checking;
  return (
    <Panel
      title="Check by simulation"
      subtitle={
        replays === "recording"
          ? "Replays the recording through every scheme, at the sizes that correspond to this point, and counts each page operation. Counts are compared per access."
          : "Replays the whole trace at this point through every scheme and counts each page operation."
      }
      actions={
        <Button onClick={checking.start} loading={running}>
          {simulation === null || stale ? "Check this point" : "Check again"}
        </Button>
      }
    >
      <Stack gap="sm">
        {checking.error !== null && (
          <ProblemAlert error={checking.error} title="The check could not be run" />
        )}
        {run !== undefined && <RunProgress run={run} />}
        {simulation === null && !running && (
          <Text size="sm" c="dimmed">
            Not checked yet. The check replays the trace and shows the value of the
            model, that of the simulation and their gap for every counter.
          </Text>
        )}
        {simulation !== null && stale && (
          <Text size="sm" role="status" className={classes["warning"]}>
            ⚠ This check was run with other sizes, devices or metadata (RAM{" "}
            {formatPagesAndBytes(
              pages(simulation.inputs.ram_pages),
              bytes(evaluation.page_bytes),
            )}
            , flash{" "}
            {formatPagesAndBytes(
              pages(simulation.inputs.flash_pages),
              bytes(evaluation.page_bytes),
            )}
            ). Press “Check this point” to check the current ones, or{" "}
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onGoToCheck(simulation.inputs)}
            >
              Return to the checked point
            </Button>
          </Text>
        )}
        <CheckWithoutGrowth evaluation={evaluation} />
        {simulation !== null && <WarningNotes notes={simulation.warnings} />}
        {simulation?.result && (
          <CheckTable simulation={simulation} evaluation={evaluation} stale={stale} />
        )}
      </Stack>
    </Panel>
  );
}

function CheckTable(props: {
  readonly simulation: SimulationOut;
  readonly evaluation: EvaluationOut;
  /** The check belongs to another point than the one on the screen. */
  readonly stale: boolean;
}) {
  const { evaluation, stale } = props;
  const found = props.simulation.result?.rows ?? [];
  const titles = titlesOf(evaluation);
  const schemes = [...new Set(found.map((row) => row.scheme))];
  const rows = schemes.flatMap((scheme) =>
    found.filter((row) => row.scheme === scheme),
  );
  const decision = stale ? null : verdict(rows, titles, evaluation.best);
  const columns = columnsOf(rows, titles);
  return (
    <>
      <div>
        {decision !== null && <Text fw={600}>{decision}</Text>}
        <Text size="sm">
          {stale &&
            "These figures belong to the checked point, not to the current one. "}
          {summary(rows, titles)}
        </Text>
      </div>
      <DataTable
        label="Model and simulation"
        className={classes["dense"]}
        columns={columns}
        rows={rows}
        rowKey={(row) => `${row.scheme} ${row.counter}`}
        rowProps={(row) => ({
          "data-scheme": row.scheme,
          "data-counter": row.counter,
        })}
      />
      <Text size="sm" c="dimmed">
        I/O time may differ slightly even where all counters are exact: the formulas
        charge an eviction for every RAM miss, while in the replay the first misses fill
        empty frames. “▲ large” marks gaps of more than 5 %.
      </Text>
      <Group>
        <ExportCsv file="tierwright-check" columns={columns} rows={found} />
      </Group>
    </>
  );
}

function columnsOf(rows: readonly Row[], titles: Titles): readonly Column<Row>[] {
  const exact = exactSchemes(rows);
  return [
    {
      key: "scheme",
      head: "Scheme",
      rowHeader: true,
      span: ({ scheme }, index) =>
        rows[index - 1]?.scheme === scheme
          ? 0
          : rows.filter((row) => row.scheme === scheme).length,
      cell: ({ scheme }) => (
        <>
          <SchemeMark scheme={scheme} /> {titles.get(scheme) ?? scheme}
        </>
      ),
      csv: (row) => row.scheme,
    },
    {
      key: "counter",
      head: "Counter",
      align: "text",
      cell: (row) => counterTitle(row.counter),
      csv: (row) => row.counter,
    },
    {
      key: "unit",
      head: "Unit",
      align: "text",
      cell: (row) => row.unit,
      csv: (row) => row.unit,
    },
    {
      key: "model",
      head: "Model",
      cell: ({ model }) =>
        model === null ? (
          <Unknown reason="the model does not estimate this counter" />
        ) : (
          count(model)
        ),
      csv: (row) => row.model,
    },
    {
      key: "simulated",
      head: "Simulation",
      cell: (row) => count(row.simulated),
      csv: (row) => row.simulated,
    },
    {
      key: "gap",
      head: "Gap",
      cellProps: () => ({ "data-cell": "gap" }),
      cell: gapText,
      csv: (row) => row.gap,
    },
    {
      key: "gap_relative",
      head: "Gap",
      unit: "%",
      cellProps: (row) => ({
        className: isLargeGap(row) ? classes["largeGap"] : undefined,
      }),
      cell: (row) => (
        <>
          {isLargeGap(row) && (
            <>
              <span aria-hidden="true">▲ </span>
              <span className={classes["largeGapWord"]}>large </span>
            </>
          )}
          {relativeGap(row, exact.has(row.scheme))}
        </>
      ),
      csv: (row) => row.gap_relative,
    },
    { key: "exact", csv: (row) => (row.exact ? "yes" : "no") },
  ];
}

/** Counts and estimates of counts are whole; smaller figures have four digits. */
export function count(value: number): string {
  return Number.isInteger(value) || Math.abs(value) >= 1000
    ? formatCount(value)
    : formatNumber(value, 4);
}

function signed(value: number): string {
  return `${value > 0 ? "+" : "−"}${count(Math.abs(value))}`;
}

function gapText(row: Row) {
  if (row.gap === null) {
    return <Unknown reason="the model has no value for this counter" />;
  }
  return hasGap(row) ? signed(row.gap) : "0";
}

function relativeGap(row: Row, exact: boolean) {
  if (row.gap !== null && !hasGap(row)) {
    return exact ? "0 (exact)" : "0";
  }
  if (row.gap_relative === null) {
    return <Unknown reason="the simulated count is 0" />;
  }
  return signedPercent(row.gap_relative);
}
