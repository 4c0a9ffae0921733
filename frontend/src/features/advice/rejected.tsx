import { Button, List, Text } from "@mantine/core";
import type { AdviceOut, RejectedOptionOut } from "@/api/advice";
import { ConstraintsIn, LIMIT_WORDS } from "@/api/gen/bounds.gen";
import type { Column } from "@/components/columns";
import { LongTable } from "@/components/long-table";
import { Panel } from "@/components/panel";
import type { AdviceSearch } from "@/questions/advice";
import { counted, formatCount, formatShort, UNKNOWN } from "@/units/quantity";
import { Scheme, type Titles } from "./option-parts";
import { LIMIT_FIELDS } from "./template";
import { capital, LEAST, limitTitle, limitValue, statedLimit } from "./words";

const MOST_OFFERED = 4;
const KIB = 1024;
const MINUTE = 60;
const HOUR = 3600;

/** To three significant digits, upwards; what is written so stays. */
export function roundedUp(value: number): number {
  return rounded(value, Math.ceil);
}

function rounded(value: number, side: (value: number) => number): number {
  if (value <= 0) {
    return value;
  }
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  // A value that has three digits is a whole number of units, whatever the division leaves.
  const units = side(Number((value / unit).toPrecision(12)));
  return Number((units * unit).toPrecision(6));
}

/** Seconds as durations are written: to three digits, then to the second, then to the minute. */
function roundedTime(seconds: number): number {
  if (roundedUp(seconds) < MINUTE - 0.5) {
    return roundedUp(seconds);
  }
  const unit = Math.ceil(seconds) < HOUR ? 1 : MINUTE;
  return Math.ceil(seconds / unit) * unit;
}

/** Bytes to three digits of the unit that they are written in. */
function roundedBytes(value: number): number {
  const unit = KIB ** Math.max(0, Math.floor(Math.log(value) / Math.log(KIB)));
  return value <= 0 ? value : roundedUp(value / unit) * unit;
}

const wholeUp = (value: number): number => roundedUp(Math.ceil(value));
const toCent = (value: number): number =>
  Math.ceil(Number((value * 100).toPrecision(12))) / 100;
const leastOf = (value: number): number => rounded(value, Math.floor);

/** How each limit that a form holds is written, on the side on which it admits the value. */
const KEPT: Readonly<Record<string, (value: number) => number>> = {
  usd_per_month: toCent,
  purchase_usd: toCent,
  machines: Math.ceil,
  io_time_us_per_access: roundedUp,
  response_mean_us: roundedUp,
  response_p50_us: roundedUp,
  response_p99_us: roundedUp,
  restart_s: roundedTime,
  ram_bytes: roundedBytes,
  flash_bytes: roundedBytes,
  power_watts: roundedUp,
  rack_units: wholeUp,
  throughput_accesses_per_s: leastOf,
  flash_life_years: leastOf,
  peak_busy: roundedUp,
};

/** What a limit is set to so that it admits a value: as it is shown, so that what is read does so too. */
export const allowed = (name: string, value: number): number =>
  KEPT[name]?.(value) ?? value;

/** The change that sets a limit to what admits a value; null where no field of the form holds it. */
export function allowing(name: string, value: number): AdviceSearch | null {
  const field = LIMIT_FIELDS.get(name);
  return field === undefined ? null : { [field[0]]: allowed(name, value) / field[1] };
}

/** The change that admits an option by one limit alone; null where that is not possible. */
export function relaxing(row: RejectedOptionOut): AdviceSearch | null {
  return row.also.length > 0 || row.relaxation === null || row.value === null
    ? null
    : allowing(row.constraint, row.value);
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

/** What keeps something from being a candidate at all, by the codes of the notes that say so. */
const NO_CANDIDATE_CODES: ReadonlySet<string> = new Set([
  "chassis_without_price",
  "no_price_of_ram",
  "own_device_without_price",
]);

/** Says what to state where there is no candidate: no limit stands in the way of what is not there. */
export const withoutCandidate = ({ cautions }: Pick<AdviceOut, "cautions">): string =>
  capital(
    [
      ...cautions
        .filter(({ code }) => NO_CANDIDATE_CODES.has(code))
        .map(({ hint }) => hint),
      "allow more kinds of hardware.",
    ].join(", or "),
  );

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
  if (found.evaluated === 0) {
    return (
      <Text size="sm" mt="sm">
        {withoutCandidate(found)}
      </Text>
    );
  }
  const offered = nearestRelaxations(found.rejected);
  // What no option can be without is in the heading; beside what was asked for it is nothing to act on.
  const stated = infeasible.conflict.filter((name) => name in found.constraints);
  const named = stated.length > 0 ? stated : infeasible.conflict;
  return (
    <>
      {infeasible.heading && found.because && (
        <Text size="sm" mt="xs">
          {found.because}
        </Text>
      )}
      {!infeasible.heading && named.length > 0 && (
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
              {limitValue(
                found,
                row.constraint,
                allowed(row.constraint, row.value ?? 0),
              )}
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
  if (found.evaluated === 0) {
    return null;
  }
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
        <LongTable
          stacks
          of={["option"]}
          label="Rejected options"
          columns={columnsOf(found, titles)}
          rows={found.rejected}
          rowKey={(_, at) => at}
          caption="The best of each server, device and page flow that breaks a limit, or for the least I/O time the nearest to its limit; those that break the fewest limits stand first, of these the nearest to its limit."
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
