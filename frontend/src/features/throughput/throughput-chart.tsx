import { SegmentedControl, Stack, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import { type ThroughputOut, throughputSteps } from "@/api/throughput";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { AskedSteps } from "@/components/asked-steps";
import {
  bytes,
  formatCount,
  formatPagesAndBytes,
  formatShort,
  pages,
} from "@/units/quantity";
import {
  kneeMarkers,
  type Measure,
  throughputSeries,
  throughputTable,
  VARIED_UNITS,
} from "./findings";

const HEIGHT = 400;

interface ThroughputChartProps {
  readonly found: ThroughputOut;
  /** What a replay says where the model cannot tell the schemes apart. */
  readonly decided: string | null;
  readonly name: string;
  readonly measure: Measure;
  readonly onMeasure: (measure: Measure) => void;
}

/** Throughput or response time of every scheme, with bound and knee of the best. */
export const ThroughputChart = memo(function ThroughputChart(
  props: ThroughputChartProps,
) {
  const { found, decided, name, measure, onMeasure } = props;
  const colors = useChartColors();
  const rates = measure === "throughput";
  const option = useMemo(
    () =>
      lineOption({
        series: throughputSeries(found, measure, colors),
        x: {
          name: VARIED_UNITS[found.varied],
          log: true,
          format: (value) => axisText(found, value),
        },
        y: {
          name: rates ? "transactions [1/s]" : "response time [ms]",
          format: (value) =>
            rates ? `${formatShort(value)}/s` : `${formatShort(value)} ms`,
        },
        markers: kneeMarkers(found),
        colors,
      }),
    [found, measure, rates, colors],
  );
  return (
    <ChartCard
      title={decided ?? found.finding}
      subtitle={
        rates
          ? `Transactions per second over ${VARIED_UNITS[found.varied]}, by exact mean-value analysis [1/s]; dotted: the upper bound for the best scheme from operational laws`
          : `Response time over ${VARIED_UNITS[found.varied]}, by exact mean-value analysis [ms]; dotted: the lower bound for the best scheme from operational laws`
      }
      label={`Throughput of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => throughputTable(found, measure)}
      fileName={`${name} ${measure} over ${found.varied}`}
      sentence={sentenceOf(found, decided)}
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Measure"
          transitionDuration={0}
          value={measure}
          onChange={(value) =>
            onMeasure(value === "response" ? "response" : "throughput")
          }
          data={[
            { value: "throughput", label: "Throughput" },
            { value: "response", label: "Response time" },
          ]}
        />
      }
      explanation={
        <Stack gap="xs">
          <Text size="sm">{found.time_basis}</Text>
          <Text size="sm">
            Estimator: {found.estimator}. Valid for: {found.validity}.
          </Text>
          <AskedSteps query={throughputSteps(found)} />
        </Stack>
      }
    />
  );
});

/** What stands under the chart; where the headline is that of a replay, that the rest is not. */
export function sentenceOf(
  found: Pick<ThroughputOut, "finding" | "sentence" | "close_sentence">,
  decided: string | null,
): string {
  if (decided !== null) {
    return `The headline is by the replay; the chart, this sentence and the table are by the model: ${found.finding}. ${found.sentence}`;
  }
  return found.close_sentence
    ? `${found.sentence} ${found.close_sentence}`
    : found.sentence;
}

const axisText = (found: ThroughputOut, value: number) =>
  found.varied === "flash_pages"
    ? formatPagesAndBytes(pages(Math.round(value)), bytes(found.page_bytes))
    : formatCount(value);
