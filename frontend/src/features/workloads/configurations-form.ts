import type { ConfigurationsIn } from "@/api/purchasable";

/** What the fields hold; null where a price or a limit is not stated. */
export interface ConfigurationsForm {
  readonly months: number;
  readonly machines: number;
  readonly reservedGib: number;
  readonly chassisUsd: number | null;
  readonly usdPerKwh: number | null;
  readonly watts: number | null;
  readonly mostUsd: number | null;
  readonly mostUs: number | null;
}

export const USUAL_CONFIGURATIONS: ConfigurationsForm = {
  months: 36,
  machines: 8,
  reservedGib: 4,
  chassisUsd: null,
  usdPerKwh: null,
  watts: null,
  mostUsd: null,
  mostUs: null,
};

/** The question that the fields ask. */
export const configurationsOf = (form: ConfigurationsForm): ConfigurationsIn => ({
  horizon_months: form.months,
  max_machines: form.machines,
  reserved_gib: form.reservedGib,
  ...(form.chassisUsd === null ? {} : { part_usd: { chassis: form.chassisUsd } }),
  ...(form.usdPerKwh === null ? {} : { usd_per_kwh: form.usdPerKwh }),
  ...(form.watts === null ? {} : { watts: form.watts }),
  ...(form.mostUsd === null ? {} : { max_usd_per_month: form.mostUsd }),
  ...(form.mostUs === null ? {} : { max_io_us: form.mostUs }),
});
