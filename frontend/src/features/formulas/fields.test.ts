import { describe, expect, test } from "vitest";
import type { OutputOut, ParameterOut } from "@/api/formulas";
import { parseFormulaSearch } from "./address";
import { formOf, readField, readForm, textsOf, unusedKeys } from "./fields";
import {
  commandFor,
  curlFor,
  found,
  pythonFor,
  resultCells,
  resultRows,
} from "./results";

const parameter = (over: Partial<ParameterOut>): ParameterOut => ({
  name: "k",
  kind: "number",
  unit: "1",
  meaning: "",
  required: true,
  default: null,
  otherwise: "",
  choices: [],
  also: [],
  ...over,
});

const read = (over: Partial<ParameterOut>, text: string): unknown => {
  const field = readField(parameter(over), text);
  return field.ok ? field.value : field.error;
};

describe("a field", () => {
  test("reads numbers as people write them", () => {
    expect(read({}, " 0.25 ")).toBe(0.25);
    expect(read({}, "-1e3")).toBe(-1000);
    expect(read({}, "\u22122")).toBe(-2);
    expect(read({}, "1,000.5")).toBe(1000.5);
    expect(read({ unit: "bytes" }, "64 GiB")).toBe(64 * 2 ** 30);
    expect(read({}, "64 GiB")).toMatch(/is not a number/);
    expect(read({}, "NaN")).toMatch(/is not a number/);
    expect(read({}, "1e999")).toMatch(/is not a number/);
  });

  test("keeps whole numbers whole", () => {
    expect(read({ kind: "integer" }, "1e9")).toBe(1e9);
    expect(read({ kind: "integer" }, "1.5")).toMatch(/not a whole number/);
    expect(read({ kind: "integer" }, "9007199254740993")).toMatch(/use the command/);
  });

  test("reads one number or a list", () => {
    expect(read({ kind: "numbers" }, "2")).toBe(2);
    expect(read({ kind: "numbers" }, "0.5, 1; 3")).toEqual([0.5, 1, 3]);
    expect(read({ kind: "numbers" }, "1, two")).toMatch(/"two" is not a number/);
  });

  test("reads a curve line by line", () => {
    expect(read({ kind: "curve" }, "0, 0\n500 0.31\n")).toEqual([
      [0, 0],
      [500, 0.31],
    ]);
    expect(read({ kind: "curve" }, "0, 0\n500")).toMatch(/line 2 is not a pair/);
  });

  test("reads JSON, words, flags, and what is left out", () => {
    expect(read({ kind: "transactions" }, '{"T1": [1, 2]}')).toEqual({ T1: [1, 2] });
    expect(read({ kind: "rows" }, "[{]")).toMatch(/not valid JSON/);
    expect(read({ kind: "trace" }, " R1 W2\n")).toBe("R1 W2");
    expect(read({ kind: "flag" }, "false")).toBe(false);
    expect(read({ required: false }, " ")).toBeUndefined();
    expect(read({}, "")).toBe("needed");
  });
});

describe("a form", () => {
  const curve = parameter({ name: "curve", kind: "curve" });
  const delta = parameter({ name: "delta", kind: "numbers", also: ["d"] });
  const flag = parameter({ name: "clear", kind: "flag", required: false });

  test("restores what was read from it", () => {
    const inputs = {
      curve: [
        [0, 0],
        [5, 0.5],
      ],
      delta: [1, 2],
      clear: true,
    };
    const texts = textsOf([curve, delta, flag], inputs);
    expect(readForm([curve, delta, flag], texts)).toEqual({ inputs, errors: {} });
  });

  test("writes JSON that it reads again", () => {
    const rows = parameter({ name: "rows", kind: "rows" });
    const given = { rows: [{ M_c: 1 }, { M_c: 2 }] };
    const texts = textsOf([rows], given);
    expect(texts["rows"]).toBe('[\n  {"M_c":1},\n  {"M_c":2}\n]');
    expect(readForm([rows], texts).inputs).toEqual(given);
  });

  test("takes other names, says what is wrong and what is not used", () => {
    const texts = textsOf([curve, delta], { d: 3, odd: 1 });
    expect(texts).toEqual({ curve: "", delta: "3" });
    expect(readForm([curve, delta], texts)).toEqual({
      inputs: { delta: 3 },
      errors: { curve: "needed" },
    });
    expect(unusedKeys([curve, delta], { d: 3, odd: 1 })).toEqual(["odd"]);
  });

  test("knows which set of inputs is meant", () => {
    const formula = { parameters: [curve, delta], instead: [flag, delta] };
    expect(formOf(formula, { clear: true, delta: 1 })).toBe("instead");
    expect(formOf(formula, { delta: 1 })).toBe("parameters");
  });
});

describe("a result", () => {
  const outputs: OutputOut[] = [
    { name: "h_f", unit: "accesses", meaning: "flash hits", formula: "N" },
    { name: "theta", unit: "1", meaning: "flash", formula: "" },
  ];

  test("becomes rows with unit and meaning", () => {
    const rows = resultRows(
      { lazy: { h_f: 3 }, theta: [1, null], best: "lazy" },
      outputs,
    );
    expect(rows.map(({ place, value, unit }) => [place, value, unit])).toEqual([
      ["lazy.h_f", 3, "accesses"],
      ["theta[0]", 1, ""],
      ["theta[1]", null, ""],
      ["best", "lazy", ""],
    ]);
    expect(resultCells(rows)[0]).toEqual(["lazy.h_f", 3, "accesses", "flash hits"]);
  });

  test("can be asked for elsewhere", () => {
    const inputs = { trace: "it's", clear: true };
    expect(commandFor("a.b", inputs)).toBe(
      `tierwright formula a.b --inputs '{"trace":"it'\\''s","clear":true}' --json`,
    );
    expect(curlFor("http://h", "a.b", { k: 1 })).toContain(
      `http://h/api/v1/formulas/a.b -H 'Content-Type: application/json' -d '{"inputs":{"k":1}}'`,
    );
    expect(pythonFor("a.b", inputs)).toContain(
      'ask("a.b", {"trace": "it\'s", "clear": True})',
    );
  });
});

test("the search finds by every word", () => {
  const one = { name: "kv.C0", title: "Cost", says: "Without flash.", source: "P" };
  expect(found([one], "without kv")).toEqual([one]);
  expect(found([one], "with kw")).toEqual([]);
  expect(found([one], " ")).toEqual([one]);
});

test("the address holds formula and inputs, and says what it cannot use", () => {
  expect(parseFormulaSearch({ formula: "kv.C0", inputs: { m_r: 1 } })).toEqual({
    formula: "kv.C0",
    inputs: { m_r: 1 },
  });
  expect(parseFormulaSearch({})).toEqual({ formula: undefined, inputs: undefined });
  const odd = parseFormulaSearch({ formula: "<b>", inputs: [1] });
  expect(odd.formula).toBeUndefined();
  expect(odd.refused).toMatch(/formula=<b>.*inputs=\[1\]/);
});
