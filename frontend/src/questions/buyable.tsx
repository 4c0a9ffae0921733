/**
 * Sizes that can be bought: whole devices, whole memory modules, or what is rented by
 * the GiB. Sizes keep to them, however they are chosen, when the reader asks for it.
 */
import { Checkbox, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { type DeviceOut, devicesQuery } from "@/api/catalog";
import {
  type PartOut,
  partsQuery,
  type ServerOut,
  serversQuery,
} from "@/api/purchasable";
import type { SummaryOut } from "@/api/workloads";
import { type Step, wholeSteps } from "@/components/log-slider";
import { useSessionDraft } from "@/components/use-session-draft";
import { bytes, counted, formatBytes, formatCapacity } from "@/units/quantity";
import { NONE } from "./point";

const GIB = 2 ** 30;
/** The smallest registered DDR5 module; others are multiples of it. */
const MODULE_BYTES = 16 * GIB;

type Sold = Pick<
  DeviceOut,
  "name" | "kind" | "capacity_bytes" | "usd_per_gb" | "usd_per_gb_month"
>;

export interface Unit {
  /** The least that is sold. */
  readonly unitBytes: number;
  /** Every size that is sold, the smallest first; absent: whole multiples of the least. */
  readonly sizes?: readonly number[];
  /** What one is, for a sentence. */
  readonly text: string;
}

/** The smallest amount of a device that is sold; null where that is not known. */
export function soldUnit(device: Sold | undefined): Unit | null {
  if (device === undefined) {
    return { unitBytes: MODULE_BYTES, text: "memory modules of 16 GiB" };
  }
  if (device.capacity_bytes !== null) {
    const size = formatCapacity(bytes(device.capacity_bytes));
    return { unitBytes: device.capacity_bytes, text: `${device.name} of ${size}` };
  }
  if (device.usd_per_gb_month !== null) {
    return { unitBytes: GIB, text: `${device.name}, rented by the GiB` };
  }
  return device.kind === "dram"
    ? { unitBytes: MODULE_BYTES, text: `${device.name}, modules of 16 GiB` }
    : null;
}

type Boxes = readonly Pick<PartOut, "kind" | "capacity" | "dimm_slots">[];
type Instances = readonly Pick<ServerOut, "ram_gib">[];

/**
 * RAM of whole machines: equal modules that fill the slots of a chassis evenly, as `tierwright
 * configurations` lists them, and what cloud instances have; null where neither is known.
 */
export function machineRam(parts: Boxes, servers: Instances): Unit | null {
  const of = (kind: string, key: "capacity" | "dimm_slots") =>
    parts.flatMap((part) => {
      const value = part.kind === kind ? part[key] : null;
      return value === null ? [] : [value];
    });
  const modules = of("dimm", "capacity");
  const built = of("chassis", "dimm_slots").flatMap((slots) =>
    Array.from({ length: slots }, (_, at) => at + 1)
      .filter((count) => slots % count === 0)
      .flatMap((count) => modules.map((gib) => count * gib)),
  );
  const rented = servers.flatMap(({ ram_gib: gib }) => (gib === null ? [] : [gib]));
  const sizes = [...new Set([...built, ...rented])]
    .sort((one, other) => one - other)
    .map((gib) => gib * GIB);
  const [least] = sizes;
  return least === undefined
    ? null
    : {
        unitBytes: least,
        sizes,
        text: "what a machine has: memory modules that fill a chassis evenly, or a cloud instance",
      };
}

export interface Buyable {
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  readonly ram: Unit | null;
  readonly flash: Unit | null;
  /** Machines that the sizes are of each of; 1 where the workload is no production. */
  readonly machines: number;
  readonly ramOf: (device: string) => Unit | null;
  readonly flashOf: (device: string) => Unit | null;
}

/** The reader's choice, kept over all pages until the tab is closed. */
export function useBuyable(
  state: { readonly ram_device: string; readonly flash_device: string },
  summary: Pick<SummaryOut, "production">,
): Buyable {
  const [choice, setChoice] = useSessionDraft("sizes that can be bought", {
    on: false,
  });
  const devices = useQuery(devicesQuery()).data ?? [];
  const isProduction = summary.production !== null;
  const asked = { enabled: choice.on && isProduction };
  const parts = useQuery({ ...partsQuery(), ...asked }).data;
  const servers = useQuery({ ...serversQuery(), ...asked }).data;
  const whole = useMemo(
    () =>
      isProduction && parts !== undefined && servers !== undefined
        ? machineRam(parts, servers)
        : null,
    [isProduction, parts, servers],
  );
  const find = (id: string) =>
    id === NONE ? undefined : devices.find((device) => device.id === id);
  const flashOf = (id: string) => soldUnit(find(id));
  // Until they are known, sizes of an address stay as they are.
  const isLoading = isProduction && (parts === undefined || servers === undefined);
  const ramOf = (id: string) => {
    const device = find(id);
    const isModule = device === undefined || device.kind === "dram";
    if (isModule && isLoading) {
      return null;
    }
    return isModule && whole !== null ? whole : soldUnit(device);
  };
  return {
    on: choice.on,
    set: (on) => setChoice({ on }),
    ram: ramOf(state.ram_device),
    flash: flashOf(state.flash_device),
    machines: summary.production?.production.machines ?? 1,
    ramOf,
    flashOf,
  };
}

/** Whole pages of a size. */
const pagesOf = (size: number, pageBytes: number): number =>
  Math.max(1, Math.floor(size / pageBytes));

/**
 * The sizes in pages that sliders keep to; `undefined` where they keep to none: not asked for,
 * unknown, or even the smallest that is sold is beyond the slider.
 */
export function stepPages(
  buyable: Pick<Buyable, "on">,
  unit: Unit | null,
  pageBytes: number,
  most: number,
): Step | undefined {
  if (!buyable.on || unit === null || pagesOf(unit.unitBytes, pageBytes) > most) {
    return undefined;
  }
  return unit.sizes === undefined
    ? pagesOf(unit.unitBytes, pageBytes)
    : unit.sizes.map((size) => pagesOf(size, pageBytes));
}

/** The size in whole units nearest to one; nothing stays nothing. */
export const wholeSize = (pages: number, step: Step | undefined): number =>
  step === undefined || pages === 0 ? pages : wholeSteps(pages, step);

/** Whether the sizes of a point stay as they are where sizes keep to what is sold. */
export function isSold(
  buyable: Pick<Buyable, "on" | "ramOf" | "flashOf">,
  point: {
    readonly ram_pages: number;
    readonly flash_pages: number;
    readonly ram_device_id?: string | null | undefined;
    readonly flash_device_id: string;
  },
  pageBytes: number,
  most: number,
): boolean {
  const stays = (pages: number, unit: Unit | null) =>
    wholeSize(pages, stepPages(buyable, unit, pageBytes, most)) === pages;
  return (
    stays(point.ram_pages, buyable.ramOf(point.ram_device_id ?? NONE)) &&
    stays(point.flash_pages, buyable.flashOf(point.flash_device_id))
  );
}

/**
 * Sizes in whole units wherever they come from: the switch itself, a field, another
 * device, an address. What is shown, computed and paid for is then one and the same.
 */
export function useWholeSizes(
  sizes: readonly number[],
  steps: readonly (Step | undefined)[],
  onChange: (whole: readonly number[]) => void,
): void {
  const whole = sizes.map((size, place) => wholeSize(size, steps[place]));
  const latest = useRef({ whole, onChange });
  latest.current = { whole, onChange };
  const isWhole = whole.every((size, place) => size === sizes[place]);
  const key = whole.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the sizes
  useEffect(() => {
    if (!isWhole) {
      latest.current.onChange(latest.current.whole);
    }
  }, [isWhole, key]);
}

/** Ends and step of a slider: as they are, or in whole units. */
export function sliderRange(
  min: number,
  max: number,
  step: Step | undefined,
): { readonly min: number; readonly max: number; readonly step: Step | undefined } {
  if (step === undefined) {
    return { min, max, step };
  }
  if (typeof step === "number") {
    return { min: step, max: Math.max(1, Math.ceil(max / step)) * step, step };
  }
  const last = step.find((each) => each >= max) ?? step.at(-1) ?? max;
  return { min: step[0] ?? min, max: last, step };
}

/** What is sold of a tier, and whether its slider keeps to it. */
function soldText(tier: string, unit: Unit | null, mostBytes: number): string {
  if (unit === null) {
    return `${tier}: the sizes sold are unknown, so any size is allowed`;
  }
  const least = formatBytes(bytes(unit.unitBytes));
  return unit.unitBytes > mostBytes
    ? `${tier}: what is sold starts at ${least}, beyond this slider (${formatBytes(bytes(mostBytes))}), so any size is allowed`
    : `${tier}: ${unit.text}, from ${least}`;
}

/** The switch, and what one unit is beside the workload. */
export function BuyableSwitch(props: {
  readonly buyable: Buyable;
  /** Whether flash has a slider here, too. */
  readonly withFlash: boolean;
  readonly summary: Pick<SummaryOut, "footprint_bytes" | "page_bytes" | "production">;
  /** Largest size of the sliders. [pages] */
  readonly most: number;
  /** Id of the workload, where it can be scaled. */
  readonly workload: string;
}) {
  const { buyable, withFlash, summary, most } = props;
  const mostBytes = most * summary.page_bytes;
  const units = [
    { tier: "RAM", unit: buyable.ram },
    ...(withFlash ? [{ tier: "Flash", unit: buyable.flash }] : []),
  ];
  const isBelow = units.some(({ unit }) => unit !== null && unit.unitBytes > mostBytes);
  const of =
    buyable.machines === 1
      ? ""
      : ` They are of each of ${counted(buyable.machines, "machine")}.`;
  return (
    <div>
      <Checkbox
        size="sm"
        mt={6}
        label="Only sizes that can be bought"
        checked={buyable.on}
        onChange={(event) => buyable.set(event.currentTarget.checked)}
      />
      {buyable.on && (
        <Text size="xs" c="dimmed" mt={2}>
          Sizes are those that are sold.{of}{" "}
          {units.map(({ tier, unit }) => soldText(tier, unit, mostBytes)).join(". ")}.
        </Text>
      )}
      {buyable.on && isBelow && summary.production === null && (
        <BelowSold
          footprintBytes={summary.footprint_bytes}
          link={
            <Link
              to="/workloads/$workloadId"
              params={{ workloadId: props.workload }}
              hash="production"
            >
              Scale it to production
            </Link>
          }
        />
      )}
    </div>
  );
}

/** Why sizes are free where the workload is the recording itself, and what leads on. */
export function BelowSold(props: {
  readonly footprintBytes: number;
  readonly link: ReactNode;
}) {
  return (
    <Text size="sm" mt={2}>
      This workload is a recording of {formatBytes(bytes(props.footprintBytes))}: less
      than what is sold holds. {props.link} to choose among sizes that can be bought.
    </Text>
  );
}
