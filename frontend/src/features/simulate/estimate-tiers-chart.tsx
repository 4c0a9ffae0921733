import { useMemo } from "react";
import type { MiniatureOut } from "@/api/miniatures";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { curveOption } from "@/charts/curve-option";
import { schemeMark } from "@/charts/palette";
import { bytes, formatPagesAndBytes, formatShort, pages } from "@/units/quantity";
import { USUAL_RATE } from "./estimate";
import {
  missInterval,
  missRatio,
  tierFinding,
  tierRows,
  tierSentence,
  tierTable,
} from "./estimate-tiers";

const HEIGHT = 380;
const inPercent = (value: number) => 100 * value;

/** Misses of RAM and flash together over the size of flash, with their interval. */
export function TiersChart({
  made,
  name,
}: {
  readonly made: MiniatureOut;
  readonly name: string;
}) {
  const colors = useChartColors();
  const option = useMemo(() => {
    const rows = tierRows(made);
    const mark = schemeMark(made.inputs.policy.toLowerCase(), colors);
    return curveOption({
      series: [
        {
          name: `${made.title}, estimated`,
          color: mark.color,
          symbol: mark.shape,
          points: rows.map((row) => [row.pages, inPercent(missRatio(row))]),
          band: rows.flatMap((row) => {
            const ends = missInterval(row);
            return ends === null
              ? []
              : [[row.pages, inPercent(ends[0]), inPercent(ends[1])] as const];
          }),
        },
      ],
      pageBytes: bytes(made.page_bytes),
      valueName: "misses [% of accesses]",
      valueFromData: true,
      formatValue: (value) => `${formatShort(value, 4)} %`,
      colors,
    });
  }, [made, colors]);
  const ram = formatPagesAndBytes(
    pages(made.inputs.ram_pages ?? 0),
    bytes(made.page_bytes),
  );
  return (
    <ChartCard
      title={tierFinding(made)}
      subtitle={`Accesses that miss RAM and flash [%] over the size of flash below RAM of ${ram}, from ${formatShort(inPercent(made.inputs.sample_rate ?? USUAL_RATE))} % of the pages in eight miniatures; band: 95 % interval; the axis begins where the data do`}
      label={`Estimated misses of ${made.title} by size of flash of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => tierTable(made)}
      fileName={`${name} ${made.title} estimated`}
      sentence={tierSentence(made)}
      explanation={<Explanation warmUp={made.warm_up} />}
    />
  );
}

function Explanation({ warmUp }: { readonly warmUp: number }) {
  return (
    <p>
      Miniature simulation (Waldspurger, Saemundsson, Ahmad and Park, USENIX ATC 2017):
      a page is sampled with all of its accesses or not at all, and RAM and flash are
      scaled alike, by rate / 8, with all that is a share of flash. Eight of these
      replay disjoint samples; their mean, scaled to all pages, is the estimate. The
      band covers their spread, the difference between slightly smaller and larger
      caches, and the roughness of the counts between those sizes. It covers sampling
      error only: where scaled RAM, scaled flash or a part of it has fewer than 32
      pages, the miniature may behave unlike the whole, and no band is drawn; nor is one
      at a cliff, where a few pages more or fewer make a cache hit or miss whole loops.
      A flash cache whose buckets, batches or streams do not shrink with flash has no
      estimate.{" "}
      {warmUp === 0
        ? "Cold start, nothing flushed at the end."
        : "The first half of the recording fills the caches and is not counted, and nothing is flushed at the end."}{" "}
      To be sure of a size, run a sweep: it replays the whole trace.
    </p>
  );
}
