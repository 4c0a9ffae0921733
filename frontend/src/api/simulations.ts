/** Checks of a point by simulation, which a job makes. */
import { answer } from "./client";
import { createSimulation, getSimulation } from "./gen/sdk.gen";
import type { SimulationIn } from "./gen/types.gen";

export type { SimulationIn, SimulationOut } from "./gen/types.gen";

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
