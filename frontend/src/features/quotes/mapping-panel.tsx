import { Autocomplete, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { devicesQuery } from "@/api/catalog";
import { partsQuery, serversQuery } from "@/api/purchasable";
import type { UnmappedOut } from "@/api/quotes";
import { downloadText } from "@/charts/download";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { counted } from "@/units/quantity";
import { type MappedLine, mappingFile, readMapping, withLine } from "./kept-mapping";

const MOST_PIECES = 100_000;
const MOST_SHOWN = 20;

/** Kind of an id of the catalogue, as a mapping states it. */
export interface Known {
  readonly item: string;
  readonly kind: string;
}

/** Everything that a line may be, by its id. */
function useKnown(): readonly Known[] {
  const devices = useQuery(devicesQuery()).data ?? [];
  const servers = useQuery(serversQuery()).data ?? [];
  const parts = useQuery(partsQuery()).data ?? [];
  const found = new Map<string, Known>();
  for (const [kind, items] of [
    ["instance", servers],
    ["part", parts],
    ["device", devices],
  ] as const) {
    for (const { id } of items) {
      found.set(id, { item: id, kind });
    }
  }
  for (const item of ["rails", "power"]) {
    found.set(item, { item, kind: "part" });
  }
  return [...found.values()];
}

const nameOf = ({ by }: UnmappedOut): string =>
  [by["part_number"] ?? by["manufacturer_part_number"], by["supplier"]]
    .filter(Boolean)
    .join(" of ");

/** What the part numbers of the files are: asked once, kept by the server, used again. */
export function MappingPanel(props: {
  readonly unmapped: readonly UnmappedOut[];
  readonly lines: readonly MappedLine[];
  readonly keep: (lines: readonly MappedLine[]) => void;
  /** Whether the kept mapping was loaded: until then nothing is known of it. */
  readonly isReady: boolean;
  /** Whether it could not be loaded. */
  readonly isFailed: boolean;
  /** Whether every file was read: until then no line of it was looked up. */
  readonly areRead: boolean;
}) {
  const { unmapped, lines, keep, isReady } = props;
  const known = useKnown();
  const picker = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState("");
  const open = async (file: File | undefined) => {
    if (file === undefined) {
      return;
    }
    const read = readMapping(await file.text());
    setRefused(
      read === null
        ? `${file.name} is not a mapping. Save one here, and open that.`
        : "",
    );
    if (read !== null) {
      keep(read.reduce(withLine, lines));
    }
  };
  return (
    <Panel
      title="What the part numbers are"
      subtitle={isReady ? knownText(props) : awaitedText(props)}
      label="What the part numbers are"
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={lines.length === 0}
            onClick={() =>
              downloadText("mapping.json", "application/json", mappingFile(lines))
            }
          >
            Save mapping
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!isReady}
            onClick={() => picker.current?.click()}
          >
            Open mapping
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={lines.length === 0}
            onClick={() => keep([])}
          >
            Forget all
          </Button>
          <input
            ref={picker}
            type="file"
            hidden
            accept=".json"
            aria-label="File of a mapping"
            onChange={(event) => {
              void open(event.currentTarget.files?.[0]);
              event.currentTarget.value = "";
            }}
          />
        </Group>
      }
    >
      <Stack gap="xs">
        {refused !== "" && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {refused}
          </Text>
        )}
        {unmapped.slice(0, MOST_SHOWN).map((each) => (
          <LineForm
            key={JSON.stringify(each.by)}
            line={each}
            known={known}
            onState={(items) => keep(withLine(lines, { ...each.by, is: items }))}
          />
        ))}
        {unmapped.length > MOST_SHOWN && (
          <Text size="sm" c="dimmed">
            The first {MOST_SHOWN} are shown; the others follow once these are stated.
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

/** How many part numbers are known, and whether the files have others. */
function knownText(props: {
  readonly unmapped: readonly unknown[];
  readonly lines: readonly unknown[];
  readonly areRead: boolean;
}): string {
  const { unmapped, lines, areRead } = props;
  const kept = counted(lines.length, "part number is known", "part numbers are known");
  if (unmapped.length > 0) {
    return `${kept}. ${counted(unmapped.length, "part number is", "part numbers are")} not known: state what each is, or leave it open; it then counts in the price alone.`;
  }
  return areRead ? `${kept}. Every line of the files is known.` : `${kept}.`;
}

const awaitedText = ({ isFailed }: { readonly isFailed: boolean }): string =>
  isFailed
    ? "The known part numbers could not be loaded. Files are read and ranked once they are."
    : "Loading the known part numbers. Files are read and ranked after that.";

/** What one piece of a line holds: one or several things of the catalogue. */
function LineForm(props: {
  readonly line: UnmappedOut;
  readonly known: readonly Known[];
  readonly onState: (
    items: readonly { kind: string; item: string; quantity: number }[],
  ) => void;
}) {
  const { line, known } = props;
  const [item, setItem] = useState("");
  const [quantity, setQuantity] = useState(1);
  const [items, setItems] = useState<
    readonly { kind: string; item: string; quantity: number }[]
  >([]);
  const chosen = known.find((each) => each.item === item);
  const name = nameOf(line);
  const all = chosen === undefined ? items : [...items, { ...chosen, quantity }];
  return (
    <Group align="flex-end" gap="sm" role="group" aria-label={name}>
      <div style={{ flex: "1 1 200px" }}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {[line.description, ...items.map((each) => `${each.quantity} x ${each.item}`)]
            .filter((text) => text !== "")
            .join("; ")}
        </Text>
      </div>
      <Autocomplete
        label="One piece holds"
        aria-label={`${name}: one piece holds`}
        placeholder="id of the catalogue"
        data={known.map((each) => each.item)}
        limit={MOST_SHOWN}
        value={item}
        onChange={setItem}
        style={{ flex: "1 1 240px" }}
      />
      <NumberField
        label="How many"
        unit=""
        min={1}
        max={MOST_PIECES}
        whole
        value={quantity}
        onChange={setQuantity}
      />
      <Button
        size="sm"
        variant="default"
        disabled={chosen === undefined}
        aria-label={`${name}: and more`}
        onClick={() => {
          setItems(all);
          setItem("");
          setQuantity(1);
        }}
      >
        And more
      </Button>
      <Button
        size="sm"
        disabled={all.length === 0}
        aria-label={`Keep what ${name} is`}
        onClick={() => props.onState(all)}
      >
        Keep
      </Button>
    </Group>
  );
}
