import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useRef } from "react";
import { type AdviceOut, type AdviceQuestion, adviceQuery } from "@/api/advice";
import { mayLackWrites, replaysOf, type SummaryOut } from "@/api/workloads";
import { DirtyShare } from "@/components/dirty-share";
import { ProblemAlert } from "@/components/problem-alert";
import type { Refused } from "@/questions/address";
import type { AdviceSearch } from "@/questions/advice";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import type { AnalysisSearch } from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import classes from "./advice.module.css";
import { AdviceView } from "./advice-view";
import { Asked } from "./asked";
import { mayBeCarried } from "./check-findings";
import { CheckPanel } from "./check-panel";
import { isNowhere, type Place, placeOfProblem, placeOfRefused } from "./form-fields";
import type { Looked } from "./pins";
import { adviceQuestion, membersOf } from "./question";
import { Sharing } from "./sharing-view";
import { type AdviceCheck, useCheck } from "./use-check";
import { useFault, useFold } from "./use-fold";
import { useUndo } from "./use-undo";

const LEAD =
  "What to buy or rent for a workload, how to run it, what else was close, and how sure the answer is.";
const ASK_AFTER_MS = 200;
const FORM_HEIGHT = 420;
const ANSWER_HEIGHTS = [230, 420, 380, 460] as const;

const HAVE: Place = { section: "have", field: null };

export function AdvicePage() {
  return (
    <AnalysisPage
      question="advice"
      title="Advise"
      lead={LEAD}
      isBriefOnPhones
      height={FORM_HEIGHT}
      empty="What to buy follows from a workload."
      view={(inputs) => <Advice {...inputs} />}
    />
  );
}

function Advice({ state, name, workload, summary }: AnalysisInputs) {
  const search = useSearch({ strict: false }) as AdviceSearch &
    AnalysisSearch &
    Refused;
  const undo = useUndo(search, usePatch<AdviceSearch & AnalysisSearch>());
  const patch = undo.change;
  const fold = useFold(placeOfRefused(search.refused));
  const given = mayLackWrites(summary);
  const members = membersOf(workload.id, search);
  const isShared = members.length > 1;
  const asksDirty = given && !isShared;
  // The address is a new object at each change of it; the question is the same for the same text.
  const text = JSON.stringify({
    workload: workload.id,
    body: adviceQuestion(state, search, given),
  });
  const [settled] = useDebouncedValue(text, ASK_AFTER_MS);
  const question = useMemo(() => JSON.parse(settled) as AdviceQuestion, [settled]);
  return (
    <>
      <Asked
        state={state}
        search={search}
        patch={patch}
        members={members}
        name={name}
        summary={summary}
        fold={fold}
        undo={undo}
        {...(asksDirty ? { dirty: { stated: search.dirty_share } } : {})}
      >
        {asksDirty ? (
          <DirtyShare
            stated={search.dirty_share}
            summary={summary}
            onChange={(dirty_share) => patch({ dirty_share })}
          />
        ) : undefined}
      </Asked>
      {isShared ? (
        <Sharing
          state={state}
          search={search}
          members={members}
          patch={patch}
          onAsked={fold.fold}
          onFault={fold.point}
        />
      ) : (
        <Answer
          question={question}
          isSettled={settled === text}
          named={search.checked}
          looked={search}
          summary={summary}
          patch={patch}
          onFault={fold.point}
          onState={() => fold.open(HAVE)}
        />
      )}
      <Text size="sm" c="dimmed">
        Suppliers have made offers?{" "}
        <Anchor component={Link} to="/quotes" size="sm" underline="always">
          Rank their quotes
        </Anchor>{" "}
        for this workload.
      </Text>
    </>
  );
}

interface Asking {
  /** The newest answer; while a changed question is answered, the last one. */
  readonly shown: AdviceOut | undefined;
  readonly error: unknown;
  /** The question that is asked now has no answer yet. */
  readonly isWaiting: boolean;
  /** Its quick answer is shown, and the full one is being computed. */
  readonly isRefining: boolean;
  readonly retry: () => void;
  readonly check: AdviceCheck;
}

interface CheckIn {
  /** Whether there is something to replay. */
  readonly canReplay: boolean;
  /** Advice that the address names as to be checked, and how it is named. */
  readonly named: string | undefined;
  readonly name: (adviceId: string | undefined) => void;
}

