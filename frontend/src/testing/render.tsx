import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import axe from "axe-core";
import type { ReactNode } from "react";
import { expect } from "vitest";
import { render } from "vitest-browser-react";
import { cssVariables, theme } from "@/app/theme";

/** Renders with the page's own theme, in one of its two colour schemes. */
export function renderThemed(element: ReactNode, colors: "light" | "dark" = "light") {
  return render(
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      forceColorScheme={colors}
    >
      <QueryClientProvider client={new QueryClient()}>
        <main>{element}</main>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** The same with a router, which links of a component need. */
export async function renderRouted(
  element: ReactNode,
  colors: "light" | "dark" = "light",
) {
  const root = createRootRoute();
  const page = createRoute({
    getParentRoute: () => root,
    path: "/",
    component: () => element,
  });
  const router = createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  await router.load();
  return renderThemed(<RouterProvider router={router as never} />, colors);
}

/** No axe violation in what is on the screen. */
export async function expectAccessible(): Promise<void> {
  const { violations } = await axe.run(document.body, {
    // A component alone is no whole page.
    rules: { region: { enabled: false }, "page-has-heading-one": { enabled: false } },
  });
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`,
  );
  expect(found).toEqual([]);
}
