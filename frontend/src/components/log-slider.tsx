import { useId } from "react";
import classes from "./log-slider.module.css";

interface LogSliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Lets the slider go to zero, left of `min`. */
  readonly allowZero?: boolean;
  readonly valueText: string;
  /** Only these values, besides zero where that is allowed. */
  readonly step?: Step | undefined;
  readonly onChange: (value: number) => void;
}

const STEPS = 1000;

/** Slider position (0 to `STEPS`) of a value on a logarithmic scale. */
export function positionOf(
  value: number,
  min: number,
  max: number,
  allowZero: boolean,
) {
  const first = allowZero ? 1 : 0;
  if (value < min) {
    return allowZero ? 0 : first;
  }
  if (max <= min || value >= max) {
    return STEPS;
  }
  const share = Math.log(value / min) / Math.log(max / min);
  return Math.round(first + share * (STEPS - first));
}

export function valueAt(
  position: number,
  min: number,
  max: number,
  allowZero: boolean,
) {
  if (allowZero && position <= 0) {
    return 0;
  }
  if (position >= STEPS) {
    return max;
  }
  const first = allowZero ? 1 : 0;
  const share = Math.max(0, position - first) / (STEPS - first);
  return Math.round(min * (max / min) ** share);
}

/** The next value in a direction: a quarter of an octave, at least one page. */
export function stepped(
  value: number,
  factor: number,
  min: number,
  max: number,
  allowZero: boolean,
) {
  if (value === 0) {
    return factor > 1 ? min : 0;
  }
  const moved = Math.round(value * factor);
  const next = factor > 1 ? Math.max(value + 1, moved) : Math.min(value - 1, moved);
  if (next < min) {
    return allowZero ? 0 : min;
  }
  return Math.min(next, max);
}

/** Values that a slider keeps to: whole multiples of one, or some, of which each is larger than the last. */
export type Step = number | readonly number[];

/** The nearest of the values of a step; of multiples at least one. */
export function wholeSteps(value: number, step: Step): number {
  if (typeof step === "number") {
    return Math.max(1, Math.round(value / step)) * step;
  }
  return step.reduce(
    (best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best),
    step[0] ?? value,
  );
}

/** Like `stepped`, in the values of a step: never stays where it is unless at an end. */
export function steppedWhole(
  value: number,
  factor: number,
  step: Step,
  max: number,
  allowZero: boolean,
) {
  if (typeof step !== "number") {
    return steppedTo(value, factor, step, max, allowZero);
  }
  const last = Math.max(1, Math.floor(max / step)) * step;
  if (factor > 1) {
    const next = (Math.floor(value / step) + 1) * step;
    return Math.min(last, Math.max(next, wholeSteps(value * factor, step)));
  }
  const below = (Math.ceil(value / step) - 1) * step;
  const next = Math.min(below, wholeSteps(value * factor, step));
  return next < step ? (allowZero ? 0 : step) : next;
}

/** The same among listed values. */
function steppedTo(
  value: number,
  factor: number,
  stops: readonly number[],
  max: number,
  allowZero: boolean,
) {
  const within = stops.filter((each) => each <= max);
  const wanted = wholeSteps(value * factor, within);
  if (factor > 1) {
    const above = within.find((each) => each > value);
    return above === undefined ? (within.at(-1) ?? value) : Math.max(above, wanted);
  }
  const below = within.filter((each) => each < value).at(-1);
  return below === undefined
    ? allowZero
      ? 0
      : (within[0] ?? value)
    : Math.min(below, wanted);
}

const FACTORS: Readonly<Record<string, number>> = {
  ArrowRight: 2 ** 0.25,
  ArrowUp: 2 ** 0.25,
  ArrowLeft: 2 ** -0.25,
  ArrowDown: 2 ** -0.25,
  PageUp: 2,
  PageDown: 0.5,
};

/**
 * A native range input on a logarithmic scale. Arrow keys move by a quarter of an
 * octave, Page Up and Page Down double and halve, Home and End go to the ends.
 */
export function LogSlider(props: LogSliderProps) {
  const { label, value, min, max, allowZero = false, valueText, step } = props;
  const id = useId();
  const place = (position: number) => {
    const found = valueAt(position, min, max, allowZero);
    const whole = step === undefined || found === 0 ? found : wholeSteps(found, step);
    if (whole !== value) {
      props.onChange(whole);
    }
  };
  return (
    <div className={classes["root"]}>
      <label htmlFor={id} className={classes["label"]}>
        {label}
      </label>
      <input
        id={id}
        className={classes["input"]}
        type="range"
        min={0}
        max={STEPS}
        step={1}
        value={positionOf(value, min, max, allowZero)}
        aria-valuetext={valueText}
        onChange={(event) => place(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          const factor = FACTORS[event.key];
          if (factor !== undefined) {
            event.preventDefault();
            props.onChange(
              step === undefined
                ? stepped(value, factor, min, max, allowZero)
                : steppedWhole(value, factor, step, max, allowZero),
            );
          }
        }}
      />
    </div>
  );
}
