import { Button, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { devicesFor, devicesQuery, schemesQuery } from "@/api/catalog";
import { HaveIn } from "@/api/gen/bounds.gen";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import { ADVICE_BOUNDS, type AdviceSearch } from "@/questions/advice";
import classes from "./advice.module.css";
import type { FormProps } from "./advice-form";
import { USUAL_SCHEME } from "./question";

const USUAL_RAM_GIB = 64;
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

/** What there is today: always one of the options, and what a saving is measured against. */
export function HaveFields({ state, search, patch }: FormProps) {
  const isStated = search.have_ram_gib !== undefined;
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        It becomes one of the options, and the saving is measured against it. Sizes,
        counts and cost are of all machines together.
      </Text>
      {isStated ? (
        <>
          <Stated state={state} search={search} patch={patch} />
          <Button size="xs" variant="default" mt="sm" onClick={() => patch(NOTHING)}>
            Leave it out
          </Button>
        </>
      ) : (
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            patch({ have_ram_gib: USUAL_RAM_GIB, have_disk: state.disk_device })
          }
        >
          State what you have
        </Button>
      )}
    </>
  );
}

function Stated({ state, search, patch }: FormProps) {
  const devices = useQuery(devicesQuery()).data ?? [];
  const schemes = useQuery(schemesQuery()).data ?? [];
  const flash = search.have_flash_gib ?? 0;
  const machines = search.have_machines ?? 1;
  const options = (tier: "flash" | "disk", chosen: string) => {
    const fitting = devicesFor(devices, tier);
    const named = devices.filter(({ id }) => id === chosen);
    return [...new Set([...fitting, ...named])].map(({ id, name }) => ({
      value: id,
      label: name,
    }));
  };
  const disk = search.have_disk ?? state.disk_device;
  const cache = search.have_flash ?? state.flash_device;
  return (
    <div className={classes["fields"]}>
      <NumberField
        label="RAM for pages"
        unit="GiB"
        description="Without what the system itself takes, which candidates have besides."
        min={SMALLEST}
        max={MOST_GIB}
        value={search.have_ram_gib ?? USUAL_RAM_GIB}
        onChange={(have_ram_gib) => patch({ have_ram_gib })}
      />
      <NumberField
        label="Machines"
        unit=""
        whole
        min={1}
        max={MOST_COUNT}
        value={machines}
        onChange={(have_machines) => patch({ have_machines })}
      />
      <Select
        label="What holds the data"
        searchable
        allowDeselect={false}
        value={disk}
        data={options("disk", disk)}
        onChange={(id) => id !== null && patch({ have_disk: id })}
      />
      <NumberField
        label="How many of these"
        unit=""
        whole
        min={1}
        max={MOST_COUNT}
        value={search.have_disks ?? machines}
        onChange={(have_disks) => patch({ have_disks })}
      />
      <OptionalNumberField
        label="Cost per month"
        unit="USD"
        description="With purchases spread over their months; without it no saving can be stated."
        placeholder="unknown"
        min={0}
        max={ADVICE_BOUNDS.have_usd.high}
        value={search.have_usd}
        onChange={(have_usd) => patch({ have_usd })}
      />
      <OptionalNumberField
        label="Flash cache"
        unit="GiB"
        placeholder="none"
        min={0}
        max={MOST_GIB}
        value={flash === 0 ? undefined : flash}
        onChange={(size) => patch({ have_flash_gib: size === 0 ? undefined : size })}
      />
      {flash > 0 && (
        <>
          <Select
            label="What caches"
            searchable
            allowDeselect={false}
            value={cache}
            data={options("flash", cache)}
            onChange={(id) => id !== null && patch({ have_flash: id })}
          />
          <NumberField
            label="How many of these drives"
            unit=""
            whole
            min={1}
            max={MOST_COUNT}
            value={search.have_flashes ?? machines}
            onChange={(have_flashes) => patch({ have_flashes })}
          />
          <Select
            label="Page-flow scheme"
            allowDeselect={false}
            value={search.have_scheme ?? USUAL_SCHEME}
            data={HaveIn.scheme.values
              .filter((name) => name !== "none")
              .map((name) => ({
                value: name,
                label: schemes.find((each) => each.name === name)?.title ?? name,
              }))}
            onChange={(name) => {
              const have_scheme = HaveIn.scheme.values.find((each) => each === name);
              patch({ have_scheme });
            }}
          />
        </>
      )}
    </div>
  );
}
