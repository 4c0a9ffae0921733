/** What garbage collection makes of writes to a flash device. Nothing of it is stored. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askFlashDevice } from "./gen/sdk.gen";
import type {
  FlashDeviceOut as FlashDeviceAnswer,
  FlashDeviceIn,
} from "./gen/types.gen";

export type { FlashDeviceIn } from "./gen/types.gen";
export type FlashDeviceOut = Asked<FlashDeviceAnswer, FlashDeviceIn>;

export const flashDeviceQuery = (question: FlashDeviceIn) =>
  queryOptions({
    queryKey: ["flash-devices", question],
    queryFn: ({ signal }) =>
      asked(question, askFlashDevice({ signal, body: question, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The steps are of one device: those at other spare spaces are not simulated again for them. */
export const flashDeviceSteps = ({ asked: { spares: _, ...body } }: FlashDeviceOut) =>
  stepsQuery("flash-devices", body, (signal) =>
    askFlashDevice({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
