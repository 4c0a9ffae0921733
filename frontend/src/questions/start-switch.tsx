import { SegmentedControl } from "@mantine/core";
import { readMembers } from "./members";
import { STARTS, type Start } from "./point";

const OF_CURVE =
  "The given curve is of a system that runs, so there is no start to choose.";
/** What an address says that asks for a cold start of several workloads. */
export const OF_SEVERAL =
  "Systems for several workloads are chosen for a steady state: a cold start is not computed for them.";

/** Why only a steady state can be asked; null where the start is a choice. */
export function steadyFor(
  isGiven: boolean,
  workloads: string | undefined,
): string | null {
  const several = workloads === undefined ? 0 : (readMembers(workloads)?.length ?? 0);
  return several > 1 ? OF_SEVERAL : isGiven ? OF_CURVE : null;
}

/** Whether the answers are of a system that runs, or of caches that begin empty. */
export function StartSwitch(props: {
  readonly start: Start;
  /** Why there is nothing to choose; null where there is. */
  readonly fixed: string | null;
  readonly patch: (change: { readonly start: Start }) => void;
}) {
  return (
    // Both starts stay in sight.
    <span title={props.fixed ?? undefined} style={{ flex: "none" }}>
      <SegmentedControl
        size="xs"
        aria-label={`Initial state of the caches${props.fixed === null ? "" : `. ${props.fixed}`}`}
        data={[
          { value: "steady", label: "Steady state" },
          { value: "cold", label: "Cold start" },
        ]}
        value={props.fixed === null ? props.start : "steady"}
        disabled={props.fixed !== null}
        onChange={(value) => {
          const start = STARTS.find((name) => name === value);
          if (start !== undefined) {
            props.patch({ start });
          }
        }}
      />
    </span>
  );
}
