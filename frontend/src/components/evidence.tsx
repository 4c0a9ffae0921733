import { Code, Text } from "@mantine/core";
import type { EvidenceOut } from "@/api/gen/types.gen";
import { Panel } from "@/components/panel";

const FOLLOWS: Readonly<Record<EvidenceOut["evidence"], string>> = {
  points: "Between the counted sizes the misses lie between the counts on either side.",
  ages: "The curve is known up to the present size.",
  one_point:
    "One size is known, so costs of today are bounded and no size is recommended.",
};

const OF_PARTS =
  "Each part gives its own sizes; between counted sizes the misses lie between the counts on either side.";
/** Sentences in place of numbers: words are not broken. */
const WIDE = { gridColumn: "span 2" } as const;

/** What a curve from counters rests on: class, range and error, before anything else. */
export function EvidencePanel({ evidence }: { readonly evidence: EvidenceOut }) {
  return (
    <Panel
      title={`Evidence: ${evidence.title}`}
      subtitle={evidence.parts.length > 0 ? OF_PARTS : FOLLOWS[evidence.evidence]}
    >
      <dl className="tw-figures">
        <div style={WIDE}>
          <dt>Speaks of</dt>
          <dd>
            {evidence.range}
            <small>beyond, nothing is known</small>
          </dd>
        </div>
        <div style={WIDE}>
          <dt>Gap</dt>
          <dd>
            {/* Of a workload that an earlier version kept it is in the sentence below alone. */}
            {evidence.gap === "" ? "as below" : evidence.gap}
            <small>
              {evidence.self_check === null
                ? "nothing beside it was counted"
                : "to what the system itself counts"}
            </small>
          </dd>
        </div>
        <div style={WIDE}>
          <dt>Basis</dt>
          <dd>{evidence.basis}</dd>
        </div>
      </dl>
      <Text size="sm" mt="xs">
        {sentence(evidence.check)}
      </Text>
      {evidence.bounds != null && (
        <Text size="sm" mt="xs">
          {evidence.bounds}
        </Text>
      )}
      {evidence.next_step != null && <NextStep step={evidence.next_step} />}
      {evidence.parts.length + evidence.tiers.length > 0 && (
        <ul>
          {[...evidence.parts, ...evidence.tiers].map(({ text }) => (
            <li key={text}>
              <Text size="sm">{sentence(text)}</Text>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** What to record for more than this, for how long and with which command. */
function NextStep({ step }: { readonly step: NonNullable<EvidenceOut["next_step"]> }) {
  return (
    <>
      <Text size="sm" mt="xs" fw={600}>
        What to record next
      </Text>
      <Text size="sm">{step.sentence}</Text>
      <Code block mt={4} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {step.command}
      </Code>
      <Text size="sm" c="dimmed" mt={4}>
        Names in capitals are those of your system; docs/traces/counters.md has the
        command.
      </Text>
    </>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Where a curve is known: lines through sizes that were counted alone are dashed, as between them only bounds are. */
export function isKnownBetween(
  evidence: Pick<EvidenceOut, "evidence" | "parts"> | null | undefined,
  size: number,
): boolean {
  if (evidence == null) {
    return true;
  }
  if (evidence.parts.length === 0) {
    return evidence.evidence === "ages";
  }
  return evidence.parts.some(
    (part) =>
      part.evidence === "ages" && part.valid_from <= size && size <= part.valid_to,
  );
}

/** Points of a curve in lines that meet: through what is known at every size, and through single sizes on both sides. */
export function knownAndBounded<T extends readonly [number, ...number[]]>(
  evidence: Pick<EvidenceOut, "evidence" | "parts"> | null | undefined,
  points: readonly T[],
): { readonly known: readonly T[]; readonly bounded: readonly (readonly T[])[] } {
  const known = points.filter(([size]) => isKnownBetween(evidence, size));
  // A single known point is no line: all are bounded.
  if (known.length <= 1) {
    return { known: [], bounded: [points] };
  }
  const first = known[0]?.[0] ?? 0;
  const last = known.at(-1)?.[0] ?? 0;
  const sides = [
    points.filter(([size]) => size <= first),
    points.filter(([size]) => size >= last),
  ];
  return { known, bounded: sides.filter((side) => side.length > 1) };
}

/** What the band of a curve from counters is. */
export function bandText(evidence: Pick<EvidenceOut, "evidence" | "parts">): string {
  const kinds = [evidence.evidence, ...evidence.parts.map((part) => part.evidence)];
  const of = [
    ...(kinds.includes("ages") ? ["what the ages leave open"] : []),
    ...(kinds.every((kind) => kind === "ages")
      ? []
      : ["between counted sizes, from the count of the one to that of the other"]),
  ];
  return `band: ${of.join("; ")}`;
}
