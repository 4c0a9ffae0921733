import {
  type Bytes,
  bytesOfPages,
  formatBytes,
  formatPages,
  type Pages,
  parseSize,
} from "@/units/quantity";
import { DraftInput } from "./draft-input";

interface SizeInputProps {
  readonly label: string;
  readonly value: Pages;
  readonly pageBytes: Bytes;
  readonly min: number;
  readonly onChange: (value: Pages) => void;
}

/** A size typed in pages or bytes. */
export function SizeInput({ label, value, pageBytes, min, onChange }: SizeInputProps) {
  return (
    <DraftInput<Pages>
      label={label}
      placeholder="5400 or 64 MiB"
      shown={formatPages(value)}
      description={(typed) =>
        `= ${formatBytes(bytesOfPages(typed ?? value, pageBytes))}`
      }
      read={(text) => {
        const found = parseSize(text, pageBytes, min);
        return found.ok
          ? found
          : { ok: false, error: `${found.message}; ${found.hint}` };
      }}
      onChange={onChange}
    />
  );
}
