import { Button, Checkbox, Group, SegmentedControl, Text } from "@mantine/core";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import { BreakEvenIn } from "@/api/gen/bounds.gen";
import type { SummaryOut } from "@/api/workloads";
import { Disclosure } from "@/components/disclosure";
import { FlashMetadata } from "@/components/flash-metadata";
import { LogSlider } from "@/components/log-slider";
import { NumberField } from "@/components/number-field";
import { SizeInput } from "@/components/size-input";
import type { Moving } from "@/components/use-settled";
import {
  BuyableSwitch,
  sliderRange,
  stepPages,
  useBuyable,
  useWholeSizes,
} from "@/questions/buyable";
import type { DollarSearch } from "@/questions/dram-or-flash";
import {
  LEAST_SIGMA,
  MAX_RATIO,
  MIN_RATIO,
  MOST_PAGES,
  MOST_RATE,
  MOST_SIGMA,
  USUAL_CORE_IOPS,
  USUAL_MODULE_GIB,
  USUAL_SIGMA,
  USUAL_WATTS_GIB,
} from "@/questions/dram-or-flash";
import type { AnalysisState } from "@/questions/point";
import { perDollar, shownCurrency } from "@/units/currency";
import {
  bytes,
  counted,
  formatPagesAndBytes,
  formatShort,
  pages,
} from "@/units/quantity";
import classes from "./dram-or-flash.module.css";
import { dollars } from "./findings";

interface ControlsProps {
  readonly ram: Moving;
  /** 0 stands for the ratio of the prices. */
  readonly ratio: Moving;
  /** 0 stands for the usual sum. */
  readonly usd: Moving;
  readonly summary: SummaryOut;
  readonly state: AnalysisState;
  readonly found: BreakEvenOut | undefined;
  readonly search: DollarSearch;
  readonly patch: (change: DollarSearch) => void;
}

/** The sliders know whole numbers only: they count in parts. */
const RATIO_PARTS = 100_000;
const USD_PARTS = 1000;
const LEAST_USD_PARTS = 100;
const MOST_USD_PARTS = 10_000_000;

const three = (value: number) => Number(value.toPrecision(3));

/** Price ratio, the sum, the DRAM there is; the rest behind a disclosure. */
export function Controls(props: ControlsProps) {
  return (
    <div className={classes["controls"]}>
      <RatioControl {...props} />
      <SumControl {...props} />
      <RamControl {...props} />
      <div>
        <Text size="sm" fw={500}>
          Costs counted
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Costs counted"
          transitionDuration={0}
          value={props.search.form ?? "full"}
          onChange={(form) =>
            props.patch({ form: form === "plain" ? "plain" : undefined })
          }
          data={[
            { value: "full", label: "With flash writes" },
            { value: "plain", label: "Hits alone" },
          ]}
        />
      </div>
      <div style={{ gridColumn: "1 / -1" }}>
        <Disclosure label="Disks, reads and writes, metadata, old versions, host costs, power, accesses per second, platform">
          <Options {...props} />
        </Disclosure>
      </div>
    </div>
  );
}

function RatioControl({ ratio, found }: ControlsProps) {
  const stated = found?.prices.stated_ratio ?? null;
  const value = ratio.value > 0 ? ratio.value : (stated ?? 0);
  if (found !== undefined && found.prices.dram_usd_per_gib === null) {
    return (
      <Text size="sm" c="dimmed">
        To set the price ratio, first choose a price book with a DRAM price above.
      </Text>
    );
  }
  return (
    <div>
      <div className={classes["size"]}>
        <LogSlider
          label="Price ratio, flash over DRAM"
          value={Math.round(value * RATIO_PARTS)}
          min={MIN_RATIO * RATIO_PARTS}
          max={MAX_RATIO * RATIO_PARTS}
          valueText={`a byte of flash costs ${formatShort(value * 100)} % of a byte of DRAM`}
          onChange={(parts) => ratio.setValue(three(parts / RATIO_PARTS))}
        />
        <NumberField
          label="Exact ratio"
          unit="%"
          digits={4}
          value={value * 100}
          min={0.0001}
          max={100_000}
          onChange={(percent) => ratio.setValue(percent / 100)}
        />
      </div>
      <Group gap="xs" mt={4}>
        <Text size="xs" c="dimmed">
          {ratio.value > 0
            ? stated === null
              ? "Set by hand."
              : `Set by hand; prices give ${formatShort(stated * 100)} %.`
            : pricesText(found)}
        </Text>
        {ratio.value > 0 && stated !== null && (
          <Button size="compact-xs" variant="default" onClick={() => ratio.setValue(0)}>
            Use the prices
          </Button>
        )}
      </Group>
    </div>
  );
}

