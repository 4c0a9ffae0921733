import { Text } from "@mantine/core";
import { memo } from "react";
import type { CautionOut } from "@/api/gen";
import { FOLDED_CAUTIONS } from "@/api/gen/bounds.gen";
import { counted } from "@/units/quantity";
import classes from "./caution-notes.module.css";
import { type Names, Prose } from "./prose";

/** Cautions that stand above an answer. */
const MOST_SHOWN = 3;

interface Cautions {
  /** What they are of, such as *the life of the flash*; unlike that of others on the page. */
  readonly of: string;
  /** In the order of the server: the most important first. */
  readonly cautions: readonly CautionOut[];
  /** Names of the devices and schemes that texts mention by their ids. */
  readonly names?: Names;
}

/**
 * What is not known about an answer, above it: at most three cautions that could change the
 * choice, or whose effect is unknown, each with its effect; the others are folded, and those of
 * what is no candidate where something else was chosen.
 */
export const CautionNotes = memo(function CautionNotes({
  of,
  cautions,
  ...named
}: Cautions) {
  const first = cautions.filter(standsFirst).slice(0, MOST_SHOWN);
  const rest = cautions.filter((each) => !first.includes(each));
  return cautions.length === 0 ? null : (
    <section className="tw-panel" aria-label={`Notes on ${of}`}>
      {first.length > 0 && (
        <>
          <Text fw={600} className={classes["title"]}>
            {titleOfFirst(first)}
          </Text>
          <Notes cautions={first} {...named} />
        </>
      )}
      {rest.length > 0 && (
        <details className={classes["rest"]}>
          <summary>{titleOfRest(rest)}</summary>
          <Notes cautions={rest} {...named} />
        </details>
      )}
    </section>
  );
});

const NEVER_FOLDED: ReadonlySet<string> = new Set(FOLDED_CAUTIONS.never);

/** As the models choose those of a report and of the terminal. */
const standsFirst = ({ code, could_change_choice: could, effect }: CautionOut) =>
  NEVER_FOLDED.has(code) ||
  (could !== false && !effect.endsWith(FOLDED_CAUTIONS.effectEnds));

/** Says whether any of the cautions that stand above could change the choice. */
function titleOfFirst(first: readonly CautionOut[]): string {
  const notes = first.length === 1 ? "A note" : counted(first.length, "note");
  return first.every((each) => each.could_change_choice === true)
    ? `⚠ ${notes} that could change the choice`
    : `⚠ ${notes} on these numbers`;
}

/** Effect of a caution of a question that chooses nothing, as the models word it. */
const NO_CHOICE = "changes no choice: this question chooses nothing";

/** Says how many cautions are folded, and what they could change. */
function titleOfRest(rest: readonly CautionOut[]): string {
  const more = rest.filter((each) => each.could_change_choice === true).length;
  const unknown = rest.filter(
    (each) => each.could_change_choice === null && each.effect !== NO_CHOICE,
  ).length;
  const single = rest.length === 1;
  const title = `${single ? "Assumption" : "Assumptions"} (${rest.length})`;
  if (more === 0 && unknown === 0) {
    return single
      ? `${title}, which does not change the choice`
      : `${title}, none changes the choice`;
  }
  return [
    title,
    ...(more === 0 ? [] : [`${more} could change the choice too`]),
    ...(unknown === 0 ? [] : [`the effect of ${unknown} is unknown`]),
  ].join("; ");
}

function Notes({ cautions, ...named }: Omit<Cautions, "of">) {
  return (
    <ul className={classes["notes"]}>
      {cautions.map((each) => (
        <li key={`${each.code} ${each.message}`}>
          <Prose text={each.message} {...named} />.{" "}
          {each.effect !== "" && (
            <Text component="span" size="sm" fw={500}>
              <Prose text={each.effect} {...named} />.{" "}
            </Text>
          )}
          {each.hint !== null && each.hint !== "" && (
            <Text component="span" size="sm" c="dimmed">
              <Prose text={each.hint} {...named} />.
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
