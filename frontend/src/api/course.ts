/** A scheme or flash cache on simulated time, window by window. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import { askCourse } from "./gen/sdk.gen";
import type { CourseIn, CourseOut } from "./gen/types.gen";
import type { ReplayJob } from "./replay-checks";

export type { CourseIn, CourseOut, CourseWindow } from "./gen/types.gen";

/** What is asked of a workload; the answer is the course, or the job that replays it. */
export const courseQuery = (workload: string, body: CourseIn) =>
  queryOptions({
    queryKey: ["course", workload, body],
    queryFn: ({ signal }): Promise<CourseOut | ReplayJob> =>
      answer(
        askCourse({
          signal,
          path: { workload_id: workload },
          body,
          throwOnError: true,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
