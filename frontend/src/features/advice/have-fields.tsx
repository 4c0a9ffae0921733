import { Button, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { devicesFor, devicesQuery, schemesQuery } from "@/api/catalog";
import { HaveIn } from "@/api/gen/bounds.gen";
import { OptionalNumberField } from "@/components/number-field";
import { useSessionDraft } from "@/components/use-session-draft";
import { ADVICE_BOUNDS, type AdviceSearch } from "@/questions/advice";
import { listed } from "@/units/quantity";
import classes from "./advice.module.css";
import type { FormProps } from "./advice-form";
import { USUAL_SCHEME } from "./question";

const MOST_GIB = 1e9;
const MOST_COUNT = 100_000;
const SMALLEST = 1e-6;

const NOTHING: AdviceSearch = {
  have_ram_gib: undefined,
  have_machines: undefined,
  have_disk: undefined,
  have_disks: undefined,
  have_flash_gib: undefined,
  have_flash: undefined,
  have_flashes: undefined,
  have_scheme: undefined,
  have_usd: undefined,
};

/** Keys without which nothing is compared. */
const REQUIRED = [
  ["have_ram_gib", "RAM for pages"],
  ["have_disk", "what holds the data"],
  ["have_disks", "how many of these"],
] as const;
const REQUIRED_OF_FLASH = [
  ["have_flash", "what caches"],
  ["have_flashes", "how many of these drives"],
] as const;

/** What is still to be stated, in words; nothing where it can be compared. */
export function missingOf(stated: AdviceSearch): readonly string[] {
  const caches = (stated.have_flash_gib ?? 0) > 0;
  return [...REQUIRED, ...(caches ? REQUIRED_OF_FLASH : [])]
    .filter(([name]) => stated[name] === undefined)
    .map(([, words]) => words);
}

const partOf = (search: AdviceSearch): AdviceSearch =>
  Object.fromEntries(
    Object.keys(NOTHING).map((name) => [name, search[name as keyof AdviceSearch]]),
  );

/** What the address says; links that leave out a device or its number mean these. */
function statedIn(search: AdviceSearch, state: FormProps["state"]): AdviceSearch {
  const machines = search.have_machines ?? 1;
  const caches = (search.have_flash_gib ?? 0) > 0;
  return {
    ...partOf(search),
    have_disk: search.have_disk ?? state.disk_device,
    have_disks: search.have_disks ?? machines,
    ...(caches
      ? {
          have_flash: search.have_flash ?? state.flash_device,
          have_flashes: search.have_flashes ?? machines,
        }
      : {}),
  };
}

/** What there is today: always one of the options, and what a saving is measured against. */
export function HaveFields({ state, search, patch }: FormProps) {
  const isStated = search.have_ram_gib !== undefined;
  // Nothing is compared before all of it is stated, and what is typed until then is no part of the question.
  const [typed, setTyped] = useSessionDraft<AdviceSearch>("what you have now", {});
  const [isOpen, setOpen] = useState(Object.values(typed).some((one) => one != null));
  const values = isStated ? statedIn(search, state) : typed;
  const missing = missingOf(values);
  const change = (part: AdviceSearch) => {
    const next = { ...values, ...part };
    if (missingOf(next).length === 0) {
      setTyped({});
      patch({ ...NOTHING, ...next });
      return;
    }
    setTyped(next);
    setOpen(true);
    if (isStated) {
      patch(NOTHING);
    }
  };
  const leaveOut = () => {
    setTyped({});
    setOpen(false);
    if (isStated) {
      patch(NOTHING);
    }
  };
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        It becomes one of the options, and the saving is measured against it. Sizes,
        counts and cost are of all machines together.
      </Text>
      {isStated || isOpen ? (
        <>
          <Stated values={values} change={change} />
          {missing.length > 0 && (
            <Text size="sm" mt="sm" aria-live="polite">
              Not compared yet: state {listed(missing)}.
            </Text>
          )}
          <Button size="xs" variant="default" mt="sm" onClick={leaveOut}>
            Leave it out
          </Button>
        </>
      ) : (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          State what you have
        </Button>
      )}
    </>
  );
}

function Stated(props: {
  readonly values: AdviceSearch;
  readonly change: (part: AdviceSearch) => void;
}) {
  const { values, change } = props;
  const devices = useQuery(devicesQuery()).data ?? [];
  const schemes = useQuery(schemesQuery()).data ?? [];
  const flash = values.have_flash_gib ?? 0;
  const options = (tier: "flash" | "disk", chosen: string | undefined) => {
    const fitting = devicesFor(devices, tier);
    const named = devices.filter(({ id }) => id === chosen);
    return [...new Set([...fitting, ...named])].map(({ id, name }) => ({
      value: id,
      label: name,
    }));
  };
  return (
    <div className={classes["fields"]}>
      <OptionalNumberField
        label="RAM for pages"
        unit="GiB"
        description="Without what the system itself takes, which candidates have besides."
        placeholder="such as 256"
        min={SMALLEST}
        max={MOST_GIB}
        value={values.have_ram_gib}
        onChange={(have_ram_gib) => change({ have_ram_gib })}
      />
      <OptionalNumberField
        label="Machines"
        whole
        placeholder="1"
        min={1}
        max={MOST_COUNT}
        value={values.have_machines}
        onChange={(have_machines) => change({ have_machines })}
      />
      <Select
        label="What holds the data"
        searchable
        allowDeselect={false}
        placeholder="Choose a device"
        value={values.have_disk ?? null}
        data={options("disk", values.have_disk)}
        onChange={(id) => id !== null && change({ have_disk: id })}
      />
      <OptionalNumberField
        label="How many of these"
        whole
        placeholder="such as 12"
        min={1}
        max={MOST_COUNT}
        value={values.have_disks}
        onChange={(have_disks) => change({ have_disks })}
      />
      <OptionalNumberField
        label="Cost per month"
        unit="USD"
        description="With purchases spread over their months; without it no saving can be stated."
        placeholder="unknown"
        min={0}
        max={ADVICE_BOUNDS.have_usd.high}
        value={values.have_usd}
        onChange={(have_usd) => change({ have_usd })}
      />
      <OptionalNumberField
        label="Flash cache"
        unit="GiB"
        placeholder="none"
        min={0}
        max={MOST_GIB}
        value={flash === 0 ? undefined : flash}
        onChange={(size) => change({ have_flash_gib: size === 0 ? undefined : size })}
      />
      {flash > 0 && (
        <>
          <Select
            label="What caches"
            searchable
            allowDeselect={false}
            placeholder="Choose a device"
            value={values.have_flash ?? null}
            data={options("flash", values.have_flash)}
            onChange={(id) => id !== null && change({ have_flash: id })}
          />
          <OptionalNumberField
            label="How many of these drives"
            whole
            placeholder="such as 2"
            min={1}
            max={MOST_COUNT}
            value={values.have_flashes}
            onChange={(have_flashes) => change({ have_flashes })}
          />
          <Select
            label="Page-flow scheme"
            allowDeselect={false}
            value={values.have_scheme ?? USUAL_SCHEME}
            data={HaveIn.scheme.values
              .filter((name) => name !== "none")
              .map((name) => ({
                value: name,
                label: schemes.find((each) => each.name === name)?.title ?? name,
              }))}
            onChange={(name) => {
              const have_scheme = HaveIn.scheme.values.find((each) => each === name);
              change({ have_scheme });
            }}
          />
        </>
      )}
    </div>
  );
}
