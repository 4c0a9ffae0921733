import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { workloadsQuery } from "@/api/workloads";
import { MOST_PLACED, writeMembers } from "@/questions/members";
import { WorkloadMembers } from "@/questions/workload-members";
import type { FormProps } from "./advice-form";
import { membersOf } from "./question";

/** Further workloads, each with its rate: with them it is asked which of all share a system. */
export function WorkloadFields({ state, search, patch }: FormProps) {
  const members = membersOf(state.workload, search);
  const known = useQuery(workloadsQuery()).data ?? [];
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        With several workloads the answer says which of them share a system, and what
        each system is. Limits on machines, sizes and money hold for all systems
        together, the others for each. What you have now is not compared then.
      </Text>
      <WorkloadMembers
        members={members}
        workloads={known}
        kept={1}
        most={MOST_PLACED}
        onChange={(changed) =>
          patch({
            workloads: changed.length > 1 ? writeMembers(changed) : undefined,
          })
        }
      />
    </>
  );
}
