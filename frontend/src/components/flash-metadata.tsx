import { Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { flashMetadataQuery } from "@/api/catalog";
import { formatShort } from "@/units/quantity";

const NOT_CHARGED = "";

/** Which flash cache's metadata are taken out of RAM; the same list on every page. */
export function FlashMetadata(props: {
  readonly value: string | undefined;
  readonly onChange: (preset: string | undefined) => void;
  /** What it does to the present sizes; absent: what the preset says of itself. */
  readonly note?: string | undefined;
}) {
  const presets = useQuery(flashMetadataQuery()).data ?? [];
  const preset = presets.find(({ name }) => name === props.value);
  const about =
    preset === undefined
      ? "Choose a flash cache to take its metadata out of the RAM beside flash."
      : `${formatShort(preset.entry_bytes)} bytes of RAM for each ${preset.unit_bytes === null ? "page" : `${preset.unit_bytes.toLocaleString("en-US")} bytes`} on flash (${preset.source}). ${preset.note}.`;
  return (
    <div>
      <Select
        size="sm"
        label="Memory that flash needs"
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
      <Text size="xs" c="dimmed" mt={4}>
        {props.note ?? about}
      </Text>
    </div>
  );
}
