import { Button, Select, Stack, Text } from "@mantine/core";
import type { QueryKey, UseQueryOptions } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { CheckedAnswer, ReplayJob } from "@/api/replay-checks";
import type { Replays } from "@/api/workloads";
import { formatShort } from "@/units/quantity";
import type { Column } from "./columns";
import { DataTable } from "./data-table";
import { Panel } from "./panel";
import { ProblemAlert } from "./problem-alert";
import { RunProgress } from "./run-progress";
import { Unknown } from "./unknown";
import { useReplay } from "./use-replay";

interface ReplayCheckProps<Key extends QueryKey, Shown extends CheckedAnswer> {
  /** The check of what is on the screen; asked only when the button is pressed. */
  readonly query: UseQueryOptions<Shown | ReplayJob, Error, Shown | ReplayJob, Key>;
  /** What is checked, such as "the throughput". */
  readonly what: string;
  readonly replays: Replays;
  /** Title and what is replayed, where it is not every scheme at one pair of sizes. */
  readonly title?: string;
  readonly subtitle?: string;
  /** What the replay is asked for beside the point. */
  readonly options?: ReactNode;
  /** Of whom the table shows the figures first; without it all are in one table. */
  readonly shown?: string | undefined;
  /** The model cannot decide: asked without a press. */
  readonly isNeeded?: boolean;
  /** What the check says beyond model and replay of each figure, before these. */
  readonly beyond?: (found: Shown) => ReactNode;
}

const OF_A_RECORDING =
  "The workload was scaled to production, so its recording is replayed at the sizes that correspond. That shows how the schemes behave there; it does not check the scale law.";
const ROUNDING = 1e-9;
const LARGE_GAP = 0.05;
const PERCENT = 100;

/** The check of one question, asked by a press. */
function useReplayCheck<Key extends QueryKey, Shown extends CheckedAnswer>(
  query: UseQueryOptions<Shown | ReplayJob, Error, Shown | ReplayJob, Key>,
  canReplay: boolean,
  isNeeded: boolean,
) {
  const asked = JSON.stringify(query.queryKey);
  const [pressed, setPressed] = useState<string | null>(null);
  const isPressed = pressed === asked || isNeeded;
  const check = useReplay<Shown, Key>(query, canReplay && isPressed);
  return {
    ...check,
    press: () => {
      setPressed(asked);
      if (check.run !== undefined) {
        check.again();
      }
    },
    isPressed,
  };
}

/** Model beside replay for a question that is not the comparison itself. */
export function ReplayCheck<
  Key extends QueryKey,
  Shown extends CheckedAnswer = CheckedAnswer,
>(props: ReplayCheckProps<Key, Shown>) {
  const { query, what, replays, isNeeded = false } = props;
  const canReplay = replays !== null;
  const check = useReplayCheck(query, canReplay, isNeeded);
  return (
    <Panel
      title={props.title ?? "Check by simulation"}
      subtitle={
        props.subtitle ??
        `Replays ${
          replays === "recording"
            ? "the recording through every scheme at the sizes that correspond"
            : "the whole trace through every scheme at these sizes"
        } and computes ${what} from the counted operations.`
      }
      actions={
        canReplay && (
          <Button onClick={check.press} loading={check.isRunning}>
            Check this point
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {canReplay && props.options}
        {!canReplay && (
          <Text size="sm" c="dimmed">
            This workload has no accesses to replay.
          </Text>
        )}
        {canReplay && !check.isPressed && (
          <Text size="sm" c="dimmed">
            This point has not been checked.
            {replays === "recording" && ` ${OF_A_RECORDING}`}
          </Text>
        )}
        {check.error !== null && (
          <ProblemAlert error={check.error} title="The check could not be run" />
        )}
        {check.run !== undefined && <RunProgress run={check.run} />}
        {check.checked !== undefined && (
          <CheckedTable found={check.checked} shown={props.shown}>
            {props.beyond?.(check.checked)}
          </CheckedTable>
        )}
      </Stack>
    </Panel>
  );
}

interface CheckedTableProps {
  readonly found: CheckedAnswer;
  readonly shown: string | undefined;
  /** What stands between the sentence and the figures. */
  readonly children?: ReactNode;
}

/** Model beside simulation; where one of several is shown first, that one alone, and a choice. */
export function CheckedTable({ found, shown, children }: CheckedTableProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const titles = new Map(found.rows.map(({ of, title }) => [of, title]));
  const of = [chosen, shown].find((each) => each != null && titles.has(each));
  const rows = of == null ? found.rows : found.rows.filter((row) => row.of === of);
  return (
    <>
      <Text fw={600}>{found.sentence}</Text>
      {children}
      {of != null && (
        <Select
          size="sm"
          label="Figures of"
          data={[...titles].map(([value, label]) => ({ value, label }))}
          value={of}
          onChange={setChosen}
          allowDeselect={false}
          maw={320}
        />
      )}
      {rows.length > 0 && (
        <DataTable
          label="Model and simulation"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => `${row.of} ${row.figure}`}
        />
      )}
      <Text size="sm" c="dimmed">
        {found.basis}
      </Text>
    </>
  );
}

const COLUMNS: readonly Column<CheckedAnswer["rows"][number]>[] = [
  { key: "Item", rowHeader: true, cell: (row) => row.title },
  { key: "Figure", align: "text", cell: (row) => row.figure },
  { key: "Unit", align: "text", cell: (row) => row.unit },
  { key: "Model", cell: (row) => figure(row.model) },
  { key: "Simulation", cell: (row) => figure(row.simulated) },
  { key: "Gap", unit: "%", cell: (row) => gapText(row.gap_relative) },
];

const figure = (value: number | null) =>
  value === null ? <Unknown reason="unbounded or unknown" /> : formatShort(value);

/** A gap in percent with its sign; a mark stands where it is large, or beyond what is known. */
export function gapText(gap: number | null, most = LARGE_GAP) {
  if (gap === null) {
    return <Unknown reason="a value is unknown, or the simulated value is 0" />;
  }
  if (Math.abs(gap) <= ROUNDING) {
    return "0";
  }
  const large = Math.abs(gap) > most ? "▲ " : "";
  return `${large}${gap > 0 ? "+" : "−"}${formatShort(PERCENT * Math.abs(gap))}`;
}
