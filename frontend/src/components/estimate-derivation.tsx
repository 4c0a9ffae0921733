import { Stack, Text } from "@mantine/core";
import { type DerivationRow, DerivationTable } from "./derivation-table";

/** How an answer was computed: by which estimate, where that holds, and step by step. */
export function EstimateDerivation(props: {
  readonly found: {
    readonly estimator: string;
    readonly validity: string;
    readonly derivation: readonly DerivationRow[];
  };
}) {
  const { estimator, validity, derivation } = props.found;
  return (
    <Stack gap="xs">
      <Text size="sm">
        Estimator: {estimator}. Valid for: {validity}.
      </Text>
      <DerivationTable steps={derivation} />
    </Stack>
  );
}
