import {
  Alert,
  Box,
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
} from "@mantine/core";
import { skipToken, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  createScaled,
  joinedQuery,
  type ProductionIn,
  type ProductionOut,
  type RelationOut,
  relationsQuery,
  type ScalePreviewOut,
  type SizeScaledOut,
  scalePreviewQuery,
} from "@/api/scaling";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import { type Column, valueColumn } from "@/components/columns";
import { CreateWorkload } from "@/components/create-workload";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { DraftInput } from "@/components/draft-input";
import { ExportCsv } from "@/components/export-csv";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { WarningNotes } from "@/components/warning-notes";
import {
  bytes,
  counted,
  formatBytes,
  formatBytesExactly,
  formatCount,
  formatPercent,
  formatShort,
  parseSize,
  ratio,
  UNKNOWN,
} from "@/units/quantity";
import { JoinedPages } from "./joined-pages";
import classes from "./production.module.css";
import {
  type Fault,
  FIELD_LABELS,
  faultAt,
  faultsOf,
  ownFaults,
} from "./production-faults";
import {
  errorText,
  hasRates,
  joinedWith,
  needsJoining,
  type ProductionForm,
  productionOf,
  readTime,
  scaledText,
  tiersText,
  usualName,
} from "./production-form";
import { typedRates } from "./rates";
import { RatesChart } from "./rates-chart";
import { Figure } from "./summary-figures";

const MOST_RATE = 1e12;
const MOST_MACHINES = 100_000;
const MOST_CLIENTS = 1e9;

/** The production that a workload speaks of, or a form that scales it to one. */
export function Production({
  workload,
  form,
  setForm,
}: {
  readonly workload: WorkloadOut;
  readonly form: ProductionForm;
  readonly setForm: (form: ProductionForm) => void;
}) {
  const { summary } = workload;
  if (summary === null) {
    return null;
  }
  return (
    // Pages that ask for sizes of production lead here.
    <div id="production">
      {summary.production === null ? (
        <ScaleForm
          workload={workload}
          summary={summary}
          form={form}
          setForm={setForm}
        />
      ) : (
        <Stated
          production={summary.production}
          summary={summary}
          name={workload.name}
        />
      )}
    </div>
  );
}

function Stated(props: {
  readonly production: ProductionOut;
  readonly summary: SummaryOut;
  readonly name: string;
}) {
  const { production, summary, name } = props;
  const stated = production.production;
  const from = summary.scaled_from;
  return (
    <Panel
      title="Production"
      subtitle={`Sizes and rates are those of production, ${scaledText(production)}.`}
      label="Production"
    >
      <dl className="tw-figures">
        <Figure name="Data" value={formatBytes(bytes(stated.data_bytes))} />
        <Figure
          name="Accesses per second"
          value={formatShort(stated.accesses_per_s)}
          note={
            stated.peak_accesses_per_s === null
              ? "mean"
              : `mean; ${formatShort(stated.peak_accesses_per_s)} in the busiest ${
                  stated.rates === null ? "hour" : "step"
                }`
          }
        />
        <Figure
          name="Machines"
          value={formatCount(stated.machines)}
          note={
            stated.replicas === 1
              ? "figures below are of one"
              : `${counted(stated.replicas, "copy", "copies")} of each page; figures below are of one`
          }
        />
        <Figure
          name="Recorded data"
          value={formatBytes(bytes(production.recorded_data_bytes))}
          note={production.data_stated ? "as stated" : "the pages touched stand for it"}
        />
        <Figure
          name="Page size"
          value={formatBytes(bytes(summary.page_bytes))}
          note={
            production.recorded_page_bytes === null
              ? "as recorded"
              : `recorded with ${formatBytes(bytes(production.recorded_page_bytes))}, neighbours joined`
          }
        />
        <Figure
          name="Growth per year"
          value={formatPercent(ratio(stated.growth_per_year))}
        />
      </dl>
      <Text size="sm" mt="sm">
        Error known of the law: {errorText(production)}.
      </Text>
      <MeasuredTiers summary={summary} />
      {from !== null && (
        <Text size="sm">
          Scaled from{" "}
          <Link to="/workloads/$workloadId" params={{ workloadId: from.workload_id }}>
            {from.name}
          </Link>
          .
        </Text>
      )}
      {stated.rates !== null && (
        <Box mt="md">
          <RatesChart rates={stated.rates} name={name} />
        </Box>
      )}
    </Panel>
  );
}

