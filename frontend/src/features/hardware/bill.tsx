import {
  Alert,
  Button,
  Fieldset,
  List,
  Select,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import {
  type BillCarbonOut,
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
import { CopyLink } from "@/components/copy-link";
import { DataTable } from "@/components/data-table";
import {
  NumberField,
  OptionalNumberField,
  OptionalRangeField,
} from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { Unknown } from "@/components/unknown";
import type { Bounds } from "@/questions/address";
import {
  BILL,
  BILL_BOUNDS,
  type BillSearch,
  type CarbonFactor,
  MOST_LINES,
  type PartLine,
  type VolumeLine,
} from "@/questions/bill";
import type { AnalysisSearch } from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import { rateOf, shownCurrency } from "@/units/currency";
import { cents, formatShort } from "@/units/quantity";
import {
  type BillForm,
  billOf,
  formOf,
  searchOf,
  USUAL_VOLUME,
  withLine,
} from "./bill-form";
import classes from "./hardware.module.css";

const HEIGHT = 300;
const NO_NAMES: ReadonlyMap<string, string> = new Map();
const QUANTITY_DIGITS = 7;
const COLORS = {
  light: ["#1f6feb", "#b35900"],
  dark: ["#6cb0ff", "#ffb066"],
} as const;

interface BillProps {
  readonly servers: readonly ServerOut[];
  readonly volumes: readonly VolumeOut[];
  readonly parts: readonly PartOut[];
}

/** A server that is rented against one that is built, line by line; the address holds all of it. */
export function Bill({ servers, volumes, parts }: BillProps) {
  const search = useSearch({ strict: false }) as BillSearch & AnalysisSearch;
  const patch = usePatch<BillSearch>();
  const router = useRouter();
  const form = formOf(search);
  const change = (part: Partial<BillForm>) => patch(searchOf(part));
  // The address is a new object at each change of it; the question is the same for the same text.
  const asked = JSON.stringify(billOf(form));
  const question = useMemo(() => JSON.parse(asked) as BillIn, [asked]);
  const place = useRef<HTMLDivElement>(null);
  const isNamed = useLocation({ select: ({ hash }) => hash === BILL });
  useEffect(() => (isNamed ? shownAt(place.current) : undefined), [isNamed]);
  return (
    <>
      <div ref={place} id={BILL} className={classes["bill"] ?? ""}>
        <Panel
          title="Bill: rent or buy"
          subtitle="Every charge as a line. The same number of machines, rented or built from parts."
          label="Bill"
          actions={
            <CopyLink
              to="this bill"
              href={() =>
                router.buildLocation({
                  to: "/hardware",
                  search: (previous: BillSearch) => previous,
                }).href
              }
            />
          }
        >
          <Stack gap="md">
            <Rented form={form} change={change} servers={servers} volumes={volumes} />
            <Built form={form} change={change} parts={parts} />
            <CarbonFields form={form} change={change} />
          </Stack>
        </Panel>
      </div>
      <BillAnswer question={question} />
    </>
  );
}

/** How long what stands above may still grow while the page loads. [ms] */
const SETTLES_MS = 5000;

/** Shows a part of the page, and keeps it in place until the page has loaded or is moved by hand. */
function shownAt(part: HTMLElement | null): (() => void) | undefined {
  if (part === null) {
    return undefined;
  }
  const show = () => part.scrollIntoView({ block: "start" });
  const grown = new ResizeObserver(show);
  const stop = () => {
    grown.disconnect();
    clearTimeout(settled);
    for (const event of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      removeEventListener(event, stop);
    }
  };
  const settled = setTimeout(stop, SETTLES_MS);
  show();
  grown.observe(document.body);
  for (const event of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(event, stop, { passive: true });
  }
  return stop;
}

interface FieldsProps {
  readonly form: BillForm;
  readonly change: (part: Partial<BillForm>) => void;
}

const limits = ({ low, high }: Bounds) => ({ min: low, max: high });

function Rented(props: FieldsProps & Pick<BillProps, "servers" | "volumes">) {
  const { form, change, servers, volumes } = props;
  const provider = servers.find(({ id }) => id === form.server)?.provider;
  const attachable = volumes
    .filter((each) => each.kind === "block" && each.provider === provider)
    .map(({ id }) => id);
  const first = attachable.find((id) => id === "aws-ebs-gp3") ?? attachable[0];
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
              ...(now === provider ? {} : { volumes: [] }),
            });
          }}
        />
        <NumberField
          label="Machines"
          unit=""
          whole
          value={form.machines}
          {...limits(BILL_BOUNDS.machines)}
          onChange={(machines) => change({ machines })}
        />
        <NumberField
          label="Compared over"
          unit="months"
          whole
          value={form.months}
          {...limits(BILL_BOUNDS.months)}
          onChange={(months) => change({ months })}
        />
      </div>
      {form.volumes.map((line, at) => (
        <VolumeFields
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
          key={at}
          line={line}
          number={at + 1}
          // A volume of another provider stays as it is: the bill names it.
          ids={attachable.includes(line.id) ? attachable : [line.id, ...attachable]}
          onChange={(changed) =>
            change({ volumes: withLine(form.volumes, at, changed) })
          }
        />
      ))}
      <Button
        variant="default"
        size="compact-sm"
        mt={10}
        disabled={first === undefined || form.volumes.length >= MOST_LINES}
        onClick={() =>
          first !== undefined &&
          change({ volumes: [...form.volumes, { id: first, ...USUAL_VOLUME }] })
        }
      >
        Add volumes
      </Button>
    </div>
  );
}