function pricesText(found: BreakEvenOut | undefined): string {
  const dram = found?.prices.dram_usd_per_gib ?? null;
  const flash = found?.prices.flash_usd_per_gib ?? null;
  if (dram === null) {
    return "";
  }
  return flash === null
    ? `DRAM costs ${dollars(dram)} per GiB. No flash price is known: set the ratio.`
    : `From the prices: DRAM ${dollars(dram)} per GiB, flash ${dollars(flash)} per GiB.`;
}

/** End of the slider: beyond what a curve from counters speaks of, what a sum gains is unknown. */
const mostParts = (money: NonNullable<BreakEvenOut["next_money"]>): number =>
  money.most_usd === null
    ? MOST_USD_PARTS
    : Math.min(
        MOST_USD_PARTS,
        Math.max(
          LEAST_USD_PARTS + 1,
          Math.floor((Number(money.most_usd) / Number(money.usual_usd)) * USD_PARTS),
        ),
      );

function SumControl({ usd, found }: ControlsProps) {
  const money = found?.next_money ?? null;
  if (money === null) {
    return null;
  }
  // The sum stands in the address in dollars, and is chosen in the currency shown.
  const rate = perDollar(found);
  const usual = Number(money.usual_usd);
  const value = usd.value > 0 ? usd.value * rate : usual;
  return (
    <div>
      <div className={classes["size"]}>
        <LogSlider
          label="Next amount to spend"
          value={Math.round((value / usual) * USD_PARTS)}
          min={LEAST_USD_PARTS}
          max={mostParts(money)}
          valueText={dollars(value)}
          onChange={(parts) =>
            usd.setValue(three(((parts / USD_PARTS) * usual) / rate))
          }
        />
        <NumberField
          label="Exact amount"
          unit={shownCurrency()}
          value={value}
          min={1e-9 * rate}
          max={money.most_usd === null ? 1e9 * rate : Number(money.most_usd)}
          onChange={(sum) => usd.setValue(sum / rate)}
        />
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {dollars(value)} buys {counted(money.dram_pages, "page")} of DRAM or{" "}
        {counted(money.flash_pages, "page")} of flash.
      </Text>
    </div>
  );
}

function RamControl({ ram, summary, state }: ControlsProps) {
  const pageBytes = bytes(summary.page_bytes);
  const buyable = useBuyable(state, summary);
  const most = Math.max(2, summary.distinct_pages);
  const step = stepPages(buyable, buyable.ram, summary.page_bytes, most);
  useWholeSizes([ram.value], [step], ([size = ram.value]) => ram.setValue(size));
  return (
    <div>
      <div className={classes["size"]}>
        <LogSlider
          label="Existing DRAM"
          value={ram.value}
          {...sliderRange(1, most, step)}
          valueText={formatPagesAndBytes(pages(ram.value), pageBytes)}
          onChange={ram.setValue}
        />
        <SizeInput
          label="Exact DRAM size"
          value={pages(ram.value)}
          pageBytes={pageBytes}
          min={1}
          onChange={ram.setValue}
        />
      </div>
      <BuyableSwitch
        buyable={buyable}
        withFlash={false}
        summary={summary}
        most={most}
        workload={state.workload}
      />
    </div>
  );
}

function Options({ search, patch, found }: ControlsProps) {
  return (
    <div className={classes["options"]}>
      <NumberField
        label="Disks sharing the load"
        unit="disks"
        value={search.disks ?? 1}
        min={1}
        max={100_000}
        onChange={(disks) => patch({ disks: Math.round(disks) })}
      />
      <FlashMetadata
        value={search.metadata}
        onChange={(metadata) => patch({ metadata })}
      />
      <NumberField
        label="Read share of accesses"
        unit="%"
        digits={4}
        description={
          search.reads === undefined
            ? "For the log model and hits alone; taken from the workload."
            : "For the log model and hits alone; set by hand."
        }
        value={(search.reads ?? found?.times.read_share ?? 1) * 100}
        min={0}
        max={100}
        onChange={(percent) => patch({ reads: percent / 100 })}
      />
      <NumberField
        label="Flash holding old versions"
        unit="%"
        value={(search.old_share ?? 0) * 100}
        min={0}
        max={99}
        onChange={(percent) => patch({ old_share: percent / 100 })}
      />
      <NumberField
        label="Host cost per device"
        unit="USD"
        description="Used for the break-even intervals."
        value={search.host_usd ?? 0}
        min={0}
        max={1e9}
        onChange={(host_usd) => patch({ host_usd })}
      />
      <HostOptions search={search} patch={patch} found={found} />
      <Checkbox
        mt={28}
        size="sm"
        label="Append-only flash writes"
        checked={search.appends === true}
        onChange={(event) =>
          patch({ appends: event.currentTarget.checked ? true : undefined })
        }
      />
    </div>
  );
}

