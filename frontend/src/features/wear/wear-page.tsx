import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { WearCheckIn } from "@/api/gen/types.gen";
import { recoveryCheck, wearCheck } from "@/api/replay-checks";
import { useCatalogNames } from "@/api/use-names";
import { recoveryQuery, wearQuery } from "@/api/wear";
import {
  mayLackWrites,
  type Replays,
  replaysOf,
  type SummaryOut,
} from "@/api/workloads";
import { type CachesSearch, cachesAsked } from "@/components/caches";
import { CautionNotes } from "@/components/caution-notes";
import { DirtyShare } from "@/components/dirty-share";
import { type Clock, clockOf, FlashCachesField } from "@/components/flash-caches-field";
import { ProblemAlert } from "@/components/problem-alert";
import { ReplayCheck } from "@/components/replay-check";
import { useSettled } from "@/components/use-settled";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import type { AnalysisSearch } from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import type { WearSearch } from "@/questions/wear";
import { DataField } from "./data-field";
import { type DataSearch, dataOf } from "./data-on-flash";
import { FragmentSection } from "./fragment-panel";
import { HealthPanel } from "./health-panel";
import { LifeChart, WearTable } from "./life-panel";
import { recoveryQuestion, wearQuestion } from "./question";
import { FillPanel, RestartPanel } from "./recovery-panel";
import { TransactionSection } from "./transaction-panel";
import classes from "./wear.module.css";
import { WearControls } from "./wear-controls";

const LEAD =
  "How long does the flash last under each scheme, how much life is left in a drive, and how long do warm-up and restart take?";

export function WearPage() {
  return (
    <AnalysisPage
      question="wear"
      title="Wear and recovery"
      lead={LEAD}
      height={620}
      empty="Flash writes are counted from a workload."
      asks={({ state, search, summary }) => {
        const load = loadAtRest(search as WearSearch & AnalysisSearch, summary);
        return {
          wear: wearQuestion(state, load),
          recovery: recoveryQuestion(state, load),
        };
      }}
      view={(inputs) => <WearView {...inputs} />}
    />
  );
}

/** What the page asks once its slider rests. */
const loadAtRest = (search: WearSearch & AnalysisSearch, summary: SummaryOut) => ({
  rate: search.rate ?? (summary.duration_s ? null : USUAL_RATE),
  search,
  given: mayLackWrites(summary),
});

/** Shown until the workload's own rate is known, or where it has none. */
const USUAL_RATE = 1000;

function WearView({ state, name, summary }: AnalysisInputs) {
  const search = useSearch({ strict: false }) as WearSearch & AnalysisSearch;
  const given = mayLackWrites(summary);
  const patch = usePatch<AnalysisSearch & WearSearch>();
  const catalog = useCatalogNames();
  const duration = summary.duration_s;
  const own = duration ? summary.accesses / duration : USUAL_RATE;
  const settled = useSettled(search.rate ?? own, (rate) => patch({ rate }));
  // A rate is sent where one was set, or where the workload has none.
  const isSet = search.rate !== undefined || settled.asked !== own || !duration;
  const rate = isSet ? settled.asked : null;
  const load = { rate, search, given };
  const wear = useQuery({
    ...wearQuery(wearQuestion(state, load)),
    placeholderData: keepPreviousData,
  });
  const recovery = useQuery({
    ...recoveryQuery(recoveryQuestion(state, load)),
    placeholderData: keepPreviousData,
  });
  const schemes = wear.data?.schemes;
  const names = useMemo(
    () =>
      new Map([
        ...catalog,
        ...(schemes ?? []).map(({ scheme, title }): [string, string] => [
          scheme,
          title,
        ]),
      ]),
    [catalog, schemes],
  );
  return (
    <>
      <WearControls
        state={state}
        search={search}
        summary={summary}
        wear={wear.data}
        rate={settled.value}
        onRate={settled.setValue}
        patch={patch}
      />
      {given && (
        <DirtyShare
          stated={search.dirty_share}
          summary={summary}
          onChange={(dirty_share) => patch({ dirty_share })}
        />
      )}
      {wear.error !== null && (
        <ProblemAlert
          error={wear.error}
          title="Flash life could not be computed"
          onRetry={() => void wear.refetch()}
        />
      )}
      {wear.data === undefined ? (
        wear.isPending && <Skeleton height={420} animate={false} />
      ) : (
        <section aria-busy={wear.isPlaceholderData} className={classes["answer"]}>
          <CautionNotes
            of="the life of the flash"
            cautions={wear.data.cautions}
            names={names}
          />
          <div className={classes["columns"]}>
            <LifeChart wear={wear.data} name={name} />
            <WearTable wear={wear.data} />
          </div>
          <WearCheck
            question={wearQuestion(state, load)}
            isAmplified={wear.data.budget.spare !== null}
            search={search}
            patch={patch}
            replays={replaysOf(summary)}
            // A rate is asked for where the workload has none.
            clock={clockOf(summary, true)}
          />
        </section>
      )}
      {recovery.error !== null && (
        <ProblemAlert
          error={recovery.error}
          title="Warm-up and restart could not be computed"
          onRetry={() => void recovery.refetch()}
        />
      )}
      {recovery.data !== undefined && (
        <section aria-busy={recovery.isPlaceholderData} className={classes["answer"]}>
          <CautionNotes
            of="warm-up and restart"
            cautions={recovery.data.cautions}
            names={names}
          />
          <div className={classes["columns"]}>
            <RestartPanel
              recovery={recovery.data}
              name={name}
              search={search}
              patch={patch}
            />
            <FillPanel recovery={recovery.data} />
          </div>
          <ReplayCheck
            query={recoveryCheck(recoveryQuestion(state, load))}
            what="filling and restart"
            subtitle="Replays a flash cache through a crash and a restart and computes fill and restart times from the pages it read."
            replays={replaysOf(summary)}
          />
        </section>
      )}
      <HealthPanel
        flashDevice={state.flash_device}
        ratedTb={search.rated_tb}
        patch={patch}
      />
      <FragmentSection
        state={state}
        name={name}
        search={search}
        rate={rate}
        replays={replaysOf(summary)}
        patch={patch}
      />
      <TransactionSection search={search} patch={patch} />
    </>
  );
}

type ReplayedSearch = CachesSearch & DataSearch;

/** Flash writes and life by replay: of every scheme, and of what is chosen besides. */
function WearCheck(props: {
  readonly question: WearCheckIn;
  /** Write amplification is computed, so it is replayed too. */
  readonly isAmplified: boolean;
  readonly search: ReplayedSearch;
  readonly patch: (change: ReplayedSearch) => void;
  readonly replays: Replays;
  readonly clock: Clock;
}) {
  const { question, search, patch } = props;
  return (
    <ReplayCheck
      query={wearCheck({
        ...question,
        ...cachesAsked(question.flash_pages > 0 ? search : {}),
        data_on_flash: props.replays === "recording" ? [] : dataOf(search),
      })}
      what={
        props.isAmplified
          ? "flash writes, write amplification and life"
          : "flash writes and life"
      }
      replays={props.replays}
      options={
        <>
          {question.flash_pages > 0 && (
            <FlashCachesField
              search={search}
              patch={patch}
              clock={props.clock}
              example="With cachelib:small=0 and cachelib:small_percent=4, CacheLib has small objects beside large ones, and is shown with one write stream and with two (FDP)."
            />
          )}
          <DataField search={search} patch={patch} replays={props.replays} />
        </>
      }
    />
  );
}
