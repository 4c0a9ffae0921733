import { Badge, Group, Stack, Text } from "@mantine/core";
import type { FileImportOut } from "@/api/quotes";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { counted } from "@/units/quantity";

const DATE_TITLES = {
  published: "published",
  effective_first: "prices from",
  effective_last: "newest price from",
  valid_until: "first quote ends",
} as const;

type DateName = keyof typeof DATE_TITLES;

/** Which rows were taken, in a sentence. */
export const takenText = ({ read, taken, currency }: FileImportOut): string => {
  const left = read - taken;
  const rows = `${counted(taken, "row was", "rows were")} taken of ${read.toLocaleString("en-US")}`;
  const money = currency === null ? "" : `, priced in ${currency}`;
  return left === 0
    ? `${rows}${money}.`
    : `${rows}${money}; ${counted(left, "row was", "rows were")} left out.`;
};

/** What to know of a file as a whole. */
export function ImportNotes(props: { readonly notes: FileImportOut["warnings"] }) {
  const { notes } = props;
  if (notes.length === 0) return null;
  return (
    <ul style={{ margin: 0, paddingLeft: 20 }}>
      {notes.map((each) => (
        <li key={each.name}>
          <Text size="sm">
            {each.message} {each.hint === "" ? "" : `To do: ${each.hint}.`}
          </Text>
        </li>
      ))}
    </ul>
  );
}

/** What is understood of a file: rows, units, dates, and what is open. */
export function ImportView(props: {
  /** Name of the file: each table is named after it. */
  readonly name: string;
  readonly found: FileImportOut;
}) {
  const { name, found } = props;
  const dates = (Object.keys(DATE_TITLES) as DateName[]).flatMap((name) => {
    const day = found.dates[name];
    return day === null ? [] : [`${DATE_TITLES[name]} ${day}`];
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Badge variant="outline" tt="none">
          {[found.format, found.format_version].filter(Boolean).join(" ")}
        </Badge>
        <Text size="sm">{takenText(found)}</Text>
      </Group>
      {dates.length > 0 && <Text size="sm">Dates: {dates.join(", ")}.</Text>}
      <ImportNotes notes={found.warnings} />
      {found.units.length > 0 && (
        <DataTable
          label={`Units of ${name}`}
          columns={[
            {
              key: "as printed",
              rowHeader: true,
              cell: ({ printed }) => printed,
            },
            { key: "as understood", align: "text", cell: (row) => row.understood },
          ]}
          rows={found.units}
          rowKey={({ printed }, at) => `${printed} ${at}`}
        />
      )}
      {found.skipped.length > 0 && (
        <DataTable
          label={`Rows left out of ${name}`}
          columns={[
            { key: "row", rowHeader: true, cell: ({ row }) => row },
            { key: "reason", align: "text", cell: ({ reason }) => reason },
          ]}
          rows={found.skipped}
          rowKey={({ row }, at) => `${row} ${at}`}
        />
      )}
      {found.unresolved.length > 0 && (
        <Disclosure label={`Unresolved rows (${found.unresolved.length})`}>
          <DataTable
            label={`Unresolved rows of ${name}`}
            columns={[
              { key: "row", rowHeader: true, cell: ({ row }) => row },
              { key: "name", align: "text", cell: ({ name }) => name },
              { key: "reason", align: "text", cell: ({ reason }) => reason },
            ]}
            rows={found.unresolved}
            rowKey={({ row }, at) => `${row} ${at}`}
          />
        </Disclosure>
      )}
    </Stack>
  );
}
