/** Life of the flash, health of a drive, warm-up and restart. Nothing of them is stored. */
import { queryOptions } from "@tanstack/react-query";
import { type Asked, asked, stepsQuery, WITH_STEPS } from "./derived";
import { askDeviceHealth, askFragmentCache, askRecovery, askWear } from "./gen/sdk.gen";
import type {
  DeviceHealthOut as DeviceHealthAnswer,
  DeviceHealthIn,
  FragmentCacheOut as FragmentCacheAnswer,
  FragmentCacheIn,
  RecoveryOut as RecoveryAnswer,
  RecoveryIn,
  WearOut as WearAnswer,
  WearIn,
} from "./gen/types.gen";

export type { FragmentCacheIn, RecoveryIn, WearIn } from "./gen/types.gen";
export type DeviceHealthOut = Asked<DeviceHealthAnswer, DeviceHealthIn>;
export type FragmentCacheOut = Asked<FragmentCacheAnswer, FragmentCacheIn>;
export type RecoveryOut = Asked<RecoveryAnswer, RecoveryIn>;
export type WearOut = Asked<WearAnswer, WearIn>;

export const wearQuery = (question: WearIn) =>
  queryOptions({
    queryKey: ["wear", question],
    queryFn: ({ signal }) =>
      asked(question, askWear({ signal, body: question, throwOnError: true })),
  });

export const wearSteps = ({ asked: body }: WearOut) =>
  stepsQuery("wear", body, (signal) =>
    askWear({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const recoveryQuery = (question: RecoveryIn) =>
  queryOptions({
    queryKey: ["recovery", question],
    queryFn: ({ signal }) =>
      asked(question, askRecovery({ signal, body: question, throwOnError: true })),
  });

export const recoverySteps = ({ asked: body }: RecoveryOut) =>
  stepsQuery("recovery", body, (signal) =>
    askRecovery({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const fragmentCacheQuery = (question: FragmentCacheIn) =>
  queryOptions({
    queryKey: ["sce", question],
    queryFn: ({ signal }) =>
      asked(question, askFragmentCache({ signal, body: question, throwOnError: true })),
  });

export const fragmentCacheSteps = ({ asked: body }: FragmentCacheOut) =>
  stepsQuery("sce", body, (signal) =>
    askFragmentCache({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );

export const deviceHealth = (question: DeviceHealthIn) =>
  asked(question, askDeviceHealth({ body: question, throwOnError: true }));

export const deviceHealthSteps = ({ asked: body }: DeviceHealthOut) =>
  stepsQuery("device-health", body, (signal) =>
    askDeviceHealth({ signal, body, query: WITH_STEPS, throwOnError: true }),
  );
