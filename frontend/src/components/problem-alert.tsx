import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { toProblem } from "@/api/problem";

interface ProblemAlertProps {
  readonly error: unknown;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** What went wrong, where, with which value, and what to do next. */
export function ProblemAlert({ error, title, onRetry }: ProblemAlertProps) {
  const problem = toProblem(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      title={title ?? problem.title}
      styles={{ title: { color: "var(--mantine-color-error)" } }}
    >
      <Stack gap={6}>
        <Text size="sm">{problem.detail}</Text>
        {problem.errors.length > 0 && (
          <ul style={{ margin: 0, paddingLeft: 20 }}>
            {problem.errors.map((entry) => (
              <li key={`${entry.where} ${entry.message}`}>
                <Text size="sm" component="span">
                  <b>{entry.where}</b>: {entry.message}
                  {entry.value === null ? "" : `, got \`${entry.value}\``}
                </Text>
              </li>
            ))}
          </ul>
        )}
        {problem.hint !== null && (
          <Text size="sm">
            <b>What to do:</b> {problem.hint}
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
