import type { ProductionIn, ProductionOut } from "@/api/scaling";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import {
  bytes,
  formatBytes,
  formatDuration,
  formatOff,
  formatShort,
  microseconds,
  ratio,
} from "@/units/quantity";
import { typedRates } from "./rates";

/** What the form of production holds; `null` where nothing was stated. */
export interface ProductionForm {
  readonly dataBytes: number | null;
  readonly recordedBytes: number | null;
  /** Of what the rate is. */
  readonly unit: "access" | "unit";
  readonly rate: number | null;
  readonly peak: number | null;
  /** As typed: numbers, one an hour, or a table. */
  readonly rates: string;
  readonly accessesPerUnit: number | null;
  readonly clients: number | null;
  readonly law: ProductionIn["law"];
  readonly tau: number | null;
  readonly writeShare: number | null;
  readonly growthPerYear: number;
  readonly machines: number;
  readonly replicas: number;
  /** `null`: as recorded. */
  readonly pageBytes: number | null;
  readonly exponent: number | null;
  /** Of the recording, allocated while it ran. */
  readonly newPages: number | null;
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
  rates: "",
  accessesPerUnit: null,
  clients: null,
  law: null,
  tau: null,
  writeShare: null,
  growthPerYear: 0,
  machines: 1,
  replicas: 1,
  pageBytes: null,
  exponent: null,
  newPages: null,
  fixed: [],
  factors: {},
};

/** What a curve from counters says of the system that it was read on: data and rate as counted. */
export function countedProduction(
  summary: Pick<
    SummaryOut,
    "evidence" | "accesses" | "duration_s" | "data_known" | "footprint_bytes"
  >,
): ProductionForm {
  const { evidence, accesses, duration_s: seconds } = summary;
  return evidence == null || !seconds
    ? EMPTY_PRODUCTION
    : {
        ...EMPTY_PRODUCTION,
        dataBytes: summary.data_known ? summary.footprint_bytes : null,
        rate: accesses / seconds,
      };
}

type Tiers = NonNullable<SummaryOut["evidence"]>["tiers"];

/** Mean time of a read of a tier, waits included; of memory none is timed. */
export const readTime = ({ read_us: us }: Pick<Tiers[number], "read_us">): string =>
  us === null ? "not timed" : formatDuration(microseconds(us));

/** What the times of the tiers are used for. */
export function tiersText(tiers: Tiers): string {
  return tiers.some(({ read_us: us }) => us !== null)
    ? "Mean times of a read, waits included. Compare and Throughput use them where no device is named."
    : "No read was timed: with track_io_timing on, times of each tier stand here.";
}

/** Whether rates over time stand in place of mean and peak. */
export const hasRates = (form: ProductionForm): boolean => form.rates.trim() !== "";

/** The rate as it is asked; `null` where it is not stated, or not understood. */
function rateOf(form: ProductionForm): Partial<ProductionIn> | null {
  const { rate, unit, accessesPerUnit } = form;
  if (hasRates(form)) {
    const typed = typedRates(form.rates);
    return typed.ok ? typed.value : null;
  }
  if (rate === null || (unit === "unit" && accessesPerUnit === null)) {
    return null;
  }
  return {
    ...(unit === "access" ? { accesses_per_s: rate } : { units_per_s: rate }),
    peak_accesses_per_s: form.peak,
  };
}

/** What is asked of the server; `null` until data and rate are stated. */
export function productionOf(form: ProductionForm): ProductionIn | null {
  const { dataBytes } = form;
  const rate = rateOf(form);
  if (dataBytes === null || rate === null) {
    return null;
  }
  const relations = form.law === null || form.law === "relations";
  return {
    data_bytes: dataBytes,
    ...rate,
    accesses_per_unit: form.accessesPerUnit,
    clients: form.clients,
    recorded_data_bytes: form.recordedBytes,
    law: form.law ?? null,
    tau_accesses: form.tau,
    write_share: form.writeShare,
    growth_per_year: form.growthPerYear,
    machines: form.machines,
    replicas: form.replicas,
    page_bytes: form.pageBytes,
    exponent: form.law === "cold_growth" ? form.exponent : null,
    ...(form.newPages === null ? {} : { new_pages: form.newPages }),
    fixed: relations ? [...form.fixed] : [],
    relation_factors: relations ? { ...form.factors } : {},
  };
}

const MOST_JOINED_BYTES = 2 ** 20;

/** Whether recorded pages can be joined into those of production; what is otherwise asked for is refused. */
export const needsJoining = (
  pageBytes: number | null,
  summary: { readonly kind: string; readonly page_bytes: number },
): pageBytes is number =>
  pageBytes !== null &&
  summary.kind === "trace" &&
  pageBytes > summary.page_bytes &&
  pageBytes <= MOST_JOINED_BYTES &&
  Number.isInteger(Math.log2(pageBytes));

/** Of the workloads with joined pages the one to use: a ready one, one that is being made, the last that failed. */
export function joinedWith(
  items: readonly WorkloadOut[],
  pageBytes: number,
): WorkloadOut | undefined {
  const sized = items.filter((one) => one.joined_page_bytes === pageBytes);
  return (
    sized.find(({ status }) => status === "ready") ??
    sized.find(({ status }) => status === "queued" || status === "running") ??
    sized.at(-1)
  );
}

/** "Orders at 4 TiB, 80,000 accesses/s" */
export const usualName = (recorded: string, production: ProductionIn): string =>
  `${recorded} at ${productionText(production)}`;

/** "4 TiB, 80,000 accesses/s" */
export const productionText = (production: ProductionIn): string =>
  `${formatBytes(bytes(production.data_bytes))}, ${rateText(production)}`;

/** The production that is filled in and not used: null where the form says what the workload states by itself. */
export function unusedProduction(
  summary: SummaryOut | null,
  form: ProductionForm,
): ProductionIn | null {
  const isOpen =
    summary !== null && summary.production === null && summary.scaled_parts === null;
  const asked = isOpen ? productionOf(form) : null;
  const counted = isOpen ? productionOf(countedProduction(summary)) : null;
  return JSON.stringify(asked) === JSON.stringify(counted) ? null : asked;
}

function rateText(production: ProductionIn): string {
  if (production.accesses_per_s != null) {
    return `${formatShort(production.accesses_per_s)} accesses/s`;
  }
  return production.units_per_s == null
    ? "rates over time"
    : `${formatShort(production.units_per_s)} transactions/s`;
}

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
