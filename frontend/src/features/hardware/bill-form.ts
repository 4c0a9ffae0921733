import type { BillIn } from "@/api/purchasable";
import {
  BILL_BOUNDS,
  type BillSearch,
  CARBON_FACTORS,
  type CarbonFactor,
  type Ends,
  type PartLine,
  readEnds,
  readParts,
  readVolumes,
  type VolumeLine,
  writeEnds,
  writeParts,
  writeVolumes,
} from "@/questions/bill";

/** What the fields of a bill hold. */
export interface BillForm {
  readonly server: string;
  readonly machines: number;
  readonly months: number;
  readonly volumes: readonly VolumeLine[];
  readonly parts: readonly PartLine[];
  readonly watts: number;
  readonly usdPerKwh: number;
  /** Null: the usual one of the server. */
  readonly pue: number | null;
  /** Null: not known. [W] */
  readonly rentedWatts: number | null;
  /** Null: not counted. */
  readonly carbon: Readonly<Record<CarbonFactor, Ends | null>>;
}

/** No factor is stated. */
export const NO_CARBON: BillForm["carbon"] = {
  kg_per_kwh: null,
  kg_per_gb_ram: null,
  kg_per_gb_flash: null,
  kg_per_gb_disk: null,
  kg_per_machine: null,
};

export const USUAL_BILL: BillForm = {
  server: "aws-i4i.4xlarge",
  machines: 1,
  months: 36,
  volumes: [],
  parts: [
    { id: "chassis-dell-r760", quantity: 1, usd: null },
    { id: "dimm-ddr5-rdimm-64gb", quantity: 2, usd: null },
    { id: "solidigm-d5-p5430-7.68tb", quantity: 1, usd: null },
  ],
  watts: 400,
  usdPerKwh: 0.12,
  pue: null,
  rentedWatts: null,
  carbon: NO_CARBON,
};

export const USUAL_VOLUME = { quantity: 1, sizeGib: 1024, iops: 3000, mbPerS: 125 };

/** What the fields show at an address; the usual where it says nothing. */
export const formOf = (search: BillSearch): BillForm => ({
  server: search.bill_server ?? USUAL_BILL.server,
  machines: search.bill_machines ?? USUAL_BILL.machines,
  months: search.bill_months ?? USUAL_BILL.months,
  volumes: readVolumes(search.bill_volumes ?? "none") ?? USUAL_BILL.volumes,
  parts:
    (search.bill_parts === undefined ? undefined : readParts(search.bill_parts)) ??
    USUAL_BILL.parts,
  watts: search.bill_watts ?? USUAL_BILL.watts,
  usdPerKwh: search.bill_usd_per_kwh ?? USUAL_BILL.usdPerKwh,
  pue: search.bill_pue ?? null,
  rentedWatts: search.bill_rented_watts ?? null,
  carbon: eachFactor((factor) => {
    const text = search[`bill_${factor}`];
    return text === undefined
      ? null
      : (readEnds(text, BILL_BOUNDS.carbon[factor]) ?? null);
  }),
});

const eachFactor = (of: (factor: CarbonFactor) => Ends | null): BillForm["carbon"] => ({
  kg_per_kwh: of("kg_per_kwh"),
  kg_per_gb_ram: of("kg_per_gb_ram"),
  kg_per_gb_flash: of("kg_per_gb_flash"),
  kg_per_gb_disk: of("kg_per_gb_disk"),
  kg_per_machine: of("kg_per_machine"),
});

/** What a change of the fields adds to the address. */
export const searchOf = (form: Partial<BillForm>): BillSearch => ({
  ...(form.server === undefined ? {} : { bill_server: form.server }),
  ...(form.machines === undefined ? {} : { bill_machines: form.machines }),
  ...(form.months === undefined ? {} : { bill_months: form.months }),
  ...(form.volumes === undefined ? {} : { bill_volumes: writeVolumes(form.volumes) }),
  ...(form.parts === undefined ? {} : { bill_parts: writeParts(form.parts) }),
  ...(form.watts === undefined ? {} : { bill_watts: form.watts }),
  ...(form.usdPerKwh === undefined ? {} : { bill_usd_per_kwh: form.usdPerKwh }),
  ...(form.pue === undefined ? {} : { bill_pue: form.pue ?? undefined }),
  ...(form.rentedWatts === undefined
    ? {}
    : { bill_rented_watts: form.rentedWatts ?? undefined }),
  ...(form.carbon === undefined ? {} : carbonSearch(form.carbon)),
});

const carbonSearch = (carbon: BillForm["carbon"]): BillSearch =>
  Object.fromEntries(
    CARBON_FACTORS.map((factor) => {
      const ends = carbon[factor];
      return [`bill_${factor}`, ends === null ? undefined : writeEnds(ends)];
    }),
  );

/** The lines with one of them changed, or without it. */
export const withLine = <Line>(
  lines: readonly Line[],
  at: number,
  line: Line | null,
): readonly Line[] =>
  lines.flatMap((each, index) => (index === at ? (line === null ? [] : [line]) : each));

/** The question that the fields ask; what is 0 is left out. */
export function billOf(form: BillForm): BillIn {
  const part = form.parts
    .filter(({ quantity }) => quantity > 0)
    .map(({ id, quantity, usd }) => ({
      id,
      quantity,
      ...(usd === null ? {} : { usd }),
    }));
  const volume = form.volumes
    .filter(({ quantity }) => quantity > 0)
    .map(({ id, quantity, sizeGib, iops, mbPerS }) => ({
      id,
      quantity,
      size_gib: sizeGib,
      ...(iops === null ? {} : { iops }),
      ...(mbPerS === null ? {} : { mb_per_s: mbPerS }),
    }));
  const stated = CARBON_FACTORS.flatMap((factor) => {
    const ends = form.carbon[factor];
    return ends === null ? [] : [[factor, ends] as const];
  });
  const carbon = stated.length === 0 ? {} : { carbon: Object.fromEntries(stated) };
  const pue = form.pue === null ? {} : { pue: form.pue };
  return {
    ...carbon,
    ...(form.rentedWatts === null
      ? {}
      : { power: { watts: form.rentedWatts, ...pue } }),
    machines: form.machines,
    horizon_months: form.months,
    server: form.server,
    ...(volume.length === 0 ? {} : { volume }),
    ...(part.length === 0
      ? {}
      : {
          against: {
            name: "Built from parts",
            machines: form.machines,
            part,
            ...carbon,
            ...(form.usdPerKwh > 0
              ? { power: { usd_per_kwh: form.usdPerKwh, watts: form.watts, ...pue } }
              : stated.length > 0
                ? { power: { watts: form.watts, ...pue } }
                : {}),
          },
        }),
  };
}
