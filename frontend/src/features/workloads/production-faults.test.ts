import { describe, expect, it } from "vitest";
import { ProblemError, problemOfBody } from "@/api/problem";
import { faultAt, faultsOf, fieldOf, ownFaults } from "./production-faults";
import { EMPTY_PRODUCTION } from "./production-form";

const STATED = { ...EMPTY_PRODUCTION, dataBytes: 2e12, rate: 50_000 };

const refused = (errors: readonly object[], hint: string) =>
  new ProblemError(
    problemOfBody({ title: "A value cannot be used", status: 422, hint, errors }, 422),
  );

describe("faults of the form of production", () => {
  it("say which value to enter, at the field itself", () => {
    const faults = ownFaults({ ...STATED, peak: 40_000 });
    expect(faultAt(faults, "peak")).toBe(
      "40,000 is below the mean rate of 50,000; enter 50,000 or more",
    );
    expect(faultAt(faults, "rate")).toBeUndefined();
    expect(ownFaults({ ...STATED, peak: 50_000 })).toEqual([]);
    expect(ownFaults({ ...STATED, peak: 40_000, rates: "1 2 3" })).toEqual([]);
  });

  it("compare page accesses where the rate is of transactions", () => {
    const form = {
      ...STATED,
      unit: "unit",
      accessesPerUnit: 20,
      peak: 60_000,
    } as const;
    expect(faultAt(ownFaults(form), "peak")).toBe(
      "60,000 is below the mean rate of 1,000,000 accesses per second; enter 1,000,000 or more",
    );
  });

  it("of the server are mapped to the fields that were sent", () => {
    const faults = faultsOf(
      refused(
        [
          {
            where: "recorded_data_bytes",
            value: "1,000 B",
            message: "must not be less than the 318 MiB that the recording touches",
          },
        ],
        "state the size of the whole database or volume that was recorded",
      ),
    );
    expect(faults).toEqual([
      {
        field: "recordedBytes",
        text: "1,000 B must not be less than the 318 MiB that the recording touches; state the size of the whole database or volume that was recorded",
      },
    ]);
    const body = faultsOf(
      refused(
        [
          {
            where: "body.data_bytes",
            value: 2e19,
            message: "Input should be less than or equal to 9007199254740991",
          },
        ],
        "Correct the values listed under `errors` and send the request again.",
      ),
    );
    expect(body?.[0]?.field).toBe("dataBytes");
    expect(body?.[0]?.text).not.toMatch(/errors|Input|body/);
  });

  it("inside a table stand at the field that holds it", () => {
    const error = new ProblemError(
      problemOfBody(
        {
          detail: "body.rates_table: row 3 begins 5,400 s after the one before it",
          hint: "write one row a step",
          errors: [],
        },
        422,
      ),
    );
    expect(faultsOf(error)).toEqual([
      {
        field: "rates",
        text: "row 3 begins 5,400 s after the one before it; write one row a step",
      },
    ]);
  });

  it("are left to the alert where one has no field", () => {
    const known = { where: "machines", value: "0", message: "must be more" };
    const unknown = { where: "line 3, accesses_per_s", value: "x", message: "is none" };
    expect(faultsOf(refused([known, unknown], ""))).toBeNull();
    expect(faultsOf(refused([], ""))).toBeNull();
    expect(fieldOf("body.relation_factors.2")).toBe("factors");
    expect(fieldOf("toString")).toBeNull();
  });
});
