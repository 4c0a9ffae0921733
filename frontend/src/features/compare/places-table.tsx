import { Group, Text } from "@mantine/core";
import type { CheckedDirectories, PlaceReplayedOut } from "@/api/replay-checks";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import {
  bytes,
  formatBytes,
  formatCount,
  formatMicroseconds,
  formatPercent,
  formatShort,
  microseconds,
  ratio,
  UNKNOWN,
} from "@/units/quantity";

const PERCENT = 100;
const KINDS: Readonly<Record<PlaceReplayedOut["kind"], string>> = {
  without_flash: "no flash",
  directory: "directory",
  flash_cache: "flash cache",
};

const share = (value: number) => formatPercent(ratio(value));

/** Columns of the table and of the export. */
export const PLACE_COLUMNS: readonly Column<PlaceReplayedOut, string>[] = [
  {
    ...valueColumn<PlaceReplayedOut>("Directory or flash cache", ({ title }) => title),
    rowHeader: true,
  },
  {
    ...valueColumn<PlaceReplayedOut>("Kind", ({ kind }) => KINDS[kind]),
    align: "text",
  },
  {
    ...valueColumn<PlaceReplayedOut>(
      "RAM it takes [B]",
      (place) => place.ram_tax_bytes,
      (value) => formatBytes(bytes(value)),
    ),
    head: "RAM it takes",
  },
  valueColumn("RAM pages left", (place) => place.ram_pages, formatCount),
  valueColumn("Flash pages", (place) => place.flash_pages, formatCount),
  valueColumn("RAM hits", (place) => place.ram_hits, share),
  valueColumn("Flash hits", (place) => place.flash_hits, share),
  valueColumn(
    "Time [µs/access]",
    (place) => place.time_us,
    (value) => formatMicroseconds(microseconds(value)),
  ),
  valueColumn(
    "Behind the fastest [%]",
    (place) => (place.behind === null ? null : PERCENT * place.behind),
    (value) => (value === 0 ? UNKNOWN : formatShort(value)),
  ),
];

const REASON: Column<PlaceReplayedOut, string> = {
  ...valueColumn<PlaceReplayedOut>("Without a time", ({ reason }) => reason),
  align: "text",
};

/** What was replayed: directories, flash caches and no flash, the fastest first. */
export function PlacesTable(props: {
  readonly found: CheckedDirectories;
  readonly name: string;
}) {
  const { places } = props.found;
  if (places.length === 0) {
    return null;
  }
  const withReasons = places.some(({ reason }) => reason !== "");
  const columns = withReasons ? [...PLACE_COLUMNS, REASON] : PLACE_COLUMNS;
  return (
    <>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>All that was replayed, the fastest first</Text>
        <ExportCsv
          file={`${props.name} directories replayed`}
          label="Export CSV of what was replayed"
          columns={columns}
          rows={places}
        />
      </Group>
      <DataTable
        label="Directories and flash caches by replay"
        columns={columns}
        rows={places}
        rowKey={({ of }) => of}
      />
      {places.some((place) => place.ram_tax_bytes === null) && (
        <Text size="sm" c="dimmed">
          Where no RAM is shown, no figure is published, and none is subtracted.
        </Text>
      )}
    </>
  );
}
