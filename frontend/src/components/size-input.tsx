import { TextInput } from "@mantine/core";
import { useState } from "react";
import {
  type Bytes,
  bytesOfPages,
  formatBytes,
  formatCount,
  type Pages,
  parseSize,
} from "@/units/quantity";

interface SizeInputProps {
  readonly label: string;
  readonly value: Pages;
  readonly pageBytes: Bytes;
  readonly min: number;
  readonly onChange: (value: Pages) => void;
}

/**
 * A size typed in pages or bytes. What is typed is kept while it is wrong, and taken
 * over on Enter or on leaving the field once it is right.
 */
export function SizeInput({ label, value, pageBytes, min, onChange }: SizeInputProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const parsed = draft === null ? null : parseSize(draft, pageBytes, min);
  const commit = () => {
    if (parsed?.ok) {
      onChange(parsed.value);
      setDraft(null);
    }
  };
  return (
    <TextInput
      label={label}
      size="sm"
      placeholder="5400 or 64 MiB"
      value={draft ?? `${formatCount(value)} pages`}
      description={`= ${formatBytes(bytesOfPages(parsed?.ok ? parsed.value : value, pageBytes))}`}
      error={parsed !== null && !parsed.ok ? `${parsed.message}; ${parsed.hint}` : null}
      inputWrapperOrder={["label", "input", "description", "error"]}
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
