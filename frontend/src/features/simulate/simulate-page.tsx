import { Alert, Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo } from "react";
import { devicesQuery } from "@/api/catalog";
import type { SweepAsk } from "@/api/gen/types.gen";
import { isOlder } from "@/api/older";
import {
  type ContenderIn,
  itemOf,
  type SimulatorOut,
  simulatorQuery,
} from "@/api/simulator";
import type { SweepIn, SweepOut } from "@/api/sweeps";
import { replaysOf, type SummaryOut } from "@/api/workloads";
import { AccessRate } from "@/components/access-rate";
import { RATE_OPTION } from "@/components/caches-rate";
import { EmptyState } from "@/components/empty-state";
import { clockOf } from "@/components/flash-caches-field";
import { FlashMetadata } from "@/components/flash-metadata";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import { KeptAnswer } from "@/questions/kept-answer";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import { useReplayedCounts } from "@/questions/replayed";
import {
  countSizes,
  readContenders,
  readSizes,
  readWarmUp,
  type SizeSpec,
  type SweepSearch,
  sizesInput,
  specOfInput,
  usualContenders,
  usualFlash,
  usualRange,
  usualWarmUp,
  type WarmUp,
  writeContenders,
  writeSizes,
  writeWarmUp,
} from "@/questions/simulate";
import { usePatch } from "@/questions/use-analysis";
import { bytes, counted, formatCount } from "@/units/quantity";
import { ContenderList } from "./contender-list";
import { EstimatePanel } from "./estimate-panel";
import { FormulaBeside, LifeNotes, ReplayNotes, Results } from "./results-panel";
import classes from "./simulate.module.css";
import { SizesForm } from "./sizes-form";
import { useSweep } from "./use-sweep";
import { WarmUpField } from "./warm-up-field";

const LEAD =
  "Replays the workload through policies, buffers, page-flow schemes and flash caches, at every size you list, and counts each page operation.";

export function SimulatePage() {
  const simulator = useQuery(simulatorQuery()).data;
  return (
    <AnalysisPage
      question="simulate"
      title="Simulate"
      lead={LEAD}
      height={420}
      empty="A sweep replays a trace."
      untraced={UNTRACED}
      asks={({ state, search, summary }) =>
        simulator === undefined ? null : asked(state, search, simulator, summary)
      }
      hasJob
      forProduction
      view={(inputs) => <WithSimulator {...inputs} />}
    />
  );
}

const UNTRACED = {
  title: "There is no trace to replay",
  text: "Policies, buffers, flash caches and schemes are counted by replaying every access.",
};

function asked(
  state: AnalysisState,
  search: AnalysisSearch & SweepSearch,
  simulator: SimulatorOut,
  summary: SummaryOut,
): { sweep: SweepAsk } | null {
  const setup = setupOf(search, simulator, summary);
  return setup.contenders.length === 0
    ? null
    : {
        sweep: {
          ...sweepBody(
            state.workload,
            setup,
            simulator,
            search.metadata,
            rateAsked(search, summary),
          ),
          flash_device_id: state.flash_device,
          disk_device_id: state.disk_device,
        },
      };
}

function WithSimulator(inputs: AnalysisInputs) {
  const simulator = useQuery(simulatorQuery());
  if (simulator.error !== null) {
    return (
      <ProblemAlert
        error={simulator.error}
        title="The list of policies and schemes could not be loaded"
        onRetry={() => void simulator.refetch()}
      />
    );
  }
  return simulator.data === undefined ? (
    <Skeleton height={420} animate={false} />
  ) : (
    <SimulateView {...inputs} simulator={simulator.data} />
  );
}

interface ViewProps extends AnalysisInputs {
  readonly simulator: SimulatorOut;
}

type Sized = Pick<SummaryOut, "distinct_pages" | "kind" | "replayable" | "production">;

