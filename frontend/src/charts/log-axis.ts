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

const MOST_DECADES = 7;
/** Digits that are labelled where the powers of ten are too far apart. */
const ROUND: ReadonlySet<number> = new Set([1, 2, 5]);

const digitOf = (value: number): number =>
  Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));

/** Ticks of a logarithmic axis of values: at most seven powers of ten are labelled, and always two values. */
export function valueTicks(low: number, high: number): LogTicks {
  // A single value has no length on the axis: it stands in its middle.
  const [from, to] = low === high ? [low / 10, high * 10] : [low, high];
  const ticks = logTicks(from, to);
  const every = Math.ceil(ticks.major.length / MOST_DECADES);
  const major = ticks.major.filter(
    (value) => Math.round(Math.log10(value)) % every === 0,
  );
  if (major.length >= 2) {
    return { ...ticks, major };
  }
  const round = ticks.all.filter((value) => ROUND.has(digitOf(value)));
  return { ...ticks, major: round.length >= 2 ? round : [from, to] };
}

// Divisors of ten, and three: 1 KiB, 1 MiB and 1 GiB have a label wherever there is room.
const OCTAVES = [1, 2, 3, 5, 10];
const MOST_LABELS = 9;

/**
 * Ticks of an axis of sizes in pages that is read in bytes: labels at powers of two
 * bytes, a tick at each doubling.
 */
export function byteTicks(low: number, high: number, pageBytes: number): LogTicks {
  const { min, max } = logTicks(low, high);
  const first = Math.ceil(Math.log2(low * pageBytes) - 1e-9);
  const last = Math.floor(Math.log2(high * pageBytes) + 1e-9);
  const powers = Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, step) => first + step,
  );
  const labelled = (every: number) => powers.filter((power) => power % every === 0);
  const every =
    OCTAVES.find((octaves) => labelled(octaves).length <= MOST_LABELS) ?? 10;
  const pages = (power: number) => 2 ** power / pageBytes;
  const major = labelled(every);
  return {
    min,
    max,
    // A range within one doubling has its ends for labels.
    major: major.length >= 2 ? major.map(pages) : [low, high],
    all: powers.map(pages),
  };
}
