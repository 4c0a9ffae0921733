/** Maps of which page-flow scheme wins where. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { explainSchemeMapPoint, makeSchemeMap } from "./gen/sdk.gen";
import type { MapQuestion, SchemeMapIn } from "./gen/types.gen";

export type {
  MapAxisOut,
  MapPointOut,
  MapQuestion,
  SchemeMapIn,
  SchemeMapOut,
} from "./gen/types.gen";

export const schemeMapQuery = (question: SchemeMapIn) =>
  queryOptions({
    queryKey: ["scheme-maps", question],
    queryFn: ({ signal }) =>
      answer(makeSchemeMap({ signal, body: question, throwOnError: true })),
  });

export const mapPointQuery = (question: MapQuestion) =>
  queryOptions({
    queryKey: ["scheme-maps", "point", question],
    queryFn: ({ signal }) =>
      answer(explainSchemeMapPoint({ signal, body: question, throwOnError: true })),
  });
