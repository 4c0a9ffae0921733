import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isComposed, isDescribed, type SummaryOut } from "@/api/workloads";
import { EmptyState } from "./empty-state";
import { Panel } from "./panel";

const REASONS = {
  trace: "This workload has its trace.",
  profile:
    "This workload was imported as a profile, which has curves but no accesses to replay.",
  curve: "This workload is a given curve, which has no accesses to replay.",
  composed:
    "This workload was composed from the curves of others, so there are no accesses to replay.",
  described: "This workload is described in numbers and has no accesses to replay.",
} as const;

/** What a workload was made from, as far as it matters for replays. */
export const originOf = (
  summary: Pick<SummaryOut, "kind" | "described_by" | "composed_of">,
): keyof typeof REASONS => {
  if (isDescribed(summary)) {
    return "described";
  }
  return isComposed(summary) ? "composed" : summary.kind;
};

/** What cannot be shown without the trace, and how to get it. */
export function NeedsTrace(props: {
  readonly kind: keyof typeof REASONS;
  /** The workload that was scaled to this one. */
  readonly scaledFrom?: { readonly workload_id: string; readonly name: string } | null;
  /** Whether its recording is there. */
  readonly replayable?: boolean;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const from = props.scaledFrom ?? null;
  if (from !== null) {
    return (
      <Panel>
        <EmptyState title={props.title}>
          {props.children} This workload was scaled to production, so it has no accesses
          of its own.{" "}
          {props.replayable === true ? (
            <>
              Its recording,{" "}
              <Link
                to="/workloads/$workloadId"
                params={{ workloadId: from.workload_id }}
              >
                {from.name}
              </Link>
              , shows them as they were recorded.
            </>
          ) : (
            `The trace of its recording, ${from.name}, is not there: import it again, and this workload finds it by its content.`
          )}
        </EmptyState>
      </Panel>
    );
  }
  return (
    <Panel>
      <EmptyState title={props.title}>
        {props.children} {REASONS[props.kind]}{" "}
        {props.kind === "described" ? (
          <>
            Run <code>tierwright trace generate</code> to write a trace of the same
            description, and upload that.
          </>
        ) : (
          <>
            Upload the trace itself on the Workloads page, or run{" "}
            <code>tierwright simulate</code>, <code>tierwright sweep</code> or{" "}
            <code>tierwright pool-split</code> where the trace is stored.
          </>
        )}
      </EmptyState>
    </Panel>
  );
}
