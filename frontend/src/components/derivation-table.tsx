import { formatCount, formatShort } from "@/units/quantity";
import type { Column } from "./columns";
import { DataTable } from "./data-table";
import { Unknown } from "./unknown";

export interface DerivationRow {
  readonly scheme: string | null;
  readonly name: string;
  readonly formula: string;
  readonly value: number | null;
  readonly unit: string;
  readonly source: string;
}

const DIGITS = 6;

/** Counts are shown whole, so that they can be followed to the last digit. */
const derivedValue = (value: number): string =>
  Number.isSafeInteger(value) ? formatCount(value) : formatShort(value, DIGITS);

/** Two steps may have one name: their place tells them apart. */
const numbered = (steps: readonly DerivationRow[]) =>
  steps.map((step, index) => ({
    step,
    repeatsSource: step.source !== "" && step.source === steps[index - 1]?.source,
    key: `${index} ${step.scheme ?? "all"} ${step.name}`,
  }));

const COLUMNS: readonly Column<ReturnType<typeof numbered>[number]>[] = [
  { key: "Quantity", rowHeader: true, cell: ({ step }) => step.name },
  {
    key: "Formula with its numbers",
    align: "text",
    cell: ({ step }) => <code>{step.formula}</code>,
  },
  {
    key: "Value",
    cell: ({ step }) =>
      step.value === null ? (
        <Unknown reason="undefined for these numbers, or an input of the formula is missing" />
      ) : (
        derivedValue(step.value)
      ),
  },
  { key: "Unit", align: "text", cell: ({ step }) => step.unit },
  {
    key: "Source",
    align: "text",
    cell: ({ step, repeatsSource }) => (repeatsSource ? "as above" : step.source),
  },
];

/** Every formula behind a figure, with its numbers and its source. */
export function DerivationTable({
  steps,
}: {
  readonly steps: readonly DerivationRow[];
}) {
  return (
    <DataTable
      label="Derivation"
      columns={COLUMNS}
      rows={numbered(steps)}
      rowKey={({ key }) => key}
    />
  );
}
