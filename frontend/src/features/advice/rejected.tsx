import { Button, List, Text } from "@mantine/core";
import type { AdviceOut, RejectedOptionOut } from "@/api/advice";
import { ConstraintsIn, LIMIT_WORDS } from "@/api/gen/bounds.gen";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import type { AdviceSearch } from "@/questions/advice";
import { counted, formatCount, formatShort, UNKNOWN } from "@/units/quantity";
import { Scheme, type Titles } from "./option-parts";
import { LEAST, limitTitle, limitValue, statedLimit } from "./words";

const GIB = 2 ** 30;
const MOST_OFFERED = 4;
/** A little above what the option needs, so that rounding does not reject it again. */
const ROOM = 1e-6;

type Change = (value: number) => AdviceSearch;

/** How the address states each limit that a form holds. */
const STATED: Readonly<Record<string, Change>> = {
  usd_per_month: (value) => ({ most_usd: Math.ceil(value) }),
  purchase_usd: (value) => ({ most_purchase_usd: Math.ceil(value) }),
  io_time_us_per_access: (value) => ({ most_io_us: roundedUp(value) }),
  response_mean_us: (value) => ({ most_mean_us: roundedUp(value) }),
  response_p50_us: (value) => ({ most_p50_us: roundedUp(value) }),
  response_p99_us: (value) => ({ most_p99_us: roundedUp(value) }),
  restart_s: (value) => ({ most_restart_s: roundedUp(value) }),
  ram_bytes: (value) => ({ most_ram_gib: value / GIB }),
  flash_bytes: (value) => ({ most_flash_gib: value / GIB }),
  power_watts: (value) => ({ most_watts: roundedUp(value) }),
  rack_units: (value) => ({ most_units: Math.ceil(value) }),
  throughput_accesses_per_s: (value) => ({ least_per_s: value * (1 - ROOM) }),
  flash_life_years: (value) => ({ least_life: value * (1 - ROOM) }),
  peak_busy: (value) => ({ most_busy: Math.ceil(value * 1000) / 1000 }),
};

/** The change that sets a limit to a value; null where no field of the form holds it. */
export const allowing = (name: string, value: number): AdviceSearch | null =>
  STATED[name]?.(value) ?? null;

/** To three significant digits, upwards. */
export function roundedUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return Number((Math.ceil(value / unit) * unit).toPrecision(6));
}

/** The change that admits an option by one limit alone; null where that is not possible. */
export function relaxing(row: RejectedOptionOut): AdviceSearch | null {
  const change = STATED[row.constraint];
  const isPossible =
    row.also.length === 0 && row.relaxation !== null && row.value !== null;
  if (change === undefined || !isPossible || row.value === null) {
    return null;
  }
  return change(row.value);
}

/** The nearest option of each limit that is admitted by relaxing it alone. */
export function nearestRelaxations(
  rejected: readonly RejectedOptionOut[],
): readonly RejectedOptionOut[] {
  const nearest = new Map<string, RejectedOptionOut>();
  for (const row of rejected) {
    const before = nearest.get(row.constraint);
    if (
      relaxing(row) !== null &&
      (before === undefined || (row.relaxation ?? 0) < (before.relaxation ?? 0))
    ) {
      nearest.set(row.constraint, row);
    }
  }
  return [...nearest.values()].slice(0, MOST_OFFERED);
}

/** Says what to do where relaxing no single limit is known to admit an option. */
export function withoutRelaxation(
  conflict: readonly string[],
  rejected: readonly RejectedOptionOut[],
): string {
  if (conflict.includes("evidence")) {
    return "More evidence admits options: snapshots of ages, a resize for an hour, or a sampled trace.";
  }
  const isUnknown = rejected.some((row) =>
    [row, ...row.also].some(
      ({ constraint, value }) => constraint.startsWith("response_") && value === null,
    ),
  );
  return isUnknown
    ? "No single limit is known to admit an option when it is relaxed alone, as not all response times are known: relax several, or allow more kinds of hardware."
    : "No single limit admits an option when it is relaxed alone: relax several, or allow more kinds of hardware.";
}

