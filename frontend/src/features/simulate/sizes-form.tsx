import { NumberInput, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { SizeInput } from "@/components/size-input";
import { MOST_SIZES, type SizeSpec, USUAL_POINTS } from "@/questions/simulate";
import {
  type Bytes,
  bytesOfPages,
  counted,
  formatBytes,
  pages,
  parseSize,
} from "@/units/quantity";
import classes from "./simulate.module.css";

interface SizesFormProps {
  readonly label: string;
  readonly spec: SizeSpec;
  readonly pageBytes: Bytes;
  /** Smallest size: 0 for flash, which may be absent. */
  readonly minimum: number;
  /** All pages of the workload: the largest size that makes a difference. */
  readonly distinctPages: number;
  readonly onChange: (spec: SizeSpec) => void;
}

/** Sizes as a logarithmic range, or one by one. */
export function SizesForm(props: SizesFormProps) {
  const { label, spec, onChange, distinctPages } = props;
  const switchTo = (kind: string) => {
    if (kind === spec.kind) {
      return;
    }
    onChange(
      spec.kind === "range"
        ? { kind: "list", pages: [spec.from, spec.to] }
        : {
            kind: "range",
            from: Math.max(1, Math.min(...spec.pages)),
            to: Math.max(1, ...spec.pages, distinctPages),
            points: USUAL_POINTS,
          },
    );
  };
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <legend style={{ padding: 0, fontWeight: 600, marginBottom: 6 }}>{label}</legend>
      <SegmentedControl
        size="xs"
        mb="xs"
        aria-label={`${label}: range or list`}
        value={spec.kind}
        onChange={switchTo}
        transitionDuration={0}
        data={[
          { value: "range", label: "Range" },
          { value: "list", label: "One by one" },
        ]}
      />
      {spec.kind === "range" ? (
        <RangeFields {...props} spec={spec} />
      ) : (
        <ListField {...props} key={spec.pages.join()} spec={spec} />
      )}
    </fieldset>
  );
}

function RangeFields(
  props: SizesFormProps & { readonly spec: SizeSpec & { kind: "range" } },
) {
  const { spec, pageBytes, onChange } = props;
  const least = Math.max(1, props.minimum);
  return (
    <div className={classes["range"]}>
      <SizeInput
        label="From"
        value={pages(spec.from)}
        pageBytes={pageBytes}
        min={least}
        onChange={(from) => onChange({ ...spec, from, to: Math.max(from, spec.to) })}
      />
      <SizeInput
        label="To"
        value={pages(spec.to)}
        pageBytes={pageBytes}
        min={least}
        onChange={(to) => onChange({ ...spec, to, from: Math.min(to, spec.from) })}
      />
      <NumberInput
        label="Sizes"
        size="sm"
        description="log steps"
        inputWrapperOrder={["label", "input", "description", "error"]}
        min={1}
        max={MOST_SIZES}
        allowDecimal={false}
        clampBehavior="strict"
        value={spec.points}
        onChange={(points) =>
          typeof points === "number" && points >= 1 && onChange({ ...spec, points })
        }
      />
    </div>
  );
}

/** Sizes in a text, in pages or bytes, separated by commas; groups of digits by none. */
export function parseSizes(text: string, pageBytes: Bytes, minimum: number) {
  const parts = text
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length === 0) {
    return { ok: false as const, message: "enter at least one size" };
  }
  if (parts.length > MOST_SIZES) {
    return { ok: false as const, message: `enter at most ${MOST_SIZES} sizes` };
  }
  const sizes: number[] = [];
  for (const part of parts) {
    const parsed = parseSize(part, pageBytes, minimum);
    if (!parsed.ok) {
      return {
        ok: false as const,
        message: `${part}: ${parsed.message}; ${parsed.hint}`,
      };
    }
    sizes.push(parsed.value);
  }
  return { ok: true as const, sizes: [...new Set(sizes)].sort((a, b) => a - b) };
}

function ListField(
  props: SizesFormProps & { readonly spec: SizeSpec & { kind: "list" } },
) {
  const { spec, pageBytes, minimum, onChange, label } = props;
  const [draft, setDraft] = useState<string | null>(null);
  const parsed = draft === null ? null : parseSizes(draft, pageBytes, minimum);
  const commit = () => {
    if (parsed?.ok) {
      onChange({ kind: "list", pages: parsed.sizes });
      setDraft(null);
    }
  };
  return (
    <>
      <TextInput
        label={`${label}, separated by commas`}
        size="sm"
        placeholder="1000, 64 MiB, 1 GiB"
        value={draft ?? spec.pages.join(", ")}
        error={parsed !== null && !parsed.ok ? parsed.message : null}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
      <Text size="xs" c="dimmed" mt={4}>
        ={" "}
        {(parsed?.ok ? parsed.sizes : spec.pages)
          .map(
            (size) =>
              `${counted(size, "page")} (${formatBytes(bytesOfPages(pages(size), pageBytes))})`,
          )
          .join(", ")}
      </Text>
    </>
  );
}
