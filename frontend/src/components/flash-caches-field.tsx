import { Button, Group, MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { simulatorQuery } from "@/api/simulator";
import type { SummaryOut } from "@/api/workloads";
import { AccessRate } from "./access-rate";
import { type CachesSearch, cachesOf } from "./caches";
import { rateOf, withRate } from "./caches-rate";
import { OptionsField } from "./options-field";

interface FlashCachesFieldProps {
  readonly search: CachesSearch;
  readonly patch: (change: CachesSearch) => void;
  readonly clock: Clock;
  /** An example of options, as a sentence. */
  readonly example?: string;
  /** Whether what is asked has a rate of its own, by which flash wears too; else the caches alone take one. */
  readonly hasRate?: boolean;
}

const EXAMPLE =
  "mode=write_back has all that can write back do so; with lazy_cleaning:dirty_threshold=1, Lazy Cleaning has no cleaner.";

/** Whether caches that work by the clock can be replayed: not where a part of production stands for all of it, nor without a rate. */
export type Clock = "goes" | "part" | "no rate";

/** Of a workload; `hasRate` says whether one is stated beside it. */
export const clockOf = (
  summary: Pick<SummaryOut, "kind" | "duration_s" | "production">,
  hasRate = false,
): Clock => {
  const scaled = summary.production ?? null;
  if (scaled !== null) {
    const { replicas, machines } = scaled.production;
    const times = (scaled.factor * replicas) / machines;
    return Math.abs(times - 1) < 1e-9 ? "goes" : "part";
  }
  return hasRate || summary.duration_s !== null ? "goes" : "no rate";
};

const BY_THE_CLOCK = " Caches that work by the clock are left out: ";
const WHY: Readonly<Record<Clock, string>> = {
  goes: "",
  part: `${BY_THE_CLOCK}what they move in a second does not scale with the recording.`,
  "no rate": `${BY_THE_CLOCK}this trace has no times, and no rate is stated.`,
};

/** Why caches that work by the clock cannot be replayed; empty where they can. */
export const whyNotTimed = (clock: Clock): string => WHY[clock];

/** Those of the flash caches that do not work by the clock, where there is a reason to leave the others out. */
export const timedOrAll = <Item extends { readonly goes_by_time: boolean }>(
  items: readonly Item[],
  why: string,
): readonly Item[] => (why === "" ? items : items.filter((item) => !item.goes_by_time));

/** Which flash caches are replayed beside the schemes: there are no formulas for them. */
export function FlashCachesField(props: FlashCachesFieldProps) {
  const { search, patch, hasRate = false } = props;
  const simulator = useQuery(simulatorQuery()).data;
  const known = simulator?.flash_caches ?? [];
  const asksRate = props.clock === "no rate";
  const why = asksRate ? "" : whyNotTimed(props.clock);
  const offered = timedOrAll(known, why);
  const chosen = cachesOf(search);
  const clocked = (names: readonly string[]) =>
    known.filter(({ name, goes_by_time }) => goes_by_time && names.includes(name));
  const inOptions = rateOf(search.cache_options);
  const needing = clocked(chosen).map(({ title }) => title);
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
      {asksRate && (hasRate ? chosen : needing).length > 0 && (
        <AccessRate
          value={hasRate ? (search.access_rate ?? inOptions) : inOptions}
          needed={needing}
          isOfLife={hasRate}
          onChange={(rate) =>
            patch(
              hasRate
                ? {
                    access_rate: rate,
                    cache_options: withRate(search.cache_options, undefined),
                  }
                : { cache_options: withRate(search.cache_options, rate) },
            )
          }
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
