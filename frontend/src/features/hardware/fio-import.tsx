import {
  Button,
  Code,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { vocabularyQuery } from "@/api/catalog";
import { answer } from "@/api/client";
import type {
  FioImportIn,
  FioImportOut,
  FioMixOut,
  FioRunOut,
} from "@/api/device-imports";
import { importFio } from "@/api/gen/sdk.gen";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Dialog } from "@/components/dialog";
import { ExportCsv } from "@/components/export-csv";
import { JsonInput, type JsonObject } from "@/components/json-input";
import { ProblemAlert } from "@/components/problem-alert";
import { showToast } from "@/components/toasts";
import { Unknown } from "@/components/unknown";
import { WarningNotes } from "@/components/warning-notes";
import { formatCount, formatShort } from "@/units/quantity";
import classes from "./hardware.module.css";
import { LatencyChart } from "./latency-chart";
import { hasCurve } from "./latency-curve";

const GB = 1e9;

/** What fio does not tell of a device. */
interface Stated {
  readonly name: string;
  readonly kind: string;
  readonly queueDepth: number | null;
  readonly pageBytes: number | null;
  readonly capacityGb: number | null;
}

const NOTHING: Stated = {
  name: "Measured device",
  kind: "nvme",
  queueDepth: null,
  pageBytes: null,
  capacityGb: null,
};

const questionOf = (
  document: JsonObject,
  stated: Stated,
  keep: boolean,
): FioImportIn => ({
  document: { ...document },
  name: stated.name.trim() === "" ? NOTHING.name : stated.name.trim(),
  kind: stated.kind,
  queue_depth: stated.queueDepth,
  page_bytes: stated.pageBytes,
  capacity_bytes:
    stated.capacityGb === null ? null : Math.round(stated.capacityGb * GB),
  keep,
});

