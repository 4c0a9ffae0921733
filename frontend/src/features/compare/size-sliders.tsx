import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { isComposed, isDescribed, type SummaryOut } from "@/api/workloads";
import { LogSlider, type Step } from "@/components/log-slider";
import { SizeInput } from "@/components/size-input";
import {
  type Buyable,
  BuyableSwitch,
  sliderRange,
  stepPages,
  useWholeSizes,
} from "@/questions/buyable";
import {
  bytes,
  bytesOfPages,
  formatBytes,
  formatPagesAndBytes,
  type Pages,
  pages,
} from "@/units/quantity";
import classes from "./compare.module.css";
import type { Sizes } from "./use-sizes";

interface SizeSlidersProps {
  readonly sizes: Sizes;
  readonly onChange: (sizes: Sizes) => void;
  readonly summary: SummaryOut;
  readonly buyable: Buyable;
  /** Id of the workload. */
  readonly workload: string;
  /** What else bears on the sizes. */
  readonly children?: ReactNode;
}

/** Largest size of the sliders: twice the workload's footprint. */
export const mostPages = (summary: Pick<SummaryOut, "distinct_pages">): number =>
  Math.max(2, summary.distinct_pages * 2);

/** RAM and flash sizes on logarithmic scales, up to twice the workload's footprint. */
export function SizeSliders(props: SizeSlidersProps) {
  const { sizes, onChange, summary, buyable, children } = props;
  const max = mostPages(summary);
  const step = (unit: Buyable["ram"]) =>
    stepPages(buyable, unit, summary.page_bytes, max);
  const range = (unit: Buyable["ram"]) => sliderRange(1, max, step(unit));
  useWholeSizes(
    [sizes.ram, sizes.flash],
    [step(buyable.ram), step(buyable.flash)],
    ([ram = sizes.ram, flash = sizes.flash]) => onChange({ ram, flash }),
  );
  return (
    <section className="tw-panel" aria-label="Sizes">
      <div className={classes["sliders"]}>
        <SizeControl
          name="RAM"
          {...range(buyable.ram)}
          allowZero={false}
          value={sizes.ram}
          summary={summary}
          onChange={(ram) => onChange({ ...sizes, ram })}
        />
        <SizeControl
          name="Flash"
          {...range(buyable.flash)}
          allowZero
          value={sizes.flash}
          summary={summary}
          onChange={(flash) => onChange({ ...sizes, flash })}
        />
      </div>
      <Text size="sm" c="dimmed" mt={6}>
        {extentText(summary)}
      </Text>
      <BuyableSwitch
        buyable={buyable}
        withFlash
        summary={summary}
        most={max}
        workload={props.workload}
      />
      {children}
    </section>
  );
}

/** How far sizes of this workload are known. */
function extentText(summary: SummaryOut): string {
  const pageBytes = bytes(summary.page_bytes);
  const size = (count: number) => formatPagesAndBytes(pages(count), pageBytes);
  if (isDescribed(summary)) {
    return `The described data has ${size(summary.distinct_pages)}. Page size: ${formatBytes(pageBytes)}.`;
  }
  if (isComposed(summary)) {
    return `The composed workloads have ${size(summary.distinct_pages)}. Page size: ${formatBytes(pageBytes)}.`;
  }
  return summary.kind === "curve"
    ? `The curve ends at ${size(summary.curve_pages ?? summary.distinct_pages)}; larger sizes are unknown. Page size: ${formatBytes(pageBytes)}.`
    : `The workload touches ${size(summary.distinct_pages)}. Page size: ${formatBytes(pageBytes)}.`;
}

function SizeControl(props: {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly step: Step | undefined;
  readonly allowZero: boolean;
  readonly value: number;
  readonly summary: SummaryOut;
  readonly onChange: (value: Pages) => void;
}) {
  const pageBytes = bytes(props.summary.page_bytes);
  return (
    <div className={classes["size"]}>
      <div>
        <LogSlider
          label={`${props.name} size`}
          value={props.value}
          min={props.min}
          max={props.max}
          step={props.step}
          allowZero={props.allowZero}
          valueText={formatPagesAndBytes(pages(props.value), pageBytes)}
          onChange={(value) => props.onChange(pages(value))}
        />
        <div className={classes["scale"]} aria-hidden="true">
          <span>
            {props.allowZero
              ? "none"
              : formatBytes(bytesOfPages(pages(props.min), pageBytes))}
          </span>
          <span>{formatBytes(bytesOfPages(pages(props.max), pageBytes))}</span>
        </div>
      </div>
      <SizeInput
        label={`Exact ${props.name} size`}
        value={pages(props.value)}
        pageBytes={pageBytes}
        min={props.allowZero ? 0 : 1}
        onChange={props.onChange}
      />
    </div>
  );
}
