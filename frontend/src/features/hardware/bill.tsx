import { Alert, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import {
  type BillIn,
  type BillLineOut,
  type BillOut,
  type BillSideOut,
  billQuery,
  type PartOut,
  type ServerOut,
  type VolumeOut,
} from "@/api/purchasable";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { chartTable } from "@/charts/chart-table";
import { lineOption } from "@/charts/line-option";
import { CautionNotes } from "@/components/caution-notes";
import { type Column, valueColumn } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { Unknown } from "@/components/unknown";
import { rateOf, shownCurrency } from "@/units/currency";
import { formatShort } from "@/units/quantity";
import { type BillForm, billOf, cents, USUAL_BILL } from "./bill-form";
import classes from "./hardware.module.css";

const HEIGHT = 300;
const NO_NAMES: ReadonlyMap<string, string> = new Map();
const QUANTITY_DIGITS = 7;
const MOST_MACHINES = 10_000;
const MOST_PARTS = 1000;
const MOST_MONTHS = 120;
const COLORS = {
  light: ["#1f6feb", "#b35900"],
  dark: ["#6cb0ff", "#ffb066"],
} as const;

interface BillProps {
  readonly servers: readonly ServerOut[];
  readonly volumes: readonly VolumeOut[];
  readonly parts: readonly PartOut[];
}

/** A server that is rented against one that is built, line by line. */
export function Bill({ servers, volumes, parts }: BillProps) {
  const [form, setForm] = useState<BillForm>(USUAL_BILL);
  const change = (part: Partial<BillForm>) => setForm({ ...form, ...part });
  const question = useMemo(() => billOf(form), [form]);
  return (
    <>
      <Panel
        title="Bill: rent or buy"
        subtitle="Every charge as a line. The same number of machines, rented or built from parts."
        label="Bill"
      >
        <Stack gap="md">
          <Rented form={form} change={change} servers={servers} volumes={volumes} />
          <Built form={form} change={change} parts={parts} />
        </Stack>
      </Panel>
      <BillAnswer question={question} />
    </>
  );
}

interface FieldsProps {
  readonly form: BillForm;
  readonly change: (part: Partial<BillForm>) => void;
}

function Rented(props: FieldsProps & Pick<BillProps, "servers" | "volumes">) {
  const { form, change, servers, volumes } = props;
  const provider = servers.find(({ id }) => id === form.server)?.provider;
  return (
    <div>
      <Title order={3} size="h5" mb={6}>
        Rented
      </Title>
      <div className={classes["fields"]}>
        <Select
          className={classes["wide"] ?? ""}
          label="Server"
          searchable
          allowDeselect={false}
          value={form.server}
          data={servers.map(({ id }) => id)}
          onChange={(id) => {
            const now = servers.find((server) => server.id === id)?.provider;
            change({
              server: id ?? form.server,
              ...(now === provider ? {} : { volume: null }),
            });
          }}
        />
        <NumberField
          label="Machines"
          unit=""
          whole
          value={form.machines}
          min={1}
          max={MOST_MACHINES}
          onChange={(machines) => change({ machines })}
        />
        <NumberField
          label="Compared over"
          unit="months"
          whole
          value={form.months}
          min={1}
          max={MOST_MONTHS}
          onChange={(months) => change({ months })}
        />
        <Select
          label="Volume of each machine"
          clearable
          placeholder="no volume"
          value={form.volume}
          data={volumes
            .filter((each) => each.kind === "block" && each.provider === provider)
            .map(({ id }) => id)}
          onChange={(volume) => change({ volume })}
        />
        {form.volume !== null && (
          <>
            <NumberField
              label="Size"
              unit="GiB"
              value={form.sizeGib}
              min={1}
              max={1e6}
              onChange={(sizeGib) => change({ sizeGib })}
            />
            <NumberField
              label="Provisioned IOPS"
              unit="1/s"
              value={form.iops}
              min={0}
              max={1e6}
              onChange={(iops) => change({ iops })}
            />
            <NumberField
              label="Provisioned rate"
              unit="MB/s"
              value={form.mbPerS}
              min={0}
              max={1e5}
              onChange={(mbPerS) => change({ mbPerS })}
            />
          </>
        )}
      </div>
    </div>
  );
}

function Built({ form, change, parts }: FieldsProps & Pick<BillProps, "parts">) {
  const of = (...kinds: readonly string[]) =>
    parts
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ id, name, price }) => ({
        value: id,
        label: price === null && kinds[0] !== "chassis" ? `${name} (no price)` : name,
      }));
  const pick = (
    label: string,
    key: "chassis" | "dimm" | "drive",
    data: ReturnType<typeof of>,
  ) => (
    <Select
      className={classes["wide"] ?? ""}
      label={label}
      searchable
      allowDeselect={false}
      value={form[key]}
      data={data}
      onChange={(id) => change({ [key]: id ?? form[key] })}
    />
  );
  return (
    <div>
      <Title order={3} size="h5" mb={6}>
        Bought
      </Title>
      <div className={classes["fields"]}>
        {pick("Chassis", "chassis", of("chassis"))}
        <NumberField
          label="Chassis with processors"
          unit="USD each"
          description="No list price was found: enter your quotation."
          value={form.chassisUsd}
          min={0}
          max={1e6}
          onChange={(chassisUsd) => change({ chassisUsd })}
        />
        {pick("Memory module", "dimm", of("dimm"))}
        <NumberField
          label="Modules per machine"
          unit=""
          whole
          value={form.dimms}
          min={0}
          max={MOST_PARTS}
          onChange={(dimms) => change({ dimms })}
        />
        {pick("Drive", "drive", of("nvme", "sata_ssd", "hdd"))}
        <NumberField
          label="Drives per machine"
          unit=""
          whole
          value={form.drives}
          min={0}
          max={MOST_PARTS}
          onChange={(drives) => change({ drives })}
        />
        <NumberField
          label="Power per machine"
          unit="W"
          value={form.watts}
          min={0}
          max={1e5}
          onChange={(watts) => change({ watts })}
        />
        <NumberField
          label="Price of electricity (0 leaves it out)"
          unit="USD/kWh"
          value={form.usdPerKwh}
          min={0}
          max={10}
          onChange={(usdPerKwh) => change({ usdPerKwh })}
        />
      </div>
    </div>
  );
}

