import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";
import {
  type PoolSplitOut,
  poolSplitGainsQuery,
  poolSplitKey,
  poolSplitQuery,
} from "@/api/analyses";
import { answer } from "@/api/client";
import { createPoolSplit, getPoolSplit } from "@/api/gen/sdk.gen";
import type { PoolSplitAsk } from "@/api/gen/types.gen";
import { isOlder } from "@/api/older";
import { useJob } from "@/api/use-job";
import { replaysOf, type SummaryOut } from "@/api/workloads";
import { EmptyState } from "@/components/empty-state";
import { LogSlider } from "@/components/log-slider";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { SizeInput } from "@/components/size-input";
import { useSettled } from "@/components/use-settled";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import {
  BuyableSwitch,
  sliderRange,
  stepPages,
  useBuyable,
  useWholeSizes,
} from "@/questions/buyable";
import { KeptAnswer } from "@/questions/kept-answer";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import type { SplitSearch } from "@/questions/pool-split";
import { MAX_ASYMMETRY, MIN_ASYMMETRY } from "@/questions/pool-split";
import { useReplayedCounts } from "@/questions/replayed";
import { usePatch } from "@/questions/use-analysis";
import {
  bytes,
  counted,
  formatPagesAndBytes,
  formatShort,
  pages,
} from "@/units/quantity";
import { AdvisorPanel } from "./advisor-panel";
import { AsymmetryControl } from "./asymmetry-control";
import { CostChart } from "./cost-chart";
import { DeviceTable } from "./device-table";
import { GainChart } from "./gain-chart";
import classes from "./pool-split.module.css";

const LEAD =
  "Clean and dirty pages in one buffer, where a page write costs R page reads: how large should each pool be, and is a split worth it?";

export function PoolSplitPage() {
  const patch = usePatch<AnalysisSearch & SplitSearch>();
  const opened = useOpened(patch);
  return (
    <AnalysisPage
      question="pool_split"
      title="Pool split"
      lead={LEAD}
      height={420}
      empty="A pool split is found by replaying a trace."
      untraced={UNTRACED}
      opening={{
        isOpening: opened.isOpening,
        error: opened.error,
        title: "The linked split could not be opened",
      }}
      asks={({ state, search }) => ({ pool_split: asked(state, search) })}
      hasJob
      forProduction
      view={(inputs) => (
        <PoolSplitView {...inputs} patch={patch} linked={opened.older} />
      )}
    />
  );
}

const UNTRACED = {
  title: "A pool split needs a trace",
  text: "The hits of a clean and a dirty pool at each split depend on the order of reads and writes.",
};

const bufferOf = (state: AnalysisState): number =>
  Math.max(LEAST_PAGES, state.ram_pages);

/** Of a device, R is its own whenever it is asked. */
function asked(state: AnalysisState, { asymmetry }: SplitSearch): PoolSplitAsk {
  return {
    workload_id: state.workload,
    pages: bufferOf(state),
    ...(asymmetry === undefined
      ? { flash_device_id: state.flash_device }
      : { asymmetry }),
  };
}

/** A split that an earlier version of the models made. */
interface OlderSplit {
  readonly workload: string;
  readonly pages: number;
  readonly version: string;
}

/** A link may name a pool split: its workload and its buffer are then shown. */
function useOpened(patch: (change: AnalysisSearch & SplitSearch) => void) {
  const { split } = useSearch({ strict: false }) as SplitSearch;
  const opened = useQuery({
    ...poolSplitQuery(split ?? ""),
    enabled: split !== undefined,
  });
  const [older, setOlder] = useState<OlderSplit | null>(null);
  useEffect(() => {
    if (split !== undefined && opened.data !== undefined) {
      const { workload_id: workload, core_version: version } = opened.data;
      const size = (opened.data.production ?? opened.data).pages;
      setOlder(isOlder(opened.data) ? { workload, pages: size, version } : null);
      patch({ workload, ram_pages: size, split: undefined });
    }
  }, [split, opened.data, patch]);
  return {
    older,
    isOpening: split !== undefined && !opened.isError,
    error: split === undefined ? null : opened.error,
  };
}

/** Traces up to here are analysed without being asked: it takes seconds. */
const AUTO_ACCESSES = 5_000_000;
const SETTLE_MS = 700;
const LEAST_PAGES = 2;

