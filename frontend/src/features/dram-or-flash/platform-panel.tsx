import { Text } from "@mantine/core";
import { memo } from "react";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import {
  bytes,
  counted,
  formatCount,
  formatPagesAndBytes,
  formatPercent,
  formatShort,
  pages,
  ratio,
  unbroken,
} from "@/units/quantity";
import { exportOf } from "./tables";

type Platform = NonNullable<BreakEvenOut["platform"]>;

interface Row {
  readonly what: string;
  /** Least RAM within the limit; null where no RAM suffices. */
  readonly least_pages: number | null;
  readonly now: string;
  readonly more: string;
}

const GIGA = 1e9;

const WHOLE_RATE = 100;

/** In whole numbers, as in the sentences of the verdict. */
const rateText = (rate: number): string =>
  rate >= WHOLE_RATE ? formatCount(Math.round(rate)) : formatShort(rate);

/** What reaches the drives: writes only where they are known. */
function operations({ reads_per_s, write_backs_per_s }: Platform): string {
  const reads = counted(rateText(reads_per_s), "page read");
  return write_backs_per_s === null
    ? `${reads} per second`
    : `${reads} and ${counted(rateText(write_backs_per_s), "write-back")} per second`;
}

/** What each resource carries now, and what has to be added. */
export function platformRows(platform: Platform): Row[] {
  return [
    {
      what: platform.drives === 1 ? "Drive" : "Drives",
      least_pages: platform.storage_pages,
      now: `${operations(platform)}: ${formatPercent(ratio(platform.busy_share))} of what ${platform.drives === 1 ? "it" : "they"} can serve`,
      more: platform.more_drives === 0 ? "nothing" : formatCount(platform.more_drives),
    },
    {
      what: "DRAM bandwidth",
      least_pages: platform.bandwidth_pages,
      now: `${formatShort(platform.dram_bytes_per_s / GIGA)} GB/s`,
      more:
        platform.more_bytes_per_s === 0
          ? "nothing"
          : `${formatShort(platform.more_bytes_per_s / GIGA)} GB/s`,
    },
  ];
}

const columns = (pageBytes: number): readonly Column<Row>[] => [
  {
    key: "what",
    head: "Resource",
    align: "text",
    cell: (row) => row.what,
    csv: (row) => row.what,
  },
  {
    key: "now",
    head: "Load with the existing RAM",
    align: "text",
    cell: (row) => row.now,
    csv: (row) => row.now,
  },
  {
    key: "least_pages",
    head: "RAM needed for it",
    cell: (row) =>
      row.least_pages === null
        ? "no RAM suffices"
        : formatPagesAndBytes(pages(row.least_pages), bytes(pageBytes)),
    csv: (row) => row.least_pages,
  },
  {
    key: "more",
    head: "To add instead",
    cell: (row) => row.more,
    csv: (row) => row.more,
  },
];

/** Whether drives and DRAM carry the load, and what changes that. */
export const PlatformPanel = memo(function PlatformPanel({
  found,
}: {
  readonly found: BreakEvenOut;
}) {
  const { platform } = found;
  if (platform === null) {
    return (
      <Panel>
        <EmptyState title="Whether the platform carries the load could not be computed">
          {found.platform_reason}
        </EmptyState>
      </Panel>
    );
  }
  const rows = platformRows(platform);
  return (
    <Panel
      title={platform.finding}
      subtitle={unbroken(
        platform.write_backs_per_s === null
          ? `What RAM misses is read from the flash drives and crosses DRAM twice. Load: ${platform.basis}.`
          : `What RAM misses is read from the flash drives and crosses DRAM twice; what is written back to them crosses it once more. Load: ${platform.basis}.`,
      )}
      actions={exportOf("platform", columns(found.page_bytes), rows)}
    >
      <DataTable
        label="Platform"
        columns={columns(found.page_bytes)}
        rows={rows}
        rowKey={(row) => row.what}
      />
      <Text size="sm" mt="xs">
        {unbroken(platform.sentence)} {unbroken(platform.writes)}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        Valid for: {platform.validity}.
      </Text>
    </Panel>
  );
});
