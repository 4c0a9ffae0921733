import { DraftInput } from "./draft-input";

/** The options that a text has, as words. */
export const optionWords = (text: string | undefined): string[] =>
  (text ?? "").split(/\s+/).filter((word) => word !== "");

/** The options that a text has, by name. */
export const optionsOf = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    optionWords(text).map((word) => {
      const [name, ...value] = word.split("=");
      return [name, value.join("=")];
    }),
  );

/** Whose options they are: of one thing, or of several, where an option may name the one that it is for. */
const FORMS = {
  one: { pattern: /^([^:=\s]+)=\S+$/, form: "NAME=VALUE" },
  several: {
    pattern: /^((?:[^:=\s]+:)?[^:=\s]+)=\S+$/,
    form: "NAME=VALUE or CACHE:NAME=VALUE",
  },
} as const;

/** Why a text is no list of options; `undefined` where it is one. */
const whyNot = (text: string, of: keyof typeof FORMS): string | undefined => {
  const { pattern, form } = FORMS[of];
  const seen = new Set<string>();
  for (const word of optionWords(text)) {
    const name = pattern.exec(word)?.[1];
    if (name === undefined) {
      return `${word} is not an option: write ${form}, separated by spaces.`;
    }
    if (seen.has(name)) {
      return `${name} is given twice: keep one of its values.`;
    }
    seen.add(name);
  }
  return undefined;
};

interface OptionsFieldProps {
  readonly label: string;
  readonly description: string;
  readonly of: keyof typeof FORMS;
  /** As the address has them. */
  readonly shown: string | undefined;
  readonly onChange: (options: string | undefined) => void;
}

/** With which options what was chosen is replayed. */
export function OptionsField(props: OptionsFieldProps) {
  return (
    <DraftInput
      label={props.label}
      shown={props.shown ?? ""}
      placeholder="Defaults"
      description={props.description}
      read={(typed) => {
        const error = whyNot(typed, props.of);
        return error === undefined
          ? { ok: true, value: optionWords(typed).join(" ") }
          : { ok: false, error };
      }}
      onChange={(value) => props.onChange(value || undefined)}
    />
  );
}
