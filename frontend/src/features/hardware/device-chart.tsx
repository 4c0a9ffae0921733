import { Select } from "@mantine/core";
import { useMemo, useState } from "react";
import {
  bookLabel,
  type DeviceOut,
  type PriceBookOut,
  soldAlone,
  useShownRate,
} from "@/api/catalog";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import type { ColorScheme } from "@/charts/palette";
import {
  type DeviceGroup,
  type DevicePoint,
  deviceScatterOption,
} from "@/charts/scatter-option";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { usualBook } from "@/questions/defaults";
import {
  BASE_CURRENCY,
  converted,
  type ExchangeRate,
  rateText,
} from "@/units/currency";
import {
  bytes,
  counted,
  formatBytes,
  formatNumber,
  formatPrice,
  formatShort,
  usd,
} from "@/units/quantity";
import { KINDS, kindTitle, restsOnAssumption } from "./device-facts";

const OWN_PRICES = "own";
const HEIGHT = 420;

export interface PricedDevice {
  readonly device: DeviceOut;
  readonly usdPerGb: number;
  readonly readServiceUs: number;
  readonly source: string;
  readonly date: string | null;
}

/** The price in a book, of the device or else of its kind; without a book, its own. */
function priceOf(device: DeviceOut, book: PriceBookOut | undefined) {
  if (book === undefined) {
    return {
      usdPerGb: device.usd_per_gb,
      source: "the device's own price",
      date: device.price_date,
    };
  }
  const listed =
    book.prices.find((price) => price.device_id === device.id) ??
    (device.usd_per_gb_month === null
      ? book.prices.find((price) => price.kind === device.kind)
      : undefined);
  return {
    usdPerGb: listed?.usd_per_gb ?? null,
    source: book.name,
    date: listed?.date ?? null,
  };
}

/** A device that can be drawn: one with a purchase price and a service time. */
export function pricedDevice(
  device: DeviceOut,
  book: PriceBookOut | undefined,
): PricedDevice | null {
  const { usdPerGb, source, date } = priceOf(device, book);
  return device.read_service_us === null || usdPerGb === null
    ? null
    : {
        device,
        usdPerGb: Number(usdPerGb),
        readServiceUs: device.read_service_us,
        source,
        date,
      };
}

function groupsOf(
  priced: readonly PricedDevice[],
  ticked: readonly string[],
  colors: ColorScheme,
  rate: ExchangeRate | null,
): DeviceGroup[] {
  const kinds = [...new Set(priced.map((item) => item.device.kind))];
  kinds.sort((one, other) => kindOrder(one) - kindOrder(other));
  return kinds.map((kind) => ({
    name: kindTitle(kind),
    color: KINDS[kind]?.[colors] ?? (colors === "light" ? "#5c6470" : "#a9b1bd"),
    shape: KINDS[kind]?.shape ?? "circle",
    points: priced
      .filter((item) => item.device.kind === kind)
      .map(
        (item): DevicePoint => ({
          id: item.device.id,
          name: item.device.name,
          pricePerGb: converted(item.usdPerGb, rate),
          readServiceUs: item.readServiceUs,
          priceDate: item.date,
          assumed: restsOnAssumption(item.device, "read"),
          selected: ticked.includes(item.device.id),
        }),
      ),
  }));
}

const KIND_NAMES = Object.keys(KINDS);
const kindOrder = (kind: string) => {
  const index = KIND_NAMES.indexOf(kind);
  return index < 0 ? KIND_NAMES.length : index;
};

