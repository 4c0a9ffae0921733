import { Text } from "@mantine/core";
import { LogSlider } from "@/components/log-slider";
import { Panel } from "@/components/panel";
import { SizeInput } from "@/components/size-input";
import {
  bytes,
  bytesOfPages,
  formatBytes,
  formatPagesAndBytes,
  formatPercent,
  pages,
  ratio,
} from "@/units/quantity";
import { type Curve, sizeSentence } from "./curve-findings";
import { curveAt } from "./summaries";
import classes from "./summaries.module.css";

interface SizeCursorProps {
  readonly curve: Curve;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** One cache size for all charts that depend on it. */
export function SizeCursor({ curve, value, onChange }: SizeCursorProps) {
  const pageBytes = bytes(curve.page_bytes);
  const misses = curveAt(curve.pages, curve.misses, value);
  const text = formatPagesAndBytes(pages(value), pageBytes);
  return (
    <Panel
      title={`A cache of ${formatBytes(bytesOfPages(pages(value), pageBytes))} hits ${formatPercent(ratio(1 - misses / curve.accesses))} of the accesses`}
      subtitle="The size marked in the curves"
      label="Cache size of the charts"
    >
      <div className={classes["cursor"]}>
        <LogSlider
          label="Cache size"
          value={value}
          min={curve.pages[0] ?? 1}
          max={curve.pages.at(-1) ?? 1}
          valueText={text}
          onChange={onChange}
        />
        <SizeInput
          label="Exact cache size"
          value={pages(value)}
          pageBytes={pageBytes}
          min={curve.pages[0] ?? 1}
          onChange={onChange}
        />
      </div>
      <Text size="sm" mt="xs">
        {sizeSentence(curve, value)}
      </Text>
    </Panel>
  );
}
