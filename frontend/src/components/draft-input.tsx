import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";

/** Of the place of a unit beside a number. [px] */
const widthOf = (unit: string): number => {
  if (unit.length > 8) {
    return 92;
  }
  return unit.length > 3 ? 76 : 52;
};

/** What a typed text means, or why it means nothing. */
export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

interface DraftInputProps<T> {
  readonly label: string;
  /** Where the label alone does not say what the field is of. */
  readonly ariaLabel?: string;
  /** The present value as text. */
  readonly shown: string;
  readonly read: (text: string) => Read<T>;
  readonly onChange: (value: T) => void;
  readonly unit?: string;
  readonly placeholder?: string | undefined;
  /** What is wrong with the present value, though the text could be read; what is typed anew comes first. */
  readonly error?: string | undefined;
  /** Below the field; of what is typed, where that can be read. */
  readonly description?: ReactNode | ((typed: T | null) => ReactNode);
}

/**
 * A value typed as text. What is typed is kept while it is wrong, taken over on Enter or
 * on leaving the field once it is right, and dropped on Escape.
 */
export function DraftInput<T>(props: DraftInputProps<T>) {
  const { unit, description } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const typed = draft === null ? null : props.read(draft);
  const commit = () => {
    if (typed?.ok) {
      props.onChange(typed.value);
      setDraft(null);
    }
  };
  return (
    <TextInput
      label={props.label}
      {...(props.ariaLabel === undefined ? {} : { "aria-label": props.ariaLabel })}
      size="sm"
      placeholder={props.placeholder}
      description={
        typeof description === "function"
          ? description(typed?.ok ? typed.value : null)
          : description
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={draft ?? props.shown}
      error={typed === null ? props.error : typed.ok ? null : typed.error}
      {...(unit === undefined
        ? {}
        : {
            rightSection: <span className="tw-unit">{unit}</span>,
            rightSectionWidth: widthOf(unit),
            rightSectionPointerEvents: "none" as const,
          })}
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