type Tier = NonNullable<SummaryOut["evidence"]>["tiers"][number];

const TIER_COLUMNS: readonly Column<Tier>[] = [
  { key: "Tier", rowHeader: true, cell: ({ name }) => name },
  { key: "Time per read", cell: (tier) => readTime(tier) },
  {
    key: "In use",
    cell: ({ size_bytes: size }) => (size === null ? "" : formatBytes(bytes(size))),
  },
  { key: "Requests per second", cell: (tier) => formatShort(tier.requests_per_s, 4) },
];

/** The levels of the running system with their times, as its counters measured them. */
function MeasuredTiers({ summary }: { readonly summary: SummaryOut }) {
  const tiers = summary.evidence?.tiers ?? [];
  if (tiers.length === 0) {
    return null;
  }
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        Tiers of the running system, as counted
      </Text>
      <DataTable
        label="Tiers of the running system"
        columns={TIER_COLUMNS}
        rows={tiers}
        rowKey={({ name }) => name}
        caption={tiersText(tiers)}
      />
    </div>
  );
}

const LAWS = [
  { value: "relations", label: "relations: each relation grows by itself" },
  { value: "stretch", label: "stretch: everything grows alike" },
  { value: "tenants", label: "tenants: independent copies share one cache" },
  { value: "cold_growth", label: "cold growth: the hot pages stay" },
];

/** What the form asks, what the server finds, and what is wrong with the values. */
function usePreview(
  workload: WorkloadOut,
  summary: SummaryOut,
  form: ProductionForm,
): Asked {
  const own = ownFaults(form);
  const production = productionOf(form);
  const joining = needsJoining(form.pageBytes, summary);
  const joined = useQuery({
    ...joinedQuery(workload.id),
    ...(joining ? {} : { queryFn: skipToken }),
  });
  const waits =
    joining && joinedWith(joined.data?.items ?? [], form.pageBytes)?.status !== "ready";
  const isHeld = production === null || waits || own.length > 0;
  const preview = useQuery({
    ...scalePreviewQuery(workload.id, production ?? NOTHING),
    ...(isHeld ? { queryFn: skipToken } : {}),
  });
  const told = isHeld || preview.error === null ? null : faultsOf(preview.error);
  return { production, joining, preview, faults: own.length > 0 ? own : (told ?? []) };
}

interface Asked {
  readonly production: ProductionIn | null;
  readonly joining: boolean;
  readonly preview: FoundProps["preview"];
  readonly faults: readonly Fault[];
}

function ScaleForm(props: {
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
  readonly form: ProductionForm;
  readonly setForm: (form: ProductionForm) => void;
}) {
  const { workload, summary, form, setForm } = props;
  const change = (part: Partial<ProductionForm>) => setForm({ ...form, ...part });
  const asked = usePreview(workload, summary, form);
  const { faults } = asked;
  return (
    <Panel
      title="Production"
      subtitle="All sizes below are those of the recording itself. State the system that you buy for, and the workload is scaled to it."
      label="Production"
    >
      <Stack gap="md">
        <Fields form={form} change={change} faults={faults} summary={summary} />
        <MeasuredTiers summary={summary} />
        <Disclosure label="More: law, growth, machines, relations">
          <Stack gap="md" pt="xs">
            <MoreFields
              form={form}
              change={change}
              faults={faults}
              pageBytes={summary.page_bytes}
            />
            <Relations
              workloadId={workload.id}
              form={form}
              change={change}
              found={asked.production === null ? undefined : asked.preview.data}
              summary={summary}
            />
          </Stack>
        </Disclosure>
        <Outcome workload={workload} summary={summary} form={form} asked={asked} />
      </Stack>
    </Panel>
  );
}

