import { Button, Group, Select, Text } from "@mantine/core";
import { useState } from "react";
import {
  type ContenderIn,
  FAMILIES,
  type Family,
  itemOf,
  type SimulatorItem,
  type SimulatorOut,
} from "@/api/simulator";
import { SeriesMark } from "@/charts/scheme-mark";
import { counted } from "@/units/quantity";
import { OptionForm } from "./option-form";
import { dashesOf, labelOf } from "./results";
import classes from "./simulate.module.css";

interface ContenderListProps {
  readonly simulator: SimulatorOut;
  readonly contenders: readonly ContenderIn[];
  readonly onChange: (contenders: readonly ContenderIn[]) => void;
}

/** Who is replayed, each with its options; the choice is the simulator's table. */
export function ContenderList({ simulator, contenders, onChange }: ContenderListProps) {
  const [opened, setOpened] = useState<number | null>(null);
  const dashes = dashesOf(contenders);
  const full = contenders.length >= simulator.most_contenders;
  const add = (added: readonly ContenderIn[]) =>
    onChange([...contenders, ...added].slice(0, simulator.most_contenders));
  return (
    <>
      {contenders.length === 0 ? (
        <Text c="dimmed" mb="sm">
          Nothing chosen yet. Add a policy, a buffer, a scheme or a flash cache below.
        </Text>
      ) : (
        <ul className={classes["list"]} aria-label="Chosen contenders">
          {contenders.map((contender, index) => {
            const item = itemOf(simulator, contender);
            return item === undefined ? null : (
              <ContenderRow
                // The same contender may stand twice: its place tells them apart.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                key={`${contender.family} ${contender.name} ${index}`}
                simulator={simulator}
                item={item}
                contender={contender}
                dash={dashes[index] ?? "solid"}
                opened={opened === index}
                onToggle={() => setOpened(opened === index ? null : index)}
                onChange={(options) =>
                  onChange(
                    contenders.map((other, place) =>
                      place === index ? { ...other, options } : other,
                    ),
                  )
                }
                onRemove={() => {
                  setOpened(null);
                  onChange(contenders.filter((_, place) => place !== index));
                }}
              />
            );
          })}
        </ul>
      )}
      <Group align="flex-end" gap="xs">
        <AddContender simulator={simulator} disabled={full} onAdd={add} />
        <Button
          variant="default"
          disabled={full}
          onClick={() => add(missingPolicies(simulator, contenders))}
        >
          Add all policies
        </Button>
        <Button
          variant="default"
          disabled={contenders.length === 0}
          onClick={() => onChange([])}
        >
          Clear
        </Button>
      </Group>
      {full && (
        <Text size="sm" c="dimmed" mt={4}>
          A sweep takes at most {counted(simulator.most_contenders, "contender")}.
        </Text>
      )}
    </>
  );
}

function missingPolicies(
  simulator: SimulatorOut,
  contenders: readonly ContenderIn[],
): ContenderIn[] {
  const present = new Set(
    contenders.map((contender) => `${contender.family}:${contender.name}`),
  );
  return simulator.policies
    .filter((item) => !present.has(`policy:${item.name}`))
    .map(({ family, name }) => ({ family, name }));
}

function ContenderRow(props: {
  readonly simulator: SimulatorOut;
  readonly item: SimulatorItem;
  readonly contender: ContenderIn;
  readonly dash: ReturnType<typeof dashesOf>[number];
  readonly opened: boolean;
  readonly onToggle: () => void;
  readonly onChange: (options: Record<string, string>) => void;
  readonly onRemove: () => void;
}) {
  const { item, contender, simulator } = props;
  const label = labelOf({ title: item.title, options: contender.options ?? {} });
  return (
    <li className={classes["item"]}>
      <div className={classes["row"]}>
        <SeriesMark scheme={item.name} dash={props.dash} />
        <div className={classes["name"]}>
          <Text span fw={600}>
            {label}
          </Text>
          <div className={classes["detail"]}>
            {item.description}
            {item.needs.map((need) => ` ${simulator.needs[need] ?? need}`)}
          </div>
        </div>
        {item.options.length + item.device_options.length > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={props.opened}
            aria-label={`Options of ${label}`}
            onClick={props.onToggle}
          >
            Options
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Remove ${label}`}
          onClick={props.onRemove}
        >
          Remove
        </Button>
      </div>
      {props.opened && (
        <OptionForm
          item={item}
          simulator={simulator}
          contender={contender}
          onChange={props.onChange}
        />
      )}
    </li>
  );
}

function AddContender(props: {
  readonly simulator: SimulatorOut;
  readonly disabled: boolean;
  readonly onAdd: (added: readonly ContenderIn[]) => void;
}) {
  const [search, setSearch] = useState("");
  return (
    <Select
      label="Add a contender"
      placeholder="Policy, buffer, scheme or flash cache"
      disabled={props.disabled}
      style={{ flex: "1 1 240px" }}
      data={FAMILIES.map(({ family, title, items }) => ({
        group: title,
        items: items(props.simulator).map((item) => ({
          value: `${family}:${item.name}`,
          label: item.title,
        })),
      }))}
      value={null}
      onChange={(value) => {
        const [family, name] = (value ?? "").split(":");
        if (family !== undefined && name !== undefined) {
          props.onAdd([{ family: family as Family, name }]);
        }
        // Nothing stays chosen, so the field is empty for the next name.
        setSearch("");
      }}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      selectFirstOptionOnChange
      // Else a list that opens forgets, a moment later, what the typed letters chose: Enter would do nothing.
      selectFirstOptionOnDropdownOpen
      maxDropdownHeight={320}
      nothingFoundMessage="No contender has this name"
    />
  );
}
