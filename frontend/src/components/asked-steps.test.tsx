import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { type DerivationStep, stepsQuery } from "@/api/derived";
import { expectAccessible, renderThemed } from "@/testing/render";
import { AskedSteps } from "./asked-steps";
import { WhyButton } from "./why-button";

const step = (name: string, scheme: string | null): DerivationStep => ({
  scheme,
  name,
  formula: `${name} = 1 + 1`,
  value: 2,
  unit: "µs",
  source: "a paper",
});

const shownBy = (ask: () => Promise<{ data: { derivation: DerivationStep[] } }>) =>
  renderThemed(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <WhyButton title="wear">
        <AskedSteps
          query={stepsQuery("wear", { pages: 1 }, ask)}
          only={({ scheme }) => scheme === "lazy"}
        />
      </WhyButton>
    </QueryClientProvider>,
  );

it("asks for the steps when somebody looks, and shows those of the figure", async () => {
  const ask = vi.fn(async () => ({
    data: { derivation: [step("written", "lazy"), step("read", "none")] },
  }));
  const screen = await shownBy(ask);
  expect(ask).not.toHaveBeenCalled();
  await screen.getByRole("button", { name: "Why: wear" }).click();
  await expect.element(screen.getByText("written = 1 + 1")).toBeVisible();
  expect(screen.getByText("read = 1 + 1").query()).toBeNull();
  expect(ask).toHaveBeenCalledOnce();
  await expectAccessible();
});

it("says why there are none, and asks again", async () => {
  let answers = false;
  const screen = await shownBy(async () => {
    if (!answers) {
      throw new Error("the workload was deleted");
    }
    return { data: { derivation: [step("written", "lazy")] } };
  });
  await screen.getByRole("button", { name: "Why: wear" }).click();
  await expect.element(screen.getByText("The steps could not be loaded")).toBeVisible();
  answers = true;
  await screen.getByRole("button", { name: /again/i }).click();
  await expect.element(screen.getByText("written = 1 + 1")).toBeVisible();
});