/** What follows from the form: its faults, what is missing, or the workload in production. */
function Outcome(props: {
  readonly workload: WorkloadOut;
  readonly summary: SummaryOut;
  readonly form: ProductionForm;
  readonly asked: Asked;
}) {
  const { workload, summary, form } = props;
  const { production, joining, preview, faults } = props.asked;
  if (faults.length > 0) {
    return <Faults faults={faults} />;
  }
  if (production === null) {
    return (
      <Text size="sm" c="dimmed">
        {missing(form)}
      </Text>
    );
  }
  const found = (
    <Found
      key={workload.id}
      workload={workload}
      production={production}
      preview={preview}
    />
  );
  return joining && form.pageBytes !== null ? (
    <JoinedPages
      workload={workload}
      recordedBytes={summary.page_bytes}
      pageBytes={form.pageBytes}
    >
      {found}
    </JoinedPages>
  ) : (
    found
  );
}

/** The marked fields once more, below the form: some may be folded away. */
const Faults = ({ faults }: { readonly faults: readonly Fault[] }) => (
  <Alert
    role="alert"
    color="red"
    variant="outline"
    title="This production cannot be computed"
    styles={{ title: { color: "var(--mantine-color-error)" } }}
  >
    <ul style={{ margin: 0, paddingLeft: 20 }}>
      {faults.map(({ field, text }) => (
        <li key={field}>
          <Text size="sm" component="span">
            <b>{FIELD_LABELS[field]}</b>: {text}.
          </Text>
        </li>
      ))}
    </ul>
  </Alert>
);

const NOTHING: ProductionIn = { data_bytes: 1 };

const missing = (form: ProductionForm): string =>
  form.dataBytes === null
    ? "Enter the size of the data in production to see what caches would miss there."
    : form.rate === null || hasRates(form)
      ? "Enter the rate of production."
      : "Enter how many page accesses one transaction had in the recording.";

interface FieldsProps {
  readonly form: ProductionForm;
  readonly change: (part: Partial<ProductionForm>) => void;
  /** What is wrong with the values. */
  readonly faults: readonly Fault[];
}

function Capacity(props: {
  readonly label: string;
  readonly value: number | null;
  readonly placeholder: string;
  readonly description: string;
  /** A size that the error of another one names. */
  readonly example?: string;
  readonly error: string | undefined;
  readonly onChange: (value: number | null) => void;
}) {
  const { value, onChange, example = "4 TiB", ...rest } = props;
  return (
    <DraftInput<number | null>
      {...rest}
      shown={value === null ? "" : formatBytesExactly(bytes(value))}
      read={(text) => {
        if (text.trim() === "") {
          return { ok: true, value: null };
        }
        const found = parseSize(text, bytes(1), 1);
        return found.ok
          ? found
          : { ok: false, error: `${found.message}; write a size such as ${example}` };
      }}
      onChange={onChange}
    />
  );
}

const optional = (value: number | null): number | undefined => value ?? undefined;

