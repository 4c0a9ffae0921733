import { Badge, Button, Checkbox, Group, Select, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type DeviceOut, useShownRate } from "@/api/catalog";
import { answer } from "@/api/client";
import { copyDevice, deleteDevice } from "@/api/gen/sdk.gen";
import { DataTable } from "@/components/data-table";
import { DeleteButton } from "@/components/delete-button";
import { EmptyState } from "@/components/empty-state";
import { Panel } from "@/components/panel";
import { showToast } from "@/components/toasts";
import { Unknown } from "@/components/unknown";
import {
  BASE_CURRENCY,
  converted,
  type ExchangeRate,
  rateText,
} from "@/units/currency";
import {
  bytes,
  formatBytes,
  formatCapacity,
  formatNumber,
  formatPrice,
  usd,
} from "@/units/quantity";
import { DeviceDetails } from "./device-details";
import {
  KINDS,
  kindTitle,
  missingReason,
  restsOnAssumption,
  type SortKey,
  sortDevices,
} from "./device-facts";

interface DeviceTableProps {
  readonly devices: readonly DeviceOut[];
  readonly ticked: readonly string[];
  readonly onTick: (ticked: readonly string[]) => void;
  readonly onEdit: (device: DeviceOut) => void;
  readonly pageBytes: number;
}

export function DeviceTable(props: DeviceTableProps) {
  const { devices, ticked, onTick, onEdit, pageBytes } = props;
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const [sort, setSort] = useState<SortKey>("name");
  const [open, setOpen] = useState<string | null>(null);
  const rate = useShownRate(null);
  const shown = sortDevices(
    devices.filter(
      (device) =>
        (kind === "" || device.kind === kind) &&
        device.name.toLowerCase().includes(text.trim().toLowerCase()),
    ),
    sort,
  );
  // Own devices stand first: they are the ones being worked on.
  const ordered = [
    ...shown.filter((device) => device.origin === "own"),
    ...shown.filter((device) => device.origin === "shipped"),
  ];
  const toggleTick = (id: string) =>
    onTick(
      ticked.includes(id) ? ticked.filter((item) => item !== id) : [...ticked, id],
    );
  /** A head that sorts by its column when it is pressed. */
  const sorted = (key: SortKey, title: string, unit?: string) => ({
    key,
    sort: sort === key ? ("ascending" as const) : ("none" as const),
    head: (
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        c="inherit"
        onClick={() => setSort(key)}
      >
        {title} {unit !== undefined && <span className="tw-unit">&nbsp;[{unit}]</span>}
        {sort === key ? " ↑" : ""}
      </Button>
    ),
  });
  const kinds = Object.keys(KINDS).filter((name) =>
    devices.some((device) => device.kind === name),
  );
  return (
    <Panel
      title="Devices"
      subtitle={
        rate === null
          ? `${ordered.length} of ${devices.length} shown. Read and write: busy time of a random page of ${formatBytes(bytes(pageBytes))}. Open a row for every figure with its source.`
          : `${ordered.length} of ${devices.length} shown. Read and write: busy time of a random page of ${formatBytes(bytes(pageBytes))}. Open a row for every figure with its source. Prices in small print are as quoted; ${rateText(rate)}`
      }
      actions={
        <Group gap="xs">
          <TextInput
            size="xs"
            aria-label="Find a device by name"
            placeholder="Find by name"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Select
            size="xs"
            aria-label="Kind of device"
            value={kind}
            onChange={(value) => setKind(value ?? "")}
            data={[
              { value: "", label: "All kinds" },
              ...kinds.map((name) => ({ value: name, label: kindTitle(name) })),
            ]}
            allowDeselect={false}
          />
        </Group>
      }
    >
      {ordered.length === 0 ? (
        <EmptyState title="No device has this name">
          Try fewer letters or another kind, or add your own device above.
        </EmptyState>
      ) : (
        <DataTable
          label="Devices"
          region="Devices"
          style={{ maxHeight: 620, overflowY: "auto" }}
          columns={[
            {
              key: "Compare",
              align: "text",
              cell: (device) => (
                <Checkbox
                  checked={ticked.includes(device.id)}
                  onChange={() => toggleTick(device.id)}
                  aria-label={`Compare ${device.name}`}
                />
              ),
            },
            {
              ...sorted("name", "Device"),
              rowHeader: true,
              cell: (device) => <DeviceName device={device} />,
            },
            {
              ...sorted("kind", "Kind"),
              align: "text",
              cell: (device) => kindTitle(device.kind),
            },
            {
              ...sorted("read", "Read", "µs"),
              cell: (device) => (
                <Service device={device} value={device.read_service_us} wanted="read" />
              ),
            },
            {
              ...sorted("write", "Write", "µs"),
              cell: (device) => (
                <Service
                  device={device}
                  value={device.write_service_us}
                  wanted="write"
                />
              ),
            },
            {
              ...sorted("price", "Price", `${rate?.currency ?? BASE_CURRENCY}/GB`),
              cell: (device) => <Price device={device} rate={rate} />,
            },
            {
              ...sorted("capacity", "Capacity"),
              cell: (device) =>
                device.capacity_bytes === null ? (
                  <Unknown reason={missingReason(device, "capacity")} />
                ) : (
                  formatCapacity(bytes(device.capacity_bytes))
                ),
            },
            {
              key: "Actions",
              align: "text",
              cell: (device) => (
                <DeviceActions
                  device={device}
                  open={open === device.id}
                  onToggle={() => setOpen(open === device.id ? null : device.id)}
                  onEdit={() => onEdit(device)}
                />
              ),
            },
          ]}
          rows={ordered}
          rowKey={(device) => device.id}
          rowProps={(device) => ({ id: `device-${device.id}` })}
          details={(device) =>
            open === device.id ? <DeviceDetails device={device} /> : null
          }
        />
      )}
    </Panel>
  );
}

