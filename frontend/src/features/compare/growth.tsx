import { Text } from "@mantine/core";
import type { EvaluationOut } from "@/api/compare";
import type { SummaryOut } from "@/api/workloads";
import { Disclosure } from "@/components/disclosure";
import { OptionalNumberField } from "@/components/number-field";
import { counted, formatPercent, ratio } from "@/units/quantity";
import classes from "./compare.module.css";

/** Pages that were made during the recording: no trace says which, but somebody may know how many. */
export function Growth(props: {
  readonly value: number | undefined;
  readonly summary: SummaryOut;
  readonly onChange: (pages: number | undefined) => void;
}) {
  if (props.summary.kind === "curve") {
    return null; // it has no first touches
  }
  return (
    <Disclosure label="Advanced" initiallyOpen={props.value !== undefined}>
      <div className={classes["metadata"]}>
        <OptionalNumberField
          label="Pages newly allocated while recording"
          placeholder="unknown"
          min={0}
          max={props.summary.distinct_pages}
          whole
          digits={15}
          value={props.value}
          onChange={(count) => props.onChange(count === 0 ? undefined : count)}
        />
        <Text size="xs" c="dimmed" mt={4}>
          A trace does not record which pages are new. In the steady state the first
          touch of a new page is growth, not a miss: it evicts a page and reads nothing.
        </Text>
      </div>
    </Disclosure>
  );
}

/** What became of the new pages in the figures above. */
export function GrowthLine({ evaluation }: { readonly evaluation: EvaluationOut }) {
  const { growth_per_access: growth, new_pages: count, decided_by: by } = evaluation;
  if (count === 0) {
    return null;
  }
  const part = formatPercent(ratio(growth));
  const pages = counted(count, "newly allocated page");
  return (
    <Text size="sm" mt="xs" data-line="growth">
      {evaluation.start === "cold"
        ? `Growth: ${part} of the accesses are first touches of ${pages}; a cold start counts them as disk reads.`
        : by === "replay"
          ? `Growth: ${part} of the accesses are first touches of ${pages}. The replay cannot identify them and counts them as disk reads under every scheme.`
          : `Growth: ${part} of the accesses are first touches of ${pages}, in addition to hits and disk reads.`}
    </Text>
  );
}

/** Neither side of the check knows the new pages that were stated. */
export function CheckWithoutGrowth({
  evaluation,
}: {
  readonly evaluation: EvaluationOut;
}) {
  if (evaluation.new_pages === 0 || evaluation.start === "cold") {
    return null;
  }
  return (
    <Text size="sm" c="dimmed">
      A replay cannot identify new pages, so in this check both model and simulation
      treat them like existing pages.
    </Text>
  );
}
