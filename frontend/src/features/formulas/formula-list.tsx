import { Text, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { FormulaFamilyOut, FormulaOut } from "@/api/formulas";
import { ScrollRegion } from "@/components/scroll-region";
import classes from "./formulas.module.css";
import { found } from "./results";

interface FormulaListProps {
  readonly catalogue: {
    readonly families: readonly FormulaFamilyOut[];
    readonly formulas: readonly FormulaOut[];
  };
  readonly chosen: string | undefined;
}

/** All formulas by paper; typing leaves those in which every word occurs. */
export function FormulaList({ catalogue, chosen }: FormulaListProps) {
  const [text, setText] = useState("");
  const shown = found(catalogue.formulas, text);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    const entry = section.current?.querySelector<HTMLElement>(
      `a[data-name="${chosen}"]`,
    );
    const scrolled = entry?.closest<HTMLElement>(".tw-scroll");
    // Only the list moves: `scrollIntoView` would move the page as well.
    if (entry && scrolled) {
      const middle = entry.offsetTop - (scrolled.clientHeight - entry.offsetHeight) / 2;
      const { scrollTop, clientHeight } = scrolled;
      const visible =
        entry.offsetTop >= scrollTop &&
        entry.offsetTop + entry.offsetHeight <= scrollTop + clientHeight;
      scrolled.scrollTop = visible ? scrollTop : middle;
    }
  }, [chosen]);
  return (
    <section
      ref={section}
      className={`tw-panel ${classes["list"]}`}
      aria-label="All formulas"
    >
      <TextInput
        label="Find a formula"
        placeholder="Name, word or paper"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {shown.length === 0
          ? "No formula matches all these words. Try fewer."
          : `${shown.length} of ${catalogue.formulas.length}`}
      </Text>
      <ScrollRegion label="Formulas by paper" style={SCROLL}>
        {catalogue.families.map((family) => (
          <FamilyPart
            key={family.name}
            family={family}
            formulas={shown.filter((formula) => formula.family === family.name)}
            chosen={chosen}
          />
        ))}
      </ScrollRegion>
    </section>
  );
}

const SCROLL = {
  maxHeight: "var(--tw-formula-list, calc(100vh - 290px))",
  overflowY: "auto",
  marginTop: 8,
} as const;

function FamilyPart(props: {
  readonly family: FormulaFamilyOut;
  readonly formulas: readonly FormulaOut[];
  readonly chosen: string | undefined;
}) {
  const { family, formulas, chosen } = props;
  if (formulas.length === 0) {
    return null;
  }
  return (
    <>
      <h2 className={classes["family"]}>
        {family.title}
        <span className={classes["paper"]}>{family.paper}</span>
      </h2>
      <ul className={classes["entries"]}>
        {formulas.map(({ name, title }) => (
          <li key={name}>
            <Link
              to="/formulas"
              search={(now) => ({
                ...now,
                formula: name,
                inputs: undefined,
                refused: undefined,
              })}
              className={classes["entry"]}
              data-name={name}
              // The router's own mark compares the whole address, inputs included.
              activeProps={{}}
              aria-current={name === chosen ? "true" : undefined}
              resetScroll={false}
              preload={false}
            >
              {title}
              <span className={classes["name"]}>{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
