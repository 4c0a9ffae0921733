import { Alert } from "@mantine/core";
import { memo } from "react";
import { counted } from "@/units/quantity";
import { type Names, Prose } from "./prose";

interface Note {
  readonly name: string;
  readonly message: string;
  readonly hint: string | null;
  /** Whether another choice might be right because of it; `null` or absent: not known. */
  readonly could_change_choice?: boolean | null;
}

/** What a device or price book leaves unsaid, and what is taken instead. */
const ASSUMPTIONS: ReadonlySet<string> = new Set([
  "cost_is_no_latency",
  "device_page_differs",
  "device_page_unknown",
  "price_from_device",
  "price_of_kind",
  "queue_depth_unknown",
  "queue_depths_differ",
]);
const OPEN = 3;

const harmless = (note: Note): number => Number(note.could_change_choice === false);

/**
 * What the reader of a number must know, each with the next step. What could change the choice
 * stands first and is never folded; beyond three the rest is, and assumptions are.
 */
export const WarningNotes = memo(function WarningNotes({
  notes,
  names,
}: {
  readonly notes: readonly Note[];
  /** Names of the devices that messages mention by their ids. */
  readonly names?: Names;
}) {
  const deciding = notes.filter((note) => note.could_change_choice === true);
  const others = notes.filter((note) => note.could_change_choice !== true);
  // What cannot change it stands last, behind what is not known to.
  const weighed = others
    .filter((note) => !ASSUMPTIONS.has(note.name))
    .toSorted((one, other) => harmless(one) - harmless(other));
  const room = Math.max(0, OPEN - deciding.length);
  const open = [...deciding, ...weighed.slice(0, room)];
  const more = weighed.slice(room);
  const assumed = others.filter((note) => ASSUMPTIONS.has(note.name));
  const known = names === undefined ? {} : { names };
  const folded = (
    <>
      <Folded title={counted(more.length, "more note")} notes={more} {...known} />
      <Folded
        title={counted(assumed.length, "assumption")}
        notes={assumed}
        {...known}
      />
    </>
  );
  if (notes.length === 0) {
    return null;
  }
  return open.length === 0 ? (
    <section className="tw-panel" aria-label="Notes on these numbers">
      {folded}
    </section>
  ) : (
    <Alert
      color="orange"
      variant="outline"
      styles={{ title: { color: "var(--tw-warn)" } }}
      title="Notes on these numbers"
    >
      <List notes={open} {...known} />
      {folded}
    </Alert>
  );
});

interface ListProps {
  readonly notes: readonly Note[];
  readonly names?: Names;
}

function Folded({ title, ...list }: ListProps & { readonly title: string }) {
  return list.notes.length === 0 ? null : (
    <details style={{ fontSize: 14 }}>
      {/* As tall as a finger needs: two of them stand one above the other. */}
      <summary style={{ minHeight: 28, lineHeight: "28px" }}>{title}</summary>
      <List {...list} />
    </details>
  );
}

function List({ notes, names }: ListProps) {
  const known = names === undefined ? {} : { names };
  return (
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
  );
}
