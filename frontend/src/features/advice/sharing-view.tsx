import { Button, Group, List, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { AdviceOptionOut } from "@/api/advice";
import {
  type HeldOut,
  type PlacementIn,
  type PlacementOut,
  placementQuery,
  type SharingOut,
  type SystemOut,
} from "@/api/placements";
import { useHardwareNames } from "@/api/use-names";
import { type WorkloadOut, workloadsQuery } from "@/api/workloads";
import { CautionNotes } from "@/components/caution-notes";
import { type Column, valueColumn } from "@/components/columns";
import { classNamed, FromCounters } from "@/components/counters-note";
import { DataTable } from "@/components/data-table";
import { EmptyState } from "@/components/empty-state";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { Unknown } from "@/components/unknown";
import type { AdviceSearch } from "@/questions/advice";
import { type Member, MOST_PLACED } from "@/questions/members";
import type { AnalysisState } from "@/questions/point";
import { OF_SEVERAL } from "@/questions/start-switch";
import { withoutRate } from "@/questions/workload-members";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  listed,
  ratio,
  UNKNOWN,
} from "@/units/quantity";
import classes from "./advice.module.css";
import { useSchemeTitles } from "./advice-view";
import { type Place, placeOfProblem } from "./form-fields";
import {
  lacksMachine,
  leftOutText,
  machinesLacking,
  machineWords,
} from "./option-figures";
import { BillOfMaterials, exported, Scheme, type Titles } from "./option-parts";
import { placementQuestion } from "./question";
import { allowed, allowing } from "./rejected";
import { PlacementReportMenu } from "./report-menu";
import { useFault } from "./use-fold";
import {
  capital,
  difference,
  figureOf,
  keeps,
  limitTitle,
  limitValue,
  noLife,
  noPower,
  perMonth,
  perSecond,
  time,
} from "./words";

const share = (value: number): string => formatPercent(ratio(value));
/** Relative difference of two rates that count as equal. */
const SAME_RATE = 1e-6;
const namesOf = (names: readonly string[]): string => names.join(", ");

const WORKLOADS: Place = { section: "workloads", field: null };

interface SharingProps {
  readonly state: AnalysisState;
  readonly search: AdviceSearch;
  readonly members: readonly Member[];
  readonly patch: (change: AdviceSearch) => void;
  /** The question was asked by its button. */
  readonly onAsked: () => void;
  /** Something stands in the way that the form has to state. */
  readonly onFault: (at: Place) => void;
}

/** The answer for several workloads: which share a system, and what each system is. */
export function Sharing(props: SharingProps) {
  const { members } = props;
  const known = useQuery(workloadsQuery()).data;
  const missing = known === undefined ? null : missingOf(members, known);
  useFault(missing?.title ?? null, () => WORKLOADS, props.onFault);
  if (known === undefined) {
    return <Skeleton height={180} animate={false} />;
  }
  return missing === null ? (
    <Asked {...props} />
  ) : (
    <Panel>
      <EmptyState title={missing.title}>{missing.text}</EmptyState>
    </Panel>
  );
}

/** What has to be stated before anything can be asked; null where nothing has. */
function missingOf(
  members: readonly Member[],
  known: readonly WorkloadOut[],
): { readonly title: string; readonly text: string } | null {
  if (members.length > MOST_PLACED) {
    return {
      title: "Too many workloads",
      text: `At most ${MOST_PLACED} workloads are placed on systems at once: remove some under “More workloads”, or keep those that belong together as one workload.`,
    };
  }
  const missing = withoutRate(members, known);
  return missing.length === 0
    ? null
    : {
        title: "A rate is missing",
        text: `State the accesses per second of ${listed([...missing])} under “More workloads”: without times in the recording the rate is unknown.`,
      };
}

