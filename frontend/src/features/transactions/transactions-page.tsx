import { Button, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { isActiveStatus, type RunOut, useRun } from "@/api/runs";
import {
  STUDIES_KEY,
  type StudyPrices,
  studyKey,
  studyQuery,
  studyRowsQuery,
  studySteps,
  type TransactionStudyOut,
} from "@/api/transaction-studies";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { AskedSteps } from "@/components/asked-steps";
import { CautionNotes } from "@/components/caution-notes";
import { CopyLink } from "@/components/copy-link";
import { DataTable } from "@/components/data-table";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import type { TransactionsSearch } from "@/questions/transactions";
import { usePatch } from "@/questions/use-analysis";
import { counted, formatCount, formatShort } from "@/units/quantity";
import { Controls } from "./controls";
import { EventsFile } from "./events-file";
import {
  COLUMNS,
  eventsText,
  flashText,
  isAwaited,
  linesTable,
  ofOneBuffer,
  PARTS,
  RESTART_COLUMNS,
  rowsAt,
  shownSize,
  studyPrices,
  studyQuestion,
  studyTable,
  timeBars,
  timeLines,
} from "./question";
import { StudiesPanel } from "./studies-panel";
import classes from "./transactions.module.css";

const HEIGHT = 360;
const PLAIN = ofOneBuffer(COLUMNS);
const PLAIN_RESTART = ofOneBuffer(RESTART_COLUMNS);

/** What recorded transactions cost through each system. */
export function TransactionsPage() {
  const search = useSearch({ strict: false }) as TransactionsSearch;
  const patch = usePatch<TransactionsSearch>();
  const router = useRouter();
  const study = useStudy(search);
  const { found } = study;
  return (
    <Page
      title="Transactions"
      lead="What do recorded transactions write to flash or disk through ARIES and through commit-aware eviction, and what does a restart after a crash take?"
      actions={
        <CopyLink
          to="this page (Transactions)"
          href={() =>
            router.buildLocation({
              to: "/transactions",
              search: (previous: TransactionsSearch) => previous,
            }).href
          }
        />
      }
    >
      <EventsFile
        text={found === undefined ? "Reading the events" : eventsText(found)}
        isExample={search.events === undefined}
        onUploaded={(events) => patch({ events, sizes: undefined, ram: undefined })}
        onExample={() => patch({ events: undefined, sizes: undefined, ram: undefined })}
      />
      <Controls search={search} patch={patch} />
      {study.error !== null && (
        <ProblemAlert
          error={study.error}
          title="The transactions could not be replayed"
          onRetry={study.retry}
        />
      )}
      {study.isBehind && (
        <Group gap="sm">
          <Text size="sm">
            The answer below is of the inputs before the last change.
          </Text>
          <Button onClick={study.replay}>Replay</Button>
        </Group>
      )}
      {study.run !== undefined && <Progress run={study.run} again={study.retry} />}
      {found === undefined || found.rows.length === 0 ? (
        isAwaited(study) && <Skeleton height={HEIGHT} animate={false} />
      ) : (
        <Answer
          found={found}
          search={search}
          prices={study.prices}
          onSize={(ram) => patch({ ram })}
        />
      )}
      <StudiesPanel shown={found?.id} />
    </Page>
  );
}

/** Asks by itself for the example and for what the page was opened with; else on demand. */
function useStudy(search: TransactionsSearch) {
  const queryClient = useQueryClient();
  const question = studyQuestion(search);
  const written = JSON.stringify(question);
  const [asked, setAsked] = useState(written);
  const isExample = search.events === undefined;
  const events = useRef(search.events);
  const isNewFile = events.current !== search.events;
  useEffect(() => {
    if (isExample || isNewFile) {
      events.current = search.events;
      setAsked(written);
    }
  }, [isExample, isNewFile, search.events, written]);
  const body = useMemo(
    () => JSON.parse(asked) as ReturnType<typeof studyQuestion>,
    [asked],
  );
  const made = useQuery(studyQuery(body));
  const id = made.data?.id ?? "";
  const prices = studyPrices(search);
  const rows = useQuery(studyRowsQuery(id, prices));
  const found: TransactionStudyOut | undefined = rows.data;
  const pending = found?.status === "succeeded" ? null : (found?.run ?? null);
  const run = useRun(pending?.id ?? null, pending).data;
  const hasEnded = run !== undefined && !isActiveStatus(run.status);
  const isLate = hasEnded && found !== undefined && found.status !== run.status;
  useEffect(() => {
    if (id !== "") {
      void queryClient.invalidateQueries({ queryKey: STUDIES_KEY });
    }
  }, [id, queryClient]);
  useEffect(() => {
    // The last rows come with the end of the run, between two looks.
    if (isLate) {
      void queryClient.invalidateQueries({ queryKey: studyKey(id) });
    }
  }, [isLate, id, queryClient]);
  return {
    found,
    prices,
    run: pending === null ? undefined : run,
    error: made.error ?? (id === "" ? null : rows.error),
    isBehind: asked !== written && !isExample && !isNewFile,
    replay: () => setAsked(written),
    retry: () =>
      void made
        .refetch()
        .then(() => queryClient.invalidateQueries({ queryKey: studyKey(id) })),
  };
}

function Progress(props: { readonly run: RunOut; readonly again: () => void }) {
  const { run, again } = props;
  const isOver = run.status === "failed" || run.status === "cancelled";
  return (
    <Stack gap="xs">
      <RunProgress run={run} />
      {isOver && (
        <Group>
          <Button variant="default" onClick={again}>
            Replay again
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface AnswerProps {
  readonly found: TransactionStudyOut;
  readonly search: TransactionsSearch;
  readonly prices: StudyPrices;
  readonly onSize: (pages: number) => void;
}

function Answer({ found, search, prices, onSize }: AnswerProps) {
  const colors = useChartColors();
  const pages = shownSize(found, search.ram);
  const rows = rowsAt(found, pages);
  const sizes = [...new Set(found.rows.map((row) => row.ram_pages))];
  const restarts = rows.filter((row) => row.recovery !== null);
  const bars = useMemo(
    () =>
      stackedBarsOption({
        bars: timeBars(rows),
        parts: PARTS,
        axis: "I/O time [s]",
        colors,
      }),
    [rows, colors],
  );
  const lines = useMemo(
    () =>
      lineOption({
        series: timeLines(found.rows, colors),
        x: { name: "buffer [pages]", log: true, format: formatCount },
        y: { name: "I/O time [s]", min: 0, format: (value) => formatShort(value) },
        colors,
      }),
    [found.rows, colors],
  );
  const buffer = counted(pages ?? 0, "page");
  return (
    <div className={classes["answer"]}>
      <CautionNotes of="the transactions" cautions={found.cautions} />
      <ChartCard
        title={found.finding}
        subtitle={`I/O time on flash by system, with ${buffer} of memory [s]`}
        label="I/O time by system"
        option={bars}
        height={HEIGHT}
        fileName="transactions by system"
        controls={
          sizes.length > 1 && (
            <Select
              size="xs"
              w={150}
              aria-label="Buffer shown"
              data={sizes.map((size) => ({
                value: String(size),
                label: counted(size, "page"),
              }))}
              value={String(pages)}
              onChange={(value) => value !== null && onSize(Number(value))}
              allowDeselect={false}
              comboboxProps={{ transitionProps: { duration: 0 } }}
            />
          )
        }
        table={() => studyTable(found.rows, pages)}
        explanation={
          <Stack gap="xs">
            <Text size="sm">
              Every event is replayed through every system ({found.estimator}). Assumed:{" "}
              {found.validity}.
            </Text>
            <AskedSteps query={studySteps(found.id, prices)} />
          </Stack>
        }
      />
      <Panel
        title="Side by side"
        subtitle={`With ${buffer} of memory, over ${flashText(found)}.`}
      >
        <DataTable
          label="Systems side by side"
          caption="Pages written by the system: whole pages, log records instead of pages, pages of the log, and pages restored after aborts. WAF: pages programmed per page written. Uncommitted: written while a transaction that changed the page was still running."
          columns={PLAIN}
          rows={rows}
          rowKey={(row) => row.system}
        />
      </Panel>
      {found.crash_after !== null && (
        <Panel
          title="Restart after the crash"
          subtitle={`The systems crash after ${counted(found.crash_after, "event")}. One without a log cannot restart.`}
        >
          {restarts.length === 0 ? (
            <Text size="sm">No system keeps a log.</Text>
          ) : (
            <DataTable
              label="Restart after the crash"
              columns={PLAIN_RESTART}
              rows={restarts}
              rowKey={(row) => row.system}
            />
          )}
        </Panel>
      )}
      {sizes.length > 1 && (
        <ChartCard
          title="I/O time by buffer size"
          subtitle="On flash, a line for each system [s]"
          label="I/O time by buffer size"
          option={lines}
          height={HEIGHT}
          fileName="transactions by buffer size"
          table={() => linesTable(found.rows)}
          explanation="Each point is a replay of all events with a buffer of that size, which begins empty."
        />
      )}
    </div>
  );
}