interface ViewProps extends AnalysisInputs {
  readonly patch: (change: AnalysisSearch & SplitSearch) => void;
  readonly linked: OlderSplit | null;
}

const readSplit = (id: string): Promise<PoolSplitOut> =>
  answer(getPoolSplit({ path: { pool_split_id: id }, throwOnError: true }));

function PoolSplitView(props: ViewProps) {
  const { state, summary, patch, linked } = props;
  const pageBytes = bytes(summary.page_bytes);
  const size = bufferOf(state);
  const buffer = useSettled(size, (ram_pages) => patch({ ram_pages }));
  const buyable = useBuyable(state, summary);
  const most = Math.max(LEAST_PAGES + 1, summary.distinct_pages);
  const step = stepPages(buyable, buyable.ram, summary.page_bytes, most);
  useWholeSizes([buffer.value], [step], ([whole = size]) => buffer.setValue(whole));
  const [settled] = useDebouncedValue(size, SETTLE_MS);
  const auto = useReplayedCounts(summary).accesses <= AUTO_ACCESSES;
  const asked = auto ? settled : size;
  const job = useJob<PoolSplitOut>({
    asked: `${state.workload} ${asked}`,
    create: () =>
      answer(
        createPoolSplit({
          body: { workload_id: state.workload, pages: asked },
          throwOnError: true,
        }),
      ),
    keyOf: poolSplitKey,
    read: readSplit,
    auto,
  });
  const id = job.done ? (job.subject?.id ?? null) : null;
  const asymmetry = useAsymmetry(id, props);
  const productionPages = inProduction(summary, asked);
  return (
    <>
      <KeptAnswer question="pool_split" asks={props.asks} job={job} />
      <AboutLinked linked={linked} workload={state.workload} size={size} />
      <Panel label="Buffer and asymmetry">
        <div className={classes["controls"]}>
          <div className={classes["size"]}>
            <div>
              <LogSlider
                label="Buffer size"
                value={buffer.value}
                {...sliderRange(LEAST_PAGES, most, step)}
                valueText={formatPagesAndBytes(pages(buffer.value), pageBytes)}
                onChange={buffer.setValue}
              />
              <Text size="xs" c="dimmed">
                {extentOf(summary)}
              </Text>
              <BuyableSwitch
                buyable={buyable}
                withFlash={false}
                summary={summary}
                most={most}
                workload={state.workload}
              />
            </div>
            <SizeInput
              label="Exact buffer size"
              value={pages(buffer.value)}
              pageBytes={pageBytes}
              min={LEAST_PAGES}
              onChange={(value) => buffer.setValue(value)}
            />
          </div>
          {id !== null && asymmetry.isKnown ? (
            <AsymmetryPart {...props} asymmetry={asymmetry} />
          ) : (
            <Text size="sm" c="dimmed">
              Choose the asymmetry R once this buffer has been analysed.
            </Text>
          )}
        </div>
        {!job.done && (
          <Button mt="sm" onClick={job.start} loading={job.running}>
            Analyse this buffer
          </Button>
        )}
      </Panel>
      {job.error !== null && (
        <ProblemAlert
          error={job.error}
          title="The split could not be computed"
          onRetry={job.start}
        />
      )}
      {job.run !== undefined && (
        <Panel label="Progress of the analysis">
          <RunProgress run={job.run} />
        </Panel>
      )}
      {!job.done && !job.running && job.error === null && job.run === undefined && (
        <Panel>
          <EmptyState title="This buffer has not been analysed yet">
            One pass counts the hits of every split; then about forty splits, LRU and
            CFLRU are replayed. After this one analysis you can change the asymmetry
            freely.
          </EmptyState>
        </Panel>
      )}
      {id !== null && (
        <Answers
          {...props}
          id={id}
          asymmetry={asymmetry}
          productionPages={productionPages}
        />
      )}
      {id !== null && asymmetry.gains.data !== undefined && (
        <AdvisorPanel
          {...props}
          pages={asked}
          productionPages={productionPages}
          asymmetry={asymmetry.settled.asked}
          auto={auto}
        />
      )}
      {job.running && !job.done && job.run === undefined && (
        <Skeleton height={520} animate={false} />
      )}
    </>
  );
}

/** A buffer where it is one of production, for which another is replayed. [pages] */
const inProduction = (summary: SummaryOut, size: number): number | null =>
  replaysOf(summary) === "recording" ? size : null;

