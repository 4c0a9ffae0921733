import { SegmentedControl } from "@mantine/core";
import { useMemo, useState } from "react";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { type CurveSeries, curveOption, type SizeMarker } from "@/charts/curve-option";
import { EmptyState } from "@/components/empty-state";
import { bandText as countersBandText, knownAndBounded } from "@/components/evidence";
import { Panel } from "@/components/panel";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
  unbroken,
} from "@/units/quantity";
import {
  type Curve,
  hasWrites,
  hitRatioFinding,
  hitRatioSentence,
  hitRatios,
  lawBand,
  sampleRows,
  steadyBand,
  type WrittenCurve,
  writeBackFinding,
  writeBackSentence,
} from "./curve-findings";
import { marginalAxis, marginalColumns, type Paying } from "./marginal";
import {
  MarginalMethod,
  MarginalSwitch,
  MarginalText,
  useMarginal,
} from "./marginal-axis";

const HEIGHT = 340;
const TABLE_ROWS = 60;
const ACCENT = { light: "#364fc7", dark: "#91a7ff" } as const;
const SECOND = { light: "#a34a00", dark: "#ffb066" } as const;

interface ProfileChartsProps {
  readonly curve: Curve;
  readonly name: string;
  readonly cursor: number;
}

interface StartedChartsProps extends ProfileChartsProps {
  readonly workloadId: string;
  /** Whether the curve was scaled to production. */
  readonly scaled: boolean;
  readonly onStart: (start: "steady" | "cold") => void;
}

/** Hit-ratio and write-back curve from the chosen start, cursor shared. */
export function ProfileCharts(props: StartedChartsProps) {
  const { curve } = props;
  return (
    <>
      <HitRatioChart {...props} />
      {hasWrites(curve) ? (
        <WriteBackChart {...props} curve={curve} />
      ) : (
        <UnknownWrites kind={curve.kind} composed={curve.composed_of != null} />
      )}
    </>
  );
}

/** What stands behind the numbers, in a word. */
const BASIS = {
  trace: "exact at every listed size",
  profile: "as the profile lists it",
  curve: "as it was given",
} as const;

const basisOf = (curve: Curve) =>
  curve.described_by != null
    ? "in the steady state, computed from the description"
    : curve.composed_of != null
      ? "in the steady state, composed by formula"
      : curve.start === "steady" && curve.steady != null
        ? "in the steady state, estimated"
        : curve.kind === "curve"
          ? BASIS.curve
          : `${BASIS[curve.kind]}, from a cold start`;

const PER_CENT = 100;

