import { Button, Group, NumberInput, Select, Text } from "@mantine/core";
import { memo, useState } from "react";
import { DraftInput } from "@/components/draft-input";
import { FlashMetadata } from "@/components/flash-metadata";
import { AXIS_NAMES, type AxisName, type MapSearch } from "@/questions/scheme-map";
import {
  bytes,
  bytesOfPages,
  formatBytes,
  type Pages,
  pages,
  parseSize,
} from "@/units/quantity";
import {
  AXIS_NAMES as AXIS_TEXTS,
  AXIS_TITLES,
  type AxisChoice,
  fitsBeside,
  isSize,
  rangeProblem,
} from "./axes";
import classes from "./scheme-map.module.css";

interface MapControlsProps {
  readonly axes: { readonly x: AxisChoice; readonly y: AxisChoice };
  readonly pageBytes: number;
  readonly metadata: string | undefined;
  readonly patch: (change: MapSearch) => void;
}

/** Axes, their ranges, and whether RAM pays for knowing what flash holds. */
export const MapControls = memo(function MapControls({
  axes,
  pageBytes,
  metadata,
  patch,
}: MapControlsProps) {
  const swap = () =>
    patch({
      x: axes.y.axis,
      y: axes.x.axis,
      x_low: axes.y.low,
      x_high: axes.y.high,
      y_low: axes.x.low,
      y_high: axes.x.high,
    });
  return (
    <section className="tw-panel" aria-label="Axes of the map">
      <div className={classes["controls"]}>
        <AxisControl
          name="Across"
          chosen={axes.x}
          pageBytes={pageBytes}
          other={axes.y.axis}
          onAxis={(x) =>
            patch({
              x,
              x_low: undefined,
              x_high: undefined,
              ...(fitsBeside(axes.y.axis, x)
                ? {}
                : { y: undefined, y_low: undefined, y_high: undefined }),
            })
          }
          onRange={(x_low, x_high) => patch({ x_low, x_high })}
        />
        <AxisControl
          name="Upwards"
          chosen={axes.y}
          pageBytes={pageBytes}
          other={axes.x.axis}
          onAxis={(y) => patch({ y, y_low: undefined, y_high: undefined })}
          onRange={(y_low, y_high) => patch({ y_low, y_high })}
        />
        <FlashMetadata
          value={metadata}
          onChange={(name) => patch({ metadata: name, flash_metadata: undefined })}
        />
      </div>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={swap}>
          Swap axes
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            patch({
              x_low: undefined,
              x_high: undefined,
              y_low: undefined,
              y_high: undefined,
            })
          }
        >
          Reset ranges
        </Button>
      </Group>
    </section>
  );
});

interface AxisControlProps {
  readonly name: string;
  readonly chosen: AxisChoice;
  readonly pageBytes: number;
  readonly other: AxisName;
  readonly onAxis: (axis: AxisName) => void;
  readonly onRange: (low: number, high: number) => void;
}

const END_NAMES = {
  low: (axis: string) => `${axis}, from`,
  high: (axis: string) => `${axis}, to`,
} as const;

/** One end of an axis of sizes, typed in bytes or pages. */
function SizeEnd(
  props: AxisControlProps & {
    readonly end: "low" | "high";
    readonly label: string;
  },
) {
  const { name, chosen, end, label, onRange } = props;
  const pageBytes = bytes(props.pageBytes);
  const rangeWith = (value: number) => ({ ...chosen, [end]: value });
  return (
    <DraftInput<Pages>
      label={label}
      ariaLabel={END_NAMES[end](name)}
      shown={formatBytes(bytesOfPages(pages(chosen[end]), pageBytes))}
      read={(text) => {
        const found = parseSize(text, pageBytes, 1);
        if (!found.ok) {
          return { ok: false, error: `${found.message}; ${found.hint}` };
        }
        const { axis, low, high } = rangeWith(found.value);
        const problem = rangeProblem(axis, low, high);
        return problem === null ? found : { ok: false, error: problem };
      }}
      onChange={(value) => {
        const { low, high } = rangeWith(value);
        onRange(low, high);
      }}
    />
  );
}

function AxisControl(props: AxisControlProps) {
  const { name, chosen, other, onAxis, onRange } = props;
  const [draft, setDraft] = useState<{ low: number; high: number } | null>(null);
  const range = draft ?? chosen;
  const problem = rangeProblem(chosen.axis, range.low, range.high);
  const commit = () => {
    if (draft !== null && problem === null) {
      onRange(draft.low, draft.high);
      setDraft(null);
    }
  };
  const end = (key: "low" | "high", label: string) => (
    <NumberInput
      label={label}
      aria-label={END_NAMES[key](name)}
      size="sm"
      hideControls
      thousandSeparator=","
      min={0}
      decimalScale={4}
      value={range[key]}
      error={key === "high" ? problem : null}
      onChange={(value) =>
        typeof value === "number" &&
        setDraft({ low: range.low, high: range.high, [key]: value })
      }
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
  return (
    <div className={classes["axis"]}>
      <Select
        size="sm"
        label={name}
        data={AXIS_NAMES.filter((axis) => axis !== other).map((axis) => ({
          value: axis,
          label: AXIS_TITLES[axis],
          disabled: name === "Upwards" && !fitsBeside(axis, other),
        }))}
        value={chosen.axis}
        onChange={(value) => {
          const axis = AXIS_NAMES.find((known) => known === value);
          if (axis !== undefined) {
            setDraft(null);
            onAxis(axis);
          }
        }}
        allowDeselect={false}
      />
      {isSize(chosen.axis) ? (
        <>
          <SizeEnd {...props} end="low" label="From" />
          <SizeEnd {...props} end="high" label="To" />
        </>
      ) : (
        <>
          {end("low", "From")}
          {end("high", "To")}
        </>
      )}
      <Text size="xs" c="dimmed" className={classes["wide"]}>
        {isSize(chosen.axis)
          ? "For example 64 MiB, or 5400 for pages"
          : AXIS_TEXTS[chosen.axis]}
      </Text>
    </div>
  );
}
