import { Text } from "@mantine/core";
import { type EvaluationOut, namesIn } from "@/api/compare";
import { Prose } from "./prose";

/** What stands beside a winner whose lead the model cannot tell: that a replay decides it. */
export function CloseCall(props: {
  readonly evaluation: EvaluationOut;
  /** Scheme that the model alone puts first. */
  readonly modelBest?: string | null;
  /** A replay that decides is under way. */
  readonly deciding?: boolean;
}) {
  const { evaluation } = props;
  const names = namesIn(evaluation);
  const about = (name: string) => evaluation.warnings.find((one) => one.name === name);
  if (evaluation.decided_by === "replay") {
    const model = props.modelBest ?? null;
    const scaledDown = about("replayed_scaled_down");
    return (
      <Text size="sm">
        {model === null || model === evaluation.best
          ? "Decided by replay, because the lead is within the model's error. The model puts the same scheme first."
          : `Decided by replay, because the lead is within the model's error. The model puts ${names.get(model) ?? model} first.`}
        {scaledDown !== undefined && (
          <>
            {" "}
            <Prose text={scaledDown.message} names={names} />.
          </>
        )}
      </Text>
    );
  }
  const warning = about("lead_within_model_error");
  if (warning === undefined) {
    return null;
  }
  if (props.deciding === true) {
    return (
      <Text size="sm" role="status">
        The lead is within the model's error: replaying the trace to decide…
      </Text>
    );
  }
  return (
    <Text size="sm" style={{ color: "var(--tw-warn)" }}>
      ⚠ Too close to call between schemes:{" "}
      <Prose text={warning.message} names={names} />.{" "}
      <Prose text={warning.hint ?? "Simulate this point before choosing"} />.
    </Text>
  );
}
