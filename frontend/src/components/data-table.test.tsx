import { expect, it } from "vitest";
import { page } from "vitest/browser";
import { chartTable } from "@/charts/chart-table";
import { expectAccessible, renderThemed } from "@/testing/render";
import { formatCount } from "@/units/quantity";
import { type Column, csvLists, valueColumn } from "./columns";
import { DataTable } from "./data-table";

interface Row {
  readonly name: string;
  readonly reads: number | null;
}

const ROWS: readonly Row[] = [
  { name: "Lazy", reads: 1234.5 },
  { name: "Exclusive", reads: null },
];

const COLUMNS: readonly Column<Row>[] = [
  { key: "scheme", head: "Scheme", rowHeader: true, cell: (row) => row.name },
  {
    key: "reads_per_s",
    head: "Reads",
    unit: "1/s",
    cell: ({ reads }) => (reads === null ? "none" : formatCount(reads)),
    csv: ({ reads }) => reads,
  },
  { key: "name", csv: (row) => row.name },
  { key: "note", head: "Note", align: "text", cell: () => "as given" },
];

it("shows a named table whose rows have headers and whose numbers are right", async () => {
  const { getByRole } = await renderThemed(
    <DataTable
      label="Reads of every scheme"
      caption="Of one device."
      footer="Two schemes."
      columns={COLUMNS}
      rows={ROWS}
      rowKey={(row) => row.name}
      rowProps={({ name }) => ({ "data-scheme": name })}
      details={(row) => (row.reads === null ? "Nothing was read." : null)}
    />,
  );
  const table = getByRole("table", { name: "Reads of every scheme" }).element();
  expect(getByRole("region", { name: "Table: Reads of every scheme" })).toBeVisible();
  const heads = [...table.querySelectorAll("thead th")];
  expect(heads.map((head) => head.textContent)).toEqual([
    "Scheme",
    "Reads [1/s]",
    "Note",
  ]);
  expect(heads.every((head) => head.getAttribute("scope") === "col")).toBe(true);
  expect(table.querySelector("tbody th")?.getAttribute("scope")).toBe("row");
  const first = table.querySelector("[data-scheme=Lazy]");
  expect([...(first?.children ?? [])].map((cell) => cell.textContent)).toEqual([
    "Lazy",
    "1,235",
    "as given",
  ]);
  expect([...(first?.children ?? [])].map((cell) => cell.className)).toEqual([
    "",
    "num",
    "",
  ]);
  expect(table.querySelector("tbody td[colspan='3']")?.textContent).toBe(
    "Nothing was read.",
  );
  expect(table.querySelector("tfoot")?.textContent).toBe("Two schemes.");
  await expectAccessible();
});

it("covers several rows with one header", async () => {
  const { getByRole } = await renderThemed(
    <DataTable
      label="Grouped"
      columns={[
        {
          key: "Group",
          rowHeader: true,
          cell: () => "Both",
          span: (_, index) => (index === 0 ? ROWS.length : 0),
        },
        ...COLUMNS,
      ]}
      rows={ROWS}
      rowKey={(row) => row.name}
    />,
  );
  const headers = getByRole("table").element().querySelectorAll("[scope=rowgroup]");
  expect(headers).toHaveLength(1);
  expect(headers[0]?.getAttribute("rowspan")).toBe("2");
});

it("exports the same columns: what is shown only stays out, what is exported only is in", () => {
  expect(csvLists(COLUMNS, ROWS)).toEqual({
    header: ["reads_per_s", "name"],
    rows: [
      [1234.5, "Lazy"],
      [null, "Exclusive"],
    ],
  });
});

it("makes the table of a chart, with all rows in the export", () => {
  const columns = [
    valueColumn("Scheme", (row: Row) => row.name),
    valueColumn("Reads [1/s]", (row: Row) => row.reads, formatCount),
  ];
  expect(
    chartTable(ROWS, columns, {
      shown: (_, index) => index === 1,
      caption: "One.",
    }),
  ).toEqual({
    header: ["Scheme", "Reads [1/s]"],
    rows: [
      ["Lazy", 1234.5],
      ["Exclusive", null],
    ],
    shown: [["Exclusive", "–"]],
    caption: "One.",
  });
});

it("is a list of its rows on a phone where it is to be, and a table elsewhere", async () => {
  const { innerWidth, innerHeight } = window;
  const shown = await renderThemed(
    <DataTable
      label="Reads of every scheme"
      stacks
      columns={COLUMNS}
      rows={ROWS}
      rowKey={(row) => row.name}
    />,
  );
  const cell = shown.getByRole("cell").first().element();
  const named = () => getComputedStyle(cell, "::before").content;
  try {
    await page.viewport(390, 844);
    expect(named()).toContain("Reads [1/s]");
    const header = shown.getByRole("rowheader").first().element();
    expect(cell.getBoundingClientRect().top).toBeGreaterThanOrEqual(
      header.getBoundingClientRect().bottom,
    );
    const region = shown.getByRole("region").element();
    expect(region.scrollWidth).toBe(region.clientWidth);
    await expectAccessible();
    await page.viewport(1280, 720);
    expect(named()).not.toContain("Reads");
    await expectAccessible();
  } finally {
    await page.viewport(innerWidth, innerHeight);
  }
});
