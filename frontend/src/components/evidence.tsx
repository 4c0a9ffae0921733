import { Text } from "@mantine/core";
import type { EvidenceOut } from "@/api/gen/types.gen";
import { Panel } from "@/components/panel";

const FOLLOWS: Readonly<Record<EvidenceOut["evidence"], string>> = {
  points: "Between the counted sizes the misses lie between the counts on either side.",
  ages: "The curve is known up to the present size.",
  one_point:
    "A larger cache saves at most all misses, a smaller one loses at least nothing. No size is recommended.",
};

/** What a curve from counters rests on: class, range and error, before anything else. */
export function EvidencePanel({ evidence }: { readonly evidence: EvidenceOut }) {
  return (
    <Panel title={`Evidence: ${evidence.title}`} subtitle={FOLLOWS[evidence.evidence]}>
      <dl className="tw-figures">
        <div>
          <dt>Speaks of</dt>
          <dd>
            {evidence.range}
            <small>beyond, nothing is known</small>
          </dd>
        </div>
        <div>
          <dt>Basis</dt>
          <dd>{evidence.basis}</dd>
        </div>
      </dl>
      <Text size="sm" mt="xs">
        {sentence(evidence.check)}
      </Text>
    </Panel>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