/** Takes some seconds, so a changed question waits until it is asked. */
function Asked(props: SharingProps) {
  const { state, search, members, patch, onAsked } = props;
  const text = JSON.stringify(placementQuestion(state, search, members));
  const [asked, setAsked] = useState(text);
  const body = useMemo(() => JSON.parse(asked) as PlacementIn, [asked]);
  const found = useQuery(placementQuery(body));
  const isOther = asked !== text;
  useFault(found.error, placeOfProblem, props.onFault);
  return (
    <section aria-busy={found.isFetching} aria-label="Answer">
      {state.start === "cold" && (
        <Text size="sm" mb="xs">
          The address asks for a cold start. {OF_SEVERAL}
        </Text>
      )}
      <Group gap="sm" mb="xs" mih="2em">
        <Text size="sm" c="dimmed" role="status">
          {found.isFetching && "Comparing every option for each group of workloads."}
          {!found.isFetching &&
            isOther &&
            "The answer below is of the question before the last change."}
        </Text>
        {isOther && !found.isFetching && (
          <Button
            size="xs"
            onClick={() => {
              setAsked(text);
              onAsked();
            }}
          >
            Ask again
          </Button>
        )}
      </Group>
      {found.error !== null ? (
        <ProblemAlert
          error={found.error}
          title="These workloads cannot be placed on systems"
          onRetry={() => void found.refetch()}
        />
      ) : found.data === undefined ? (
        <Skeleton height={230} animate={false} />
      ) : (
        <FromCounters evidence={classNamed(found.data.cautions)}>
          <SharingView
            found={found.data}
            asked={body}
            months={body.horizon_months ?? state.months}
            patch={patch}
          />
        </FromCounters>
      )}
    </section>
  );
}

/** Which workloads share which system, the bill of each system, and the other ways to share. */
export function SharingView(props: {
  readonly found: PlacementOut;
  readonly asked: PlacementIn;
  readonly months: number;
  readonly patch: (change: AdviceSearch) => void;
}) {
  const { found, asked, months, patch } = props;
  const schemes = useSchemeTitles();
  const catalog = useHardwareNames();
  const names = useMemo(() => new Map([...catalog, ...schemes]), [catalog, schemes]);
  return (
    <Stack gap="lg">
      <section className="tw-panel" aria-label="Recommendation">
        <Title order={2} size="h3" className={classes["finding"] ?? ""}>
          {titleOf(found)}
        </Title>
        <Text mt="xs">
          <Prose text={found.finding} names={names} />.
        </Text>
        {found.systems.length === 0 ? (
          <Relaxed found={found} patch={patch} />
        ) : (
          <Totals found={found} months={months} />
        )}
        <PlacementReportMenu found={found} asked={asked} />
      </section>
      <CautionNotes of="the systems" cautions={found.cautions} names={names} />
      {found.systems.length > 0 && (
        <>
          <Systems found={found} titles={schemes} />
          {found.systems.map((system) => {
            const carried = namesOf(system.workloads.map(({ name }) => name));
            return (
              <Panel
                key={carried}
                title={`Bill of materials: ${carried}`}
                subtitle={system.option.name}
                label={`Bill of materials: ${carried}`}
              >
                <BillOfMaterials
                  option={system.option}
                  months={months}
                  label={`Bill of the system of ${carried}`}
                />
              </Panel>
            );
          })}
          <Ways found={found} />
        </>
      )}
    </Stack>
  );
}

/** What the cost of all systems lacks, where it does. */
const notCounted = (found: Pick<PlacementOut, "systems">): string =>
  `${machineWords(found)[0]} for RAM and devices not counted`;

/** How many systems for how many workloads, and what all of them cost. */
export function titleOf(found: PlacementOut): string {
  const { systems, usd_per_month } = found;
  if (systems.length === 0 || usd_per_month === null) {
    return "No choice of systems keeps every limit";
  }
  const carried = systems.reduce((sum, { workloads }) => sum + workloads.length, 0);
  const cost = `${cents(usd_per_month)} ${perMonth()}`;
  const but = lacksMachine(found) ? `, ${notCounted(found)}` : "";
  return `${counted(systems.length, "system")} for ${counted(carried, "workload")}: ${cost}${but}`;
}

