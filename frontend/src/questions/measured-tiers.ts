/** Tiers of a running system that stand in place of devices, with the times of reads that its counters measured. */
import type { DeviceOut } from "@/api/catalog";
import type { SummaryOut } from "@/api/workloads";

/** Pages whose costs are of one point, so of the tiers of today too; elsewhere devices are bought. */
const PAGES: ReadonlySet<string> = new Set(["/compare", "/throughput"]);

/** Names under which the server knows them. */
export const MEASURED_NAMES: ReadonlySet<string> = new Set([
  "measured-flash",
  "measured-disk",
]);

/** As pickers list them. */
export function measuredDevices(
  summary: Pick<SummaryOut, "evidence" | "page_bytes"> | null | undefined,
  pathname: string,
): DeviceOut[] {
  if (!PAGES.has(pathname)) {
    return [];
  }
  return (summary?.evidence?.tiers ?? []).flatMap((tier) =>
    tier.device_id == null
      ? []
      : [
          {
            id: tier.device_id,
            name: `${tier.name.charAt(0).toUpperCase()}${tier.name.slice(1)}, as measured`,
            kind: "nvme",
            origin: "running",
            year: null,
            sold_as: "running",
            product: null,
            capacity_bytes: null,
            page_bytes: summary?.page_bytes ?? null,
            queue_depth: null,
            figures: {},
            measurements: [],
            service_page_bytes: summary?.page_bytes ?? 1,
            read_service_us: tier.read_us,
            write_service_us: null,
            service_basis: tier.text,
            service_times: {},
            waiting_times: {},
            usd_per_gb: null,
            usd_per_gb_month: null,
            price_date: null,
            roles: tier.size_bytes === null ? ["disk"] : ["flash"],
            answers: ["io_times"],
            missing: [],
            assumed: [],
            notes: "",
            etag: null,
            updated_at: null,
          } satisfies DeviceOut,
        ],
  );
}
