import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import type { SummaryTables } from "@/api/analyses";
import { fileStem } from "@/charts/download";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { formatCount } from "@/units/quantity";
import {
  deviceRows,
  devicesBasis,
  devicesColumns,
  devicesFinding,
  sizePlace,
} from "./summaries";
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
  const columns = devicesColumns(tables, devices, place).map((column) =>
    column.rowHeader === true
      ? { ...column, cellProps: () => ({ className: classes["device"] }) }
      : column,
  );
  const rows = deviceRows(devices);
  return (
    <Panel
      title={devicesFinding(tables, devices)}
      subtitle={devicesBasis(tables, devices, cursor)}
      label="Devices and relations"
      actions={
        <ExportCsv file={fileStem(`${name} devices`)} columns={columns} rows={rows} />
      }
    >
      <DataTable
        label="devices and relations"
        columns={columns}
        rows={all ? rows : rows.slice(0, FEW)}
        rowKey={(row) => row.name}
      />
      {rows.length > FEW && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={() => setAll(!all)}>
            {all ? `Show the first ${FEW}` : `Show all ${formatCount(rows.length)}`}
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