function DeviceName({ device }: { readonly device: DeviceOut }) {
  return (
    <>
      {device.name}
      {device.origin === "own" && (
        <Badge size="sm" variant="default" ml={8}>
          own
        </Badge>
      )}
      {device.sold_as === "instance" && (
        <Badge size="sm" variant="default" ml={8}>
          cloud instance
        </Badge>
      )}
    </>
  );
}

function DeviceActions(props: {
  readonly device: DeviceOut;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onEdit: () => void;
}) {
  const { device } = props;
  return (
    <Group gap={6} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        onClick={props.onToggle}
        aria-expanded={props.open}
        aria-label={`Figures of ${device.name}`}
      >
        Figures
      </Button>
      {device.origin === "own" ? (
        <>
          <Button
            size="compact-sm"
            variant="default"
            onClick={props.onEdit}
            aria-label={`Edit ${device.name}`}
          >
            Edit
          </Button>
          <DeleteDevice device={device} />
        </>
      ) : (
        <CopyDevice device={device} />
      )}
    </Group>
  );
}

function Service(props: {
  readonly device: DeviceOut;
  readonly value: number | null;
  readonly wanted: string;
}) {
  if (props.value === null) {
    return <Unknown reason={missingReason(props.device, props.wanted)} />;
  }
  return (
    <span title={props.device.service_basis ?? undefined}>
      {formatNumber(props.value)}
      {restsOnAssumption(props.device, props.wanted) && (
        <Text size="xs" c="dimmed">
          assumed
        </Text>
      )}
    </span>
  );
}

/** In the currency shown, and as quoted where that is another. */
export function Price(props: {
  readonly device: DeviceOut;
  readonly rate: ExchangeRate | null;
}) {
  const { device, rate } = props;
  const stated = device.usd_per_gb ?? device.usd_per_gb_month;
  if (stated === null) {
    return <Unknown reason={missingReason(device, "price")} />;
  }
  const quoted = Number(stated);
  const beside = [
    ...(device.usd_per_gb === null ? ["per month"] : []),
    ...(rate === null ? [] : [`${formatPrice(usd(quoted))} ${BASE_CURRENCY}`]),
    ...(device.price_date === null ? [] : [device.price_date]),
  ];
  return (
    <>
      {formatPrice(usd(converted(quoted, rate)))}
      {beside.length > 0 && (
        <Text size="xs" c="dimmed">
          {beside.join(", ")}
        </Text>
      )}
    </>
  );
}

function CopyDevice({ device }: { readonly device: DeviceOut }) {
  const queryClient = useQueryClient();
  const copy = useMutation({
    mutationFn: () =>
      answer(
        copyDevice({
          path: { device_id: device.id },
          body: { name: `${device.name} (copy)`.slice(0, 200) },
          throwOnError: true,
        }),
      ),
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["catalog", "devices"] });
      showToast(`${made.name} can now be edited; your own devices are listed first.`);
    },
    onError: (error) => showToast(`The device was not copied: ${error.message}`),
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={copy.isPending}
      onClick={() => copy.mutate()}
      aria-label={`Copy ${device.name} to your own devices`}
    >
      Copy
    </Button>
  );
}

function DeleteDevice({ device }: { readonly device: DeviceOut }) {
  const queryClient = useQueryClient();
  return (
    <DeleteButton
      inTable
      what="device"
      name={device.name}
      consequence={`${device.name} will be deleted. Scenarios that use it stay in the list but can no longer be computed.`}
      remove={() =>
        answer(deleteDevice({ path: { device_id: device.id }, throwOnError: true }))
      }
      onRemoved={() =>
        queryClient.invalidateQueries({ queryKey: ["catalog", "devices"] })
      }
    />
  );
}
