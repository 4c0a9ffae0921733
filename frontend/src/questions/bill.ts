/** What the bill on the page of hardware adds to the address: both ways, and their lines. */
import {
  BillCarbonIn,
  BillIn,
  BillPartIn,
  BillPowerIn,
  BillVolumeIn,
} from "@/api/gen/bounds.gen";
import { counted } from "@/units/quantity";
import {
  atLeast,
  type Bounds,
  bounded,
  identifier,
  namedFields,
  type Refused,
  readAddress,
  readBy,
} from "./address";

/** Volumes of each machine; null where a rate is not stated. */
export interface VolumeLine {
  readonly id: string;
  readonly quantity: number;
  /** Of one volume. [GiB] */
  readonly sizeGib: number;
  /** Of one volume. [1/s] */
  readonly iops: number | null;
  /** Of one volume, as the provider counts. */
  readonly mbPerS: number | null;
}

/** Parts of each machine; null: at the newest price that was found. */
export interface PartLine {
  readonly id: string;
  readonly quantity: number;
  /** Of one part. [USD] */
  readonly usd: number | null;
}

/** Low and high end of a factor. */
export type Ends = readonly [number, number];

/** The carbon factors of a bill, as the server names them. */
export const CARBON_FACTORS = [
  "kg_per_kwh",
  "kg_per_gb_ram",
  "kg_per_gb_flash",
  "kg_per_gb_disk",
  "kg_per_machine",
] as const;
export type CarbonFactor = (typeof CARBON_FACTORS)[number];
type CarbonSearch = {
  [Factor in CarbonFactor as `bill_${Factor}`]?: string | undefined;
};

export interface BillSearch extends CarbonSearch {
  bill_server?: string | undefined;
  bill_machines?: number | undefined;
  bill_months?: number | undefined;
  /** Lines joined by commas, "none" for no line; absent: the usual ones. */
  bill_volumes?: string | undefined;
  bill_parts?: string | undefined;
  bill_watts?: number | undefined;
  bill_usd_per_kwh?: number | undefined;
  bill_pue?: number | undefined;
  /** Of each rented machine; absent: not known. [W] */
  bill_rented_watts?: number | undefined;
}

/** More lines would make links that some programs cut. */
export const MOST_LINES = 12;
const NO_LINES = "none";

export const BILL_BOUNDS = {
  machines: { ...BillIn.machines, high: 10_000 },
  months: { ...BillIn.horizon_months, high: 120 },
  quantity: BillPartIn.quantity,
  sizeGib: atLeast(BillVolumeIn.size_gib, 1),
  iops: BillVolumeIn.iops,
  mbPerS: BillVolumeIn.mb_per_s,
  usd: BillPartIn.usd,
  watts: BillPowerIn.watts,
  usdPerKwh: BillPowerIn.usd_per_kwh,
  pue: BillPowerIn.pue,
  carbon: BillCarbonIn,
} as const;

const IDENTIFIER = /^[a-z0-9][a-z0-9._-]{0,99}$/;

const within = (value: number, { low, high, whole }: Bounds): boolean =>
  value >= low && value <= high && (whole !== true || Number.isSafeInteger(value));

/** A number of a line; `undefined` where it cannot be used, null where it is left out. */
function numberOf(text: string | undefined, bounds: Bounds): number | null | undefined {
  if (text === undefined || text === "") {
    return null;
  }
  const value = Number(text);
  return within(value, bounds) ? value : undefined;
}

/** Lines of a text such as "aws-ebs-gp3:2:1024::125"; `undefined` where one cannot be used. */
function linesOf<Line>(
  text: string,
  parts: number,
  read: (id: string, rest: readonly (string | undefined)[]) => Line | undefined,
): readonly Line[] | undefined {
  if (text === NO_LINES) {
    return [];
  }
  const found = text.split(",").map((line) => {
    const [id = "", ...rest] = line.split(":");
    return IDENTIFIER.test(id) && rest.length < parts ? read(id, rest) : undefined;
  });
  const good = found.filter((line) => line !== undefined);
  return good.length === found.length && good.length <= MOST_LINES ? good : undefined;
}

/** The volumes that an address states. */
export const readVolumes = (text: string): readonly VolumeLine[] | undefined =>
  linesOf(text, 5, (id, [quantity, size, iops, rate]) => {
    const line = {
      id,
      quantity: numberOf(quantity, BILL_BOUNDS.quantity),
      sizeGib: numberOf(size, BILL_BOUNDS.sizeGib),
      iops: numberOf(iops, BILL_BOUNDS.iops),
      mbPerS: numberOf(rate, BILL_BOUNDS.mbPerS),
    };
    return line.iops === undefined ||
      line.mbPerS === undefined ||
      line.quantity == null ||
      line.sizeGib == null
      ? undefined
      : {
          ...line,
          quantity: line.quantity,
          sizeGib: line.sizeGib,
          iops: line.iops,
          mbPerS: line.mbPerS,
        };
  });

