import { Alert, Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  type AnalysisSearch,
  type AnalysisState,
  evaluationInput,
  stateOfInputs,
} from "@/analysis/state";
import { type EvaluationOut, evaluationQuery } from "@/api/evaluations";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import { ProblemAlert } from "@/components/problem-alert";
import { CheckPanel } from "./check-panel";
import classes from "./compare.module.css";
import { CompareActions } from "./compare-actions";
import { SchemeBars } from "./scheme-bars";
import { SchemeTable } from "./scheme-table";
import { SizeSliders } from "./size-sliders";
import { useCheck } from "./use-check";
import { useSizes } from "./use-sizes";

interface CompareViewProps {
  readonly state: AnalysisState;
  readonly check: string | undefined;
  readonly patch: (change: AnalysisSearch) => void;
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
}

export function CompareView({
  state,
  check,
  patch,
  workload,
  summary,
}: CompareViewProps) {
  const { sizes, setSizes, point } = useSizes(state, patch);
  const evaluation = useQuery({
    ...evaluationQuery(evaluationInput(point)),
    placeholderData: keepPreviousData,
  });
  const checking = useCheck(point, check, patch);
  return (
    <>
      <SizeSliders sizes={sizes} onChange={setSizes} summary={summary} />
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
          <PointWarnings evaluation={evaluation.data} />
          <div className={classes["columns"]}>
            <SchemeBars
              evaluation={evaluation.data}
              check={checking.simulation}
              stale={checking.stale}
              workloadName={workload.name}
            />
            <SchemeTable evaluation={evaluation.data} />
          </div>
          <CompareActions point={point} workload={workload} check={check} />
          <CheckPanel
            checking={checking}
            evaluation={evaluation.data}
            onGoToCheck={(inputs) => patch(stateOfInputs(inputs))}
          />
        </section>
      )}
    </>
  );
}

function PointWarnings({ evaluation }: { readonly evaluation: EvaluationOut }) {
  if (evaluation.warnings.length === 0) {
    return null;
  }
  return (
    <Alert
      color="orange"
      variant="outline"
      title="Mind this before you use the numbers"
    >
      {evaluation.warnings.map((warning) => (
        <Text size="sm" key={warning.name}>
          {warning.message}
          {warning.hint ? ` ${warning.hint}` : ""}
        </Text>
      ))}
    </Alert>
  );
}
