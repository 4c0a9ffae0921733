/** What an estimate of RAM over flash says: misses by size of flash, the counts of both tiers. */
import type { MiniatureOut, MiniatureRow } from "@/api/miniatures";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPagesAndBytes,
  formatShort,
  pages,
  UNKNOWN,
} from "@/units/quantity";
import {
  count,
  missesInProduction,
  percent,
  rateColumns,
  shown,
  sizeColumns,
  tableOf,
} from "./estimate";

type Tiers = NonNullable<MiniatureRow["tiers"]>;
type Found = MiniatureRow & { readonly hit_ratio: number; readonly tiers: Tiers };

/** Those of two tiers that were estimated. */
export const tierRows = (made: Pick<MiniatureOut, "rows">): readonly Found[] =>
  made.rows.filter(
    (row): row is Found => row.hit_ratio !== null && (row.tiers ?? null) !== null,
  );

export const missRatio = (row: Found): number => 1 - row.hit_ratio;

/** Ends of the share that misses; null where none can be stated. */
export function missInterval(row: MiniatureRow): readonly [number, number] | null {
  const ends = row.hit_ratio_interval95;
  return ends === null ? null : [1 - ends[1], 1 - ends[0]];
}

/** What the smallest and the largest flash miss. */
export function tierFinding(made: Pick<MiniatureOut, "rows" | "title">): string {
  const rows = tierRows(made);
  const [least, most] = [rows[0], rows.at(-1)];
  if (least === undefined || most === undefined) {
    return `No estimate of ${made.title} yet`;
  }
  const first = `${made.title} misses about ${percent(missRatio(least))} of the accesses at ${counted(least.pages, "page")} of flash`;
  return least === most
    ? first
    : `${first} and ${percent(missRatio(most))} at ${formatCount(most.pages)}`;
}

/** Misses with their interval and what either tier hits, at the size in the middle. */
export function tierSentence(made: MiniatureOut): string | undefined {
  const rows = tierRows(made);
  const row = rows[Math.floor(rows.length / 2)];
  if (row === undefined) {
    return undefined;
  }
  const pageBytes = bytes(made.page_bytes);
  const { tiers } = row;
  const ends = missInterval(row);
  const reach =
    ends === null
      ? "no interval can be stated"
      : `${percent(ends[0])} to ${percent(ends[1])} in ${percent(made.interval_confidence)} of samples`;
  const share = (value: number) => percent(value / made.accesses);
  const sentence =
    `With flash of ${formatPagesAndBytes(pages(row.pages), pageBytes)} below RAM of ${formatPagesAndBytes(pages(tiers.ram_pages), pageBytes)}: ` +
    `${made.title} misses about ${percent(missRatio(row))} (${reach}). ` +
    `RAM hits about ${share(tiers.ram_hits)}, flash ${share(tiers.flash_hits)}, and flash takes about ${formatShort((100 * tiers.flash_writes) / made.accesses)} page writes per 100 accesses.`;
  const there = missesInProduction(row, "flash_misses");
  return there === undefined ? sentence : `${sentence} ${there}`;
}

/** Columns of counts: title, and where a row has it. */
const COUNTS: readonly (readonly [
  string,
  (row: MiniatureRow) => number | null | undefined,
  (row: MiniatureRow) => readonly number[] | null | undefined,
])[] = [
  [
    "RAM hits",
    ({ tiers }) => tiers?.ram_hits,
    ({ tiers }) => tiers?.ram_hits_interval95,
  ],
  [
    "Flash hits",
    ({ tiers }) => tiers?.flash_hits,
    ({ tiers }) => tiers?.flash_hits_interval95,
  ],
  ["Misses", ({ misses }) => misses, (row) => row.misses_interval95],
  [
    "Disk reads",
    ({ tiers }) => tiers?.disk_reads,
    ({ tiers }) => tiers?.disk_reads_interval95,
  ],
  [
    "Flash writes",
    ({ tiers }) => tiers?.flash_writes,
    ({ tiers }) => tiers?.flash_writes_interval95,
  ],
  ["Disk writes", (row) => row.disk_writes, (row) => row.disk_writes_interval95],
];

/** Rates of one machine of production: title, and the name of the counter. */
const RATES = [
  ["Misses", "flash_misses"],
  ["Flash writes", "flash_writes"],
  ["Disk writes", "hdd_writes"],
] as const;

/** RAM that the directory of a flash cache takes, where a figure is known. */
const taxColumns = (made: MiniatureOut) =>
  made.rows.some(({ tiers }) => tiers?.ram_tax_bytes != null)
    ? [
        {
          title: "RAM of its directory [bytes]",
          value: ({ tiers }: MiniatureRow) => tiers?.ram_tax_bytes ?? null,
          show: (taken: number | null) =>
            taken === null ? UNKNOWN : formatBytes(bytes(taken)),
        },
        {
          title: "Of RAM",
          value: ({ tiers }: MiniatureRow) => tiers?.ram_tax_share ?? null,
          show: shown,
        },
      ]
    : [];

/** How long the flash device lasts, where that is known of a size. */
const lifeColumns = (made: MiniatureOut) =>
  made.rows.some(({ flash_life }) => flash_life?.years != null)
    ? [
        {
          title: "Life of flash [years]",
          value: ({ flash_life }: MiniatureRow) => flash_life?.years ?? null,
          show: (years: number | null) =>
            years === null ? UNKNOWN : formatShort(years, 3),
        },
      ]
    : [];

export const tierTable = (made: MiniatureOut) =>
  tableOf(made, [
    ...sizeColumns("Flash", made),
    { title: "RAM [pages]", value: () => made.inputs.ram_pages, show: count },
    {
      title: "Miss ratio, estimated",
      value: ({ hit_ratio }) => (hit_ratio === null ? null : 1 - hit_ratio),
      show: shown,
      ends: missInterval,
    },
    ...COUNTS.map(([title, value, ends]) => ({
      title: `${title}, estimated`,
      value,
      show: count,
      ends,
    })),
    ...taxColumns(made),
    ...lifeColumns(made),
    ...rateColumns(made, RATES),
  ]);
