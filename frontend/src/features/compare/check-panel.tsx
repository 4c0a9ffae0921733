import { Button, Group, Stack, Text } from "@mantine/core";
import type { EvaluationIn, EvaluationOut, SimulationOut } from "@/api/compare";
import { csvText } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import { SchemeMark } from "@/charts/scheme-mark";
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
  titlesOf,
  verdict,
} from "./check-findings";
import classes from "./compare.module.css";
import { CheckWithoutGrowth } from "./growth";
import type { Checking } from "./use-check";

interface CheckPanelProps {
  readonly checking: Checking;
  readonly evaluation: EvaluationOut;
  readonly onGoToCheck: (inputs: EvaluationIn) => void;
}

/** Model beside simulation, counter by counter. */
export function CheckPanel({ checking, evaluation, onGoToCheck }: CheckPanelProps) {
  const { simulation, run, stale, running } = checking;
  return (
    <Panel
      title="Check by simulation"
      subtitle="Replays the whole trace at this point through every scheme and counts each page operation."
      actions={
        <Button onClick={checking.start} loading={running}>
          {simulation === null || stale ? "Check this point" : "Check again"}
        </Button>
      }
    >
      <Stack gap="sm">
        {checking.error !== null && (
          <ProblemAlert error={checking.error} title="The check could not be made" />
        )}
        {run !== undefined && <RunProgress run={run} />}
        {simulation === null && !running && (
          <Text size="sm" c="dimmed">
            Not checked yet. The simulation replays the trace and shows model,
            simulation and the gap between them for every counter.
          </Text>
        )}
        {simulation !== null && stale && (
          <Text size="sm" role="status" className={classes["warning"]}>
            ⚠ This check was made at other sizes, devices or metadata (RAM{" "}
            {formatPagesAndBytes(
              pages(simulation.inputs.ram_pages),
              bytes(evaluation.page_bytes),
            )}
            , flash{" "}
            {formatPagesAndBytes(
              pages(simulation.inputs.flash_pages),
              bytes(evaluation.page_bytes),
            )}
            ). Press “Check this point” for the present ones, or{" "}
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onGoToCheck(simulation.inputs)}
            >
              go back to the checked point
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
  const rows = props.simulation.result?.rows ?? [];
  const titles = titlesOf(evaluation);
  const exact = exactSchemes(rows);
  const decision = stale ? null : verdict(rows, titles, evaluation.best);
  const schemes = [...new Set(rows.map((row) => row.scheme))];
  const exportCsv = () =>
    downloadText(
      "tierwright-check.csv",
      "text/csv;charset=utf-8",
      csvText(
        [
          "scheme",
          "counter",
          "unit",
          "model",
          "simulated",
          "gap",
          "gap_relative",
          "exact",
        ],
        rows.map((row) => [
          row.scheme,
          row.counter,
          row.unit,
          row.model,
          row.simulated,
          row.gap,
          row.gap_relative,
          row.exact ? "yes" : "no",
        ]),
      ),
    );
  return (
    <>
      <div>
        {decision !== null && <Text fw={600}>{decision}</Text>}
        <Text size="sm">
          {stale && "At the point of that check, not at the present one: "}
          {summary(rows, titles)}
        </Text>
      </div>
      <div className="tw-scroll">
        <table
          className={`tw-table ${classes["dense"]}`}
          aria-label="Model and simulation"
        >
          <thead>
            <tr>
              <th scope="col">Scheme</th>
              <th scope="col">Counter</th>
              <th scope="col">Unit</th>
              <th scope="col" className="num">
                Model
              </th>
              <th scope="col" className="num">
                Simulation
              </th>
              <th scope="col" className="num">
                Gap
              </th>
              <th scope="col" className="num">
                Gap <span className="tw-unit">[%]</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {schemes.map((scheme) =>
              rows
                .filter((row) => row.scheme === scheme)
                .map((row, index, own) => (
                  <CheckRow
                    key={`${row.scheme} ${row.counter}`}
                    row={row}
                    title={titles.get(scheme) ?? scheme}
                    rowSpan={index === 0 ? own.length : 0}
                    exact={exact.has(scheme)}
                  />
                )),
            )}
          </tbody>
        </table>
      </div>
      <Text size="sm" c="dimmed">
        I/O time may differ slightly where all counters are exact: the formulas charge
        an eviction for every RAM miss, while in the replay the first misses fill empty
        frames. “▲ large” marks gaps of more than 5 %.
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={exportCsv}>
          Export CSV
        </Button>
      </Group>
    </>
  );
}

function CheckRow(props: {
  readonly row: Row;
  readonly title: string;
  /** Rows of this scheme, told by its first one; 0 on the others. */
  readonly rowSpan: number;
  /** The model claims equality with a simulation for this scheme's counts. */
  readonly exact: boolean;
}) {
  const { row } = props;
  const large = isLargeGap(row);
  return (
    <tr data-scheme={row.scheme} data-counter={row.counter}>
      {props.rowSpan > 0 && (
        <th scope="rowgroup" rowSpan={props.rowSpan}>
          <SchemeMark scheme={row.scheme} /> {props.title}
        </th>
      )}
      <td>{counterTitle(row.counter)}</td>
      <td>{row.unit}</td>
      <td className="num">
        {row.model === null ? (
          <Unknown reason="the model does not estimate this counter" />
        ) : (
          count(row.model)
        )}
      </td>
      <td className="num">{count(row.simulated)}</td>
      <td className="num" data-cell="gap">
        {row.gap === null ? (
          <Unknown reason="without a model value there is no gap" />
        ) : hasGap(row) ? (
          signed(row.gap)
        ) : (
          "0"
        )}
      </td>
      <td className={`num ${large ? classes["largeGap"] : ""}`}>
        {large && (
          <>
            <span aria-hidden="true">▲ </span>
            <span className={classes["largeGapWord"]}>large </span>
          </>
        )}
        {relativeGap(row, props.exact)}
      </td>
    </tr>
  );
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

function relativeGap(row: Row, exact: boolean) {
  if (row.gap !== null && !hasGap(row)) {
    return exact ? "0 (exact)" : "0";
  }
  if (row.gap_relative === null) {
    return (
      <Unknown reason="the simulation counted none, so there is no relative gap" />
    );
  }
  return signedPercent(row.gap_relative);
}
