import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { toProblem } from "@/api/problem";
import { plainProblem } from "./problem-words";

interface ProblemAlertProps {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** Errors are written to follow a colon; here one stands alone. */
const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

/** What went wrong, where, with which value, and what to do next. */
export function ProblemAlert({ error, title, onRetry }: ProblemAlertProps) {
  const problem = plainProblem(toProblem(error));
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      title={title ?? problem.title}
      styles={{ title: { color: "var(--mantine-color-error)" } }}
    >
      <Stack gap={6}>
        {problem.detail !== "" && <Text size="sm">{sentence(problem.detail)}</Text>}
        {problem.errors.length > 0 && (
          <ul style={{ margin: 0, paddingLeft: 20 }}>
            {problem.errors.map((entry) => (
              <li key={`${entry.where} ${entry.message}`}>
                <Text size="sm" component="span">
                  <b>{entry.where}</b>: {entry.message}
                  {entry.value === null || entry.value === ""
                    ? ""
                    : `, got “${entry.value}”`}
                </Text>
              </li>
            ))}
          </ul>
        )}
        {problem.hint !== null && (
          <Text size="sm">
            <b>What to do:</b> {sentence(problem.hint)}
          </Text>
        )}
        {onRetry !== undefined && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
