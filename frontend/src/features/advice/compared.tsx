import { Text } from "@mantine/core";
import { Unknown } from "@/components/unknown";
import { against, type Value, type Written } from "./option-figures";

/** A figure, and beneath it how it differs from the one that it is compared with. */
export function Compared(props: {
  readonly figure: Written;
  readonly value: Value;
  /** What it is compared with; null in the first column. */
  readonly first: Value;
  /** Why it is not known. */
  readonly reason: string;
}) {
  const { figure, value, first, reason } = props;
  if (value === null) {
    return <Unknown reason={reason} />;
  }
  const change = against(figure, first, value);
  return (
    <>
      {typeof value === "number" ? (figure.format ?? String)(value) : value}
      {change !== null && (
        <Text size="sm" c="dimmed" span display="block">
          {change}
        </Text>
      )}
    </>
  );
}
