import type { ReactNode } from "react";
import { EmptyState } from "./empty-state";
import { Panel } from "./panel";

const MADE_OF = {
  trace: "is there",
  profile:
    "came as a profile: it holds curves and no accesses, so nothing can be replayed",
  curve: "is a given curve: there are no accesses to replay",
} as const;

/** What cannot be shown without the trace, and how to get it. */
export function NeedsTrace(props: {
  readonly kind: keyof typeof MADE_OF;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Panel>
      <EmptyState title={props.title}>
        {props.children} This workload {MADE_OF[props.kind]}. Upload the trace itself on
        the page Workloads, or run <code>tierwright simulate</code>,{" "}
        <code>tierwright sweep</code> or <code>tierwright pool-split</code> where the
        trace is.
      </EmptyState>
    </Panel>
  );
}
