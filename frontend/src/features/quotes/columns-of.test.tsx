import { describe, expect, it } from "vitest";
import { renderThemed } from "@/testing/render";
import { ColumnsOf } from "./columns-of";

const said = async (format: string) =>
  (
    await renderThemed(
      <ColumnsOf
        name="hosts"
        example="host=Name"
        format={format}
        onRead={() => undefined}
      />,
    )
  ).container.querySelector("main")?.textContent ?? "";

describe("what can be stated of a file", () => {
  it("is the fields and units of an instance of NetBox", async () => {
    expect(await said("netbox")).toContain("Fields and units of hosts");
  });

  it("is the columns of any other table", async () => {
    expect(await said("csv")).toContain("Columns of hosts have other names");
    expect(await said("")).toContain("Columns of hosts have other names");
  });
});
