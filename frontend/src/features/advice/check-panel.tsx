import { Box, Button, Text } from "@mantine/core";
import type { AdviceOut } from "@/api/advice";
import { isActiveStatus } from "@/api/runs";
import { replaysOf, type SummaryOut } from "@/api/workloads";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { LongTable } from "@/components/long-table";
import { NeedsTrace, originOf } from "@/components/needs-trace";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { gapText } from "@/components/replay-check";
import { RunProgress } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatBytes,
  formatPercent,
  formatPercentBeside,
  formatShort,
  ratio,
} from "@/units/quantity";
import { Mark } from "./alternatives";
import {
  assignments,
  type CacheRow,
  type CheckedRow,
  cachesBasis,
  cachesFinding,
  cacheVerdict,
  checkBasis,
  checkFinding,
  checkNotes,
  FIRST_TOUCHES,
  finalists,
  isAnyReplayed,
  isChoice,
  mayBeCarried,
  notesOfReplays,
  pacesOf,
  runSo,
} from "./check-findings";
import { Scheme, schemeOf, type Titles } from "./option-parts";
import { type AdviceCheck, underway } from "./use-check";
import { limitTitle, time } from "./words";

/** The finalists by the model and by a replay, with the button that starts it, or why there is none. */
export function CheckPanel(props: {
  readonly found: AdviceOut;
  readonly check: AdviceCheck;
  readonly summary: SummaryOut;
  readonly titles: Titles;
}) {
  const { found, check, summary, titles } = props;
  const replays = replaysOf(summary);
  if (
    found.recommendation === null &&
    !mayBeCarried(found) &&
    found.checked.length === 0
  ) {
    return null;
  }
  if (replays === null) {
    return <NoReplay summary={summary} />;
  }
  const rows = found.checked.length > 0 ? found.checked : finalists(found);
  // Once a check was made, rows without a replay alone would be dashes.
  const isShown = ({ simulated }: CheckedRow) =>
    found.checked.length === 0 || simulated !== null;
  return (
    <Panel
      title={(found.checked.length === 0 && underway(check)) || checkFinding(found)}
      subtitle={checkBasis(found, replays === "recording")}
      label="Check by replay"
      actions={
        found.status === "model" &&
        found.checked.length === 0 &&
        found.flash_caches.length === 0 && (
          <Button
            onClick={check.start}
            loading={check.isRunning}
            disabled={!check.canStart}
          >
            Check by replay
          </Button>
        )
      }
    >
      {rows.some(isShown) && (
        <DataTable
          stacks
          label="Model and replay"
          columns={columnsOf(found, titles)}
          rows={rows}
          rowKey={(_, at) => at}
        />
      )}
      {/* As high as the progress of a run, so that nothing below moves. */}
      <Box mih={84} mt="sm">
        <State check={check} found={found} />
      </Box>
      <FlashCaches found={found} />
      {runSo(found) !== null && (
        <Text size="sm" c="dimmed" mb="xs" style={{ overflowWrap: "anywhere" }}>
          {runSo(found)}
        </Text>
      )}
      <Notes found={found} />
    </Panel>
  );
}

function State(props: { readonly check: AdviceCheck; readonly found: AdviceOut }) {
  const { check, found } = props;
  const notes = checkNotes(found);
  if (check.error !== null) {
    return (
      <ProblemAlert
        error={check.error}
        title="The check could not be run"
        onRetry={check.start}
      />
    );
  }
  if (notes.length > 0) {
    return <Reasons said={notes} />;
  }
  if (
    check.run !== undefined &&
    (!check.isRunning || isActiveStatus(check.run.status))
  ) {
    return <RunProgress run={check.run} />;
  }
  return (
    <Text size="sm" c="dimmed" role="status">
      {stateText(check)}
    </Text>
  );
}

const FEW = 3;

/** Sentences below a finding; of many all but the first are folded. */
function Reasons({ said }: { readonly said: readonly string[] }) {
  const shown = said.length > FEW ? said.slice(0, 1) : said;
  const rest = said.slice(shown.length);
  return (
    <>
      <Sentences said={shown} />
      {rest.length > 0 && (
        <Disclosure label={`${counted(rest.length, "more reason")}`}>
          <Sentences said={rest} />
        </Disclosure>
      )}
    </>
  );
}

