import { Anchor, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useRef } from "react";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import { schemesQuery } from "@/api/catalog";
import { useHardwareNames } from "@/api/use-names";
import { CautionNotes } from "@/components/caution-notes";
import { Panel } from "@/components/panel";
import { Prose } from "@/components/prose";
import type { AdviceSearch } from "@/questions/advice";
import { shownCurrency } from "@/units/currency";
import { cents, counted, formatShort, listed, UNKNOWN } from "@/units/quantity";
import classes from "./advice.module.css";
import { Alternatives } from "./alternatives";
import {
  figuresBasis,
  isAnythingReplayed,
  isByReplayAlone,
  isChoice,
  mayBeCarried,
  replayedTime,
} from "./check-findings";
import { EvidencePanel } from "./evidence";
import { Flat } from "./flat";
import { FrontChart } from "./front-chart";
import { HowSure } from "./how-sure";
import { Later } from "./later";
import { LimitCost } from "./limit-cost";
import { lacksMachine, machineWords } from "./option-figures";
import {
  BillOfMaterials,
  Expected,
  HitsByTier,
  OptionInFull,
  type Titles,
} from "./option-parts";
import type { Looked } from "./pins";
import { Infeasible, WhyNot } from "./rejected";
import { ReportMenu } from "./report-menu";
import { RulesOfThumb } from "./rules";
import { ScenarioRegret } from "./scenarios";
import {
  difference,
  figureOf,
  firstSentence,
  perMonth,
  runsCache,
  time,
} from "./words";

/** Titles of the page-flow schemes, by their names. */
export function useSchemeTitles(): Titles {
  const schemes = useQuery(schemesQuery()).data;
  return useMemo(
    () => new Map((schemes ?? []).map(({ name, title }) => [name, title])),
    [schemes],
  );
}

/** An answer in the order in which it is read: what to buy, its bill, what was close, why not, how sure. */
export function AdviceView(props: {
  readonly found: AdviceOut;
  /** What rests on the full answer is still being computed. */
  readonly isRefining: boolean;
  readonly patch: (change: AdviceSearch) => void;
  /** What the address selects and pins of the front. */
  readonly looked?: Looked;
  /** Opens the form where it takes what there is today. */
  readonly onState?: () => void;
  /** A check by replay goes on. */
  readonly isChecking?: boolean;
  /** The finalists by the model and by a replay. */
  readonly check?: (titles: Titles) => ReactNode;
}) {
  const { found, isRefining, patch } = props;
  const schemes = useSchemeTitles();
  const titles = useMemo(
    () =>
      new Map([
        ...schemes,
        ...found.flash_caches
          .filter(({ admission }) => admission === null)
          .map((row) => [row.name, row.title] as const),
      ]),
    [schemes, found.flash_caches],
  );
  const catalog = useHardwareNames();
  const names = useMemo(() => new Map([...catalog, ...titles]), [catalog, titles]);
  const best = found.recommendation;
  const check = useRef<HTMLDivElement>(null);
  const canCheck =
    props.check !== undefined &&
    (best !== null || found.checked.length > 0 || mayBeCarried(found));
  return (
    <Stack gap="lg">
      <Headline
        found={found}
        isRefining={isRefining}
        patch={patch}
        names={names}
        onState={props.onState}
        isChecking={props.isChecking ?? false}
        onCheck={canCheck ? () => lookAt(check.current) : undefined}
      />
      <CautionNotes of="this advice" cautions={found.cautions} names={names} />
      {best === null ? (
        found.option_zero !== null && (
          <Panel
            title="What you have today"
            subtitle={found.option_zero.name}
            label="What you have today"
          >
            <OptionInFull found={found} option={found.option_zero} titles={titles} />
          </Panel>
        )
      ) : (
        <>
          <Buy found={found} best={best} titles={titles} />
          <EvidencePanel found={found} option={best} />
          <Alternatives
            key={found.advice_id}
            found={found}
            best={best}
            titles={titles}
          />
          <FrontChart
            found={found}
            best={best}
            titles={titles}
            looked={props.looked ?? {}}
            patch={patch}
          />
        </>
      )}
      {found.evaluated > 0 && <LimitCost found={found} titles={titles} patch={patch} />}
      {best !== null && <Flat found={found} />}
      <WhyNot found={found} titles={titles} />
      {best !== null && (
        <>
          <HowSure found={found} isPending={isRefining} names={names} />
          <ScenarioRegret found={found} />
        </>
      )}
      {props.check !== undefined && (
        <div ref={check} tabIndex={-1}>
          {props.check(titles)}
        </div>
      )}
      {best !== null && (
        <>
          <Later found={found} titles={titles} />
          <RulesOfThumb found={found} />
        </>
      )}
    </Stack>
  );
}

