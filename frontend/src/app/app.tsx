import { MantineProvider } from "@mantine/core";
import { hashKey, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ProblemError } from "@/api/problem";
import { Toasts } from "@/components/toasts";
import { moneyQuery } from "@/units/currency";
import { router } from "./router";
import { cssVariables, theme } from "./theme";

const MAX_RETRIES = 2;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The same question in another currency has another answer.
      queryKeyHashFn: (key) => hashKey([...key, moneyQuery()]),
      // A refusal stays a refusal; only an unreachable or busy server is asked again.
      retry: (count, error) => {
        const status = error instanceof ProblemError ? error.problem.status : null;
        return count < MAX_RETRIES && (status === null || status >= 500);
      },
    },
  },
});

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  );
}
