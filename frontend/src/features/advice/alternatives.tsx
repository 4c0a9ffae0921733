import { Badge, UnstyledButton } from "@mantine/core";
import { useMemo, useState } from "react";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  formatAmount,
  formatBytes,
  formatPercent,
  ratio,
  UNKNOWN,
  usd,
} from "@/units/quantity";
import classes from "./advice.module.css";
import { lacksMachine, machinesLacking, machineWords } from "./option-figures";
import { exported, OptionInFull, Scheme, type Titles } from "./option-parts";
import { costOf, difference, figureOf, lessThan, noResponse, time } from "./words";

const CENT = 0.01;

/** The best of each other kind beside the recommendation, what there is among them. */
export function Alternatives(props: {
  readonly found: AdviceOut;
  readonly best: AdviceOptionOut;
  readonly titles: Titles;
}) {
  const { found, best, titles } = props;
  const [opened, setOpened] = useState<string | null>(null);
  const rows = useMemo(() => {
    const zero = found.option_zero;
    const others = found.alternatives.filter(({ kind }) => kind !== "have");
    const today = zero === null || best.kind === "have" ? [] : [zero];
    return [best, ...others, ...today];
  }, [found, best]);
  const columns = columnsOf({ best, rows, titles, opened, setOpened });
  return (
    <Panel
      title={
        rows.length === 1
          ? "No option of another kind keeps every limit"
          : closeFinding(found, rows)
      }
      subtitle={subtitleOf(found, rows)}
      label="What else was close"
      actions={
        <ExportCsv
          file="alternatives"
          columns={exported()}
          rows={rows}
          rate={rateOf(found)}
          label="Export CSV of the alternatives"
        />
      }
    >
      <DataTable
        stacks
        label="Alternatives"
        columns={columns}
        rows={rows}
        rowKey={(row, at) => `${at} ${row.name}`}
        details={(row) =>
          opened === keyOf(row) ? (
            <OptionInFull found={found} option={row} titles={titles} />
          ) : null
        }
      />
    </Panel>
  );
}

/** How far the next best lies from the recommendation, in what was asked for. */
export function closeFinding(
  { objective }: Pick<AdviceOut, "objective">,
  [best, next]: readonly AdviceOptionOut[],
): string {
  const title = "What else was close";
  if (best === undefined || next === undefined || next.kind === "have") {
    return title;
  }
  if (objective === "io_time") {
    return `${title}${slowerText(best, next)}`;
  }
  const more = lessThan(costOf(next), costOf(best));
  return more === null || more < 0 || machinesLacking(next) !== machinesLacking(best)
    ? title
    : `${title}: the next costs ${more < CENT ? "as much" : `${formatAmount(usd(more))} per month more`}`;
}

/** Why no difference of two costs is known that lack unequally many machines. */
function unlikeText(row: AdviceOptionOut, best: AdviceOptionOut): string {
  if (lacksMachine(row) && lacksMachine(best)) {
    return "Of both a different number of machines is not counted.";
  }
  const [machines, are] = machineWords(lacksMachine(row) ? row : best);
  return `The ${machines} of one of both ${are} not counted.`;
}

/** How much longer an access to the next takes: by the replays of both where both were replayed, as they are ranked. */
function slowerText(best: AdviceOptionOut, next: AdviceOptionOut): string {
  const both = [replayed(next), replayed(best)] as const;
  const isReplayed = both.every((us) => us !== null);
  const [slow, fast] = isReplayed
    ? both
    : [next.io_time_us_per_access, best.io_time_us_per_access];
  const more = lessThan(slow, fast);
  if (slow === null || fast === null || more === null || more < 0) {
    return "";
  }
  const by = isReplayed
    ? " by its replay"
    : both.some((us) => us !== null)
      ? " by the model"
      : "";
  return time(slow) === time(fast)
    ? `: the next takes as long, ${time(fast)} of I/O time per access${by}`
    : `: the next takes ${time(more)} more I/O time per access${by}`;
}

/** What there is stands among them also where it could not be recommended: that is said. */
function subtitleOf(
  { alternatives }: AdviceOut,
  rows: readonly AdviceOptionOut[],
): string {
  const isLast =
    rows.some(({ kind }) => kind === "have") &&
    !alternatives.some(({ kind }) => kind === "have") &&
    rows[0]?.kind !== "have";
  const today = isLast
    ? " What you have stands last: it breaks a limit, or its cost is not known."
    : "";
  return `The best of each other kind of hardware that keeps every limit, not ten neighbours of the first.${today} Each opens its bill and figures.`;
}

const keyOf = ({ name, scheme, kind }: AdviceOptionOut) => `${kind} ${name} ${scheme}`;

