import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { answer } from "@/api/client";
import { createWorkloadFromCurve } from "@/api/gen/sdk.gen";
import {
  type CurvePreviewOut,
  type CurveStatement,
  curveKindsQuery,
  curvePreviewQuery,
} from "@/api/given";
import { FromCounters } from "@/components/counters-note";
import { CreateWorkload } from "@/components/create-workload";
import { EmptyState } from "@/components/empty-state";
import { EvidencePanel } from "@/components/evidence";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { useSessionDraft } from "@/components/use-session-draft";
import { CurveInput } from "./curve-input";
import { CurveFindings, CurvePreviewChart } from "./curve-preview";
import classes from "./given-curve.module.css";
import {
  type CurveDraft,
  EMPTY_DRAFT,
  type Faults,
  faultsOf,
  statementOf,
} from "./statement";
import { StatementForm } from "./statement-form";

const ASK_AFTER_MS = 250;
const DRAFT = "tierwright-given-curve";

export function GivenCurvePage() {
  const [draft, setDraft] = useSessionDraft<CurveDraft>(DRAFT, EMPTY_DRAFT);
  const kinds = useQuery(curveKindsQuery());
  const faults = faultsOf(draft);
  // As text: an object made anew by each rendering would never come to rest.
  const typed = JSON.stringify(statementOf(draft));
  const [settled] = useDebouncedValue(typed, ASK_AFTER_MS);
  const asked = useMemo(() => JSON.parse(settled) as CurveStatement, [settled]);
  const preview = useQuery({
    ...curvePreviewQuery(asked),
    enabled: asked.text.trim() !== "",
  });
  const found = asked.text.trim() === "" ? undefined : preview.data;
  const change = (part: Partial<CurveDraft>) => setDraft({ ...draft, ...part });
  return (
    <Page
      title="Paste a curve"
      lead="Where there is no trace: sizes and hit ratios from your own tools, Oracle’s cache advice, or the counters of a running system. What such a curve does not contain is listed, and nothing is guessed."
    >
      {kinds.error !== null && (
        <ProblemAlert
          error={kinds.error}
          title="The list of curve formats could not be loaded"
        />
      )}
      <div className={classes["columns"]}>
        {found?.evidence != null && <EvidenceFirst evidence={found.evidence} />}
        <div className={`${classes["column"]} ${classes["form"]}`}>
          <CurveInput draft={draft} kinds={kinds.data ?? []} onChange={change} />
          <StatementForm
            draft={draft}
            faults={faults}
            preview={found}
            onChange={change}
          />
        </div>
        <div className={`${classes["column"]} ${classes["rest"]}`} aria-live="polite">
          {preview.error !== null && (
            <ProblemAlert error={preview.error} title="The curve could not be read" />
          )}
          {found === undefined ? (
            <Panel>
              <EmptyState title="Nothing to show yet">
                Paste the lines of a curve, choose a file, or start from one of the
                examples. The preview follows as you type.
              </EmptyState>
            </Panel>
          ) : (
            <FromCounters evidence={found.evidence}>
              <CurvePreviewChart preview={found} />
              <CurveFindings preview={found} draft={draft} onChange={change} />
            </FromCounters>
          )}
          <Create
            draft={draft}
            faults={faults}
            preview={found}
            current={!preview.isPlaceholderData && settled === typed}
            onChange={change}
            onDone={() => setDraft(EMPTY_DRAFT)}
          />
        </div>
      </div>
    </Page>
  );
}

type Evidence = NonNullable<CurvePreviewOut["evidence"]>;

/** Where the form stands below the card; the same width as in the style sheet. */
const NARROW = "(max-width: 62em)";

/** Whether somebody is filling in a field, from which nothing may scroll away. */
const isTyping = (): boolean =>
  document.activeElement instanceof HTMLInputElement &&
  document.activeElement.type !== "file";

/** Class, range and gap before anything else: on a phone the form is long, so it stands above and comes into view. */
function EvidenceFirst({ evidence }: { readonly evidence: Evidence }) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (window.matchMedia(NARROW).matches && !isTyping()) {
      card.current?.scrollIntoView({ block: "nearest" });
    }
  }, []);
  return (
    <div ref={card} className={classes["evidence"]} aria-live="polite">
      <EvidencePanel evidence={evidence} />
    </div>
  );
}

function reasonOf(
  draft: CurveDraft,
  faults: Faults,
  preview: CurvePreviewOut | undefined,
): string | null {
  if (preview === undefined) {
    return "Paste a curve first.";
  }
  if (Object.keys(faults).length > 0) {
    return "Correct the fields marked on the left.";
  }
  if (preview.problems.length > 0) {
    return "Correct the problems above first.";
  }
  if (preview.questions.length > 0) {
    return "Answer the questions above first.";
  }
  return draft.name.trim() === "" ? "Give the workload a name." : null;
}

function Create(props: {
  readonly draft: CurveDraft;
  readonly faults: Faults;
  readonly preview: CurvePreviewOut | undefined;
  /** The preview belongs to what is typed. */
  readonly current: boolean;
  readonly onChange: (part: Partial<CurveDraft>) => void;
  readonly onDone: () => void;
}) {
  const { draft, faults, preview, current } = props;
  const reason = reasonOf(draft, faults, preview);
  return (
    <Panel title="Create a workload">
      <CreateWorkload
        label="Workload name"
        name={draft.name}
        onName={(name) => props.onChange({ name })}
        create={() =>
          answer(
            createWorkloadFromCurve({
              body: { ...statementOf(draft), name: draft.name.trim() },
              throwOnError: true,
            }),
          )
        }
        onDone={props.onDone}
        action="Use this curve"
        disabled={reason !== null || !current}
        failed="The curve was not added"
      >
        {reason !== null && (
          <Text size="sm" c="dimmed" mt="xs">
            {reason}
          </Text>
        )}
      </CreateWorkload>
    </Panel>
  );
}
