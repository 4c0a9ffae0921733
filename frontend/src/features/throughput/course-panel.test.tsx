import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ThroughputSearch } from "@/questions/throughput";
import { expectAccessible, renderThemed } from "@/testing/render";
import { SIMULATOR } from "@/testing/simulator";
import { CoursePanel } from "./course-panel";

const POINT = {
  workload_id: "w",
  ram_pages: 1000,
  flash_pages: 6000,
  flash_device_id: "flash",
  disk_device_id: "disk",
};

/** The panel over an address that it changes itself. */
function Panel(props: { readonly onSearch: (search: ThroughputSearch) => void }) {
  const [search, setSearch] = useState<ThroughputSearch>({ system: "lazy" });
  return (
    <CoursePanel
      workload="w"
      point={POINT}
      name="Example"
      search={search}
      timed
      replays="trace"
      patch={(change) => {
        const next = { ...search, ...change };
        setSearch(next);
        props.onSearch(next);
      }}
    />
  );
}

afterEach(() => vi.restoreAllMocks());

const field = () =>
  page.getByRole("textbox", { name: "Options of the scheme or flash cache" });

it("asks for the course with the options of the system", async () => {
  const asked: unknown[] = [];
  vi.spyOn(window, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (request.method === "GET") {
      return Response.json(SIMULATOR);
    }
    asked.push(await request.json());
    return Response.json({ title: "Not asked further" }, { status: 422 });
  });
  const onSearch = vi.fn();
  await renderThemed(<Panel onSearch={onSearch} />);
  await field().fill("admission=cachesack  assignment=second_miss+1:never");
  await userEvent.keyboard("{Enter}");
  expect(onSearch).toHaveBeenCalledWith({
    system: "lazy",
    course_options: "admission=cachesack assignment=second_miss+1:never",
  });
  await expectAccessible();
  await page.getByRole("button", { name: "Replay over time" }).click();
  await expect.poll(() => asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    system: "lazy",
    restart: "cold",
    options: { admission: "cachesack", assignment: "second_miss+1:never" },
  });
});

it("leaves the options of one system out where another is chosen", async () => {
  vi.spyOn(window, "fetch").mockImplementation(async () => Response.json(SIMULATOR));
  const onSearch = vi.fn();
  await renderThemed(<Panel onSearch={onSearch} />);
  await field().fill("ram_policy=arc");
  await userEvent.keyboard("{Enter}");
  await page.getByRole("combobox", { name: "Scheme or flash cache" }).click();
  await page.getByRole("option", { name: "FACE" }).click();
  expect(onSearch).toHaveBeenLastCalledWith({
    system: "face",
    course_options: undefined,
  });
  await expect.element(field()).toHaveValue("");
});
