import { Button, Select, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import {
  type TransactionReplayOut,
  type TransactionWritesOut,
  transactionReplayQuery,
  transactionReplaySteps,
  transactionWritesQuery,
  transactionWritesSteps,
} from "@/api/transactions";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { schemeMark } from "@/charts/palette";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { AskedSteps } from "@/components/asked-steps";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { EstimateDerivation } from "@/components/estimate-derivation";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { WarningNotes } from "@/components/warning-notes";
import { WhyButton } from "@/components/why-button";
import {
  MOST_EVENT_CHARACTERS,
  TRANSACTION_SOURCES,
  type WearNumbers,
  type WearSearch,
} from "@/questions/wear";
import {
  counted,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import { WearField } from "./number-field";
import {
  asksTransactions,
  duration,
  OPERATIONS,
  replayBars,
  replayQuestion,
  replayTable,
  USUAL,
  wayPoints,
  writesQuestion,
  writesTable,
} from "./transaction-findings";
import classes from "./wear.module.css";

const HEIGHT = 300;
const PER_CENT = 100;
const WAYS = { page: "As pages", log: "As log records" } as const;
const MARKS = { page: "none", log: "lazy" } as const;

interface TransactionProps {
  readonly search: WearSearch;
  readonly patch: (change: WearSearch) => void;
}

/** Transactions over raw flash (Zhou): asked about only when opened. */
export function TransactionSection(props: TransactionProps) {
  return (
    <Panel
      title="Transactions on raw flash"
      subtitle="Which transaction is evicted from memory first, and is it written as pages or as log records? The workload is not used here: a trace does not record transactions."
    >
      <Disclosure
        label="Analyse transactions"
        initiallyOpen={asksTransactions(props.search)}
      >
        <Stack gap="lg" mt="xs">
          <Writes {...props} />
          <Replays {...props} />
        </Stack>
      </Disclosure>
    </Panel>
  );
}

function Fields(
  props: TransactionProps & {
    readonly fields: readonly {
      readonly name: keyof WearNumbers;
      readonly label: string;
      readonly usual: number | string;
      readonly factor?: number;
    }[];
  },
) {
  const { search, patch, fields } = props;
  return (
    <div className={`${classes["fields"]} ${classes["level"]}`}>
      {fields.map(({ name, label, usual, factor }) => (
        <WearField
          key={name}
          name={name}
          label={label}
          placeholder={typeof usual === "number" ? formatCount(usual) : usual}
          value={search[name]}
          onChange={(value) => patch({ [name]: value })}
          {...(factor === undefined ? {} : { factor })}
        />
      ))}
    </div>
  );
}

const WRITE_FIELDS = [
  { name: "tx_dirty", label: "Dirty pages", usual: USUAL.dirty },
  { name: "tx_log_bytes", label: "Log records per page [B]", usual: USUAL.logBytes },
  { name: "tx_again", label: "Pages reread", usual: "each once" },
  { name: "tx_log_pages", label: "Log pages read per page", usual: "minimum" },
  { name: "tx_ram_mib", label: "Buffer [MiB]", usual: USUAL.ramMib },
  { name: "tx_read_us", label: "Page read [µs]", usual: USUAL.readUs },
  { name: "tx_write_us", label: "Page write [µs]", usual: USUAL.writeUs },
  { name: "tx_erase_us", label: "Block erase [µs]", usual: USUAL.eraseUs },
  { name: "tx_page_bytes", label: "Flash page [B]", usual: USUAL.pageBytes },
  { name: "tx_block_pages", label: "Pages per block", usual: USUAL.blockPages },
] as const;

function Writes(props: TransactionProps) {
  const found = useQuery({
    ...transactionWritesQuery(writesQuestion(props.search)),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Fields {...props} fields={WRITE_FIELDS} />
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="The transaction could not be analysed"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={HEIGHT} animate={false} />
      ) : (
        <section aria-busy={found.isPlaceholderData} className={classes["answer"]}>
          <div className={classes["columns"]}>
            <WritesChart found={found.data} />
            <WritesFigures {...props} found={found.data} />
          </div>
          <WarningNotes notes={found.data.warnings} />
        </section>
      )}
    </>
  );
}

function WritesChart({ found }: { readonly found: TransactionWritesOut }) {
  const colors = useChartColors();
  const option = useMemo(() => {
    const crossing = found.break_even_pages;
    const reach = found.curve_pages_reread.at(-1) ?? 0;
    return lineOption({
      series: (["page", "log"] as const).map((way) => ({
        name: WAYS[way],
        color: schemeMark(MARKS[way], colors).color,
        dash: way === "page" ? "dashed" : "solid",
        points: wayPoints(found, way),
      })),
      x: { name: "pages reread", format: (pages) => formatShort(pages) },
      y: { name: "I/O time [ms]", format: (ms) => `${formatShort(ms)} ms` },
      markers: [
        { name: "chosen value", x: found.pages_reread },
        ...(crossing === null || crossing > reach
          ? []
          : [{ name: "break-even", x: crossing }]),
      ],
      colors,
    });
  }, [found, colors]);
  return (
    <ChartCard
      title={found.finding}
      subtitle="I/O time of writing one transaction and rereading its pages, over the pages reread [ms]"
      label="Pages or log records"
      option={option}
      height={HEIGHT}
      fileName="transaction pages or log"
      table={() => writesTable(found)}
      sentence={found.sentence}
      explanation={
        <EstimateDerivation found={found}>
          <AskedSteps query={transactionWritesSteps(found)} />
        </EstimateDerivation>
      }
    />
  );
}

const CHANGES = [
  {
    name: "tx_slower",
    label: "Reads slower by [%]",
    usual: USUAL.slower * PER_CENT,
    factor: PER_CENT,
  },
  {
    name: "tx_saved",
    label: "Write time saved [%]",
    usual: USUAL.saved * PER_CENT,
    factor: PER_CENT,
  },
  {
    name: "tx_total",
    label: "Total time saved [%]",
    usual: USUAL.total * PER_CENT,
    factor: PER_CENT,
  },
] as const;

/** Every figure of one transaction and of the chip; each opens its derivation. */
function WritesFigures(
  props: TransactionProps & { readonly found: TransactionWritesOut },
) {
  const { found } = props;
  const crossing = found.break_even_pages;
  const facts = [
    ["Write saving", duration(found.write_saving_us)],
    ["Break-even extra reads", formatShort(found.break_even_extra_reads)],
    ["Break-even pages reread", crossing === null ? "never" : formatShort(crossing)],
    ["Write time", counted(formatShort(found.write_over_read), "page read")],
    ["Erase time per page written", duration(found.erase_us_per_page)],
    ["Transactions in the buffer", formatCount(found.resident_transactions)],
    [
      "Share of time spent reading",
      found.read_share_consistent
        ? formatPercent(ratio(found.read_share))
        : "the changes are inconsistent",
    ],
  ] as const;
  return (
    <Panel
      title="In figures"
      subtitle="Times are busy times of one chip. The total does not include erases."
    >
      <DataTable
        label="Pages or log records in figures"
        columns={[
          { key: "Written", rowHeader: true, cell: (way) => WAYS[way.written_as] },
          { key: "Pages", cell: (way) => formatCount(way.pages_written) },
          { key: "Write", cell: (way) => duration(way.write_us) },
          { key: "Reread", cell: (way) => duration(way.reread_us) },
          { key: "Total", cell: (way) => duration(way.total_us) },
          { key: "Erases", cell: (way) => duration(way.erase_us) },
        ]}
        rows={found.ways}
        rowKey={(way) => way.written_as}
      />
      <dl className={classes["facts"]} style={{ marginTop: 12 }}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" my={6}>
        The share of time spent reading follows from three measured changes, by default
        those of Figure 6(c) of the paper:
      </Text>
      <Fields {...props} fields={CHANGES} />
      <div style={{ marginTop: 10 }}>
        <WhyButton title="transaction figures">
          <AskedSteps query={transactionWritesSteps(found)} />
        </WhyButton>
      </div>
    </Panel>
  );
}

const SOURCE_TITLES = {
  half_loaded: "Generated: half loaded, as in Figure 6(a)",
  concurrent_loads: "Generated: loaded in turn, as in Figure 6(b)",
  events: "Your own events",
} as const;

function Replays(props: TransactionProps) {
  const { search, patch } = props;
  const source = search.tx_source ?? "half_loaded";
  const waits = source === "events" && search.tx_events === undefined;
  const found = useQuery({
    ...transactionReplayQuery(replayQuestion(search)),
    placeholderData: keepPreviousData,
    enabled: !waits,
    retry: false,
  });
  const fields = [
    ...(source === "half_loaded"
      ? [{ name: "tx_committed", label: "Early commits", usual: USUAL.committed }]
      : []),
    ...(source === "events"
      ? []
      : [
          { name: "tx_running", label: "Running at the end", usual: USUAL.running },
          { name: "tx_each", label: "Pages per transaction", usual: USUAL.each },
        ]),
    { name: "tx_ram_pages", label: "Buffer [pages]", usual: USUAL.ramPages },
  ] as const;
  return (
    <>
      <div className={`${classes["fields"]} ${classes["level"]}`}>
        <div className={classes["wide"]}>
          <Select
            size="sm"
            maw={360}
            label="Transactions to replay"
            data={TRANSACTION_SOURCES.map((value) => ({
              value,
              label: SOURCE_TITLES[value],
            }))}
            value={source}
            onChange={(value) =>
              patch({
                tx_source: TRANSACTION_SOURCES.find((known) => known === value),
              })
            }
            allowDeselect={false}
          />
        </div>
      </div>
      {source === "events" && <EventsField {...props} />}
      <Fields {...props} fields={fields as Parameters<typeof Fields>[0]["fields"]} />
      {found.error !== null && !waits && (
        <ProblemAlert
          error={found.error}
          title="The transactions could not be replayed"
          onRetry={() => void found.refetch()}
        />
      )}
      {waits
        ? null
        : found.data === undefined
          ? found.isPending && <Skeleton height={HEIGHT} animate={false} />
          : found.error === null && (
              <section
                aria-busy={found.isPlaceholderData}
                className={classes["answer"]}
              >
                <div className={classes["columns"]}>
                  <ReplayChart found={found.data} />
                  <LeavingTable found={found.data} />
                </div>
                <WarningNotes notes={found.data.warnings} />
              </section>
            )}
    </>
  );
}

function EventsField({ search, patch }: TransactionProps) {
  const [text, setText] = useState(search.tx_events ?? "");
  const tooLong = text.length > MOST_EVENT_CHARACTERS;
  return (
    <div>
      <Textarea
        label="Events"
        description="One per line: B T1 begins, R T1 7 reads page 7, U T1 7 updates it, C T1 commits, A T1 aborts."
        placeholder={"B T1\nU T1 0\nC T1"}
        autosize
        minRows={4}
        maxRows={10}
        value={text}
        error={
          tooLong
            ? `${counted(text.length, "character")}; a link holds at most ${formatCount(MOST_EVENT_CHARACTERS)}. For more, use the command tierwright transactions.`
            : null
        }
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        mt={6}
        size="compact-sm"
        variant="default"
        disabled={tooLong || text.trim() === ""}
        onClick={() => patch({ tx_events: text })}
      >
        Replay these events
      </Button>
    </div>
  );
}

function ReplayChart({ found }: { readonly found: TransactionReplayOut }) {
  const colors = useChartColors();
  const option = useMemo(
    () =>
      stackedBarsOption({
        bars: replayBars(found),
        parts: OPERATIONS,
        axis: "I/O time [ms]",
        colors,
      }),
    [found, colors],
  );
  return (
    <ChartCard
      title={found.finding}
      subtitle={`${counted(found.transactions, "transaction")}, ${counted(found.events, "event")}, ${counted(found.ram_pages, "page")} of memory for ${counted(found.database_pages, "page")} of data; I/O time by operation [ms]`}
      label="Replay of transactions"
      option={option}
      height={230}
      fileName="transaction replay"
      table={() => replayTable(found)}
      sentence={found.sentence}
      explanation={
        <EstimateDerivation found={found}>
          <AskedSteps query={transactionReplaySteps(found)} />
        </EstimateDerivation>
      }
    />
  );
}

/** The order of leaving memory, by commit time and average access time. */
function LeavingTable({ found }: { readonly found: TransactionReplayOut }) {
  const { leaving } = found;
  return (
    <Panel
      title="Next transactions to leave memory"
      subtitle={
        found.resident_transactions > leaving.length
          ? `Order at the end of the events: committed transactions by commit time, then running ones by average access time (AAT). The first ${formatCount(leaving.length)} of ${counted(found.resident_transactions, "transaction")} in memory.`
          : `Order at the end of the events: committed transactions by commit time, then running ones by average access time (AAT). Transactions in memory: ${formatCount(found.resident_transactions)}.`
      }
    >
      {leaving.length === 0 ? (
        <Text size="sm">No transaction has pages in memory.</Text>
      ) : (
        <DataTable
          label="Next transactions to leave memory"
          style={{ maxHeight: 260, overflowY: "auto" }}
          columns={[
            { key: "Transaction", rowHeader: true, cell: (row) => row.transaction },
            { key: "Pages", cell: (row) => formatCount(row.pages) },
            {
              key: "AAT",
              unit: "ticks",
              cell: (row) => formatShort(row.average_access_time, 6),
            },
            {
              key: "Committed",
              unit: "ticks",
              cell: ({ commit_time: time }) =>
                time === null ? "running" : formatShort(time, 6),
            },
          ]}
          rows={leaving}
          rowKey={(row) => row.transaction}
        />
      )}
      <Text size="sm" c="dimmed" mt={6}>
        AAT: mean of the times at which its pages in memory were last read or updated.
        Source: Zhou, Meng and Liang (2009), sections IV.B and IV.C.
      </Text>
    </Panel>
  );
}
