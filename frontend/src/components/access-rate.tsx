import { Box } from "@mantine/core";
import { listed } from "@/units/quantity";
import { OptionalNumberField } from "./number-field";

const MOST = 1_000_000_000;
/** As many as it has. */
const DIGITS = 10;
/** Of a field with one number. [px] */
const NARROW = 320;

/** The rate at which the accesses of a trace without times come. */
export function AccessRate(props: {
  readonly value: number | undefined;
  /** Titles of the flash caches that work by the clock, and need it. */
  readonly needed: readonly string[];
  /** Whether it also says how long flash lasts. */
  readonly isOfLife: boolean;
  readonly onChange: (rate: number | undefined) => void;
}) {
  return (
    <Box maw={NARROW}>
      <OptionalNumberField
        label="Rate of the accesses"
        unit="1/s"
        description={rateText(props)}
        value={props.value}
        min={1}
        max={MOST}
        whole
        digits={DIGITS}
        placeholder="none stated"
        onChange={props.onChange}
      />
    </Box>
  );
}

/** What the rate is for, and what lacks one. */
export function rateText(props: {
  readonly value: number | undefined;
  readonly needed: readonly string[];
  readonly isOfLife: boolean;
}): string {
  const { value, needed, isOfLife } = props;
  const life = isOfLife
    ? value === undefined
      ? " It also says how long flash lasts."
      : " How long flash lasts is of this rate, too."
    : "";
  if (needed.length === 0) {
    return value === undefined
      ? "This trace has no times: a rate says how long flash lasts."
      : "How long flash lasts is of this rate.";
  }
  const who = `${listed(needed)} ${needed.length === 1 ? "works" : "work"} by the clock`;
  return value === undefined
    ? `Needed: ${who}, and this trace has no times.${life}`
    : `${who}: the trace, which has no times, is replayed at this rate.${life}`;
}