function Totals(props: { readonly found: PlacementOut; readonly months: number }) {
  const { found, months } = props;
  return (
    <dl className="tw-figures" style={{ marginTop: 16 }}>
      <div>
        <dt>Cost of all systems</dt>
        <dd>
          {cents(found.usd_per_month)} {shownCurrency()}
          <small>
            per month, purchases spread over {counted(months, "month")}
            {lacksMachine(found) && `; ${notCounted(found)}`}
          </small>
        </dd>
      </div>
      <div>
        <dt>Paid at purchase</dt>
        <dd>
          {cents(found.purchase_usd)} {shownCurrency()}
        </dd>
      </div>
      <div>
        <dt>I/O time per access</dt>
        <dd>
          {figureOf(found, "io_time_us_per_access", time) ?? UNKNOWN}
          <small>mean over the accesses of all workloads</small>
        </dd>
      </div>
      <div>
        <dt>Compared</dt>
        <dd>
          {counted(formatShort(found.evaluated), "option")}
          <small>for {counted(found.groups, "group")} of workloads</small>
        </dd>
      </div>
    </dl>
  );
}

/** Limits that no choice keeps: each is set to what admits one. */
function Relaxed(props: {
  readonly found: PlacementOut;
  readonly patch: (change: AdviceSearch) => void;
}) {
  const { found, patch } = props;
  const offered = Object.entries({ ...found.nearest, ...found.least_totals }).flatMap(
    ([name, value]) => {
      const change = allowing(name, value);
      // What could be kept by itself is not the limit to relax.
      const limit = found.constraints[name];
      const isKept = limit !== undefined && keeps(found, name, value, limit);
      return change === null || isKept ? [] : [{ name, value, change }];
    },
  );
  return (
    <List size="sm" mt="sm" spacing={6} listStyleType="none">
      {offered.map(({ name, value, change }) => (
        <List.Item key={name}>
          <Button size="compact-sm" variant="default" onClick={() => patch(change)}>
            {limitTitle(name)}: allow {limitValue(found, name, allowed(name, value))}
          </Button>
        </List.Item>
      ))}
    </List>
  );
}

function Systems(props: { readonly found: PlacementOut; readonly titles: Titles }) {
  const { found, titles } = props;
  const columns = useMemo(() => systemColumns(titles, found), [titles, found]);
  return (
    <Panel
      title="The systems"
      subtitle="What each workload holds of the RAM, on average where it is shared, and finds there; the busiest hours of workloads on one system fall together"
      label="The systems"
    >
      <DataTable
        stacks
        label="Systems"
        columns={columns}
        rows={found.systems}
        rowKey={({ workloads }) => namesOf(workloads.map(({ name }) => name))}
      />
      <Group justify="flex-end" mt="xs">
        <ExportCsv
          file="systems"
          columns={savedColumns()}
          rows={found.systems}
          rate={rateOf(found)}
        />
      </Group>
    </Panel>
  );
}

const systemColumns = (
  titles: Titles,
  found: PlacementOut,
): readonly Column<SystemOut>[] => [
  {
    key: "Workloads",
    rowHeader: true,
    cell: ({ workloads, option, in_parts }) =>
      workloads.map((held, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same workload may stand here twice
        <div key={at}>
          {held.name}
          <br />
          <Text span size="xs" c="dimmed" fw={400}>
            {formatShort(held.accesses_per_s)} accesses/s{busiestText(held)};{" "}
            {formatBytes(bytes(held.ram_bytes))} of RAM
            {in_parts && onEachText(held.ram_bytes, option.machines)};{" "}
            {share(held.hit_share)} hits
            {partText(held, option.machines)}
          </Text>
        </div>
      )),
  },
  {
    key: "System",
    align: "text",
    cell: ({ option, in_parts, too_small }) => (
      <>
        {option.name}
        {in_parts && ", RAM divided"}
        <br />
        <Text span size="xs" c="dimmed">
          <Scheme
            name={option.scheme}
            titles={titles}
            admissionBy={option.admission_by}
          />
        </Text>
        {limitedTexts(option, found).map((text) => (
          <Text key={text} size="xs" mt={2}>
            {text}
          </Text>
        ))}
        {too_small !== "" && (
          <Text size="xs" mt={2}>
            {too_small}
          </Text>
        )}
      </>
    ),
  },
  {
    key: "Per month",
    unit: shownCurrency(),
    cell: ({ option }) => cents(option.usd_per_month),
  },
  {
    ...valueColumn<SystemOut>(
      "Accesses",
      ({ accesses_per_s }) => accesses_per_s,
      formatShort,
    ),
    unit: "1/s",
  },
  {
    ...valueColumn<SystemOut>(
      "Accesses, busiest hour",
      ({ peak_accesses_per_s }) => peak_accesses_per_s,
      formatShort,
    ),
    unit: "1/s",
  },
  valueColumn(
    "RAM",
    ({ option }) => option.ram_bytes,
    (size) => formatBytes(bytes(size)),
  ),
  valueColumn("Hits in RAM", ({ option }) => option.ram_hit_share, share),
  {
    key: "I/O time",
    cell: ({ option }) => figureOf(option, "io_time_us_per_access", time) ?? UNKNOWN,
  },
  {
    key: "Busy, busiest hour",
    cell: ({ option }) => figureOf(option, "peak_busy", share) ?? UNKNOWN,
  },
];