/** A curve that was given says nothing of writes; some trace formats neither. */
function UnknownWrites({
  kind,
  composed,
}: Pick<Curve, "kind"> & { composed: boolean }) {
  if (composed) {
    return (
      <Panel title="How many pages are written back is not known">
        <EmptyState title="One of the workloads does not contain write-backs">
          So those of the shared cache are unknown. On the Compare page you can state a
          dirty share; without one every cost is a range, from no dirty page to all that
          could be dirty.
        </EmptyState>
      </Panel>
    );
  }
  if (kind !== "curve") {
    return (
      <Panel title="How many pages are written back is not known">
        <EmptyState title="This trace does not distinguish writes from reads">
          All its accesses count as reads. So write costs and wear are left out of every
          answer, and whatever writes more looks better than it is. Use a trace with
          operations before you choose a scheme or size flash for writes.
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel title="How many pages are written back is not known">
      <EmptyState title="A hit-ratio curve does not contain write-backs">
        Which evicted pages are dirty depends on what the workload writes, and when. On
        the Compare page you can state a dirty share; without one every cost is a range,
        from no dirty page to all that could be dirty. A trace that has writes contains
        the share at every size.
      </EmptyState>
    </Panel>
  );
}

/** The knees and the chosen size. */
function markersOf(curve: Curve, cursor: number): SizeMarker[] {
  const bends = curve.knees.map(
    (bend, number): SizeMarker => ({
      name: number === 0 ? "knee" : "small knee",
      pages: bend.pages,
    }),
  );
  return [
    ...bends.filter((bend) => bend.pages !== cursor),
    { name: bends[0]?.pages === cursor ? "knee, chosen" : "chosen", pages: cursor },
  ];
}

function tableOf(curve: Curve, paying: Paying | null = null) {
  const more = paying === null ? null : marginalColumns(paying);
  const perCent = (count: number) => formatPercent(ratio(count / curve.accesses), 4);
  return {
    header: [
      "Cache [pages]",
      "Cache [bytes]",
      "Hit ratio",
      "Miss ratio",
      "Misses",
      "Write-backs",
      ...(more?.header ?? []),
    ],
    rows: curve.pages.map((size, index) => {
      const misses = curve.misses[index] ?? 0;
      return [
        size,
        size * curve.page_bytes,
        1 - misses / curve.accesses,
        misses / curve.accesses,
        misses,
        curve.write_backs?.[index] ?? null,
        ...(more?.row(size) ?? []),
      ];
    }),
    shown: sampleRows(curve.pages.length, TABLE_ROWS).map((row) => {
      const size = curve.pages[row] ?? 0;
      const misses = curve.misses[row] ?? 0;
      return [
        formatCount(size),
        formatBytes(bytes(size * curve.page_bytes)),
        perCent(curve.accesses - misses),
        perCent(misses),
        formatCount(misses),
        curve.write_backs === null ? "–" : formatCount(curve.write_backs[row] ?? 0),
        ...(more?.shown(size) ?? []),
      ];
    }),
    caption: `${Math.min(TABLE_ROWS, curve.pages.length)} of ${counted(curve.pages.length, "listed size")}, ${basisOf(curve)}; the CSV export holds all of them.`,
  };
}

const bandOf = (curve: Curve, isHit: boolean) =>
  (curve.steady == null ? lawBand(curve) : steadyBand(curve)).map(
    ([size, low, high]) =>
      (isHit
        ? [size, PER_CENT * low, PER_CENT * high]
        : [size, PER_CENT * (1 - high), PER_CENT * (1 - low)]) as [
        number,
        number,
        number,
      ],
  );

const BANDS = {
  recorded: "; band: from first touches left out to all of them missing",
  law: "; band: the worst error known of the scale laws",
  scaled:
    "; band: first touches left out or all missing, and the worst error known of the scale law",
} as const;

/** What the band around the line is; null where there is none. */
function bandText(curve: Curve, scaled: boolean): string | null {
  if (curve.steady == null) {
    const law =
      curve.evidence == null || scaled
        ? BANDS.law
        : `; ${countersBandText(curve.evidence)}`;
    return curve.misses_low == null ? null : law;
  }
  return curve.start === "steady" ? BANDS[scaled ? "scaled" : "recorded"] : null;
}

/** The curve, solid where it is known at every size and dashed between sizes that were counted alone. */
function linesOf(
  curve: Curve,
  isHit: boolean,
  isBanded: boolean,
  color: string,
): CurveSeries[] {
  const points = hitRatios(curve).map(
    ([size, value]) => [size, PER_CENT * (isHit ? value : 1 - value)] as const,
  );
  const name = isHit ? "Hit ratio" : "Miss ratio";
  const evidence = curve.composed_of == null ? curve.evidence : null;
  const { known, bounded } = knownAndBounded(evidence, points);
  const lines: CurveSeries[] = [
    { name, color, points: known },
    ...bounded.map((part) => ({
      name: `${name}, between counted sizes`,
      color,
      dashed: true,
      symbol: "circle" as const,
      points: part,
    })),
  ].filter((line) => line.points.length > 0);
  return lines.map((line, index) =>
    isBanded && index === 0 ? { ...line, band: bandOf(curve, isHit) } : line,
  );
}

function HitRatioChart(props: StartedChartsProps) {
  const { curve, name, cursor, onStart, scaled } = props;
  const band = bandText(curve, scaled);
  const isBanded = band !== null;
  const [kind, setKind] = useState("hit");
  const colors = useChartColors();
  const marginal = useMarginal(props.workloadId, curve);
  const { paying, limit } = marginal;
  const isHit = kind === "hit";
  const option = useMemo(() => {
    return curveOption({
      series: linesOf(curve, isHit, isBanded, ACCENT[colors]),
      pageBytes: bytes(curve.page_bytes),
      valueName: isHit ? "hit ratio [%]" : "miss ratio [%]",
      valueMax: 100,
      formatValue: (value) => `${formatShort(value, 4)} %`,
      markers: markersOf(curve, cursor),
      ...(paying === null || limit === null
        ? {}
        : { second: marginalAxis(curve, paying, limit, colors) }),
      colors,
    });
  }, [curve, isHit, isBanded, cursor, paying, limit, colors]);
  return (
    <ChartCard
      title={hitRatioFinding(curve)}
      subtitle={`${isHit ? "Hit" : "Miss"}-ratio curve of an LRU cache, ${basisOf(curve)} [%]${band ?? ""}`}
      label={`${isHit ? "Hit" : "Miss"} ratio over cache size of ${name}`}
      option={option}
      height={HEIGHT}
      group="profile"
      table={() => tableOf(curve, paying)}
      fileName={`${name} ${kind}-ratio curve`}
      sentence={
        <>
          <div>{unbroken(hitRatioSentence(curve))}</div>
          <MarginalText curve={curve} marginal={marginal} cursor={cursor} />
        </>
      }
      controls={
        <>
          <MarginalSwitch marginal={marginal} />
          {curve.steady != null && (
            <SegmentedControl
              size="xs"
              aria-label="Start of the cache"
              value={curve.start ?? "steady"}
              onChange={(value) => onStart(value === "cold" ? "cold" : "steady")}
              transitionDuration={0}
              data={[
                { value: "steady", label: "Steady state" },
                { value: "cold", label: "Cold start" },
              ]}
            />
          )}
          <SegmentedControl
            size="xs"
            aria-label="Hits or misses"
            value={kind}
            onChange={setKind}
            transitionDuration={0}
            data={[
              { value: "hit", label: "Hits" },
              { value: "miss", label: "Misses" },
            ]}
          />
        </>
      }
      explanation={
        <>
          <HitRatioMethod curve={curve} />
          {paying !== null && <MarginalMethod paying={paying} />}
        </>
      }
    />
  );
}

function HitRatioMethod({ curve }: { readonly curve: Curve }) {
  const found = byFormula(curve);
  if (found !== null) {
    return found;
  }
  return curve.kind === "curve" ? (
    <p>
      This curve was given, not measured here. It is treated as the curve of a full LRU
      cache: every miss evicts a page. The line is straight between the given sizes, and
      from zero at size 0 to the first. Knees by {curve.knee_method}.
    </p>
  ) : (
    <p>
      One pass over the trace finds the LRU stack distance of every access: the number
      of different pages touched since the last access to the same page, itself
      included. A cache of C pages hits exactly the accesses whose distance is at most
      C, so one histogram of distances gives the count of hits at every size (Mattson et
      al., 1970). From a cold start the cache is empty, and the first access to a page
      always misses. In the steady state, only a lower bound is known for the distance
      of a first access: the product-limit estimate uses, for each size, the accesses
      whose distance is known up to that size. Between listed sizes the line is
      straight. Knees by {curve.knee_method}.
    </p>
  );
}

/** How a curve that was computed was found; null where it was measured or given. */
function byFormula({ described_by, composed_of, knee_method }: Curve) {
  if (described_by != null) {
    return <DescribedMethod method={knee_method} />;
  }
  return composed_of == null ? null : <ComposedMethod method={knee_method} />;
}

/** How the counts of a described workload are found. */
function DescribedMethod({ method }: { readonly method: string }) {
  return (
    <p>
      Nothing was measured: both curves follow from the description by formula. A page
      stays in a full LRU cache of C pages for the time in which C different pages are
      accessed (Che, Tung and Wang, 2002); it is written back if one of its accesses
      during that stay writes. Knees by {method}.
    </p>
  );
}

/** How the counts of a composed workload are found. */
function ComposedMethod({ method }: { readonly method: string }) {
  return (
    <p>
      Nothing was measured of all workloads together: both curves follow from those of
      each. A shared cache holds the pages that were used within one time, the same for
      all workloads, and each misses as in a cache of the pages that it holds (Denning
      and Schwartz, 1972). Knees by {method}.
    </p>
  );
}

function WriteBackChart({
  curve,
  name,
  cursor,
}: ProfileChartsProps & { readonly curve: WrittenCurve }) {
  const colors = useChartColors();
  const option = useMemo(
    () =>
      curveOption({
        series: [
          {
            name: "Write-backs",
            color: SECOND[colors],
            points: curve.pages.map(
              (size, index) =>
                [size, (curve.write_backs[index] ?? 0) / curve.accesses] as const,
            ),
          },
        ],
        pageBytes: bytes(curve.page_bytes),
        valueName: "write-backs per access",
        formatValue: (value) =>
          `${formatShort(value, 4)} per access (${formatCount(value * curve.accesses)})`,
        markers: markersOf(curve, cursor),
        colors,
      }),
    [curve, cursor, colors],
  );
  return (
    <ChartCard
      title={writeBackFinding(curve)}
      subtitle={`Write-back curve: dirty pages evicted by an LRU cache, ${curve.kind === "curve" && curve.described_by == null && curve.composed_of == null ? "by the dirty share as stated or counted" : basisOf(curve)} [per access]`}
      label={`Write-backs over cache size of ${name}`}
      option={option}
      height={HEIGHT}
      group="profile"
      table={() => tableOf(curve)}
      fileName={`${name} write-back curve`}
      sentence={writeBackSentence(curve)}
      explanation={
        byFormula(curve) ??
        (curve.kind === "curve" ? (
          <p>
            The share of the misses that was stated or counted, the same at every size:
            a given curve does not contain which pages are dirty.
          </p>
        ) : (
          <p>
            From one write of a page to its next write, the page is written back once at
            every cache size below the largest stack distance among its accesses in
            between, and not at all at larger sizes. One running maximum per page
            therefore gives the number of write-backs at every size in the same pass.
            Pages still dirty at the end are not written back: nothing is flushed.
          </p>
        ))
      }
    />
  );
}
