import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { FormulaFamilyOut, FormulaOut } from "@/api/formulas";
import { EntryList } from "@/components/entry-list";
import list from "@/components/entry-list.module.css";
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
  return (
    <EntryList
      one="formula"
      several="formulas"
      placeholder="Name, keyword or paper"
      label="Formulas by paper"
      text={text}
      onText={setText}
      shown={shown.length}
      all={catalogue.formulas.length}
      chosen={chosen}
    >
      {catalogue.families.map((family) => (
        <FamilyPart
          key={family.name}
          family={family}
          formulas={shown.filter((formula) => formula.family === family.name)}
          chosen={chosen}
        />
      ))}
    </EntryList>
  );
}

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
      <h2 className={list["group"]}>
        {family.title}
        <span className={classes["paper"]}>{family.paper}</span>
      </h2>
      <ul className={list["entries"]}>
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
              className={list["entry"]}
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
