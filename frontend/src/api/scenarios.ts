import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { getScenario, listScenarios } from "./gen/sdk.gen";

import type {
  Comparison,
  FigureBeside,
  OpenedScenario,
  ScenarioOut,
} from "./gen/types.gen";

export type { Comparison, FigureBeside, OpenedScenario, ScenarioOut };

const MOST_AT_ONCE = 500;

export const scenariosQuery = () =>
  queryOptions({
    queryKey: ["scenarios"],
    queryFn: async ({ signal }) => {
      const items: ScenarioOut[] = [];
      for (;;) {
        const query = { limit: MOST_AT_ONCE, offset: items.length };
        const list = await answer(listScenarios({ signal, query, throwOnError: true }));
        items.push(...list.items);
        if (list.items.length === 0 || items.length >= list.total) {
          return items;
        }
      }
    },
  });

export const scenarioQuery = (scenarioId: string) =>
  queryOptions({
    queryKey: ["scenarios", scenarioId],
    queryFn: ({ signal }) =>
      answer(
        getScenario({ signal, path: { scenario_id: scenarioId }, throwOnError: true }),
      ),
  });
