import { NumberInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { fitsWear, WEAR_BOUNDS, type WearSearch } from "@/analysis/wear-state";
import { formatShort } from "@/units/quantity";

interface NumberFieldProps {
  readonly name: keyof WearSearch;
  readonly label: string;
  /** Shown value is the kept one times this: 100 for per cent. */
  readonly factor?: number;
  readonly value: number | undefined;
  readonly placeholder?: string;
  readonly description?: ReactNode;
  readonly onChange: (value: number | undefined) => void;
}

/** A number that may be left out; taken over on Enter or on leaving the field. */
export function NumberField(props: NumberFieldProps) {
  const { name, label, factor = 1, value, onChange } = props;
  const [draft, setDraft] = useState<number | string | null>(null);
  const given = value === undefined ? "" : Number((value * factor).toPrecision(12));
  const shown = draft ?? given;
  const parsed = typeof shown === "number" ? shown / factor : undefined;
  const { low, high } = WEAR_BOUNDS[name];
  const wrong = parsed !== undefined && !fitsWear(name, parsed);
  const commit = () => {
    if (draft !== null && !wrong) {
      onChange(parsed);
      setDraft(null);
    }
  };
  return (
    <NumberInput
      size="sm"
      label={label}
      description={props.description}
      placeholder={props.placeholder ?? ""}
      hideControls
      thousandSeparator=","
      value={shown}
      error={
        wrong
          ? `must lie between ${formatShort(low * factor)} and ${formatShort(high * factor)}`
          : null
      }
      onChange={setDraft}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
}
