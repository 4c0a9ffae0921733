import { Button, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { memo, useMemo, useState } from "react";
import { WhatToCacheIn as Bounds } from "@/api/gen/bounds.gen";
import { isReplayJob, whatToCacheCheck } from "@/api/replay-checks";
import { simulatorQuery } from "@/api/simulator";
import { useCatalogNames } from "@/api/use-names";
import {
  type WhatToCacheIn,
  type WhatToCacheOut,
  whatToCacheQuery,
  whatToCacheSteps,
} from "@/api/what-to-cache";
import { replaysOf, type SummaryOut } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { AskedSteps } from "@/components/asked-steps";
import { CautionNotes } from "@/components/caution-notes";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { clockOf, timedOrAll, whyNotTimed } from "@/components/flash-caches-field";
import { OptionalNumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { ReplayCheck } from "@/components/replay-check";
import { RunProgress } from "@/components/run-progress";
import { SizeInput } from "@/components/size-input";
import { useReplay } from "@/components/use-replay";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import { KeptAnswer } from "@/questions/kept-answer";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import { CATEGORIES, type CacheSearch, FLASH_PAID } from "@/questions/what-to-cache";
import { rateOf, shownCurrency } from "@/units/currency";
import { bytes, formatAmount, formatCount, pages, usd } from "@/units/quantity";
import {
  cacheCheck,
  cacheQuestion,
  categoriesOf,
  categoryColumns,
  costBars,
  costsOf,
  costTable,
  KINDS,
  MODELLED,
  MORE_LISTED,
  MOST_LISTED,
  PAID,
  PAID_MEANS,
  PARTS,
  titleOf,
} from "./question";
import classes from "./what-to-cache.module.css";

const HEIGHT = 300;
const LEAD =
  "Which relations, sizes of requests or hours should enter flash, and when: so that reads from the store and wear of flash cost least together, and how much flash is worth its price?";
const UNTRACED = {
  title: "What to cache needs a trace",
  text: "What each relation gets of flash depends on when its pages are accessed again.",
};

export function WhatToCachePage() {
  return (
    <AnalysisPage
      question="what_to_cache"
      title="What to cache"
      lead={LEAD}
      height={520}
      empty="What to cache is found from the accesses of a trace."
      untraced={UNTRACED}
      asks={({ state, search }) => ({ what_to_cache: cacheQuestion(state, search) })}
      hasJob
      forProduction
      view={(inputs) => <WhatToCacheView {...inputs} />}
    />
  );
}

type Search = CacheSearch & AnalysisSearch;

function WhatToCacheView({ state, name, summary, asks }: AnalysisInputs) {
  const search = useSearch({ strict: false }) as Search;
  const patch = usePatch<Search>();
  const names = useCatalogNames();
  const body = cacheQuestion(state, search);
  const asked = useReplay<WhatToCacheOut, (string | WhatToCacheIn)[]>(
    whatToCacheQuery(body),
    true,
  );
  const found = asked.checked;
  const decided = useDecided(body, search);
  return (
    <>
      <KeptAnswer
        question="what_to_cache"
        asks={asks}
        job={{
          start: asked.again,
          running: asked.isRunning,
          done: found !== undefined,
        }}
      />
      <Controls state={state} search={search} summary={summary} patch={patch} />
      {asked.error !== null && (
        <ProblemAlert
          error={asked.error}
          title="What to cache could not be computed"
          onRetry={asked.again}
        />
      )}
      {asked.run !== undefined && found === undefined && (
        <Panel label="Counting by category">
          <RunProgress run={asked.run} />
        </Panel>
      )}
      {found === undefined && asked.run === undefined && asked.error === null && (
        <Skeleton height={HEIGHT + 160} animate={false} />
      )}
      {found !== undefined && (
        <section className={classes["answer"]}>
          <CautionNotes of="what to cache" cautions={found.cautions} names={names} />
          <CostChart found={found} body={body} name={name} decided={decided} />
          <CategoryTable found={found} body={body} />
          <ReplayCheck
            query={whatToCacheCheck(cacheCheck(body, search))}
            what="hits, writes and cost"
            subtitle="Replays the choice as the admission of a flash cache, and each admission for all beside it: what costs least by replay is what to do."
            options={
              <FlashCacheChoice summary={summary} search={search} patch={patch} />
            }
            replays={replaysOf(summary)}
          />
        </section>
      )}
    </>
  );
}

/** What the check recommends instead of the choice, once it was made; null where it confirms it. */
function useDecided(body: WhatToCacheIn, search: Search): string | null {
  const { data } = useQuery({
    ...whatToCacheCheck(cacheCheck(body, search)),
    enabled: false,
  });
  return data === undefined || isReplayJob(data) ? null : (data.finding ?? null);
}

/** Which flash cache is replayed behind the choice. */
function FlashCacheChoice({ summary, search, patch }: Omit<ControlsProps, "state">) {
  const simulator = useQuery(simulatorQuery()).data;
  const why = whyNotTimed(clockOf(summary, search.rate !== undefined));
  return (
    <Select
      size="sm"
      label="Flash cache behind the choice"
      description={`The model is of CacheSack, an LRU flash cache; of others the check shows the gap.${why}`}
      data={timedOrAll(simulator?.flash_caches ?? [], why).map(({ name, title }) => ({
        value: name,
        label: title,
      }))}
      value={search.cache ?? MODELLED}
      allowDeselect={false}
      onChange={(value) =>
        patch({ cache: value === null || value === MODELLED ? undefined : value })
      }
      maw={420}
    />
  );
}

interface ControlsProps {
  readonly state: AnalysisState;
  readonly search: Search;
  readonly summary: SummaryOut;
  readonly patch: (change: Search) => void;
}

function Controls({ state, search, summary, patch }: ControlsProps) {
  const pageBytes = bytes(summary.page_bytes);
  return (
    <Panel label="Categories, sizes and prices">
      <div className={classes["controls"]}>
        <Select
          size="sm"
          label="Tell accesses apart by"
          data={CATEGORIES.map((value) => ({ value, label: KINDS[value] }))}
          value={search.categories ?? "relation"}
          allowDeselect={false}
          onChange={(value) =>
            patch({
              categories: CATEGORIES.find(
                (each) => each === value && each !== Bounds.categories.usual,
              ),
            })
          }
        />
        <SizeInput
          label="RAM size"
          value={pages(state.ram_pages)}
          pageBytes={pageBytes}
          min={1}
          onChange={(ram_pages) => patch({ ram_pages })}
        />
        <SizeInput
          label="Flash size"
          value={pages(Math.max(1, state.flash_pages))}
          pageBytes={pageBytes}
          min={1}
          onChange={(flash_pages) => patch({ flash_pages })}
        />
        <OptionalNumberField
          label="Load"
          unit="1/s"
          value={search.rate}
          min={1e-6}
          max={Bounds.accesses_per_s.high}
          placeholder="recorded"
          onChange={(rate) => patch({ rate })}
        />
        <OptionalNumberField
          label="A billion reads"
          unit="USD"
          value={search.read_usd}
          min={0}
          max={Bounds.usd_per_billion_reads.high}
          placeholder="of the disk"
          onChange={(read_usd) => patch({ read_usd })}
        />
        <OptionalNumberField
          label="A terabyte written"
          unit="USD"
          value={search.written_usd}
          min={0}
          max={Bounds.usd_per_tb_written.high}
          placeholder="of the drive"
          onChange={(written_usd) => patch({ written_usd })}
        />
        <OptionalNumberField
          label="A GiB of flash"
          unit="USD/month"
          value={search.gib_usd}
          min={0}
          max={Bounds.usd_per_gib_month.high}
          placeholder="of the drive"
          onChange={(gib_usd) => patch({ gib_usd })}
        />
        <Select
          size="sm"
          label="Flash is paid for"
          description={PAID_MEANS[search.paid ?? Bounds.flash_paid.usual]}
          data={FLASH_PAID.map((value) => ({ value, label: PAID[value] }))}
          value={search.paid ?? Bounds.flash_paid.usual}
          allowDeselect={false}
          onChange={(value) =>
            patch({
              paid: FLASH_PAID.find(
                (each) => each === value && each !== Bounds.flash_paid.usual,
              ),
            })
          }
        />
      </div>
    </Panel>
  );
}

interface AnswerProps {
  readonly found: WhatToCacheOut;
  readonly body: WhatToCacheIn;
}

/** The choice beside each admission for all: reads and wear in money. */
const CostChart = memo(function CostChart({
  found,
  body,
  name,
  decided,
}: AnswerProps & { readonly name: string; readonly decided: string | null }) {
  const colors = useChartColors();
  const currency = shownCurrency();
  const option = useMemo(
    () =>
      stackedBarsOption({
        bars: costBars(found),
        parts: PARTS,
        axis: `${currency} per month`,
        format: (value) => formatAmount(usd(value)),
        colors,
      }),
    [found, currency, colors],
  );
  const { charges } = found;
  return (
    <ChartCard
      title={titleOf(found, decided)}
      subtitle={`${costsOf(found)}, by what enters flash and by the model [${currency}/month]`}
      label={`Cost by what enters flash for ${name}`}
      option={option}
      height={HEIGHT}
      table={() => costTable(found, currency)}
      rate={rateOf(found)}
      fileName={`${name} what to cache`}
      sentence={found.sentence}
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            A billion reads cost{" "}
            {formatAmount(usd(Number(charges.usd_per_billion_reads)))} {currency}:{" "}
            {charges.of_reads}. A terabyte written costs{" "}
            {formatAmount(usd(Number(charges.usd_per_tb_written)))} {currency}:{" "}
            {charges.of_writes}. {found.lifetime_text}
            {charges.usd_per_gib_month !== null &&
              ` A GiB of flash costs ${formatAmount(usd(Number(charges.usd_per_gib_month)))} ${currency} per month: ${charges.of_flash}.`}
          </Text>
          {found.counts_of !== "" && <Text size="sm">{found.counts_of}</Text>}
          <Text size="sm">{found.basis}</Text>
          <Text size="sm">
            Estimator: {found.estimator}. Valid for: {found.validity}.
          </Text>
          <AskedSteps query={whatToCacheSteps(body)} />
        </Stack>
      }
    />
  );
});

const CategoryTable = memo(function CategoryTable({ found, body }: AnswerProps) {
  const columns = categoryColumns(
    body.categories ?? "relation",
    shownCurrency(),
    found,
  );
  const [listed, setListed] = useState(MOST_LISTED);
  const { rows } = found;
  const more = Math.min(MORE_LISTED, rows.length - listed);
  return (
    <Panel
      title="By category"
      subtitle={categoriesOf(found)}
      actions={<ExportCsv file="what-to-cache" columns={columns} rows={found.rows} />}
    >
      <DataTable
        stacks
        label="What enters flash, by category"
        columns={columns}
        rows={rows.slice(0, listed)}
        rowKey={({ number }) => String(number)}
      />
      {rows.length > MOST_LISTED && (
        <Group gap="xs" mt="xs">
          {more > 0 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => setListed(listed + more)}
            >
              {`Show ${formatCount(more)} more of ${formatCount(rows.length)}`}
            </Button>
          )}
          {listed > MOST_LISTED && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => setListed(MOST_LISTED)}
            >
              {`Show the ${MOST_LISTED} with most reads`}
            </Button>
          )}
        </Group>
      )}
    </Panel>
  );
});
