import { Button, Group, SimpleGrid, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { Disclosure } from "@/components/disclosure";

/** Which column each field of ours is in, and what a field is in every row. */
export interface TableColumns {
  readonly columns: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}

/** Pairs as they are typed, one on each line; the first line that is none, where there is one. */
export function pairsOf(text: string): {
  readonly pairs: Readonly<Record<string, string>>;
  readonly refused: string;
} {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const pairs: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = /^([a-z_]+)\s*=\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || name in pairs) {
      return { pairs, refused: line };
    }
    pairs[name] = value;
  }
  return { pairs, refused: "" };
}

const refusedText = (refused: string): string | undefined =>
  refused === ""
    ? undefined
    : `"${refused}" is not a field and what it is, or names a field again; write one on each line, such as price=Net price`;

const TABLE = {
  label: (name: string) => `Columns of ${name} have other names`,
  text: "Of a table of ServiceNow, Device42 or a spreadsheet: a field of ours and the name of its column, one on each line.",
  values: "currency=EUR",
};
const NETBOX = {
  label: (name: string) => `Fields and units of ${name}`,
  text: "Of NetBox: the attribute or custom field with the size; in every row the unit of memory and of drives where it is not stated, and the profile or role of each.",
  values: "memory_unit=GiB\ndrive_profile=Hard disk",
};

/** Names the columns of a table that another system wrote, or what an instance of NetBox calls its fields. */
export function ColumnsOf(props: {
  readonly name: string;
  /** Fields that are read, as an example of each kind of file. */
  readonly example: string;
  /** As which the file was read; empty while it is not known. */
  readonly format: string;
  readonly onRead: (stated: TableColumns) => void;
}) {
  const { name } = props;
  const isNetbox = props.format === "netbox";
  const said = isNetbox ? NETBOX : TABLE;
  const example = isNetbox ? "size=capacity" : props.example;
  const [columns, setColumns] = useState("");
  const [values, setValues] = useState("");
  const named = pairsOf(columns);
  const same = pairsOf(values);
  return (
    <Disclosure label={said.label(name)}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {said.text}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Textarea
            label="Columns"
            aria-label={`Columns of ${name}`}
            autosize
            minRows={3}
            placeholder={example}
            value={columns}
            error={refusedText(named.refused)}
            onChange={(event) => setColumns(event.currentTarget.value)}
          />
          <Textarea
            label="The same in every row"
            aria-label={`The same in every row of ${name}`}
            autosize
            minRows={3}
            placeholder={said.values}
            value={values}
            error={refusedText(same.refused)}
            onChange={(event) => setValues(event.currentTarget.value)}
          />
        </SimpleGrid>
        <Group>
          <Button
            size="xs"
            variant="default"
            aria-label={`Read with these columns: ${name}`}
            disabled={named.refused !== "" || same.refused !== ""}
            onClick={() => props.onRead({ columns: named.pairs, values: same.pairs })}
          >
            Read with these columns
          </Button>
        </Group>
      </Stack>
    </Disclosure>
  );
}
