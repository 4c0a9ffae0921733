import { Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ComposedRowOut, CompositionOut } from "@/api/compositions";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import {
  bytes,
  formatBytes,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import { cacheText, type Mode } from "./compose-words";

const percent = (share: number): string => formatPercent(ratio(share));
const rate = (perSecond: number): string => formatShort(perSecond);

/** Who gets how much of the cache, and misses how often. */
export function SharesTable({
  found,
  mode,
}: {
  readonly found: CompositionOut;
  readonly mode: Mode;
}) {
  const columns = useMemo(() => columnsOf(found, mode), [found, mode]);
  const isSplit = mode === "split" && found.partition_miss_ratio !== null;
  return (
    <Panel
      title={
        isSplit
          ? `A part of ${cacheText(found)} for each workload`
          : `What each workload gets of one shared cache of ${cacheText(found)}`
      }
      subtitle={
        isSplit
          ? "Parts of equal marginal gain: no page would save more misses in another part"
          : "A workload holds the pages that it used within the time for which an unused page stays"
      }
    >
      <DataTable
        label="What each workload gets"
        columns={columns}
        rows={found.rows}
        rowKey={(row) => row.name}
      />
      <Group justify="flex-end" mt="xs">
        <ExportCsv
          file={isSplit ? "parts of the cache" : "shares of the cache"}
          columns={columns}
          rows={found.rows}
        />
      </Group>
    </Panel>
  );
}

function columnsOf(
  found: CompositionOut,
  mode: Mode,
): readonly Column<ComposedRowOut>[] {
  const size = (pages: number) => formatBytes(bytes(pages * found.page_bytes));
  const common: readonly Column<ComposedRowOut>[] = [
    {
      key: "Workload",
      rowHeader: true,
      cell: (row) => (
        <Link to="/workloads/$workloadId" params={{ workloadId: row.workload_id }}>
          {row.name}
        </Link>
      ),
      csv: (row) => row.name,
    },
    { ...valueColumn("Accesses", (row) => row.accesses_per_s, rate), unit: "1/s" },
  ];
  const own: readonly Column<ComposedRowOut>[] =
    mode === "split" && found.partition_miss_ratio !== null
      ? [
          valueColumn("Its part", (row) => row.partition_pages, size),
          valueColumn(
            "Of the cache",
            (row) => (row.partition_pages ?? 0) / found.ram_pages,
            percent,
          ),
          valueColumn(
            "Misses of its accesses",
            (row) => row.partition_miss_ratio,
            percent,
          ),
          {
            ...valueColumn<ComposedRowOut>(
              "Misses",
              (row) => row.partition_misses_per_s,
              rate,
            ),
            unit: "1/s",
          },
          {
            ...valueColumn<ComposedRowOut>(
              "Misses when shared",
              (row) => row.shared_misses_per_s,
              rate,
            ),
            unit: "1/s",
          },
        ]
      : [
          valueColumn("Cache held", (row) => row.shared_pages, size),
          valueColumn("Of the pages held", (row) => row.shared_share, percent),
          valueColumn(
            "Misses of its accesses",
            (row) => row.shared_miss_ratio,
            percent,
          ),
          {
            ...valueColumn<ComposedRowOut>(
              "Misses",
              (row) => row.shared_misses_per_s,
              rate,
            ),
            unit: "1/s",
          },
          valueColumn("Of all misses", (row) => row.shared_miss_share, percent),
        ];
  return [
    ...common,
    ...own,
    {
      ...valueColumn<ComposedRowOut>(
        "Misses if alone",
        (row) => row.alone_miss_ratio,
        percent,
      ),
      title: "Of its accesses, if it had all of the cache for itself",
    },
  ];
}
