import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer } from "@/api/client";
import { createWorkloadFromMeasurements } from "@/api/gen/sdk.gen";
import { type SummaryOut, type WorkloadOut, workloadsQuery } from "@/api/workloads";
import { CreateWorkload } from "@/components/create-workload";
import { Panel } from "@/components/panel";

/** Whether a workload is one measurement of a system, which others can be put beside. */
const isMeasurement = (summary: SummaryOut | null): summary is SummaryOut =>
  summary?.evidence != null &&
  summary.evidence.parts.length === 0 &&
  summary.production === null &&
  summary.composed_of == null;

/** Other measurements that can stand beside one: of equal pages, and at most one of all from ages. */
export function measurementsBeside(
  workload: WorkloadOut,
  others: readonly WorkloadOut[],
  chosen: readonly string[] = [],
): WorkloadOut[] {
  const { summary } = workload;
  const isAges = (one: WorkloadOut) => one.summary?.evidence?.evidence === "ages";
  const hasAges = (except: string) =>
    isAges(workload) ||
    others.some((one) => one.id !== except && chosen.includes(one.id) && isAges(one));
  return others.filter(
    (one) =>
      one.id !== workload.id &&
      one.status === "ready" &&
      isMeasurement(one.summary) &&
      one.summary.page_bytes === summary?.page_bytes &&
      !(isAges(one) && hasAges(one.id)),
  );
}

/** Ages below, the present point and points beyond as one curve, where there are others to put beside this one. */
export function CombineMeasurements({ workload }: { readonly workload: WorkloadOut }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const [name, setName] = useState<string | null>(null);
  const workloads = useQuery(workloadsQuery()).data ?? [];
  if (!isMeasurement(workload.summary)) {
    return null;
  }
  const found = measurementsBeside(workload, workloads, chosen);
  if (found.length === 0) {
    return null;
  }
  const shown = name ?? `${workload.name}, all measurements`;
  return (
    <Panel
      title="Combine measurements of this system"
      subtitle="Ages give the sizes below the present one, a ghost list, a simulated pool or a resize those beyond. Each part keeps its class and its band."
    >
      <MultiSelect
        label="Other measurements of the same system and load"
        placeholder={chosen.length === 0 ? "Choose workloads" : ""}
        data={found.map((one) => ({
          value: one.id,
          label: `${one.name} (${one.summary?.evidence?.title}, ${one.summary?.evidence?.range})`,
        }))}
        value={chosen}
        onChange={setChosen}
        mb="sm"
        searchable
      />
      <CreateWorkload
        label="Name of the combined workload"
        name={shown}
        onName={setName}
        create={() =>
          answer(
            createWorkloadFromMeasurements({
              body: { name: shown.trim(), workload_ids: [workload.id, ...chosen] },
              throwOnError: true,
            }),
          )
        }
        action="Combine"
        disabled={chosen.length === 0 || shown.trim() === ""}
        failed="The measurements could not be combined"
      />
    </Panel>
  );
}
