import type { DeviceIn, DeviceOut } from "@/api/catalog";
import type { FigureIn } from "@/api/gen/types.gen";
import { parseNumber } from "@/units/quantity";

/** The editor's fields as typed; nothing is converted before it is saved. */
export interface DeviceForm {
  name: string;
  kind: string;
  year: string;
  soldAs: Exclude<DeviceOut["sold_as"], "running">;
  /** As it was loaded: nothing of the form edits it. */
  product?: string | null;
  notes: string;
  figures: FigureRow[];
}

export interface FigureRow {
  key: string;
  name: string;
  value: string;
  unit: string;
  source: string;
  date: string;
  note: string;
  assumed: boolean;
  /** Range of a price as it was loaded: another price has another. */
  range?: { low: number; high: number; of: string };
}

const figureOf = (row: Pick<FigureRow, "name" | "value" | "unit">): string =>
  `${row.name} ${row.value} ${row.unit}`;

const FIRST_YEAR = 1950;
const DATE = /^\d{4}(-\d{2}(-\d{2})?|-Q[1-4])?$/;

export const emptyFigure = (key: string): FigureRow => ({
  key,
  name: "",
  value: "",
  unit: "",
  source: "",
  date: "",
  note: "",
  assumed: false,
});

export function formOfDevice(device: DeviceOut | null): DeviceForm {
  if (device === null) {
    return {
      name: "",
      kind: "nvme",
      year: "",
      soldAs: "device",
      notes: "",
      figures: [
        { ...emptyFigure("read"), name: "read_iops", unit: "1/s" },
        { ...emptyFigure("write"), name: "write_iops", unit: "1/s" },
        { ...emptyFigure("price"), name: "unit_price", unit: "USD/GB" },
      ],
    };
  }
  return {
    name: device.name,
    kind: device.kind,
    year: device.year === null ? "" : String(device.year),
    // A tier of a running system is not edited: it is no device of the catalogue.
    soldAs: device.sold_as === "running" ? "device" : device.sold_as,
    product: device.product,
    notes: device.notes,
    figures: Object.entries(device.figures).map(([name, figure]) => {
      const row: FigureRow = {
        key: name,
        name,
        value: String(figure.value),
        unit: figure.unit,
        source: figure.source,
        date: figure.date ?? "",
        note: figure.note,
        assumed: figure.assumed,
      };
      const { low, high } = figure;
      return low === null || high === null
        ? row
        : { ...row, range: { low, high, of: figureOf(row) } };
    }),
  };
}

const dateFault = (value: string): string | null =>
  value.trim() === "" || DATE.test(value.trim())
    ? null
    : `"${value}" is not a date; write 2026, 2026-Q1, 2026-03 or 2026-03-31`;

function yearFault(value: string): string | null {
  const year = Number(value);
  return value.trim() === "" || (Number.isInteger(year) && year >= FIRST_YEAR)
    ? null
    : `"${value}" is not a year`;
}

/** Numbers as JavaScript writes them back: digits, a point, perhaps an exponent. */
export function figureNumber(value: string): number | null {
  const text = value.trim();
  return (
    parseNumber(text) ?? (/^\d+(\.\d+)?e[+-]?\d+$/i.test(text) ? Number(text) : null)
  );
}

/** Messages beside the fields, by the form's paths (`figures.0.value`). */
export function deviceFaults(form: DeviceForm): Record<string, string> {
  const faults: [string, string | null][] = [
    ["name", form.name.trim() === "" ? "give the device a name" : null],
    ["year", yearFault(form.year)],
    ...form.figures.flatMap(figureFaults),
  ];
  return Object.fromEntries(
    faults.filter((fault): fault is [string, string] => fault[1] !== null),
  );
}

function figureFaults(
  row: FigureRow,
  index: number,
  all: readonly FigureRow[],
): [string, string | null][] {
  const repeated = all.findIndex((other) => other.name === row.name) < index;
  return [
    [
      `figures.${index}.name`,
      row.name === ""
        ? "choose a figure"
        : repeated
          ? "this figure is listed twice"
          : null,
    ],
    [
      `figures.${index}.value`,
      figureNumber(row.value) === null
        ? `"${row.value}" is not a number; leave the row out if it is not known`
        : null,
    ],
    [`figures.${index}.unit`, row.unit === "" ? "choose the unit" : null],
    [`figures.${index}.date`, dateFault(row.date)],
  ];
}

export function deviceOfForm(form: DeviceForm): DeviceIn {
  const figures: Record<string, FigureIn> = {};
  for (const row of form.figures) {
    const value = figureNumber(row.value);
    if (value === null) {
      throw new RangeError(`the value of ${row.name} is not a number: ${row.value}`);
    }
    figures[row.name] = {
      value,
      unit: row.unit,
      source: row.source.trim(),
      date: row.date.trim() === "" ? null : row.date.trim(),
      note: row.note.trim(),
      assumed: row.assumed,
      ...(row.range?.of === figureOf(row)
        ? { low: row.range.low, high: row.range.high }
        : {}),
    };
  }
  return {
    name: form.name.trim(),
    kind: form.kind,
    year: form.year.trim() === "" ? null : Number(form.year),
    sold_as: form.soldAs,
    product: form.product ?? null,
    figures,
    notes: form.notes.trim(),
  };
}
