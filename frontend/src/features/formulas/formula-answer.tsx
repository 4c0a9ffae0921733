import { Button, Group, Text } from "@mantine/core";
import type { FormulaAnswerOut, FormulaInputs, FormulaOut } from "@/api/formulas";
import { csvText } from "@/charts/csv";
import { downloadText, fileStem } from "@/charts/download";
import { CopyLink } from "@/components/copy-link";
import { DerivationTable } from "@/components/derivation-table";
import { Disclosure } from "@/components/disclosure";
import { EstimateDerivation } from "@/components/estimate-derivation";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import { showToast } from "@/components/toasts";
import { Unknown } from "@/components/unknown";
import { WarningNotes } from "@/components/warning-notes";
import { counted, formatCount, formatShort } from "@/units/quantity";
import classes from "./formulas.module.css";
import {
  commandFor,
  curlFor,
  pythonFor,
  type ResultRow,
  resultCells,
  resultRows,
} from "./results";

const SHOWN_ROWS = 200;
/** So many fit without scrolling. */
const ROWS_IN_SIGHT = 10;
const DIGITS = 6;
const HEADER = ["result", "value", "unit", "what it is"];

interface FormulaAnswerProps {
  readonly formula: FormulaOut;
  readonly answer: FormulaAnswerOut;
  readonly inputs: FormulaInputs;
  readonly ofTheExample: boolean;
  readonly linkable: boolean;
}

/** The result with all that a reader must know to use it. */
export function FormulaAnswer(props: FormulaAnswerProps) {
  const { formula, answer, inputs, ofTheExample, linkable } = props;
  const rows = resultRows(answer.result, formula.outputs);
  const stem = fileStem(`formula ${formula.name}`);
  return (
    <>
      <Panel
        title="Result"
        subtitle={
          ofTheExample
            ? `For the example, test vector ${formula.example.id}.`
            : "For the inputs above."
        }
        actions={
          <Group gap="xs">
            {linkable && (
              <CopyLink to="this result" href={() => window.location.href} />
            )}
            <Button
              variant="default"
              onClick={() =>
                downloadText(
                  `${stem}.csv`,
                  "text/csv",
                  csvText(HEADER, resultCells(rows)),
                )
              }
            >
              CSV
            </Button>
            <Button
              variant="default"
              onClick={() =>
                downloadText(
                  `${stem}.json`,
                  "application/json",
                  JSON.stringify(answer, null, 2),
                )
              }
            >
              JSON
            </Button>
          </Group>
        }
      >
        <ResultTable rows={rows} />
        <Disclosure label="Why these numbers">
          <EstimateDerivation found={answer}>
            <DerivationTable steps={answer.derivation} />
          </EstimateDerivation>
          {answer.derivation.length === 0 && (
            <Text size="sm" mt="xs">
              No single equation gives these numbers: {formula.formula}. Source:{" "}
              {formula.source}.
            </Text>
          )}
        </Disclosure>
        <Disclosure label="As a command, a request and Python code">
          <Copied what="command" text={commandFor(formula.name, inputs)} />
          <Copied
            what="request"
            text={curlFor(window.location.origin, formula.name, inputs)}
          />
          <Copied what="Python" text={pythonFor(formula.name, inputs)} />
        </Disclosure>
      </Panel>
      <WarningNotes notes={answer.warnings} />
    </>
  );
}

function ResultTable({ rows }: { readonly rows: readonly ResultRow[] }) {
  const shown = rows.slice(0, SHOWN_ROWS);
  return (
    <ScrollRegion label="Result" style={{ maxHeight: 460, overflowY: "auto" }}>
      <table className={`tw-table ${classes["table"]}`} aria-label="Result">
        {shown.length < rows.length ? (
          <caption>
            The first {formatCount(shown.length)} of {formatCount(rows.length)}; the
            exports contain all.
          </caption>
        ) : (
          rows.length > ROWS_IN_SIGHT && (
            <caption style={{ captionSide: "top" }}>
              {counted(rows.length, "value")}; scroll for the last.
            </caption>
          )
        )}
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col" className="num">
              Value
            </th>
            <th scope="col">Unit</th>
            <th scope="col" className={classes["apart"]}>
              Meaning
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.place}>
              <th scope="row">
                <code>{row.place}</code>
                <span className={classes["within"]}>{row.meaning}</span>
              </th>
              <td className={`num ${classes["result"]}`}>
                <Value value={row.value} />
              </td>
              <td>{row.unit}</td>
              <td className={classes["apart"]}>{row.meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Value({ value }: { readonly value: ResultRow["value"] }) {
  if (value === null) {
    return <Unknown reason="not defined for these inputs" />;
  }
  if (typeof value === "boolean") {
    return value ? "yes" : "no";
  }
  if (typeof value === "string") {
    return value;
  }
  return Number.isSafeInteger(value) ? formatCount(value) : formatShort(value, DIGITS);
}

function Copied({ what, text }: { readonly what: string; readonly text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      showToast(`The ${what} is on the clipboard.`);
    } catch {
      showToast(`The browser did not allow copying; select the ${what} and copy it.`);
    }
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => void copy()}>
        Copy as {what}
      </Button>
      <pre className={classes["block"]}>{text}</pre>
    </>
  );
}
