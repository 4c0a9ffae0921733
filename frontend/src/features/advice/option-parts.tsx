import { Anchor, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { AdviceOptionOut, AdviceOut, FigureIntervalOut } from "@/api/advice";
import { useChartColors } from "@/charts/chart";
import { costTermColor, schemeMark } from "@/charts/palette";
import { SchemeMark } from "@/charts/scheme-mark";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Unknown } from "@/components/unknown";
import { BILL, billSearch } from "@/questions/bill";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  counted,
  formatBytes,
  formatPercent,
  formatShort,
  ratio,
  UNKNOWN,
} from "@/units/quantity";
import classes from "./advice.module.css";
import { replayedFigures } from "./check-findings";
import { CountSplits } from "./count-splits";
import { EvidenceList } from "./evidence";
import {
  asLoadGrows,
  costOf,
  figureOf,
  headroom,
  isRentedOption,
  NO_FLASH,
  noLife,
  noMonths,
  noPower,
  noResponse,
  noRestart,
  perSecond,
  runsCache,
  time,
} from "./words";

export type Titles = ReadonlyMap<string, string>;
type Line = AdviceOptionOut["bill"][number];

/** The page flow of an option with its mark; without a flash cache there is none to choose. */
export const Scheme = (props: {
  readonly name: string;
  readonly titles: Titles;
  /** What tells the categories apart that decide which pages enter flash, where not all do that the scheme sends there. */
  readonly admissionBy?: string | null;
}) =>
  props.name === NO_FLASH ? (
    <>no flash cache</>
  ) : (
    <>
      <span style={{ whiteSpace: "nowrap" }}>
        <SchemeMark scheme={props.name} /> {props.titles.get(props.name) ?? props.name}
      </span>
      {props.admissionBy != null && ` with admission by ${props.admissionBy}`}
    </>
  );

/** How an option is run. */
export const schemeOf = ({ scheme, admission_by }: AdviceOptionOut) => ({
  name: scheme,
  admissionBy: admission_by,
});

const PRICED =
  /^[A-Z]{3}\/\(?(GiB|TiB|GB|TB|IOPS|kWh|Mi?B\/s)\)?(?:\/(?:month|hour))?$/;

/** A quantity with what its price is for, such as `4 GiB`; pieces are counted alone. */
export function withPricedUnit(quantity: string, unit: string): string {
  const found = PRICED.exec(unit)?.[1];
  return found === undefined ? quantity : `${quantity} ${found}`;
}

const billColumns = (): readonly Column<Line>[] => [
  {
    key: "What",
    rowHeader: true,
    cell: ({ what, date, source }) => (
      <>
        {what}
        {date !== null && (
          <span className={classes["priceOf"]} title={source}>
            price of {date}
          </span>
        )}
      </>
    ),
  },
  {
    key: "Quantity",
    cell: ({ quantity, unit }) => withPricedUnit(formatShort(quantity, 7), unit),
  },
  {
    key: "Unit price",
    cell: ({ unit_price: price, unit }) =>
      price === null ? UNKNOWN : `${formatShort(Number(price), 6)} ${unit}`,
  },
  {
    key: "Per month",
    unit: shownCurrency(),
    cell: ({ usd_per_month: cost }) => cents(cost),
  },
  {
    key: "At purchase",
    unit: shownCurrency(),
    cell: ({ purchase_usd: cost }) => cents(cost),
  },
];

/** Whether the page of hardware has fields for the lines of a bill: servers, volumes and parts. */
const canOpen = ({ config }: AdviceOptionOut): boolean =>
  "server" in config || "part" in config;

/** Kind of the one row of what states its cost as an amount. */
const STATED = "stated";