function Fields(props: FieldsProps & { readonly summary: SummaryOut }) {
  const { form, change, faults, summary } = props;
  const perUnit = form.unit === "unit";
  return (
    <div className={classes["fields"]}>
      <Capacity
        label={FIELD_LABELS.dataBytes}
        error={faultAt(faults, "dataBytes")}
        value={form.dataBytes}
        placeholder="4 TiB"
        description="The whole database or volume."
        onChange={(dataBytes) => change({ dataBytes })}
      />
      <div>
        <Text size="sm" fw={500} mb={2} id="production-rate-of">
          Rate of
        </Text>
        <SegmentedControl
          size="sm"
          fullWidth
          aria-labelledby="production-rate-of"
          value={form.unit}
          data={[
            { value: "access", label: "Accesses" },
            { value: "unit", label: "Transactions" },
          ]}
          onChange={(unit) => change({ unit: unit === "unit" ? "unit" : "access" })}
        />
      </div>
      <OptionalNumberField
        label={perUnit ? "Transactions per second" : "Page accesses per second"}
        error={faultAt(faults, "rate")}
        unit="1/s"
        value={optional(form.rate)}
        min={1e-6}
        max={MOST_RATE}
        placeholder={perUnit ? "4,000" : "80,000"}
        description={
          hasRates(form)
            ? "Not used: there are rates over time."
            : "In production, mean."
        }
        onChange={(rate) => change({ rate: rate ?? null })}
      />
      <OptionalNumberField
        label={FIELD_LABELS.peak}
        unit="1/s"
        value={optional(form.peak)}
        min={1e-6}
        max={MOST_RATE}
        placeholder="as the mean"
        error={faultAt(faults, "peak")}
        description={
          hasRates(form)
            ? "Not used: there are rates over time."
            : "Page accesses per second in it; what is bought has to carry them."
        }
        onChange={(peak) => change({ peak: peak ?? null })}
      />
      <Capacity
        label={FIELD_LABELS.recordedBytes}
        error={faultAt(faults, "recordedBytes")}
        value={form.recordedBytes}
        placeholder={formatBytes(bytes(summary.footprint_bytes))}
        description="The whole recorded system; otherwise the pages touched stand for it."
        onChange={(recordedBytes) => change({ recordedBytes })}
      />
      <OptionalNumberField
        label={FIELD_LABELS.accessesPerUnit}
        error={faultAt(faults, "accessesPerUnit")}
        value={optional(form.accessesPerUnit)}
        min={1e-3}
        max={MOST_RATE}
        placeholder={perUnit ? "required" : "unknown"}
        description="Page accesses of one transaction or request in the recording."
        onChange={(accessesPerUnit) =>
          change({ accessesPerUnit: accessesPerUnit ?? null })
        }
      />
      <OptionalNumberField
        label={FIELD_LABELS.clients}
        error={faultAt(faults, "clients")}
        whole
        value={optional(form.clients)}
        min={1}
        max={MOST_CLIENTS}
        placeholder="unknown"
        description="Reuse within the transactions that run together is not stretched."
        onChange={(clients) => change({ clients: clients ?? null })}
      />
    </div>
  );
}