/** Host, DRAM bandwidth and rate: for the intervals, the RAM that pays and the platform. */
function HostOptions({
  search,
  patch,
  found,
}: Pick<ControlsProps, "search" | "patch" | "found">) {
  return (
    <>
      <NumberField
        label="Price of one core"
        unit="USD"
        description="For the intervals of DRAM; 0 leaves the processor out."
        value={search.core_usd ?? 0}
        min={0}
        max={1e9}
        onChange={(core_usd) => patch({ core_usd })}
      />
      <NumberField
        label="I/Os of one core"
        unit="1/s"
        value={search.core_iops ?? USUAL_CORE_IOPS}
        min={1}
        max={MOST_RATE}
        onChange={(core_iops) => patch({ core_iops })}
      />
      <NumberField
        label="Bandwidth of a DRAM module"
        unit="GB/s"
        description="Only where DRAM bandwidth is scarce; 0 leaves it out."
        value={search.dram_gb_per_s ?? 0}
        min={0}
        max={1e6}
        onChange={(gb) => patch({ dram_gb_per_s: gb > 0 ? gb : undefined })}
      />
      <NumberField
        label="Capacity of that module"
        unit="GiB"
        value={search.dram_gib ?? USUAL_MODULE_GIB}
        min={0.001}
        max={1e6}
        onChange={(dram_gib) => patch({ dram_gib })}
      />
      <NumberField
        label="Price of electricity"
        unit="USD/kWh"
        description="For the intervals; 0 leaves power out."
        value={search.usd_kwh ?? 0}
        min={0}
        max={BreakEvenIn.usd_per_kwh.high}
        onChange={(price) => patch({ usd_kwh: price > 0 ? price : undefined })}
      />
      {search.usd_kwh !== undefined && (
        <NumberField
          label="Power of memory"
          unit="W/GiB"
          description="Of each GiB; the power of a drive is that of its data sheet."
          value={search.watts_gib ?? USUAL_WATTS_GIB}
          min={0}
          max={BreakEvenIn.watts_per_gib.high}
          onChange={(watts_gib) => patch({ watts_gib })}
        />
      )}
      <NumberField
        label="Flash drives"
        unit="drives"
        description="For the platform: they share the misses of RAM."
        value={search.drives ?? 1}
        min={1}
        max={100_000}
        onChange={(drives) => patch({ drives: Math.round(drives) })}
      />
      <NumberField
        label="Bandwidth of all DRAM"
        unit="GB/s"
        description="For the platform; 0 sets no limit."
        value={search.memory_gb_per_s ?? 0}
        min={0}
        max={1e6}
        onChange={(gb) => patch({ memory_gb_per_s: gb > 0 ? gb : undefined })}
      />
      <IntervalOptions search={search} patch={patch} found={found} />
      <NumberField
        label="Accesses per second"
        unit="1/s"
        description={
          search.rate === undefined
            ? "For the RAM that pays for itself; taken from the recording."
            : "For the RAM that pays for itself; set by hand."
        }
        value={search.rate ?? found?.paying?.accesses_per_s ?? 0}
        min={0}
        max={MOST_RATE}
        onChange={(rate) => patch({ rate: rate > 0 ? rate : undefined })}
      />
    </>
  );
}

/** Access intervals that are stated instead of measured: for the platform alone. */
function IntervalOptions({
  search,
  patch,
  found,
}: Pick<ControlsProps, "search" | "patch" | "found">) {
  const isStated = search.interval_s !== undefined;
  return (
    <>
      <NumberField
        label="Median access interval"
        unit="s"
        description={
          isStated
            ? "For the platform, in place of the workload's curve."
            : "For the platform; 0 takes the workload's curve."
        }
        value={search.interval_s ?? 0}
        min={0}
        max={MOST_RATE}
        onChange={(seconds) => patch({ interval_s: seconds > 0 ? seconds : undefined })}
      />
      {isStated && (
        <>
          <NumberField
            label="Spread of the intervals"
            unit="σ"
            description="Deviation of their logarithm: 0.4 is weak, 1.2 strong locality."
            value={search.interval_sigma ?? USUAL_SIGMA}
            min={LEAST_SIGMA}
            max={MOST_SIGMA}
            onChange={(interval_sigma) => patch({ interval_sigma })}
          />
          <NumberField
            label="Pages with these intervals"
            unit="pages"
            description={
              search.interval_pages === undefined
                ? "Those of the workload."
                : "Set by hand."
            }
            value={search.interval_pages ?? found?.distinct_pages ?? 1}
            min={1}
            max={MOST_PAGES}
            onChange={(count) => patch({ interval_pages: Math.round(count) })}
          />
        </>
      )}
    </>
  );
}