/** What is paid for, line by line, with its total. */
export function BillOfMaterials(props: {
  readonly option: AdviceOptionOut;
  readonly months: number;
  /** Names the table. */
  readonly label: string;
}) {
  const { option, months, label } = props;
  if (option.bill.length === 0 || option.bill[0]?.kind === STATED) {
    return (
      <Text size="sm">
        {option.usd_per_month === null
          ? "Its cost was not stated, so it has no bill."
          : `Its cost was stated: ${cents(option.usd_per_month)} ${shownCurrency()} per month.`}
      </Text>
    );
  }
  return (
    <>
      <DataTable
        stacks
        label={label}
        columns={billColumns()}
        rows={option.bill}
        rowKey={(_, at) => at}
        footer={
          <b>
            Total: {cents(option.usd_per_month)} {shownCurrency()} per month,{" "}
            {Number(option.purchase_usd) === 0
              ? "nothing"
              : `${cents(option.purchase_usd)} ${shownCurrency()}`}{" "}
            at purchase
          </b>
        }
        caption={
          Number(option.purchase_usd) > 0
            ? `Costs per month include purchases spread over ${counted(months, "month")}.`
            : undefined
        }
      />
      {canOpen(option) && (
        <Anchor
          component={Link}
          to="/hardware"
          hash={BILL}
          search={
            ((previous: object) => ({ ...previous, ...billSearch(option) })) as never
          }
          size="sm"
        >
          Open this bill to change its lines
        </Anchor>
      )}
    </>
  );
}

const isRecommended = (found: AdviceOut, option: AdviceOptionOut) =>
  found.recommendation === option;

/** Between which values a figure lies in the draws. */
export const betweenText = (
  { low, high }: Pick<FigureIntervalOut, "low" | "high">,
  format: (of: number) => string,
): string =>
  format(low) === format(high)
    ? "the same in 90 % of the draws"
    : `${format(low)} to ${format(high)} in 90 % of the draws`;

