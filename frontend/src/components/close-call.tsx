import { Text } from "@mantine/core";
import { type EvaluationOut, namesIn } from "@/api/evaluations";
import { Prose } from "./prose";

/** Beside a winner whose lead is smaller than the model's known error: says so. */
export function CloseCall({ evaluation }: { readonly evaluation: EvaluationOut }) {
  const warning = evaluation.warnings.find(
    (candidate) => candidate.name === "lead_within_model_error",
  );
  return warning === undefined ? null : (
    <Text size="sm" style={{ color: "var(--tw-warn)" }}>
      ⚠ Too close to call between schemes:{" "}
      <Prose text={warning.message} names={namesIn(evaluation)} />.{" "}
      <Prose text={warning.hint ?? "Simulate this point before choosing"} />.
    </Text>
  );
}
