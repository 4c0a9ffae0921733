/** Which pages of single questions answer with the figures of an option, and the addresses at which they do. */
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import {
  counted,
  formatDuration,
  formatPercent,
  formatShort,
  microseconds,
  ratio,
} from "@/units/quantity";
import type { CompareSearch } from "./compare";
import { type AnalysisSearch, NONE } from "./point";
import { QUESTIONS, type Question } from "./registry";
import type { SweepSearch } from "./simulate";
import type { ThroughputSearch } from "./throughput";
import type { WearSearch } from "./wear";

type Point = NonNullable<AdviceOptionOut["point"]>;

type EvidenceSearch = AnalysisSearch &
  CompareSearch &
  SweepSearch &
  ThroughputSearch &
  WearSearch;

export interface EvidenceLink {
  readonly question: Question;
  readonly to: string;
  readonly label: string;
  /** What of the option is seen there. */
  readonly shows: string;
  /** Laid over the address of the advice. */
  readonly search: EvidenceSearch;
}

/** What the links depend on besides the option. */
interface Around {
  /** Whether the pages know a device. */
  readonly knows: (device: string) => boolean;
  /** Whether the workload has accesses that can be replayed. */
  readonly replayable: boolean;
}

type Asked = Pick<AdviceOut, "workload_id" | "horizon_months">;

/** Where an option stands, as long as it runs the page flow that stands there; null where no page can state it. */
export function pointOf(option: AdviceOptionOut, knows: Around["knows"]): Point | null {
  const point = option.point ?? null;
  const isOther =
    point === null || option.admission !== null || option.scheme !== point.scheme;
  if (isOther || !knows(point.disk_device)) {
    return null;
  }
  return point.flash_device === null || knows(point.flash_device) ? point : null;
}

/** Why no page of a single question can be opened at an option. */
export function noEvidenceText(option: AdviceOptionOut): string {
  const point = option.point ?? null;
  if (point !== null && (option.admission !== null || option.scheme !== point.scheme)) {
    return "The other pages state page flows, and this option runs a flash cache.";
  }
  if (point !== null) {
    return "Hardware no longer lists a device of this option, so the other pages cannot be opened at it.";
  }
  return option.kind === "volumes"
    ? "The other pages state devices of the catalogue, and volumes are as fast as what is rented with them."
    : "A device of this option lacks a figure that the other pages need, such as the time of a write.";
}

/** The local disk of an instance is known by this name, and is in no list. */
const OF_INSTANCE = "disk-of-";

/** Tells devices that pages know from those that only the advice does. */
export const knownDevices =
  (listed: readonly { readonly id: string }[]) => (device: string) =>
    device.startsWith(OF_INSTANCE) || listed.some(({ id }) => id === device);

/** In the order of the menu; empty where the pages cannot state the option. */
export function evidenceLinks(
  asked: Asked,
  option: AdviceOptionOut,
  { knows, replayable }: Around,
): readonly EvidenceLink[] {
  const point = pointOf(option, knows);
  if (point === null) {
    return [];
  }
  const at = addressOf(asked, point);
  const link = (
    question: Question,
    shows: string,
    own: EvidenceSearch = {},
  ): EvidenceLink => ({
    question,
    to: QUESTIONS[question].to,
    label: QUESTIONS[question].label,
    shows,
    search: { ...at, ...own },
  });
  const cached = point.flash_pages > 0;
  return [
    link("compare", "its I/O time and hits, beside other page flows", {
      counted_by: "model",
    }),
    ...(cached ? [link("scheme_map", "where its page flow stays the best")] : []),
    ...(cached && option.kind === "devices"
      ? [priced(link("dram_or_flash", "where the next amount of money belongs"))]
      : []),
    ...wearLinks(option, point, link),
    ...(point.accesses_per_s === null
      ? []
      : [
          link("throughput", atLoad(option), {
            disks: point.disks,
            flash_devices: Math.max(1, point.flash_devices),
            rate: point.accesses_per_s,
            peak_rate: point.peak_accesses_per_s ?? undefined,
          }),
        ]),
    ...(replayable
      ? [
          link("simulate", "its sizes, to be replayed", {
            contenders: cached ? `scheme:${point.scheme}` : "policy:lru",
            sizes: String(point.ram_pages),
            flash_sizes: cached ? String(point.flash_pages) : undefined,
            sweep: undefined,
          }),
        ]
      : []),
  ];
}

/** How the server begins, or ends, the reason why response times are not known. */
const NO_LATENCY = "no source states the latency";
const OVERLOADED = "cannot keep up with the busiest hour";

/** As *Throughput* draws what is a range, until another end is chosen there. */
const MOST_DIRTY = "with as many dirty pages as possible";

