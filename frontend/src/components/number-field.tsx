import { TextInput } from "@mantine/core";
import { useState } from "react";
import { formatShort, parseNumber } from "@/units/quantity";

interface NumberFieldProps {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly description?: string;
  readonly digits?: number;
  readonly onChange: (value: number) => void;
}

/** A number with a unit; taken over on Enter or on leaving once it is right. */
export function NumberField(props: NumberFieldProps) {
  const { value, min, max, unit, onChange } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const typed = draft === null ? null : draft.replace(/^\s*\$/, "");
  const parsed = typed === null ? value : parseNumber(typed);
  const right = parsed !== null && parsed >= min && parsed <= max;
  const commit = () => {
    if (draft !== null && right) {
      onChange(parsed);
      setDraft(null);
    }
  };
  return (
    <TextInput
      label={props.label}
      size="sm"
      description={props.description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={draft ?? formatShort(value, props.digits ?? 6)}
      rightSection={<span className="tw-unit">{unit}</span>}
      rightSectionWidth={unit.length > 3 ? 76 : 52}
      rightSectionPointerEvents="none"
      error={
        right
          ? null
          : `"${draft ?? ""}" does not fit; write a number from ${formatShort(min)} to ${formatShort(max)}`
      }
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          commit();
        } else if (event.key === "Escape" && draft !== null) {
          event.stopPropagation();
          setDraft(null);
        }
      }}
    />
  );
}
