import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemOfBody } from "@/api/problem";
import { placeName, plainProblem, plainWords } from "./problem-words";

describe("places of a request", () => {
  it.each([
    ["body.columns", "Column mapping"],
    ["body.columns.time", "Column mapping: time"],
    ["body.ram_pages", "RAM size"],
    ["body.flash_device_id", "Flash device"],
    ["body.devices.2.read_iops", "Devices: entry 3: read IOPS"],
    ["body.tiers[0].price_usd_per_gb", "Tiers: entry 1: price USD per gb"],
    ["query.points", "Points"],
    ["path.workload_id", "Workload"],
    ["ram_pages", "RAM size"],
    ["peak_accesses_per_s", "Peak accesses per second"],
    ["body", "The request"],
  ])("%s is %s", (where, name) => {
    expect(placeName(where)).toBe(name);
  });

  it("are never shown as they are, whatever the field", () => {
    const part = fc.stringMatching(/^[a-z]{2,8}(_[a-z]{2,8}){0,2}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const name = placeName(["body", ...parts].join("."));
        expect(name).not.toMatch(/body|_|\.\w/);
        expect(name.charAt(0)).toBe(name.charAt(0).toUpperCase());
      }),
    );
  });
});

describe("words of the server", () => {
  it.each([
    ["GET /api/v1/catalog/devices lists all.", "The Hardware page lists all."],
    [
      "It may have been deleted. GET /api/v1/scenarios lists all.",
      "It may have been deleted. The Scenarios page lists all.",
    ],
    ["Follow its run: GET /api/v1/runs/9b04bd48.", "Follow its run on the Runs page."],
    [
      "Traces are uploaded with tus at /api/v1/uploads.",
      "Traces are uploaded on the Workloads page.",
    ],
    ["A name of `GET /catalog/device-kinds`.", "A name of the Hardware page."],
    ["dirty_share: `1.2` must lie in [0, 1]", "Dirty share: 1.2 must lie in [0, 1]"],
    ["there is no device `my-drive`", "there is no device “my-drive”"],
    ["give `flash_pages` too", "give “Flash size” too"],
    ["read/write and I/O and and/or stay", "read/write and I/O and and/or stay"],
    ["/data/traces/a.csv is not there", "/data/traces/a.csv is not there"],
  ])("%s", (said, words) => {
    expect(plainWords(said)).toBe(words);
  });

  it("hold no path, no place of a request and no backtick", () => {
    const body = {
      title: "A value cannot be used",
      status: 422,
      detail:
        "body.upload_id: String should match pattern '^[a-z0-9]{0,99}$' (and 1 more)",
      hint: "Correct the values listed under `errors` and send the request again.",
      errors: [
        {
          where: "body.upload_id",
          value: "",
          message: "String should match pattern '^[a-z0-9]{0,99}$'",
        },
        {
          where: "body.ram_pages",
          value: 0,
          message: "Input should be greater than or equal to 1",
        },
      ],
    };
    const plain = plainProblem(problemOfBody(body, 422));
    expect(plain.detail).toBe("");
    expect(plain.hint).toBe("Correct what is listed here and try again.");
    expect(plain.errors.map(({ where, message }) => `${where} ${message}`)).toEqual([
      "Upload has the wrong format",
      "RAM size must be at least 1",
    ]);
    expect(JSON.stringify(plain)).not.toMatch(/body\.|`|\/api|\^\[/);
  });

  it("say a fault once whoever found it", () => {
    const plain = plainProblem(
      problemOfBody(
        {
          title: "A value cannot be used",
          detail:
            "production: peak_accesses_per_s: `4` must not be below the mean rate",
          errors: [
            { where: "peak_accesses_per_s", value: "4", message: "must not be below" },
          ],
        },
        422,
      ),
    );
    expect(plain.detail).toBe("");
    expect(plain.errors[0]?.where).toBe("Peak accesses per second");
  });

  it("keep a detail that says more than its entries", () => {
    const plain = plainProblem(
      problemOfBody(
        {
          detail: "two kinds of table fit",
          errors: [{ where: "body.format", value: "csv", message: "has a header" }],
        },
        422,
      ),
    );
    expect(plain.detail).toBe("two kinds of table fit");
    expect(plain.errors[0]?.where).toBe("Format");
  });
});
