import { Box } from "@mantine/core";
import { listed } from "@/units/quantity";
import { OptionalNumberField } from "./number-field";
import { optionWords } from "./options-field";

/** The option that states the rate of a trace without times. */
const RATE = "accesses_per_second";
const MOST = 1_000_000_000;
/** As many as it has. */
const DIGITS = 10;
/** Of a field with one number. [px] */
const NARROW = 320;

/** The rate that options state for all caches; `undefined` where none is. */
export const rateOf = (options: string | undefined): number | undefined => {
  const word = optionWords(options).find((each) => each.startsWith(`${RATE}=`));
  const rate = Number(word?.slice(RATE.length + 1));
  return word === undefined || !Number.isFinite(rate) ? undefined : rate;
};

/** The same options with another rate for all caches, or without one. */
export const withRate = (
  options: string | undefined,
  rate: number | undefined,
): string | undefined => {
  const others = optionWords(options).filter((each) => !each.startsWith(`${RATE}=`));
  const words = rate === undefined ? others : [`${RATE}=${rate}`, ...others];
  return words.length === 0 ? undefined : words.join(" ");
};

/** The rate of the accesses, which caches that work by the clock need where a trace has no times. */
export function CachesRate(props: {
  readonly options: string | undefined;
  /** Titles of those that were chosen and need it. */
  readonly of: readonly string[];
  readonly onChange: (options: string | undefined) => void;
}) {
  const { options, of } = props;
  const rate = rateOf(options);
  const who = `${listed(of)} ${of.length === 1 ? "works" : "work"} by the clock`;
  return (
    <Box maw={NARROW}>
      <OptionalNumberField
        label="Rate of the accesses"
        unit="1/s"
        description={
          rate === undefined
            ? `Needed: ${who}, and this trace has no times.`
            : `${who}: the trace, which has no times, is replayed at this rate.`
        }
        value={rate}
        min={1}
        max={MOST}
        whole
        digits={DIGITS}
        placeholder="none stated"
        onChange={(value) => props.onChange(withRate(options, value))}
      />
    </Box>
  );
}
