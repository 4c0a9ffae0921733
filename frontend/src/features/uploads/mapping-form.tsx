import {
  Autocomplete,
  Button,
  Group,
  Select,
  SimpleGrid,
  Text,
  TextInput,
} from "@mantine/core";
import { Panel } from "@/components/panel";
import type { Mapping, MappingFault } from "./read-options";

const ADDRESSINGS = [
  { value: "offset", label: "First byte or sector, and a length" },
  { value: "page", label: "Page number" },
  { value: "key", label: "Key of a cache item" },
];
const LENGTH_UNITS = [
  { value: "bytes", label: "bytes" },
  { value: "sectors", label: "sectors of 512 bytes" },
  { value: "pages", label: "pages of the page size above" },
];
const TIME_UNITS = [
  { value: "s", label: "seconds" },
  { value: "ms", label: "milliseconds" },
  { value: "us", label: "microseconds" },
  { value: "ns", label: "nanoseconds" },
  { value: "filetime", label: "Windows filetime (100 ns)" },
];

interface MappingFormProps {
  readonly mapping: Mapping;
  readonly columns: readonly string[];
  /** Whether the table is text, whose lines must be taken apart. */
  readonly isText: boolean;
  readonly faults: readonly MappingFault[];
  readonly onChange: (mapping: Mapping) => void;
  readonly onTry: () => void;
  readonly pending: boolean;
}

/** Which column means what, with its unit: nothing is guessed. */
export function MappingForm(props: MappingFormProps) {
  const { mapping, columns, faults, onChange } = props;
  const set = (change: Partial<Mapping>) => onChange({ ...mapping, ...change });
  const faultOf = (field: keyof Mapping) =>
    faults.find((fault) => fault.field === field)?.message ?? null;
  const column = (field: keyof Mapping, label: string, optional: boolean) => (
    <Autocomplete
      label={label}
      description={
        optional ? "optional; name, or number from 1" : "name, or number from 1"
      }
      value={mapping[field]}
      data={[...columns]}
      onChange={(value) => set({ [field]: value })}
      error={faultOf(field)}
    />
  );
  const unit = (
    field: keyof Mapping,
    label: string,
    data: readonly { value: string; label: string }[],
  ) => (
    <Select
      label={label}
      description="required with its column"
      placeholder="Choose the unit"
      value={mapping[field] === "" ? null : mapping[field]}
      data={[...data]}
      onChange={(value) => set({ [field]: value ?? "" })}
      error={faultOf(field)}
    />
  );
  return (
    <Panel
      title="Column mapping"
      subtitle={
        columns.length > 0
          ? `Columns found: ${columns.join(", ")}`
          : "Name the columns as the first line does, or give their numbers."
      }
      actions={
        <Button
          variant="default"
          onClick={props.onTry}
          disabled={faults.length > 0}
          loading={props.pending}
        >
          Show the preview
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2, md: 4 }}>
        <Select
          label="Address is given as"
          description="what each record refers to"
          value={mapping.addressing}
          data={ADDRESSINGS}
          allowDeselect={false}
          onChange={(value) =>
            set({ addressing: (value ?? "offset") as Mapping["addressing"] })
          }
        />
        {column("address", "Address column", false)}
        {mapping.addressing === "offset" && (
          <>
            {unit("offsetUnit", "Address unit", LENGTH_UNITS)}
            {column("size", "Length column", false)}
            {unit("sizeUnit", "Length unit", LENGTH_UNITS)}
          </>
        )}
        {column("time", "Time column", true)}
        {mapping.time !== "" && unit("timeUnit", "Time unit", TIME_UNITS)}
        {column("op", "Operation column", true)}
        {mapping.op !== "" && (
          <>
            <TextInput
              label="Values that mean read"
              description="separated by commas; empty for R/W"
              value={mapping.readValues}
              onChange={(event) => set({ readValues: event.currentTarget.value })}
              error={faultOf("readValues")}
            />
            <TextInput
              label="Values that mean write"
              description="separated by commas; empty for R/W"
              value={mapping.writeValues}
              onChange={(event) => set({ writeValues: event.currentTarget.value })}
              error={faultOf("writeValues")}
            />
          </>
        )}
        {column("device", "Device column", true)}
        {props.isText && (
          <>
            <TextInput
              label="Delimiter"
              description="empty: found from the first line"
              value={mapping.delimiter}
              onChange={(event) => set({ delimiter: event.currentTarget.value })}
            />
            <Select
              label="First line"
              description="names or a record"
              value={mapping.header}
              data={[
                { value: "", label: "Detect from the mapping" },
                { value: "true", label: "Contains column names" },
                { value: "false", label: "Is a record" },
              ]}
              allowDeselect={false}
              onChange={(value) => set({ header: value ?? "" })}
            />
          </>
        )}
      </SimpleGrid>
      {mapping.op === "" && (
        <Group mt="sm">
          <Text size="sm" c="dimmed">
            Without an operation column every access counts as a read, so nothing is
            ever written back.
          </Text>
        </Group>
      )}
    </Panel>
  );
}
