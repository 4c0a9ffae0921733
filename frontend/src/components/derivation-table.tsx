import { formatCount, formatShort } from "@/units/quantity";
import { Unknown } from "./unknown";

export interface DerivationRow {
  readonly scheme: string | null;
  readonly name: string;
  readonly formula: string;
  readonly value: number | null;
  readonly unit: string;
  readonly source: string;
}

const DIGITS = 6;

/** Counts are shown whole, so that they can be followed to the last digit. */
const derivedValue = (value: number): string =>
  Number.isSafeInteger(value) ? formatCount(value) : formatShort(value, DIGITS);

/** Two steps may have one name: their place tells them apart. */
const numbered = (steps: readonly DerivationRow[]) =>
  steps.map((step, index) => ({
    step,
    index,
    key: `${index} ${step.scheme ?? "all"} ${step.name}`,
  }));

/** Every formula behind a figure, with its numbers and its source. */
export function DerivationTable({
  steps,
}: {
  readonly steps: readonly DerivationRow[];
}) {
  return (
    <div className="tw-scroll">
      <table className="tw-table">
        <thead>
          <tr>
            <th scope="col">Quantity</th>
            <th scope="col">Formula, numbers put in</th>
            <th scope="col" className="num">
              Value
            </th>
            <th scope="col">Unit</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {numbered(steps).map(({ step, index, key }) => (
            <tr key={key}>
              <th scope="row">{step.name}</th>
              <td>
                <code>{step.formula}</code>
              </td>
              <td className="num">
                {step.value === null ? (
                  <Unknown reason="not defined for these numbers, or a figure that the formula needs is missing" />
                ) : (
                  derivedValue(step.value)
                )}
              </td>
              <td>{step.unit}</td>
              <td>
                {step.source !== "" && step.source === steps[index - 1]?.source
                  ? "as above"
                  : step.source}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
