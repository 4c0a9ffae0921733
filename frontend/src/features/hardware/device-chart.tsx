import { Select } from "@mantine/core";
import { useMemo, useState } from "react";
import type { DeviceOut, PriceBookOut } from "@/api/catalog";
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
import { formatNumber, formatShort } from "@/units/quantity";
import { KINDS, kindTitle } from "./device-facts";

const OWN_PRICES = "own";
const HEIGHT = 420;

export interface PricedDevice {
  readonly device: DeviceOut;
  readonly usdPerGb: number;
  readonly readServiceUs: number;
  readonly source: string;
  readonly date: string | null;
}

/** The price of a device: of the book if it has one for it or its kind, else its own. */
export function pricedDevice(
  device: DeviceOut,
  book: PriceBookOut | undefined,
): PricedDevice | null {
  if (device.read_service_us === null) {
    return null;
  }
  const listed =
    book?.prices.find((price) => price.device_id === device.id) ??
    book?.prices.find((price) => price.kind === device.kind);
  const fromBook = listed?.usd_per_gb ?? null;
  const price = fromBook ?? device.usd_per_gb;
  if (price === null) {
    return null;
  }
  return {
    device,
    usdPerGb: Number(price),
    readServiceUs: device.read_service_us,
    source: fromBook === null ? "the device's own price" : (book?.name ?? ""),
    date: fromBook === null ? device.price_date : (listed?.date ?? book?.date ?? null),
  };
}

function groupsOf(
  priced: readonly PricedDevice[],
  ticked: readonly string[],
  colors: ColorScheme,
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
          usdPerGb: item.usdPerGb,
          readServiceUs: item.readServiceUs,
          priceDate: item.date,
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
    return `${fast.device.name} reads ${formatShort(slow.readServiceUs / fast.readServiceUs)} times as fast as ${slow.device.name}, at ${formatShort(fast.usdPerGb / slow.usdPerGb)} times its price per GB`;
  }
  return `${priced.length} devices by price and speed: down and to the left is better`;
}

export function DeviceChart(props: {
  readonly devices: readonly DeviceOut[];
  readonly books: readonly PriceBookOut[];
  readonly ticked: readonly string[];
}) {
  const { devices, books, ticked } = props;
  const [bookId, setBookId] = useState(OWN_PRICES);
  const colors = useChartColors();
  const book = books.find((candidate) => candidate.id === bookId);
  const priced = useMemo(
    () => devices.flatMap((device) => pricedDevice(device, book) ?? []),
    [devices, book],
  );
  const option = useMemo(
    () =>
      priced.length === 0
        ? null
        : deviceScatterOption(groupsOf(priced, ticked, colors), colors),
    [priced, ticked, colors],
  );
  const left = devices.length - priced.length;
  const control = (
    <Select
      size="xs"
      aria-label="Prices of the chart"
      value={bookId}
      onChange={(value) => setBookId(value ?? OWN_PRICES)}
      data={[
        { value: OWN_PRICES, label: "Each device's own dated price" },
        ...books.map((candidate) => ({
          value: candidate.id,
          label: `${candidate.name} (${candidate.date})`,
        })),
      ]}
      allowDeselect={false}
      w={260}
    />
  );
  if (option === null) {
    return (
      <Panel title="No device has both a price and a service time" actions={control}>
        <EmptyState title="Nothing to draw">
          Choose a price book, or add an own device with both figures.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <ChartCard
      title={chartFinding(priced, ticked)}
      subtitle="Service time of a random read over purchase price, both logarithmic"
      label="Service time over price of the devices"
      option={option}
      height={HEIGHT}
      fileName="devices by price and speed"
      controls={control}
      sentence={`${left} devices lack a price or a service time and are not drawn; the table below says what is missing. Tick two devices there to compare them here.`}
      table={{
        header: ["Device", "Kind", "Price [USD/GB]", "Read [µs]", "Price from", "Date"],
        rows: priced.map((item) => [
          item.device.name,
          kindTitle(item.device.kind),
          item.usdPerGb,
          item.readServiceUs,
          item.source,
          item.date,
        ]),
        shown: priced.map((item) => [
          item.device.name,
          kindTitle(item.device.kind),
          formatNumber(item.usdPerGb),
          formatNumber(item.readServiceUs),
          item.source,
          item.date ?? "–",
        ]),
      }}
      explanation={
        <p>
          The service time is the inverse of the stated random operations per second, or
          the stated latency where no rate is given; each device's details name the
          basis. Most vendors state rates at deep queues, so a service time is the share
          of the device a request takes, not the time one request waits. GB are 10^9
          bytes; prices are nominal, at their date.
        </p>
      }
    />
  );
}