interface Limited {
  readonly constraint: string;
  readonly key: string;
  readonly of: (option: AdviceOptionOut) => string | null;
  /** Why it is not known. */
  readonly unknown: (option: AdviceOptionOut) => string;
}

const known = (value: number | null, format: (value: number) => string) =>
  value === null ? null : format(value);

const noResponseOf = ({ response_reason: reason }: AdviceOptionOut) =>
  reason === "" ? "A device cannot keep up." : `${capital(reason)}.`;

const responseOf = (
  constraint: "response_mean_us" | "response_p50_us" | "response_p99_us",
  key: string,
): Limited => ({
  constraint,
  key,
  of: (option) => figureOf(option, constraint, time),
  unknown: noResponseOf,
});

/** Figures that a limit may be on, and that have no column in the table. */
const LIMITED: readonly Limited[] = [
  responseOf("response_mean_us", "Mean response, busiest hour"),
  responseOf("response_p50_us", "Median response, busiest hour"),
  responseOf("response_p99_us", "p99 response, busiest hour"),
  {
    constraint: "restart_s",
    key: "Warm after a restart",
    of: ({ restart_s }) => known(restart_s, (seconds) => time(seconds * 1e6)),
    unknown: () => "No source states how long one read of its devices takes.",
  },
  {
    constraint: "flash_life_years",
    key: "Life of the flash",
    of: (option) =>
      figureOf(option, "flash_life_years", (years) =>
        counted(formatShort(years), "year"),
      ),
    unknown: noLife,
  },
  {
    constraint: "throughput_accesses_per_s",
    key: "Throughput",
    of: (option) => figureOf(option, "throughput_accesses_per_s", perSecond),
    unknown: () => "A rate of a device is unknown.",
  },
  {
    constraint: "power_watts",
    key: "Power",
    of: ({ power_watts }) => known(power_watts, (value) => `${formatShort(value)} W`),
    unknown: noPower,
  },
  {
    constraint: "rack_units",
    key: "Rack space",
    of: ({ rack_units }) => known(rack_units, (value) => `${formatShort(value)} U`),
    unknown: noPower,
  },
];

/** What an option has of each figure that was limited and that has no column; each with its name. */
const limitedTexts = (
  option: AdviceOptionOut,
  { constraints }: Pick<PlacementOut, "constraints">,
): readonly string[] =>
  LIMITED.filter(({ constraint }) => constraint in constraints).map(
    ({ key, of, unknown }) =>
      `${key}: ${of(option) ?? `not known. ${unknown(option)}`}`,
  );

/** The rate of its busiest hour, and what it rests on; nothing where it is the mean rate. */
const busiestText = ({ accesses_per_s, peak_accesses_per_s }: HeldOut): string =>
  peak_accesses_per_s > accesses_per_s * (1 + SAME_RATE)
    ? `, ${formatShort(peak_accesses_per_s)} in its busiest hour (${formatShort(peak_accesses_per_s / accesses_per_s, 3)} times the mean, as its profile states)`
    : "";

/** What a workload would hold and find in a part of its own; nothing where no cache could be divided. */
const partText = ({ part_bytes, part_hit_share }: HeldOut, machines: number): string =>
  part_bytes === null || part_hit_share === null
    ? ""
    : ` (in a part of its own ${formatBytes(bytes(part_bytes))}${onEachText(part_bytes, machines)}, ${share(part_hit_share)})`;

/** What of a part of the RAM is to be configured on each of several machines. */
const onEachText = (size: number, machines: number): string =>
  machines > 1 && size > 0
    ? `, ${formatBytes(bytes(size / machines))} on each of ${machines} machines`
    : "";

