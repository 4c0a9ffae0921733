import type { DeviceIn, DeviceOut } from "@/api/catalog";
import type { FigureIn } from "@/api/gen/types.gen";
import { parseNumber } from "@/units/quantity";
import { FIGURES } from "./device-facts";

/** The editor's fields as typed; nothing is converted before it is saved. */
export interface DeviceForm {
  name: string;
  kind: string;
  year: string;
  capacityGb: string;
  pageBytes: string;
  queueDepth: string;
  usdPerGb: string;
  usdPerGbMonth: string;
  priceDate: string;
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
}

const BYTES_PER_GB = 1e9;
const DATE = /^\d{4}(-\d{2}(-\d{2})?|-Q[1-4])?$/;

export const emptyFigure = (key: string): FigureRow => ({
  key,
  name: "",
  value: "",
  unit: "",
  source: "",
  date: "",
  note: "",
});

const text = (value: number | string | null): string =>
  value === null ? "" : String(value);

export function formOfDevice(device: DeviceOut | null): DeviceForm {
  if (device === null) {
    return {
      name: "",
      kind: "nvme",
      year: "",
      capacityGb: "",
      pageBytes: "4096",
      queueDepth: "",
      usdPerGb: "",
      usdPerGbMonth: "",
      priceDate: "",
      notes: "",
      figures: ["read_iops", "write_iops"].map((name) => ({
        ...emptyFigure(name),
        name,
        unit: FIGURES[name]?.unit ?? "",
      })),
    };
  }
  return {
    name: device.name,
    kind: device.kind,
    year: text(device.year),
    capacityGb:
      device.capacity_bytes === null ? "" : text(device.capacity_bytes / BYTES_PER_GB),
    pageBytes: text(device.page_bytes),
    queueDepth: text(device.queue_depth),
    usdPerGb: text(device.usd_per_gb),
    usdPerGbMonth: text(device.usd_per_gb_month),
    priceDate: text(device.price_date),
    notes: text(device.notes),
    figures: Object.entries(device.figures).map(([name, figure]) => ({
      key: name,
      name,
      value: String(figure.value),
      unit: figure.unit,
      source: figure.source,
      date: figure.date ?? "",
      note: figure.note ?? "",
    })),
  };
}

const numberFault = (value: string, whole: boolean, min: number): string | null => {
  if (value.trim() === "") {
    return null;
  }
  const number = parseNumber(value);
  if (number === null) {
    return `"${value}" is not a number; write digits with a point, such as 1250.5`;
  }
  if (whole && !Number.isInteger(number)) {
    return `must be whole, got ${value}`;
  }
  return number < min ? `must be at least ${min}, got ${value}` : null;
};

const dateFault = (value: string): string | null =>
  value.trim() === "" || DATE.test(value.trim())
    ? null
    : `"${value}" is not a date; write 2026, 2026-03 or 2026-03-31`;

/** Messages beside the fields, by the form's paths (`figures.0.value`). */
export function deviceFaults(form: DeviceForm): Record<string, string> {
  const faults: [string, string | null][] = [
    ["name", form.name.trim() === "" ? "give the device a name" : null],
    ["year", numberFault(form.year, true, 1950)],
    ["capacityGb", numberFault(form.capacityGb, false, 1e-9)],
    ["pageBytes", numberFault(form.pageBytes, true, 1)],
    ["queueDepth", numberFault(form.queueDepth, true, 1)],
    ["usdPerGb", numberFault(form.usdPerGb, false, 0)],
    ["usdPerGbMonth", numberFault(form.usdPerGbMonth, false, 0)],
    ["priceDate", dateFault(form.priceDate)],
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
          ? "this figure is there twice"
          : null,
    ],
    [
      `figures.${index}.value`,
      row.value.trim() === "" ? "give the value" : numberFault(row.value, false, 0),
    ],
    [`figures.${index}.unit`, row.unit.trim() === "" ? "give the unit" : null],
    [`figures.${index}.date`, dateFault(row.date)],
  ];
}

const orNull = (value: string): string | null =>
  value.trim() === "" ? null : value.trim();
const numberOrNull = (value: string): number | null =>
  value.trim() === "" ? null : parseNumber(value);
/** Money travels as a decimal string, so that no digit is lost. */
const moneyOrNull = (value: string): string | null =>
  value.trim() === "" ? null : value.trim().replaceAll(",", "");

export function deviceOfForm(form: DeviceForm): DeviceIn {
  const capacity = numberOrNull(form.capacityGb);
  const figures: Record<string, FigureIn> = {};
  for (const row of form.figures) {
    figures[row.name] = {
      value: parseNumber(row.value) ?? Number.NaN,
      unit: row.unit.trim(),
      source: row.source.trim(),
      ...(row.date.trim() === "" ? {} : { date: row.date.trim() }),
      note: orNull(row.note),
    };
  }
  return {
    name: form.name.trim(),
    kind: form.kind,
    year: numberOrNull(form.year),
    capacity_bytes: capacity === null ? null : Math.round(capacity * BYTES_PER_GB),
    page_bytes: numberOrNull(form.pageBytes),
    queue_depth: numberOrNull(form.queueDepth),
    figures,
    usd_per_gb: moneyOrNull(form.usdPerGb),
    usd_per_gb_month: moneyOrNull(form.usdPerGbMonth),
    ...(form.priceDate.trim() === "" ? {} : { price_date: form.priceDate.trim() }),
    notes: orNull(form.notes),
  };
}
