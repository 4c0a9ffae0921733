import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DerivationStep, StepsQuery } from "@/api/derived";
import { DerivationTable } from "./derivation-table";
import { ProblemAlert } from "./problem-alert";

const HEIGHT = 320;

interface AskedStepsProps {
  readonly query: StepsQuery;
  /** Those to show; absent: all. */
  readonly only?: (step: DerivationStep) => boolean;
}

/** The steps behind figures, asked for when this is shown. */
export function AskedSteps({ query, only }: AskedStepsProps) {
  const found = useQuery(query);
  if (found.error !== null) {
    return (
      <ProblemAlert
        error={found.error}
        title="The steps could not be loaded"
        onRetry={() => void found.refetch()}
      />
    );
  }
  if (found.data === undefined) {
    return (
      <Skeleton
        height={HEIGHT}
        animate={false}
        role="status"
        aria-label="Loading the steps"
      />
    );
  }
  return (
    <DerivationTable
      steps={only === undefined ? found.data : found.data.filter(only)}
    />
  );
}
