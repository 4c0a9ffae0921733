import {
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Select,
  Skeleton,
  Stack,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { bookLabel, type DeviceOut, type PriceBookOut, soldAlone } from "@/api/catalog";
import { type TierCostsOut, tierCostsQuery, tierCostsSteps } from "@/api/tier-cost";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { CautionNotes } from "@/components/caution-notes";
import { CopyLink } from "@/components/copy-link";
import { DeviceDerivation } from "@/components/device-derivation";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Prose } from "@/components/prose";
import { CurrencySelect } from "@/questions/currency-select";
import { usualBook, usualDevices } from "@/questions/defaults";
import type { AnalysisSearch } from "@/questions/point";
import { NONE } from "@/questions/point";
import { MOST_TIER_DEVICES, TIER_BOUNDS, type TierSearch } from "@/questions/tier-cost";
import { usePatch } from "@/questions/use-analysis";
import { rateOf, shownCurrency } from "@/units/currency";
import { formatAmount, usd } from "@/units/quantity";
import classes from "./hardware.module.css";
import {
  COST_PARTS,
  leftOut,
  tierBars,
  tierQuestion,
  tierTable,
  USUAL,
} from "./tier-findings";

const ROW_HEIGHT = 46;
const FRAME_HEIGHT = 110;
const PERCENT = 100;

interface TierCostProps {
  readonly devices: readonly DeviceOut[];
  readonly books: readonly PriceBookOut[];
  /** Ticked in the table of devices. */
  readonly ticked: readonly string[];
}

/** The same bytes and the same load on several devices, in money a month. */
export function TierCost({ devices, books, ticked }: TierCostProps) {
  const search = useSearch({ strict: false }) as TierSearch & AnalysisSearch;
  const patch = usePatch<TierSearch & AnalysisSearch>();
  const router = useRouter();
  const known = new Set(devices.map(({ id }) => id));
  const named = search.tier_devices?.split(",").filter((id) => known.has(id)) ?? [];
  const chosen = named.length > 0 ? named : usualDevices(devices);
  const stated = search.price_book ?? usualBook(books) ?? NONE;
  const book = books.some(({ id }) => id === stated) ? stated : null;
  const found = useQuery({
    ...tierCostsQuery(tierQuestion(search, chosen, book)),
    enabled: chosen.length > 0,
  });
  const names = useMemo(
    () => new Map(devices.map(({ id, name }) => [id, name] as const)),
    [devices],
  );
  return (
    <>
      <Panel
        title="What does a tier cost on each device?"
        subtitle="The same bytes and the same load: purchase or rent, power, wear, and the fees of cloud volumes."
        actions={
          <CopyLink
            to="this comparison"
            href={() =>
              router.buildLocation({
                to: "/hardware",
                search: (previous: TierSearch) => previous,
              }).href
            }
          />
        }
      >
        <Stack gap="sm">
          <Group align="flex-end" gap="sm">
            <MultiSelect
              label="Devices"
              // Long names of devices do not widen it beyond a phone.
              style={{ flex: "1 1 420px", minWidth: 0 }}
              searchable
              maxValues={MOST_TIER_DEVICES}
              value={[...chosen]}
              // An instance is not bought as a tier: offered only where it was named.
              data={devices
                .filter((device) => soldAlone(device) || chosen.includes(device.id))
                .map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(ids) =>
                patch({ tier_devices: ids.length === 0 ? undefined : ids.join(",") })
              }
            />
            <Button
              variant="default"
              disabled={ticked.length === 0 || ticked.length > MOST_TIER_DEVICES}
              onClick={() => patch({ tier_devices: ticked.join(",") })}
            >
              Use the ticked devices
            </Button>
          </Group>
          <LoadFields
            search={search}
            book={book}
            books={books}
            patch={patch}
            rents={chosen.some((id) => rentsRates(devices, id))}
          />
        </Stack>
      </Panel>
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="The tier could not be priced"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={320} animate={false} />
      ) : (
        <Stack gap="lg" aria-busy={found.isPlaceholderData}>
          <CautionNotes
            of="the cost of the tier"
            cautions={found.data.cautions}
            names={names}
          />
          <CostChart found={found.data} />
          <LeftOut found={found.data} names={names} />
        </Stack>
      )}
    </>
  );
}

const rentsRates = (devices: readonly DeviceOut[], id: string): boolean => {
  const device = devices.find((candidate) => candidate.id === id);
  return (
    device !== undefined &&
    ("iops_rent" in device.figures || "throughput_rent" in device.figures)
  );
};

