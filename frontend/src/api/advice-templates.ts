/** Templates of questions to the advisor, kept by the server. */
import { queryOptions } from "@tanstack/react-query";
import { answer } from "./client";
import {
  createAdviceTemplate,
  deleteAdviceTemplate,
  listAdviceTemplates,
  updateAdviceTemplate,
} from "./gen/sdk.gen";
import type {
  AdviceTemplateIn as AdviceTemplateBody,
  AdviceTemplateOut,
  TemplateIn,
} from "./gen/types.gen";
import { everyPage } from "./pages";

export type { AdviceTemplateOut, TemplateIn };

export const TEMPLATES_KEY = ["advice templates"] as const;

export const templatesQuery = () =>
  queryOptions({
    queryKey: TEMPLATES_KEY,
    queryFn: ({ signal }) =>
      everyPage((page) =>
        answer(listAdviceTemplates({ signal, query: page, throwOnError: true })),
      ),
  });

export const keepTemplate = (body: AdviceTemplateBody): Promise<AdviceTemplateOut> =>
  answer(createAdviceTemplate({ body, throwOnError: true }));

/** Refused where somebody has changed it since it was read. */
export const changeTemplate = (
  { id, etag }: AdviceTemplateOut,
  body: AdviceTemplateBody,
): Promise<AdviceTemplateOut> =>
  answer(
    updateAdviceTemplate({
      path: { template_id: id },
      headers: { "if-match": etag },
      body,
      throwOnError: true,
    }),
  );

export const removeTemplate = ({ id, etag }: AdviceTemplateOut): Promise<unknown> =>
  answer(
    deleteAdviceTemplate({
      path: { template_id: id },
      headers: { "if-match": etag },
      throwOnError: true,
    }),
  );
