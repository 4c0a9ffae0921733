import type { ErrorComponentProps } from "@tanstack/react-router";
import { ProblemAlert } from "@/components/problem-alert";

export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <ProblemAlert error={error} title="This page could not be shown" onRetry={reset} />
  );
}
