/** Maps of which page-flow scheme wins where. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askSchemeMap, askSchemeMapPoint } from "./gen/sdk.gen";
import type {
  MapPointOut as MapPointAnswer,
  MapQuestion,
  SchemeMapIn,
} from "./gen/types.gen";

export type {
  MapAxisOut,
  MapQuestion,
  SchemeMapIn,
  SchemeMapOut,
} from "./gen/types.gen";
export type MapPointOut = Asked<MapPointAnswer, MapQuestion>;

export const schemeMapQuery = (question: SchemeMapIn) =>
  queryOptions({
    queryKey: ["scheme-maps", question],
    queryFn: ({ signal }) =>
      answer(askSchemeMap({ signal, body: question, throwOnError: true })),
  });

export const mapPointQuery = (question: MapQuestion) =>
  queryOptions({
    queryKey: ["scheme-maps", "point", question],
    queryFn: ({ signal }) =>
      asked(
        question,
        askSchemeMapPoint({ signal, body: question, throwOnError: true }),
      ),
  });

export const mapPointSteps = ({ asked: body }: MapPointOut) =>
  stepsQuery("scheme-maps/point", body, (signal) =>
    askSchemeMapPoint({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
