import { Button, Group, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import type { DescriptionKindOut } from "@/api/described";
import classes from "./described.module.css";
import type { ComponentDraft, Faults, Kind } from "./draft";

type Problems = NonNullable<Faults["components"][number]>;

interface FieldsProps {
  readonly number: number;
  readonly component: ComponentDraft;
  readonly kinds: readonly DescriptionKindOut[];
  readonly faults: Problems;
  readonly onChange: (part: Partial<ComponentDraft>) => void;
  /** Absent for a single component: a mix has at least one. */
  readonly onRemove: (() => void) | undefined;
}

/** One component of a mix: which page it accesses next, how often, and where. */
export function ComponentFields(props: FieldsProps) {
  const { number, component, kinds, faults, onChange, onRemove } = props;
  const kind = kinds.find(({ name }) => name === component.kind);
  const field = (name: keyof Problems, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      inputMode="decimal"
      value={component[name]}
      error={faults[name] ?? null}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend breaks the line above it
    <div
      role="group"
      aria-label={`Component ${number}`}
      className={classes["component"]}
    >
      <Group justify="space-between" mb={4}>
        <Text fw={600} size="sm" component="span">
          Component {number}
        </Text>
        {onRemove !== undefined && (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={onRemove}
            aria-label={`Remove component ${number}`}
          >
            Remove
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label="Access pattern"
          description={kind?.description}
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={component.kind}
          allowDeselect={false}
          data={kinds.map(({ name, title }) => ({ value: name, label: title }))}
          onChange={(name) => name !== null && onChange({ kind: name as Kind })}
        />
        {component.kind === "zipf" &&
          field(
            "exponent",
            "Zipf exponent",
            "Skew: 0 makes all pages equal; data stores often lie between 0.7 and 1.2",
          )}
        {component.kind === "hot_cold" && (
          <>
            {field("hotData", "Hot data [%]", "Share of its data that is hot")}
            {field(
              "hotAccesses",
              "Accesses to hot data [%]",
              "Share of its accesses that go there",
            )}
          </>
        )}
        {field(
          "weight",
          "Weight",
          "Its accesses relative to the other components: 8 beside 2 is 80 %",
        )}
        {field(
          "data",
          "Part of the data [%]",
          "No other component accesses this part; empty: what the others leave",
        )}
        {field(
          "writes",
          "Writes [%]",
          "Share of its accesses that write; empty: that of the workload",
        )}
      </SimpleGrid>
    </div>
  );
}
