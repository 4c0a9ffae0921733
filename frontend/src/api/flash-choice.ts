/** Which flash device, and where its directory goes. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askDirectories, askFlashChoice } from "./gen/sdk.gen";
import type {
  DirectoriesOut as DirectoriesAnswer,
  DirectoriesIn,
  FlashChoiceOut as FlashChoiceAnswer,
  FlashChoiceIn,
} from "./gen/types.gen";

export type {
  DirectoriesIn,
  DirectoryOptionOut,
  FlashChoiceIn,
} from "./gen/types.gen";
export type DirectoriesOut = Asked<DirectoriesAnswer, DirectoriesIn>;
export type FlashChoiceOut = Asked<FlashChoiceAnswer, FlashChoiceIn>;

export const flashChoiceQuery = (question: FlashChoiceIn) =>
  queryOptions({
    queryKey: ["flash-choices", question],
    queryFn: ({ signal }) =>
      asked(question, askFlashChoice({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const flashChoiceSteps = ({ asked: body }: FlashChoiceOut) =>
  stepsQuery("flash-choices", body, (signal) =>
    askFlashChoice({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const directoriesQuery = (question: DirectoriesIn) =>
  queryOptions({
    queryKey: ["directories", question],
    queryFn: ({ signal }) =>
      asked(question, askDirectories({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const directoriesSteps = ({ asked: body }: DirectoriesOut) =>
  stepsQuery("directories", body, (signal) =>
    askDirectories({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
