import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  createWorkloadFromProfile,
  listCurveKinds,
  previewGivenCurve,
} from "./gen/sdk.gen";
import type { CurveStatement } from "./gen/types.gen";

export type { CurvePreviewOut, CurveStatement, QuestionOut } from "./gen/types.gen";

export const curveKindsQuery = () =>
  queryOptions({
    queryKey: ["curve-kinds"],
    queryFn: async ({ signal }) =>
      (await answer(listCurveKinds({ signal, throwOnError: true }))).items,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const curvePreviewQuery = (statement: CurveStatement) =>
  queryOptions({
    queryKey: ["curve-previews", statement],
    queryFn: ({ signal }) =>
      answer(previewGivenCurve({ signal, body: statement, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

const MAX_PROFILE_BYTES = 300_000;
const PROFILE_SCHEMA = "tierwright-profile";

/** The profile document that a file holds, or `null` where it is something else. */
export async function profileIn(file: File): Promise<Record<string, unknown> | null> {
  if (file.size > MAX_PROFILE_BYTES) {
    return null;
  }
  try {
    const document: unknown = JSON.parse(await file.text());
    return typeof document === "object" &&
      document !== null &&
      (document as Record<string, unknown>)["schema"] === PROFILE_SCHEMA
      ? (document as Record<string, unknown>)
      : null;
  } catch {
    // No JSON: it is uploaded as a trace, and the preview says what it is.
    return null;
  }
}

/** Makes a workload of a profile that was dropped in place of a trace. */
export const takeProfile = (file: File, profile: Record<string, unknown>) =>
  answer(
    createWorkloadFromProfile({
      body: {
        name: file.name.replace(/\.json$/i, "") || file.name,
        filename: file.name,
        profile,
      },
      throwOnError: true,
    }),
  );
