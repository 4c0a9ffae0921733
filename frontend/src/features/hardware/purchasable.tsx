import { SegmentedControl, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type PartOut,
  partsQuery,
  priceHistoryQuery,
  type ServerOut,
  serversQuery,
  type VolumeOut,
  volumesQuery,
} from "@/api/purchasable";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Unknown } from "@/components/unknown";
import { formatShort } from "@/units/quantity";
import { Bill } from "./bill";
import { PriceHistory } from "./price-history";

const TABLE_HEIGHT = 420;
const PRICE_DIGITS = 6;

const known = (value: number | string | null, what: string, digits?: number) =>
  value === null ? (
    <Unknown reason={`no source states ${what}`} />
  ) : (
    formatShort(Number(value), digits)
  );

const dateOf = ({ figures }: ServerOut | VolumeOut, name: string) =>
  figures[name]?.date ?? <Unknown reason="the source states no date" />;

const latenciesOf = ({ latency_of }: ServerOut | VolumeOut) =>
  latency_of || <Unknown reason="no source states a latency" />;

const ratesOf = ({ rates_of }: ServerOut) =>
  rates_of || <Unknown reason="no source states sequential rates of its disks" />;

const SERVERS: readonly Column<ServerOut>[] = [
  { key: "Server", rowHeader: true, cell: ({ id }) => id },
  { key: "Region", align: "text", cell: ({ region }) => region },
  { key: "vCPU", cell: ({ vcpu }) => known(vcpu, "the processors") },
  { key: "RAM", unit: "GiB", cell: ({ ram_gib }) => known(ram_gib, "the RAM", 5) },
  {
    key: "Local NVMe",
    unit: "GB",
    cell: ({ local_nvme_gb }) => known(local_nvme_gb, "the local disks", 6),
  },
  {
    key: "Volumes, sustained",
    unit: "MB/s",
    cell: ({ block_storage_bandwidth_mb_per_s: rate }) =>
      known(rate, "the sustained bandwidth", 5),
  },
  {
    key: "Volumes, sustained IOPS",
    unit: "1/s",
    cell: ({ block_storage_iops: iops }) => known(iops, "the sustained IOPS", 6),
  },
  { key: "Latencies of", align: "text", cell: latenciesOf },
  { key: "Sequential rates of", align: "text", cell: ratesOf },
  {
    key: "On demand",
    unit: "USD per hour",
    cell: ({ usd_per_hour }) => known(usd_per_hour, "the price", PRICE_DIGITS),
  },
  {
    key: "Date",
    align: "text",
    cell: (server) => dateOf(server, "usd_per_hour"),
  },
];

const VOLUMES: readonly Column<VolumeOut>[] = [
  { key: "Volume", rowHeader: true, cell: ({ id }) => id },
  { key: "Kind", align: "text", cell: ({ kind }) => kind },
  { key: "Region", align: "text", cell: ({ region }) => region },
  {
    key: "Capacity",
    unit: "USD per GiB and month",
    cell: ({ usd_per_gib_month: price }) => known(price, "the price", PRICE_DIGITS),
  },
  {
    key: "IOPS included",
    unit: "1/s",
    cell: ({ iops_included }) => known(iops_included, "included IOPS", 6),
  },
  {
    key: "Further IOPS",
    unit: "USD per IOPS and month",
    cell: ({ usd_per_iops_month: price }) => known(price, "a charge for IOPS"),
  },
  {
    key: "Most IOPS",
    unit: "1/s",
    cell: ({ max_iops }) => known(max_iops, "the limit of IOPS", 7),
  },
  {
    key: "IOPS per GiB",
    unit: "1/s",
    cell: ({ max_iops_per_gib: each }) => known(each, "a limit of IOPS by size"),
  },
  {
    key: "Most throughput",
    unit: "as the provider counts",
    cell: ({ max_mb_per_s, throughput_unit }) =>
      max_mb_per_s === null
        ? known(null, "the limit of throughput")
        : `${formatShort(max_mb_per_s, 6)} ${throughput_unit}`,
  },
  { key: "Latencies of", align: "text", cell: latenciesOf },
  {
    key: "Reads",
    unit: "USD per 1,000",
    cell: ({ usd_per_1000_reads: price }) => known(price, "a fee for reads"),
  },
  {
    key: "Date",
    align: "text",
    cell: (volume) => dateOf(volume, "usd_per_gib_month"),
  },
];

const PARTS: readonly Column<PartOut>[] = [
  { key: "Part", rowHeader: true, cell: ({ name }) => name },
  { key: "Kind", align: "text", cell: ({ kind }) => kind.replace("_", " ") },
  {
    key: "Capacity",
    cell: ({ capacity, capacity_unit }) =>
      capacity === null
        ? known(null, "a capacity")
        : `${formatShort(capacity, 6)} ${capacity_unit}`,
  },
  {
    key: "Price",
    unit: "USD",
    cell: ({ price }) => known(price?.usd ?? null, "a price", 7),
  },
  {
    key: "Market",
    align: "text",
    cell: ({ price }) => price?.price_kind ?? <Unknown reason="no price was found" />,
  },
  {
    key: "Date",
    align: "text",
    cell: ({ price }) => price?.date ?? <Unknown reason="no price was found" />,
  },
  {
    key: "Active power",
    unit: "W",
    cell: ({ active_power_w }) => known(active_power_w, "the power"),
  },
];

const VIEWS = [
  { value: "servers", label: "Servers" },
  { value: "volumes", label: "Volumes" },
  { value: "parts", label: "Parts" },
];

/** Servers, volumes and parts with their prices over time, and a bill of any of them. */
export function Purchasable() {
  const [view, setView] = useState("servers");
  const servers = useQuery(serversQuery());
  const volumes = useQuery(volumesQuery());
  const parts = useQuery(partsQuery());
  const history = useQuery(priceHistoryQuery());
  const error = servers.error ?? volumes.error ?? parts.error ?? history.error;
  if (error !== null) {
    return (
      <ProblemAlert
        error={error}
        title="Servers, volumes and parts could not be loaded"
        onRetry={() => {
          for (const each of [servers, volumes, parts, history]) {
            void each.refetch();
          }
        }}
      />
    );
  }
  if (
    servers.data === undefined ||
    volumes.data === undefined ||
    parts.data === undefined ||
    history.data === undefined
  ) {
    return <Skeleton height={520} animate={false} />;
  }
  return (
    <>
      <Panel
        title="Servers, volumes and parts"
        subtitle="What can be rented or bought, with the date of each price; hover a dash for the reason."
        label="Servers, volumes and parts"
        actions={
          <SegmentedControl
            aria-label="What can be bought"
            value={view}
            onChange={setView}
            transitionDuration={0}
            data={VIEWS}
          />
        }
      >
        {view === "servers" && (
          <DataTable
            label="Servers"
            style={{ maxHeight: TABLE_HEIGHT }}
            columns={SERVERS}
            rows={servers.data}
            rowKey={({ id }) => id}
          />
        )}
        {view === "volumes" && (
          <DataTable
            label="Volumes"
            style={{ maxHeight: TABLE_HEIGHT }}
            columns={VOLUMES}
            rows={volumes.data}
            rowKey={({ id }) => id}
          />
        )}
        {view === "parts" && (
          <DataTable
            label="Parts"
            style={{ maxHeight: TABLE_HEIGHT }}
            columns={PARTS}
            rows={parts.data}
            rowKey={({ id }) => id}
          />
        )}
      </Panel>
      <PriceHistory all={history.data} />
      <Bill servers={servers.data} volumes={volumes.data} parts={parts.data} />
    </>
  );
}
