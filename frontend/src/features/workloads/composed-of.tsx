import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { SummaryOut } from "@/api/workloads";
import { Panel } from "@/components/panel";
import { scaleErrorSentence } from "@/components/scale-error";
import { writeMembers } from "@/questions/members";
import { formatShort } from "@/units/quantity";
import classes from "./summaries.module.css";

/** The workloads that share the cache of a composed one. */
export function ComposedOf({ summary }: { readonly summary: SummaryOut }) {
  const parts = summary.composed_of ?? [];
  const members = parts.flatMap(({ workload_id, accesses_per_s }) =>
    workload_id === null ? [] : [{ id: workload_id, rate: accesses_per_s }],
  );
  return (
    <Panel
      title="One cache that several workloads share"
      subtitle="Computed from their curves: they share no pages and do not take turns"
      actions={
        members.length === parts.length && (
          <Button
            variant="default"
            renderRoot={(rest) => (
              <Link
                to="/workloads/compose"
                search={(previous) => ({ ...previous, of: writeMembers(members) })}
                {...rest}
              />
            )}
          >
            Who gets how much
          </Button>
        )
      }
    >
      <ul className={classes["parts"]}>
        {parts.map(({ name, workload_id, accesses_per_s }) => (
          <li key={name}>
            {workload_id === null ? (
              name
            ) : (
              <Link to="/workloads/$workloadId" params={{ workloadId: workload_id }}>
                {name}
              </Link>
            )}
            {accesses_per_s !== null && `, ${formatShort(accesses_per_s)} accesses/s`}
          </li>
        ))}
      </ul>
      <ScaleError parts={summary.scaled_parts} />
    </Panel>
  );
}

function ScaleError({ parts }: { readonly parts: SummaryOut["scaled_parts"] }) {
  const sentence = scaleErrorSentence(parts ?? null);
  return sentence === null ? null : (
    <Text size="sm" mt="sm">
      {sentence}
    </Text>
  );
}