function MoreFields(props: FieldsProps & { readonly pageBytes: number }) {
  const { form, change, faults, pageBytes } = props;
  const rates = typedRates(form.rates);
  return (
    <div className={classes["fields"]}>
      <Textarea
        className={classes["wide"] ?? ""}
        label="Rates over time"
        description="In place of mean and peak: page accesses per second, one number an hour, or a table time,accesses_per_s of equal steps."
        placeholder={
          "time,accesses_per_s\n2026-03-01T00:00,52000\n2026-03-01T01:00,48000"
        }
        autosize
        minRows={3}
        maxRows={8}
        value={form.rates}
        error={rates.ok ? faultAt(faults, "rates") : rates.error}
        onChange={(event) => change({ rates: event.currentTarget.value })}
      />
      <Select
        className={classes["wide"] ?? ""}
        label={FIELD_LABELS.law}
        error={faultAt(faults, "law")}
        clearable
        placeholder="relations where the trace tells them, else stretch"
        data={LAWS}
        value={form.law ?? null}
        onChange={(law) =>
          change({
            law:
              (["relations", "stretch", "tenants", "cold_growth"] as const).find(
                (name) => name === law,
              ) ?? null,
          })
        }
      />
      {form.law === "cold_growth" && (
        <OptionalNumberField
          label={FIELD_LABELS.exponent}
          error={faultAt(faults, "exponent")}
          value={optional(form.exponent)}
          min={0}
          max={10}
          placeholder="as measured"
          onChange={(exponent) => change({ exponent: exponent ?? null })}
        />
      )}
      <OptionalNumberField
        label={FIELD_LABELS.writeShare}
        error={faultAt(faults, "writeShare")}
        unit="%"
        value={form.writeShare === null ? undefined : 100 * form.writeShare}
        min={0}
        max={100}
        placeholder="as recorded"
        onChange={(share) =>
          change({ writeShare: share === undefined ? null : share / 100 })
        }
      />
      <NumberField
        label={FIELD_LABELS.growthPerYear}
        error={faultAt(faults, "growthPerYear")}
        unit="%"
        value={100 * form.growthPerYear}
        min={-99}
        max={10_000}
        onChange={(growth) => change({ growthPerYear: growth / 100 })}
      />
      <NumberField
        label={FIELD_LABELS.machines}
        error={faultAt(faults, "machines")}
        unit=""
        whole
        value={form.machines}
        min={1}
        max={MOST_MACHINES}
        description="Equal ones that share the pages."
        onChange={(machines) =>
          change({ machines, replicas: Math.min(form.replicas, machines) })
        }
      />
      <NumberField
        label={FIELD_LABELS.replicas}
        error={faultAt(faults, "replicas")}
        unit=""
        whole
        value={form.replicas}
        min={1}
        max={form.machines}
        description="Each write goes to all of them."
        onChange={(replicas) => change({ replicas })}
      />
      <Capacity
        label={FIELD_LABELS.pageBytes}
        error={faultAt(faults, "pageBytes")}
        value={form.pageBytes}
        placeholder={formatBytes(bytes(pageBytes))}
        example="16 KiB"
        description="As recorded unless stated. A larger page holds neighbouring recorded ones, for which the trace is read again; a smaller one cannot be computed."
        onChange={(bytesOfPage) => change({ pageBytes: bytesOfPage })}
      />
      <OptionalNumberField
        label={FIELD_LABELS.tau}
        error={faultAt(faults, "tau")}
        unit="accesses"
        value={optional(form.tau)}
        min={0}
        max={MOST_RATE}
        placeholder="usual"
        description="Clients times accesses of a transaction unless stated."
        onChange={(tau) => change({ tau: tau ?? null })}
      />
      <OptionalNumberField
        label={FIELD_LABELS.newPages}
        error={faultAt(faults, "newPages")}
        unit="pages"
        whole
        value={optional(form.newPages)}
        min={0}
        max={MOST_RATE}
        placeholder="none known"
        description="Pages that were allocated while it was recorded: they are made in RAM, so that their first access is no read."
        onChange={(newPages) => change({ newPages: newPages ?? null })}
      />
    </div>
  );
}

function Relations(
  props: Omit<FieldsProps, "faults"> & {
    readonly workloadId: string;
    readonly found: ScalePreviewOut | undefined;
    readonly summary: SummaryOut;
  },
) {
  const { form, change, found, summary } = props;
  const relations = useQuery(relationsQuery(props.workloadId)).data?.items ?? [];
  if (relations.length < 2 || (form.law ?? "relations") !== "relations") {
    return null;
  }
  const columns: Column<RelationOut>[] = [
    {
      key: "relation",
      head: "Relation",
      rowHeader: true,
      cell: (row) => row.name ?? `number ${row.number}`,
    },
    valueColumn("pages touched", (row) => row.distinct_pages, formatCount),
    valueColumn(
      "share of the accesses",
      (row) => row.accesses / summary.accesses,
      (share) => formatPercent(ratio(share)),
    ),
    {
      key: "grows",
      head: "Grows",
      align: "text",
      cell: (row) => (
        <Checkbox
          aria-label={`${row.name ?? `number ${row.number}`} grows with the data`}
          disabled={!row.grows}
          checked={row.grows && !form.fixed.includes(String(row.number))}
          onChange={(event) => {
            const number = String(row.number);
            const others = form.fixed.filter((one) => one !== number);
            const { [number]: _, ...factors } = form.factors;
            change({
              fixed: event.currentTarget.checked ? others : [...others, number],
              factors,
            });
          }}
        />
      ),
    },
    {
      key: "times",
      head: "Times",
      cell: (row) => {
        const factor = found?.factors[row.number - 1];
        return factor === undefined ? UNKNOWN : formatShort(factor);
      },
    },
  ];
  return (
    <DataTable
      label="Relations"
      columns={columns}
      rows={relations}
      rowKey={(row) => row.number}
      style={{ maxHeight: 320 }}
      caption="Relations that do not grow stay as they are; the others grow so that the sum is the data of production."
    />
  );
}