function LoadFields(props: {
  readonly search: TierSearch;
  readonly book: string | null;
  readonly books: readonly PriceBookOut[];
  readonly rents: boolean;
  readonly patch: (change: TierSearch & AnalysisSearch) => void;
}) {
  const { search, book, books, rents, patch } = props;
  const field = (
    name: keyof typeof TIER_BOUNDS,
    label: string,
    unit: string,
    usual: number,
  ) => (
    <NumberField
      label={label}
      unit={unit}
      value={search[name] ?? usual}
      min={TIER_BOUNDS[name].low}
      max={TIER_BOUNDS[name].high}
      onChange={(value) => patch({ [name]: value })}
    />
  );
  return (
    <div className={classes["fields"]}>
      {field("held_gib", "Stored data", "GiB", USUAL.held_gib)}
      {field("tier_reads", "Reads", "1/s", USUAL.tier_reads)}
      {field("tier_writes", "Writes", "1/s", USUAL.tier_writes)}
      <NumberField
        label="Page"
        unit="B"
        value={search.tier_page ?? USUAL.tier_page}
        min={512}
        max={2 ** 24}
        onChange={(value) => patch({ tier_page: Math.round(value) })}
      />
      <Select
        className={classes["wide"] ?? ""}
        label="Prices"
        value={book ?? NONE}
        allowDeselect={false}
        data={[
          { value: NONE, label: "Each device's own" },
          ...books.map((each) => ({ value: each.id, label: bookLabel(each) })),
        ]}
        onChange={(value) => patch({ price_book: value ?? NONE })}
      />
      <div className={classes["wide"]}>
        <CurrencySelect book={book} />
      </div>
      <NumberField
        label="Spread over"
        unit="months"
        value={search.tier_months ?? USUAL.tier_months}
        min={1}
        max={600}
        onChange={(value) => patch({ tier_months: Math.round(value) })}
      />
      <NumberField
        label="Interest"
        unit="% a year"
        value={(search.interest ?? 0) * PERCENT}
        min={TIER_BOUNDS.interest.low * PERCENT}
        max={TIER_BOUNDS.interest.high * PERCENT}
        onChange={(value) => patch({ interest: value / PERCENT })}
      />
      <NumberField
        label="Electricity (0 leaves it out)"
        unit="USD/kWh"
        value={search.usd_per_kwh ?? 0}
        min={TIER_BOUNDS.usd_per_kwh.low}
        max={TIER_BOUNDS.usd_per_kwh.high}
        onChange={(value) => patch({ usd_per_kwh: value === 0 ? undefined : value })}
      />
      {search.usd_per_kwh !== undefined && (
        <NumberField
          label="Power where none is stated (0 leaves it out)"
          unit="W/GiB"
          value={search.watts_per_gib ?? 0}
          min={0}
          max={TIER_BOUNDS.watts_per_gib.high}
          onChange={(value) =>
            patch({ watts_per_gib: value === 0 ? undefined : value })
          }
        />
      )}
      {rents && field("volume_iops", "Provisioned IOPS", "1/s", 0)}
      {rents && field("volume_mb_per_s", "Provisioned rate", "MB/s", 0)}
      <Checkbox
        mt={28}
        label="Buy whole devices"
        checked={search.whole === "yes"}
        onChange={(event) =>
          patch({ whole: event.currentTarget.checked ? "yes" : undefined })
        }
      />
    </div>
  );
}

function CostChart({ found }: { readonly found: TierCostsOut }) {
  const colors = useChartColors();
  const bars = useMemo(() => tierBars(found), [found]);
  const option = useMemo(
    () =>
      stackedBarsOption({
        bars,
        parts: COST_PARTS,
        axis: `cost [${shownCurrency()} per month]`,
        format: (value) => formatAmount(usd(value)),
        colors,
      }),
    [bars, colors],
  );
  return (
    <ChartCard
      title={found.sentence.replace(/\.$/, "")}
      subtitle={`Cost of the tier by device [${shownCurrency()} per month]; the CSV holds every line`}
      label="Cost of a tier by device"
      option={option}
      height={FRAME_HEIGHT + ROW_HEIGHT * Math.max(1, bars.length)}
      fileName="tier costs"
      table={() => tierTable(found)}
      rate={rateOf(found)}
      sentence={
        found.price_book === null
          ? "Each device's own dated price."
          : `Prices of ${found.price_book.name} (${found.price_book.date}).`
      }
      explanation={
        <DeviceDerivation
          devices={found.rows}
          first={found.rows[0]?.device_id ?? null}
          query={tierCostsSteps(found)}
        >
          Estimator: {found.estimator}. Valid for: {found.validity}. A month has 730 h.
        </DeviceDerivation>
      }
    />
  );
}

function LeftOut(props: {
  readonly found: TierCostsOut;
  readonly names: ReadonlyMap<string, string>;
}) {
  const texts = leftOut(props.found);
  return texts.length === 0 ? null : (
    <Panel title="Not included in these costs">
      <ul style={{ margin: 0, paddingLeft: 20, fontSize: 14 }}>
        {texts.map((text) => (
          <li key={text}>
            <Prose text={text} names={props.names} />.
          </li>
        ))}
      </ul>
    </Panel>
  );
}
