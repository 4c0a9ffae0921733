import { type CSSProperties, Fragment, type ReactNode } from "react";
import type { CellProps, Column } from "./columns";
import { ScrollRegion } from "./scroll-region";

export interface DataTableProps<Row> {
  /** Name of the table; its scrolling region is named after it. */
  readonly label: string;
  readonly region?: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row, index: number) => string | number;
  readonly rowProps?: (row: Row) => CellProps;
  /** What a row shows beneath it, across all columns; null shows nothing. */
  readonly details?: (row: Row) => ReactNode;
  readonly caption?: ReactNode;
  readonly footer?: ReactNode;
  readonly className?: string | undefined;
  /** On a phone each row is a list of its cells below its header, instead of a table that scrolls sideways. */
  readonly stacks?: boolean;
  /** Of the region: a height beyond which the rows scroll. */
  readonly style?: CSSProperties;
}

/** A table in a region of its own that keys can scroll. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowKey, caption, footer, stacks = false } = props;
  const columns = props.columns.filter(({ cell }) => cell !== undefined);
  return (
    <ScrollRegion
      label={props.region ?? `Table: ${label}`}
      {...(props.style === undefined ? {} : { style: props.style })}
    >
      <table
        className={classNames(
          "tw-table",
          stacks ? "tw-stacks" : undefined,
          props.className,
        )}
        aria-label={label}
      >
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={rowKey(row, index)}>
              <tr {...props.rowProps?.(row)}>
                {columns.map((column) => (
                  <Cell
                    key={column.key}
                    column={column}
                    row={row}
                    index={index}
                    isNamed={stacks}
                  />
                ))}
              </tr>
              <Details columns={columns.length}>{props.details?.(row)}</Details>
            </Fragment>
          ))}
        </tbody>
        {footer !== undefined && (
          <tfoot>
            <tr>
              <td colSpan={columns.length}>{footer}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </ScrollRegion>
  );
}

const classNames = (...names: readonly (string | undefined)[]) =>
  names.filter((name) => name !== undefined).join(" ") || undefined;

const numClass = <Row,>({ align, rowHeader }: Column<Row>) =>
  (align ?? (rowHeader === true ? "text" : "number")) === "number" ? "num" : undefined;

const headText = <Row,>({ head, key, unit }: Column<Row>): string =>
  `${typeof head === "string" ? head : key}${unit === undefined ? "" : ` [${unit}]`}`;

function Head<Row>({ column }: { readonly column: Column<Row> }) {
  const { key, head, unit, title, sort } = column;
  const className = numClass(column);
  return (
    <th scope="col" className={className} title={title} aria-sort={sort}>
      {head ?? key}
      {unit !== undefined && (
        <>
          {" "}
          {/* Beneath its name, so that a column of figures stays narrow. */}
          {className !== undefined && <br />}
          <span className="tw-unit">[{unit}]</span>
        </>
      )}
    </th>
  );
}

function Cell<Row>(props: {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly index: number;
  /** It is shown with the name of its column where no head stands above it. */
  readonly isNamed: boolean;
}) {
  const { column, row, index, isNamed } = props;
  const span = column.span?.(row, index);
  if (span === 0) {
    return null;
  }
  const { className, ...rest } = column.cellProps?.(row) ?? {};
  const cell = {
    ...rest,
    className: classNames(numClass(column), className),
    rowSpan: span,
    children: column.cell?.(row, index),
  };
  if (isNamed && column.rowHeader !== true) {
    return (
      <td {...cell} data-head={headText(column)}>
        <div>{cell.children}</div>
      </td>
    );
  }
  return column.rowHeader === true ? (
    <th scope={span === undefined ? "row" : "rowgroup"} {...cell} />
  ) : (
    <td {...cell} />
  );
}

function Details(props: { readonly columns: number; readonly children: ReactNode }) {
  return props.children === undefined || props.children === null ? null : (
    <tr>
      <td colSpan={props.columns}>{props.children}</td>
    </tr>
  );
}
