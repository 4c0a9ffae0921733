import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { simulatorQuery } from "@/api/simulator";
import { type CachesSearch, cachesOf } from "./caches";

interface FlashCachesFieldProps {
  readonly search: CachesSearch;
  readonly patch: (change: CachesSearch) => void;
}

/** Which flash caches are replayed beside the schemes: there are no formulas for them. */
export function FlashCachesField({ search, patch }: FlashCachesFieldProps) {
  const simulator = useQuery(simulatorQuery()).data;
  const chosen = cachesOf(search);
  return (
    <MultiSelect
      label="Flash caches"
      description="Replayed beside the schemes; there is no formula for them."
      placeholder={chosen.length === 0 ? "None" : undefined}
      clearable
      value={chosen}
      data={(simulator?.flash_caches ?? []).map(({ name, title }) => ({
        value: name,
        label: title,
      }))}
      onChange={(names) =>
        patch({ caches: names.length === 0 ? undefined : names.join(",") })
      }
      maw={640}
    />
  );
}
