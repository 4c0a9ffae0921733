import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { adviceKeys } from "@/api/advice";
import { type PoolSplitOut, poolSplitKey } from "@/api/analyses";
import { answer } from "@/api/client";
import { createPoolSplit, getPoolSplit } from "@/api/gen/sdk.gen";
import { useJob } from "@/api/use-job";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";

/** Counts the buffer of an option at every split, and then asks for the advice again, which rests on it. */
export function CountSplits(props: {
  readonly workload: string;
  /** RAM of one machine. */
  readonly pages: number;
}) {
  const { workload, pages } = props;
  const queries = useQueryClient();
  const job = useJob<PoolSplitOut>({
    asked: `${workload} ${pages}`,
    create: () =>
      answer(
        createPoolSplit({ body: { workload_id: workload, pages }, throwOnError: true }),
      ),
    keyOf: poolSplitKey,
    read: (id) =>
      answer(getPoolSplit({ path: { pool_split_id: id }, throwOnError: true })),
    auto: false,
  });
  const { done } = job;
  useEffect(() => {
    if (done) {
      for (const queryKey of adviceKeys) {
        void queries.invalidateQueries({ queryKey });
      }
    }
  }, [done, queries]);
  if (job.error) {
    return (
      <ProblemAlert
        error={job.error as Error}
        title="The splits could not be counted"
        onRetry={job.start}
      />
    );
  }
  return job.run === undefined ? (
    <Button
      variant="default"
      size="xs"
      onClick={job.start}
      loading={job.running || job.done}
    >
      Count the splits
    </Button>
  ) : (
    <RunProgress run={job.run} />
  );
}
