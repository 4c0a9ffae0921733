/** Which relations, sizes of requests or hours enter flash, and when. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { stepsQuery, WITH_STEPS } from "./derived";
import { askWhatToCache } from "./gen/sdk.gen";
import type { WhatToCacheIn, WhatToCacheOut } from "./gen/types.gen";
import type { ReplayJob } from "./replay-checks";

export type {
  CachedCategory,
  WhatToCacheCheckIn,
  WhatToCacheIn,
  WhatToCacheOut,
} from "./gen/types.gen";

/** The answer, or the job that counts the requests of the workload for it. */
export const whatToCacheQuery = (body: WhatToCacheIn) =>
  queryOptions({
    queryKey: ["what-to-cache", body],
    queryFn: ({ signal }): Promise<WhatToCacheOut | ReplayJob> =>
      answer(askWhatToCache({ signal, body, throwOnError: true })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Of an answer, so its counts are there. */
export const whatToCacheSteps = (body: WhatToCacheIn) =>
  stepsQuery("what-to-cache", body, async (signal) => {
    const { data } = await askWhatToCache({
      signal,
      body,
      query: WITH_STEPS,
      throwOnError: true,
    });
    return { data: { derivation: "derivation" in data ? data.derivation : null } };
  });
