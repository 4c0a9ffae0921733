import { NumberInput, Select, Text } from "@mantine/core";
import type { PoolSplitGains } from "@/api/analyses";
import { LogSlider } from "@/components/log-slider";
import { MAX_ASYMMETRY, MIN_ASYMMETRY } from "@/questions/pool-split";
import { counted, formatShort } from "@/units/quantity";
import classes from "./pool-split.module.css";

interface AsymmetryControlProps {
  readonly value: number;
  /** Steps of the slider from one R to the next. */
  readonly stepsAUnit: number;
  readonly devices: PoolSplitGains["devices"];
  /** The device whose R this is; null when it was set by hand. */
  readonly chosen: string | null;
  /** What R is, and where it comes from, in a sentence. */
  readonly note: string;
  readonly onChange: (value: number) => void;
  readonly onDevice: (deviceId: string) => void;
}

/** R by slider, by number, or that of a device. */
export function AsymmetryControl(props: AsymmetryControlProps) {
  const { value, stepsAUnit, onChange } = props;
  return (
    <div>
      <div className={classes["size"]}>
        <div>
          <LogSlider
            label="Asymmetry R"
            value={Math.round(value * stepsAUnit)}
            min={MIN_ASYMMETRY * stepsAUnit}
            max={MAX_ASYMMETRY * stepsAUnit}
            valueText={`a page write costs ${counted(formatShort(value), "page read")}`}
            onChange={(steps) => onChange(Number((steps / stepsAUnit).toPrecision(3)))}
          />
          <Text size="xs" c="dimmed">
            {props.note}
          </Text>
        </div>
        <NumberInput
          label="Exact R"
          size="sm"
          min={0.01}
          max={100_000}
          decimalScale={3}
          value={value}
          onChange={(found) =>
            typeof found === "number" && found > 0 && onChange(found)
          }
        />
      </div>
      <Select
        mt="xs"
        size="sm"
        label="Use R of a device"
        placeholder="Set by hand; choose a device to use its R"
        data={props.devices.map((device) => ({
          value: device.device_id,
          label: `${device.name} (R ${formatShort(device.asymmetry)})`,
        }))}
        value={props.chosen}
        onChange={(id) => id !== null && props.onDevice(id)}
        onFocus={(event) => event.currentTarget.select()}
        allowDeselect={false}
        searchable
        openOnFocus={false}
        nothingFoundMessage="No matching device"
      />
    </div>
  );
}
