import { Text } from "@mantine/core";
import type { PoolSplitCosts } from "@/api/analyses";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import {
  bytes,
  bytesOfPages,
  formatBytes,
  formatCount,
  formatPagesAndBytes,
  formatShort,
  pages,
  UNKNOWN,
} from "@/units/quantity";

type InProduction = NonNullable<PoolSplitCosts["production"]>;

/** The recommended split on one machine of production, beside the buffer without one. */
export function ProductionPanel({
  costs,
  found,
}: {
  readonly costs: Pick<PoolSplitCosts, "baselines">;
  readonly found: InProduction;
}) {
  return (
    <Panel
      label="The split in production"
      title="The split in production"
      subtitle={`A buffer of ${formatPagesAndBytes(pages(found.pages), bytes(found.page_bytes))} on one machine, at ${formatShort(found.accesses_per_s)} accesses per second`}
    >
      <DataTable
        label="The split in production"
        columns={columnsOf(found)}
        rows={productionRows(costs, found)}
        rowKey={({ name }) => name}
      />
      <Text size="sm" mt="xs">
        {found.sentence} {found.replayed_sentence}
      </Text>
    </Panel>
  );
}

type Row = ReturnType<typeof productionRows>[number];

const columnsOf = (found: InProduction): readonly Column<Row>[] => [
  { key: "Buffer", rowHeader: true, cell: ({ title }) => title },
  valueColumn("Clean pool [pages]", ({ clean }) => clean, formatCount),
  { key: "Clean pool", cell: ({ clean }) => sizeOf(clean, found.page_bytes) },
  {
    key: "Dirty pool",
    cell: ({ clean }) =>
      sizeOf(clean === null ? null : found.pages - clean, found.page_bytes),
  },
  { ...valueColumn<Row>("Page reads", ({ reads }) => reads), unit: "1/s" },
  { ...valueColumn<Row>("Page writes", ({ writes }) => writes), unit: "1/s" },
];

const sizeOf = (count: number | null, pageBytes: number): string =>
  count === null ? UNKNOWN : formatBytes(bytesOfPages(pages(count), bytes(pageBytes)));

/** A row of each buffer; only the split has a clean pool of its own. */
export function productionRows(
  costs: Pick<PoolSplitCosts, "baselines">,
  found: InProduction,
) {
  const titles = new Map(costs.baselines.map(({ name, title }) => [name, title]));
  return ["recommended", ...titles.keys()].map((name) => ({
    name,
    title: titles.get(name) ?? "Best replayed split",
    clean: name === "recommended" ? found.recommended_clean_pages : null,
    reads: found.reads_per_s[name] ?? null,
    writes: found.writes_per_s[name] ?? null,
  }));
}
