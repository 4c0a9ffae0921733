/** What the page shows of the OpenAPI document. */
import type { ApiDocument, Operation, Parameter, Schema } from "@/api/api-document";

export interface Call extends Operation {
  readonly method: string;
  readonly path: string;
  readonly group: string;
}

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];

export function callsOf(document: ApiDocument): readonly Call[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        group: operation.tags?.[0] ?? "other",
      })),
  );
}

/** `create_sweep` as "Create sweep". */
export const titleOf = ({ operationId }: Operation): string => {
  const words = operationId.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Every word typed must occur in the address, the id or the words of an operation. */
export function foundCalls(calls: readonly Call[], text: string): readonly Call[] {
  const words = text.toLowerCase().split(/\s+/);
  return calls.filter((call) => {
    const haystack =
      `${call.method} ${call.path} ${call.operationId} ${call.group} ${call.description}`.toLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

const REFERENCE = "#/components/schemas/";

export const nameOf = (schema: Schema): string | null =>
  schema.$ref?.startsWith(REFERENCE) ? schema.$ref.slice(REFERENCE.length) : null;

export function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = nameOf(schema);
  return name === null ? schema : (document.components.schemas[name] ?? {});
}

const written = (value: unknown): string => JSON.stringify(value);

/** A schema in a few words: `list of SweepRow`, `integer or null`, `"lru" or "clock"`. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    return [...new Set(choices.map((each) => typeOf(document, each)))].join(" or ");
  }
  const name = nameOf(schema);
  if (name !== null) {
    const found = resolve(document, schema);
    return found.properties === undefined && found.$ref === undefined
      ? typeOf(document, found)
      : name;
  }
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (values.length > 0) {
    return values.map(written).join(" or ");
  }
  return builtIn(document, schema);
}

function builtIn(document: ApiDocument, schema: Schema): string {
  if (schema.type === "array") {
    return `list of ${typeOf(document, schema.items ?? {})}`;
  }
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return `object of ${typeOf(document, schema.additionalProperties)} by name`;
  }
  return schema.type ?? "any value";
}

/** The least and the greatest value that a schema allows, or nothing. */
export function boundsOf(schema: Schema): string | null {
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) {
    return `${minimum} to ${maximum}`;
  }
  return minimum !== undefined
    ? `at least ${minimum}`
    : maximum !== undefined
      ? `at most ${maximum}`
      : null;
}

/** The objects that a value of this schema holds, each once: what can be looked into. */
export function objectsIn(
  document: ApiDocument,
  schema: Schema,
): readonly { readonly name: string; readonly schema: Schema }[] {
  const inner = [
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === "object"
      ? [schema.additionalProperties]
      : []),
  ];
  const found = resolve(document, schema);
  const name = nameOf(schema);
  const own =
    found.properties === undefined || name === null ? [] : [{ name, schema: found }];
  const all = [...own, ...inner.flatMap((each) => objectsIn(document, each))];
  return all.filter(
    (entry, index) =>
      all.findIndex(({ name: other }) => other === entry.name) === index,
  );
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const asText = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

function addressOf(call: Call): string {
  const given = (place: Parameter["in"]) =>
    (call.parameters ?? []).filter(
      (each) => each.in === place && each.example !== undefined,
    );
  const path = given("path").reduce(
    (now, { name, example }) =>
      now.replace(`{${name}}`, encodeURIComponent(asText(example))),
    call.path,
  );
  const query = new URLSearchParams(
    given("query").map(({ name, example }) => [name, asText(example)]),
  ).toString();
  return query === "" ? path : `${path}?${query}`;
}

/** The example of an operation as a command of the shell. */
export function curlOf(origin: string, call: Call): string {
  const [media, content] = Object.entries(call.requestBody?.content ?? {})[0] ?? [];
  const address = `${origin}${addressOf(call)}`;
  const headers = (call.parameters ?? [])
    .filter((each) => each.in === "header" && each.example !== undefined)
    .map(({ name, example }) => `-H ${shellQuoted(`${name}: ${asText(example)}`)}`);
  const json = media === "application/json" && content?.example !== undefined;
  return [
    "curl",
    ...(call.method === "GET" || (call.method === "POST" && json)
      ? []
      : [call.method === "HEAD" ? "--head" : `-X ${call.method}`]),
    /[?&]/.test(address) ? shellQuoted(address) : address,
    ...headers,
    ...(json
      ? [
          `-H 'Content-Type: application/json' -d ${shellQuoted(JSON.stringify(content?.example))}`,
        ]
      : []),
  ].join(" ");
}
