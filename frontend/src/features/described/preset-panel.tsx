import { Button, Group, Text } from "@mantine/core";
import type { DescriptionKindOut, WorkloadPresetOut } from "@/api/described";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import {
  formatCount,
  formatPercent,
  formatShort,
  ratio,
  unbroken,
} from "@/units/quantity";
import classes from "./described.module.css";

type Fit = WorkloadPresetOut["fit"][number];
type Part = WorkloadPresetOut["workload"]["components"][number];

const percent = (value: number | null) =>
  value === null ? "–" : formatPercent(ratio(value));

const FIT_COLUMNS = (writes: boolean): readonly Column<Fit>[] => [
  {
    key: "cache",
    head: "Cache",
    unit: "pages",
    rowHeader: true,
    align: "number",
    cell: (point) => formatCount(point.cache_pages),
  },
  {
    key: "recorded",
    head: "Misses recorded",
    cell: (point) => percent(point.recorded_misses),
  },
  {
    key: "described",
    head: "Misses described",
    cell: (point) => percent(point.described_misses),
  },
  ...(writes
    ? [
        {
          key: "recorded writes",
          head: "Write-backs recorded",
          cell: (point: Fit) => percent(point.recorded_write_backs),
        },
        {
          key: "described writes",
          head: "Write-backs described",
          cell: (point: Fit) => percent(point.described_write_backs),
        },
      ]
    : []),
];

/** "Zipf with exponent 0.9: 63.3 % of the accesses, on 30 % of the data, 20 % of them write" */
function partText(
  part: Part,
  workload: WorkloadPresetOut["workload"],
  kinds: readonly DescriptionKindOut[],
): string {
  const title = kinds.find(({ name }) => name === part.kind)?.title ?? part.kind;
  const total = workload.components.reduce((sum, { weight }) => sum + weight, 0);
  const how =
    part.exponent === null
      ? part.hot_data_share === null
        ? title
        : `${title}, ${percent(part.hot_access_share)} to ${percent(part.hot_data_share)} of its data`
      : `${title} with exponent ${formatShort(part.exponent)}`;
  const data =
    part.data_share === null
      ? "the rest of the data"
      : `${percent(part.data_share)} of the data`;
  const writes = part.write_share ?? workload.write_share;
  return unbroken(
    `${how}: ${percent(part.weight / total)} of the accesses, to ${data}; ${percent(writes)} of them write.`,
  );
}

/** What a preset is, where it comes from, and how well it fits. */
export function PresetSummary(props: {
  readonly preset: WorkloadPresetOut;
  readonly kinds: readonly DescriptionKindOut[];
  readonly onEdit: () => void;
}) {
  const { preset, kinds, onEdit } = props;
  const { workload, fit, miss_error, write_back_error } = preset;
  return (
    <>
      <Text size="sm">{preset.summary}</Text>
      <ul className={classes["list"]}>
        {workload.components.map((part) => {
          const text = partText(part, workload, kinds);
          return (
            <li key={text}>
              <Text size="sm" component="span">
                {text}
              </Text>
            </li>
          );
        })}
      </ul>
      <Text size="sm" mt="xs">
        <b>Fitted to:</b> {preset.source}. At {formatCount(fit.length)} cache sizes, the
        misses are within {percent(miss_error)} of the recorded accesses
        {write_back_error === null
          ? "."
          : `, the write-backs within ${percent(write_back_error)}.`}
      </Text>
      <Disclosure label="The fit at each size">
        <DataTable
          label={`Recording and description of ${preset.title}`}
          columns={FIT_COLUMNS(write_back_error !== null)}
          rows={fit}
          rowKey={(point) => point.cache_pages}
          caption="LRU in the steady state, as shares of the accesses, with the data of the recording"
        />
      </Disclosure>
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={onEdit}>
          Edit this mix
        </Button>
      </Group>
    </>
  );
}
