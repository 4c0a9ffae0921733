import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { FormulaInputs } from "@/api/formulas";
import { type FormulaOut, formulaAnswerQuery, formulasQuery } from "@/api/formulas";
import { EmptyState } from "@/components/empty-state";
import list from "@/components/entry-list.module.css";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { fitsALink } from "./address";
import { FormulaAbout } from "./formula-about";
import { FormulaAnswer } from "./formula-answer";
import { FormulaForm } from "./formula-form";
import { FormulaList } from "./formula-list";

export function FormulasPage() {
  const catalogue = useQuery(formulasQuery());
  const search = useSearch({ from: "/formulas" });
  const formulas = catalogue.data?.formulas ?? [];
  const chosen =
    search.formula === undefined
      ? formulas[0]
      : formulas.find(({ name }) => name === search.formula);
  return (
    <Page
      title="Formulas"
      lead="Every formula from the papers: its meaning, its range of validity, and its result for your own numbers."
    >
      {catalogue.error !== null && (
        <ProblemAlert
          error={catalogue.error}
          title="The formulas could not be loaded"
          onRetry={() => void catalogue.refetch()}
        />
      )}
      {catalogue.isPending && <Skeleton height={420} animate={false} />}
      {catalogue.data !== undefined && (
        <div className={list["page"]}>
          <FormulaList catalogue={catalogue.data} chosen={chosen?.name} />
          <div className={list["main"]}>
            {chosen === undefined ? (
              <Panel label="Formula">
                <EmptyState title={`There is no formula ${search.formula}`}>
                  Choose one from the list, or begin with{" "}
                  <Link to="/formulas" search={{ formula: formulas[0]?.name }}>
                    {formulas[0]?.title}
                  </Link>
                  .
                </EmptyState>
              </Panel>
            ) : (
              <Chosen
                key={chosen.name}
                formula={chosen}
                given={search.formula === undefined ? undefined : search.inputs}
              />
            )}
          </div>
        </div>
      )}
    </Page>
  );
}

function Chosen(props: {
  readonly formula: FormulaOut;
  /** Inputs of the address; absent: the example's. */
  readonly given: FormulaInputs | undefined;
}) {
  const { formula, given } = props;
  const navigate = useNavigate();
  // Inputs that are too long for a link are kept here, and the reader is told.
  const [long, setLong] = useState<FormulaInputs | null>(null);
  const example = formula.example.inputs;
  const inputs = long ?? given ?? example;
  const answer = useQuery(formulaAnswerQuery(formula.name, inputs));
  const compute = (wanted: FormulaInputs) => {
    if (JSON.stringify(wanted) === JSON.stringify(inputs)) {
      void answer.refetch();
      return;
    }
    const fits = fitsALink(wanted);
    setLong(fits ? null : wanted);
    void navigate({
      to: "/formulas",
      search: (now) => ({
        ...now,
        formula: formula.name,
        inputs: fits ? wanted : undefined,
        refused: undefined,
      }),
    });
  };
  return (
    <>
      <FormulaAbout formula={formula} />
      <FormulaForm
        formula={formula}
        inputs={inputs}
        pending={answer.isFetching}
        tooLong={long !== null}
        onCompute={compute}
      />
      {answer.error !== null && (
        <ProblemAlert error={answer.error} onRetry={() => void answer.refetch()} />
      )}
      {answer.isPending && <Skeleton height={160} animate={false} />}
      {answer.data !== undefined && answer.error === null && (
        <FormulaAnswer
          formula={formula}
          answer={answer.data}
          inputs={inputs}
          ofTheExample={JSON.stringify(inputs) === JSON.stringify(example)}
          linkable={long === null}
        />
      )}
    </>
  );
}