/** The setup as the address states it, what it leaves open filled in. */
function setupOf(
  search: Pick<SweepSearch, "contenders" | "sizes" | "flash_sizes" | "warm_up">,
  simulator: SimulatorOut,
  summary: Sized,
) {
  const { distinct_pages: distinctPages } = summary;
  const replays = replaysOf(summary);
  const read =
    search.contenders === undefined
      ? { contenders: usualContenders(simulator), faults: [] }
      : readContenders(search.contenders === EMPTY ? "" : search.contenders, simulator);
  const faults = [...read.faults];
  const sizes = (text: string | undefined, least: number, usual: SizeSpec) => {
    const spec = text === undefined ? usual : readSizes(text, least);
    if (spec === null) {
      faults.push(`"${text?.slice(0, 60)}" is not a list of sizes in pages`);
    }
    return spec ?? usual;
  };
  const usual = usualWarmUp(replays);
  const warmUp = search.warm_up === undefined ? usual : readWarmUp(search.warm_up);
  if (warmUp === null) {
    faults.push(
      `"${search.warm_up?.slice(0, 60)}" is not a warm-up: 100000, 50% or full`,
    );
  }
  return {
    contenders: read.contenders,
    ram: sizes(search.sizes, 1, usualRange(distinctPages, summary.production)),
    flash: sizes(search.flash_sizes, 0, usualFlash(distinctPages)),
    warmUp: warmUp ?? usual,
    usualWarmUp: usual,
    faults,
  };
}

function useSetup(search: SweepSearch, simulator: SimulatorOut, summary: Sized) {
  const { contenders, sizes, flash_sizes, warm_up } = search;
  return useMemo(
    () => setupOf({ contenders, sizes, flash_sizes, warm_up }, simulator, summary),
    [contenders, sizes, flash_sizes, warm_up, simulator, summary],
  );
}

/** Whether the trace lacks a rate, and something over flash is asked, be it an estimate of all its sizes. */
export const takesRate = (
  { estimated }: SweepSearch,
  summary: Parameters<typeof clockOf>[0],
  twoTier: boolean,
): boolean =>
  clockOf(summary) === "no rate" &&
  (twoTier || (estimated !== undefined && !estimated.startsWith("policy:")));

/** Titles of the contenders that work by the clock, and of whose options none states a rate. */
export const clockedOf = (
  setup: Pick<Setup, "contenders">,
  simulator: SimulatorOut,
): readonly string[] =>
  setup.contenders.flatMap((contender) => {
    const item = itemOf(simulator, contender);
    const isStated = RATE_OPTION in (contender.options ?? {});
    return item?.goes_by_time === true && !isStated ? [item.title] : [];
  });

const isTwoTier = (setup: Setup, simulator: SimulatorOut): boolean =>
  setup.contenders.some((contender) => (itemOf(simulator, contender)?.tiers ?? 1) > 1);

/** What is sent to have it replayed. */
export function sweepBody(
  workload: string,
  setup: Setup,
  simulator: SimulatorOut,
  metadata: string | undefined,
  rate: number | undefined,
): SweepIn {
  const twoTier = isTwoTier(setup, simulator);
  return {
    workload_id: workload,
    contenders: setup.contenders.map(withOptions),
    ram_pages: sizesInput(setup.ram),
    ...(twoTier ? { flash_pages: sizesInput(setup.flash) } : {}),
    ...(twoTier && metadata !== undefined ? { flash_metadata: metadata } : {}),
    ...(twoTier && rate !== undefined ? { accesses_per_s: rate } : {}),
    ...(setup.warmUp === 0 && setup.usualWarmUp === 0 ? {} : { warm_up: setup.warmUp }),
  };
}

/** The rate as the address states it, of a trace without times: others have one. */
export const rateAsked = (
  { access_rate }: Pick<AnalysisSearch, "access_rate">,
  summary: Parameters<typeof clockOf>[0],
): number | undefined => (clockOf(summary) === "no rate" ? access_rate : undefined);

/** Written where nobody is chosen, so that the usual contenders do not come back. */
const EMPTY = "none";

