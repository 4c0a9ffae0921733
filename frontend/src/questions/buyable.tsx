/**
 * Sizes that can be bought: whole devices, whole memory modules, or what is rented by
 * the GiB. Sizes keep to them, however they are chosen, when the reader asks for it.
 */
import { Checkbox, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type DeviceOut, devicesQuery } from "@/api/catalog";
import { wholeSteps } from "@/components/log-slider";
import { useSessionDraft } from "@/components/use-session-draft";
import { bytes, formatBytes, formatCapacity } from "@/units/quantity";
import { NONE } from "./point";

const GIB = 2 ** 30;
/** The smallest registered DDR5 module; others are multiples of it. */
const MODULE_BYTES = 16 * GIB;

type Sold = Pick<
  DeviceOut,
  "name" | "kind" | "capacity_bytes" | "usd_per_gb" | "usd_per_gb_month"
>;

export interface Unit {
  readonly unitBytes: number;
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

export interface Buyable {
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  readonly ram: Unit | null;
  readonly flash: Unit | null;
  /** Of a device by its id. */
  readonly unitOf: (device: string) => Unit | null;
}

/** The reader's choice, kept over all pages until the tab is closed. */
export function useBuyable(state: {
  readonly ram_device: string;
  readonly flash_device: string;
}): Buyable {
  const [choice, setChoice] = useSessionDraft("sizes that can be bought", {
    on: false,
  });
  const devices = useQuery(devicesQuery()).data ?? [];
  const unitOf = (id: string) =>
    soldUnit(id === NONE ? undefined : devices.find((device) => device.id === id));
  return {
    on: choice.on,
    set: (on) => setChoice({ on }),
    ram: unitOf(state.ram_device),
    flash: unitOf(state.flash_device),
    unitOf,
  };
}

/** Whole pages of a unit, where sliders keep to it. */
export const stepPages = (
  buyable: Pick<Buyable, "on">,
  unit: Unit | null,
  pageBytes: number,
): number | undefined =>
  buyable.on && unit !== null
    ? Math.max(1, Math.floor(unit.unitBytes / pageBytes))
    : undefined;

/** The size in whole units nearest to one; nothing stays nothing. */
export const wholeSize = (pages: number, step: number | undefined): number =>
  step === undefined || pages === 0 ? pages : wholeSteps(pages, step);

/** Whether the sizes of a point stay as they are where sizes keep to what is sold. */
export function isSold(
  buyable: Pick<Buyable, "on" | "unitOf">,
  point: {
    readonly ram_pages: number;
    readonly flash_pages: number;
    readonly ram_device_id?: string | null | undefined;
    readonly flash_device_id: string;
  },
  pageBytes: number,
): boolean {
  const stays = (pages: number, device: string) =>
    wholeSize(pages, stepPages(buyable, buyable.unitOf(device), pageBytes)) === pages;
  return (
    stays(point.ram_pages, point.ram_device_id ?? NONE) &&
    stays(point.flash_pages, point.flash_device_id)
  );
}

/**
 * Sizes in whole units wherever they come from: the switch itself, a field, another
 * device, an address. What is shown, computed and paid for is then one and the same.
 */
export function useWholeSizes(
  sizes: readonly number[],
  steps: readonly (number | undefined)[],
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
  step: number | undefined,
): { readonly min: number; readonly max: number; readonly step: number | undefined } {
  return step === undefined
    ? { min, max, step }
    : { min: step, max: Math.max(1, Math.ceil(max / step)) * step, step };
}

/** The switch, and what one unit is beside the workload. */
export function BuyableSwitch(props: {
  readonly buyable: Buyable;
  /** Whether flash has a slider here, too. */
  readonly withFlash: boolean;
  readonly footprintBytes: number;
}) {
  const { buyable, withFlash, footprintBytes } = props;
  const units = [
    { tier: "RAM", unit: buyable.ram },
    ...(withFlash ? [{ tier: "Flash", unit: buyable.flash }] : []),
  ];
  const text = units.map(({ tier, unit }) =>
    unit === null
      ? `${tier}: the sizes sold are unknown, so any size is allowed`
      : `${tier}: ${unit.text}${
          unit.unitBytes > footprintBytes
            ? `, more than the whole workload (${formatBytes(bytes(footprintBytes))})`
            : ""
        }`,
  );
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
          Sizes are whole units. {text.join(". ")}.
        </Text>
      )}
    </div>
  );
}
