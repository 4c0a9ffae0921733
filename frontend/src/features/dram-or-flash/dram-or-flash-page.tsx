import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { deviceNames } from "@/api/catalog";
import {
  type BreakEvenIn,
  type BreakEvenOut,
  breakEvenQuery,
} from "@/api/dram-or-flash";
import { breakEvenCheck } from "@/api/replay-checks";
import { mayLackWrites, type Replays, replaysOf } from "@/api/workloads";
import { cachesAsked } from "@/components/caches";
import { CautionNotes } from "@/components/caution-notes";
import { DirtyEnd, type DirtyEndName } from "@/components/dirty-end";
import { DirtyShare } from "@/components/dirty-share";
import { EmptyState } from "@/components/empty-state";
import { type Clock, clockOf, FlashCachesField } from "@/components/flash-caches-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { ReplayCheck } from "@/components/replay-check";
import { useSettled } from "@/components/use-settled";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import {
  type DollarSearch,
  decimalText,
  USUAL_MODULE_GIB,
  USUAL_SIGMA,
  USUAL_WATTS_GIB,
} from "@/questions/dram-or-flash";
import {
  type AnalysisSearch,
  type AnalysisState,
  assumptions,
  evaluationInput,
  NONE,
} from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import { CheckPanel } from "./check-panel";
import { Controls } from "./controls";
import classes from "./dram-or-flash.module.css";
import { ElsewherePanel, elsewhere } from "./elsewhere-panel";
import { atEnd } from "./findings";
import { FlipChart } from "./flip-chart";
import { MarginalChart } from "./marginal-chart";
import { PayingChart, TermsChart } from "./paying-chart";
import { PlatformPanel } from "./platform-panel";
import {
  EqualMoneyTable,
  IntervalTable,
  PlanTable,
  SchemeStepTable,
  StepTable,
} from "./tables";

const GIGA = 1e9;
const GIB = 2 ** 30;

const LEAD =
  "Should the next money go to DRAM or to flash, and at what flash price does the answer change?";

export function DramOrFlashPage() {
  return (
    <AnalysisPage
      question="dram_or_flash"
      title="DRAM or flash"
      lead={LEAD}
      height={520}
      empty="The answer follows from a workload's hit-ratio curve."
      asks={({ state, search, summary }) => ({
        break_even: asked(
          state,
          search as DollarSearch & AnalysisSearch,
          mayLackWrites(summary),
        ),
      })}
      view={(inputs) => <DramOrFlashView {...inputs} />}
    />
  );
}

/** What a fetch takes of the host, and how often pages are accessed. */
const host = (search: DollarSearch): Partial<BreakEvenIn> => ({
  core_usd: decimalText(search.core_usd ?? 0),
  ...(search.core_iops === undefined ? {} : { core_iops: search.core_iops }),
  // A bandwidth counts with the capacity that has it: both or neither.
  ...(search.dram_gb_per_s === undefined
    ? {}
    : {
        dram_bytes_per_s: search.dram_gb_per_s * GIGA,
        dram_bytes: (search.dram_gib ?? USUAL_MODULE_GIB) * GIB,
      }),
  ...(search.usd_kwh === undefined
    ? {}
    : {
        usd_per_kwh: decimalText(search.usd_kwh),
        watts_per_gib: search.watts_gib ?? USUAL_WATTS_GIB,
      }),
  ...elsewhere(search),
  drives: search.drives ?? 1,
  ...(search.memory_gb_per_s === undefined
    ? {}
    : { platform_bytes_per_s: search.memory_gb_per_s * GIGA }),
  ...(search.rate === undefined ? {} : { accesses_per_s: search.rate }),
  ...(search.interval_s === undefined
    ? {}
    : {
        access_intervals: {
          median_s: search.interval_s,
          sigma: search.interval_sigma ?? USUAL_SIGMA,
          pages: search.interval_pages ?? null,
        },
      }),
});

function question(
  state: AnalysisState,
  search: DollarSearch & AnalysisSearch,
  given: boolean,
  moving: { readonly ram: number; readonly ratio: number; readonly usd: number },
): BreakEvenIn {
  const { flash_pages: _, ...point } = evaluationInput(state);
  return {
    ...point,
    ram_pages: moving.ram,
    ...(moving.usd > 0 && state.price_book !== NONE
      ? { usd: decimalText(moving.usd) }
      : {}),
    ...(moving.ratio > 0 ? { price_ratio: moving.ratio } : {}),
    form: search.form ?? "full",
    disks: search.disks ?? 1,
    old_share: search.old_share ?? 0,
    sequential_writes: search.appends ?? false,
    host_usd: decimalText(search.host_usd ?? 0),
    ...host(search),
    ...(search.reads === undefined ? {} : { read_share: search.reads }),
    ...assumptions(search, given),
  };
}