/** The parts that an address states. */
export const readParts = (text: string): readonly PartLine[] | undefined =>
  linesOf(text, 3, (id, [quantity, usd]) => {
    const count = numberOf(quantity, BILL_BOUNDS.quantity);
    const price = numberOf(usd, BILL_BOUNDS.usd);
    return count == null || price === undefined
      ? undefined
      : { id, quantity: count, usd: price };
  });

const written = (lines: readonly (readonly (string | number | null)[])[]): string =>
  lines.length === 0
    ? NO_LINES
    : lines
        .map((line) => line.map((part) => part ?? "").join(":"))
        .map((line) => line.replace(/:+$/, ""))
        .join(",");

/** Volumes as an address states them. */
export const writeVolumes = (lines: readonly VolumeLine[]): string =>
  written(
    lines.map(({ id, quantity, sizeGib, iops, mbPerS }) => [
      id,
      quantity,
      sizeGib,
      iops,
      mbPerS,
    ]),
  );

/** Parts as an address states them. */
export const writeParts = (lines: readonly PartLine[]): string =>
  written(lines.map(({ id, quantity, usd }) => [id, quantity, usd]));

const RANGE = /^([^.].*?)\.\.(.+)$/;

/** A range that an address states as "0.2..0.4". */
export function readEnds(text: string, bounds: Bounds): Ends | undefined {
  const [low, high] = (RANGE.exec(text) ?? [])
    .slice(1)
    .map((end) => numberOf(end, bounds));
  return low == null || high == null || low > high ? undefined : [low, high];
}

/** A range as an address states it. */
export const writeEnds = ([low, high]: Ends): string => `${low}..${high}`;

const carbonField = (factor: CarbonFactor) =>
  readBy(
    (value) =>
      typeof value === "string" &&
      readEnds(value, BILL_BOUNDS.carbon[factor]) !== undefined
        ? value
        : undefined,
    "a range such as 0.2..0.4, the low end first",
  );

const textOf = (read: (text: string) => unknown, line: string) =>
  readBy(
    (value) =>
      typeof value === "string" && read(value) !== undefined ? value : undefined,
    `at most ${counted(MOST_LINES, "line")} such as ${line}, with commas`,
  );

const FIELDS = namedFields({
  bill_server: identifier("the id of a server"),
  bill_machines: bounded(BILL_BOUNDS.machines),
  bill_months: bounded(BILL_BOUNDS.months),
  bill_volumes: textOf(readVolumes, "aws-ebs-gp3:1:1024:3000:125"),
  bill_parts: textOf(readParts, "dimm-ddr5-rdimm-64gb:2"),
  bill_watts: bounded(BILL_BOUNDS.watts),
  bill_usd_per_kwh: bounded(BILL_BOUNDS.usdPerKwh),
  bill_pue: bounded(BILL_BOUNDS.pue),
  bill_rented_watts: bounded(BILL_BOUNDS.watts),
  bill_kg_per_kwh: carbonField("kg_per_kwh"),
  bill_kg_per_gb_ram: carbonField("kg_per_gb_ram"),
  bill_kg_per_gb_flash: carbonField("kg_per_gb_flash"),
  bill_kg_per_gb_disk: carbonField("kg_per_gb_disk"),
  bill_kg_per_machine: carbonField("kg_per_machine"),
});

/** Reads what the bill adds to the address. */
export const parseBillSearch = (raw: Record<string, unknown>): BillSearch & Refused =>
  readAddress(FIELDS, raw);

interface Entry {
  readonly id: string;
  readonly quantity?: number;
  readonly usd?: number | string;
  readonly size_gib?: number;
  readonly iops?: number;
  readonly mb_per_s?: number;
}

interface Config {
  readonly machines?: number;
  readonly horizon_months?: number;
  readonly server?: string;
  readonly volume?: readonly Entry[];
  readonly part?: readonly Entry[];
  readonly power?: { readonly usd_per_kwh?: number; readonly watts?: number };
}

/**
 * The bill of a configuration or an option on the page of hardware: as what is rented, or as what is
 * bought.
 */
/** The place of the bill on its page, as an address names it. */
export const BILL = "bill";

export function billSearch({
  config,
}: {
  readonly config: Readonly<Record<string, unknown>>;
}): BillSearch {
  // The server hands the body of a bill on as it is.
  const { machines, horizon_months: months, ...rest } = config as Config;
  return {
    bill_machines: machines,
    bill_months: months,
    ...(rest.server === undefined ? {} : { bill_server: rest.server }),
    bill_volumes: writeVolumes(
      (rest.volume ?? []).map(({ id, quantity, size_gib, iops, mb_per_s }) => ({
        id,
        quantity: quantity ?? 1,
        sizeGib: size_gib ?? 1,
        iops: iops ?? null,
        mbPerS: mb_per_s ?? null,
      })),
    ),
    bill_parts: writeParts(
      (rest.part ?? []).map(({ id, quantity, usd }) => ({
        id,
        quantity: quantity ?? 1,
        usd: usd === undefined ? null : Number(usd),
      })),
    ),
    ...(rest.power?.watts === undefined ? {} : { bill_watts: rest.power.watts }),
    ...(rest.part === undefined
      ? {}
      : { bill_usd_per_kwh: rest.power?.usd_per_kwh ?? 0 }),
  };
}
