import { useQuery } from "@tanstack/react-query";
import { type SummaryOut, workloadsQuery } from "@/api/workloads";

type Counts = Pick<SummaryOut, "accesses" | "distinct_pages">;

/** Counts of what is replayed: of the recording, where the workload was scaled from one. */
export function useReplayedCounts(summary: SummaryOut): Counts {
  const workloads = useQuery(workloadsQuery()).data;
  const source = workloads?.find(({ id }) => id === summary.scaled_from?.workload_id);
  return source?.summary ?? summary;
}
