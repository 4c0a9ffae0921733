import { Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { AnalysisInputs } from "@/analysis/analysis-page";
import {
  type AnalysisSearch,
  assumptions,
  evaluationInput,
  stateOfInputs,
} from "@/analysis/state";
import { usePatch } from "@/analysis/use-analysis";
import { type EvaluationOut, evaluationQuery, namesIn } from "@/api/evaluations";
import { DirtyShare } from "@/components/dirty-share";
import { FlashMetadata } from "@/components/flash-metadata";
import { NeedsTrace } from "@/components/needs-trace";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { CheckPanel } from "./check-panel";
import classes from "./compare.module.css";
import { FlashPanel } from "./flash-panel";
import { SchemeBars } from "./scheme-bars";
import { SchemeTable } from "./scheme-table";
import { SizeSliders } from "./size-sliders";
import { useCheck } from "./use-check";
import { useSizes } from "./use-sizes";

export function CompareView({ state, workload, summary }: AnalysisInputs) {
  const {
    check,
    dirty_share: dirtyShare,
    metadata,
  } = useSearch({ strict: false }) as AnalysisSearch;
  const patch = usePatch<AnalysisSearch>();
  const { sizes, setSizes, point } = useSizes(state, patch);
  const given = summary.kind === "curve";
  const share = given ? dirtyShare : undefined;
  const evaluation = useQuery({
    ...evaluationQuery({
      ...evaluationInput(point),
      ...assumptions({ metadata, dirty_share: dirtyShare }, given),
    }),
    placeholderData: keepPreviousData,
  });
  const checking = useCheck(point, workload.content_id, check, metadata, patch);
  return (
    <>
      <SizeSliders sizes={sizes} onChange={setSizes} summary={summary} state={state}>
        <div className={classes["metadata"]}>
          <FlashMetadata
            value={metadata}
            onChange={(name) => patch({ metadata: name })}
            note={
              metadata === undefined ? undefined : evaluation.data?.ram_budget?.sentence
            }
          />
        </div>
      </SizeSliders>
      {given && (
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
      {evaluation.data === undefined ? (
        evaluation.isPending && <Skeleton height={460} animate={false} />
      ) : (
        <section aria-busy={evaluation.isPlaceholderData} className={classes["answer"]}>
          <div className={classes["columns"]}>
            <SchemeBars
              evaluation={evaluation.data}
              check={given || checking.stale ? null : checking.simulation}
              workloadName={workload.name}
            />
            <SchemeTable evaluation={evaluation.data} />
          </div>
          <PointNotes evaluation={evaluation.data} />
          {summary.kind === "trace" ? (
            <CheckPanel
              checking={checking}
              evaluation={evaluation.data}
              onGoToCheck={(inputs) => {
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
            <NeedsTrace kind={summary.kind} title="No check by simulation">
              A check replays every access through every scheme.
            </NeedsTrace>
          )}
          <FlashPanel
            state={point}
            dirtyShare={share}
            metadata={metadata}
            name={workload.name}
            pageBytes={summary.page_bytes}
          />
        </section>
      )}
    </>
  );
}

/** What the reader must know about these numbers, next to them but after them. */
function PointNotes({ evaluation }: { readonly evaluation: EvaluationOut }) {
  // The close call stands under the chart.
  const warnings = evaluation.warnings.filter(
    (warning) => warning.name !== "lead_within_model_error",
  );
  if (warnings.length === 0) {
    return null;
  }
  const names = namesIn(evaluation);
  return (
    <section className="tw-panel" aria-label="Notes on these numbers">
      <Text fw={600} className={classes["noteTitle"]}>
        ⚠ {warnings.length === 1 ? "A note" : `${warnings.length} notes`} on these
        numbers
      </Text>
      <ul className={classes["notes"]}>
        {warnings.map((warning) => (
          <li key={`${warning.name} ${warning.message}`}>
            <Prose text={warning.message} names={names} />.
            {warning.hint && (
              <Text component="span" size="sm" c="dimmed">
                {" "}
                <Prose text={warning.hint} names={names} />.
              </Text>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