/** Whose RAM the buffer is, and how large it can be. */
function extentOf(summary: SummaryOut): string {
  if (replaysOf(summary) !== "recording") {
    return `The RAM size that every page uses; at most the ${counted(summary.distinct_pages, "page")} of the workload.`;
  }
  const most = formatPagesAndBytes(
    pages(summary.distinct_pages),
    bytes(summary.page_bytes),
  );
  return `The RAM size of one machine of production, which every page uses; at most ${most}, as much of its data as the recording shows.`;
}

/** An opened link shows the same split anew where an older version made it. */
function AboutLinked(props: {
  readonly linked: OlderSplit | null;
  readonly workload: string;
  readonly size: number;
}) {
  const { linked } = props;
  return linked?.workload === props.workload && linked.pages === props.size ? (
    <Text size="sm" role="status" style={{ color: "var(--tw-warn)" }}>
      ⚠ The linked split was computed by version {linked.version} of the models. The
      figures here come from the current version.
    </Text>
  ) : null;
}

/** The slider counts in hundredths: it knows whole numbers only. */
const STEPS_A_UNIT = 100;

/** R of the address, else that of the chosen flash device; it moves at once. */
function useAsymmetry(id: string | null, { state, patch }: ViewProps) {
  const { asymmetry: stated } = useSearch({ strict: false }) as SplitSearch;
  const gains = useQuery({ ...poolSplitGainsQuery(id ?? ""), enabled: id !== null });
  const device = gains.data?.devices.find(
    (candidate) => candidate.device_id === state.flash_device,
  );
  const usual = Math.min(
    MAX_ASYMMETRY,
    Math.max(
      MIN_ASYMMETRY,
      device?.asymmetry ?? gains.data?.usual_asymmetry ?? MIN_ASYMMETRY,
    ),
  );
  const settled = useSettled(stated ?? usual, (asymmetry) => patch({ asymmetry }));
  // Not before R is known: a move would be lost when the device's own R arrives.
  const isKnown = stated !== undefined || !gains.isPending;
  return { gains, device, settled, isStated: stated !== undefined, isKnown };
}

function AsymmetryPart({ asymmetry, patch }: ViewProps & { asymmetry: Asymmetry }) {
  const { gains, device, settled, isStated } = asymmetry;
  return (
    <AsymmetryControl
      value={settled.value}
      stepsAUnit={STEPS_A_UNIT}
      devices={gains.data?.devices ?? []}
      chosen={isStated ? null : (device?.device_id ?? null)}
      note={asymmetryNote(settled.value, isStated, device?.name)}
      onChange={settled.setValue}
      onDevice={(flash_device) => patch({ flash_device, asymmetry: undefined })}
    />
  );
}

function asymmetryNote(
  asymmetry: number,
  isStated: boolean,
  device: string | undefined,
): string {
  const reads = counted(formatShort(asymmetry), "page read");
  if (isStated) {
    return `A page write costs ${reads}, as set by hand.`;
  }
  return device === undefined
    ? `A page write costs ${reads}, the default: the chosen flash device states no asymmetry.`
    : `A page write costs ${reads}, as on ${device}; the table of devices below gives the source.`;
}

type Asymmetry = ReturnType<typeof useAsymmetry>;

function Answers(
  props: ViewProps & {
    readonly id: string;
    readonly asymmetry: Asymmetry;
    readonly productionPages: number | null;
  },
) {
  const { gains, settled } = props.asymmetry;
  const { patch } = props;
  const onChoose = useCallback(
    (flash_device: string) => patch({ flash_device, asymmetry: undefined }),
    [patch],
  );
  if (gains.error !== null) {
    return (
      <ProblemAlert
        error={gains.error}
        title="The cost of the split could not be computed"
        onRetry={() => void gains.refetch()}
      />
    );
  }
  if (gains.data === undefined) {
    return <Skeleton height={520} animate={false} />;
  }
  return (
    <Stack gap="lg">
      <CostChart
        id={props.id}
        workload={props.state.workload}
        name={props.name}
        asymmetry={settled.asked}
        productionPages={props.productionPages}
      />
      <GainChart
        gains={gains.data}
        name={props.name}
        asymmetry={settled.asked}
        isProduction={props.productionPages !== null}
      />
      <DeviceTable
        gains={gains.data}
        chosen={props.state.flash_device}
        isProduction={props.productionPages !== null}
        onChoose={onChoose}
      />
    </Stack>
  );
}
