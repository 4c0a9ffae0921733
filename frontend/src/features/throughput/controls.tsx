import { SegmentedControl, Text } from "@mantine/core";
import type { SummaryOut } from "@/api/workloads";
import { Disclosure } from "@/components/disclosure";
import { FlashMetadata } from "@/components/flash-metadata";
import { LogSlider } from "@/components/log-slider";
import { NumberField } from "@/components/number-field";
import { SizeInput } from "@/components/size-input";
import type { Moving } from "@/components/use-settled";
import {
  MAX_CLIENTS,
  type ThroughputSearch,
  VARIED,
  type Varied,
} from "@/questions/throughput";
import { bytes, counted, formatShort, pages } from "@/units/quantity";
import { VARIED_TITLES } from "./findings";
import classes from "./throughput.module.css";

export interface Knobs {
  readonly clients: Moving;
  readonly disks: Moving;
  /** [ms] */
  readonly think: Moving;
  readonly ram: Moving;
  readonly flash: Moving;
}

interface ControlsProps extends Knobs {
  readonly summary: SummaryOut;
  readonly search: ThroughputSearch;
  readonly vary: Varied;
  readonly patch: (change: ThroughputSearch) => void;
}

const MOST_DISKS = 1024;
const MOST_THINK_US = 10_000_000;
const LEAST_THINK_US = 10;
const US_PER_MS = 1000;

/** Clients, disks, think time; the axis; sizes and the rest behind a disclosure. */
export function Controls(props: ControlsProps) {
  const { clients, disks, think } = props;
  return (
    <div className={classes["controls"]}>
      <div className={classes["size"]}>
        <LogSlider
          label="Clients"
          value={clients.value}
          min={1}
          max={MAX_CLIENTS}
          valueText={counted(clients.value, "client")}
          onChange={clients.setValue}
        />
        <NumberField
          label="Exact clients"
          unit=""
          value={clients.value}
          min={1}
          max={MAX_CLIENTS}
          onChange={(value) => clients.setValue(Math.round(value))}
        />
      </div>
      <div className={classes["size"]}>
        <LogSlider
          label="Disks"
          value={disks.value}
          min={1}
          max={MOST_DISKS}
          valueText={counted(disks.value, "disk")}
          onChange={disks.setValue}
        />
        <NumberField
          label="Exact disks"
          unit=""
          value={disks.value}
          min={1}
          max={100_000}
          onChange={(value) => disks.setValue(Math.round(value))}
        />
      </div>
      <div className={classes["size"]}>
        <LogSlider
          label="Think time"
          value={Math.round(think.value * US_PER_MS)}
          min={LEAST_THINK_US}
          max={MOST_THINK_US}
          allowZero
          valueText={`${formatShort(think.value)} ms`}
          onChange={(us) => think.setValue(us / US_PER_MS)}
        />
        <NumberField
          label="Exact time"
          unit="ms"
          value={think.value}
          min={0}
          max={1e9}
          onChange={think.setValue}
        />
      </div>
      <div className={classes["axis"]} style={{ gridColumn: "1 / -1" }}>
        <Text size="sm" fw={500}>
          Vary
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Vary"
          transitionDuration={0}
          value={props.vary}
          onChange={(value) => {
            const found = VARIED.find((name) => name === value);
            props.patch({ vary: found === "clients" ? undefined : found });
          }}
          data={VARIED.map((name) => ({ value: name, label: VARIED_TITLES[name] }))}
        />
      </div>
      <div style={{ gridColumn: "1 / -1" }}>
        <Disclosure label="Sizes, transactions, processors, metadata">
          <Options {...props} />
        </Disclosure>
      </div>
    </div>
  );
}

function Options({ ram, flash, summary, search, patch }: ControlsProps) {
  const pageBytes = bytes(summary.page_bytes);
  return (
    <div className={classes["options"]}>
      <SizeInput
        label="RAM size"
        value={pages(ram.value)}
        pageBytes={pageBytes}
        min={1}
        onChange={ram.setValue}
      />
      <SizeInput
        label="Flash size"
        value={pages(flash.value)}
        pageBytes={pageBytes}
        min={0}
        onChange={flash.setValue}
      />
      <NumberField
        label="Page accesses per transaction"
        unit=""
        value={search.accesses ?? DEFAULT_ACCESSES}
        min={0.001}
        max={1e9}
        onChange={(accesses) => patch({ accesses })}
      />
      <NumberField
        label="Flash devices"
        unit=""
        value={search.flash_devices ?? 1}
        min={1}
        max={100_000}
        onChange={(value) => patch({ flash_devices: Math.round(value) })}
      />
      <NumberField
        label="Processor time per transaction"
        unit="µs"
        value={search.cpu_us ?? 0}
        min={0}
        max={1e9}
        onChange={(cpu_us) => patch({ cpu_us })}
      />
      <NumberField
        label="Processors"
        unit=""
        value={search.cpus ?? 1}
        min={1}
        max={100_000}
        onChange={(value) => patch({ cpus: Math.round(value) })}
      />
      <FlashMetadata
        value={search.metadata}
        onChange={(metadata) => patch({ metadata })}
      />
    </div>
  );
}

export const DEFAULT_ACCESSES = 10;
export const DEFAULT_CLIENTS = 64;
/** Enough for a knee that can be seen: without it one client keeps a device busy. */
export const DEFAULT_THINK_MS = 10;
