import { List, Skeleton, Text } from "@mantine/core";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { Panel } from "@/components/panel";
import { Prose } from "@/components/prose";
import { shownCurrency } from "@/units/currency";
import { cents, formatAmount, UNKNOWN, usd } from "@/units/quantity";
import classes from "./advice.module.css";
import { time } from "./words";

type Bar = AdviceOut["confidence"]["tornado"][number];

const HEIGHT = 160;

/** How sure the recommendation is: what is not known, and what each end of it would change. */
export function HowSure(props: {
  readonly found: AdviceOut;
  /** The full answer is still being computed. */
  readonly isPending: boolean;
  readonly names: ReadonlyMap<string, string>;
}) {
  const { found, isPending, names } = props;
  const { confidence } = found;
  const regret = confidence.expected_regret_usd_per_month;
  return (
    <Panel
      // As the first sentences have it: of which draws a share is stands with it.
      title={confidence.headline || "How sure it is"}
      label="How sure it is"
    >
      {!isPending && regret !== null && (
        <Text size="sm">
          Expected regret: {formatAmount(usd(Number(regret)))} per month.
        </Text>
      )}
      {!isPending && <Reason confidence={confidence} names={names} />}
      <MeasureFirst found={found} names={names} />
      {isPending ? (
        <Skeleton height={HEIGHT} mt="sm" animate={false} />
      ) : (
        <Tornado found={found} names={names} />
      )}
    </Panel>
  );
}

/** What the shares rest on, folded; where there are none, why. */
function Reason(props: {
  readonly confidence: AdviceOut["confidence"];
  readonly names: ReadonlyMap<string, string>;
}) {
  const { confidence, names } = props;
  const said = (
    <Text size="sm">
      <Prose text={confidence.reason} names={names} />.
    </Text>
  );
  return confidence.headline === "" ? (
    said
  ) : (
    <Disclosure label="What was drawn, and how a draw counts">{said}</Disclosure>
  );
}

/** What is worth measuring, the most first; nothing where no worth was computed. */
function MeasureFirst(props: {
  readonly found: AdviceOut;
  readonly names: ReadonlyMap<string, string>;
}) {
  const { found, names } = props;
  const all = found.confidence.value_of_information ?? [];
  if (all.length === 0) {
    return null;
  }
  const worth = all.filter(({ usd_per_month }) => Number(usd_per_month) > 0);
  if (worth.length === 0) {
    return (
      <Text size="sm" mt="sm">
        No single input is worth measuring first: knowing it would make no other choice
        clearly cheaper.
      </Text>
    );
  }
  return (
    <>
      <Text size="sm" mt="sm">
        What is worth measuring first:
      </Text>
      <List size="sm">
        {worth.map(({ about, text }) => (
          <List.Item key={about}>
            <Prose text={text} names={names} />.
          </List.Item>
        ))}
      </List>
    </>
  );
}

function Tornado(props: {
  readonly found: AdviceOut;
  readonly names: ReadonlyMap<string, string>;
}) {
  const { found, names } = props;
  const bars = found.confidence.tornado;
  if (found.recommendation === null) {
    return null;
  }
  if (bars.length === 0) {
    return (
      <Text size="sm" mt="sm">
        {found.confidence.about_bars ||
          "No input with a known range was found that could move the cost."}
      </Text>
    );
  }
  const measure = measureOf(found);
  const now = measure.of(found.recommendation);
  return (
    <>
      {found.confidence.about_bars !== "" && (
        <Text size="sm" mt="sm">
          {found.confidence.about_bars}
        </Text>
      )}
      <Text size="sm" mt="sm" mb={4}>
        What the inputs that are not known would do to the {measure.words} of the best
        option, the largest range first:
      </Text>
      <DataTable
        stacks
        label="What is not known"
        columns={columnsOf(bars, measure, now, names)}
        rows={bars}
        rowKey={(_, at) => at}
        caption={
          now === null
            ? undefined
            : `The line in each bar is the recommendation, ${measure.said(now)}.`
        }
      />
    </>
  );
}

/** What tells options apart, and how it is written. */
interface Measure {
  readonly words: string;
  readonly unit: string | undefined;
  readonly of: (option: AdviceOptionOut) => number | null;
  /** At both ends of an input; null where there is no option. */
  readonly at: (bar: Bar) => readonly [low: number | null, high: number | null];
  /** What the best option costs at both ends, to be read behind what it is; empty where that is the measure. */
  readonly priced: (bar: Bar) => readonly [low: string, high: string];
  /** What it costs and takes at the flip; empty where nobody knows. */
  readonly atFlip: (bar: Bar) => string;
  readonly write: (value: number) => string;
  readonly said: (value: number) => string;
}

