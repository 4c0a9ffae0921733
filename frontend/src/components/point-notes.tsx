import { Text } from "@mantine/core";
import { type EvaluationOut, namesIn } from "@/api/compare";
import { counted } from "@/units/quantity";
import classes from "./point-notes.module.css";
import { Prose } from "./prose";

type Note = EvaluationOut["warnings"][number];

/** What the reader must know about these numbers; what cannot change the choice is folded. */
export function PointNotes({ evaluation }: { readonly evaluation: EvaluationOut }) {
  // The close call stands under the chart.
  const notes = evaluation.warnings.filter(
    (note) => note.name !== "lead_within_model_error",
  );
  const names = namesIn(evaluation);
  const folded = notes.filter((note) => note.could_change_choice === false);
  const open = notes.filter((note) => note.could_change_choice !== false);
  if (notes.length === 0) {
    return null;
  }
  return (
    <section className="tw-panel" aria-label="Notes on these numbers">
      {open.length > 0 && (
        <>
          <Text fw={600} className={classes["title"]}>
            {open.length === 1
              ? "⚠ A note on these numbers"
              : `⚠ ${counted(open.length, "note")} on these numbers`}
          </Text>
          <Notes notes={open} names={names} />
        </>
      )}
      {folded.length > 0 && (
        <details>
          <summary>
            {folded.length === 1
              ? "A note that does not change the choice"
              : `${counted(folded.length, "note")} that do not change the choice`}
          </summary>
          <Notes notes={folded} names={names} />
        </details>
      )}
    </section>
  );
}

function Notes(props: {
  readonly notes: readonly Note[];
  readonly names: ReadonlyMap<string, string>;
}) {
  return (
    <ul className={classes["notes"]}>
      {props.notes.map((note) => (
        <li key={`${note.name} ${note.message}`}>
          <Prose text={note.message} names={props.names} />.
          {note.effect !== undefined && note.effect !== "" && (
            <>
              {" "}
              <Prose text={sentence(note.effect)} names={props.names} />.
            </>
          )}
          {note.hint && (
            <Text component="span" size="sm" c="dimmed">
              {" "}
              <Prose text={note.hint} names={props.names} />.
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
