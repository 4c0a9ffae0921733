import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { simulatorQuery } from "@/api/simulator";
import type { Replays } from "@/api/workloads";
import { type DataSearch, dataOf, heldOnFlash } from "./data-on-flash";

/** Which policies and buffers are replayed with all data on the flash device. */
export function DataField(props: {
  readonly search: DataSearch;
  readonly patch: (change: DataSearch) => void;
  readonly replays: Replays;
}) {
  const { search, patch } = props;
  const simulator = useQuery(simulatorQuery()).data;
  const chosen = dataOf(search);
  if (props.replays === "recording") {
    // A device that holds other pages than production collects otherwise.
    return null;
  }
  return (
    <MultiSelect
      label="All data on flash"
      description="Replayed besides: RAM under a policy or buffer over a flash device that holds all data, without a disk."
      placeholder={chosen.length === 0 ? "None" : undefined}
      clearable
      searchable
      value={chosen}
      data={simulator === undefined ? [] : heldOnFlash(simulator)}
      onChange={(names) =>
        patch({ data_on_flash: names.length === 0 ? undefined : names.join(",") })
      }
      maw={640}
    />
  );
}
