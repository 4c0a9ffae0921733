import { Button, Group, MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { simulatorQuery } from "@/api/simulator";
import type { Replays } from "@/api/workloads";
import { type CachesSearch, cachesOf } from "./caches";
import { CachesRate, withRate } from "./caches-rate";
import { OptionsField } from "./options-field";

interface FlashCachesFieldProps {
  readonly search: CachesSearch;
  readonly patch: (change: CachesSearch) => void;
  readonly replays: Replays;
  /** Whether the accesses have times. */
  readonly timed: boolean;
  /** Whether what is asked states a rate, which holds where they have none. */
  readonly rated?: boolean;
  /** An example of options, as a sentence. */
  readonly example?: string;
}

const EXAMPLE =
  "mode=write_back has all that can write back do so; with lazy_cleaning:dirty_threshold=1, Lazy Cleaning has no cleaner.";

const BY_THE_CLOCK = " Caches that work by the clock are left out: ";

/** Why caches that work by the clock cannot be replayed; empty where they can. */
export const whyNotTimed = (replays: Replays, timed: boolean): string => {
  if (replays === "recording") {
    return `${BY_THE_CLOCK}what they move in a second does not scale with the recording.`;
  }
  return timed
    ? ""
    : `${BY_THE_CLOCK}this trace has no times. Simulate takes a rate for them.`;
};

/** Those of the flash caches that do not work by the clock, where there is a reason to leave the others out. */
export const timedOrAll = <Item extends { readonly goes_by_time: boolean }>(
  items: readonly Item[],
  why: string,
): readonly Item[] => (why === "" ? items : items.filter((item) => !item.goes_by_time));

/** Which flash caches are replayed beside the schemes: there are no formulas for them. */
export function FlashCachesField(props: FlashCachesFieldProps) {
  const { search, patch } = props;
  const simulator = useQuery(simulatorQuery()).data;
  const known = simulator?.flash_caches ?? [];
  const asksRate = props.replays !== "recording" && !props.timed && !props.rated;
  const why = asksRate || props.rated ? "" : whyNotTimed(props.replays, props.timed);
  const offered = timedOrAll(known, why);
  const chosen = cachesOf(search);
  const clocked = (names: readonly string[]) =>
    known.filter(({ name, goes_by_time }) => goes_by_time && names.includes(name));
  const choose = (names: readonly string[]) =>
    patch({
      caches: names.length === 0 ? undefined : names.join(","),
      // A rate that no cache takes would be refused.
      ...(asksRate && clocked(names).length === 0 && clocked(chosen).length > 0
        ? { cache_options: withRate(search.cache_options, undefined) }
        : {}),
    });
  return (
    <>
      <Group align="flex-end" gap="xs">
        <MultiSelect
          label="Flash caches"
          description={`Replayed beside the schemes; there is no formula for them.${why}`}
          placeholder={chosen.length === 0 ? "None" : undefined}
          clearable
          searchable
          value={chosen}
          data={offered.map(({ name, title }) => ({ value: name, label: title }))}
          onChange={choose}
          style={{ flex: "1 1 260px" }}
          maw={640}
        />
        {chosen.length < offered.length && (
          <Button
            variant="default"
            onClick={() => choose(offered.map(({ name }) => name))}
          >
            Choose all
          </Button>
        )}
      </Group>
      {asksRate && clocked(chosen).length > 0 && (
        <CachesRate
          options={search.cache_options}
          of={clocked(chosen).map(({ title }) => title)}
          onChange={(cache_options) => patch({ cache_options })}
        />
      )}
      {chosen.length > 0 && (
        <OptionsField
          label="Options of the flash caches"
          description={`NAME=VALUE, or CACHE:NAME=VALUE for one of them. ${props.example ?? EXAMPLE}`}
          of="several"
          shown={search.cache_options}
          onChange={(cache_options) => patch({ cache_options })}
        />
      )}
    </>
  );
}
