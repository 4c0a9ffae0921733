import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  type PlacementIn,
  type PlacementOut,
  placementQuery,
  type SharingOut,
  type SystemOut,
} from "@/api/placements";
import { CautionNotes } from "@/components/caution-notes";
import { type Column, valueColumn } from "@/components/columns";
import { classNamed, FromCounters } from "@/components/counters-note";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { type Member, MOST_PLACED } from "@/questions/compose";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  formatBytes,
  formatDuration,
  formatPercent,
  formatShort,
  microseconds,
  ratio,
} from "@/units/quantity";

const TITLE = "Which of them should share a system?";
/** As for an advice where nothing is stated. */
const KINDS: NonNullable<PlacementIn["candidates"]> = {
  kinds: ["instances", "volumes"],
};

const time = (us: number): string => formatDuration(microseconds(us));
const share = (value: number): string => formatPercent(ratio(value));

/** Which of the workloads share a system, and what each system is; asked for, as it takes some seconds. */
export function SystemsPanel(props: {
  readonly members: readonly Member[];
  readonly isAsked: boolean;
  readonly onAsk: () => void;
}) {
  const { members, isAsked, onAsk } = props;
  if (members.length > MOST_PLACED) {
    return (
      <Panel title={TITLE}>
        <Text>
          At most {MOST_PLACED} workloads are placed on systems at once: remove some
          above, or keep those that belong together as one workload.
        </Text>
      </Panel>
    );
  }
  return isAsked ? (
    <Placed members={members} />
  ) : (
    <Panel
      title={TITLE}
      subtitle="Every group of workloads is asked as one question, with every option that has a list price"
    >
      <Button onClick={onAsk}>Find the cheapest systems</Button>
    </Panel>
  );
}

function Placed({ members }: { readonly members: readonly Member[] }) {
  const body: PlacementIn = {
    workloads: members.map(({ id, rate }) => ({
      workload_id: id,
      accesses_per_s: rate,
    })),
    candidates: KINDS,
  };
  const found = useQuery(placementQuery(body));
  if (found.error !== null) {
    return (
      <ProblemAlert
        error={found.error}
        title="These workloads cannot be placed on systems"
        onRetry={() => void found.refetch()}
      />
    );
  }
  if (found.data === undefined) {
    return (
      <Panel title={TITLE}>
        <Text role="status" mb="sm">
          Comparing every option for each group of workloads…
        </Text>
        <Skeleton height={180} animate={false} />
      </Panel>
    );
  }
  return (
    <>
      <FromCounters evidence={classNamed(found.data.cautions)}>
        <Systems found={found.data} />
      </FromCounters>
      <CautionNotes of="the systems" cautions={found.data.cautions} />
    </>
  );
}

function Systems({ found }: { readonly found: PlacementOut }) {
  const columns = useMemo(systemColumns, []);
  const others = useMemo(sharingColumns, []);
  const ways = found.alternatives;
  return (
    <Panel title={TITLE} subtitle={found.finding}>
      {found.systems.length > 0 && (
        <DataTable
          label="Systems"
          columns={columns}
          rows={found.systems}
          rowKey={({ workloads }) => namesOf(workloads.map(({ name }) => name))}
        />
      )}
      {ways.length > 0 && (
        <>
          <Text fw={600} mt="md" mb="xs">
            Other ways to share
          </Text>
          <DataTable
            label="Other ways to share"
            columns={others}
            rows={ways}
            rowKey={({ groups }) => groups.map(namesOf).join("; ")}
          />
        </>
      )}
      {found.systems.length > 0 && (
        <Group justify="flex-end" mt="xs">
          <ExportCsv
            file="systems"
            columns={columns}
            rows={found.systems}
            rate={rateOf(found)}
          />
        </Group>
      )}
    </Panel>
  );
}

const namesOf = (names: readonly string[]): string => names.join(", ");

const systemColumns = (): readonly Column<SystemOut>[] => [
  {
    key: "Workloads",
    rowHeader: true,
    cell: ({ workloads }) => namesOf(workloads.map(({ name }) => name)),
    csv: ({ workloads }) => namesOf(workloads.map(({ name }) => name)),
  },
  {
    key: "System",
    align: "text",
    cell: ({ option }) => option.name,
    csv: ({ option }) => option.name,
  },
  {
    key: "Per month",
    unit: shownCurrency(),
    cell: ({ option }) => cents(option.usd_per_month),
    csv: ({ option }) => option.usd_per_month,
  },
  {
    ...valueColumn<SystemOut>(
      "Accesses",
      ({ accesses_per_s }) => accesses_per_s,
      formatShort,
    ),
    unit: "1/s",
  },
  valueColumn(
    "RAM",
    ({ option }) => option.ram_bytes,
    (size) => formatBytes(bytes(size)),
  ),
  valueColumn("Hits in RAM", ({ option }) => option.ram_hit_share, share),
  valueColumn("I/O time", ({ option }) => option.io_time_us_per_access, time),
  valueColumn("Busy, busiest hour", ({ option }) => option.peak_busy, share),
];

const sharingColumns = (): readonly Column<SharingOut>[] => [
  {
    key: "Workloads of each system",
    rowHeader: true,
    cell: ({ groups }) => groups.map(namesOf).join("; "),
  },
  {
    key: "Per month",
    unit: shownCurrency(),
    cell: ({ usd_per_month }) => cents(usd_per_month),
  },
  valueColumn("I/O time", ({ io_time_us_per_access }) => io_time_us_per_access, time),
];