/** What *Throughput* shows of an option, by why its response times are not known. */
function atLoad({
  response_p99_us: p99,
  response_reason: reason,
  ranges,
}: AdviceOptionOut): string {
  const both = "busy shares and response times at its load";
  if (p99 !== null) {
    return both;
  }
  const isRange = ranges["response_p99_us"] !== undefined;
  if (reason.startsWith(NO_LATENCY)) {
    // A busy time is no latency. What to state instead is said where the response times of the option are missing.
    const [why = ""] = reason.split(/;|, and IOPS/);
    return `busy shares at its load; of response times lower bounds at most, as ${why}`;
  }
  if (reason.endsWith(OVERLOADED)) {
    return `busy shares at its load, which is beyond what it carries in the busiest hour${isRange ? ` ${MOST_DIRTY}` : ""}`;
  }
  return isRange ? `${both}, ${MOST_DIRTY}` : "busy shares at its load";
}

/** Leaves the prices of the advice where they are, for a question that is one of prices. */
function priced(link: EvidenceLink): EvidenceLink {
  const { ram_device: _, price_book: __, ...search } = link.search;
  return { ...link, search };
}

/** The life that the page of wear shows is that of the cache: that of an option may be that of what holds the data. */
function wearLinks(
  option: AdviceOptionOut,
  point: Point,
  link: (question: Question, shows: string, own: EvidenceSearch) => EvidenceLink,
): readonly EvidenceLink[] {
  if (
    point.flash_pages === 0 ||
    point.accesses_per_s === null ||
    option.flash_life_years === null ||
    option.kind !== "devices"
  ) {
    return [];
  }
  return [
    link("wear", "how long its flash cache lasts, and a restart takes", {
      rate: point.accesses_per_s,
      devices: point.flash_devices,
      growth: point.growth_per_year || undefined,
    }),
  ];
}

const addressOf = (asked: Asked, point: Point): AnalysisSearch => ({
  workload: asked.workload_id,
  ram_pages: point.ram_pages,
  flash_pages: point.flash_pages,
  // Without a cache its device counts nothing: the usual one stands there.
  flash_device: point.flash_device ?? undefined,
  disk_device: point.disk_device,
  // Money there is that of bytes, and of other devices than those of the bill.
  ram_device: NONE,
  price_book: NONE,
  months: asked.horizon_months,
  check: undefined,
  metadata: undefined,
  caches: undefined,
  cache_options: undefined,
  access_rate: undefined,
  scenario: undefined,
});

/** What the pages say of the option: by the model, and of which of several machines. */
export function evidenceText(option: AdviceOptionOut, point: Point): string {
  const share = (value: number) => formatPercent(ratio(value));
  const peak =
    option.peak_busy === null
      ? endsOf(option, "peak_busy", share)
      : share(option.peak_busy);
  // Beside a replay the option shows what that counts.
  const isReplayed =
    option.io_time_us_per_access !== null &&
    option.io_time_us_per_access === option.replayed_io_time_us_per_access;
  const busy =
    peak === null || isReplayed
      ? ""
      : `, the busiest device ${peak} busy in the busiest hour`;
  const micros = (value: number) => formatDuration(microseconds(value));
  const time =
    endsOf(option, "io_time_us_per_access", micros) ??
    micros(point.io_time_us_per_access);
  const flow = point.flash_pages === 0 ? "" : " under its page flow";
  return `Opened at the sizes, devices and load of this option, they show its figures by the model: ${time} of I/O time per access${flow}${busy}. ${machinesText(point)}Prices are left out where they are not asked for: those of the bill stand here alone.`;
}

/** Both ends of a figure that is a range, as where nobody states which pages are dirty; null where it is none. */
function endsOf(
  { ranges }: AdviceOptionOut,
  figure: string,
  format: (value: number) => string,
): string | null {
  const [low = null, high = null] = ranges[figure] ?? [];
  return low === null || high === null ? null : `${format(low)} to ${format(high)}`;
}

function machinesText({ machines, curve_machines: curve }: Point): string {
  if (machines === 1 && curve === 1) {
    return "";
  }
  if (machines === curve) {
    return `Sizes, devices and load are those of one of its ${counted(machines, "machine")}. `;
  }
  const whole = `one of its ${formatShort(machines)} machines`;
  const share =
    curve === 1
      ? `all its ${formatShort(machines)} machines together, as the workload is of one`
      : `${counted(machines, "machine")}, divided by the ${formatShort(curve)} that the workload is of`;
  return `RAM and flash are those of ${share}; devices and load are those of ${machines === 1 ? "that machine" : whole}. `;
}
