import type { BillIn } from "@/api/purchasable";

/** What the fields of a bill hold. */
export interface BillForm {
  readonly server: string;
  readonly machines: number;
  readonly months: number;
  readonly volume: string | null;
  readonly sizeGib: number;
  readonly iops: number;
  readonly mbPerS: number;
  readonly chassis: string;
  readonly chassisUsd: number;
  readonly dimm: string;
  readonly dimms: number;
  readonly drive: string;
  readonly drives: number;
  readonly watts: number;
  readonly usdPerKwh: number;
}

export const USUAL_BILL: BillForm = {
  server: "aws-i4i.4xlarge",
  machines: 1,
  months: 36,
  volume: null,
  sizeGib: 1024,
  iops: 3000,
  mbPerS: 125,
  chassis: "chassis-dell-r760",
  chassisUsd: 0,
  dimm: "dimm-ddr5-rdimm-64gb",
  dimms: 2,
  drive: "solidigm-d5-p5430-7.68tb",
  drives: 1,
  watts: 400,
  usdPerKwh: 0.12,
};

/** The question that the fields ask; what is 0 is left out. */
export function billOf(form: BillForm): BillIn {
  const part = [
    {
      id: form.chassis,
      ...(form.chassisUsd > 0 ? { usd: form.chassisUsd } : {}),
    },
    { id: form.dimm, quantity: form.dimms },
    { id: form.drive, quantity: form.drives },
  ].filter(({ quantity }: { quantity?: number }) => quantity !== 0);
  return {
    machines: form.machines,
    horizon_months: form.months,
    server: form.server,
    ...(form.volume === null
      ? {}
      : {
          volume: [
            {
              id: form.volume,
              size_gib: form.sizeGib,
              iops: form.iops,
              mb_per_s: form.mbPerS,
            },
          ],
        }),
    against: {
      name: "Built from parts",
      machines: form.machines,
      part,
      ...(form.usdPerKwh > 0
        ? { power: { usd_per_kwh: form.usdPerKwh, watts: form.watts } }
        : {}),
    },
  };
}

const TWO = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** An amount to the cent, as on an invoice. */
export const cents = (value: string | number): string =>
  Number(value).toLocaleString("en-US", TWO);