/** What a reader may say about two ticked devices. */
export function chartFinding(
  priced: readonly PricedDevice[],
  ticked: readonly string[],
): string {
  const chosen = priced.filter((item) => ticked.includes(item.device.id));
  const [one, other] = chosen;
  if (chosen.length === 2 && one !== undefined && other !== undefined) {
    const [fast, slow] =
      one.readServiceUs <= other.readServiceUs ? [one, other] : [other, one];
    return sideBySide(
      { name: fast.device.name, time: fast.readServiceUs, price: fast.usdPerGb },
      { name: slow.device.name, time: slow.readServiceUs, price: slow.usdPerGb },
    );
  }
  return (
    tierFinding(priced) ??
    `${counted(priced.length, "device")} by price and speed: down and to the left is better`
  );
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

interface Side {
  readonly name: string;
  readonly time: number;
  readonly price: number;
}

/** Below this two devices are equal for the purpose. */
const EQUAL = 1.01;

/** A device beside a slower one: how much longer that is busy, and what each costs. */
function sideBySide(fast: Side, slow: Side): string {
  const time = slow.time / fast.time;
  const [dear, cheap] = fast.price >= slow.price ? [fast, slow] : [slow, fast];
  const money =
    dear.price / cheap.price < EQUAL
      ? "a GB costs the same on both"
      : `a GB costs ${formatShort(dear.price / cheap.price)} times as much on ${dear.name}`;
  return time < EQUAL
    ? `A random read keeps ${fast.name} and ${slow.name} busy equally long; ${money}`
    : `A random read keeps ${slow.name} busy ${formatShort(time)} times as long as ${fast.name}; ${money}`;
}

/** Medians of service time and of price: of no single drive, and called so. */
function tierFinding(priced: readonly PricedDevice[]): string | null {
  const middle = (kind: string) => {
    const own = priced.filter((item) => item.device.kind === kind);
    return {
      time: medianOf(own.map((item) => item.readServiceUs)),
      price: medianOf(own.map((item) => item.usdPerGb)),
    };
  };
  const [flash, disk] = [middle("nvme"), middle("hdd")];
  if (
    flash.time === null ||
    flash.price === null ||
    disk.time === null ||
    disk.price === null
  ) {
    return null;
  }
  if (flash.time > disk.time) {
    return null;
  }
  return `The median busy time of a random read is ${formatShort(disk.time / flash.time, 2)} times as long on hard disks as on NVMe drives; the median price per GB is ${formatShort(flash.price / disk.price, 2)} times as high on NVMe drives`;
}

/** What hollow marks mean, where there are any. */
export function assumedText(priced: readonly PricedDevice[]): string {
  const count = priced.filter((item) => restsOnAssumption(item.device, "read")).length;
  if (count === 0) {
    return "";
  }
  return count === 1
    ? "Hollow mark: one device whose seek time is an assumption. "
    : `Hollow marks: ${counted(count, "device")} whose seek time is an assumption. `;
}

function leftText(left: number): string {
  if (left === 0) {
    return "Disks of cloud instances are not drawn.";
  }
  return counted(
    left,
    "device without a price or a service time is not drawn, nor are the disks of cloud instances.",
    "devices without a price or a service time are not drawn, nor are the disks of cloud instances.",
  );
}

export function DeviceChart(props: {
  readonly devices: readonly DeviceOut[];
  readonly books: readonly PriceBookOut[];
  readonly ticked: readonly string[];
  /** Of the page that the service times are of. */
  readonly pageBytes: number;
}) {
  const { devices, books, ticked } = props;
  const [bookId, setBookId] = useState(() => usualBook(books) ?? OWN_PRICES);
  const colors = useChartColors();
  const book = books.find((candidate) => candidate.id === bookId);
  const rate = useShownRate(book?.id ?? null);
  const currency = rate?.currency ?? BASE_CURRENCY;
  const drives = useMemo(() => devices.filter(soldAlone), [devices]);
  const priced = useMemo(
    () => drives.flatMap((device) => pricedDevice(device, book) ?? []),
    [drives, book],
  );
  const option = useMemo(
    () =>
      priced.length === 0
        ? null
        : deviceScatterOption(groupsOf(priced, ticked, colors, rate), colors, currency),
    [priced, ticked, colors, rate, currency],
  );
  const left = drives.length - priced.length;
  const control = (
    <Select
      size="xs"
      aria-label="Chart prices"
      value={bookId}
      onChange={(value) => setBookId(value ?? OWN_PRICES)}
      data={[
        { value: OWN_PRICES, label: "Each device's own dated price" },
        ...books.map((candidate) => ({
          value: candidate.id,
          label: bookLabel(candidate),
        })),
      ]}
      allowDeselect={false}
      // As wide as the names are, and no wider than a phone.
      w="min(360px, 78vw)"
    />
  );
  if (option === null) {
    return (
      <Panel title="No device has both a price and a service time" actions={control}>
        <EmptyState title="Nothing to draw">
          Choose a price book, or add your own device with both figures.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <ChartCard
      title={chartFinding(priced, ticked)}
      subtitle={`Busy time of a random read of ${formatBytes(bytes(props.pageBytes))} over purchase price, both logarithmic${rate === null ? "" : `; ${rateText(rate)}`}`.replace(
        /\.$/,
        "",
      )}
      label="Service time over price of the devices"
      option={option}
      height={HEIGHT}
      fileName="devices by price and speed"
      rate={rate}
      controls={control}
      sentence={`${assumedText(priced)}${leftText(left)} The table below shows what is missing. Tick two devices there to compare them here.`}
      table={() => ({
        header: [
          "Device",
          "Kind",
          `Price [${currency}/GB]`,
          ...(rate === null ? [] : ["As quoted [USD/GB]"]),
          "Read [µs]",
          "Read time",
          "Price from",
          "Date",
        ],
        rows: priced.map((item) => [
          item.device.name,
          kindTitle(item.device.kind),
          converted(item.usdPerGb, rate),
          ...(rate === null ? [] : [item.usdPerGb]),
          item.readServiceUs,
          restsOnAssumption(item.device, "read") ? "assumed" : "from its figures",
          item.source,
          item.date,
        ]),
        shown: priced.map((item) => [
          item.device.name,
          kindTitle(item.device.kind),
          formatPrice(usd(converted(item.usdPerGb, rate))),
          ...(rate === null ? [] : [formatPrice(usd(item.usdPerGb))]),
          formatNumber(item.readServiceUs),
          restsOnAssumption(item.device, "read") ? "assumed" : "from its figures",
          item.source,
          item.date ?? "–",
        ]),
      })}
      explanation={
        <p>
          The busy time follows from the size of the page, by a rule for each kind of
          device: flash by its random operations per second or its sequential rate,
          whichever takes longer; hard disks by positioning and transfer; rented volumes
          by whole I/O units. The details of a device name the figures used. Most
          vendors state rates at deep queues, so a busy time is the share of the device
          that a request takes, not the time it waits. A GB is 10^9 bytes; prices are
          nominal, at their date.
        </p>
      }
    />
  );
}