const SIZES: readonly Column<SizeScaledOut>[] = [
  {
    key: "cache",
    head: "Cache",
    rowHeader: true,
    cell: (row) => formatBytes(bytes(row.cache_bytes)),
    csv: (row) => row.cache_bytes,
  },
  valueColumn(
    "share of the data",
    (row) => row.share,
    (share) => formatPercent(ratio(share)),
  ),
  valueColumn(
    "misses",
    (row) => row.miss_ratio,
    (share) => formatPercent(ratio(share)),
  ),
  valueColumn(
    "at least",
    (row) => row.miss_ratio_low,
    (share) => formatPercent(ratio(share)),
  ),
  valueColumn(
    "at most",
    (row) => row.miss_ratio_high,
    (share) => formatPercent(ratio(share)),
  ),
  { ...valueColumn<SizeScaledOut>("misses per second", (row) => row.misses_per_s) },
];

interface FoundProps {
  readonly workload: WorkloadOut;
  readonly production: ProductionIn;
  readonly preview: {
    readonly data: ScalePreviewOut | undefined;
    readonly error: Error | null;
    readonly isPlaceholderData: boolean;
  };
}

function Found(props: FoundProps) {
  const { workload, production, preview } = props;
  if (preview.error !== null) {
    return (
      <ProblemAlert error={preview.error} title="This production cannot be computed" />
    );
  }
  if (preview.data === undefined) {
    return <Skeleton height={280} animate={false} />;
  }
  const found = preview.data;
  return (
    <Stack
      gap="md"
      aria-busy={preview.isPlaceholderData}
      style={{ opacity: preview.isPlaceholderData ? 0.6 : 1 }}
    >
      <Text aria-live="polite">
        <Prose text={found.finding} />.
      </Text>
      <Text size="sm" c="dimmed">
        Error known of the law: {errorText(found.production)}.
      </Text>
      <DataTable
        label="Misses by cache size in production"
        columns={SIZES}
        rows={found.sizes}
        rowKey={(row) => row.pages}
      />
      <Group justify="flex-end">
        <ExportCsv
          file={`${workload.name} production`}
          columns={SIZES}
          rows={found.sizes}
        />
      </Group>
      <WarningNotes notes={found.warnings} />
      {found.existing === null || preview.isPlaceholderData ? (
        <Keep
          workload={workload}
          production={production}
          isWaiting={preview.isPlaceholderData}
        />
      ) : (
        <KeptAlready {...found.existing} />
      )}
    </Stack>
  );
}

/** A production is one workload: what was kept before is led to, not made a second time. */
export const KeptAlready = ({
  id,
  name,
}: {
  readonly id: string;
  readonly name: string;
}) => (
  <Group justify="space-between">
    <Text size="sm" style={{ flex: "1 1 320px" }}>
      This production is kept already, as the workload {name}: it can be chosen in all
      questions.
    </Text>
    <Button
      renderRoot={(rest) => (
        <Link to="/workloads/$workloadId" params={{ workloadId: id }} {...rest} />
      )}
    >
      Open {name}
    </Button>
  </Group>
);

function Keep(props: {
  readonly workload: WorkloadOut;
  readonly production: ProductionIn;
  /** Whether this production is kept already is not known yet. */
  readonly isWaiting: boolean;
}) {
  const { workload, production, isWaiting } = props;
  const [name, setName] = useState<string | null>(null);
  const shown = name ?? usualName(workload.name, production);
  return (
    <CreateWorkload
      label="Name"
      name={shown}
      onName={setName}
      create={() => createScaled(workload.id, production, shown)}
      action="Use in all questions"
      disabled={shown.trim() === "" || isWaiting}
      failed="The workload was not created"
    />
  );
}
