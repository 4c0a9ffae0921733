import type { BillIn } from "@/api/purchasable";
import {
  type BillSearch,
  type PartLine,
  readParts,
  readVolumes,
  type VolumeLine,
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
}

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
});

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
  return {
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
            ...(form.usdPerKwh > 0
              ? { power: { usd_per_kwh: form.usdPerKwh, watts: form.watts } }
              : {}),
          },
        }),
  };
}
