/**
 * Writes what the OpenAPI document says of numbers, words and lists that are asked for:
 * their bounds, and the value taken where they are absent; the cost terms with their titles;
 * the limits of an advice in words; and the marks of the page-flow schemes. The page reads it, so that nothing is written twice.
 *
 * Usage: node scripts/bounds.ts <folder of the generated client>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly title?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: Schema;
  }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly "x-limits": readonly { readonly name: string; readonly title: string }[];
  readonly "x-folded-cautions": {
    readonly never: readonly string[];
    readonly effect_ends: string;
  };
  readonly "x-page-flow-schemes": readonly {
    readonly name: string;
    readonly mark: object;
  }[];
}

const DOCUMENT = new URL("../../backend/openapi.json", import.meta.url);
const REFERENCE = "#/components/schemas/";

const document: Document = JSON.parse(readFileSync(DOCUMENT, "utf8"));
const { paths, components } = document;

const nameOf = (schema: Schema): string | undefined =>
  schema.$ref?.slice(REFERENCE.length);

const resolved = (schema: Schema): Schema =>
  components.schemas[nameOf(schema) ?? ""] ?? schema;

/** A schema and what may stand in its place: `number | null` is a number, a range its ends. */
const choices = (schema: Schema): Schema[] => {
  const found = resolved(schema);
  const parts = found.anyOf ?? found.prefixItems;
  return parts === undefined ? [found] : parts.flatMap(choices);
};

/** Bounds of one property; undefined where it is neither number, words nor list. */
function boundsOf(schema: Schema): object | undefined {
  const found = choices(schema).find(
    ({ type, enum: words, maximum, maxItems }) =>
      words !== undefined ||
      (type === "array" && maxItems !== undefined) ||
      ((type === "integer" || type === "number") && maximum !== undefined),
  );
  if (found === undefined) {
    return undefined;
  }
  const usual = schema.default ?? found.default;
  const isUsual = typeof usual === "number" || typeof usual === "string";
  const stated = isUsual ? { usual } : {};
  if (found.enum !== undefined) {
    return { values: found.enum, ...stated };
  }
  if (found.type === "array") {
    return { most: found.maxItems };
  }
  const low = found.minimum ?? found.exclusiveMinimum;
  return low === undefined
    ? undefined
    : {
        low,
        ...(found.minimum === undefined ? { exclusive: true } : {}),
        high: found.maximum,
        ...(found.type === "integer" ? { whole: true } : {}),
        ...stated,
      };
}

const boundsIn = (properties: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const bounds = boundsOf(schema);
      return bounds === undefined ? [] : [[name, bounds]];
    }),
  );

/** The named schemas that a schema is made of, itself included. */
function* namesIn(schema: Schema): Generator<string> {
  const name = nameOf(schema);
  if (name !== undefined) {
    yield name;
  }
  const { anyOf = [], properties = {}, items } = resolved(schema);
  for (const part of [...anyOf, ...Object.values(properties)]) {
    yield* namesIn(part);
  }
  if (items !== undefined) {
    yield* namesIn(items);
  }
}

/** "get_curve" -> "GetCurveQuery" */
const queryName = (operationId: string): string =>
  `${operationId.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}Query`;

const tables = new Map<string, object>();
for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
  const query = (operation.parameters ?? []).filter((found) => found.in === "query");
  tables.set(
    queryName(operation.operationId),
    boundsIn(Object.fromEntries(query.map(({ name, schema }) => [name, schema]))),
  );
  const body = operation.requestBody?.content["application/json"]?.schema;
  for (const name of body === undefined ? [] : namesIn(body)) {
    tables.set(name, boundsIn(components.schemas[name]?.properties ?? {}));
  }
}

const lines = [...tables]
  .filter(([, table]) => Object.keys(table).length > 0)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, table]) => {
    const rows = Object.entries(table).map(
      ([key, bounds]) => `  ${key}: ${JSON.stringify(bounds)},\n`,
    );
    return `export const ${name} = {\n${rows.join("")}} as const;\n`;
  });

const costTerms = Object.entries(components.schemas["CostTerms"]?.properties ?? {})
  .map(([name, { title }]) => `  ${JSON.stringify({ name, title })},\n`)
  .join("");
lines.push(
  `/** In the server's order. */\nexport const COST_TERMS = [\n${costTerms}] as const;\n`,
);

const marks = document["x-page-flow-schemes"]
  .map(({ name, mark }) => `  ${name}: ${JSON.stringify(mark)},\n`)
  .join("");
lines.push(
  `/** How charts draw the page-flow schemes. */\nexport const SCHEME_MARKS = {\n${marks}} as const;\n`,
);

const limits = document["x-limits"]
  .map(({ name, title }) => `  ${name}: ${JSON.stringify(title)},\n`)
  .join("");
lines.push(
  `/** Limits of an advice in words. */\nexport const LIMIT_WORDS: Readonly<Record<string, string>> = {\n${limits}};\n`,
);

const folded = document["x-folded-cautions"];
lines.push(
  `/** Codes of cautions that are never folded, and the end of the effect of those that are. */\nexport const FOLDED_CAUTIONS = ${JSON.stringify({ never: folded.never, effectEnds: folded.effect_ends })} as const;\n`,
);

writeFileSync(
  join(process.argv[2] ?? "src/api/gen", "bounds.gen.ts"),
  `// This file is auto-generated by scripts/bounds.ts\n\n${lines.join("\n")}`,
);
