import { Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { flashMetadataQuery } from "@/api/catalog";
import { formatCount, formatShort } from "@/units/quantity";
import { OptionalNumberField } from "./number-field";

const NOT_CHARGED = "";
const STATED = /^([a-z0-9][a-z0-9._-]*)(?::([0-9.]+)GiB)?$/;

/** The preset of a question, and the address space stated with it: `sce:2048GiB`. */
export function readFlashMetadata(value: string | undefined): {
  readonly name: string | undefined;
  readonly gib: number | undefined;
} {
  const [, name, size] = STATED.exec(value ?? "") ?? [];
  return { name, gib: size === undefined ? undefined : Number(size) };
}

export const writeFlashMetadata = (name: string, gib: number | undefined): string =>
  gib === undefined ? name : `${name}:${gib.toFixed(5).replace(/\.?0+$/, "")}GiB`;

/** Which flash cache's metadata are taken out of RAM; the same list on every page. */
export function FlashMetadata(props: {
  readonly value: string | undefined;
  readonly onChange: (preset: string | undefined) => void;
  /** What it does to the present sizes; absent: what the preset says of itself. */
  readonly note?: string | undefined;
}) {
  const presets = useQuery(flashMetadataQuery()).data ?? [];
  const { name: chosen, gib } = readFlashMetadata(props.value);
  const preset = presets.find(({ name }) => name === chosen);
  const about =
    preset === undefined
      ? "Choose a flash cache to charge its metadata to RAM."
      : preset.unit_bytes === null
        ? `${formatShort(preset.entry_bytes)} bytes of RAM for each page on flash (${preset.source}). ${preset.note}.`
        : `${formatShort(preset.entry_bytes)} bytes of RAM for each ${formatCount(preset.unit_bytes)} bytes on flash (${preset.source}). ${preset.note}.`;
  return (
    <div>
      <Select
        size="sm"
        label="Flash metadata in RAM"
        data={[
          { value: NOT_CHARGED, label: "Not charged, as in the papers" },
          ...presets.map(({ name, title }) => ({ value: name, label: title })),
        ]}
        value={preset?.name ?? NOT_CHARGED}
        onChange={(name) =>
          props.onChange(name === null || name === NOT_CHARGED ? undefined : name)
        }
        allowDeselect={false}
      />
      {preset !== undefined && preset.source_entry_bytes > 0 && (
        <OptionalNumberField
          label="Volume behind the cache [GiB]"
          placeholder="pages of the workload"
          min={1e-5}
          max={1e9}
          value={gib}
          onChange={(value) => props.onChange(writeFlashMetadata(preset.name, value))}
        />
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {props.note ?? about}
      </Text>
    </div>
  );
}
