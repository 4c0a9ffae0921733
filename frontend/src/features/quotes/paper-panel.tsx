import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type PaperForm,
  paperCheckQuery,
  paperFile,
  type QuoteRankingIn,
  type QuoteRankingOut,
  replaysQuery,
  type StatementsIn,
} from "@/api/quotes";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { SaveMenu } from "@/components/save-menu";
import { useReplay } from "@/components/use-replay";
import { counted } from "@/units/quantity";

const ASK_AFTER_MS = 400;

const FORMS: readonly {
  readonly form: PaperForm;
  readonly title: string;
  readonly ending: string;
}[] = [
  { form: "pdf", title: "PDF", ending: "pdf" },
  { form: "html", title: "HTML", ending: "html" },
  { form: "xlsx", title: "Spreadsheet", ending: "xlsx" },
  { form: "json", title: "JSON", ending: "json" },
  { form: "purchases", title: "Purchase list", ending: "csv" },
  { form: "focus", title: "FOCUS forecast", ending: "csv" },
  { form: "opencost", title: "OpenCost prices", ending: "csv" },
];

/** The paper that a committee signs: what it states, what would be sent back, and the file. */
export function PaperPanel(props: {
  readonly question: QuoteRankingIn;
  readonly found: QuoteRankingOut;
  /** Whether it answers the question; else the question is being asked again. */
  readonly isCurrent: boolean;
  /** Whether there is a recording to replay. */
  readonly canReplay: boolean;
  /** What was typed; it stays while the quotes are ranked again. */
  readonly stated: StatementsIn;
  readonly put: (change: StatementsIn) => void;
}) {
  const { question, found, stated, put } = props;
  const [statements] = useDebouncedValue(stated, ASK_AFTER_MS);
  const asked = JSON.stringify(question);
  const [replayed, setReplayed] = useState("");
  const isReplayed = replayed === asked;
  const replay = useReplay(replaysQuery(question), isReplayed);
  const paper = { ...question, statements };
  const check = useQuery({
    ...paperCheckQuery(paper, replay.checked !== undefined),
    placeholderData: keepPreviousData,
  });
  const sent = check.data?.sent_back ?? [];
  return (
    <Panel
      title="The paper for approval"
      subtitle="Need, options from doing nothing on, cost, switching values, quotes and lines to sign."
      label="The paper for approval"
      actions={
        <SaveMenu
          label="Save"
          failed="The file could not be written"
          isDisabled={!props.isCurrent}
          forms={FORMS.map(({ form, title, ending }) => ({
            title,
            fileName: `quotes-${form === ending ? "" : `${form}-`}${found.ranking_id}.${ending}`,
            write: () => paperFile({ ...question, statements: stated }, form),
          }))}
        />
      }
    >
      <Stack gap="sm">
        <TextInput
          label="Need"
          description="Why something is to be bought, in the words of the business."
          value={stated.need ?? ""}
          onChange={(event) => put({ need: event.currentTarget.value })}
        />
        <TextInput
          label="Source of growth and of the busiest hour"
          description="Who states them, and when."
          value={stated.uplift_source ?? ""}
          onChange={(event) => put({ uplift_source: event.currentTarget.value })}
        />
        <TextInput
          label="Source of what doing nothing costs"
          description="Its day first, such as 2026-09-30, invoices of September."
          value={stated.today_cost ?? ""}
          onChange={(event) => put({ today_cost: event.currentTarget.value })}
        />
        {(check.data?.without_validity ?? []).map((id) => (
          <TextInput
            key={id}
            label={`Validity of quote ${id}`}
            description="Its file does not state until when it holds. The last day first, such as 2026-12-31, mail of the supplier."
            value={String(stated.validity?.[id] ?? "")}
            onChange={(event) =>
              put({ validity: { ...stated.validity, [id]: event.currentTarget.value } })
            }
          />
        ))}
        {(check.data?.open_assumptions ?? []).map((code) => (
          <TextInput
            key={code}
            label={`Why ${code} holds`}
            description="An assumption that could change the choice."
            value={String(stated.holds?.[code] ?? "")}
            onChange={(event) =>
              put({ holds: { ...stated.holds, [code]: event.currentTarget.value } })
            }
          />
        ))}
        {props.canReplay && check.data?.status === "model" && (
          <Group gap="sm">
            <Button
              size="xs"
              variant="default"
              disabled={replay.isRunning}
              onClick={() => (isReplayed ? replay.again() : setReplayed(asked))}
            >
              Confirm by replay
            </Button>
            <Text size="sm" c="dimmed">
              Replays the recording for what was close.
            </Text>
          </Group>
        )}
        {replay.run !== undefined && replay.isRunning && (
          <RunProgress run={replay.run} />
        )}
        {replay.error !== null && (
          <ProblemAlert error={replay.error} title="The replay could not be made" />
        )}
        {check.error !== null && (
          <ProblemAlert error={check.error} title="The paper could not be checked" />
        )}
        <section aria-label="Check of the paper" aria-busy={check.isFetching}>
          <Text size="sm" fw={600} role="status">
            {checkText(check.data?.passes, sent.length)}
          </Text>
          <ul style={{ margin: 0, paddingLeft: 20 }}>
            {sent.map((each) => (
              <li key={each.code}>
                <Text size="sm">
                  {each.message} To do: {each.hint}.
                </Text>
              </li>
            ))}
          </ul>
        </section>
        {(check.data?.switching.length ?? 0) > 0 && (
          <section aria-label="Switching values">
            <Text size="sm" fw={600}>
              When another option wins
            </Text>
            <ul style={{ margin: 0, paddingLeft: 20 }}>
              {check.data?.switching.map((each) => (
                <li key={each.text}>
                  <Text size="sm">{each.text}</Text>
                </li>
              ))}
            </ul>
          </section>
        )}
      </Stack>
    </Panel>
  );
}

/** Whether a committee would send the paper back. */
export const checkText = (passes: boolean | undefined, count: number): string => {
  if (passes === undefined) {
    return "Checking the paper.";
  }
  return passes
    ? "The paper passes its check: a committee would not send it back for anything that is checked."
    : `A committee would send it back for ${counted(count, "thing", "things")}.`;
};
