/** What the replays of a sweep say of the flash under them: how long it lasts, and what that rests on. */
import type { MiniatureOut } from "@/api/miniatures";
import type { ContenderOut, SweepOut } from "@/api/sweeps";
import { counted, formatShort, listed } from "@/units/quantity";
import { labelOf } from "./results";

type Row = SweepOut["rows"][number];
/** As much of a sweep as says how long flash lasts. */
export interface Lives {
  readonly rows: readonly Pick<Row, "contender" | "flash_life">[];
  readonly contenders: readonly Pick<ContenderOut, "title" | "options">[];
}
type Life = NonNullable<Row["flash_life"]> & Pick<Row, "contender">;

const short = (years: number): string => formatShort(years, 3);

const livesOf = (sweep: Lives): readonly Life[] =>
  sweep.rows.flatMap(({ contender, flash_life }) =>
    flash_life ? [{ contender, ...flash_life }] : [],
  );

/** Contenders by name, each once. */
const namesOf = (sweep: Lives, lives: readonly Life[]): string =>
  listed(
    [...new Set(lives.map(({ contender }) => contender))].flatMap((at) => {
      const found = sweep.contenders[at];
      return found === undefined ? [] : [labelOf(found)];
    }),
  );

/** Years under one contender, from the shortest to the longest life; none where no life is known or ends. */
const span = (lives: readonly Life[]): readonly string[] => {
  const years = lives.flatMap((life) => life.years ?? []);
  const ends = new Set([Math.min(...years), Math.max(...years)].map(short));
  return years.length === 0 ? [] : [[...ends].join(" to ")];
};

const basisOf = (life: Life): readonly string[] => {
  const { basis, reason, waf_note, accesses_per_s } = life;
  return [
    ...(basis === null ? [] : [`That is ${basis}.`]),
    ...(reason === null ? [] : [`How long flash lasts is not known: ${reason}.`]),
    ...(accesses_per_s === null
      ? ["A rate of the accesses can be stated below the sizes."]
      : []),
    ...(waf_note === null ? [] : [`Write amplification: ${waf_note}.`]),
  ];
};

/** How long flash lasts under each contender, what that rests on, or why it is not known: each once, with whose it is. */
export function aboutLives(sweep: Lives): readonly string[] {
  const lives = livesOf(sweep);
  const lasting = [...new Set(lives.map(({ contender }) => contender))].flatMap(
    (at) => {
      const own = lives.filter((life) => life.contender === at);
      return span(own).map(
        (years) => `${counted(years, "year")} under ${namesOf(sweep, own)}`,
      );
    },
  );
  const said = new Set(lives.flatMap(basisOf));
  const all = namesOf(sweep, lives);
  return [
    ...(lasting.length === 0 ? [] : [`Flash lasts ${listed(lasting)}.`]),
    ...[...said].map((each) => {
      const whose = namesOf(
        sweep,
        lives.filter((life) => basisOf(life).includes(each)),
      );
      return whose === all ? each : `${whose}: ${each}`;
    }),
  ];
}

/** The same of an estimate, whose rows are all of one contender. */
export const estimatedLives = (
  made: Pick<MiniatureOut, "rows" | "title" | "inputs">,
): Lives => ({
  rows: made.rows.map((row) => ({ contender: 0, flash_life: row.flash_life ?? null })),
  contenders: [{ title: made.title, options: made.inputs.options ?? {} }],
});
