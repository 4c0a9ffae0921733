import { List, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { ConfigurationsIn } from "@/api/gen/bounds.gen";
import {
  type ConfigurationOut,
  type ConfigurationsOut,
  configurationsQuery,
} from "@/api/purchasable";
import type { WorkloadOut } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { lineOption } from "@/charts/line-option";
import { CautionNotes } from "@/components/caution-notes";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { useSessionDraft } from "@/components/use-session-draft";
import { billSearch } from "@/questions/bill";
import { rateOf, shownCurrency } from "@/units/currency";
import {
  bytes,
  cents,
  formatBytes,
  formatPercent,
  formatShort,
  ratio,
  UNKNOWN,
} from "@/units/quantity";
import {
  type ConfigurationsForm,
  configurationsOf,
  USUAL_CONFIGURATIONS,
} from "./configurations-form";
import classes from "./production.module.css";

const HEIGHT = 340;
const MOST_MONTHS = 120;
const NO_NAMES: ReadonlyMap<string, string> = new Map();
const COLORS = {
  light: ["#1f6feb", "#b35900"],
  dark: ["#6cb0ff", "#ffb066"],
} as const;

/** What can be bought for a workload of production: by money and I/O time. */
export function Configurations({ workload }: { readonly workload: WorkloadOut }) {
  const copies = workload.summary?.production?.production.replicas ?? 1;
  const [form, setForm] = useSessionDraft<ConfigurationsForm>(
    `configurations ${workload.id}`,
    {
      ...USUAL_CONFIGURATIONS,
      machines: Math.max(USUAL_CONFIGURATIONS.machines, copies),
    },
  );
  const asked = JSON.stringify(configurationsOf(form));
  const question = useMemo(() => JSON.parse(asked), [asked]);
  const found = useQuery(configurationsQuery(workload.id, question));
  return (
    <>
      <Panel
        title="What can be bought for it"
        subtitle="All cloud instances, volumes and servers built from parts that hold the data, each priced as its bill."
        label="What can be bought for it"
      >
        <Fields
          form={form}
          copies={copies}
          change={(part) => setForm({ ...form, ...part })}
        />
      </Panel>
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="What can be bought could not be listed"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined
        ? found.isPending && <Skeleton height={HEIGHT} animate={false} />
        : found.error === null && <ConfigurationsFound found={found.data} />}
    </>
  );
}

function Fields(props: {
  readonly form: ConfigurationsForm;
  /** Each is on another machine. */
  readonly copies: number;
  readonly change: (part: Partial<ConfigurationsForm>) => void;
}) {
  const { form, change } = props;
  return (
    <div className={classes["fields"]}>
      <NumberField
        label="Purchase spread over"
        unit="months"
        whole
        min={1}
        max={MOST_MONTHS}
        value={form.months}
        onChange={(months) => change({ months })}
      />
      <NumberField
        label="At most"
        unit="machines"
        whole
        min={props.copies}
        max={ConfigurationsIn.max_machines.high}
        value={form.machines}
        onChange={(machines) => change({ machines })}
      />
      <NumberField
        label="RAM of each machine for the system"
        unit="GiB"
        min={0}
        max={1e6}
        value={form.reservedGib}
        onChange={(reservedGib) => change({ reservedGib })}
      />
      <OptionalNumberField
        label="Price of a chassis with processors"
        unit="USD"
        description="No list price was found: enter your quotation."
        min={0}
        max={1e9}
        value={form.chassisUsd ?? undefined}
        onChange={(chassisUsd) => change({ chassisUsd: chassisUsd ?? null })}
      />
      <OptionalNumberField
        label="Price of electricity"
        unit="USD/kWh"
        placeholder="left out"
        min={0}
        max={1e9}
        value={form.usdPerKwh ?? undefined}
        onChange={(usdPerKwh) => change({ usdPerKwh: usdPerKwh ?? null })}
      />
      <OptionalNumberField
        label="Power of a bought server"
        unit="W"
        placeholder="sum of its parts"
        min={0}
        max={1e6}
        value={form.watts ?? undefined}
        onChange={(watts) => change({ watts: watts ?? null })}
      />
      <OptionalNumberField
        label="Limit per month"
        unit="USD"
        placeholder="no limit"
        min={0}
        max={1e9}
        value={form.mostUsd ?? undefined}
        onChange={(mostUsd) => change({ mostUsd: mostUsd ?? null })}
      />
      <OptionalNumberField
        label="Limit of the I/O time per access"
        unit="µs"
        placeholder="no limit"
        min={1e-6}
        max={1e9}
        value={form.mostUs ?? undefined}
        onChange={(mostUs) => change({ mostUs: mostUs ?? null })}
      />
    </div>
  );
}

/** Both groups in one table: lower bounds are named as such. */
interface Row {
  readonly one: ConfigurationOut;
  readonly isBound: boolean;
}