/** What the page asks once its sliders rest. */
const asked = (
  state: AnalysisState,
  search: DollarSearch & AnalysisSearch,
  given: boolean,
): BreakEvenIn =>
  question(state, search, given, {
    ram: state.ram_pages,
    ratio: search.price_ratio ?? 0,
    usd: search.usd ?? 0,
  });

function DramOrFlashView({ state, name, summary }: AnalysisInputs) {
  const search = useSearch({ strict: false }) as DollarSearch & AnalysisSearch;
  const patch = usePatch<DollarSearch & AnalysisSearch>();
  const given = mayLackWrites(summary);
  const [end, setEnd] = useState<DirtyEndName>("most");
  const ram = useSettled(state.ram_pages, (ram_pages) => patch({ ram_pages }));
  const ratio = useSettled(search.price_ratio ?? 0, (value) =>
    patch({ price_ratio: value > 0 ? value : undefined }),
  );
  const usd = useSettled(search.usd ?? 0, (value) =>
    patch({ usd: value > 0 ? value : undefined }),
  );
  const found = useQuery(
    breakEvenQuery(
      question(state, search, given, {
        ram: ram.asked,
        ratio: ratio.asked,
        usd: usd.asked,
      }),
    ),
  );
  return (
    <>
      <Panel label="Prices and sizes">
        <Controls
          ram={ram}
          ratio={ratio}
          usd={usd}
          summary={summary}
          state={state}
          found={found.data}
          search={search}
          patch={patch}
        />
      </Panel>
      {given && (
        <DirtyShare
          stated={search.dirty_share}
          summary={summary}
          onChange={(dirty_share) => patch({ dirty_share })}
        />
      )}
      {found.data !== undefined && found.data.least !== null && (
        <DirtyEnd value={end} onChange={setEnd} />
      )}
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="DRAM and flash could not be compared"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={560} animate={false} />
      ) : (
        <Answer
          found={atEnd(found.data, end)}
          name={name}
          busy={found.isPlaceholderData}
          replays={replaysOf(summary)}
          clock={clockOf(summary)}
        />
      )}
      {found.data !== undefined && (
        <ElsewherePanel found={found.data} search={search} patch={patch} />
      )}
      {found.data !== undefined && found.data.form === "full" && (
        <ReplayCheck
          query={breakEvenCheck({
            ...question(state, search, given, {
              ram: ram.asked,
              ratio: ratio.asked,
              usd: usd.asked,
            }),
            delta: 1,
            ...cachesAsked(search),
          })}
          what="what DRAM and flash save"
          title="Check the break-even of each scheme"
          subtitle="Replays the trace with twice the DRAM, and under every scheme with the amount of flash expected to save as much; flash caches run with the flash that the best scheme needs."
          replays={replaysOf(summary)}
          options={
            <FlashCachesField
              search={search}
              patch={patch}
              clock={clockOf(summary, search.rate !== undefined)}
            />
          }
        />
      )}
    </>
  );
}

function Answer(props: {
  readonly found: BreakEvenOut;
  readonly name: string;
  readonly busy: boolean;
  readonly replays: Replays;
  readonly clock: Clock;
}) {
  const { found, name } = props;
  const money = found.next_money;
  const names = useMemo(() => deviceNames(found.devices), [found.devices]);
  return (
    <section
      aria-label="Answer"
      aria-busy={props.busy}
      style={{ display: "grid", gap: "var(--mantine-spacing-lg)" }}
    >
      <CautionNotes of="the next money" cautions={found.cautions} names={names} />
      {money === null ? (
        <Panel>
          <EmptyState title={found.finding}>{found.sentence}</EmptyState>
        </Panel>
      ) : (
        <MarginalChart found={found} money={money} name={name} />
      )}
      <EqualMoneyTable found={found} />
      <SchemeStepTable found={found} />
      <FlipChart found={found} name={name} />
      <div className={classes["tables"]}>
        <StepTable found={found} />
        <IntervalTable found={found} names={names} />
      </div>
      <TermsChart found={found} name={name} />
      <PayingChart found={found} name={name} />
      <PlatformPanel found={found} />
      <PlanTable found={found} />
      {money !== null && props.replays !== null && (
        <CheckPanel
          found={found}
          money={money}
          replays={props.replays}
          clock={props.clock}
          name={name}
        />
      )}
    </section>
  );
}
