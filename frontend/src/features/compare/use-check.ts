import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { answer } from "@/api/client";
import type { EvaluationIn, SimulationOut } from "@/api/compare";
import { createSimulation, getSimulation } from "@/api/gen/sdk.gen";
import { isActiveStatus, type RunOut, useRun } from "@/api/runs";
import {
  type AnalysisSearch,
  type AnalysisState,
  evaluationInput,
} from "@/questions/point";

const simulationKey = (id: string) => ["simulations", id];

/**
 * Whether a check was made at this very point. Equal content counts as the same
 * workload: a check is stored once for all uploads of one trace.
 */
export function isSamePoint(
  simulation: Pick<SimulationOut, "content_id" | "inputs">,
  contentId: string | null,
  point: EvaluationIn,
): boolean {
  const { inputs } = simulation;
  return (
    simulation.content_id === contentId &&
    inputs.ram_pages === point.ram_pages &&
    inputs.flash_pages === point.flash_pages &&
    inputs.flash_device_id === point.flash_device_id &&
    inputs.disk_device_id === point.disk_device_id &&
    (inputs.start ?? "cold") === point.start &&
    (inputs.flash_metadata ?? null) === (point.flash_metadata ?? null)
  );
}

export interface Checking {
  /** The check whose result is shown, also while the sliders have moved on. */
  readonly simulation: SimulationOut | null;
  readonly run: RunOut | undefined;
  readonly running: boolean;
  readonly stale: boolean;
  readonly error: unknown;
  readonly start: () => void;
}

/** The run of a check that has no result yet. */
function pendingRunOf(simulation: SimulationOut | undefined): RunOut | null {
  return simulation?.result === null ? simulation.run : null;
}

/** The check by simulation of the chosen point. */
export function useCheck(
  point: AnalysisState,
  contentId: string | null,
  checkId: string | undefined,
  metadata: string | undefined,
  patch: (change: AnalysisSearch) => void,
): Checking {
  const queryClient = useQueryClient();
  const asked = evaluationInput(point, metadata);
  const simulation = useQuery({
    queryKey: [...simulationKey(checkId ?? ""), point.workload],
    queryFn: ({ signal }) =>
      answer(
        getSimulation({
          signal,
          path: { simulation_id: checkId ?? "" },
          query: { workload_id: point.workload },
          throwOnError: true,
        }),
      ),
    enabled: checkId !== undefined,
  });
  const begin = useMutation({
    mutationFn: () => answer(createSimulation({ body: asked, throwOnError: true })),
    onSuccess: (created) => {
      queryClient.setQueryData([...simulationKey(created.id), point.workload], created);
      patch({ check: created.id });
    },
  });
  const known = checkId === undefined ? undefined : simulation.data;
  const pendingRun = pendingRunOf(known);
  const run = useRun(pendingRun?.id ?? null, pendingRun).data;
  const ended = run !== undefined && !isActiveStatus(run.status);

  useEffect(() => {
    if (ended && checkId !== undefined && pendingRun !== null) {
      void queryClient.invalidateQueries({ queryKey: simulationKey(checkId) });
    }
  }, [ended, checkId, pendingRun, queryClient]);

  return {
    simulation: known ?? null,
    run: pendingRun === null ? undefined : run,
    running: begin.isPending || (pendingRun !== null && !ended),
    stale: known !== undefined && !isSamePoint(known, contentId, asked),
    error: begin.error ?? (checkId === undefined ? null : simulation.error),
    start: () => begin.mutate(),
  };
}
