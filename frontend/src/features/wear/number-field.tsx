import { OptionalNumberField } from "@/components/number-field";
import { WEAR_BOUNDS, type WearNumbers } from "@/questions/wear";

interface WearFieldProps {
  readonly name: keyof WearNumbers;
  readonly label: string;
  /** Shown value is the kept one times this: 100 for per cent. */
  readonly factor?: number;
  readonly value: number | undefined;
  readonly placeholder?: string;
  readonly description?: string;
  readonly onChange: (value: number | undefined) => void;
}

const DIGITS = 12;

/** A number of this page's question, within the bounds of the server. */
export function WearField(props: WearFieldProps) {
  const { name, factor = 1, value, onChange, description = "", ...rest } = props;
  const { low, high, whole = false } = WEAR_BOUNDS[name];
  return (
    <OptionalNumberField
      {...rest}
      {...(description === "" ? {} : { description })}
      min={low * factor}
      max={high * factor}
      whole={whole}
      digits={DIGITS}
      value={value === undefined ? undefined : value * factor}
      onChange={(shown) => onChange(shown === undefined ? undefined : shown / factor)}
    />
  );
}