function SimulateView({ state, simulator, name, summary, asks }: ViewProps) {
  const search = useSearch({ strict: false }) as AnalysisSearch & SweepSearch;
  const devices = useQuery(devicesQuery()).data ?? [];
  const patch = usePatch<AnalysisSearch & SweepSearch>();
  const setup = useSetup(search, simulator, summary);
  const replayed = useReplayedCounts(summary);
  const { accesses } = replayed;
  const sweeping = useSweep(
    search.sweep,
    state.workload,
    { flash: state.flash_device, disk: state.disk_device },
    (sweep) => patch({ sweep }),
  );
  const { subject: sweep, run } = sweeping;
  useRestored(search, sweep, state.workload, setup.usualWarmUp, patch);

  const twoTier = isTwoTier(setup, simulator);
  const rate = rateAsked(search, summary);
  const body = sweepBody(state.workload, setup, simulator, search.metadata, rate);
  const count = countReplays(simulator, setup);
  const stale = sweep !== null && !isSameSweep(sweep.inputs, body);
  const older = sweep !== null && isOlder(sweep);
  const complete = sweep?.status === "succeeded" && !stale && !older;
  const start = () => sweeping.start(body);
  const nameOf = (id: string) => devices.find((device) => device.id === id)?.name ?? id;
  return (
    <>
      <KeptAnswer
        question="simulate"
        asks={asks}
        job={{ start, running: sweeping.running, done: complete }}
      />
      <RefusedParts faults={setup.faults} />
      <SetupPanels
        simulator={simulator}
        setup={setup}
        summary={summary}
        accesses={accesses}
        twoTier={twoTier}
        metadata={search.metadata}
        rate={rate}
        takesRate={takesRate(search, summary, twoTier)}
        patch={patch}
      >
        <RunLine
          count={count}
          most={simulator.most_replays}
          accesses={accesses}
          running={sweeping.running}
          complete={complete}
          onRun={start}
        />
      </SetupPanels>
      {sweeping.error !== null && (
        <ProblemAlert error={sweeping.error} title="The sweep could not be run" />
      )}
      {run !== undefined && (
        <Panel label="Progress of the sweep">
          <RunProgress run={run} />
          {sweep !== null && (
            <Text size="sm" mt={4} role="status">
              {formatCount(sweep.rows.length)} of {counted(sweep.replays, "replay")}
              are finished and stored.
            </Text>
          )}
        </Panel>
      )}
      {sweep === null && !sweeping.running && sweeping.error === null && (
        <Panel>
          <EmptyState title="No sweep yet">
            Press “Run the sweep”. Results appear while it runs, and stay when you
            cancel it.
          </EmptyState>
        </Panel>
      )}
      {sweep !== null && (
        <>
          {(stale || older) && !sweeping.running && (
            <Text size="sm" role="status" style={{ color: "var(--tw-warn)" }}>
              {stale
                ? "⚠ The results below are for other contenders, sizes, another rate or warm-up. Run the sweep for the current ones; finished replays are reused."
                : `⚠ The results below were computed by version ${sweep.core_version} of the models. Run the sweep to compute them with the current version.`}
            </Text>
          )}
          <Results
            sweep={sweep}
            simulator={simulator}
            name={name}
            search={search}
            patch={patch}
            devices={`priced with ${nameOf(state.flash_device)} and ${nameOf(state.disk_device)}`}
          />
          <FormulaBeside sweep={sweep} />
          <LifeNotes about={sweep} />
          <ReplayNotes sweep={sweep} />
        </>
      )}
      <EstimatePanel
        search={search}
        simulator={simulator}
        workload={state.workload}
        name={name}
        summary={summary}
        recordedPages={replayed.distinct_pages}
        worn={{ flash: state.flash_device, rate }}
        patch={patch}
      />
    </>
  );
}

function RefusedParts({ faults }: { readonly faults: readonly string[] }) {
  return faults.length === 0 ? null : (
    <Alert
      role="alert"
      color="orange"
      variant="outline"
      styles={{ title: { color: "var(--tw-warn)" } }}
      title="Part of this address could not be used"
    >
      <Text size="sm">{faults.join("; ")}.</Text>
    </Alert>
  );
}

type Setup = ReturnType<typeof setupOf>;

function SetupPanels(props: {
  readonly simulator: SimulatorOut;
  readonly setup: Setup;
  readonly summary: SummaryOut;
  readonly accesses: number;
  readonly twoTier: boolean;
  readonly metadata: string | undefined;
  readonly rate: number | undefined;
  /** Whether the trace lacks one, and something over flash is asked. */
  readonly takesRate: boolean;
  readonly patch: (change: AnalysisSearch & SweepSearch) => void;
  readonly children: ReactNode;
}) {
  const { simulator, setup, summary, twoTier, patch } = props;
  return (
    <div className={classes["setup"]}>
      <Panel
        title="Contenders"
        subtitle="Policies, schemes and caches to replay, with their options"
      >
        <ContenderList
          simulator={simulator}
          contenders={setup.contenders}
          onChange={(contenders) =>
            patch({
              contenders: contenders.length === 0 ? EMPTY : writeContenders(contenders),
            })
          }
        />
      </Panel>
      <Panel
        title="Sizes"
        subtitle={
          twoTier
            ? "Two-tier contenders take every pair of RAM and flash"
            : "Every contender at every size"
        }
      >
        <Stack gap="md">
          <SizesForm
            label={twoTier ? "Cache or RAM sizes" : "Cache sizes"}
            spec={setup.ram}
            minimum={1}
            pageBytes={bytes(summary.page_bytes)}
            distinctPages={summary.distinct_pages}
            onChange={(spec) => patch({ sizes: writeSizes(spec) })}
          />
          {twoTier && (
            <SizesForm
              label="Flash sizes"
              spec={setup.flash}
              minimum={0}
              pageBytes={bytes(summary.page_bytes)}
              distinctPages={summary.distinct_pages}
              onChange={(spec) => patch({ flash_sizes: writeSizes(spec) })}
            />
          )}
          {twoTier && (
            <FlashMetadata
              value={props.metadata}
              onChange={(metadata) => patch({ metadata })}
              note={
                props.metadata === undefined
                  ? undefined
                  : "Contenders with flash run in the RAM left by the flash metadata; see the table."
              }
            />
          )}
          {props.takesRate && (
            <AccessRate
              value={props.rate}
              needed={clockedOf(setup, simulator)}
              isOfLife
              onChange={(access_rate) => patch({ access_rate })}
            />
          )}
          <WarmUpField
            value={setup.warmUp}
            accesses={props.accesses}
            onChange={(warmUp) =>
              patch({ warm_up: writeWarmUp(warmUp, setup.usualWarmUp) })
            }
          />
          {props.children}
        </Stack>
      </Panel>
    </div>
  );
}

