import { Stack, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { formatCount, formatInterval, formatShort } from "@/units/quantity";
import {
  countsPower,
  payingMarkers,
  payingSeries,
  payingTable,
  termBars,
  termParts,
} from "./paying";

const HEIGHT = 340;
const BAR_HEIGHT = 44;
const BARS_FRAME = 96;

interface Props {
  readonly found: BreakEvenOut;
  readonly name: string;
}

/** The marginal interval over the size of RAM, and the sizes that pay for themselves. */
export const PayingChart = memo(function PayingChart({ found, name }: Props) {
  const { paying } = found;
  const colors = useChartColors();
  const option = useMemo(
    () =>
      paying === null
        ? null
        : lineOption({
            series: payingSeries(paying, found.page_bytes, colors),
            x: { name: "RAM [MiB]", log: true, format: (value) => formatShort(value) },
            y: {
              name: "time between accesses saved by one more page [s]",
              log: true,
              format: formatInterval,
            },
            markers: payingMarkers(paying, found),
            colors,
          }),
    [paying, found, colors],
  );
  if (paying === null || option === null) {
    return (
      <Panel>
        <EmptyState title="RAM that pays for itself could not be computed">
          {found.paying_reason}
        </EmptyState>
      </Panel>
    );
  }
  return (
    <ChartCard
      title={paying.finding}
      subtitle={`Mean time between the accesses that one more page of RAM saves, at ${formatCount(Math.round(paying.accesses_per_s))} accesses per second (${paying.rate_basis}); RAM pays for itself below the break-even line`}
      label={`RAM that pays for itself for ${name}`}
      option={option}
      height={HEIGHT}
      table={() => payingTable(paying, found.page_bytes)}
      rate={null}
      fileName={`${name} RAM that pays`}
      sentence={paying.sizes.map(({ sentence }) => sentence).join(" ")}
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            The misses of all sizes are joined by their lower convex hull. Over a
            segment, one page saves an access once in D (pages gained) / (misses saved),
            D being the duration. Up to the end of the last segment whose interval is at
            most the break-even interval, a page costs less in RAM than the accesses
            that it saves cost on the device: this is the size of least cost.
          </Text>
          <Text size="sm">
            Estimator: {paying.estimator}. Valid for: {paying.validity}.
          </Text>
        </Stack>
      }
    />
  );
});

/** What the break-even intervals of DRAM are made of, where the host is counted. */
export const TermsChart = memo(function TermsChart({ found, name }: Props) {
  const colors = useChartColors();
  const bars = useMemo(() => termBars(found), [found]);
  if (bars.length === 0) {
    return null;
  }
  const parts = termParts(found);
  const signed = (seconds: number) =>
    seconds < 0 ? `−${formatInterval(-seconds)}` : formatInterval(seconds);
  const shortened = bars.some(({ parts: terms }) => (terms["memory_power_s"] ?? 0) < 0);
  return (
    <ChartCard
      title="What the break-even interval of DRAM consists of"
      subtitle={
        shortened
          ? "Share of the device, of the host, of DRAM bandwidth and of power in one access, as seconds of rent of its page [s]; a part left of 0 is taken off, and the sum stands at the end"
          : "Share of the device, of the host and of DRAM bandwidth in one access, as seconds of rent of its page [s]"
      }
      label={`Terms of the break-even interval for ${name}`}
      option={stackedBarsOption({
        bars,
        parts,
        axis: "break-even interval [s]",
        format: formatInterval,
        colors,
      })}
      height={BARS_FRAME + BAR_HEIGHT * bars.length}
      table={() => ({
        header: ["Interval", ...parts.map(({ title }) => `${title} [s]`)],
        rows: bars.map(({ title, parts: terms }) => [
          title,
          ...parts.map((part) => terms[part.name] ?? null),
        ]),
        shown: bars.map(({ title, parts: terms }) => [
          title,
          ...parts.map((part) => signed(terms[part.name] ?? 0)),
        ]),
      })}
      rate={null}
      fileName={`${name} break-even terms`}
      explanation={
        <p>
          (core / its I/Os per second + page x DRAM price / DRAM bandwidth + device /
          its accesses per second) / (page x DRAM price). Small pages make the host the
          largest term. The bandwidth term is right only where DRAM bandwidth is scarce.
          {countsPower(found)
            ? ` Power of the device under load adds to its cost; power of the memory adds to the rent of the page, which shortens the interval.${
                shortened
                  ? " A part left of 0 is what this takes off: the interval is the sum of all parts, written at the end of its bar."
                  : ""
              } No wear.`
            : " Capital cost only: no power, no wear."}
        </p>
      }
    />
  );
});
