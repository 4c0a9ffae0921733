import { Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { flashMetadataQuery } from "@/api/catalog";
import { formatCount, formatShort } from "@/units/quantity";
import { OptionalNumberField } from "./number-field";

const NOT_CHARGED = "";
/** In place of a preset: what an entry takes, of a cache of which no figure is published. */
const STATED = "stated";
const WRITTEN =
  /^([a-z0-9][a-z0-9._-]*)(?::(?:([0-9.]+)GiB|([0-9.]+)B(?:\/([0-9.]+)KiB)?))?$/;
const ENTRY_TO_BEGIN_WITH = 32;

export interface WrittenMetadata {
  readonly name: string | undefined;
  /** The volume behind the cache. */
  readonly gib?: number | undefined;
  /** As stated: bytes of RAM for each unit on flash. */
  readonly entryBytes?: number | undefined;
  /** As stated: the unit; absent: the page of the workload. */
  readonly unitKib?: number | undefined;
}

const asNumber = (text: string | undefined) =>
  text === undefined ? undefined : Number(text);

/** The preset of a question, and what is stated with it: `sce:2048GiB`, `stated:32B/8KiB`. */
export function readFlashMetadata(value: string | undefined): WrittenMetadata {
  const [, name, gib, entry, unit] = WRITTEN.exec(value ?? "") ?? [];
  return {
    name,
    gib: asNumber(gib),
    entryBytes: asNumber(entry),
    unitKib: asNumber(unit),
  };
}

const plain = (value: number) => value.toFixed(5).replace(/\.?0+$/, "");

export function writeFlashMetadata(of: WrittenMetadata & { readonly name: string }) {
  if (of.name === STATED) {
    const unit = of.unitKib === undefined ? "" : `/${plain(of.unitKib)}KiB`;
    return `${STATED}:${plain(of.entryBytes ?? ENTRY_TO_BEGIN_WITH)}B${unit}`;
  }
  return of.gib === undefined ? of.name : `${of.name}:${plain(of.gib)}GiB`;
}

/** Which flash cache's metadata are taken out of RAM; the same list on every page. */
export function FlashMetadata(props: {
  readonly value: string | undefined;
  readonly onChange: (preset: string | undefined) => void;
  /** What it does to the present sizes; absent: what the preset says of itself. */
  readonly note?: string | undefined;
}) {
  const presets = useQuery(flashMetadataQuery()).data ?? [];
  const written = readFlashMetadata(props.value);
  const preset = presets.find(({ name }) => name === written.name);
  const isStated = written.name === STATED;
  const state = (change: Partial<WrittenMetadata>) =>
    props.onChange(writeFlashMetadata({ ...written, ...change, name: STATED }));
  const about =
    preset === undefined
      ? isStated
        ? "Of some flash caches nobody publishes what an entry takes: state it, from your own measurement or the vendor."
        : "Choose a flash cache to charge its metadata to RAM."
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
          { value: STATED, label: "Another cache: state its entry" },
        ]}
        value={isStated ? STATED : (preset?.name ?? NOT_CHARGED)}
        onChange={(name) =>
          props.onChange(
            name === null || name === NOT_CHARGED
              ? undefined
              : writeFlashMetadata({ name }),
          )
        }
        allowDeselect={false}
      />
      {preset !== undefined && preset.source_entry_bytes > 0 && (
        <OptionalNumberField
          label="Volume behind the cache [GiB]"
          placeholder="pages of the workload"
          min={1e-5}
          max={1e9}
          value={written.gib}
          onChange={(gib) =>
            props.onChange(writeFlashMetadata({ name: preset.name, gib }))
          }
        />
      )}
      {isStated && (
        <>
          <OptionalNumberField
            label="Entry in RAM [bytes]"
            placeholder={`${ENTRY_TO_BEGIN_WITH}`}
            min={1e-5}
            max={1e9}
            value={written.entryBytes}
            onChange={(entryBytes) => state({ entryBytes })}
          />
          <OptionalNumberField
            label="For each [KiB] of flash"
            placeholder="page of the workload"
            min={1e-3}
            max={1e8}
            value={written.unitKib}
            onChange={(unitKib) => state({ unitKib })}
          />
        </>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {props.note ?? about}
      </Text>
    </div>
  );
}
