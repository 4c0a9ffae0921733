import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { getScenario, listScenarios } from "./gen/sdk.gen";
import type {
  Comparison,
  FigureBeside,
  OpenedScenario,
  ScenarioOut,
} from "./gen/types.gen";
import { everyPage } from "./pages";

export type { Comparison, FigureBeside, OpenedScenario, ScenarioOut };

export const scenariosQuery = () =>
  queryOptions({
    queryKey: ["scenarios"],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        answer(listScenarios({ signal, query: page, throwOnError: true })),
      ),
  });

export const scenarioQuery = (scenarioId: string) =>
  queryOptions({
    queryKey: ["scenarios", scenarioId],
    queryFn: ({ signal }) =>
      answer(
        getScenario({ signal, path: { scenario_id: scenarioId }, throwOnError: true }),
      ),
  });