/** Where the accesses of an option are served, as one bar. */
export function HitsByTier(props: {
  readonly option: AdviceOptionOut;
  readonly intervals?: readonly FigureIntervalOut[];
}) {
  const { option, intervals = [] } = props;
  const colors = useChartColors();
  const parts = [
    {
      name: "RAM",
      figure: "ram_hit_share",
      share: option.ram_hit_share,
      color: tierColor("ram", colors),
    },
    {
      name: "flash cache",
      figure: "flash_hit_share",
      share: option.flash_hit_share,
      color: tierColor("flash", colors),
    },
    {
      name: option.flash_bytes > 0 ? "volume or disk" : "what holds the data",
      figure: "disk_share",
      share: option.disk_share,
      color: tierColor("disk", colors),
    },
  ].filter(({ share }) => share > 0);
  return (
    <figure className={classes["hits"]}>
      <figcaption>Accesses by where the page is found</figcaption>
      <span className={classes["hitsBar"]} aria-hidden="true">
        {parts.map(({ name, share, color }) => (
          <span key={name} style={{ flexGrow: share, background: color }} />
        ))}
      </span>
      <ul className={classes["legend"]}>
        {parts.map(({ name, figure, share, color }) => (
          <li key={name}>
            <span className={classes["swatch"]} style={{ background: color }} />
            {name} {formatPercent(ratio(share))}
            {intervals
              .filter((each) => each.figure === figure)
              .map((each) => (
                <small key={figure} className={classes["between"]}>
                  {betweenText(each, (one) => formatPercent(ratio(one)))}
                </small>
              ))}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Colours that the page has for the work of each tier. */
const tierColor = (tier: "ram" | "flash" | "disk", colors: "light" | "dark") =>
  tier === "ram"
    ? schemeMark("inclusive", colors).color
    : costTermColor(tier === "flash" ? "flash_reads" : "disk_reads", colors);

/** Figures of an option, each with the reason where it is unknown. */
export function Expected(props: {
  readonly found: AdviceOut;
  readonly option: AdviceOptionOut;
  readonly titles: Titles;
}) {
  const { found, option } = props;
  const intervals = isRecommended(found, option) ? found.confidence.intervals : [];
  const response = noResponse(option);
  const isRented = isRentedOption(option);
  const most = headroom(found, option);
  const known = (
    figure: keyof AdviceOptionOut,
    reason: string,
    format: (of: number) => string,
  ) => figureOf(option, figure, format) ?? <Unknown reason={reason} />;
  const replayed = replayedFigures(found, option);
  const between = (figure: string, format: (of: number) => string) => [
    ...(replayed.has(figure) ? [<small key="replay">by its replay</small>] : []),
    ...intervals
      .filter((each) => each.figure === figure)
      .map((each) => <small key={figure}>{betweenText(each, format)}</small>),
  ];
  const responseAt = (figure: keyof AdviceOptionOut) =>
    known(figure, response ?? "A device cannot keep up.", time);
  const atMeanRate = (figure: keyof AdviceOptionOut) => {
    const mean = figureOf(option, figure, time);
    // Where every hour is as busy the figure is the same one.
    const isFlat = found.peak_accesses_per_s === found.accesses_per_s;
    return (
      <small>
        in the busiest hour
        {mean !== null && !isFlat && `; ${mean} at the mean rate`}
      </small>
    );
  };
  const warm = (seconds: number) => (seconds === 0 ? "at once" : time(seconds * 1e6));
  const wholeMonths = (months: number) => counted(Math.floor(months), "month");
  return (
    <>
      <dl className="tw-figures">
        <div>
          <dt>I/O time per access</dt>
          <dd>
            {known("io_time_us_per_access", "A rate of a device is unknown.", time)}
            <small>busy time of one device of each tier</small>
            {between("io_time_us_per_access", time)}
          </dd>
        </div>
        <div>
          <dt>Response time, mean</dt>
          <dd>
            {responseAt("response_mean_us")}
            {atMeanRate("response_mean_mean_us")}
            {between("response_mean_us", time)}
          </dd>
        </div>
        <div>
          <dt>Response time, median</dt>
          <dd>
            {responseAt("response_p50_us")}
            {atMeanRate("response_p50_mean_us")}
            {between("response_p50_us", time)}
          </dd>
        </div>
        <div>
          <dt>Response time, 99th percentile</dt>
          <dd>
            {responseAt("response_p99_us")}
            {atMeanRate("response_p99_mean_us")}
            {between("response_p99_us", time)}
          </dd>
        </div>
        <div>
          <dt>Busy in the busiest hour</dt>
          <dd>
            {known(
              "peak_busy",
              "The workload states no rate, or a rate of a device is unknown.",
              (share) => formatPercent(ratio(share)),
            )}
            <small>the busiest device</small>
            {between("peak_busy", (share) => formatPercent(ratio(share)))}
          </dd>
        </div>
        <div>
          <dt>Throughput</dt>
          <dd>
            {known(
              "throughput_accesses_per_s",
              "The workload states no rate, or a rate of a device is unknown.",
              perSecond,
            )}
            <small>
              page accesses at which the busiest device is as busy as allowed
            </small>
            {most !== null && <small>{most}</small>}
            {between("throughput_accesses_per_s", perSecond)}
          </dd>
        </div>
        {!isRented && (
          <div>
            <dt>Life of the flash</dt>
            <dd>
              {known("flash_life_years", noLife(option), (years) =>
                counted(formatShort(years), "year"),
              )}
              <small>of drives that are bought{asLoadGrows(found, option)}</small>
              {between("flash_life_years", (years) =>
                counted(formatShort(years), "year"),
              )}
            </dd>
          </div>
        )}
        <div>
          <dt>Warm after a restart</dt>
          <dd>
            {known("restart_s", noRestart(found), warm)}
            <small>until RAM serves 95 % of its hits, at least</small>
            {between("restart_s", warm)}
          </dd>
        </div>
        <div>
          <dt>Large enough for</dt>
          <dd>
            {known("months_until_too_small", noMonths(found), wholeMonths)}
            <small>if the load grows as the data do</small>
            {between("months_until_too_small", wholeMonths)}
          </dd>
        </div>
        {!isRented && (
          <>
            <div>
              <dt>Power</dt>
              <dd>
                {known(
                  "power_watts",
                  noPower(option),
                  (watts) => `${formatShort(watts)} W`,
                )}
                <small>of what is bought, under load</small>
              </dd>
            </div>
            <div>
              <dt>Rack space</dt>
              <dd>
                {known(
                  "rack_units",
                  noPower(option),
                  (units) => `${formatShort(units)} U`,
                )}
                <small>of what is bought</small>
              </dd>
            </div>
          </>
        )}
        <div>
          <dt>RAM</dt>
          <dd>
            {formatBytes(bytes(option.ram_bytes))}
            <small>{counted(option.machines, "machine")}</small>
          </dd>
        </div>
        <div>
          <dt>RAM for clean pages</dt>
          <dd>
            {known("clean_share", `Not split: ${option.clean_share_reason}.`, (share) =>
              formatPercent(ratio(share)),
            )}
            {option.clean_share !== null && option.clean_share_gain !== null && (
              <small>
                the split saves {formatPercent(ratio(option.clean_share_gain))} of the
                I/O time of LRU on the recording
              </small>
            )}
            {option.clean_share_uncounted_pages !== null && (
              <CountSplits
                workload={found.workload_id}
                pages={option.clean_share_uncounted_pages}
              />
            )}
          </dd>
        </div>
        <div>
          <dt>Flash cache</dt>
          <dd>
            {option.flash_bytes === 0 ? "none" : formatBytes(bytes(option.flash_bytes))}
            <small>
              {option.flash_bytes === 0 ? (
                "pages go between RAM and the data"
              ) : (
                <>
                  {runsCache(found) && option.scheme === found.recommendation?.scheme
                    ? "run by "
                    : "page flow "}
                  <Scheme {...schemeOf(option)} titles={props.titles} />
                </>
              )}
            </small>
          </dd>
        </div>
      </dl>
      {isRented && (
        <Text size="sm" c="dimmed">
          It is rented: the life of its flash, power and rack space are the provider's.
        </Text>
      )}
    </>
  );
}

/** The bill of an option, where its pages are found, and its figures. */
export function OptionInFull(props: {
  readonly found: AdviceOut;
  readonly option: AdviceOptionOut;
  readonly titles: Titles;
}) {
  const { found, option, titles } = props;
  return (
    <div className={classes["opened"]}>
      <BillOfMaterials
        option={option}
        months={found.horizon_months}
        label={`Bill of ${option.name}`}
      />
      <HitsByTier option={option} />
      <Expected found={found} option={option} titles={titles} />
      <EvidenceList found={found} option={option} />
    </div>
  );
}

/** Columns of an option for exports, every digit kept. */
export const exported = (): readonly Column<AdviceOptionOut, string>[] => [
  valueColumn("option", ({ name }) => name),
  valueColumn("page flow", ({ scheme }) => scheme),
  valueColumn(`per month [${shownCurrency()}]`, costOf, cents),
  valueColumn("I/O time [µs per access]", (one) => one.io_time_us_per_access),
  valueColumn(
    "I/O time by replay [µs per access]",
    (one) => one.replayed_io_time_us_per_access,
  ),
  valueColumn("mean response, busiest hour [µs]", (one) => one.response_mean_us),
  valueColumn("response p99, busiest hour [µs]", (one) => one.response_p99_us),
  valueColumn("busy, busiest hour [1]", (one) => one.peak_busy),
  valueColumn(
    "RAM [bytes]",
    (one) => one.ram_bytes,
    (size) => formatBytes(bytes(size)),
  ),
  valueColumn(
    "flash cache [bytes]",
    (one) => one.flash_bytes,
    (size) => formatBytes(bytes(size)),
  ),
];