interface LineProps<Line> {
  readonly line: Line;
  /** Counted from 1, for the names of its fields. */
  readonly number: number;
  /** Null removes the line. */
  readonly onChange: (line: Line | null) => void;
}

function VolumeFields(
  props: LineProps<VolumeLine> & { readonly ids: readonly string[] },
) {
  const { line, number, ids, onChange } = props;
  const set = (part: Partial<VolumeLine>) => onChange({ ...line, ...part });
  return (
    <Fieldset legend={`Volumes ${number} of each machine`} mt={10} p="xs">
      <div className={classes["fields"]}>
        <Select
          label="Volume"
          searchable
          allowDeselect={false}
          value={line.id}
          data={[...ids]}
          onChange={(id) => set({ id: id ?? line.id })}
        />
        <NumberField
          label="Volumes per machine"
          unit=""
          whole
          value={line.quantity}
          {...limits(BILL_BOUNDS.quantity)}
          onChange={(quantity) => set({ quantity })}
        />
        <NumberField
          label="Size of one"
          unit="GiB"
          value={line.sizeGib}
          {...limits(BILL_BOUNDS.sizeGib)}
          onChange={(sizeGib) => set({ sizeGib })}
        />
        <OptionalNumberField
          label="Provisioned IOPS of one"
          unit="1/s"
          placeholder="those included"
          value={line.iops ?? undefined}
          {...limits(BILL_BOUNDS.iops)}
          onChange={(iops) => set({ iops: iops ?? null })}
        />
        <OptionalNumberField
          label="Provisioned rate of one"
          unit="MB/s"
          placeholder="that included"
          value={line.mbPerS ?? undefined}
          {...limits(BILL_BOUNDS.mbPerS)}
          onChange={(mbPerS) => set({ mbPerS: mbPerS ?? null })}
        />
        <RemoveLine what={`volumes ${number}`} onRemove={() => onChange(null)} />
      </div>
    </Fieldset>
  );
}

function RemoveLine(props: { readonly what: string; readonly onRemove: () => void }) {
  return (
    <Button
      variant="subtle"
      mt={24}
      aria-label={`Remove ${props.what}`}
      onClick={props.onRemove}
    >
      Remove
    </Button>
  );
}

const SOLD: readonly PartOut["kind"][] = [
  "chassis",
  "dimm",
  "cxl",
  "nvme",
  "sata_ssd",
  "hdd",
];

function Built({ form, change, parts }: FieldsProps & Pick<BillProps, "parts">) {
  const used = new Set(form.parts.map(({ id }) => id));
  const sold = parts.filter(({ kind }) => SOLD.includes(kind));
  const next = sold.find(({ id, price }) => !used.has(id) && price !== null);
  return (
    <div>
      <Title order={3} size="h5" mb={6}>
        Bought
      </Title>
      {form.parts.map((line, at) => (
        <PartFields
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
          key={at}
          line={line}
          number={at + 1}
          // The same part in two lines is one line of a bill.
          parts={sold.filter(({ id }) => id === line.id || !used.has(id))}
          onChange={(changed) => change({ parts: withLine(form.parts, at, changed) })}
        />
      ))}
      <Button
        variant="default"
        size="compact-sm"
        mt={10}
        mb={10}
        disabled={next === undefined || form.parts.length >= MOST_LINES}
        onClick={() =>
          next !== undefined &&
          change({ parts: [...form.parts, { id: next.id, quantity: 1, usd: null }] })
        }
      >
        Add a part
      </Button>
      <div className={classes["fields"]}>
        <NumberField
          label="Power per machine"
          unit="W"
          value={form.watts}
          {...limits(BILL_BOUNDS.watts)}
          onChange={(watts) => change({ watts })}
        />
        <NumberField
          label="Price of electricity (0 leaves it out)"
          unit="USD/kWh"
          value={form.usdPerKwh}
          {...limits(BILL_BOUNDS.usdPerKwh)}
          onChange={(usdPerKwh) => change({ usdPerKwh })}
        />
        <OptionalNumberField
          label="PUE of electricity"
          placeholder={formatShort(BILL_BOUNDS.pue.usual)}
          value={form.pue ?? undefined}
          {...limits(BILL_BOUNDS.pue)}
          onChange={(pue) => change({ pue: pue ?? null })}
        />
      </div>
    </div>
  );
}