function BillAnswer({ question }: { readonly question: BillIn }) {
  const found = useQuery(billQuery(question));
  if (found.error !== null) {
    return (
      <ProblemAlert
        error={found.error}
        title="The bill could not be computed"
        onRetry={() => void found.refetch()}
      />
    );
  }
  if (found.data === undefined) {
    return <Skeleton height={320} animate={false} />;
  }
  return <BillFound found={found.data} />;
}

/** Both bills, what they come to over the months, and what limits are exceeded. */
export function BillFound({ found }: { readonly found: BillOut }) {
  const sides = [found, ...(found.against === null ? [] : [found.against])];
  return (
    <Stack gap="lg">
      <CautionNotes
        of="the bill"
        cautions={sides.flatMap(({ cautions }) => cautions)}
      />
      <WaysChart found={found} />
      {sides
        .flatMap(({ violations }) => violations)
        .map((each) => (
          <Alert
            key={`${each.name} ${each.where}`}
            color="orange"
            title="A limit is exceeded"
          >
            <Text size="sm">{each.message}.</Text>
            <Text size="sm" c="dimmed">
              {each.hint}.
            </Text>
          </Alert>
        ))}
      {sides.map((side, at) => (
        <Panel key={found.ways[at]?.name ?? at} title={found.ways[at]?.name ?? "Bill"}>
          <LinesTable
            side={side}
            label={`Lines of ${found.ways[at]?.name ?? "the bill"}`}
          />
        </Panel>
      ))}
    </Stack>
  );
}

const LINES: readonly Column<BillLineOut>[] = [
  { key: "Line", rowHeader: true, cell: ({ what }) => what },
  { key: "Quantity", cell: ({ quantity }) => formatShort(quantity, QUANTITY_DIGITS) },
  {
    key: "Unit price",
    cell: ({ unit_price }) =>
      unit_price ?? <Unknown reason="no price was found; the sum leaves it out" />,
  },
  { key: "Unit", align: "text", cell: ({ unit }) => unit },
  { key: "Date", align: "text", cell: ({ date }) => date ?? "" },
  { key: "Per month", cell: ({ usd_per_month }) => cents(usd_per_month) },
  { key: "At purchase", cell: ({ purchase_usd }) => cents(purchase_usd) },
  { key: "Note", align: "text", cell: ({ note }) => note },
];

function LinesTable(props: { readonly side: BillSideOut; readonly label: string }) {
  const { side, label } = props;
  return (
    <DataTable
      label={label}
      columns={LINES}
      rows={side.lines}
      rowKey={(_, at) => at}
      footer={`Sum: ${cents(side.usd_per_month)} ${shownCurrency()} per month, ${cents(side.purchase_usd)} ${shownCurrency()} at purchase${side.unpriced.length > 0 ? "; a lower bound, because lines without a price are left out" : ""}`}
    />
  );
}

type Way = BillOut["ways"][number];

const WAYS: readonly Column<Way, string>[] = [
  valueColumn("way", ({ name }) => name),
  valueColumn(
    "per month",
    (way) => Number(way.usd_per_month),
    (value) => cents(value),
  ),
  valueColumn(
    "at purchase",
    (way) => Number(way.purchase_usd),
    (value) => cents(value),
  ),
  valueColumn(
    "total",
    (way) => Number(way.total_usd),
    (value) => cents(value),
  ),
];

function WaysChart({ found }: { readonly found: BillOut }) {
  const colors = useChartColors();
  const option = useMemo(
    () =>
      lineOption({
        // Purchase at the beginning, purchase and rent at the end: straight between them.
        series: found.ways.map((way, at) => ({
          name: way.name,
          color: COLORS[colors][at === 0 ? 0 : 1],
          dash: at === 0 ? ("solid" as const) : ("dashed" as const),
          points: [
            [0, Number(way.purchase_usd)],
            [found.horizon_months, Number(way.total_usd)],
          ] as const,
        })),
        x: {
          name: "months",
          max: found.horizon_months,
          format: (months) => formatShort(months),
        },
        y: {
          name: `paid so far [${shownCurrency()}]`,
          format: (value) => `${cents(value)} ${shownCurrency()}`,
        },
        colors,
      }),
    [found, colors],
  );
  return (
    <ChartCard
      title={<Prose text={found.finding} names={NO_NAMES} />}
      subtitle={`Purchase and rent paid up to each month [${shownCurrency()}]`}
      label="Rent against purchase"
      option={option}
      height={HEIGHT}
      fileName="rent against purchase"
      table={() => chartTable(found.ways, WAYS)}
      rate={rateOf(found)}
      explanation={`Each line of a bill is quantity x unit price, x 730 h where the price is by the hour, rounded to the cent; the sums are those of the printed lines. Valid for: ${found.validity}.`}
    />
  );
}
