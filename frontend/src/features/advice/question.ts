import type { AdviceIn, HaveIn } from "@/api/advice";
import { CandidatesIn } from "@/api/gen/bounds.gen";
import type { PlacementIn } from "@/api/placements";
import {
  type AdviceSearch,
  type Kind,
  readKinds,
  readNames,
  readVendors,
  USUAL_KINDS,
} from "@/questions/advice";
import { type Member, readMembers } from "@/questions/members";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";

const GIB = 2 ** 30;
/** Of what there is, where a flash cache is stated without its page flow. */
export const USUAL_SCHEME = "lazy";

export const kindsOf = ({ kinds }: AdviceSearch): readonly Kind[] =>
  (kinds === undefined ? undefined : readKinds(kinds)) ?? USUAL_KINDS;

const namesOf = (
  text: string | undefined,
  read: (text: string) => readonly string[] | undefined,
): string[] | undefined => {
  const names = text === undefined ? undefined : read(text);
  return names === undefined ? undefined : [...names];
};

/** The user's own devices that are candidates: by themselves, so none without that kind. */
export const ownOf = (search: AdviceSearch): readonly string[] =>
  search.own === undefined || !kindsOf(search).includes("devices")
    ? []
    : (readNames(search.own) ?? []);

/**
 * Up to how many equal machines options are listed where nobody says: with a limit on machines twice as
 * many, up to the most, so that the answer can say what the limit costs; absent where the usual number is enough.
 */
export function listedFor(limit: number | undefined): number | undefined {
  const { usual, high } = CandidatesIn.max_machines;
  const listed = Math.min(2 * (limit ?? 0), high);
  return listed > usual ? listed : undefined;
}

const bytesOf = (gib: number): number => Math.round(gib * GIB);

/** The keys whose values are stated. */
const stated = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;

/** What there is today; absent where its RAM is not stated. */
export function haveOf(
  search: AdviceSearch,
  state: Pick<AnalysisState, "flash_device" | "disk_device">,
): HaveIn | undefined {
  if (search.have_ram_gib === undefined) {
    return undefined;
  }
  const flash = search.have_flash_gib ?? 0;
  // Unless stated each machine has one device: equal machines share them equally.
  const machines = search.have_machines ?? 1;
  return {
    ram_bytes: bytesOf(search.have_ram_gib),
    machines,
    disk_device_id: search.have_disk ?? state.disk_device,
    disks: search.have_disks ?? machines,
    ...(flash === 0
      ? {}
      : {
          flash_bytes: bytesOf(flash),
          flash_device_id: search.have_flash ?? state.flash_device,
          flash_devices: search.have_flashes ?? machines,
          scheme: search.have_scheme ?? USUAL_SCHEME,
        }),
    ...(search.have_usd === undefined ? {} : { usd_per_month: search.have_usd }),
  };
}

/** What the page asks; `given`: of a curve that does not contain its dirty share. */
export function adviceQuestion(
  state: AnalysisState,
  search: AdviceSearch & Pick<AnalysisSearch, "dirty_share">,
  given: boolean,
): AdviceIn {
  const providers = namesOf(search.providers, readNames);
  const vendors = namesOf(search.vendors, readVendors);
  const kinds = kindsOf(search);
  const own = ownOf(search);
  const have = haveOf(search, state);
  const { most_ram_gib, most_flash_gib } = search;
  return {
    start: state.start,
    objective: search.goal ?? "usd",
    horizon_months: state.months,
    // Nothing stated would be the default book: that there is none has to be said.
    price_book_id: state.price_book,
    candidates: {
      kinds: [...kinds],
      ...stated({
        providers,
        vendors,
        own: own.length === 0 ? undefined : [...own],
        max_machines: search.most_machines ?? listedFor(search.limit_machines),
        machine_usd: search.machine_usd,
        usd_per_kwh: search.kwh_usd,
        part_usd:
          search.chassis_usd === undefined
            ? undefined
            : { chassis: search.chassis_usd },
      }),
    },
    constraints: stated({
      machines: search.limit_machines,
      usd_per_month: search.most_usd,
      purchase_usd: search.most_purchase_usd,
      io_time_us_per_access: search.most_io_us,
      restart_s: search.most_restart_s,
      response_mean_us: search.most_mean_us,
      response_p50_us: search.most_p50_us,
      response_p99_us: search.most_p99_us,
      ram_bytes: most_ram_gib === undefined ? undefined : bytesOf(most_ram_gib),
      flash_bytes: most_flash_gib === undefined ? undefined : bytesOf(most_flash_gib),
      power_watts: search.most_watts,
      rack_units: search.most_units,
      throughput_accesses_per_s: search.least_per_s,
      flash_life_years: search.least_life,
      peak_busy: search.most_busy,
    }),
    ...(search.borrow === true
      ? { flash_device_id: state.flash_device, disk_device_id: state.disk_device }
      : {}),
    ...(have === undefined ? {} : { have }),
    ...(given ? { dirty_share: search.dirty_share ?? null } : {}),
  };
}

/** The workloads that are asked about; the first is always that of the page. */
export function membersOf(
  workload: string,
  { workloads }: AdviceSearch,
): readonly Member[] {
  const members = workloads === undefined ? [] : (readMembers(workloads) ?? []);
  const [first, ...others] = members;
  return first?.id === workload ? members : [{ id: workload, rate: null }, ...others];
}

/** What the page asks of several workloads: which share a system, and what each system is. */
export function placementQuestion(
  state: AnalysisState,
  search: AdviceSearch,
  members: readonly Member[],
): PlacementIn {
  const asked = adviceQuestion(state, search, false);
  const { candidates, constraints, price_book_id, horizon_months } = asked;
  const { flash_device_id, disk_device_id } = asked;
  return {
    workloads: members.map(({ id, rate }) => ({
      workload_id: id,
      accesses_per_s: rate,
    })),
    // The front of both recommends its cheapest.
    objective: asked.objective === "io_time" ? "io_time" : "usd",
    ...stated({
      candidates,
      constraints,
      price_book_id,
      horizon_months,
      flash_device_id,
      disk_device_id,
    }),
  };
}
