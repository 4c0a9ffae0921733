import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { getScenario, listScenarios } from "./gen/sdk.gen";

export type { ScenarioOut } from "./gen/types.gen";

export const scenariosQuery = () =>
  queryOptions({
    queryKey: ["scenarios"],
    queryFn: async ({ signal }) =>
      (
        await answer(
          listScenarios({ signal, query: { limit: 200 }, throwOnError: true }),
        )
      ).items,
  });

export const scenarioQuery = (scenarioId: string) =>
  queryOptions({
    queryKey: ["scenarios", scenarioId],
    queryFn: ({ signal }) =>
      answer(
        getScenario({ signal, path: { scenario_id: scenarioId }, throwOnError: true }),
      ),
  });