/** The quick answer first, then the full one in its place, then that of the replays. */
function useAdvice(
  question: AdviceQuestion,
  isSettled: boolean,
  { canReplay, named, name }: CheckIn,
): Asking {
  const quick = useQuery(
    adviceQuery({ ...question, body: { ...question.body, how_sure: false } }),
  );
  const model = quick.data;
  const isFound = model?.recommendation != null;
  const canCheck = isFound || (model !== undefined && mayBeCarried(model));
  const check = useCheck(
    question,
    canCheck && canReplay ? model.advice_id : null,
    named,
    name,
  );
  const full = useQuery({
    ...adviceQuery(question),
    // The answer of replays that are there is a full one. Where response times leave nothing, it says what limits would.
    enabled: hasMore(model) && !check.isLooking && check.checked === undefined,
  });
  const last = useRef<AdviceOut | undefined>(undefined);
  const fresh = check.checked ?? full.data ?? quick.data;
  last.current = fresh ?? last.current;
  const error = quick.error ?? full.error;
  return {
    shown: last.current,
    error,
    isWaiting: error === null && (fresh === undefined || !isSettled),
    isRefining:
      check.checked === undefined &&
      full.data === undefined &&
      (full.isFetching || check.isLooking),
    check,
    retry: () => void (quick.error === null ? full : quick).refetch(),
  };
}

function Answer(props: {
  readonly question: AdviceQuestion;
  readonly isSettled: boolean;
  readonly named: string | undefined;
  readonly looked: Looked;
  readonly summary: SummaryOut;
  readonly patch: (change: AdviceSearch & AnalysisSearch) => void;
  readonly onFault: (at: Place) => void;
  readonly onState: () => void;
}) {
  const { patch, summary } = props;
  const name = useCallback(
    (checked: string | undefined) => patch({ checked }),
    [patch],
  );
  const { shown, error, isWaiting, isRefining, retry, check } = useAdvice(
    props.question,
    props.isSettled,
    { canReplay: replaysOf(summary) !== null, named: props.named, name },
  );
  useFault(error, placeOfProblem, (at) => {
    // A server that does not answer is no fault of the form: the last answer stays where it is.
    if (shown === undefined || !isNowhere(at)) {
      props.onFault(at);
    }
  });
  return (
    <section aria-busy={isWaiting} aria-label="Answer">
      <Text
        size="sm"
        className={classes["status"] ?? ""}
        role="status"
        // What stands below answers another question than the one that is asked now.
        data-stale={shown !== undefined && isWaiting}
      >
        {error === null && statusOf(shown !== undefined, isWaiting, isRefining)}
      </Text>
      <Stack gap="lg">
        {error !== null && (
          <ProblemAlert
            error={error}
            title={
              shown === undefined
                ? "No advice could be given"
                : "No advice could be given for this; the last answer is below"
            }
            onRetry={retry}
          />
        )}
        {shown === undefined && error === null && <Waiting />}
        {shown !== undefined && (
          <AdviceView
            found={shown}
            isRefining={isRefining}
            patch={patch}
            looked={props.looked}
            onState={props.onState}
            isChecking={check.isRunning}
            check={(titles) => (
              <CheckPanel
                found={shown}
                check={check}
                summary={summary}
                titles={titles}
              />
            )}
          />
        )}
      </Stack>
    </section>
  );
}

const Waiting = () =>
  ANSWER_HEIGHTS.map((height) => (
    <Skeleton key={height} height={height} animate={false} />
  ));

/** Whether the full answer says more than the quick one. */
const hasMore = (quick: AdviceOut | undefined): boolean =>
  quick !== undefined &&
  (quick.recommendation !== null ||
    Object.keys(quick.constraints).some((name) => name.startsWith("response_")));

/** What goes on, in a line that is always there, so that nothing moves. */
export function statusOf(
  isShown: boolean,
  isWaiting: boolean,
  isRefining: boolean,
): string {
  if (isWaiting) {
    return isShown
      ? "Asking again; the last answer stays until then."
      : "Evaluating every option.";
  }
  return isRefining ? "Computing how sure it is." : "";
}
