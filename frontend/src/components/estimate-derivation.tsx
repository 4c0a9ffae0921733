import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** How an answer was computed: by which estimate, where that holds, and step by step. */
export function EstimateDerivation(props: {
  readonly found: {
    readonly estimator: string;
    readonly validity: string;
  };
  /** The table of its steps. */
  readonly children: ReactNode;
}) {
  const { estimator, validity } = props.found;
  return (
    <Stack gap="xs">
      <Text size="sm">
        Estimator: {estimator}. Valid for: {validity}.
      </Text>
      {props.children}
    </Stack>
  );
}
