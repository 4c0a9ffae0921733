/** The question of the page, its lines, its table and its figures in words. */
import type { FlashDeviceIn, FlashDeviceOut } from "@/api/flash-device";
import type { ChartTable } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import type { LineSeries } from "@/charts/line-option";
import { type ColorScheme, schemeMark } from "@/charts/palette";
import { valueColumn } from "@/components/columns";
import {
  COLLECTIONS,
  type Collection,
  type FlashDeviceSearch,
  type Mapping,
  type Pattern,
} from "@/questions/flash-device";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";

/** Those of most drives, of drives for many writes, and beyond. */
export const SPARES: readonly number[] = [0.07, 0.14, 0.28, 0.5, 1];
const USUAL_SPARE = 0.07;

export const COLLECTION_TITLES: Readonly<Record<Collection, string>> = {
  greedy: "Greedy",
  fifo: "FIFO",
  random: "Random",
  choices: "Best of some",
  "cost-benefit": "Cost-benefit",
};

export const MAPPING_TITLES: Readonly<Record<Mapping, string>> = {
  page: "Page-mapped",
  block: "Block-mapped",
  bast: "Hybrid, BAST",
  fast: "Hybrid, FAST",
  zones: "Zones (ZNS)",
};

const ruleTitle = (row: Pick<FlashDeviceOut, "mapping" | "collection">): string =>
  row.collection === null
    ? MAPPING_TITLES[row.mapping]
    : COLLECTION_TITLES[row.collection];

export const PATTERN_TITLES: Readonly<Record<Pattern, string>> = {
  uniform: "Uniform random",
  zipf: "Zipf",
  "hot-cold": "Hot and cold",
  sequential: "Sequential",
  "log-and-random": "A log and random writes",
};

/** Patterns of two parts: only they can have two streams. */
export const isSplit = (pattern: Pattern | undefined): boolean =>
  pattern === "hot-cold" || pattern === "log-and-random";

/** What the address asks; parts that the pattern does not use are left out. */
export function flashDeviceQuestion(search: FlashDeviceSearch): FlashDeviceIn {
  const { pattern, mapping, collection, pe_cycles, drive_writes_per_day } = search;
  const byPage = (mapping ?? "page") === "page";
  const split = isSplit(pattern);
  const spare = search.spare ?? USUAL_SPARE;
  const hasLife = pe_cycles !== undefined && drive_writes_per_day !== undefined;
  return {
    ...given("logical_pages", search.logical_pages),
    spare,
    ...given("block_pages", search.block_pages),
    ...given("mapping", mapping),
    ...(byPage ? given("collection", collection) : {}),
    ...(byPage && collection === "choices" ? given("choices", search.choices) : {}),
    ...given("workload", pattern),
    ...(pattern === "zipf" ? given("exponent", search.exponent) : {}),
    ...(split ? given("hot_pages", search.hot_pages) : {}),
    ...(split ? given("hot_writes", search.hot_writes) : {}),
    streams: byPage && split && search.apart === "yes" ? 2 : 1,
    ...given("buffer_pages", search.buffer_pages),
    ...given("trim_share", search.trim_share),
    ...(hasLife ? { pe_cycles, drive_writes_per_day } : {}),
    spares: [...new Set([...SPARES, spare])].toSorted((one, other) => one - other),
  };
}

const given = <Name extends keyof FlashDeviceIn>(
  name: Name,
  value: FlashDeviceIn[Name] | undefined,
): Partial<Pick<FlashDeviceIn, Name>> =>
  value === undefined ? {} : ({ [name]: value } as Pick<FlashDeviceIn, Name>);