/** The part of each workload on so many machines, for the export; nothing where the RAM is not divided. */
const savedParts = ({ workloads, in_parts }: SystemOut, machines: number) =>
  in_parts
    ? workloads
        .map(({ name, ram_bytes }) => `${name}: ${Math.round(ram_bytes / machines)}`)
        .join("; ")
    : null;

/** Workloads of one system, and whether its RAM is divided among them. */
const together = (names: readonly string[], inParts: boolean | undefined): string =>
  inParts === true ? `${namesOf(names)} (RAM divided)` : namesOf(names);

/** Columns of a system for its export, every digit kept. */
const savedColumns = (): readonly Column<SystemOut>[] => [
  valueColumn("workloads", ({ workloads }) =>
    workloads.map(({ name }) => name).join("; "),
  ),
  valueColumn("accesses [1/s]", ({ accesses_per_s }) => accesses_per_s),
  valueColumn(
    "accesses in the busiest hour [1/s]",
    ({ peak_accesses_per_s }) => peak_accesses_per_s,
  ),
  valueColumn("RAM divided", ({ in_parts }) => (in_parts ? "yes" : "no")),
  valueColumn("parts on all machines [bytes]", (system) => savedParts(system, 1)),
  valueColumn("parts on each machine [bytes]", (system) =>
    savedParts(system, system.option.machines),
  ),
  ...exported().map(
    ({ key, csv }): Column<SystemOut> => ({
      key,
      csv: ({ option }, at) => csv?.(option, at) ?? null,
    }),
  ),
];

type Way = SharingOut & { readonly isChosen: boolean };

/** The chosen way to share beside the best others, with what each costs more. */
function Ways({ found }: { readonly found: PlacementOut }) {
  if (found.alternatives.length === 0 || found.usd_per_month === null) {
    return null;
  }
  const rows: readonly Way[] = [
    {
      groups: found.systems.map(({ workloads }) => workloads.map(({ name }) => name)),
      in_parts: found.systems.map(({ in_parts }) => in_parts),
      usd_per_month: found.usd_per_month,
      io_time_us_per_access: found.io_time_us_per_access,
      ranges: found.ranges,
      machines_left_out: found.systems.map(({ option }) => machinesLacking(option)),
      isChosen: true,
    },
    // Of an answer that does not state them none is known to be missing.
    ...found.alternatives.map((way) => ({
      ...way,
      machines_left_out: way.machines_left_out ?? [],
      isChosen: false,
    })),
  ];
  return (
    <Panel
      title="Other ways to share"
      subtitle="The best systems for each way; the first is recommended"
      label="Other ways to share"
    >
      <DataTable
        stacks
        label="Other ways to share"
        columns={wayColumns(Number(found.usd_per_month), machinesLacking(found))}
        rows={rows}
        rowKey={({ groups }) => groups.map(namesOf).join("; ")}
      />
    </Panel>
  );
}

const wayColumns = (own: number, lacking: number): readonly Column<Way>[] => [
  {
    key: "Workloads of each system",
    rowHeader: true,
    cell: ({ groups, in_parts, isChosen }) => (
      <>
        {groups.map((names, at) => together(names, in_parts[at])).join("; ")}
        {isChosen && " (recommended)"}
      </>
    ),
  },
  { key: "Systems", cell: ({ groups }) => groups.length },
  {
    key: "Per month",
    unit: shownCurrency(),
    cell: ({ usd_per_month, machines_left_out }) => {
      const text = leftOutText(machines_left_out);
      return text === "" ? (
        cents(usd_per_month)
      ) : (
        <>
          {cents(usd_per_month)},
          <br />
          <Text span size="xs" c="dimmed">
            {text}
          </Text>
        </>
      );
    },
  },
  {
    key: "More than recommended",
    unit: perMonth(),
    cell: ({ usd_per_month, machines_left_out, isChosen }) => {
      if (isChosen) {
        return "";
      }
      const lacks = machines_left_out.reduce((sum, machines) => sum + machines, 0);
      return lacks === lacking ? (
        difference(Number(usd_per_month) - own)
      ) : (
        <Unknown reason="The costs do not lack equally many machines." />
      );
    },
  },
  {
    key: "I/O time",
    cell: (way) => figureOf(way, "io_time_us_per_access", time) ?? UNKNOWN,
  },
];
