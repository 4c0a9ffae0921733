import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { SummaryTables } from "@/api/analyses";
import { csvText } from "@/charts/csv";
import { downloadText, fileStem } from "@/charts/download";
import { Disclosure } from "@/components/disclosure";
import { Panel } from "@/components/panel";
import { ScrollRegion } from "@/components/scroll-region";
import { formatCount } from "@/units/quantity";
import { devicesBasis, devicesFinding, devicesTable, sizePlace } from "./summaries";
import classes from "./summaries.module.css";

const FEW = 12;

interface DevicePanelProps {
  readonly tables: SummaryTables;
  readonly name: string;
  readonly cursor: number;
}

/** One row a device or relation, with its hits at the size of the cursor. */
export function DevicePanel({ tables, name, cursor }: DevicePanelProps) {
  const [all, setAll] = useState(false);
  const { devices } = tables;
  if (devices === null) {
    return (
      <Panel title="One device only" label="Devices and relations">
        <Text size="sm" c="dimmed">
          The trace names one device only.
        </Text>
      </Panel>
    );
  }
  const place = sizePlace(devices, cursor);
  const table = devicesTable(tables, devices, place);
  const shown = all ? table.shown : table.shown.slice(0, FEW);
  return (
    <Panel
      title={devicesFinding(tables, devices)}
      subtitle={devicesBasis(tables, devices, cursor)}
      label="Devices and relations"
      actions={
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            downloadText(
              `${fileStem(`${name} devices`)}.csv`,
              "text/csv;charset=utf-8",
              csvText(table.csvHeader, table.rows),
            )
          }
        >
          Export CSV
        </Button>
      }
    >
      <ScrollRegion label="Table: devices and relations">
        <table className="tw-table">
          <thead>
            <tr>
              {table.header.map((heading, column) => (
                <th
                  key={heading}
                  scope="col"
                  className={column === 0 ? undefined : "num"}
                >
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(([first, ...cells]) => (
              <tr key={first}>
                <th scope="row" className={classes["device"]}>
                  {first === "" ? "(without a name)" : first}
                </th>
                {cells.map((cell, column) => (
                  <td key={table.header[column + 1]} className="num">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {table.shown.length > FEW && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={() => setAll(!all)}>
            {all
              ? `Show the first ${FEW}`
              : `Show all ${formatCount(table.shown.length)}`}
          </Button>
        </Group>
      )}
      <Text size="sm" mt="xs">
        A larger cache may help a relation with many accesses and a low hit ratio, but
        not one whose hit ratio hardly changes with the size.
      </Text>
      <Disclosure label="How is this computed?">
        <Text size="sm" maw={820}>
          Hits are counted at the powers of two, from the stack distance of each access
          in the one LRU stack of all pages; the table shows the one nearest to the
          chosen cache size. Sequential is the share of the requests that begin where
          the previous one to the same device ended.
          {devices.others !== null &&
            ` The ${formatCount(devices.rows.length)} most accessed are listed; the others are added up.`}
        </Text>
      </Disclosure>
    </Panel>
  );
}