const Sentences = ({ said }: { readonly said: readonly string[] }) =>
  said.map((sentence) => (
    <Text key={sentence} size="sm" c="dimmed" mb="xs">
      <Prose text={sentence} />.
    </Text>
  ));

/** Flash caches that were replayed on the hardware of the recommendation, beside its page flow. */
function FlashCaches({ found }: { readonly found: AdviceOut }) {
  const { flash_caches: rows, constraints } = found;
  const mostBusy = Number(constraints["peak_busy"] ?? Number.NaN);
  const finding = cachesFinding(rows);
  const places = new Set(rows.map((row) => row.hardware)).size;
  return (
    finding !== null && (
      <Box mt="md">
        <Text fw={600}>{finding}</Text>
        <Reasons said={cachesBasis(rows, places)} />
        {assignments(rows).map((said) => (
          <Text key={said} size="sm" c="dimmed" mb="xs">
            {said}
          </Text>
        ))}
        {pacesOf(rows).map((said) => (
          <Text key={said} size="sm" c="dimmed" mb="xs">
            {said}
          </Text>
        ))}
        {isAnyReplayed(rows) && (
          <LongTable
            stacks
            of={["flash cache"]}
            label="Flash caches by replay"
            columns={cacheColumns(places > 1, mostBusy)}
            rows={rows}
            rowKey={(_, at) => at}
          />
        )}
      </Box>
    )
  );
}

/** What single replays say of what they counted; what that of the recommendation says stands above the answer. */
function Notes({ found }: { readonly found: AdviceOut }) {
  const notes = notesOfReplays(found.checked, found.flash_caches);
  return (
    notes.length > 0 && (
      <Disclosure
        label={`${counted(notes.length, "note")} on what single replays counted`}
      >
        {notes.map((note) => (
          <Text key={note} size="sm" c="dimmed" mb="xs">
            <Prose text={note} />
          </Text>
        ))}
      </Disclosure>
    )
  );
}

const cacheColumns = (
  isOfSeveral: boolean,
  mostBusy: number,
): readonly Column<CacheRow>[] => [
  {
    key: "Flash cache",
    rowHeader: true,
    cell: (row) => (
      <>
        {row.title} {row.is_chosen && <Mark text="recommended" />}
      </>
    ),
  },
  ...(isOfSeveral
    ? [
        {
          key: "Hardware",
          align: "text",
          cell: (row: CacheRow) => row.hardware,
        } as const,
        {
          key: "Per month",
          unit: shownCurrency(),
          cell: (row: CacheRow) => cents(row.usd_per_month),
        } as const,
        {
          key: "Page flow breaks there",
          align: "text",
          cell: (row: CacheRow) =>
            row.page_flow_breaks.map(limitTitle).join(", ") || "nothing",
        } as const,
      ]
    : []),
  {
    key: "I/O time",
    title: "Of an access, by the replay",
    cell: (row) => timeOf(row.io_time_us_per_access, row.reason),
  },
  {
    key: "Saves",
    unit: "%",
    title: "Of the I/O time of page flow on the same hardware; below 0 it takes more",
    cell: (row) =>
      row.saving === null ? (
        <Unknown reason={row.reason || "Page flow was not replayed here."} />
      ) : (
        `${row.saving < 0 ? "−" : ""}${formatShort(100 * Math.abs(row.saving), 3)}`
      ),
  },
  {
    key: "Busy at peak",
    cell: (row) =>
      row.peak_busy === null ? (
        <Unknown reason={row.reason || "The workload states no rate."} />
      ) : (
        formatPercentBeside(ratio(row.peak_busy), ratio(mostBusy))
      ),
  },
  {
    key: "Written to flash",
    unit: "pages per access",
    title: "Metadata included",
    cell: (row) =>
      row.flash_writes_per_access === null ? (
        <Unknown reason={row.reason} />
      ) : (
        formatShort(row.flash_writes_per_access, 3)
      ),
  },
  {
    key: "Life of flash",
    unit: "years",
    title: "As the load grows, where growth is stated",
    cell: (row) =>
      row.flash_life_years === null ? (
        <Unknown
          reason={
            row.reason ||
            "The provider replaces it, no endurance is known, or the trace does not tell writes from reads."
          }
        />
      ) : (
        formatShort(row.flash_life_years, 3)
      ),
  },
  {
    key: "RAM for metadata",
    cell: (row) =>
      row.ram_tax_bytes === null ? (
        <Unknown reason={row.reason || "No figure is published; none is taken."} />
      ) : (
        formatBytes(bytes(row.ram_tax_bytes))
      ),
  },
  {
    key: "Limits",
    align: "text",
    cell: (row) =>
      row.reason === "" ? cacheVerdict(row) : <Unknown reason={row.reason} />,
  },
];