const withOptions = ({ family, name, options }: ContenderIn): ContenderIn => ({
  family,
  name,
  options: options ?? {},
});

/** A link may name only the sweep: its own contenders and sizes are then shown. */
function useRestored(
  search: SweepSearch,
  sweep: SweepOut | null,
  workload: string,
  usual: WarmUp,
  patch: (change: AnalysisSearch & SweepSearch) => void,
) {
  const bare = search.contenders === undefined && search.sizes === undefined;
  useEffect(() => {
    if (bare && sweep !== null) {
      const { inputs } = sweep;
      patch({
        // Sizes of the other pages belong to the workload they were chosen for.
        ...(inputs.workload_id === workload
          ? {}
          : {
              workload: inputs.workload_id,
              ram_pages: undefined,
              flash_pages: undefined,
            }),
        contenders: writeContenders(inputs.contenders),
        sizes: writeSizes(specOfInput(inputs.ram_pages)),
        ...(inputs.flash_pages == null
          ? {}
          : { flash_sizes: writeSizes(specOfInput(inputs.flash_pages)) }),
        metadata: inputs.flash_metadata ?? undefined,
        access_rate: inputs.accesses_per_s ?? undefined,
        warm_up: writeWarmUp(inputs.warm_up ?? 0, usual),
      });
    }
  });
}

function countReplays(
  simulator: SimulatorOut,
  setup: { contenders: readonly ContenderIn[]; ram: SizeSpec; flash: SizeSpec },
): number {
  const ram = countSizes(setup.ram);
  const flash = countSizes(setup.flash);
  return setup.contenders.reduce(
    (sum, contender) =>
      sum + ram * ((itemOf(simulator, contender)?.tiers ?? 1) > 1 ? flash : 1),
    0,
  );
}

/** Whether a sweep was made of these very inputs. */
export function isSameSweep(made: SweepIn, asked: SweepIn): boolean {
  const plain = (input: SweepIn) =>
    JSON.stringify([
      input.workload_id,
      input.contenders.map((contender) => [
        contender.family,
        contender.name,
        Object.entries(contender.options ?? {}).sort(),
      ]),
      specOfInput(input.ram_pages),
      input.flash_pages == null ? null : specOfInput(input.flash_pages),
      input.flash_metadata ?? null,
      input.warm_up ?? 0,
      input.accesses_per_s ?? null,
    ]);
  return plain(made) === plain(asked);
}

function RunLine(props: {
  readonly count: number;
  readonly most: number;
  readonly accesses: number;
  readonly running: boolean;
  readonly complete: boolean;
  readonly onRun: () => void;
}) {
  const { count, most } = props;
  const tooMany = count > most;
  return (
    <div>
      <Text
        size="sm"
        mb="xs"
        {...(tooMany ? { c: "var(--tw-warn)" } : {})}
        role="status"
      >
        {tooMany
          ? `${counted(count, "replay exceeds", "replays exceed")} the limit of ${formatCount(most)} per sweep: choose fewer sizes or contenders.`
          : `${counted(count, "replay")} of ${counted(props.accesses, "access")}.`}
      </Text>
      <Button
        onClick={props.onRun}
        loading={props.running}
        disabled={count === 0 || tooMany || props.complete}
      >
        {props.complete ? "All replays are done" : "Run the sweep"}
      </Button>
    </div>
  );
}