const money = (value: string | null) => (value === null ? null : Number(value));

/** Behind what an option is or takes; empty without an amount. */
const behind = (value: string | null) =>
  value === null ? "" : `, ${MONEY.said(Number(value))}`;

const MONEY: Measure = {
  words: "cost",
  get unit() {
    return shownCurrency();
  },
  of: (option) => money(option.usd_per_month),
  at: (bar) => [money(bar.usd_per_month_low), money(bar.usd_per_month_high)],
  priced: () => ["", ""],
  atFlip: ({ usd_per_month_flip: cost }) =>
    cost === null ? "" : `${cents(Number(cost))} ${shownCurrency()}`,
  write: cents,
  said: (value) => `${cents(value)} ${shownCurrency()} per month`,
};

const TIME: Measure = {
  words: "I/O time",
  unit: undefined,
  of: (option) => option.io_time_us_per_access ?? null,
  at: (bar) => [bar.io_time_us_low ?? null, bar.io_time_us_high ?? null],
  priced: (bar) => [behind(bar.usd_per_month_low), behind(bar.usd_per_month_high)],
  atFlip: ({ io_time_us_flip: us, usd_per_month_flip: cost }) =>
    us == null ? "" : `${time(us)}${behind(cost)}`,
  write: time,
  said: time,
};

/** The I/O time where that is the objective; money where an answer was kept before its bars had times. */
function measureOf({ objective, confidence }: AdviceOut): Measure {
  const hasTimes = confidence.tornado.some((bar) => ends(bar, TIME).length > 0);
  return objective === "io_time" && hasTimes ? TIME : MONEY;
}

const ends = (bar: Bar, measure: Measure): readonly number[] =>
  measure.at(bar).filter((each) => each !== null);

const columnsOf = (
  bars: readonly Bar[],
  measure: Measure,
  now: number | null,
  names: ReadonlyMap<string, string>,
): readonly Column<Bar>[] => {
  const most = Math.max(
    ...bars.flatMap((bar) => ends(bar, measure)),
    now ?? 0,
    Number.MIN_VALUE,
  );
  const end = (
    text: string,
    value: number | null,
    best: string | null,
    priced: string,
  ) => (
    <>
      <b>{value === null ? "no option" : measure.write(value)}</b>
      <br />
      <span className={classes["end"]}>
        <Prose text={text} names={names} />
        {best === null ? "" : `: ${best}${priced}`}
      </span>
    </>
  );
  return [
    {
      key: "What is not known",
      rowHeader: true,
      cellProps: () => ({ className: classes["plain"] }),
      cell: ({ about }) => <Prose text={about} names={names} />,
    },
    {
      key: "At one end",
      unit: measure.unit,
      align: "text",
      cell: (bar) =>
        end(bar.low, measure.at(bar)[0], bar.best_low, measure.priced(bar)[0]),
    },
    {
      key: "At the other end",
      unit: measure.unit,
      align: "text",
      cell: (bar) =>
        end(bar.high, measure.at(bar)[1], bar.best_high, measure.priced(bar)[1]),
    },
    {
      key: "Range",
      align: "text",
      cell: (bar) => <RangeBar values={ends(bar, measure)} now={now} most={most} />,
    },
    {
      key: "Another choice",
      align: "text",
      cell: (bar) => <Flip bar={bar} at={measure.atFlip(bar)} names={names} />,
    },
  ];
};

/** Whether another option is the best somewhere in a range, from where on, and what that takes there. */
function Flip(props: {
  readonly bar: Bar;
  readonly at: string;
  readonly names: ReadonlyMap<string, string>;
}) {
  const { changes, flip } = props.bar;
  if (flip === null) return changes ? "yes" : "no";
  return (
    <>
      yes
      <br />
      <span className={classes["end"]}>
        <Prose text={`if ${flip}`} names={props.names} />
        {props.at === "" ? "" : `: ${props.at}`}
      </span>
    </>
  );
}

/** The range between both ends, with the recommendation as a line; the cells beside it say the same. */
function RangeBar(props: {
  readonly values: readonly number[];
  readonly now: number | null;
  readonly most: number;
}) {
  const { values, now, most } = props;
  if (values.length < 2) {
    return <>{UNKNOWN}</>;
  }
  const at = (value: number) => `${(100 * value) / most}%`;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return (
    <span className={classes["range"]} aria-hidden="true">
      <span
        className={classes["rangeBar"]}
        style={{ left: at(low), width: at(high - low) }}
      />
      {now !== null && (
        <span className={classes["rangeNow"]} style={{ left: at(now) }} />
      )}
    </span>
  );
}
