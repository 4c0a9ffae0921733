import { Checkbox, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, useMemo, useState } from "react";
import { poolSplitCostsQuery, poolSplitSteps } from "@/api/analyses";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { AskedSteps } from "@/components/asked-steps";
import { CautionNotes } from "@/components/caution-notes";
import { ProblemAlert } from "@/components/problem-alert";
import {
  bytes,
  formatBytes,
  formatPagesAndBytes,
  formatShort,
  pages,
} from "@/units/quantity";
import { type CostRange, costRange, costSeries, costTable } from "./findings";
import { ProductionPanel } from "./production-panel";

const HEIGHT = 400;

interface CostChartProps {
  readonly id: string;
  readonly workload: string;
  readonly name: string;
  readonly asymmetry: number;
  /** Of one machine of production, where the buffer was counted for it. */
  readonly productionPages: number | null;
}

/** Cost over the clean share: estimate and simulation in one chart. */
export const CostChart = memo(function CostChart({
  id,
  workload,
  name,
  asymmetry,
  productionPages,
}: CostChartProps) {
  const costs = useQuery(
    poolSplitCostsQuery(id, {
      workload_id: workload,
      asymmetry,
      estimator: "flow",
      production_pages: productionPages,
    }),
  );
  const [showAll, setShowAll] = useState(false);
  const [whole, setWhole] = useState(false);
  const colors = useChartColors();
  const data = costs.data;
  const range = useMemo(() => (data === undefined ? null : costRange(data)), [data]);
  const option = useMemo(
    () =>
      data === undefined || range === null
        ? null
        : lineOption({
            series: costSeries(data, colors, showAll),
            x: {
              name: "clean share of the buffer [%]",
              max: 100,
              format: (value) => `${formatShort(value)} % clean`,
            },
            y: {
              name: "cost [page reads per access]",
              ...(whole ? {} : { min: range.low, max: range.high }),
              format: (value) => formatShort(value, 4),
            },
            colors,
          }),
    [data, range, colors, showAll, whole],
  );
  if (costs.error !== null) {
    return (
      <ProblemAlert
        error={costs.error}
        title="The cost of the split could not be computed"
        onRetry={() => void costs.refetch()}
      />
    );
  }
  if (data === undefined || range === null || option === null) {
    return <Skeleton height={HEIGHT + 180} animate={false} />;
  }
  // Of the machine where there is one; shares of the buffer are those of its replay.
  const buffer = data.production ?? data;
  return (
    <>
      <CautionNotes of="the splits" cautions={data.cautions} />
      {data.production !== null && (
        <ProductionPanel costs={data} found={data.production} />
      )}
      <ChartCard
        title={data.finding}
        subtitle={`Cost over the clean share of a buffer of ${formatPagesAndBytes(
          pages(buffer.pages),
          bytes(buffer.page_bytes),
        )} at R = ${formatShort(data.asymmetry)} [page reads per access]${whole ? "" : axisNote(range)}`}
        label={`Cost over the clean share of ${name}`}
        option={option}
        height={HEIGHT}
        table={() => costTable(data)}
        fileName={`${name} pool split ${formatBytes(bytes(buffer.pages * buffer.page_bytes))} R ${formatShort(data.asymmetry)}`}
        sentence={data.sentence}
        controls={
          <>
            <Checkbox
              size="xs"
              label="All estimates"
              checked={showAll}
              onChange={(event) => setShowAll(event.currentTarget.checked)}
            />
            <Checkbox
              size="xs"
              label="Whole axis"
              checked={whole}
              onChange={(event) => setWhole(event.currentTarget.checked)}
            />
          </>
        }
        explanation={
          <Stack gap="xs">
            <Text size="sm">{data.cost_basis}</Text>
            <Text size="sm">Valid for: {data.validity}.</Text>
            <Text size="sm">
              One pass of the Two-Stack algorithm counts, for every split at once, which
              accesses hit a clean and a dirty LRU pool; the estimates follow from these
              counts. The markers are replays of static splits, and the level lines are
              replays of LRU and CFLRU (working region one half) with the whole buffer.
              The recommended split is the replayed one with the lowest cost.
            </Text>
            <AskedSteps query={poolSplitSteps(data)} />
          </Stack>
        }
      />
    </>
  );
});

const axisNote = ({ cuts }: CostRange): string =>
  cuts
    ? ". The axis does not begin at zero, and higher costs at the ends are cut off."
    : ". The axis does not begin at zero.";