interface ColumnParts {
  readonly best: AdviceOptionOut;
  readonly rows: readonly AdviceOptionOut[];
  readonly titles: Titles;
  readonly opened: string | null;
  readonly setOpened: (key: string | null) => void;
}

function columnsOf(parts: ColumnParts): readonly Column<AdviceOptionOut>[] {
  const { best, rows, titles, opened, setOpened } = parts;
  const isReplayed = rows.some((row) => replayed(row) !== null);
  // A column of dashes takes the room of the names.
  const isApart = (of: (option: AdviceOptionOut) => number | null) =>
    rows.some((row) => row !== best && apart(row, best, of) !== null);
  return [
    {
      key: "Option",
      rowHeader: true,
      cell: (row) => {
        const isOpen = opened === keyOf(row);
        return (
          <div className={classes["named"]}>
            <UnstyledButton
              className={classes["open"] ?? ""}
              aria-expanded={isOpen}
              onClick={() => setOpened(isOpen ? null : keyOf(row))}
            >
              <span aria-hidden="true">{isOpen ? "▾ " : "▸ "}</span>
              {row.name}
            </UnstyledButton>{" "}
            {row === best && <Mark text="recommended" />}
            {row.kind === "have" && <Mark text="what you have" />}
            {lacksMachine(row) && <Mark text={`${machineWords(row)[0]} not counted`} />}
          </div>
        );
      },
    },
    {
      key: "Page flow",
      align: "text",
      cell: ({ scheme }) => <Scheme name={scheme} titles={titles} />,
    },
    {
      key: "Per month",
      unit: shownCurrency(),
      cell: (row) => cents(row.usd_per_month),
    },
    {
      key: "Difference",
      unit: shownCurrency(),
      title: "Per month, against the recommendation",
      cell: (row) => {
        const more = lessThan(costOf(row), costOf(best));
        if (row !== best && machinesLacking(row) !== machinesLacking(best)) {
          return <Unknown reason={unlikeText(row, best)} />;
        }
        return row === best || more === null ? UNKNOWN : difference(more);
      },
    },
    {
      key: "I/O time",
      cell: (row) => figureOf(row, "io_time_us_per_access", time) ?? UNKNOWN,
    },
    ...(isReplayed
      ? [
          {
            key: "By replay",
            title: "I/O time as the replay of the option counts it",
            cell: (row: AdviceOptionOut) =>
              figureOf(row, "replayed_io_time_us_per_access", time) ?? (
                <Unknown reason="It was not replayed." />
              ),
          },
        ]
      : []),
    ...(isApart(replayed)
      ? [
          {
            key: "Difference by replay",
            title: "I/O time against the recommendation, by the replays of both",
            cell: (row: AdviceOptionOut) =>
              apart(row, best, replayed) ?? (
                <Unknown reason="Not both were replayed." />
              ),
          },
        ]
      : []),
    ...(isApart(modelled)
      ? [
          {
            key: "Difference in time",
            head: isReplayed ? "Difference by the model" : "Difference",
            title: "I/O time against the recommendation, by the model of both",
            cell: (row: AdviceOptionOut) =>
              apart(row, best, modelled) ?? (
                <Unknown reason="The model does not cover both options." />
              ),
          },
        ]
      : []),
    {
      key: "p99, busiest hour",
      cell: (row) =>
        figureOf(row, "response_p99_us", time) ?? (
          <Unknown reason={noResponse(row) ?? ""} />
        ),
    },
    {
      key: "Busy, busiest hour",
      cell: (row) =>
        figureOf(row, "peak_busy", (share) => formatPercent(ratio(share))) ?? UNKNOWN,
    },
    { key: "RAM", cell: (row) => formatBytes(bytes(row.ram_bytes)) },
    {
      key: "Flash cache",
      cell: (row) =>
        row.flash_bytes === 0 ? "none" : formatBytes(bytes(row.flash_bytes)),
    },
  ];
}

/** I/O time of an option by its replay; null where it was not replayed. [µs] */
const replayed = (option: AdviceOptionOut): number | null =>
  option.replayed_io_time_us_per_access;

/** I/O time of an option by the model; null where its time is that of its replay. [µs] */
const modelled = (option: AdviceOptionOut): number | null =>
  option.io_time_us_per_access === option.replayed_io_time_us_per_access
    ? null
    : option.io_time_us_per_access;

/** By how much an option is slower than the recommendation by one way to tell, which both have. */
function apart(
  row: AdviceOptionOut,
  best: AdviceOptionOut,
  of: (option: AdviceOptionOut) => number | null,
): string | null {
  if (row === best) {
    return UNKNOWN;
  }
  const more = lessThan(of(row), of(best));
  return more === null ? null : difference(more, time);
}

export const Mark = ({ text }: { readonly text: string }) => (
  <Badge variant="outline" color="gray" size="sm" className={classes["mark"] ?? ""}>
    {text}
  </Badge>
);
