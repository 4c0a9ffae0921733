import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import {
  createSimulation,
  evaluateBreakEven,
  evaluateThroughput,
  getSimulation,
} from "./gen/sdk.gen";
import type {
  BreakEvenOut as BreakEvenAnswer,
  BreakEvenIn,
  SimulationIn,
  ThroughputOut as ThroughputAnswer,
  ThroughputIn,
} from "./gen/types.gen";

export type {
  BreakEvenIn,
  SimulationIn,
  SimulationOut,
  ThroughputIn,
} from "./gen/types.gen";
export type BreakEvenOut = Asked<BreakEvenAnswer, BreakEvenIn>;
export type ThroughputOut = Asked<ThroughputAnswer, ThroughputIn>;

export const breakEvenQuery = (body: BreakEvenIn) =>
  queryOptions({
    queryKey: ["break-evens", body],
    // The signal cancels the request of an older slider position.
    queryFn: ({ signal }) =>
      asked(body, evaluateBreakEven({ signal, body, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const breakEvenSteps = ({ asked: body }: BreakEvenOut) =>
  stepsQuery("break-evens", body, (signal) =>
    evaluateBreakEven({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const throughputQuery = (body: ThroughputIn) =>
  queryOptions({
    queryKey: ["throughputs", body],
    queryFn: ({ signal }) =>
      asked(body, evaluateThroughput({ signal, body, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const throughputSteps = ({ asked: body }: ThroughputOut) =>
  stepsQuery("throughputs", body, (signal) =>
    evaluateThroughput({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

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
