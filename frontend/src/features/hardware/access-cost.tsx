import { SegmentedControl, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import {
  type AccessCostRowOut,
  type AccessCostsOut,
  accessCostsQuery,
  accessCostsSteps,
} from "@/api/access-cost";
import type { DeviceOut, PriceBookOut } from "@/api/catalog";
import { useChartColors } from "@/charts/chart";
import { ChartCard, type ChartTable } from "@/charts/chart-card";
import type { ColorScheme } from "@/charts/palette";
import { type DeviceGroup, deviceScatterOption } from "@/charts/scatter-option";
import { DeviceDerivation } from "@/components/device-derivation";
import { ProblemAlert } from "@/components/problem-alert";
import { usualBook } from "@/questions/defaults";
import { type AnalysisSearch, NONE } from "@/questions/point";
import type { TierSearch } from "@/questions/tier-cost";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  counted,
  formatAmount,
  formatBytes,
  formatCount,
  formatMoney,
  formatShort,
  usd,
} from "@/units/quantity";
import { KINDS, kindTitle } from "./device-facts";
import { hasCurve } from "./latency-curve";
import { USUAL } from "./tier-findings";

const HEIGHT = 400;

type Operation = "read" | "write";

interface AccessCostProps {
  readonly devices: readonly DeviceOut[];
  readonly books: readonly PriceBookOut[];
  readonly ticked: readonly string[];
  readonly pageBytes: number;
}

/** What a random access costs on every device, over how many it serves. */
export function AccessCost({ devices, books, ticked, pageBytes }: AccessCostProps) {
  const search = useSearch({ strict: false }) as TierSearch & AnalysisSearch;
  const [operation, setOperation] = useState<Operation>("read");
  const stated = search.price_book ?? usualBook(books) ?? NONE;
  const book = books.find(({ id }) => id === stated);
  const subject = subjectOf(devices, ticked);
  const found = useQuery(
    accessCostsQuery({
      page_bytes: pageBytes,
      operation,
      price_book_id: book?.id ?? null,
      amortisation_months: search.tier_months ?? USUAL.tier_months,
      device_id: subject ?? null,
    }),
  );
  if (found.error !== null) {
    return (
      <ProblemAlert
        error={found.error}
        title="The accesses could not be priced"
        onRetry={() => void found.refetch()}
      />
    );
  }
  return found.data === undefined ? (
    <Skeleton height={HEIGHT} animate={false} />
  ) : (
    <AccessChart
      found={found.data}
      marked={subject === undefined ? ticked : [...ticked, subject]}
      operation={operation}
      onOperation={setOperation}
    />
  );
}

/** The first one ticked, else a measured one of one's own. */
export const subjectOf = (
  devices: readonly DeviceOut[],
  ticked: readonly string[],
): string | undefined =>
  devices.find(({ id }) => ticked.includes(id))?.id ??
  devices.find((device) => device.origin === "own" && hasCurve(device))?.id;

/** Points of the chart by kind: cost of an access over how many are served. */
export function accessGroups(
  rows: readonly AccessCostRowOut[],
  marked: readonly string[],
  colors: ColorScheme,
): DeviceGroup[] {
  const priced = rows.flatMap((row) =>
    row.usd_per_billion_accesses === null || row.accesses_per_s === null
      ? []
      : [
          {
            kind: row.kind,
            point: {
              id: row.device_id,
              name: row.device_name,
              x: row.accesses_per_s,
              y: Number(row.usd_per_billion_accesses),
              priceDate: null,
              assumed: false,
              selected: marked.includes(row.device_id),
            },
          },
        ],
  );
  return Object.entries(KINDS).flatMap(([kind, style]) => {
    const points = priced.filter((each) => each.kind === kind);
    return points.length === 0
      ? []
      : [
          {
            name: kindTitle(kind),
            color: style[colors],
            shape: style.shape,
            points: points.map(({ point }) => point),
          },
        ];
  });
}

export function accessTable(found: AccessCostsOut): ChartTable {
  const money = (text: string | null) => (text === null ? null : Number(text));
  const rows = found.rows.map((row) => [
    row.device_name,
    kindTitle(row.kind),
    row.accesses_per_s,
    money(row.usd_per_month),
    money(row.usd_per_billion_accesses),
    row.reason,
  ]);
  const shown = (value: number | null, format: (value: number) => string) =>
    value === null ? "–" : format(value);
  return {
    header: [
      "Device",
      "Kind",
      "Accesses [1/s]",
      `Per month [${shownCurrency()}]`,
      `Per 10^9 accesses [${shownCurrency()}]`,
      "Missing",
    ],
    rows,
    shown: found.rows.map((row) => [
      row.device_name,
      kindTitle(row.kind),
      shown(row.accesses_per_s, formatCount),
      shown(money(row.usd_per_month), (value) => formatMoney(usd(value))),
      shown(money(row.usd_per_billion_accesses), (value) => formatMoney(usd(value))),
      row.reason === "" ? "–" : row.reason,
    ]),
  };
}

/** How many devices are not points, and where they are. */
export function notDrawn(rows: number, drawn: number): string {
  const left = rows - drawn;
  if (left === 0) {
    return "Every device is drawn: down and to the right is better.";
  }
  return `Down and to the right is better. ${counted(
    left,
    "device without a price, a rate or a capacity is not drawn",
    "devices without a price, a rate or a capacity are not drawn",
  )}; the table says what is missing.`;
}

function AccessChart(props: {
  readonly found: AccessCostsOut;
  readonly marked: readonly string[];
  readonly operation: Operation;
  readonly onOperation: (operation: Operation) => void;
}) {
  const { found, marked, operation } = props;
  const colors = useChartColors();
  const rate = rateOf(found);
  const groups = useMemo(
    () => accessGroups(found.rows, marked, colors),
    [found, marked, colors],
  );
  const currency = shownCurrency();
  const option = useMemo(
    () =>
      groups.length === 0
        ? null
        : deviceScatterOption(groups, colors, {
            x: {
              name: `random ${operation}s [1/s]`,
              format: (value) => formatShort(value),
              say: (point) => `${formatShort(point.x)} random ${operation}s per second`,
            },
            y: {
              name: `10^9 random ${operation}s [${currency}]`,
              format: (value) => formatShort(value),
              say: (point) => `10^9 of them: ${formatAmount(usd(point.y))}`,
            },
          }),
    [groups, colors, currency, operation],
  );
  if (option === null) {
    return null;
  }
  const drawn = groups.reduce((sum, group) => sum + group.points.length, 0);
  return (
    <ChartCard
      title={found.sentence.replace(/\.$/, "")}
      subtitle={`Cost of 10^9 random ${operation}s of ${formatBytes(bytes(found.page_bytes))} on a device that is kept busy, over how many it serves, both logarithmic`}
      label="Cost of an access on each device"
      option={option}
      height={HEIGHT}
      fileName="cost of an access"
      rate={rate}
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Operation"
          value={operation}
          data={[
            { value: "read", label: "Reads" },
            { value: "write", label: "Writes" },
          ]}
          onChange={(value) => props.onOperation(value === "write" ? "write" : "read")}
        />
      }
      sentence={notDrawn(found.rows.length, drawn)}
      table={() => accessTable(found)}
      explanation={
        <DeviceDerivation
          devices={found.rows}
          first={found.rows[0]?.device_id ?? null}
          query={accessCostsSteps(found)}
        >
          Estimator: {found.estimator}. Valid for: {found.validity}. A month has 730 h.
        </DeviceDerivation>
      }
    />
  );
}
