import { optionWords } from "./options-field";

/** The option that states the rate of a trace without times. */
export const RATE_OPTION = "accesses_per_second";

/** The rate that options state for all caches; `undefined` where none is. */
export const rateOf = (options: string | undefined): number | undefined => {
  const word = optionWords(options).find((each) => each.startsWith(`${RATE_OPTION}=`));
  const rate = Number(word?.slice(RATE_OPTION.length + 1));
  return word === undefined || !Number.isFinite(rate) ? undefined : rate;
};

/** The same options with another rate for all caches, or without one. */
export const withRate = (
  options: string | undefined,
  rate: number | undefined,
): string | undefined => {
  const others = optionWords(options).filter(
    (each) => !each.startsWith(`${RATE_OPTION}=`),
  );
  const words = rate === undefined ? others : [`${RATE_OPTION}=${rate}`, ...others];
  return words.length === 0 ? undefined : words.join(" ");
};