/** With the unit in the label: both ends need the width of the field. */
const FACTORS: readonly { readonly factor: CarbonFactor; readonly label: string }[] = [
  { factor: "kg_per_kwh", label: "Electricity (kg per kWh)" },
  { factor: "kg_per_gb_ram", label: "Making RAM (kg per GB)" },
  { factor: "kg_per_gb_flash", label: "Making flash (kg per GB)" },
  { factor: "kg_per_gb_disk", label: "Making disks (kg per GB)" },
  { factor: "kg_per_machine", label: "Making a machine (kg)" },
];

function CarbonFields({ form, change }: FieldsProps) {
  return (
    <div>
      <Title order={3} size="h5">
        Carbon, as ranges
      </Title>
      <Text size="sm" c="dimmed" mb={6}>
        Factors in kg CO2e that you know, such as 0.2 to 0.4. What has no factor is not
        counted.
      </Text>
      <div className={classes["fields"]}>
        {FACTORS.map(({ factor, label }) => (
          <OptionalRangeField
            key={factor}
            label={label}
            placeholder="not counted"
            value={form.carbon[factor]}
            {...limits(BILL_BOUNDS.carbon[factor])}
            onChange={(ends) => change({ carbon: { ...form.carbon, [factor]: ends } })}
          />
        ))}
        <OptionalNumberField
          label="Power per rented machine"
          unit="W"
          placeholder="unknown"
          value={form.rentedWatts ?? undefined}
          {...limits(BILL_BOUNDS.watts)}
          onChange={(watts) => change({ rentedWatts: watts ?? null })}
        />
      </div>
    </div>
  );
}

function PartFields(
  props: LineProps<PartLine> & { readonly parts: readonly PartOut[] },
) {
  const { line, number, parts, onChange } = props;
  const set = (part: Partial<PartLine>) => onChange({ ...line, ...part });
  const price = parts.find(({ id }) => id === line.id)?.price ?? null;
  return (
    <Fieldset legend={`Part ${number} of each machine`} mt={10} p="xs">
      <div className={classes["fields"]}>
        <Select
          className={classes["wide"] ?? ""}
          label="Part"
          searchable
          allowDeselect={false}
          value={line.id}
          data={parts.map(({ id, name, price: found }) => ({
            value: id,
            label: found === null ? `${name} (no price)` : name,
          }))}
          onChange={(id) => onChange({ ...line, id: id ?? line.id, usd: null })}
        />
        <NumberField
          label="Parts per machine"
          unit=""
          whole
          value={line.quantity}
          {...limits(BILL_BOUNDS.quantity)}
          onChange={(quantity) => set({ quantity })}
        />
        <OptionalNumberField
          label="Your price of one"
          unit="USD"
          placeholder={
            price === null ? "no price was found" : `${cents(price.usd)}, ${price.date}`
          }
          value={line.usd ?? undefined}
          {...limits(BILL_BOUNDS.usd)}
          onChange={(usd) => set({ usd: usd ?? null })}
        />
        <RemoveLine what={`part ${number}`} onRemove={() => onChange(null)} />
      </div>
    </Fieldset>
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
            role="alert"
            color="orange"
            variant="outline"
            styles={{ title: { color: "var(--tw-warn)" } }}
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
          {side.carbon !== null && (
            <CarbonFound carbon={side.carbon} of={found.ways[at]?.name ?? "the bill"} />
          )}
        </Panel>
      ))}
    </Stack>
  );
}

const NOTE = () => ({ className: classes["note"] });

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
  { key: "Note", align: "text", cell: ({ note }) => note, cellProps: NOTE },
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

const between = (ends: readonly [number, number]) =>
  ends[0] === ends[1]
    ? formatShort(ends[0])
    : `${formatShort(ends[0])} to ${formatShort(ends[1])}`;

const CARBON: readonly Column<BillCarbonOut["lines"][number]>[] = [
  { key: "Carbon of", rowHeader: true, cell: ({ what }) => what },
  { key: "kg CO2e", cell: ({ kg }) => between(kg) },
  { key: "Quantity", cell: ({ quantity }) => formatShort(quantity, QUANTITY_DIGITS) },
  { key: "Unit", align: "text", cell: ({ unit }) => unit },
  { key: "kg per unit", cell: ({ kg_per_unit }) => between(kg_per_unit) },
  { key: "Note", align: "text", cell: ({ note }) => note, cellProps: NOTE },
];

function CarbonFound(props: { readonly carbon: BillCarbonOut; readonly of: string }) {
  const { carbon, of } = props;
  return (
    <Stack gap="xs" mt="md">
      <Text>
        <Prose text={carbon.sentence} names={NO_NAMES} />.
      </Text>
      {carbon.lines.length > 0 && (
        <DataTable
          label={`Carbon of ${of}`}
          columns={CARBON}
          rows={carbon.lines}
          rowKey={({ what }) => what}
        />
      )}
      {carbon.not_counted.length > 0 && (
        <List size="sm" aria-label={`Not counted in the carbon of ${of}`}>
          {carbon.not_counted.map(({ what, reason }) => (
            <List.Item key={what}>
              <Prose text={`${what}: ${reason}`} names={NO_NAMES} />
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
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
