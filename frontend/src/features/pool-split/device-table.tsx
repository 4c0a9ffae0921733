import { Text, TextInput, UnstyledButton } from "@mantine/core";
import { memo, useState } from "react";
import type { PoolSplitGains } from "@/api/analyses";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { formatCount, formatNumber, formatPercent, ratio } from "@/units/quantity";
import { percent } from "./findings";
import classes from "./pool-split.module.css";

const HEIGHT = 420;

interface DeviceTableProps {
  readonly gains: PoolSplitGains;
  readonly chosen: string;
  /** Whether the buffer was counted for one of production. */
  readonly isProduction: boolean;
  readonly onChoose: (deviceId: string) => void;
}

/** The same buffer on every device of the catalogue, each at its own R. */
export const DeviceTable = memo(function DeviceTable({
  gains,
  chosen,
  isProduction,
  onChoose,
}: DeviceTableProps) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const shown = gains.devices.filter((device) =>
    words.every((word) => device.name.toLowerCase().includes(word)),
  );
  const columns = columnsOf(gains, chosen, isProduction, onChoose);
  return (
    <Panel
      title="The same buffer on every device"
      subtitle={`Each device at its own asymmetry. Devices that state none: ${formatCount(gains.without)}.`}
      actions={
        <ExportCsv file="pool-split-devices" columns={columns} rows={gains.devices} />
      }
    >
      <TextInput
        size="sm"
        mb="xs"
        maw={360}
        label="Find a device by name"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {shown.length === 0 ? (
        <Text c="dimmed" role="status">
          No device matches. Try fewer letters.
        </Text>
      ) : (
        <DataTable
          label="Pool split by device"
          style={{ maxHeight: HEIGHT, overflowY: "auto" }}
          caption="An R below 1 is outside the range of the model: it comes from write caches and from single requests in flight. Choosing a device applies its R to the chart above."
          columns={columns}
          rows={shown}
          rowKey={(device) => device.device_id}
          rowProps={(device) => ({
            className: device.device_id === chosen ? classes["chosen"] : undefined,
          })}
        />
      )}
    </Panel>
  );
});

type Device = PoolSplitGains["devices"][number];

function columnsOf(
  gains: PoolSplitGains,
  chosen: string,
  isProduction: boolean,
  onChoose: (deviceId: string) => void,
): readonly Column<Device>[] {
  return [
    {
      key: "device",
      head: "Device",
      rowHeader: true,
      cell: (device) => (
        <UnstyledButton
          className={classes["device"]}
          aria-pressed={device.device_id === chosen}
          onClick={() => onChoose(device.device_id)}
        >
          {device.name}
        </UnstyledButton>
      ),
      csv: (device) => device.name,
    },
    { ...valueColumn("asymmetry", (device) => device.asymmetry), head: "R" },
    {
      key: "asymmetry_basis",
      head: "Source of R",
      align: "text",
      cellProps: () => ({ className: classes["basis"] }),
      cell: (device) => <Basis text={device.asymmetry_basis} />,
      csv: (device) => device.asymmetry_basis,
    },
    {
      // Pages are those of the replay: of production only the share holds.
      key: isProduction ? "best_clean_share" : "best_clean_pages",
      head: "Best clean share",
      cell: (device) => formatPercent(ratio(device.best_clean_pages / gains.pages)),
      csv: (device) =>
        isProduction ? device.best_clean_pages / gains.pages : device.best_clean_pages,
    },
    {
      key: "best_cost_page_reads",
      head: "Cost",
      unit: "page reads/access",
      cell: (device) => formatNumber(device.best_cost, 4),
      csv: (device) => device.best_cost,
    },
    { key: "lru_cost_page_reads", csv: (device) => device.baselines["lru"] ?? null },
    {
      key: "cflru_cost_page_reads",
      csv: (device) => device.baselines["cflru"] ?? null,
    },
    {
      key: "saved_over_lru",
      head: "Saved over LRU",
      cell: (device) => percent(device.gain_over["lru"] ?? null),
      csv: (device) => device.gain_over["lru"] ?? null,
    },
    {
      key: "saved_over_cflru",
      head: "Saved over CFLRU",
      cell: (device) => percent(device.gain_over["cflru"] ?? null),
      csv: (device) => device.gain_over["cflru"] ?? null,
    },
  ];
}

const SHORT_BASIS = 60;

/** Where R is from; a long derivation is folded, so that a row stays a line. */
function Basis({ text }: { readonly text: string }) {
  return text.length <= SHORT_BASIS ? (
    text
  ) : (
    <details>
      <summary>its service times</summary>
      {text}
    </details>
  );
}
