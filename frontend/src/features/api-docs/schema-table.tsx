import { Text } from "@mantine/core";
import type { ApiDocument, Parameter, Schema } from "@/api/api-document";
import { Disclosure } from "@/components/disclosure";
import classes from "./api-docs.module.css";
import { boundsOf, objectsIn, resolve, typeOf } from "./document";
import { Words } from "./words";

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly description: string;
}

/** The fields of an object; those that hold objects open to show theirs. */
export function SchemaTable(props: {
  readonly document: ApiDocument;
  readonly schema: Schema;
  readonly label: string;
}) {
  const { document, label } = props;
  const schema = resolve(document, props.schema);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    schema: field,
    description: field.description ?? "",
  }));
  return <FieldTable document={document} fields={fields} label={label} />;
}

export function ParameterTable(props: {
  readonly document: ApiDocument;
  readonly parameters: readonly Parameter[];
  readonly label: string;
}) {
  const fields = props.parameters.map(({ name, required, schema, description }) => ({
    name,
    required: required ?? false,
    schema: schema ?? {},
    description: description ?? schema?.description ?? "",
  }));
  return <FieldTable document={props.document} fields={fields} label={props.label} />;
}

function FieldTable(props: {
  readonly document: ApiDocument;
  readonly fields: readonly Field[];
  readonly label: string;
}) {
  const { document, fields, label } = props;
  return (
    <table className={`tw-table ${classes["fields"]}`} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">
              <code>{field.name}</code>
              {field.required && <span className={classes["note"]}>required</span>}
            </th>
            <td>
              <Meaning document={document} field={field} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Meaning(props: { readonly document: ApiDocument; readonly field: Field }) {
  const { document, field } = props;
  const bounds = boundsOf(field.schema);
  const usual = field.schema.default;
  return (
    <>
      {field.description !== "" && <Words text={field.description} />}
      <Text size="sm" c="dimmed" className={classes["type"]}>
        {typeOf(document, field.schema)}
        {bounds !== null && `, ${bounds}`}
        {usual !== undefined && usual !== null && `, usually ${JSON.stringify(usual)}`}
      </Text>
      {objectsIn(document, field.schema).map(({ name, schema }) => (
        <Disclosure key={name} label={`Fields of ${name}`}>
          <SchemaTable
            document={document}
            schema={schema}
            label={`Fields of ${name}`}
          />
        </Disclosure>
      ))}
    </>
  );
}
