/** Ticks of a decimal logarithmic axis: labels at powers of ten, ticks at 1 to 9. */
export interface LogTicks {
  readonly min: number;
  readonly max: number;
  readonly major: readonly number[];
  readonly all: readonly number[];
}

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

export function logTicks(low: number, high: number): LogTicks {
  if (!(low > 0) || !(high >= low)) {
    throw new RangeError(
      `a logarithmic axis needs 0 < low <= high, got ${low} and ${high}`,
    );
  }
  const first = Math.floor(Math.log10(low) + 1e-12);
  const last = Math.ceil(Math.log10(high) - 1e-12);
  const decades = Array.from(
    { length: last - first + 1 },
    (_, step) => 10 ** (first + step),
  );
  // 1e-9: powers of ten below one are not exact in binary.
  const inside = (value: number) =>
    value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
  return {
    min: low,
    max: high,
    major: decades.filter(inside),
    all: decades
      .flatMap((decade) => DIGITS.map((digit) => digit * decade))
      .filter(inside),
  };
}