/** What the check does now, where no run shows it. */
export function stateText(
  check: Pick<AdviceCheck, "isRunning" | "isCancelled" | "run" | "rounds">,
): string {
  if (check.isRunning && check.run !== undefined) {
    // Its run has ended, and more replays, or the answer, are still to come.
    return `${underway(check)}, which may ask for more replays.`;
  }
  if (check.isRunning) {
    return "Looking for replays that were made before.";
  }
  return check.isCancelled ? "The check was cancelled." : "";
}

function NoReplay({ summary }: { readonly summary: SummaryOut }) {
  const title = "This advice cannot be checked by replay";
  const from = summary.scaled_from;
  return from == null ? (
    <NeedsTrace kind={originOf(summary)} title={title}>
      A check replays the recommendation and what was close to it on the trace.
    </NeedsTrace>
  ) : (
    <Panel title={title}>
      <Text size="sm">
        A check replays a trace. The workload was scaled to production from {from.name},
        of which no trace is stored here.
      </Text>
    </Panel>
  );
}

/** Before a replay there is nothing beside the model. */
const columnsOf = (found: AdviceOut, titles: Titles): readonly Column<CheckedRow>[] => [
  ...modelColumns(found, titles),
  ...(found.checked.length > 0 ? REPLAY_COLUMNS : []),
  // Where nothing that is bought is worn, there is nothing to show.
  ...(found.checked.some((row) => row.flash_life_years !== null)
    ? [REPLAYED_LIFE]
    : []),
];

const modelColumns = (
  found: AdviceOut,
  titles: Titles,
): readonly Column<CheckedRow>[] => [
  {
    key: "Option",
    rowHeader: true,
    cell: (row) => (
      <>
        {row.option.name} {isChoice(found, row) && <Mark text="recommended" />}
      </>
    ),
  },
  {
    key: "Page flow",
    align: "text",
    cell: ({ option }) => <Scheme {...schemeOf(option)} titles={titles} />,
  },
  {
    key: "I/O time, model",
    cell: ({ model, simulated }) =>
      timeOf(model, simulated === null ? "A rate of a device is unknown." : NO_FORMULA),
  },
];

const REPLAY_COLUMNS: readonly Column<CheckedRow>[] = [
  {
    key: "I/O time, replay",
    cell: ({ simulated, reason }) => timeOf(simulated, reason),
  },
  {
    key: "Gap",
    unit: "%",
    title: "Of the model against the replay",
    cell: ({ gap, band, ...row }) =>
      gap === null ? (
        <Unknown reason={withoutGap(row)} />
      ) : (
        gapText(gap, band ?? Number.POSITIVE_INFINITY)
      ),
  },
  {
    key: "Known error",
    title: "By what share the model may differ from a replay",
    cell: ({ band, ...row }) =>
      band === null ? (
        <Unknown reason={withoutGap(row)} />
      ) : (
        `±${formatPercent(ratio(band))}`
      ),
  },
  {
    key: "Beyond it",
    align: "text",
    cell: ({ gap, is_beyond_band: isBeyond, ...row }) =>
      gap === null ? <Unknown reason={withoutGap(row)} /> : isBeyond ? "yes" : "no",
  },
];

const REPLAYED_LIFE: Column<CheckedRow> = {
  key: "Life of flash, replay",
  unit: "years",
  title: "By what the replay writes, as the load grows where growth is stated",
  cell: ({ flash_life_years: life, reason, simulated }) =>
    life === null ? (
      <Unknown
        reason={
          // Of what was replayed the reason is why there is no gap.
          (simulated === null && reason) ||
          "No flash that is bought is worn, no endurance is known, or the trace does not tell writes from reads."
        }
      />
    ) : (
      formatShort(life, 3)
    ),
};

const NO_FORMULA = "There is no formula for a flash cache: the replay stands alone.";

/** Why a row has no gap between model and replay. */
const withoutGap = ({ model, reason }: Pick<CheckedRow, "model" | "reason">): string =>
  reason || (model === null ? NO_FORMULA : FIRST_TOUCHES);

const timeOf = (us: number | null, reason: string) =>
  us === null ? <Unknown reason={reason} /> : time(us);
