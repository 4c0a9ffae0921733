import { Select } from "@mantine/core";
import { bytes, formatBytes } from "@/units/quantity";

const KIB = 1024;
const USUAL_SIZES = [0.5, 4, 8, 16, 32, 64, 128, 256, 1024].map((size) => size * KIB);

/** The size that the busy times of every device on the page are of. */
export function PageSize(props: {
  readonly value: number;
  readonly onChange: (pageBytes: number) => void;
}) {
  const { value, onChange } = props;
  const sizes = [...new Set([...USUAL_SIZES, value])].sort((one, other) => one - other);
  return (
    <Select
      aria-label="Page size"
      w={170}
      value={String(value)}
      allowDeselect={false}
      data={sizes.map((size) => ({
        value: String(size),
        label: `Pages of ${formatBytes(bytes(size))}`,
      }))}
      onChange={(size) => size !== null && onChange(Number(size))}
    />
  );
}
