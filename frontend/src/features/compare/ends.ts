import { formatMicroseconds, microseconds } from "@/units/quantity";

export const micros = (value: number) => formatMicroseconds(microseconds(value));

/** "12 to 31" where the dirty share is unknown, one number where it is known. */
export function ends(
  least: number | undefined,
  most: number,
  format: (value: number) => string,
): string {
  const [low, high] = [format(least ?? most), format(most)];
  return low === high ? high : `${low} to ${high}`;
}
