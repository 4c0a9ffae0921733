import type { ConfigurationOut, ConfigurationsIn } from "@/api/purchasable";
import { type BillSearch, writeParts, writeVolumes } from "@/questions/bill";

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

/** The bill of a configuration on the page of hardware: as what is rented, or as what is bought. */
export function billSearch({ config }: Pick<ConfigurationOut, "config">): BillSearch {
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