/** Says which limits conflict, and offers what admits an option again. */
export function Infeasible(props: {
  readonly found: AdviceOut;
  readonly patch: (change: AdviceSearch) => void;
}) {
  const { found, patch } = props;
  const { infeasible } = found;
  if (infeasible === null) {
    return null;
  }
  const offered = nearestRelaxations(found.rejected);
  // What no option can be without is in the heading; beside what was asked for it is nothing to act on.
  const stated = infeasible.conflict.filter((name) => name in found.constraints);
  const named = stated.length > 0 ? stated : infeasible.conflict;
  return (
    <>
      {named.length > 0 && (
        <List size="sm" mt="xs">
          {named.map((name) => {
            const limit = found.constraints[name];
            return (
              <List.Item key={name}>
                {limitTitle(name)}
                {limit === undefined
                  ? ": cannot be relaxed"
                  : `: ${LEAST.has(name) ? "at least" : "at most"} ${statedLimit(found, name, limit)}`}
              </List.Item>
            );
          })}
        </List>
      )}
      <Text size="sm" mt="sm">
        {offered.length > 0
          ? "What would admit an option:"
          : withoutRelaxation(infeasible.conflict, found.rejected)}
      </Text>
      <List size="sm" mt={4} spacing={6} listStyleType="none">
        {offered.map((row) => (
          <List.Item key={row.constraint}>
            <Button
              size="compact-sm"
              variant="default"
              h="auto"
              mih={28}
              styles={{ label: { whiteSpace: "normal", textAlign: "left" } }}
              onClick={() => patch(relaxing(row) ?? {})}
            >
              {limitTitle(row.constraint)}: allow{" "}
              {limitValue(found, row.constraint, row.value ?? 0)}
            </Button>{" "}
            admits {row.option.name}
          </List.Item>
        ))}
      </List>
    </>
  );
}

/** Why the others were not chosen: how many by each limit, and the nearest of each kind. */
export function WhyNot(props: { readonly found: AdviceOut; readonly titles: Titles }) {
  const { found, titles } = props;
  const counts = Object.entries(found.rejected_counts).toSorted(
    ([, one], [, other]) => other - one,
  );
  return (
    <Panel
      title={
        counts.length === 0
          ? "No option breaks a limit"
          : `Why not the others: ${counted(
              counts.reduce((sum, [, count]) => sum + count, 0),
              "option",
            )} of ${formatCount(found.evaluated)} break a limit or lack what they need`
      }
      subtitle="Each is counted once, under the first of them."
      label="Why not the others"
    >
      <List size="sm" mb="md">
        {counts.map(([name, count]) => (
          <List.Item key={name}>
            {counted(count, "option")} {reasonOf(name, count)}
          </List.Item>
        ))}
      </List>
      {found.rejected.length > 0 && (
        <DataTable
          stacks
          label="Rejected options"
          columns={columnsOf(found, titles)}
          rows={found.rejected}
          rowKey={(_, at) => at}
          style={{ maxHeight: 380, overflowY: "auto" }}
          caption="The best of each server, device and page flow that breaks a limit; those that break the fewest limits stand first, of these the best by what is asked for."
        />
      )}
    </Panel>
  );
}

/** What so many options break, or what they lack; limits are what a question can state. */
export function reasonOf(name: string, count: number): string {
  const words = LIMIT_WORDS[name] ?? name.replaceAll("_", " ");
  const isLimit = name in ConstraintsIn;
  const verb = isLimit ? "break" : "lack";
  return `${count === 1 ? `${verb}s` : verb} ${isLimit ? `the limit on ${words}` : words}`;
}

/** A share is relaxed by points: 70 % relaxed by 5 % could be 73.5 %. */
export function relaxation(found: AdviceOut, row: RejectedOptionOut): string {
  if (row.relaxation === null) {
    return UNKNOWN;
  }
  return row.constraint === "peak_busy"
    ? counted(formatShort(100 * row.relaxation), "point")
    : limitValue(found, row.constraint, row.relaxation);
}

const columnsOf = (
  found: AdviceOut,
  titles: Titles,
): readonly Column<RejectedOptionOut>[] => {
  const value = (row: RejectedOptionOut, of: number | null) =>
    of === null ? UNKNOWN : limitValue(found, row.constraint, of);
  return [
    { key: "Option", rowHeader: true, cell: ({ option }) => option.name },
    {
      key: "Page flow",
      align: "text",
      cell: ({ option }) => <Scheme name={option.scheme} titles={titles} />,
    },
    {
      key: "Breaks",
      align: "text",
      cell: (row) => limitTitle(row.constraint),
      cellProps: ({ text }) => ({ title: text }),
    },
    { key: "Value", cell: (row) => value(row, row.value) },
    { key: "Limit", cell: (row) => value(row, row.limit) },
    // Columns in which no row states anything say nothing.
    ...(found.rejected.some((row) => row.relaxation !== null)
      ? [
          {
            key: "Admitted if relaxed by",
            cell: (row: RejectedOptionOut) => relaxation(found, row),
          },
        ]
      : []),
    ...(found.rejected.some(({ also }) => also.length > 0)
      ? [
          {
            key: "And also",
            align: "text",
            cell: ({ also }: RejectedOptionOut) =>
              also.map(({ constraint }) => limitTitle(constraint)).join(", "),
          } as const,
        ]
      : []),
  ];
};
