import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { getSimulator } from "./gen/sdk.gen";
import type { ContenderIn, Family, SimulatorItem, SimulatorOut } from "./gen/types.gen";

export type {
  ContenderIn,
  Family,
  SimulatorCounter,
  SimulatorItem,
  SimulatorOption,
  SimulatorOut,
} from "./gen/types.gen";

export const simulatorQuery = () =>
  queryOptions({
    queryKey: ["simulator"],
    queryFn: ({ signal }) => answer(getSimulator({ signal, throwOnError: true })),
    // The tables change only with the server.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const FAMILIES: readonly {
  readonly family: Family;
  readonly title: string;
  readonly items: (simulator: SimulatorOut) => readonly SimulatorItem[];
}[] = [
  {
    family: "policy",
    title: "Replacement policies",
    items: (simulator) => simulator.policies,
  },
  {
    family: "buffer",
    title: "Cost-aware buffers",
    items: (simulator) => simulator.buffers,
  },
  {
    family: "scheme",
    title: "Page-flow schemes",
    items: (simulator) => simulator.schemes,
  },
  {
    family: "flash_cache",
    title: "Flash caches",
    items: (simulator) => simulator.flash_caches,
  },
  {
    family: "chooser",
    title: "Choosers of a scheme",
    items: (simulator) => simulator.choosers,
  },
];

export function itemOf(
  simulator: SimulatorOut,
  contender: Pick<ContenderIn, "family" | "name">,
): SimulatorItem | undefined {
  return FAMILIES.find(({ family }) => family === contender.family)
    ?.items(simulator)
    .find((item) => item.name === contender.name);
}
