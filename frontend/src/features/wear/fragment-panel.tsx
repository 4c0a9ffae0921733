import { SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { fragmentCacheCheck } from "@/api/replay-checks";
import {
  type FragmentCacheOut,
  fragmentCacheQuery,
  fragmentCacheSteps,
} from "@/api/wear";
import type { Replays } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { schemeMark } from "@/charts/palette";
import { AskedSteps } from "@/components/asked-steps";
import { CautionNotes } from "@/components/caution-notes";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { ReplayCheck } from "@/components/replay-check";
import type { AnalysisState } from "@/questions/point";
import type { WearNumbers, WearSearch } from "@/questions/wear";
import {
  counted,
  formatDuration,
  formatPercent,
  formatSeconds,
  formatShort,
  microseconds,
  ratio,
} from "@/units/quantity";
import {
  fragmentQuestion,
  fragmentTable,
  isMeasure,
  KIB,
  MEASURES,
  type Measure,
  measurePoints,
  USUAL_FRAGMENT_KIB,
  USUAL_PERIOD_S,
  USUAL_RUN_KIB,
} from "./fragment-findings";
import { WearField } from "./number-field";
import classes from "./wear.module.css";

const HEIGHT = 300;
/** Enough digits to tell 99.9993 % from always. */
const NEARLY_ALWAYS = { from: 0.99, digits: 6 };

interface FragmentProps {
  readonly state: AnalysisState;
  readonly name: string;
  readonly search: WearSearch;
  /** `null`: the workload's own. */
  readonly rate: number | null;
  readonly replays: Replays;
  readonly patch: (change: WearSearch) => void;
}

/** A cache of fragments (SCE): asked about only when opened. */
export function FragmentSection(props: FragmentProps) {
  const { search } = props;
  const asked = [search.fragment_kib, search.source_gib, search.run_kib].some(
    (value) => value !== undefined,
  );
  return (
    <Panel
      title="Fragment cache (SCE)"
      subtitle="Population threads, fragment size, and how writes reach a cached page."
    >
      <Disclosure label="Analyse it at these sizes" initiallyOpen={asked}>
        <FragmentStudy {...props} />
      </Disclosure>
    </Panel>
  );
}

function FragmentStudy(props: FragmentProps) {
  const { state, name, search, rate, replays, patch } = props;
  const asked = fragmentQuestion(state, search, rate);
  const found = useQuery({
    ...fragmentCacheQuery(asked),
    placeholderData: keepPreviousData,
  });
  const field = (
    key: keyof WearNumbers,
    label: string,
    placeholder: string,
    factor?: number,
  ) => (
    <WearField
      name={key}
      label={label}
      placeholder={placeholder}
      value={search[key]}
      onChange={(value) => patch({ [key]: value })}
      {...(factor === undefined ? {} : { factor })}
    />
  );
  return (
    <Stack gap="md" mt="xs">
      <div className={classes["fields"]}>
        {field("fragment_kib", "Fragment [KiB]", String(USUAL_FRAGMENT_KIB))}
        {field("run_kib", "Run of useful pages [KiB]", String(USUAL_RUN_KIB))}
        {field("density", "Useful elsewhere [%]", "0", 100)}
        {field("source_gib", "Source [GiB]", "pages of the workload")}
        {field("miss_rate", "Read miss rate [%]", "from the workload", 100)}
        {field("period_s", "Time between promotions [s]", String(USUAL_PERIOD_S))}
      </div>
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="The fragment cache could not be analysed"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={HEIGHT} animate={false} />
      ) : (
        <section aria-busy={found.isPlaceholderData} className={classes["answer"]}>
          <CautionNotes of="the fragment cache" cautions={found.data.cautions} />
          <div className={classes["columns"]}>
            <FragmentChart found={found.data} name={name} />
            <WritePolicies found={found.data} />
          </div>
          <ReplayCheck
            query={fragmentCacheCheck(asked)}
            what="the read miss rate"
            subtitle="Replays the trace over whole fragments and compares their misses with those of RAM. The speed of population depends on times, which a replay does not have."
            replays={replays}
          />
        </section>
      )}
    </Stack>
  );
}

function FragmentChart(props: {
  readonly found: FragmentCacheOut;
  readonly name: string;
}) {
  const { found, name } = props;
  const colors = useChartColors();
  const [measure, setMeasure] = useState<Measure>("used_share");
  const { axis, about, format } = MEASURES[measure];
  const option = useMemo(
    () =>
      lineOption({
        series: [
          {
            name: axis,
            color: schemeMark("lazy", colors).color,
            symbol: "circle",
            points: measurePoints(found, measure),
          },
        ],
        x: {
          name: "fragment [KiB]",
          log: true,
          format: (size) => formatShort(size, 4),
        },
        y: { name: axis, log: measure !== "used_share", format },
        markers: [{ name: "chosen size", x: found.fragment_bytes / KIB }],
        colors,
      }),
    [found, measure, axis, format, colors],
  );
  return (
    <ChartCard
      title={found.finding}
      subtitle={about}
      label={`Fragment sizes for ${name}`}
      option={option}
      height={HEIGHT}
      fileName={`${name} fragment sizes`}
      table={() => fragmentTable(found)}
      sentence={found.sentence}
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Quantity drawn for fragments"
          transitionDuration={0}
          value={measure}
          onChange={(value) => isMeasure(value) && setMeasure(value)}
          data={Object.entries(MEASURES).map(([value, { label }]) => ({
            value,
            label,
          }))}
        />
      }
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            {found.phases
              .map(
                ({ threads, to_free, seconds }) =>
                  `${counted(threads, "thread")} until ${formatPercent(ratio(to_free))} is free: ${formatSeconds(seconds)}`,
              )
              .join("; ")}
            . Read miss rate {formatPercent(ratio(found.read_miss_rate))} (
            {found.miss_rate_basis}).
          </Text>
          <Text size="sm">
            Estimator: {found.estimator}. Valid for: {found.validity}.
          </Text>
          <AskedSteps query={fragmentCacheSteps(found)} />
        </Stack>
      }
    />
  );
}

/** Asynchronous write-through against write-around and the synchronous policies. */
function WritePolicies({ found }: { readonly found: FragmentCacheOut }) {
  return (
    <Panel
      title="How a write reaches a cached page"
      subtitle={`For a page that is written ${formatShort(found.page_writes_per_s)} times per second (${found.rate_basis}) and a fragment that is promoted ${formatShort(found.fragment_populations_per_s)} times per second.`}
    >
      <DataTable
        label="Write policies of a fragment cache"
        columns={[
          { key: "Policy", rowHeader: true, cell: (row) => row.title },
          {
            key: "Acknowledged after",
            cell: (row) => formatDuration(microseconds(row.acknowledge_us)),
          },
          {
            key: "Page is valid",
            cell: ({ valid_share: share }) =>
              formatPercent(
                ratio(share),
                share < NEARLY_ALWAYS.from ? undefined : NEARLY_ALWAYS.digits,
              ),
          },
          { key: "Writes to flash", cell: (row) => formatShort(row.flash_writes) },
          { key: "Writes to source", cell: (row) => formatShort(row.source_writes) },
        ]}
        rows={found.policies}
        rowKey={(row) => row.policy}
      />
      <Text size="sm" c="dimmed" mt={6}>
        Writes to flash and to the source are pages written at once for one host write;
        write-back writes to the source later. Times are busy times of the devices, not
        latencies under load.
      </Text>
    </Panel>
  );
}
