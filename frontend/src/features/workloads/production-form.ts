import type { ProductionIn, ProductionOut } from "@/api/scaling";
import { bytes, formatBytes, formatOff, formatShort, ratio } from "@/units/quantity";

/** What the form of production holds; `null` where nothing was stated. */
export interface ProductionForm {
  readonly dataBytes: number | null;
  readonly recordedBytes: number | null;
  /** Of what the rate is. */
  readonly unit: "access" | "unit";
  readonly rate: number | null;
  readonly peak: number | null;
  readonly accessesPerUnit: number | null;
  readonly clients: number | null;
  readonly law: ProductionIn["law"];
  readonly tau: number | null;
  readonly writeShare: number | null;
  readonly growthPerYear: number;
  readonly machines: number;
  readonly replicas: number;
  readonly exponent: number | null;
  /** Numbers of the relations that do not grow. */
  readonly fixed: readonly string[];
  /** By what relations grow, by number. */
  readonly factors: Readonly<Record<string, number>>;
}

export const EMPTY_PRODUCTION: ProductionForm = {
  dataBytes: null,
  recordedBytes: null,
  unit: "access",
  rate: null,
  peak: null,
  accessesPerUnit: null,
  clients: null,
  law: null,
  tau: null,
  writeShare: null,
  growthPerYear: 0,
  machines: 1,
  replicas: 1,
  exponent: null,
  fixed: [],
  factors: {},
};

/** What is asked of the server; `null` until data and rate are stated. */
export function productionOf(form: ProductionForm): ProductionIn | null {
  const { dataBytes, rate, unit, accessesPerUnit } = form;
  if (
    dataBytes === null ||
    rate === null ||
    (unit === "unit" && accessesPerUnit === null)
  ) {
    return null;
  }
  const relations = form.law === null || form.law === "relations";
  return {
    data_bytes: dataBytes,
    ...(unit === "access" ? { accesses_per_s: rate } : { units_per_s: rate }),
    peak_accesses_per_s: form.peak,
    accesses_per_unit: accessesPerUnit,
    clients: form.clients,
    recorded_data_bytes: form.recordedBytes,
    law: form.law ?? null,
    tau_accesses: form.tau,
    write_share: form.writeShare,
    growth_per_year: form.growthPerYear,
    machines: form.machines,
    replicas: form.replicas,
    exponent: form.law === "cold_growth" ? form.exponent : null,
    fixed: relations ? [...form.fixed] : [],
    relation_factors: relations ? { ...form.factors } : {},
  };
}

/** "Orders at 4 TiB, 80,000 accesses/s" */
export const usualName = (recorded: string, production: ProductionIn): string =>
  `${recorded} at ${formatBytes(bytes(production.data_bytes))}, ${
    production.accesses_per_s == null
      ? `${formatShort(production.units_per_s ?? 0)} transactions/s`
      : `${formatShort(production.accesses_per_s)} accesses/s`
  }`;

/** "scaled 8,190 times by the law relations" */
export const scaledText = ({ factor, law }: ProductionOut): string =>
  `scaled ${formatShort(factor)} times by the law ${law}`;

/** What is known of the error, in words. */
export function errorText({ known_error }: ProductionOut): string {
  if (known_error === null) {
    return "never measured";
  }
  const { mean, worst, measured_up_to, extrapolated, per } = known_error;
  return `misses per ${per} are ${formatOff(ratio(mean))} on average and ${formatOff(ratio(worst))} at worst${
    extrapolated
      ? `; extrapolated from at most ${formatShort(measured_up_to)} times`
      : ""
  }`;
}
