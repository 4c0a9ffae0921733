import { useId } from "react";
import classes from "./log-slider.module.css";

interface StopSliderProps {
  readonly label: string;
  /** Values that it offers, from the smallest on. */
  readonly stops: readonly number[];
  readonly value: number;
  readonly valueText: string;
  readonly onChange: (value: number) => void;
}

/** A native range input over listed values: arrow keys go to the next one, Page Up and Page Down some further. */
export function StopSlider({
  label,
  stops,
  value,
  valueText,
  onChange,
}: StopSliderProps) {
  const id = useId();
  return (
    <div className={classes["root"]}>
      <span className={classes["head"]}>
        <label htmlFor={id} className={classes["label"]}>
          {label}
        </label>
        <span aria-hidden="true">{valueText}</span>
      </span>
      <input
        id={id}
        className={classes["input"]}
        type="range"
        min={0}
        max={Math.max(0, stops.length - 1)}
        step={1}
        value={Math.max(0, stops.indexOf(value))}
        aria-valuetext={valueText}
        onChange={(event) => {
          const chosen = stops[Number(event.currentTarget.value)];
          if (chosen !== undefined && chosen !== value) {
            onChange(chosen);
          }
        }}
      />
    </div>
  );
}
