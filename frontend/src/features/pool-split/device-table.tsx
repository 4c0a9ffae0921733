import { Button, Text, TextInput, UnstyledButton } from "@mantine/core";
import { memo, useState } from "react";
import type { PoolSplitGains } from "@/api/analyses";
import { csvText } from "@/charts/csv";
import { downloadText } from "@/charts/download";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import { percent } from "./findings";
import classes from "./pool-split.module.css";

const HEIGHT = 420;

interface DeviceTableProps {
  readonly gains: PoolSplitGains;
  readonly chosen: string;
  readonly onChoose: (deviceId: string) => void;
}

/** The same buffer on every device of the catalogue, each at its own R. */
export const DeviceTable = memo(function DeviceTable({
  gains,
  chosen,
  onChoose,
}: DeviceTableProps) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const shown = gains.devices.filter((device) =>
    words.every((word) => device.name.toLowerCase().includes(word)),
  );
  const exportCsv = () =>
    downloadText(
      "pool-split-devices.csv",
      "text/csv;charset=utf-8",
      csvText(
        [
          "device",
          "asymmetry",
          "asymmetry_basis",
          "best_clean_pages",
          "best_cost_page_reads",
          "lru_cost_page_reads",
          "cflru_cost_page_reads",
          "saved_over_lru",
          "saved_over_cflru",
        ],
        gains.devices.map((device) => [
          device.name,
          device.asymmetry,
          device.asymmetry_basis,
          device.best_clean_pages,
          device.best_cost,
          device.baselines["lru"] ?? null,
          device.baselines["cflru"] ?? null,
          device.gain_over["lru"] ?? null,
          device.gain_over["cflru"] ?? null,
        ]),
      ),
    );
  return (
    <Panel
      title="The same buffer on every device"
      subtitle={`Each at its own asymmetry; ${formatCount(gains.without)} devices state none.`}
      actions={
        <Button size="xs" variant="default" onClick={exportCsv}>
          Export CSV
        </Button>
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
          No device has this name. Try fewer letters.
        </Text>
      ) : (
        <ScrollRegion
          label="Table: pool split by device"
          style={{ maxHeight: HEIGHT, overflowY: "auto" }}
        >
          <table className="tw-table">
            <caption>
              An R below 1 is outside what the model was made for: such figures come
              from write caches and single requests in flight. Choosing a device takes
              its R; the chart above then explains its figures.
            </caption>
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col" className="num">
                  R
                </th>
                <th scope="col">R is from</th>
                <th scope="col" className="num">
                  Best clean share
                </th>
                <th scope="col" className="num">
                  Cost <span className="tw-unit">[page reads/access]</span>
                </th>
                <th scope="col" className="num">
                  Saved over LRU
                </th>
                <th scope="col" className="num">
                  Saved over CFLRU
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((device) => (
                <tr
                  key={device.device_id}
                  className={
                    device.device_id === chosen ? classes["chosen"] : undefined
                  }
                >
                  <th scope="row">
                    <UnstyledButton
                      className={classes["device"]}
                      aria-pressed={device.device_id === chosen}
                      onClick={() => onChoose(device.device_id)}
                    >
                      {device.name}
                    </UnstyledButton>
                  </th>
                  <td className="num">{formatShort(device.asymmetry)}</td>
                  <td className={classes["basis"]}>
                    <Basis text={device.asymmetry_basis} />
                  </td>
                  <td className="num">
                    {formatPercent(ratio(device.best_clean_pages / gains.pages))}
                  </td>
                  <td className="num">{formatNumber(device.best_cost, 4)}</td>
                  <td className="num">{percent(device.gain_over["lru"] ?? null)}</td>
                  <td className="num">{percent(device.gain_over["cflru"] ?? null)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </Panel>
  );
});

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