/** A device from a result of fio: shown first, kept when asked to. */
export function FioImport({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [document, setDocument] = useState<JsonObject | null>(null);
  const [stated, setStated] = useState(NOTHING);
  const ask = (body: FioImportIn) => answer(importFio({ body, throwOnError: true }));
  const read = useMutation({ mutationFn: ask });
  const keep = useMutation({
    mutationFn: ask,
    onSuccess: async (found) => {
      await queryClient.invalidateQueries({ queryKey: ["catalog", "devices"] });
      showToast(`Saved: ${found.device.name}; your own devices are listed first.`);
      onClose();
    },
  });
  const change = (part: Partial<Stated>) => {
    const next = { ...stated, ...part };
    setStated(next);
    if (document !== null) {
      read.mutate(questionOf(document, next, false));
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      size="min(1100px, 95vw)"
      title="Import an fio measurement"
      closeOnClickOutside={false}
    >
      <Stack>
        <Text size="sm">
          Choose the raw results of <Code>tierwright device measure</Code> (
          <Code>device.fio.json</Code>), or a result of your own: run fio with
          --output-format=json, direct=1 and one pattern at a time (stonewall): randread
          and randwrite at the page size of the workload, at queue depth 1 and at the
          depth of your system.
        </Text>
        <StatedFields stated={stated} found={read.data} onChange={change} />
        <JsonInput
          label="fio output"
          placeholder='{"fio version": "fio-3.36", "jobs": […]}'
          fileLabel="fio output file"
          howToMake="Create it with fio --output-format=json JOBFILE."
          pending={read.isPending}
          onRead={(given) => {
            setDocument(given);
            read.mutate(questionOf(given, stated, false));
          }}
          onReset={() => {
            setDocument(null);
            read.reset();
            keep.reset();
          }}
        />
        <Refused reading={read.error} keeping={keep.error} />
        {read.isSuccess && <Measured found={read.data} />}
        <Group>
          <Button
            disabled={document === null || !read.isSuccess}
            loading={keep.isPending}
            onClick={() =>
              document !== null && keep.mutate(questionOf(document, stated, true))
            }
          >
            Save as your own device
          </Button>
          <Button variant="default" onClick={onClose}>
            Close without saving
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Refused(props: { readonly reading: unknown; readonly keeping: unknown }) {
  const { reading, keeping } = props;
  const [error, title] =
    reading === null
      ? [keeping, "The device was not saved"]
      : [reading, "The measurement could not be read"];
  return error === null ? null : <ProblemAlert error={error} title={title} />;
}

function StatedFields(props: {
  readonly stated: Stated;
  readonly found: FioImportOut | undefined;
  readonly onChange: (part: Partial<Stated>) => void;
}) {
  const { stated, found, onChange } = props;
  const vocabulary = useQuery(vocabularyQuery());
  const [name, setName] = useState(stated.name);
  const depths = found?.queue_depths ?? [];
  return (
    <div className={classes["fields"]}>
      <TextInput
        label="Name"
        maxLength={200}
        value={name}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
        onBlur={() => name !== stated.name && onChange({ name })}
      />
      <Select
        label="Kind"
        value={stated.kind}
        allowDeselect={false}
        data={(
          vocabulary.data?.kinds ?? [{ name: "nvme", title: "NVMe or PCIe SSD" }]
        ).map((kind) => ({ value: kind.name, label: kind.title }))}
        onChange={(kind) => onChange({ kind: kind ?? NOTHING.kind })}
      />
      <Select
        label="Rates at queue depth"
        value={stated.queueDepth === null ? "" : String(stated.queueDepth)}
        allowDeselect={false}
        data={[
          { value: "", label: "Deepest measured for both" },
          ...[
            ...new Set([
              ...depths,
              ...(stated.queueDepth === null ? [] : [stated.queueDepth]),
            ]),
          ].map((depth) => ({ value: String(depth), label: formatCount(depth) })),
        ]}
        onChange={(depth) => onChange({ queueDepth: depth ? Number(depth) : null })}
      />
      <Optional
        label="Rates at block size [B]"
        placeholder="as measured"
        min={512}
        max={2 ** 24}
        value={stated.pageBytes}
        onChange={(pageBytes) => onChange({ pageBytes })}
      />
      <Optional
        label="Capacity [GB]"
        placeholder="not known"
        min={1e-3}
        max={1e6}
        value={stated.capacityGb}
        onChange={(capacityGb) => onChange({ capacityGb })}
      />
    </div>
  );
}

function Optional(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly min: number;
  readonly max: number;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}) {
  const { min, max, value, onChange } = props;
  const [draft, setDraft] = useState<number | string>(value ?? "");
  const fits =
    draft === "" || (typeof draft === "number" && draft >= min && draft <= max);
  const commit = () => {
    const next = typeof draft === "number" ? draft : null;
    if (fits && next !== value) {
      onChange(next);
    }
  };
  return (
    <NumberInput
      label={props.label}
      placeholder={props.placeholder}
      hideControls
      thousandSeparator=","
      value={draft}
      error={fits ? null : `from ${formatShort(min)} to ${formatCount(max)}`}
      onChange={setDraft}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  );
}

const SERVICE_UNKNOWN =
  "only a run at queue depth 1 measures it; at a greater depth it lies between 1/IOPS and the latency";

const pattern = (run: FioRunOut) =>
  run.random ? `random ${run.operation}` : `sequential ${run.operation}`;

const measured = (
  key: string,
  value: (run: FioRunOut) => number | null,
  reason = "fio did not report it",
): Column<FioRunOut> => ({
  key,
  csv: value,
  cell: (run) => {
    const number = value(run);
    return number === null ? <Unknown reason={reason} /> : formatShort(number, 4);
  },
});

const COLUMNS: readonly Column<FioRunOut>[] = [
  { key: "Run", rowHeader: true, cell: (run) => run.name, csv: (run) => run.name },
  { key: "Pattern", align: "text", cell: pattern, csv: pattern },
  measured("Block [B]", (run) => run.block_bytes),
  measured("Queue depth", (run) => run.queue_depth),
  measured("In flight", (run) => run.in_flight),
  measured("IOPS [1/s]", (run) => run.iops),
  measured("Latency [µs]", (run) => run.latency_us),
  measured("99 % within [µs]", (run) => run.percentiles_us["p99"] ?? null),
  measured("1/IOPS [µs]", (run) => run.time_per_operation_us),
  measured("Service time [µs]", (run) => run.service_time_us, SERVICE_UNKNOWN),
];

const PERCENT = 100;

const mixed = (
  key: string,
  value: (mix: FioMixOut) => number | null | undefined,
): Column<FioMixOut> => ({
  key,
  csv: (mix) => value(mix) ?? null,
  cell: (mix) => {
    const number = value(mix) ?? null;
    return number === null ? (
      <Unknown reason="fio did not report it" />
    ) : (
      formatShort(number, 4)
    );
  },
});

const MIX_COLUMNS: readonly Column<FioMixOut>[] = [
  {
    key: "Mix",
    rowHeader: true,
    cell: (mix) =>
      `${mix.read_percent} % reads, ${PERCENT - mix.read_percent} % writes`,
    csv: (mix) => mix.read_percent,
  },
  mixed("Block [B]", (mix) => mix.read.block_bytes),
  mixed("Queue depth", (mix) => mix.read.queue_depth),
  mixed("Reads [1/s]", (mix) => mix.read.iops),
  mixed("Writes [1/s]", (mix) => mix.write.iops),
  mixed("Read latency [µs]", (mix) => mix.read.latency_us),
  mixed("99 % of reads [µs]", (mix) => mix.read.percentiles_us["p99"]),
  mixed("Write latency [µs]", (mix) => mix.write.latency_us),
  mixed("99 % of writes [µs]", (mix) => mix.write.percentiles_us["p99"]),
];

/** The runs with their three times, and which of them the models will use. */
function Measured({ found }: { readonly found: FioImportOut }) {
  return (
    <>
      <Text fw={600}>{found.sentence}</Text>
      <WarningNotes notes={found.warnings} />
      {hasCurve(found.device) && <LatencyChart device={found.device} />}
      <DataTable
        label="What fio measured"
        region="fio runs"
        caption={`Latency, 1/IOPS and service time are three different things: ${found.basis}.`}
        columns={COLUMNS}
        rows={found.runs}
        rowKey={(run) => `${run.name} ${run.operation} ${run.queue_depth}`}
      />
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" style={{ flex: "1 1 300px" }}>
          {Object.entries(found.used)
            .map(([figure, run]) => `${figure.replaceAll("_", " ")} from ${run}`)
            .join("; ")}
          .
        </Text>
        <ExportCsv file="fio-runs" columns={COLUMNS} rows={found.runs} />
      </Group>
      {found.mixes.length > 0 && (
        <>
          <Text fw={600}>Reads and writes measured together</Text>
          <DataTable
            label="Reads and writes measured together"
            region="fio mixes"
            caption="A mix gives the cost of neither reads nor writes, so no figure of the device is from it."
            columns={MIX_COLUMNS}
            rows={found.mixes}
            rowKey={(mix) => mix.read.name}
          />
        </>
      )}
    </>
  );
}