/** A line for each rule, and a dotted one for the formula of the chosen rule; one line for another mapping. */
export function spareSeries(found: FlashDeviceOut, colors: ColorScheme): LineSeries[] {
  const rule = found.collection;
  if (rule === null) {
    const { color, shape } = schemeMark("greedy", colors);
    return [
      {
        name: MAPPING_TITLES[found.mapping],
        color,
        symbol: shape,
        points: found.by_spare.map((row) => [row.spare, row.waf] as const),
      },
    ];
  }
  const simulated = COLLECTIONS.map((each): LineSeries => {
    const { color, shape } = schemeMark(each, colors);
    return {
      name: COLLECTION_TITLES[each],
      color,
      symbol: shape,
      points: found.by_spare.flatMap((row) =>
        row.collection === each ? [[row.spare, row.waf] as const] : [],
      ),
    };
  });
  const formula = found.by_spare.flatMap((row) =>
    row.collection === rule && row.closed_form !== null
      ? [[row.spare, row.closed_form] as const]
      : [],
  );
  return formula.length === 0
    ? simulated
    : [
        ...simulated,
        {
          name: `Closed form, ${COLLECTION_TITLES[rule].toLowerCase()}`,
          color: schemeMark(rule, colors).color,
          dash: "dotted",
          points: formula,
        },
      ];
}

export const spareTable = (found: FlashDeviceOut): ChartTable =>
  chartTable(found.by_spare, [
    valueColumn("Collection", ruleTitle),
    valueColumn("Spare [1]", (row) => row.spare),
    valueColumn("WAF, simulated [1]", (row) => row.waf),
    valueColumn("WAF, closed form [1]", (row) => row.closed_form),
  ]);

/** Figures of the chosen device, by their label; what was not asked for has none. */
export function deviceFacts(
  found: FlashDeviceOut,
): readonly (readonly [string, string])[] {
  const size = formatBytes(bytes(found.logical_pages * found.page_bytes));
  const { life, trim_saves, waf_without_trim } = found;
  const formula = found.closed_form;
  return [
    [
      "Device",
      `${size} in ${counted(formatCount(found.blocks), "block")} of ${counted(formatCount(found.block_pages), "page")}`,
    ],
    [
      "Spare space, and of it usable",
      `${formatPercent(ratio(found.spare))}, ${formatPercent(ratio(found.usable_spare))}`,
    ],
    ["Write amplification", formatShort(found.waf)],
    ["By the closed form", formula === null ? "not covered" : formatShort(formula)],
    ...(found.asked.buffer_pages
      ? ([
          [
            "Absorbed by the write buffer",
            counted(formatCount(found.absorbed), "page"),
          ],
        ] as const)
      : []),
    [
      found.collection === null ? "Copied by merges" : "Copied by collection",
      counted(formatCount(found.moved), "page"),
    ],
    ...(found.full_merges + found.partial_merges + found.switch_merges > 0
      ? ([
          [
            "Merges, full, partial and switch",
            [found.full_merges, found.partial_merges, found.switch_merges]
              .map(formatCount)
              .join(", "),
          ],
        ] as const)
      : []),
    ["Blocks erased", formatCount(found.erases)],
    [
      "Erases per block",
      `${formatShort(found.erases_mean)} on average, ${formatCount(found.erases_least)} to ${formatCount(found.erases_most)}`,
    ],
    ["Standard deviation of the erases", formatShort(found.erases_deviation)],
    ...(trim_saves === null || waf_without_trim === null
      ? []
      : ([
          ["Pages in use with TRIM", formatPercent(ratio(found.used_share))],
          ["Write amplification without TRIM", formatShort(waf_without_trim)],
          [
            trim_saves >= 0
              ? "Flash writes saved by TRIM"
              : "Flash writes added by TRIM",
            formatPercent(ratio(Math.abs(trim_saves))),
          ],
        ] as const)),
    ...(found.stream_wafs.length > 1
      ? ([
          [
            "Write amplification by stream",
            found.stream_wafs
              .map((waf) => (waf === null ? "unknown" : formatShort(waf)))
              .join(", "),
          ],
        ] as const)
      : []),
    ...(life === null
      ? []
      : ([
          [
            "Life at this rate",
            life.years === null
              ? "never wears out"
              : counted(formatShort(life.years), "year"),
          ],
          ["Host writes over the life", `${formatShort(life.host_tb_written)} TB`],
        ] as const)),
  ];
}
