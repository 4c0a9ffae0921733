import { Button, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import {
  type MiniatureIn,
  type MiniatureOut,
  miniatureKey,
  readMiniature,
  startMiniature,
  type WornBy,
} from "@/api/miniatures";
import {
  type ContenderIn,
  FAMILIES,
  type Family,
  itemOf,
  type SimulatorItem,
  type SimulatorOut,
} from "@/api/simulator";
import { usePartial } from "@/api/use-partial";
import { type CurveOut, curveQuery, replaysOf, type SummaryOut } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { curveOption } from "@/charts/curve-option";
import { schemeMark } from "@/charts/palette";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { RunProgress } from "@/components/run-progress";
import { SizeInput } from "@/components/size-input";
import { WarningNotes } from "@/components/warning-notes";
import type { AnalysisSearch } from "@/questions/point";
import {
  countSizes,
  readContenders,
  readSizes,
  type SizeSpec,
  type SweepSearch,
  sizesInput,
  specOfInput,
  USUAL_POINTS,
  writeContenders,
  writeSizes,
} from "@/questions/simulate";
import { bytes, counted, formatShort, pages } from "@/units/quantity";
import {
  estimateFinding,
  estimateNotes,
  estimateSentence,
  estimateTable,
  isSameEstimate,
  knownRows,
  leastPagesAt,
  statedRows,
  USUAL_RATE,
} from "./estimate";
import { tierRows } from "./estimate-tiers";
import { TiersChart } from "./estimate-tiers-chart";
import { estimatedLives } from "./flash-lives";
import { OptionForm } from "./option-form";
import { LifeNotes } from "./results-panel";
import classes from "./simulate.module.css";
import { SizesForm } from "./sizes-form";

const HEIGHT = 380;
const PERCENT = 100;
const LEAST_PERCENT = 0.01;
/** Above flash, unless the address says how much: as in the measured coverage of the intervals. */
const USUAL_RAM_SHARE = 0.05;
/** The others count in windows and batches that do not shrink with the cache. */
const ESTIMATED = ["policy", "scheme", "flash_cache"] as const;
const isEstimated = (family: Family): boolean =>
  ESTIMATED.some((each) => each === family);

type Patch = (change: AnalysisSearch & SweepSearch) => void;

interface EstimateProps {
  readonly search: SweepSearch;
  readonly simulator: SimulatorOut;
  readonly workload: string;
  readonly name: string;
  readonly summary: SummaryOut;
  /** Pages of what is replayed: fewer than those of production that was scaled from it. */
  readonly recordedPages: number;
  readonly worn: WornBy;
  readonly patch: Patch;
}

interface Setup {
  readonly contender: ContenderIn;
  readonly item: SimulatorItem | undefined;
  /** Above flash; null of a single cache. [pages] */
  readonly ram: number | null;
  readonly sizes: SizeSpec;
  readonly rate: number;
  readonly faults: readonly string[];
}

/** Sizes whose miniatures are large enough, where what is replayed has any. */
function usualSizes(
  distinctPages: number,
  recordedPages: number,
  rate: number,
): SizeSpec & { readonly kind: "range" } {
  const least = leastPagesAt(rate);
  const from = least < recordedPages ? least : recordedPages / 1000;
  return {
    kind: "range",
    from: Math.max(1, Math.round((from * distinctPages) / Math.max(1, recordedPages))),
    to: Math.max(1, distinctPages),
    points: USUAL_POINTS,
  };
}

/** The estimate asked for, as the address states it, what it leaves open filled in. */
export function setupOf(
  search: SweepSearch,
  simulator: SimulatorOut,
  distinctPages: number,
  recordedPages = distinctPages,
): Setup {
  const read = readContenders(search.estimated ?? "", simulator);
  const faults = [...read.faults];
  const named = read.contenders.find(({ family }) => isEstimated(family));
  if (named === undefined && read.contenders.length > 0) {
    faults.push(
      "only replacement policies, page-flow schemes and flash caches can be estimated for all sizes",
    );
  }
  const contender = named ?? {
    family: "policy" as const,
    name: usualPolicy(simulator),
    options: {},
  };
  const rate = search.estimate_rate ?? USUAL_RATE;
  const usual = usualSizes(distinctPages, recordedPages, rate);
  const sizes =
    search.estimate_sizes === undefined ? usual : readSizes(search.estimate_sizes, 1);
  if (sizes === null) {
    faults.push(
      `"${search.estimate_sizes?.slice(0, 60)}" is not a list of sizes in pages`,
    );
  }
  const item = itemOf(simulator, contender);
  const usualRam = Math.max(usual.from, Math.round(USUAL_RAM_SHARE * distinctPages));
  return {
    contender,
    item,
    ram: (item?.tiers ?? 1) === 1 ? null : (search.estimate_ram ?? usualRam),
    sizes: sizes ?? usual,
    rate,
    faults,
  };
}

/** The first policy whose curve does not follow from stack distances. */
const usualPolicy = (simulator: SimulatorOut): string =>
  simulator.policies.find(({ name, needs }) => name === "arc" && needs.length === 0)
    ?.name ??
  simulator.policies[0]?.name ??
  "lru";

/** All sizes of one policy or of flash, from scaled caches over samples of the pages. */
export function EstimatePanel(props: EstimateProps) {
  const { search, simulator, workload, summary, recordedPages, worn, patch } = props;
  const setup = useMemo(
    () => setupOf(search, simulator, summary.distinct_pages, recordedPages),
    [search, simulator, summary.distinct_pages, recordedPages],
  );
  const job = usePartial<MiniatureOut, MiniatureIn>({
    id: search.estimate,
    key: [workload, worn],
    keyOf: miniatureKey,
    read: (id, signal) => readMiniature(id, workload, worn, signal),
    create: startMiniature,
    onStarted: (estimate) => patch({ estimate }),
  });
  const made = job.subject;
  const exact = useQuery({
    ...curveQuery(made?.workload_id ?? ""),
    // Between the sizes the curve of a trace is exact; behind a warm-up there is none.
    enabled: made !== null && made.warm_up === 0 && replaysOf(summary) === "trace",
  }).data;
  useRestored(search, made, workload, patch);
  const body: MiniatureIn = {
    workload_id: workload,
    family: setup.contender.family,
    policy: setup.contender.name,
    options: setup.contender.options ?? {},
    ...(setup.ram === null ? {} : { ram_pages: setup.ram }),
    sizes: sizesInput(setup.sizes),
    sample_rate: setup.rate,
  };
  const stale = made !== null && !isSameEstimate(made.inputs, body);
  return (
    <>
      <Panel
        title="All sizes of one policy or flash cache, estimated"
        subtitle="Policies without the stack property, and flash below RAM, have no one-pass curve: eight scaled-down caches replay eight samples of the pages"
      >
        <Stack gap="md">
          <Fields {...props} setup={setup} />
          <EstimateButton
            setup={setup}
            ofRecording={replaysOf(summary) === "recording"}
            running={job.running}
            complete={made !== null && !stale && made.status === "succeeded"}
            onStart={() => job.start(body)}
          />
          {job.error !== null && (
            <ProblemAlert
              error={job.error}
              title="The estimate could not be computed"
            />
          )}
          {job.run !== undefined && <RunProgress run={job.run} />}
          {made !== null && stale && !job.running && (
            <Text size="sm" role="status" style={{ color: "var(--tw-warn)" }}>
              ⚠ The estimate below is for another policy or cache, sampling rate or set
              of sizes.
            </Text>
          )}
        </Stack>
      </Panel>
      {made !== null && tierRows(made).length > 0 && (
        <TiersChart made={made} name={props.name} />
      )}
      {made !== null && knownRows(made).length > 0 && (
        <EstimateChart made={made} exact={exact} name={props.name} />
      )}
      {made !== null && (
        <>
          <LifeNotes about={estimatedLives(made)} />
          <WarningNotes notes={estimateNotes(made)} />
        </>
      )}
    </>
  );
}

function Fields(props: EstimateProps & { readonly setup: Setup }) {
  const { setup, simulator, summary, patch } = props;
  const choose = (contender: ContenderIn) =>
    patch({ estimated: writeContenders([contender]) });
  return (
    <>
      {setup.faults.length > 0 && (
        <Text role="alert" size="sm" style={{ color: "var(--tw-warn)" }}>
          ⚠ {setup.faults.join("; ")}.
        </Text>
      )}
      <div className={classes["estimate"]}>
        <div>
          <Select
            label="Policy, scheme or flash cache"
            size="sm"
            data={FAMILIES.filter(({ family }) => isEstimated(family)).map(
              ({ family, title, items }) => ({
                group: title,
                items: items(simulator).map((item) => ({
                  value: `${family}:${item.name}`,
                  label: item.title,
                })),
              }),
            )}
            value={`${setup.contender.family}:${setup.contender.name}`}
            onChange={(value) => {
              const [family, name] = (value ?? "").split(":");
              if (family !== undefined && name !== undefined) {
                choose({ family: family as Family, name });
              }
            }}
            allowDeselect={false}
          />
          {setup.item !== undefined && (
            <Text size="xs" c="dimmed" mt={4}>
              <Prose text={setup.item.description} />
            </Text>
          )}
        </div>
        <NumberField
          label="Pages sampled"
          unit="%"
          description="More pages: narrower intervals, more time"
          min={LEAST_PERCENT}
          max={PERCENT}
          value={PERCENT * setup.rate}
          onChange={(percent) => patch({ estimate_rate: percent / PERCENT })}
        />
        {setup.ram !== null && (
          <SizeInput
            label="RAM above flash"
            value={pages(setup.ram)}
            pageBytes={bytes(summary.page_bytes)}
            min={1}
            onChange={(ram) => patch({ estimate_ram: ram })}
          />
        )}
      </div>
      {setup.item !== undefined && setup.item.options.length > 0 && (
        <OptionForm
          // A device has no miniature.
          item={{ ...setup.item, device_options: [] }}
          simulator={simulator}
          contender={setup.contender}
          onChange={(options) => choose({ ...setup.contender, options })}
        />
      )}
      <SizesForm
        label={setup.ram === null ? "Sizes to estimate" : "Sizes of flash to estimate"}
        spec={setup.sizes}
        minimum={1}
        pageBytes={bytes(summary.page_bytes)}
        distinctPages={summary.distinct_pages}
        onChange={(spec) => patch({ estimate_sizes: writeSizes(spec) })}
      />
    </>
  );
}

function EstimateButton(props: {
  readonly setup: Setup;
  readonly ofRecording: boolean;
  readonly running: boolean;
  readonly complete: boolean;
  readonly onStart: () => void;
}) {
  const { setup, complete } = props;
  const count = countSizes(setup.sizes);
  return (
    <div>
      <Text size="sm" mb="xs" role="status">
        {counted(count, "size")}, from {formatShort(PERCENT * setup.rate)} % of the
        pages; {setup.ram === null ? "below" : "with RAM or flash below"}{" "}
        {props.ofRecording
          ? counted(
              leastPagesAt(setup.rate),
              "page of the recording",
              "pages of the recording",
            )
          : counted(leastPagesAt(setup.rate), "page")}
        {setup.ram === null
          ? ", or more for a policy with several queues, "
          : ", or more for flash of several parts, "}
        the scaled caches are too small to trust.
      </Text>
      <Button onClick={props.onStart} loading={props.running} disabled={complete}>
        {complete ? "All sizes are estimated" : "Estimate all sizes"}
      </Button>
    </div>
  );
}

/** A link may name only the estimate: its own contender, sizes and rate are then shown. */
function useRestored(
  search: SweepSearch,
  made: MiniatureOut | null,
  workload: string,
  patch: Patch,
) {
  const bare =
    search.estimated === undefined &&
    search.estimate_sizes === undefined &&
    search.estimate_ram === undefined &&
    search.estimate_rate === undefined;
  useEffect(() => {
    if (bare && made !== null) {
      const { inputs } = made;
      patch({
        // Sizes of the other pages belong to the workload they were chosen for.
        ...(inputs.workload_id === workload
          ? {}
          : {
              workload: inputs.workload_id,
              ram_pages: undefined,
              flash_pages: undefined,
            }),
        estimated: writeContenders([
          {
            family: inputs.family ?? "policy",
            name: inputs.policy,
            options: inputs.options ?? {},
          },
        ]),
        estimate_ram: inputs.ram_pages ?? undefined,
        estimate_sizes: writeSizes(specOfInput(inputs.sizes)),
        estimate_rate: inputs.sample_rate ?? USUAL_RATE,
      });
    }
  });
}

const inPercent = (value: number) => PERCENT * value;

/** Hit ratio over size with its interval, the exact curve of LRU beside it. */
export function EstimateChart({
  made,
  exact,
  name,
}: {
  readonly made: MiniatureOut;
  /** Between the sizes of the estimate too, once it is there. */
  readonly exact: Pick<CurveOut, "pages" | "misses" | "accesses"> | undefined;
  readonly name: string;
}) {
  const colors = useChartColors();
  const option = useMemo(() => {
    const rows = knownRows(made);
    const mark = schemeMark(made.inputs.policy.toLowerCase(), colors);
    const lru = schemeMark("lru", colors);
    const sizes = rows.map((row) => row.pages);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    const curve =
      exact === undefined
        ? []
        : exact.pages.flatMap((size, at) =>
            size < least || size > most
              ? []
              : [[size, 1 - (exact.misses[at] ?? 0) / exact.accesses] as const],
          );
    // The sizes of the estimate are exact as well, and begin and end the line.
    const points = new Map(
      [...curve, ...rows.map((row) => [row.pages, row.lru_hit_ratio] as const)].sort(
        ([one], [other]) => one - other,
      ),
    );
    return curveOption({
      series: [
        {
          name: `${made.title}, estimated`,
          color: mark.color,
          symbol: mark.shape,
          points: rows.map((row) => [row.pages, inPercent(row.hit_ratio)]),
          band: statedRows(rows).map((row) => [
            row.pages,
            inPercent(row.hit_ratio_interval95[0]),
            inPercent(row.hit_ratio_interval95[1]),
          ]),
        },
        {
          name: "LRU, exact",
          color: lru.color,
          dash: "dashed",
          points: [...points].map(([size, value]) => [size, inPercent(value)]),
        },
      ],
      pageBytes: bytes(made.page_bytes),
      valueName: "hit ratio [%]",
      valueFromData: true,
      formatValue: (value) => `${formatShort(value, 4)} %`,
      colors,
    });
  }, [made, exact, colors]);
  return (
    <ChartCard
      title={estimateFinding(made)}
      subtitle={`Hit ratio [%] over cache size, from ${formatShort(inPercent(made.inputs.sample_rate ?? USUAL_RATE))} % of the pages in eight miniatures; band: 95 % interval; the axis begins where the data do`}
      label={`Estimated hit ratio of ${made.title} by size of ${name}`}
      option={option}
      height={HEIGHT}
      table={() => estimateTable(made)}
      fileName={`${name} ${made.title} estimated`}
      sentence={estimateSentence(made)}
      explanation={<Explanation warmUp={made.warm_up} />}
    />
  );
}

function Explanation({ warmUp }: { readonly warmUp: number }) {
  return (
    <p>
      Miniature simulation (Waldspurger, Saemundsson, Ahmad and Park, USENIX ATC 2017):
      a page is sampled with all of its accesses or not at all, and a cache of C pages
      is represented by one of C x rate / 8 pages. Eight of these replay disjoint
      samples; their mean, scaled to all pages, is the estimate. The band covers their
      spread, the difference between slightly smaller and larger caches, and the
      roughness of the counts between those sizes. It covers sampling error only: where
      a scaled cache, or a queue within it, has fewer than 32 pages, and where the
      policy does not scale with its cache, it may behave unlike a large one, and no
      band is drawn. No band is drawn at a cliff either: a few pages more or fewer make
      the cache hit or miss whole loops, and no sample shows at which size the full
      cache does so.{" "}
      {warmUp === 0
        ? "The dashed line is LRU from stack distances of the whole trace, exact at every size. Cold start, nothing flushed at the end."
        : "The dashed line is LRU, replayed on the whole recording at each of the sizes. The first half of the recording fills the caches and is not counted, and nothing is flushed at the end."}{" "}
      To be sure of a size, run a sweep: it replays the whole trace.
    </p>
  );
}
