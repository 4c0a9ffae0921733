import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import {
  type ApiDocument,
  apiDocumentQuery,
  DOCUMENT_ADDRESS,
} from "@/api/api-document";
import { EmptyState } from "@/components/empty-state";
import list from "@/components/entry-list.module.css";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { callsOf } from "./document";
import { OperationList } from "./operation-list";
import { OperationView } from "./operation-view";

export function ApiDocsPage() {
  const document = useQuery(apiDocumentQuery());
  return (
    <Page
      title="API"
      lead={
        <>
          Everything that this page shows can be asked over HTTP. Tools read the same
          from the <a href={DOCUMENT_ADDRESS}>OpenAPI document</a>.
        </>
      }
    >
      {document.error !== null && (
        <ProblemAlert
          error={document.error}
          title="The API document could not be loaded"
          onRetry={() => void document.refetch()}
        />
      )}
      {document.isPending && <Skeleton height={420} animate={false} />}
      {document.data !== undefined && <Operations document={document.data} />}
    </Page>
  );
}

function Operations({ document }: { readonly document: ApiDocument }) {
  const { operation } = useSearch({ from: "/docs" });
  const calls = callsOf(document);
  const chosen =
    operation === undefined
      ? calls[0]
      : calls.find(({ operationId }) => operationId === operation);
  return (
    <div className={list["page"]}>
      <OperationList calls={calls} chosen={chosen?.operationId} />
      <div className={list["main"]}>
        {chosen === undefined ? (
          <Panel label="Operation">
            <EmptyState title={`There is no operation ${operation}`}>
              Choose one from the list.
            </EmptyState>
          </Panel>
        ) : (
          <OperationView key={chosen.operationId} document={document} call={chosen} />
        )}
      </div>
    </div>
  );
}
