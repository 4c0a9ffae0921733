import { Checkbox, MultiSelect } from "@mantine/core";
import { DraftInput } from "@/components/draft-input";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import {
  MOST_SIZES,
  SYSTEMS,
  type System,
  sizesOf,
  systemsOf,
  TRANSACTION_BOUNDS,
  type TransactionsSearch,
  USUAL,
} from "@/questions/transactions";
import { SYSTEM_TITLES } from "./question";
import classes from "./transactions.module.css";

const PERCENT = 100;

interface ControlsProps {
  readonly search: TransactionsSearch;
  readonly patch: (change: TransactionsSearch) => void;
}

/** Buffer, systems and device. */
export function Controls({ search, patch }: ControlsProps) {
  const field = (
    name: keyof typeof TRANSACTION_BOUNDS,
    label: string,
    unit: string,
    usual: number,
  ) => {
    const { low, high, ...rest } = TRANSACTION_BOUNDS[name];
    return (
      <NumberField
        label={label}
        unit={unit}
        min={low}
        max={high}
        whole={"whole" in rest}
        value={search[name] ?? usual}
        onChange={(value) => patch({ [name]: value })}
      />
    );
  };
  return (
    <section className="tw-panel" aria-label="Buffer, systems and device">
      <div className={classes["fields"]}>
        <MultiSelect
          className={classes["wide"]}
          label="Systems"
          data={SYSTEMS.map((system) => ({
            value: system,
            label: SYSTEM_TITLES[system],
          }))}
          value={[...systemsOf(search.which)]}
          onChange={(chosen) => patch({ which: writtenSystems(chosen) })}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
        <DraftInput<string | undefined>
          label="Buffer sizes"
          unit="pages"
          placeholder="1 to 100 %"
          shown={search.sizes?.replaceAll(",", ", ") ?? ""}
          read={readSizes}
          onChange={(sizes) => patch({ sizes, ram: undefined })}
        />
        {field("page_bytes", "Page", "bytes", USUAL.page_bytes)}
        {field("log_bytes", "Log record", "bytes", TRANSACTION_BOUNDS.log_bytes.usual)}
        {field(
          "checkpoint_pages",
          "Log between checkpoints",
          "pages",
          USUAL.checkpoint_pages,
        )}
        {field(
          "block_pages",
          "Erase block",
          "pages",
          TRANSACTION_BOUNDS.block_pages.usual,
        )}
        <OptionalNumberField
          label="Blocks"
          placeholder="as many as needed"
          min={TRANSACTION_BOUNDS.blocks.low}
          max={TRANSACTION_BOUNDS.blocks.high}
          whole
          value={search.blocks}
          onChange={(blocks) => patch({ blocks })}
        />
        <OptionalNumberField
          label="Spare space [%]"
          placeholder="raw chip"
          min={1}
          max={TRANSACTION_BOUNDS.spare.high * PERCENT}
          value={search.spare === undefined ? undefined : search.spare * PERCENT}
          onChange={(spare) =>
            patch({ spare: spare === undefined ? undefined : spare / PERCENT })
          }
        />
        {field("read_us", "Page read", "µs", TRANSACTION_BOUNDS.read_us.usual)}
        {field("write_us", "Page write", "µs", TRANSACTION_BOUNDS.write_us.usual)}
        {field("erase_us", "Block erase", "µs", TRANSACTION_BOUNDS.erase_us.usual)}
        {field(
          "disk_us",
          "Random access of a disk",
          "µs",
          TRANSACTION_BOUNDS.disk_us.usual,
        )}
        <Checkbox
          mb={8}
          label="Every system keeps a log forced at commit"
          checked={search.durable !== "no"}
          onChange={(event) =>
            patch({ durable: event.currentTarget.checked ? undefined : "no" })
          }
        />
        <Checkbox
          mb={8}
          label="Crash after the last event"
          checked={search.crash !== "no"}
          onChange={(event) =>
            patch({ crash: event.currentTarget.checked ? undefined : "no" })
          }
        />
      </div>
    </section>
  );
}

/** All, or none, is what an absent part of the address means. */
function writtenSystems(chosen: readonly string[]): string | undefined {
  const names: readonly System[] = SYSTEMS.filter((system) => chosen.includes(system));
  return names.length === 0 || names.length === SYSTEMS.length
    ? undefined
    : names.join(",");
}

function readSizes(text: string) {
  if (text.trim() === "") {
    return { ok: true, value: undefined } as const;
  }
  const sizes = sizesOf(text);
  return sizes === undefined
    ? ({
        ok: false,
        error: `"${text}" is not valid; enter up to ${MOST_SIZES} whole numbers of pages, such as 64, 256`,
      } as const)
    : ({ ok: true, value: sizes.join(",") } as const);
}
