import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  createSimulation,
  evaluateBreakEven,
  evaluateThroughput,
  getSimulation,
} from "./gen/sdk.gen";
import type {
  BreakEvenIn,
  BreakEvenOut,
  SimulationIn,
  ThroughputIn,
} from "./gen/types.gen";

export type {
  BreakEvenIn,
  BreakEvenOut,
  SimulationIn,
  SimulationOut,
  ThroughputIn,
  ThroughputOut,
} from "./gen/types.gen";

export const breakEvenQuery = (body: BreakEvenIn) =>
  queryOptions({
    queryKey: ["break-evens", body],
    // The signal cancels the request of an older slider position.
    queryFn: ({ signal }) =>
      answer(evaluateBreakEven({ signal, body, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const throughputQuery = (body: ThroughputIn) =>
  queryOptions({
    queryKey: ["throughputs", body],
    queryFn: ({ signal }) =>
      answer(evaluateThroughput({ signal, body, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

/** Names of the devices of an answer, by the ids that messages hold. */
export const deviceNames = (
  devices: BreakEvenOut["devices"],
): ReadonlyMap<string, string> =>
  new Map(
    [devices.flash, devices.disk, devices.ram].flatMap((device): [string, string][] =>
      device === null ? [] : [[device.id, device.name]],
    ),
  );

export const simulationKey = (id: string) => ["simulations", id];

export const startSimulation = (body: SimulationIn) =>
  answer(createSimulation({ body, throwOnError: true }));

/** A check with the notes of the workload through which it is asked for. */
export const readSimulation = (id: string, workload: string) =>
  answer(
    getSimulation({
      path: { simulation_id: id },
      query: { workload_id: workload },
      throwOnError: true,
    }),
  );
