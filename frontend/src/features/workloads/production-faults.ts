/** Faults of the form of production: each at its own field, in words, with what to do. */
import { toProblem } from "@/api/problem";
import type { ProductionIn } from "@/api/scaling";
import { plainWords, sayEntry } from "@/components/problem-words";
import { counted, formatShort } from "@/units/quantity";
import { hasRates, type ProductionForm } from "./production-form";

export type ProductionField = keyof ProductionForm;

/** What the fields are called; relations stand in a table of their own. */
export const FIELD_LABELS: Readonly<Record<ProductionField, string>> = {
  dataBytes: "Data in production",
  recordedBytes: "Data when recorded",
  unit: "Rate of",
  rate: "Mean rate",
  peak: "Busiest hour",
  rates: "Rates over time",
  accessesPerUnit: "Accesses per transaction",
  clients: "Clients when recorded",
  law: "Scale law",
  tau: "Reuse that is not stretched",
  writeShare: "Share of writes",
  growthPerYear: "Growth per year",
  machines: "Machines",
  replicas: "Copies of each page",
  pageBytes: "Page size of production",
  exponent: "Exponent of the popularity",
  newPages: "New pages when recorded",
  fixed: "Relations",
  factors: "Relations",
};

/** The field of each key of a request: the one place that knows both, so that a new key needs its field here. */
const FIELD_OF: Readonly<Record<keyof ProductionIn, ProductionField>> = {
  data_bytes: "dataBytes",
  recorded_data_bytes: "recordedBytes",
  accesses_per_s: "rate",
  units_per_s: "rate",
  peak_accesses_per_s: "peak",
  rates: "rates",
  rates_step_s: "rates",
  rates_table: "rates",
  accesses_per_unit: "accessesPerUnit",
  clients: "clients",
  law: "law",
  tau_accesses: "tau",
  write_share: "writeShare",
  growth_per_year: "growthPerYear",
  machines: "machines",
  replicas: "replicas",
  page_bytes: "pageBytes",
  exponent: "exponent",
  new_pages: "newPages",
  fixed: "fixed",
  relation_factors: "factors",
};

/** Fields with a place for an error; what is wrong with others is said below the form alone. */
const UNMARKED: ReadonlySet<ProductionField> = new Set(["unit", "fixed", "factors"]);

export interface Fault {
  readonly field: ProductionField;
  /** What is wrong, and what to enter instead. */
  readonly text: string;
}

const isKey = (key: string): key is keyof ProductionIn => Object.hasOwn(FIELD_OF, key);

/** The field of a place in a request, `body.relation_factors.2`; null where the form has none for it. */
export function fieldOf(where: string): ProductionField | null {
  const [key = ""] = where.replace(/^body\./, "").split(/[.[]/);
  return isKey(key) ? FIELD_OF[key] : null;
}

const DIGITS = 12;
const exactly = (value: number): string => formatShort(value, DIGITS);

/** What the form itself shows to be wrong, each field being right for itself. */
export function ownFaults(form: ProductionForm): readonly Fault[] {
  const { peak, rate, unit, accessesPerUnit } = form;
  const mean =
    rate === null ? null : rate * (unit === "unit" ? (accessesPerUnit ?? 0) : 1);
  const faults: Fault[] = [];
  if (!hasRates(form) && peak !== null && mean !== null && peak < mean) {
    const of = unit === "unit" ? `${exactly(mean)} accesses per second` : exactly(mean);
    faults.push({
      field: "peak",
      text: `${exactly(peak)} is below the mean rate of ${of}; enter ${exactly(mean)} or more`,
    });
  }
  if (form.replicas > form.machines) {
    faults.push({
      field: "replicas",
      text: `${counted(form.replicas, "copy needs", "copies need")} as many machines; enter ${exactly(form.machines)} or fewer`,
    });
  }
  return faults;
}

/** Of a fault inside a value, such as a line of a table, the detail names the field: "body.rates_table: line 3, ...". */
const FIELD_FIRST = /^(?:body\.)?(\w+): (.+)$/s;

/** What the server finds wrong, each at its field; null where something of it has no field here. */
export function faultsOf(error: unknown): readonly Fault[] | null {
  const { detail, errors, hint } = toProblem(error);
  const [, key = "", rest = ""] = FIELD_FIRST.exec(detail) ?? [];
  const whole = fieldOf(key);
  if (whole !== null && errors.every(({ where }) => fieldOf(where) === null)) {
    const entry = { where: key, value: null, data: null, message: plainWords(rest) };
    return [{ field: whole, text: sayEntry(entry, hint) }];
  }
  const only = errors.length === 1 ? hint : null;
  const faults = errors.map((entry) => {
    const field = fieldOf(entry.where);
    return field === null ? null : { field, text: sayEntry(entry, only) };
  });
  return faults.length > 0 && faults.every((fault) => fault !== null)
    ? faults.filter((fault) => fault !== null)
    : null;
}

/** What stands at a field. */
export const faultAt = (
  faults: readonly Fault[],
  field: ProductionField,
): string | undefined =>
  UNMARKED.has(field) ? undefined : faults.find((fault) => fault.field === field)?.text;