interface HeadlineProps {
  readonly found: AdviceOut;
  /** The full answer is still being computed. */
  readonly isRefining: boolean;
  readonly patch: (change: AdviceSearch) => void;
  readonly names: ReadonlyMap<string, string>;
  /** Opens the form where it takes what there is today. */
  readonly onState: (() => void) | undefined;
  /** A check by replay goes on. */
  readonly isChecking: boolean;
  /** Goes to the check by replay, which stands behind what it checks. */
  readonly onCheck: (() => void) | undefined;
}

/** Brings a part of the page into view, and the keyboard with it. */
function lookAt(part: HTMLElement | null): void {
  part?.scrollIntoView({ block: "start" });
  part?.focus({ preventScroll: true });
}

/** What to buy at what price, the figures that a decision rests on, and the reasons; or why there is none. */
function Headline(props: HeadlineProps) {
  const { found, isRefining, patch, names, onState, onCheck } = props;
  const best = found.recommendation;
  return (
    <section
      className={`tw-panel ${classes["recommendation"]}`}
      aria-label="Recommendation"
    >
      <div className={classes["headline"]}>
        <Title order={2} size="h3" className={classes["finding"] ?? ""}>
          <Prose text={found.decision || found.finding} names={names} />.
        </Title>
        <ReportMenu found={found} />
      </div>
      {best === null ? (
        <Infeasible found={found} patch={patch} />
      ) : (
        <>
          <KeyFigures found={found} best={best} onState={onState} />
          <dl className={classes["reasons"]}>
            {reasonsOf(found, isRefining).map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Prose text={text} names={names} />.
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        {basisOf(found, props.isChecking)}{" "}
        {onCheck !== undefined && (
          <>
            <Anchor component="button" type="button" size="sm" onClick={onCheck}>
              Go to the check
            </Anchor>
            {". "}
          </>
        )}
        {counted(found.evaluated, "option was", "options were")} evaluated
        {found.pruned > 0 && (
          <>, {counted(found.pruned, "more was", "more were")} left out by bounds</>
        )}
        . Advice <code>{found.advice_id}</code>: the same inputs give the same answer.
      </Text>
    </section>
  );
}

/** What the answer rests on; a check in which the recommendation could not be replayed is none of it. */
export function basisOf(
  found: Pick<
    AdviceOut,
    "status" | "checked" | "flash_caches" | "recommendation" | "near_misses_replayed"
  >,
  isChecking = false,
): string {
  if (found.status !== "checked") {
    return isChecking
      ? "By the model so far: a check by replay goes on."
      : "By the model, not replayed.";
  }
  if (!isAnythingReplayed(found)) {
    return "By the model: no option could be replayed.";
  }
  const isLeftOut =
    found.checked.some((row) => isChoice(found, row)) && replayedTime(found) === null;
  return !isLeftOut
    ? `Checked: ${replayedText(found)}.`
    : "By the model: the recommendation could not be replayed, other options were.";
}

/** How many options and flash caches were replayed, and how many options that no table lists: those that the model rules out. */
function replayedText(
  found: Pick<
    AdviceOut,
    "checked" | "flash_caches" | "recommendation" | "near_misses_replayed"
  >,
): string {
  // A flash cache that runs the recommendation is one of the flash caches.
  const options = found.checked.filter(
    (row) => row.simulated !== null && !(runsCache(found) && isChoice(found, row)),
  ).length;
  const caches = found.flash_caches.filter(
    ({ io_time_us_per_access: time_us }) => time_us !== null,
  ).length;
  const said = [
    ...(options > 0 ? [counted(options, "option")] : []),
    ...(caches > 0 ? [counted(caches, "flash cache")] : []),
  ];
  const near = found.near_misses_replayed;
  const were = (many: number) => (many === 1 ? "was" : "were");
  const where = "replayed in the reference simulator";
  if (said.length === 0) {
    return `${counted(near, "option")} that the model rules out ${were(near)} ${where}`;
  }
  const more = counted(
    near,
    options > 0 ? "more option" : "option",
    options > 0 ? "more options" : "options",
  );
  const also =
    near > 0 ? `, and so ${were(near)} ${more} that the model rules out` : "";
  return `${listed(said)} ${were(options + caches)} ${where}${also}`;
}

/** Why, how sure and for how long: in the order in which a committee asks; what is unknown, or said in full in the notes below, is left out. */
export const reasonsOf = (
  { because, reservations, verdict, confidence, when }: AdviceOut,
  isRefining: boolean,
): readonly (readonly [name: string, text: string])[] =>
  (
    [
      ["Why", [without(because, reservations), verdict.text].filter(Boolean).join(" ")],
      // Where there is no probability its reason stands in its place, and says what to record.
      ["How sure", confidence.text || (isRefining ? "" : confidence.reason)],
      ["For how long", when === null ? "" : firstSentence(when.text)[0]],
    ] as const
  ).filter(([, text]) => text !== "");

/** A text without sentences of it. */
const without = (text: string, sentences: readonly string[]): string =>
  sentences
    .reduce((rest, each) => rest.replace(each, ""), text)
    .replaceAll(/ {2,}/g, " ")
    .trim();

/** Why nothing is said against today, or what to state for it. */
function withoutSaving(found: AdviceOut, best: AdviceOptionOut): string {
  if (found.option_zero === null) return "state what you have now in the form";
  if (lacksMachine(best) && found.option_zero.usd_per_month !== null) {
    const [machines, are] = machineWords(best);
    return `today costs ${cents(found.option_zero.usd_per_month)}; the ${machines} of what to buy ${are} not counted`;
  }
  return best.on_existing
    ? "the existing machines stay, and so do their costs"
    : "state what it costs per month in the form";
}

/** What the other of model and replay says of the I/O time of the recommendation. */
function besideReplay(found: AdviceOut, replayed: number): string {
  if (runsCache(found)) {
    return "by the replay; flash caches have no formula";
  }
  const model = found.checked.find((row) => isChoice(found, row))?.model ?? null;
  return isByReplayAlone(found) && model !== null
    ? `by the replay; ${time(model)} by the model`
    : `by the model; ${time(replayed)} by the replay`;
}

/** What the busiest hour has beside the mean rate. */
function hoursOf({
  accesses_per_s: mean,
  peak_accesses_per_s: peak,
}: AdviceOut): string {
  if (peak === null) {
    return "page accesses; the workload states no rate";
  }
  return peak === mean
    ? "page accesses, in the busiest hour too"
    : `page accesses; ${formatShort(peak)} /s in the busiest hour`;
}

function KeyFigures(props: {
  readonly found: AdviceOut;
  readonly best: AdviceOptionOut;
  readonly onState: (() => void) | undefined;
}) {
  const { found, best, onState } = props;
  const [machines, are] = machineWords(best);
  const saving = found.saving_usd_per_month;
  const replayed = replayedTime(found);
  return (
    <dl className="tw-figures" style={{ marginTop: 16 }}>
      <div>
        <dt>Cost</dt>
        <dd>
          {cents(best.usd_per_month)} {shownCurrency()}
          <small>
            per month
            {Number(best.purchase_usd) > 0 &&
              `, the purchase spread over ${counted(found.horizon_months, "month")}`}
            {lacksMachine(best) && `; the ${machines} they need ${are} not counted`}
          </small>
        </dd>
      </div>
      <div>
        <dt>Paid at purchase</dt>
        <dd>
          {Number(best.purchase_usd) === 0
            ? "nothing"
            : `${cents(best.purchase_usd)} ${shownCurrency()}`}
        </dd>
      </div>
      <div>
        <dt>Against today</dt>
        <dd>
          {saving === null ? UNKNOWN : difference(-Number(saving))}
          <small>
            {saving !== null ? (
              perMonth()
            ) : found.option_zero === null && onState !== undefined ? (
              <Anchor
                component="button"
                type="button"
                size="sm"
                ta="left"
                onClick={onState}
              >
                State what you have now
              </Anchor>
            ) : (
              withoutSaving(found, best)
            )}
          </small>
        </dd>
      </div>
      <div>
        <dt>I/O time per access</dt>
        <dd>
          {figureOf(best, "io_time_us_per_access", time) ?? UNKNOWN}
          {replayed !== null && <small>{besideReplay(found, replayed)}</small>}
        </dd>
      </div>
      <div>
        <dt>Load</dt>
        <dd>
          {found.accesses_per_s === null
            ? UNKNOWN
            : `${formatShort(found.accesses_per_s)} /s`}
          <small>{hoursOf(found)}</small>
        </dd>
      </div>
    </dl>
  );
}

function Buy(props: {
  readonly found: AdviceOut;
  readonly best: AdviceOptionOut;
  readonly titles: Titles;
}) {
  const { found, best, titles } = props;
  return (
    <div className={classes["columns"]}>
      <Panel title="Bill of materials" subtitle={best.name} label="Bill of materials">
        <BillOfMaterials
          option={best}
          months={found.horizon_months}
          label="Bill of the recommendation"
        />
      </Panel>
      <Panel
        title="Expected figures"
        subtitle={figuresBasis(found)}
        label="Expected figures"
      >
        <Stack gap="md">
          <HitsByTier option={best} intervals={found.confidence.intervals} />
          <Expected found={found} option={best} titles={titles} />
        </Stack>
      </Panel>
    </div>
  );
}
