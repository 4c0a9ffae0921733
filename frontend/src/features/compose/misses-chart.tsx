import { useMemo } from "react";
import type { ComposedRowOut, CompositionOut } from "@/api/compositions";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { valueColumn } from "@/components/columns";
import { formatShort } from "@/units/quantity";
import { cacheText } from "./compose-words";
import { barOf, partsOf } from "./members";

const HEIGHT = 190;

const COLUMNS = [
  {
    key: "Workload",
    rowHeader: true,
    cell: (row: ComposedRowOut) => row.name,
    csv: (row: ComposedRowOut) => row.name,
  },
  valueColumn<ComposedRowOut>(
    "Misses in one shared cache [1/s]",
    (row) => row.shared_misses_per_s,
  ),
  valueColumn<ComposedRowOut>(
    "Misses with a part for each [1/s]",
    (row) => row.partition_misses_per_s,
  ),
];

/** Misses per second by workload, shared and with a part for each. */
export function MissesChart({ found }: { readonly found: CompositionOut }) {
  const colors = useChartColors();
  const { rows } = found;
  const option = useMemo(() => {
    const bar = (title: string, misses: (row: ComposedRowOut) => number) => ({
      title,
      parts: barOf(rows, misses),
    });
    return stackedBarsOption({
      bars: [
        bar("One shared cache", (row) => row.shared_misses_per_s),
        ...(found.partition_misses_per_s === null
          ? []
          : [bar("A part for each", (row) => row.partition_misses_per_s ?? 0)]),
      ],
      parts: partsOf(rows),
      axis: "misses per second [1/s]",
      colors,
    });
  }, [rows, found.partition_misses_per_s, colors]);
  return (
    <ChartCard
      title={missesTitle(found)}
      subtitle={`Misses of each workload in ${cacheText(found)} of cache [1/s]`}
      label="Misses per second by workload"
      option={option}
      height={HEIGHT}
      fileName="misses by workload"
      table={() => chartTable(rows, COLUMNS)}
      explanation={
        <p>
          Each miss is a read of the tier below. A workload misses as in a cache of the
          pages that it holds, times the rate of its accesses.
        </p>
      }
    />
  );
}

/** Who causes the most misses in one shared cache. */
export function missesTitle({
  rows,
  shared_misses_per_s,
}: Pick<CompositionOut, "shared_misses_per_s"> & {
  readonly rows: readonly Pick<ComposedRowOut, "name" | "shared_misses_per_s">[];
}): string {
  const most = rows.reduce<(typeof rows)[number] | null>(
    (one, other) =>
      one === null || other.shared_misses_per_s > one.shared_misses_per_s ? other : one,
    null,
  );
  return most === null || shared_misses_per_s === 0
    ? "No workload misses in one shared cache"
    : `In one shared cache ${most.name} has ${formatShort(most.shared_misses_per_s)} of ${formatShort(shared_misses_per_s)} misses per second`;
}
