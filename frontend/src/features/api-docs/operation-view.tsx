import { Button, Text } from "@mantine/core";
import type { ApiDocument, Media } from "@/api/api-document";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import { showToast } from "@/components/toasts";
import classes from "./api-docs.module.css";
import { type Call, curlOf, objectsIn, titleOf, typeOf } from "./document";
import { ParameterTable, SchemaTable } from "./schema-table";
import { Words } from "./words";

interface OperationViewProps {
  readonly document: ApiDocument;
  readonly call: Call;
}

/** One operation: what it takes, an example, what it answers. */
export function OperationView({ document, call }: OperationViewProps) {
  const parameters = call.parameters ?? [];
  const bodies = Object.entries(call.requestBody?.content ?? {});
  const answers = Object.entries(call.responses);
  return (
    <>
      <Panel title={titleOf(call)} subtitle={<Words text={call.description ?? ""} />}>
        <code className={classes["call"]}>
          {call.method} {call.path}
        </code>
        <Example text={curlOf(window.location.origin, call)} />
      </Panel>
      {parameters.length > 0 && (
        <Panel title="Parameters">
          <ParameterTable
            document={document}
            parameters={parameters}
            label="Parameters"
          />
        </Panel>
      )}
      {bodies.map(([media, content]) => (
        <Panel
          key={media}
          title="Request body"
          subtitle={`${media}${call.requestBody?.required ? "" : ", optional"}`}
        >
          <Body document={document} content={content} label="Request body" />
        </Panel>
      ))}
      {answers
        .filter(([status]) => status < "400")
        .map(([status, { description, content }]) => (
          <Panel key={status} title={`Response ${status}`} subtitle={description}>
            {Object.entries(content ?? {}).map(([media, shape]) => (
              <div key={media}>
                <Text size="sm" c="dimmed">
                  {media}
                </Text>
                <Body
                  document={document}
                  content={shape}
                  label={`Response ${status}`}
                />
              </div>
            ))}
            {content === undefined && <Text size="sm">No body.</Text>}
          </Panel>
        ))}
      <Panel
        title="Problems"
        subtitle="Each is a Problem document (application/problem+json)."
      >
        <dl className={classes["problems"]}>
          {answers
            .filter(([status]) => status >= "400")
            .map(([status, { description }]) => (
              <div key={status}>
                <dt>{status}</dt>
                <dd>{description}</dd>
              </div>
            ))}
        </dl>
      </Panel>
    </>
  );
}

function Body(props: {
  readonly document: ApiDocument;
  readonly content: Media;
  readonly label: string;
}) {
  const { document, content, label } = props;
  const schema = content.schema ?? {};
  const objects = objectsIn(document, schema);
  return (
    <>
      {objects[0]?.name !== typeOf(document, schema) && (
        <Text size="sm">{typeOf(document, schema)}</Text>
      )}
      {objects.map((each) => (
        <SchemaTable
          key={each.name}
          document={document}
          schema={each.schema}
          label={`${label}: ${each.name}`}
        />
      ))}
      {content.example !== undefined && (
        <ScrollRegion label={`Example of ${label}`} style={EXAMPLE}>
          <pre className={classes["block"]}>
            {JSON.stringify(content.example, null, 2)}
          </pre>
        </ScrollRegion>
      )}
    </>
  );
}

const EXAMPLE = { maxHeight: 420, overflowY: "auto", marginTop: 12 } as const;

function Example({ text }: { readonly text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      showToast("The request is on the clipboard.");
    } catch {
      showToast("The browser did not allow copying; select the request and copy it.");
    }
  };
  return (
    <>
      <pre className={classes["block"]}>{text}</pre>
      <Button size="xs" variant="default" onClick={() => void copy()}>
        Copy request
      </Button>
    </>
  );
}
