import { Text } from "@mantine/core";
import type { BreakEvenIn, BreakEvenOut } from "@/api/dram-or-flash";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { type DollarSearch, ELSEWHERE } from "@/questions/dram-or-flash";
import { formatShort, unbroken } from "@/units/quantity";
import classes from "./dram-or-flash.module.css";

const KIB = 1024;
const NANOSECOND = 1e-9;
const GIGA = 1e9;
const THOUSAND = 1000;

/** The figures of far memory and of a store as the models take them. */
export const elsewhere = (
  search: DollarSearch,
): Required<Pick<BreakEvenIn, "far" | "store">> => {
  const given = { ...ELSEWHERE, ...known(search) };
  return {
    far: {
      price_ratio: given.far_ratio,
      stall_s: given.far_ns * NANOSECOND,
      core_usd_per_hour: given.core_hour,
    },
    store: {
      object_bytes: given.object_kib * KIB,
      request_usd: given.requests_usd / THOUSAND,
      byte_usd: given.egress_usd / GIGA,
    },
  };
};

const known = (search: DollarSearch): Partial<typeof ELSEWHERE> =>
  Object.fromEntries(
    Object.keys(ELSEWHERE).flatMap((name) => {
      const value = search[name as keyof typeof ELSEWHERE];
      return value === undefined ? [] : [[name, value]];
    }),
  );

interface Props {
  readonly found: BreakEvenOut;
  readonly search: DollarSearch;
  readonly patch: (change: DollarSearch) => void;
}

const NO_PRICE = "Not computed: there is no price of DRAM. Choose a price book above.";

/** Beside DRAM: memory over CXL, and a store that charges for each request. */
export function ElsewherePanel({ found, search, patch }: Props) {
  const given = { ...ELSEWHERE, ...known(search) };
  const dram = found.far?.dram_usd_per_gib_month;
  return (
    <Panel
      title="Memory over CXL and object stores"
      subtitle={
        dram === undefined
          ? "Keep a page in DRAM, in far memory, or fetch an object again?"
          : `Keep a page in DRAM, in far memory, or fetch an object again? DRAM at ${formatShort(Number(dram))} USD per GiB and month; the figures below are examples until you enter your own.`
      }
    >
      <div className={classes["options"]}>
        <NumberField
          label="Price of far memory over DRAM"
          unit="%"
          value={given.far_ratio * 100}
          min={0}
          max={100}
          onChange={(percent) => patch({ far_ratio: percent / 100 })}
        />
        <NumberField
          label="Extra latency of a load"
          unit="ns"
          value={given.far_ns}
          min={1}
          max={1e6}
          onChange={(far_ns) => patch({ far_ns })}
        />
        <NumberField
          label="Core that waits"
          unit="USD/h"
          value={given.core_hour}
          min={1e-6}
          max={1e4}
          onChange={(core_hour) => patch({ core_hour })}
        />
      </div>
      <Text size="sm" mt="xs">
        {found.far === null ? NO_PRICE : unbroken(found.far.sentence)}
      </Text>
      {found.far !== null && (
        <Text size="sm" c="dimmed" mt={4}>
          Valid for: {found.far.validity}.
        </Text>
      )}
      <div className={classes["options"]} style={{ marginTop: 16 }}>
        <NumberField
          label="Size of an object"
          unit="KiB"
          value={given.object_kib}
          min={0.001}
          max={1e9}
          onChange={(object_kib) => patch({ object_kib })}
        />
        <NumberField
          label="Fee of 1,000 requests"
          unit="USD"
          value={given.requests_usd}
          min={0}
          max={1e6}
          onChange={(requests_usd) => patch({ requests_usd })}
        />
        <NumberField
          label="Fee of a GB transferred"
          unit="USD"
          value={given.egress_usd}
          min={0}
          max={1e6}
          onChange={(egress_usd) => patch({ egress_usd })}
        />
      </div>
      <Text size="sm" mt="xs">
        {found.store === null ? NO_PRICE : unbroken(found.store.sentence)}
      </Text>
      {found.store !== null && (
        <Text size="sm" c="dimmed" mt={4}>
          Valid for: {found.store.validity}.
        </Text>
      )}
    </Panel>
  );
}
