import { Alert } from "@mantine/core";
import { memo } from "react";
import { type Names, Prose } from "./prose";

interface Note {
  readonly name: string;
  readonly message: string;
  readonly hint: string | null;
}

/** What the reader of a number must know, each with the next step. */
export const WarningNotes = memo(function WarningNotes({
  notes,
  names,
}: {
  readonly notes: readonly Note[];
  /** Names of the devices that messages mention by their ids. */
  readonly names?: Names;
}) {
  const known = names === undefined ? {} : { names };
  if (notes.length === 0) {
    return null;
  }
  return (
    <Alert
      color="orange"
      variant="outline"
      styles={{ title: { color: "var(--tw-warn)" } }}
      title="Notes on these numbers"
    >
      <ul style={{ margin: 0, paddingLeft: 20, fontSize: 14 }}>
        {notes.map((note) => (
          <li key={`${note.name} ${note.message}`}>
            <Prose text={note.message} {...known} />.
            {note.hint !== null && note.hint !== "" && (
              <>
                {" "}
                <Prose text={note.hint} {...known} />.
              </>
            )}
          </li>
        ))}
      </ul>
    </Alert>
  );
});
