/** Which flash device, and where its directory goes. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { chooseFlash, compareDirectories } from "./gen/sdk.gen";
import type { DirectoriesIn, FlashChoiceIn } from "./gen/types.gen";

export type {
  DirectoriesIn,
  DirectoriesOut,
  DirectoryOptionOut,
  FlashChoiceIn,
  FlashChoiceOut,
} from "./gen/types.gen";

export const flashChoiceQuery = (question: FlashChoiceIn) =>
  queryOptions({
    queryKey: ["flash-choices", question],
    queryFn: ({ signal }) =>
      answer(chooseFlash({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });

export const directoriesQuery = (question: DirectoriesIn) =>
  queryOptions({
    queryKey: ["directories", question],
    queryFn: ({ signal }) =>
      answer(compareDirectories({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
  });
