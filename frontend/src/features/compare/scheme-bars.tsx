import { Text } from "@mantine/core";
import { memo, useMemo } from "react";
import {
  deciding,
  type EvaluationOut,
  type SimulationOut,
  shownSchemes,
} from "@/api/compare";
import { barsOption, type SchemeBar, termsOf } from "@/charts/bars-option";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { costTermTitle } from "@/charts/palette";
import { CloseCall } from "@/components/close-call";
import { valueColumn } from "@/components/columns";
import { formatMicroseconds, microseconds } from "@/units/quantity";
import { IO_TIME, titlesOf, verdict } from "./check-findings";

const HEIGHT = 330;
const BAR_HEIGHT = 36;
const NONE_DIRTY = "No dirty pages";

const micros = (value: number) => formatMicroseconds(microseconds(value));

function schemeBars(
  evaluation: EvaluationOut,
  check: SimulationOut | null,
): SchemeBar[] {
  const simulated = new Map(
    (check?.result?.rows ?? [])
      .filter((row) => row.counter === IO_TIME)
      .map((row) => [row.scheme, row.simulated]),
  );
  const schemes = shownSchemes(evaluation).map((scheme) => ({
    scheme: scheme.scheme,
    title: scheme.title,
    terms: { ...deciding(scheme).cost_terms_us_per_access },
    total: deciding(scheme).io_time_us_per_access,
    // Bars of a replay need no marker of one.
    simulated:
      scheme.least?.io_time_us_per_access ??
      (scheme.replayed === null ? simulated.get(scheme.scheme) : undefined),
    best: evaluation.flash_pages > 0 && scheme.scheme === evaluation.best,
  }));
  return [...schemes, ...outerBars(evaluation)];
}

/** What surrounds the schemes; the scheme without flash is among them already. */
const outerBars = (evaluation: EvaluationOut): SchemeBar[] =>
  evaluation.outer.bars
    .filter(({ name }) => name !== "no_flash")
    .map((bar) => ({
      scheme: bar.name,
      title: bar.title,
      terms: { ...bar.cost_terms_us_per_access },
      total: bar.io_time_us_per_access,
      simulated: bar.least?.io_time_us_per_access,
      outer: true,
    }));

function subtitleOf(evaluation: EvaluationOut, simulated: boolean): string {
  if (evaluation.decided_by === "replay") {
    return "I/O time per access by cost term, replayed [µs]";
  }
  if (evaluation.dirty_share.state === "unknown") {
    return "I/O time per access by cost term, model [µs]; the dirty share is unknown: bars show the maximum possible, markers no dirty pages";
  }
  return simulated
    ? "I/O time per access by cost term, model [µs]; markers: simulated"
    : "I/O time per access by cost term, model [µs]";
}

export const SchemeBars = memo(function SchemeBars(props: {
  readonly evaluation: EvaluationOut;
  /** Scheme that the model alone puts first. */
  readonly modelBest: string | null;
  /** A replay that decides is under way. */
  readonly deciding: boolean;
  /** The check of this very point, where one has been made. */
  readonly check: SimulationOut | null;
  readonly workloadName: string;
}) {
  const { evaluation, check } = props;
  const colors = useChartColors();
  const bars = useMemo(() => schemeBars(evaluation, check), [evaluation, check]);
  const unknown = evaluation.dirty_share.state === "unknown";
  const option = useMemo(
    () => barsOption({ bars, colors, ...(unknown ? { markerName: NONE_DIRTY } : {}) }),
    [bars, colors, unknown],
  );
  const decision = verdict(
    check?.result?.rows ?? [],
    titlesOf(evaluation),
    evaluation.best,
  );
  const terms = termsOf(bars);
  return (
    <ChartCard
      title={evaluation.sentence}
      subtitle={subtitleOf(evaluation, decision !== null)}
      label={`I/O time per access by scheme: ${bars
        .map((bar) => `${bar.title} ${micros(bar.total)} µs`)
        .join(", ")}`}
      option={option}
      height={HEIGHT + BAR_HEIGHT * bars.filter(({ outer }) => outer).length}
      sentence={
        <>
          {decision === null ? (
            <CloseCall
              evaluation={evaluation}
              modelBest={props.modelBest}
              deciding={props.deciding}
            />
          ) : (
            <Text size="sm">{decision}</Text>
          )}
          <Text size="sm" c="dimmed">
            {evaluation.outer.sentence}
          </Text>
        </>
      }
      fileName={`${props.workloadName} page-flow schemes`}
      table={() =>
        chartTable(
          bars,
          [
            valueColumn("Scheme", (bar) => bar.title),
            ...terms.map((term) =>
              valueColumn(
                `${costTermTitle(term)} [µs]`,
                (bar: SchemeBar) => bar.terms[term] ?? 0,
                micros,
              ),
            ),
            valueColumn("Total [µs]", (bar) => bar.total, micros),
            valueColumn(
              unknown ? "Total, no dirty pages [µs]" : "Simulated [µs]",
              (bar) => bar.simulated ?? null,
              micros,
            ),
          ],
          { caption: "Times are per access; the CSV export has every digit." },
        )
      }
      explanation={
        <>
          <p>
            Each term is a number of page operations per access, taken from the
            workload's hit-ratio and write-back curves, times the service time of the
            device. RAM hits cost nothing. Flash reads are flash hits; flash fills put a
            page on flash that was not there; flash write-backs rewrite a dirty page
            that is there; disk reads are the accesses that miss both tiers; disk writes
            are dirty pages leaving the last cache.
          </p>
          <p>
            Hits are counted separately for every scheme, because keeping a second copy
            of the pages in RAM costs flash space. Press an I/O time in the table to see
            each formula with its numbers and its source.
          </p>
          <p>
            The outlined bars are for comparison, not to choose. Everything in RAM: RAM
            as large as the data, so only the misses of such a cache are left.
            Everything on flash: the same RAM, and flash in place of the disk, so every
            RAM miss reads flash and dirty pages are written there.
          </p>
        </>
      }
    />
  );
});
