import { describe, expect, test } from "vitest";
import type { ApiDocument } from "@/api/api-document";
import {
  boundsOf,
  callsOf,
  curlOf,
  foundCalls,
  objectsIn,
  titleOf,
  typeOf,
} from "./document";

const DOCUMENT: ApiDocument = {
  info: { title: "Tierwright", version: "1" },
  paths: {
    "/api/v1/things/{thing_id}": {
      get: {
        operationId: "get_thing",
        description: "Read one thing.",
        tags: ["things"],
        parameters: [
          { name: "thing_id", in: "path", example: "a1" },
          { name: "points", in: "query", example: 20 },
          { name: "role", in: "query" },
        ],
        responses: {},
      },
      put: {
        operationId: "update_thing",
        description: "Change one thing.",
        parameters: [{ name: "thing_id", in: "path", example: "a1" }],
        requestBody: {
          content: { "application/json": { example: { name: "it's" } } },
        },
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: { next: { $ref: "#/components/schemas/Thing" } },
      },
      Kind: { type: "string", enum: ["a", "b"] },
    },
  },
};
const [get, put] = callsOf(DOCUMENT);

describe("operations", () => {
  test("are found by every word", () => {
    expect(
      foundCalls(callsOf(DOCUMENT), "thing read").map((each) => each.method),
    ).toEqual(["GET"]);
    expect(get?.group).toBe("things");
    expect(put?.group).toBe("other");
    expect(put && titleOf(put)).toBe("Update thing");
  });

  test("become commands with their examples", () => {
    expect(get && curlOf("http://h", get)).toBe(
      "curl 'http://h/api/v1/things/a1?points=20'",
    );
    expect(put && curlOf("http://h", put)).toBe(
      `curl -X PUT http://h/api/v1/things/a1 -H 'Content-Type: application/json' -d '{"name":"it'\\''s"}'`,
    );
  });
});

describe("schemas in words", () => {
  test.each([
    [{ type: "array", items: { $ref: "#/components/schemas/Thing" } }, "list of Thing"],
    [{ $ref: "#/components/schemas/Kind" }, '"a" or "b"'],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "integer or null"],
    [
      { type: "object", additionalProperties: { type: "number" } },
      "object of number by name",
    ],
    [{}, "any value"],
  ])("%j", (schema, words) => {
    expect(typeOf(DOCUMENT, schema)).toBe(words);
  });

  test("bounds", () => {
    expect(boundsOf({ minimum: 0, maximum: 1 })).toBe("0 to 1");
    expect(boundsOf({ minimum: 2 })).toBe("at least 2");
    expect(boundsOf({})).toBeNull();
  });

  test("an object that holds itself is named once", () => {
    const list = { type: "array", items: { $ref: "#/components/schemas/Thing" } };
    expect(
      objectsIn(DOCUMENT, { anyOf: [list, list] }).map(({ name }) => name),
    ).toEqual(["Thing"]);
  });
});
