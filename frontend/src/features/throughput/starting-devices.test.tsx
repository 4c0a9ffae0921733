import { expect, it, vi } from "vitest";
import { page } from "vitest/browser";
import type { EvaluationOut } from "@/api/compare";
import { renderThemed } from "@/testing/render";
import { StartNote, startingDevices } from "./starting-devices";

const WHY =
  "In the busiest hour, 20,000 accesses per second take at least 2 flash devices and 32 disks under Exclusive.";

const evaluated = (best: string, load: boolean) =>
  ({
    best,
    schemes: [
      { scheme: "none", title: "No flash" },
      { scheme: "exclusive", title: "Exclusive" },
    ],
    at_load: load
      ? {
          sentence: WHY,
          configurations: [
            { name: "none", flash_devices: 0, disks: 60 },
            { name: "exclusive", flash_devices: 2, disks: 32 },
          ],
        }
      : null,
  }) as unknown as EvaluationOut;

const NOT_REPLAYED = { found: null, isPending: false };

it("begins with the devices of the best scheme, at least one of each", () => {
  expect(startingDevices(evaluated("exclusive", true))).toEqual({
    disks: 32,
    flash_devices: 2,
    title: "Exclusive",
    why: WHY,
    counted: "2 flash devices and 32 disks",
  });
  expect(startingDevices(evaluated("none", true))).toMatchObject({
    disks: 60,
    flash_devices: 1,
    counted: "60 disks",
  });
  expect(startingDevices(evaluated("exclusive", false))).toBeNull();
});

it("says why, and offers the numbers where others were chosen", async () => {
  const found = startingDevices(evaluated("exclusive", true));
  if (found === null) {
    throw new Error("production has a rate");
  }
  const onUse = vi.fn();
  const same = await renderThemed(
    <StartNote
      found={found}
      replayed={NOT_REPLAYED}
      disks={32}
      flashDevices={2}
      onUse={onUse}
    />,
  );
  await expect
    .element(
      page.getByText(
        /32 disks under Exclusive\. Counted by the model, not by a replay\. The numbers for Exclusive are/,
      ),
    )
    .toBeVisible();
  expect(page.getByRole("button").elements()).toHaveLength(0);
  await same.unmount();
  await renderThemed(
    <StartNote
      found={found}
      replayed={NOT_REPLAYED}
      disks={1}
      flashDevices={2}
      onUse={onUse}
    />,
  );
  await expect
    .element(page.getByText(/Used here: 2 flash devices and 1 disk\.$/))
    .toBeVisible();
  await page.getByRole("button", { name: "Use the numbers for Exclusive" }).click();
  expect(onUse).toHaveBeenCalledOnce();
});

it("leads with the count of the replay, as the page that compares does, and says which is the model's", async () => {
  const found = startingDevices(evaluated("exclusive", true));
  if (found === null) {
    throw new Error("production has a rate");
  }
  const replayed = {
    ...found,
    disks: 30,
    why: "On average, 20,000 accesses per second take at least 30 disks under Exclusive, as the replay counts them.",
  };
  const screen = await renderThemed(
    <StartNote
      found={found}
      replayed={{ found: replayed, isPending: false }}
      disks={32}
      flashDevices={2}
      onUse={vi.fn()}
    />,
  );
  const text = screen.getByRole("region", { name: "Devices for production" });
  await expect
    .element(text)
    .toHaveTextContent(
      `${replayed.why} Compare shows the same. The chart and the tables below are by the model, which counts 2 flash devices and 32 disks under Exclusive: these are used here.`,
    );
  // One headline rests on one of both: the model's own sentence has other counts.
  await expect.element(text).not.toHaveTextContent(found.why);
});
