import { Button, Group, Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import {
  type EvaluationIn,
  type EvaluationOut,
  evaluationQuery,
  namesIn,
} from "@/api/compare";
import { type Decision, useDecision } from "@/api/use-decision";
import { mayLackWrites, replaysOf } from "@/api/workloads";
import { CautionNotes } from "@/components/caution-notes";
import { DirtyShare } from "@/components/dirty-share";
import { FlashCachesCheck } from "@/components/flash-caches-check";
import { clockOf } from "@/components/flash-caches-field";
import { FlashMetadata } from "@/components/flash-metadata";
import { NeedsTrace, originOf } from "@/components/needs-trace";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import type { AnalysisInputs } from "@/questions/analysis-page";
import { isSold, useBuyable } from "@/questions/buyable";
import { type CompareSearch, growthAsked, stateOfInputs } from "@/questions/compare";
import { type AnalysisSearch, assumptions, evaluationInput } from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import { AtLoad } from "./at-load";
import { CheckPanel } from "./check-panel";
import classes from "./compare.module.css";
import { FlashPanel } from "./flash-panel";
import { Growth } from "./growth";
import { SchemeBars } from "./scheme-bars";
import { SchemeTable } from "./scheme-table";
import { mostPages, SizeSliders } from "./size-sliders";
import { useCheck } from "./use-check";
import { useSizes } from "./use-sizes";

/** The close call stands under the chart, with the replay that decided it. */
const isOfNumbers = ({ code }: EvaluationOut["cautions"][number]): boolean =>
  code !== "lead_within_model_error" && code !== "replayed_scaled_down";

export function CompareView({ state, workload, summary }: AnalysisInputs) {
  const {
    check,
    dirty_share: dirtyShare,
    metadata,
    new_pages: newPages,
    caches,
    cache_options,
    access_rate,
    counted_by: countedBy,
  } = useSearch({ strict: false }) as AnalysisSearch & CompareSearch;
  const patch = usePatch<AnalysisSearch & CompareSearch>();
  const { sizes, setSizes, point } = useSizes(state, patch);
  const buyable = useBuyable(state, summary);
  const given = summary.kind === "curve";
  const asksShare = mayLackWrites(summary);
  const share = asksShare ? dirtyShare : undefined;
  const asked = useMemo(
    () => ({
      ...evaluationInput(point),
      ...assumptions({ metadata, dirty_share: dirtyShare }, asksShare),
      ...growthAsked({ new_pages: newPages }, given),
    }),
    [point, metadata, dirtyShare, newPages, given, asksShare],
  );
  const { evaluation, decision, shown, busy } = useAnswer(asked, countedBy === "model");
  const checking = useCheck(point, workload.content_id, check, metadata, patch);
  return (
    <>
      <SizeSliders
        sizes={sizes}
        onChange={setSizes}
        summary={summary}
        buyable={buyable}
        workload={workload.id}
      >
        <div className={classes["metadata"]}>
          <FlashMetadata
            value={metadata}
            onChange={(name) => patch({ metadata: name })}
            note={metadata === undefined ? undefined : shown?.ram_budget?.sentence}
          />
        </div>
        <Growth
          value={newPages}
          summary={summary}
          onChange={(pages) => patch({ new_pages: pages })}
        />
      </SizeSliders>
      {asksShare && (
        <DirtyShare
          stated={dirtyShare}
          summary={summary}
          onChange={(share) => patch({ dirty_share: share })}
        />
      )}
      {evaluation.error !== null && (
        <ProblemAlert
          error={evaluation.error}
          title="This point could not be evaluated"
          onRetry={() => void evaluation.refetch()}
        />
      )}
      {shown === undefined ? (
        evaluation.isPending && <Skeleton height={460} animate={false} />
      ) : (
        <section aria-busy={busy} className={classes["answer"]}>
          <CautionNotes
            of="these numbers"
            cautions={shown.cautions.filter(isOfNumbers)}
            names={namesIn(shown)}
          />
          <ByModel
            countedBy={countedBy}
            model={evaluation.data}
            onReplay={() => patch({ counted_by: undefined })}
          />
          <div className={classes["columns"]}>
            <SchemeBars
              evaluation={shown}
              modelBest={evaluation.data?.best ?? null}
              deciding={decision.pending}
              check={given || checking.stale ? null : checking.simulation}
              workloadName={workload.name}
            />
            <SchemeTable asked={asked} evaluation={shown} />
          </div>
          <DecidingReplay decision={decision} />
          <AtLoad evaluation={shown} />
          {summary.replayable ? (
            <CheckPanel
              replays={replaysOf(summary)}
              checking={checking}
              evaluation={shown}
              onGoToCheck={(inputs) => {
                // That point, not the sizes nearest to it that are sold.
                if (!isSold(buyable, inputs, summary.page_bytes, mostPages(summary))) {
                  buyable.set(false);
                }
                setSizes({ ram: inputs.ram_pages, flash: inputs.flash_pages });
                const sameContent =
                  checking.simulation?.content_id === workload.content_id;
                patch({
                  ...stateOfInputs(inputs),
                  ...(sameContent ? { workload: workload.id } : {}),
                });
              }}
            />
          ) : (
            <NeedsTrace
              kind={originOf(summary)}
              scaledFrom={summary.scaled_from}
              title="No check by simulation"
            >
              A check replays every access through every scheme.
            </NeedsTrace>
          )}
          <FlashCachesCheck
            point={evaluationInput(point, metadata)}
            search={{ caches, cache_options, access_rate }}
            patch={patch}
            replays={replaysOf(summary)}
            clock={clockOf(summary)}
            name={workload.name}
          />
          <FlashPanel
            state={point}
            dirtyShare={share}
            metadata={metadata}
            name={workload.name}
            pageBytes={summary.page_bytes}
            replays={replaysOf(summary)}
            search={{ caches, cache_options }}
            patch={patch}
            clock={clockOf(summary)}
            decidedByReplay={shown.decided_by === "replay"}
          />
        </section>
      )}
    </>
  );
}

/** Says that the figures are those of the model, though a replay would decide. */
function ByModel(props: {
  readonly countedBy: CompareSearch["counted_by"];
  readonly model: EvaluationOut | undefined;
  readonly onReplay: () => void;
}) {
  if (
    props.countedBy !== "model" ||
    props.model === undefined ||
    props.model.check === null
  ) {
    return null;
  }
  return (
    <Group gap="sm" mb="sm">
      <Text size="sm">
        By the model, as an advice counts; a replay of the recording may count
        otherwise.
      </Text>
      <Button size="compact-sm" variant="default" onClick={props.onReplay}>
        Let a replay decide
      </Button>
    </Group>
  );
}

/** The replay that decides, where it takes long, or why it could not be made. */
function DecidingReplay({ decision }: { readonly decision: Decision }) {
  return (
    <>
      {decision.run !== undefined && (
        <section className="tw-panel" aria-label="Deciding replay">
          <RunProgress run={decision.run} />
        </section>
      )}
      {decision.error !== null && (
        <ProblemAlert error={decision.error} title="The trace could not be replayed" />
      )}
    </>
  );
}

/** The answer at a point: of the model, or of the replay where that decides. */
function useAnswer(asked: EvaluationIn, isByModel: boolean) {
  const evaluation = useQuery({
    ...evaluationQuery(asked),
    placeholderData: keepPreviousData,
  });
  const decision = useDecision(
    asked,
    evaluation.isPlaceholderData || isByModel ? undefined : evaluation.data,
  );
  return {
    evaluation,
    decision,
    shown: decision.evaluation ?? evaluation.data,
    busy: evaluation.isPlaceholderData || decision.pending,
  };
}
