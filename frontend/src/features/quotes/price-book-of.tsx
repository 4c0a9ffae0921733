import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { priceBooksQuery } from "@/api/catalog";
import { keepPriceBook, type PriceBookImportOut } from "@/api/quotes";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { ProblemAlert } from "@/components/problem-alert";
import { UNKNOWN } from "@/units/quantity";
import { ImportNotes } from "./import-view";
import type { MappedLine } from "./kept-mapping";

/** Keeps the price book of a price list, and shows what of the list is in it and what changed. */
export function PriceBookOf(props: {
  readonly name: string;
  readonly text: string;
  readonly encoding: "text" | "base64";
  readonly mapping: readonly MappedLine[];
  readonly columns: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string>>;
}) {
  const { name, text, encoding, mapping, columns, values } = props;
  const client = useQueryClient();
  const [region, setRegion] = useState("");
  const kept = useMutation({
    mutationFn: () =>
      keepPriceBook({
        ...{ name, text, encoding, region, columns, values },
        mapping: [...mapping],
      }),
    onSuccess: () => client.invalidateQueries(priceBooksQuery()),
  });
  return (
    <Stack gap="xs">
      <Group gap="sm" align="flex-end">
        <TextInput
          size="xs"
          label="Region"
          aria-label={`Region of ${name}`}
          placeholder="all, if they agree"
          value={region}
          onChange={(event) => setRegion(event.currentTarget.value)}
        />
        <Button
          size="xs"
          variant="default"
          loading={kept.isPending}
          aria-label={`Keep as a price book: ${name}`}
          onClick={() => kept.mutate()}
        >
          Keep as a price book
        </Button>
      </Group>
      {kept.error !== null && (
        <ProblemAlert error={kept.error} title={`${name} is not a price book yet`} />
      )}
      {kept.data !== undefined && <Kept name={name} found={kept.data} />}
    </Stack>
  );
}

function Kept(props: { readonly name: string; readonly found: PriceBookImportOut }) {
  const { name, found } = props;
  return (
    <>
      <Text size="sm" role="status">
        {found.finding}{" "}
        <Anchor component={Link} to="/hardware" size="sm" underline="always">
          Price books
        </Anchor>
      </Text>
      <ImportNotes notes={found.warnings} />
      {found.changes.length > 0 && (
        <DataTable
          label={`What changed in ${name}`}
          columns={[
            { key: "price of", rowHeader: true, cell: ({ what }) => what },
            { key: "before", align: "text", cell: ({ before }) => before || UNKNOWN },
            { key: "now", align: "text", cell: ({ after }) => after || UNKNOWN },
          ]}
          rows={found.changes}
          rowKey={({ what }) => what}
        />
      )}
      {found.left.length > 0 && (
        <Disclosure label={`Prices that are not in the book (${found.left.length})`}>
          <DataTable
            label={`Prices of ${name} that are not in the book`}
            columns={[
              { key: "row", rowHeader: true, cell: ({ row }) => row },
              { key: "name", align: "text", cell: ({ name }) => name },
              { key: "reason", align: "text", cell: ({ reason }) => reason },
            ]}
            rows={found.left}
            rowKey={({ row }, at) => `${row} ${at}`}
          />
        </Disclosure>
      )}
    </>
  );
}
