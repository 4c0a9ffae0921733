import { expect, it } from "vitest";
import { page } from "vitest/browser";
import { renderThemed } from "@/testing/render";
import { EvidencePanel } from "./evidence";

const AGES = {
  evidence: "ages",
  title: "ages, indicative",
  valid_from: 10,
  valid_to: 1000,
  range: "40 KiB to 4 MiB",
  self_check: 0.4,
  check: "at its largest size its misses are 40 % above what the system counts",
  indicative: true,
  snapshots: 1,
  basis: "1 snapshot, too few for a band",
} as const;

it("names the class, the range and the check of a curve from counters", async () => {
  await renderThemed(<EvidencePanel evidence={AGES} />);
  const shown = (text: string | RegExp) => expect.element(page.getByText(text));
  await shown("Evidence: ages, indicative").toBeVisible();
  await shown(/^40 KiB to 4 MiB/).toBeVisible();
  await shown(/^At its largest size its misses are 40 % above/).toBeVisible();
  await shown("The curve is known up to the present size.").toBeVisible();
});

it("recommends no size of one point", async () => {
  await renderThemed(
    <EvidencePanel evidence={{ ...AGES, evidence: "one_point", title: "one point" }} />,
  );
  await expect.element(page.getByText(/No size is recommended\.$/)).toBeVisible();
});
