import {
  Button,
  Group,
  SegmentedControl,
  Select,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { FormulaInputs, FormulaOut, ParameterOut } from "@/api/formulas";
import { Panel } from "@/components/panel";
import { formOf, readForm, type Texts, textsOf, unusedKeys } from "./fields";
import classes from "./formulas.module.css";

interface FormulaFormProps {
  readonly formula: FormulaOut;
  readonly inputs: FormulaInputs;
  readonly pending: boolean;
  readonly tooLong: boolean;
  readonly onCompute: (inputs: FormulaInputs) => void;
}

type Form = "parameters" | "instead";

/** A form made of what a formula takes; Enter in a field computes. */
export function FormulaForm(props: FormulaFormProps) {
  const { formula, inputs, pending, tooLong, onCompute } = props;
  const given = JSON.stringify(inputs);
  const [seen, setSeen] = useState(given);
  const [form, setForm] = useState<Form>(() => formOf(formula, inputs));
  const [texts, setTexts] = useState<Texts>(() =>
    textsOf(formula[formOf(formula, inputs)], inputs),
  );
  const [asked, setAsked] = useState(false);
  const fill = (wanted: FormulaInputs) => {
    const fitting = formOf(formula, wanted);
    setForm(fitting);
    setTexts(textsOf(formula[fitting], wanted));
    setAsked(false);
  };
  const read = readForm(formula[form], texts);
  if (seen !== given) {
    setSeen(given);
    // The address changed by itself: a link was followed, or the reader went back.
    if (given !== JSON.stringify(read.inputs)) {
      fill(inputs);
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (Object.keys(read.errors).length === 0) {
      onCompute(read.inputs);
    }
  };
  const unused = unusedKeys(formula[form], inputs);
  return (
    <Panel
      title="Inputs"
      subtitle={
        formula[form].some(({ unit }) => unit === "time")
          ? "Filled in from the example; every field can be changed. Use one unit for all times; any unit will do."
          : "Filled in from the example; every field can be changed."
      }
    >
      <form onSubmit={submit} noValidate>
        {formula.instead.length > 0 && (
          <SegmentedControl
            size="xs"
            mb="sm"
            aria-label="Which inputs"
            value={form}
            onChange={(value) => {
              setForm(value as Form);
              setTexts(textsOf(formula[value as Form], inputs));
              setAsked(false);
            }}
            data={(["parameters", "instead"] as const).map((value) => ({
              value,
              label: formula[value]
                .map(({ name }) => name)
                .slice(0, 2)
                .join(", "),
            }))}
          />
        )}
        <div className={classes["fields"]}>
          {formula[form].map((parameter) => {
            const text = texts[parameter.name] ?? "";
            const error = read.errors[parameter.name];
            return (
              <Field
                key={parameter.name}
                parameter={parameter}
                text={text}
                error={asked || text !== "" ? error : undefined}
                onChange={(value) => setTexts({ ...texts, [parameter.name]: value })}
              />
            );
          })}
        </div>
        {unused.length > 0 && (
          <Text size="sm" mt="xs" c="var(--tw-warn)">
            The address also holds {unused.join(", ")}, which this formula does not
            take.
          </Text>
        )}
        {tooLong && (
          <Text size="sm" mt="xs" c="var(--tw-warn)">
            These inputs are too long for a link: the address does not hold them.
          </Text>
        )}
        <Group mt="md" gap="xs">
          <Button type="submit" loading={pending}>
            Compute
          </Button>
          <Button
            variant="default"
            onClick={() => {
              fill(formula.example.inputs);
              onCompute(formula.example.inputs);
            }}
          >
            Reset to the example
          </Button>
        </Group>
      </form>
    </Panel>
  );
}

const AREAS: ReadonlySet<string> = new Set([
  "curve",
  "trace",
  "names",
  "rows",
  "transactions",
]);
const HOW: Readonly<Record<string, string>> = {
  numbers: "one or more, separated by commas",
  curve: "one pair per line",
  rows: "as JSON",
  transactions: "as JSON",
};

const BELOW: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];

function Field(props: {
  readonly parameter: ParameterOut;
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  const { parameter, text, error, onChange } = props;
  const { name, kind, unit, meaning, required, otherwise } = parameter;
  const how = HOW[kind];
  const leftOut = parameter.default === null ? otherwise : String(parameter.default);
  const shared = {
    label: name,
    description: how === undefined ? meaning : `${meaning}; ${how}`,
    inputWrapperOrder: BELOW,
    size: "sm",
    required,
    withAsterisk: false,
    value: text,
    error,
  } as const;
  if (kind === "choice" || kind === "flag") {
    return (
      <Select
        {...shared}
        data={kind === "flag" ? ["true", "false"] : [...parameter.choices]}
        value={text === "" ? null : text}
        placeholder={leftOut}
        clearable={!required}
        onChange={(value) => onChange(value ?? "")}
      />
    );
  }
  if (AREAS.has(kind)) {
    return (
      <Textarea
        {...shared}
        className={classes["wide"] ?? ""}
        classNames={{ input: classes["code"] ?? "" }}
        autosize
        minRows={2}
        maxRows={8}
        placeholder={leftOut}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      placeholder={leftOut}
      {...unitSection(unit)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The unit at the end of a field, where it has one. */
const unitSection = (unit: string) =>
  unit === "" || unit === "1" || unit === "any"
    ? {}
    : {
        rightSection: <span className="tw-unit">{unit}</span>,
        rightSectionWidth: 16 + 8 * unit.length,
        rightSectionPointerEvents: "none" as const,
      };
