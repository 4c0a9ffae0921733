import { Stack, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import { type RecoveryOut, recoverySteps } from "@/api/wear";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { schemeMark } from "@/charts/palette";
import { AskedSteps } from "@/components/asked-steps";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { WhyButton } from "@/components/why-button";
import type { WearSearch } from "@/questions/wear";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatNumber,
  formatPercent,
  formatSeconds,
  formatShort,
  ratio,
} from "@/units/quantity";
import { WearField } from "./number-field";
import { restartTable, USUAL_FLASH_SHARE, USUAL_INTERVAL_S } from "./question";
import classes from "./wear.module.css";

const HEIGHT = 300;

interface RecoveryProps {
  readonly recovery: RecoveryOut;
  readonly name: string;
  readonly search: WearSearch;
  readonly patch: (change: WearSearch) => void;
}

/** Whether a step is behind the time to fill; all others are behind the restart. */
const isFill = ({ name }: { readonly name: string }) => name === "seconds";

/** Least time until the flash is full. */
export const FillPanel = memo(function FillPanel({
  recovery,
}: {
  readonly recovery: RecoveryOut;
}) {
  const { fill } = recovery;
  return (
    <Panel
      title={`The flash takes at least ${formatSeconds(fill.seconds)} to fill`}
      subtitle={`${formatBytes(bytes(recovery.flash_bytes))}; the bottleneck is ${fill.bottleneck}.`}
    >
      <DataTable
        label="Limits on filling the flash"
        caption="Every limit on filling; the slowest one sets the time."
        columns={[
          {
            key: "Limit",
            rowHeader: true,
            cell: ([limit]) => (
              <>
                {limit}
                {limit === fill.bottleneck && (
                  <span className={classes["bottleneck"]}> slowest</span>
                )}
              </>
            ),
          },
          { key: "Rate", unit: "MB/s", cell: ([, rate]) => formatShort(rate / 1e6) },
          {
            key: "Time alone",
            cell: ([, rate]) => formatSeconds(recovery.flash_bytes / rate),
          },
        ]}
        rows={Object.entries(fill.rates_bytes_per_s)}
        rowKey={([limit]) => limit}
      />
      <Text size="sm" c="dimmed" my={6}>
        {counted(fill.units, "page is", "pages are")} fetched. The time is{" "}
        {fill.validity}.
      </Text>
      <WhyButton title="time to fill">
        <AskedSteps query={recoverySteps(recovery)} only={isFill} />
      </WhyButton>
    </Panel>
  );
});

/** Restart with a flash cache that survives, against one without. */
export const RestartPanel = memo(function RestartPanel({
  recovery,
  name,
  search,
  patch,
}: RecoveryProps) {
  const colors = useChartColors();
  const { restart } = recovery;
  const interval = search.interval ?? USUAL_INTERVAL_S;
  const option = useMemo(() => {
    const curve = restart?.curve;
    const points = (values: readonly number[] | undefined) =>
      (curve?.checkpoint_interval_s ?? []).map(
        (at, index) => [at, values?.[index] ?? 0] as const,
      );
    return lineOption({
      series: [
        {
          name: "Flash cache survives",
          color: schemeMark("face", colors).color,
          points: points(curve?.with_flash_s),
        },
        {
          name: "No flash cache",
          color: schemeMark("none", colors).color,
          dash: "dashed",
          points: points(curve?.without_flash_s),
        },
      ],
      x: {
        name: "checkpoint interval [s]",
        log: true,
        format: (at) => `${formatShort(at)} s`,
      },
      y: { name: "restart [s]", format: formatSeconds },
      markers: [{ name: "chosen interval", x: interval }],
      colors,
    });
  }, [restart, colors, interval]);
  if (restart === null) {
    return (
      <Panel title="The restart time could not be computed">
        <Text size="sm">{recovery.restart_reason}.</Text>
      </Panel>
    );
  }
  return (
    <ChartCard
      title={`A restart takes ${formatSeconds(restart.with_flash.total_s)} if the flash cache survives, ${formatSeconds(restart.without_flash.total_s)} without it: ${formatShort(restart.speedup)} times as fast`}
      subtitle="Time of a restart over the checkpoint interval [s]"
      label={`Restart of ${name}`}
      option={option}
      height={HEIGHT}
      fileName={`${name} restart`}
      table={() => restartTable(recovery)}
      sentence={
        <>
          <div className={`${classes["fields"]} ${classes["level"]}`}>
            <WearField
              name="interval"
              label="Checkpoint interval [s]"
              placeholder={String(USUAL_INTERVAL_S)}
              value={search.interval}
              onChange={(value) => patch({ interval: value })}
            />
            <WearField
              name="redo_pages"
              label="Redone pages"
              placeholder={formatCount(restart.redo_pages)}
              value={search.redo_pages}
              onChange={(redo_pages) => patch({ redo_pages })}
            />
            <WearField
              name="redo_writes"
              label="Redone pages written back"
              placeholder="0"
              value={search.redo_writes}
              onChange={(redo_writes) => patch({ redo_writes })}
            />
            <WearField
              name="flash_share"
              label="Share found on flash"
              placeholder={String(USUAL_FLASH_SHARE)}
              value={search.flash_share}
              onChange={(flash_share) => patch({ flash_share })}
            />
          </div>
          <Text size="sm" mt="xs">
            {counted(formatNumber(restart.redo_pages), "page")} to redo:{" "}
            {restart.redo_basis}. Reading the flash metadata back (
            {counted(restart.metadata_segments, "segment")}) takes{" "}
            {formatSeconds(restart.with_flash.metadata_s)}; scanning the whole flash
            instead takes {formatSeconds(restart.full_scan_s)}.
            {restart.metadata_flush_interval_s !== null &&
              ` A segment fills every ${formatSeconds(restart.metadata_flush_interval_s)}.`}
          </Text>
        </>
      }
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            {restart.validity}.{" "}
            {search.flash_share === undefined
              ? "98 % of the redone pages are assumed to be on flash, the lowest share measured for FaCE."
              : `${formatPercent(ratio(search.flash_share))} of the redone pages are assumed to be on flash, as given.`}
          </Text>
          <AskedSteps query={recoverySteps(recovery)} only={(step) => !isFill(step)} />
        </Stack>
      }
    />
  );
});
