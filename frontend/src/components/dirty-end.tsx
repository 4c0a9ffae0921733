import { Group, SegmentedControl, Text } from "@mantine/core";

/** Which end of an unknown dirty share charts and tables show. */
export type DirtyEndName = "most" | "least";

/** Chooses the end that is drawn, where nobody knows how many evicted pages are dirty. */
export function DirtyEnd(props: {
  readonly value: DirtyEndName;
  readonly onChange: (end: DirtyEndName) => void;
}) {
  return (
    <Group gap="xs">
      <Text size="sm" fw={500} id="dirty-end">
        Charts and tables show
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby="dirty-end"
        transitionDuration={0}
        value={props.value}
        onChange={(value) => props.onChange(value === "least" ? "least" : "most")}
        data={[
          { value: "most", label: "Maximum dirty pages" },
          { value: "least", label: "No dirty pages" },
        ]}
      />
    </Group>
  );
}
