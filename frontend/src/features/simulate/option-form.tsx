import { Select, TextInput } from "@mantine/core";
import {
  type ContenderIn,
  itemOf,
  type SimulatorItem,
  type SimulatorOption,
  type SimulatorOut,
} from "@/api/simulator";
import { Prose } from "@/components/prose";
import classes from "./simulate.module.css";

/** Characters of an option: an assignment names many categories. */
const MOST_OPTION = 100_000;

interface OptionFormProps {
  readonly item: SimulatorItem;
  readonly simulator: SimulatorOut;
  readonly contender: ContenderIn;
  readonly onChange: (options: Record<string, string>) => void;
}

/** The options of the item, those of the policies chosen for its tiers, and those of the device below it. */
function optionsOf({ item, simulator, contender }: Omit<OptionFormProps, "onChange">) {
  const nested = item.options.flatMap((option): SimulatorOption[] => {
    if (option.policy_of_tier === null) {
      return [];
    }
    const chosen = contender.options?.[option.name] ?? option.default;
    const policy = itemOf(simulator, { family: "policy", name: chosen });
    return (policy?.options ?? []).map((own) => ({
      ...own,
      name: `${option.policy_of_tier}_${own.name}`,
    }));
  });
  return [...item.options, ...nested, ...item.device_options];
}

/** A form made of the simulator's own table; what stays empty keeps its default. */
export function OptionForm(props: OptionFormProps) {
  const { contender, onChange } = props;
  const set = (option: SimulatorOption, value: string | null) => {
    const rest = Object.entries(contender.options ?? {}).filter(
      ([name]) =>
        name !== option.name &&
        // Options of a policy go with it.
        !(
          option.policy_of_tier !== null && name.startsWith(`${option.policy_of_tier}_`)
        ),
    );
    const chosen = (value ?? "").trim();
    onChange(
      Object.fromEntries(chosen === "" ? rest : [...rest, [option.name, chosen]]),
    );
  };
  return (
    <div className={classes["options"]}>
      {optionsOf(props).map((option) => (
        <OptionField
          key={option.name}
          option={option}
          value={contender.options?.[option.name] ?? ""}
          onChange={(value) => set(option, value)}
        />
      ))}
    </div>
  );
}

function OptionField(props: {
  readonly option: SimulatorOption;
  readonly value: string;
  readonly onChange: (value: string | null) => void;
}) {
  const { option, value, onChange } = props;
  if (option.choices !== null) {
    return (
      <Select
        size="xs"
        label={option.name}
        description={<Prose text={option.description} />}
        placeholder={option.default === "" ? "required" : option.default}
        data={option.choices}
        value={value === "" ? null : value}
        onChange={onChange}
        clearable
        clearButtonProps={{ "aria-label": `Reset ${option.name} to its default` }}
      />
    );
  }
  return (
    <TextInput
      size="xs"
      label={option.name}
      description={
        <>
          <Prose text={option.description} />. Takes: {option.values}.
        </>
      }
      placeholder={option.default === "" ? "required" : option.default}
      value={value}
      maxLength={MOST_OPTION}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
