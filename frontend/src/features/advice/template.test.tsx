import { afterEach, describe, expect, it, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { type AdviceSearch, parseAdviceSearch } from "@/questions/advice";
import { STATE as ANY } from "@/testing/analysis-state";
import { expectAccessible, renderThemed } from "@/testing/render";
import { isAsked, notShown, searchOf, templateOf } from "./template";
import { TemplateFields } from "./template-fields";

const STATE = { ...ANY, months: 48 } as const;

const SEARCH: AdviceSearch = {
  goal: "io_time",
  kinds: "volumes,devices",
  providers: "aws,gcp",
  vendors: "SK hynix",
  own: "own-drive-1",
  most_usd: 5000.5,
  most_busy: 0.5,
  most_ram_gib: 512,
  limit_machines: 4,
  chassis_usd: 9000,
  kwh_usd: 0.2,
  borrow: true,
};

/** As the server keeps it: amounts as texts, and nothing that was not stated. */
const kept = (template: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(template, (key, value: unknown) =>
      key.includes("usd") && typeof value === "number" ? String(value) : value,
    ),
  ) as Record<string, unknown>;

describe("a template", () => {
  it("sets the form as it was saved, whatever stood in it", () => {
    const template = kept(templateOf(STATE, SEARCH));
    const found = searchOf(template);
    expect(found).toMatchObject({ ...SEARCH, price_book: "book", months: 48 });
    // What it does not state is cleared; what there is today stays.
    expect(found).toHaveProperty("most_io_us", undefined);
    expect(found).not.toHaveProperty("have_ram_gib");
    const address = Object.fromEntries(
      Object.entries(found).filter(([, value]) => value !== undefined),
    );
    expect(parseAdviceSearch(address).refused).toBeUndefined();
    expect(isAsked(STATE, SEARCH, template, "usual")).toBe(true);
    expect(isAsked(STATE, { ...SEARCH, most_usd: 6000 }, template, "usual")).toBe(
      false,
    );
    expect(isAsked({ ...STATE, months: 36 }, SEARCH, template, "usual")).toBe(false);
    expect(notShown(STATE, template)).toEqual([]);
  });

  it("names what the form has no field for", () => {
    const template = {
      candidates: { servers: ["aws-i4i.4xlarge"], machine_usd: "100.00" },
      constraints: { machines: 5, power_watts: 500, usd_per_month: "5000" },
    };
    expect(notShown(STATE, template)).toEqual(["candidates.servers"]);
    expect(searchOf(template)).toMatchObject({
      most_usd: 5000,
      most_watts: 500,
      limit_machines: 5,
      machine_usd: 100,
      months: 36,
    });
  });

  it("has the default price book where it states none, and no book where it says so", () => {
    // The address is filled with the default one, which the server takes as well.
    expect(searchOf({})).toHaveProperty("price_book", undefined);
    const usual = { ...STATE, price_book: "usual", months: 36 };
    expect(isAsked(usual, {}, {}, "usual")).toBe(true);
    expect(isAsked({ ...usual, price_book: "none" }, {}, {}, "usual")).toBe(false);
    const without = templateOf({ ...STATE, price_book: "none", months: 36 }, {});
    expect(without.price_book_id).toBe("none");
    expect(searchOf(kept(without))).toMatchObject({ price_book: "none" });
    expect(isAsked({ ...usual, price_book: "none" }, {}, kept(without), "usual")).toBe(
      true,
    );
    expect(isAsked(usual, {}, kept(without), "usual")).toBe(false);
    expect(searchOf({ price_book_id: "none" }).kinds).toBeUndefined();
  });

  it("lists as many equal machines as an earlier one states, and limits none of them", () => {
    const earlier = {
      candidates: { max_machines: 1 },
      price_book_id: STATE.price_book,
      horizon_months: STATE.months,
    };
    // With 2 copies of the data a limit of 1 machine would leave no option; a list of 1 goes up to 2.
    const found = searchOf(earlier);
    expect(found).toMatchObject({ limit_machines: undefined, most_machines: 1 });
    const asked = templateOf(STATE, found);
    expect(asked.candidates).toMatchObject({ max_machines: 1 });
    expect(asked.constraints).toEqual({});
    expect(notShown(STATE, earlier)).toEqual([]);
    expect(isAsked(STATE, found, earlier, "usual")).toBe(true);
  });

  it.each<[{ max_machines?: number }, number | undefined, AdviceSearch]>([
    [{}, 16, { limit_machines: 16, most_machines: 8 }],
    [{ max_machines: 4 }, 16, { limit_machines: 16, most_machines: 4 }],
    [{ max_machines: 20 }, 16, { limit_machines: 16, most_machines: 20 }],
    // As the form saves it: what it lists for its limit is no number of its own.
    [{ max_machines: 32 }, 16, { limit_machines: 16, most_machines: undefined }],
    [{}, 4, { limit_machines: 4, most_machines: undefined }],
    [{ max_machines: 8 }, 4, { limit_machines: 4, most_machines: 8 }],
    [{ max_machines: 8 }, undefined, { most_machines: 8 }],
  ])("lists %o for a limit of %o as it states it", (candidates, machines, search) => {
    const template = {
      candidates,
      constraints: machines === undefined ? {} : { machines },
    };
    expect(searchOf(template)).toMatchObject(search);
    expect(notShown(STATE, template)).toEqual([]);
    const asked = templateOf(STATE, searchOf(template));
    expect(asked.constraints).toEqual(template.constraints);
    // The server lists 8 where nobody says.
    expect(asked.candidates?.max_machines ?? 8).toBe(candidates.max_machines ?? 8);
  });

  it("has the kinds that the server would read from it", () => {
    expect(searchOf({}).kinds).toBeUndefined();
    expect(searchOf({ price_book_id: "book" }).kinds).toBe(
      "instances,volumes,chassis,devices",
    );
    expect(searchOf({ candidates: { own: ["own-a"] } }).kinds).toBe(
      "instances,volumes,chassis,devices",
    );
    expect(
      searchOf({ candidates: { kinds: ["volumes"] }, price_book_id: "book" }).kinds,
    ).toBe("volumes");
  });
});

describe("the form", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const TEMPLATE = {
    id: "t1",
    name: "Storage team",
    template: kept(templateOf(STATE, SEARCH)),
    created_at: "2026-11-01T00:00:00Z",
    updated_at: "2026-11-01T00:00:00Z",
    etag: '"1"',
  };

  const serve = () => {
    const sent: Request[] = [];
    vi.spyOn(window, "fetch").mockImplementation(async (asked) => {
      const request = asked as Request;
      sent.push(request.clone());
      return Response.json(
        request.method === "GET" ? { items: [TEMPLATE], total: 1 } : TEMPLATE,
      );
    });
    return sent;
  };

  it("is set by a template, which says whether the form still asks it", async () => {
    serve();
    const patch = vi.fn();
    const screen = await renderThemed(
      <TemplateFields state={STATE} search={{ most_usd: 1 }} patch={patch} />,
    );
    await screen.getByRole("combobox", { name: "Template" }).click();
    await screen.getByRole("option", { name: "Storage team" }).click();
    expect(patch).toHaveBeenLastCalledWith(
      expect.objectContaining({ ...SEARCH, template: "t1" }),
    );
  });

  it.each([
    [SEARCH, "The form asks what this template states."],
    [
      { ...SEARCH, most_usd: 7 },
      "The form was changed since this template was chosen, or the template was.",
    ],
  ] as const)("says where it stands", async (search, said) => {
    serve();
    const patch = vi.fn();
    const screen = await renderThemed(
      <TemplateFields
        state={STATE}
        search={{ ...search, template: "t1" }}
        patch={patch}
      />,
    );
    await expect.element(screen.getByRole("status")).toHaveTextContent(said);
    const reset = screen.getByRole("button", { name: "Set the form to it" });
    expect(reset.elements()).toHaveLength(search === SEARCH ? 0 : 1);
    for (const button of reset.elements()) {
      await userEvent.click(button);
      expect(patch).toHaveBeenLastCalledWith(expect.objectContaining(SEARCH));
    }
    await expectAccessible();
  });

  it("is kept under a new name, or changes the template that was read", async () => {
    const sent = serve();
    const patch = vi.fn();
    const screen = await renderThemed(
      <TemplateFields
        state={STATE}
        search={{ goal: "pareto", template: "t1" }}
        patch={patch}
      />,
    );
    const name = screen.getByRole("textbox", { name: "Name" });
    await expect.element(name).toHaveValue("Storage team");
    // The name is taken by the template itself: only its change can be saved.
    const create = screen.getByRole("button", { name: "Save as a new template" });
    await expect.element(create).toBeDisabled();
    await screen.getByRole("button", { name: "Save changes" }).click();
    await expect.poll(() => sent.some(({ method }) => method === "PUT")).toBe(true);
    const changed = sent.find(({ method }) => method === "PUT");
    expect(changed?.headers.get("if-match")).toBe('"1"');
    expect(await changed?.json()).toMatchObject({
      name: "Storage team",
      template: { objective: "pareto" },
    });
    await name.fill("Another team");
    await create.click();
    await expect.poll(() => sent.some(({ method }) => method === "POST")).toBe(true);
    expect(await sent.find(({ method }) => method === "POST")?.json()).toMatchObject({
      name: "Another team",
    });
    await expect.poll(() => patch.mock.lastCall).toEqual([{ template: "t1" }]);
  });
});