const busiest = ({
  store_busy_peak: store,
  flash_busy_peak: flash,
}: ConfigurationOut) => (store === null ? null : Math.max(store, flash ?? 0));

const size = (count: number) => formatBytes(bytes(count));

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "Configuration",
    rowHeader: true,
    cell: ({ one }) => (
      <Link
        to="/hardware"
        search={(previous) => ({ ...previous, ...billSearch(one) })}
        title="Open its bill"
      >
        {one.name}
      </Link>
    ),
  },
  {
    key: "Per month",
    cell: ({ one, isBound }) =>
      `${isBound ? "at least " : ""}${cents(one.monthly_usd)}`,
  },
  { key: "At purchase", cell: ({ one }) => cents(one.purchase_usd) },
  {
    key: "I/O time",
    unit: "µs per access",
    cell: ({ one }) =>
      one.io_time_us_per_access === null
        ? UNKNOWN
        : formatShort(one.io_time_us_per_access),
  },
  {
    key: "Busy in the busiest hour",
    cell: ({ one }) => {
      const share = busiest(one);
      return share === null ? UNKNOWN : formatPercent(ratio(share));
    },
  },
  {
    key: "Usable RAM",
    cell: ({ one }) => size(one.usable_ram_gib * one.machines * 2 ** 30),
  },
  {
    key: "Cache before volumes",
    cell: ({ one }) => (one.flash_bytes === 0 ? "none" : size(one.flash_bytes)),
  },
  { key: "Data on", cell: ({ one }) => size(one.store_bytes) },
  {
    key: "Without a price",
    align: "text",
    cell: ({ one }) => one.lacks_price.join(", "),
  },
];

const EXPORTED: readonly Column<Row, string>[] = [
  valueColumn("configuration", ({ one }) => one.name),
  valueColumn("lower bound", ({ isBound }) => (isBound ? "yes" : "no")),
  valueColumn("per month", ({ one }) => Number(one.monthly_usd), cents),
  valueColumn("at purchase", ({ one }) => Number(one.purchase_usd), cents),
  valueColumn("I/O time [µs per access]", ({ one }) => one.io_time_us_per_access),
];

/** The front as a chart and a table, and why others are excluded. */
export function ConfigurationsFound({ found }: { readonly found: ConfigurationsOut }) {
  const colors = useChartColors();
  const rows = useMemo<readonly Row[]>(
    () => [
      ...found.front.map((one) => ({ one, isBound: false })),
      ...found.lower_bounds.map((one) => ({ one, isBound: true })),
    ],
    [found],
  );
  const option = useMemo(() => {
    const points = (list: readonly ConfigurationOut[]) =>
      list.flatMap((one): (readonly [number, number])[] =>
        one.io_time_us_per_access === null
          ? []
          : [[Number(one.monthly_usd), one.io_time_us_per_access]],
      );
    const [suits, bounds] = COLORS[colors];
    return lineOption({
      series: [
        {
          name: "with all prices",
          color: suits,
          symbol: "circle" as const,
          line: false,
          points: points(found.front),
        },
        {
          name: "lower bounds: a price is missing",
          color: bounds,
          symbol: "diamond" as const,
          line: false,
          hollow: true,
          points: points(found.lower_bounds),
        },
      ].filter((series) => series.points.length > 0),
      x: {
        name: `per month [${shownCurrency()}]`,
        log: true,
        format: (value) => formatShort(value),
      },
      y: { name: "I/O time [µs per access]", log: true, format: formatShort },
      colors,
    });
  }, [found, colors]);
  return (
    <Stack gap="lg">
      <CautionNotes of="what can be bought" cautions={found.cautions} />
      <ChartCard
        title={<Prose text={found.finding} names={NO_NAMES} />}
        subtitle={`Configurations that no other beats in both money and I/O time; rent, and the purchase spread over the months [${shownCurrency()} per month]`}
        label="Configurations by money and I/O time"
        option={option}
        height={HEIGHT}
        fileName="configurations"
        table={() => chartTable(rows, EXPORTED)}
        rate={rateOf(found)}
        explanation={`${found.estimator}. Valid for: ${found.validity}.`}
      />
      <Panel
        title="Configurations"
        subtitle="Each opens its bill, line by line. What lacks a price stands behind the others and costs at least what it states."
      >
        <DataTable
          label="Configurations"
          columns={COLUMNS}
          rows={rows}
          rowKey={(_, at) => at}
          style={{ maxHeight: 420 }}
        />
        {found.excluded.length > 0 && (
          <>
            <Text size="sm" fw={500} mt="md">
              Why others are excluded
            </Text>
            <List size="sm">
              {found.excluded.map(({ reason, text }) => (
                <List.Item key={reason}>{text}</List.Item>
              ))}
            </List>
          </>
        )}
      </Panel>
    </Stack>
  );
}
