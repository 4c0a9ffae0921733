import { NumberInput, SegmentedControl, Text } from "@mantine/core";
import { FULL, type WarmUp } from "@/questions/simulate";
import { counted } from "@/units/quantity";

type Kind = "none" | "accesses" | "share" | typeof FULL;

const KINDS: readonly { value: Kind; label: string }[] = [
  { value: "none", label: "None" },
  { value: "accesses", label: "Accesses" },
  { value: "share", label: "Share" },
  { value: FULL, label: "Until full" },
];

const USUAL_SHARE = 0.5;

function kindOf(warmUp: WarmUp): Kind {
  if (warmUp === FULL) {
    return FULL;
  }
  return warmUp === 0 ? "none" : warmUp < 1 ? "share" : "accesses";
}

function noteOf(warmUp: WarmUp): string {
  switch (kindOf(warmUp)) {
    case "none":
      return "Every access counts, from empty caches.";
    case FULL:
      return "Each replay counts from the access after the one that fills its flash, or its cache where it has no flash. One whose cache the trace never fills fails, and says how full it got.";
    default:
      return "The first accesses fill the caches and are not counted.";
  }
}

/** What of the trace fills the caches and is not counted. */
export function WarmUpField(props: {
  readonly value: WarmUp;
  readonly accesses: number;
  readonly onChange: (warmUp: WarmUp) => void;
}) {
  const { value, accesses, onChange } = props;
  const kind = kindOf(value);
  const half = Math.max(1, Math.floor(accesses / 2));
  const usual: Record<Kind, WarmUp> = {
    none: 0,
    accesses: half,
    share: USUAL_SHARE,
    full: FULL,
  };
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <legend style={{ padding: 0, fontWeight: 600, marginBottom: 6 }}>Warm-up</legend>
      <SegmentedControl
        size="xs"
        mb="xs"
        aria-label="Warm-up: none, accesses, share or until full"
        value={kind}
        onChange={(next) => next !== kind && onChange(usual[next as Kind])}
        transitionDuration={0}
        data={[...KINDS]}
      />
      {kind === "accesses" && (
        <NumberInput
          label="Accesses not counted"
          size="sm"
          mb="xs"
          min={1}
          max={Math.max(1, accesses - 1)}
          allowDecimal={false}
          clampBehavior="blur"
          thousandSeparator=","
          value={value}
          onChange={(next) => typeof next === "number" && next >= 1 && onChange(next)}
        />
      )}
      {kind === "share" && (
        <NumberInput
          label="Share not counted [%]"
          size="sm"
          mb="xs"
          min={1}
          max={99}
          clampBehavior="blur"
          value={Number((100 * Number(value)).toFixed(6))}
          onChange={(next) =>
            typeof next === "number" && next > 0 && next < 100 && onChange(next / 100)
          }
        />
      )}
      <Text size="xs" c="dimmed">
        {noteOf(value)}
        {kind === "none" || kind === FULL
          ? ""
          : ` The trace has ${counted(accesses, "access")}.`}
      </Text>
    </fieldset>
  );
}
