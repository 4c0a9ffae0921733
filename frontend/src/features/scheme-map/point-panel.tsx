import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { deciding } from "@/api/compare";
import { type MapPointOut, mapPointSteps, type SchemeMapOut } from "@/api/scheme-map";
import type { Decision } from "@/api/use-decision";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Dialog } from "@/components/dialog";
import { Panel } from "@/components/panel";
import { RunProgress } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import type { AnalysisState } from "@/questions/point";
import { shownCurrency } from "@/units/currency";
import {
  bytes,
  counted,
  formatMicroseconds,
  formatMoney,
  formatNumber,
  formatPagesAndBytes,
  formatPercent,
  formatShort,
  microseconds,
  pages,
  ratio,
  usd,
} from "@/units/quantity";
import { AXIS_TITLES, formatTick, isLog, nearestIndex, type Place } from "./axes";
import classes from "./scheme-map.module.css";

interface PointPanelProps {
  readonly point: MapPointOut;
  readonly state: AnalysisState;
  readonly place: Place;
  readonly metadata: string | undefined;
  /** The replay that decides here where the model cannot tell. */
  readonly decision: Decision;
  readonly onUnset: () => void;
}

/** Where you are, in figures; every time opens its derivation. */
export function PointPanel(props: PointPanelProps) {
  const { point, state, place } = props;
  const { evaluation: decided, run } = props.decision;
  const replayed = new Map(
    decided?.schemes.map((row) => [row.scheme, deciding(row).io_time_us_per_access]),
  );
  const best = decided === null ? bestOf(point) : decided.best;
  const [opened, setOpened] = useState<string | null>(null);
  const shownTime = (scheme: string, model: number): string => {
    const time = replayed.get(scheme);
    return time === undefined
      ? timeText(point, scheme, model)
      : formatMicroseconds(microseconds(time));
  };
  const columns: readonly Column<MapPointOut["schemes"][number]>[] = [
    {
      key: "Scheme",
      rowHeader: true,
      cellProps: () => ({ className: classes["scheme"] }),
      cell: ({ scheme, title }) => (
        <>
          <SchemeMark scheme={scheme} /> {title}
          {scheme === best && <span className={classes["best"]}> best</span>}
          {scheme === point.best_by_price_times_time && (
            <span className={classes["best"]}> cheapest</span>
          )}
        </>
      ),
    },
    {
      key: "I/O time",
      unit: "µs/access",
      cell: ({ scheme, title, io_time_us_per_access: time }) =>
        time === null ? (
          <Unknown reason="flash metadata leaves no RAM for caching" />
        ) : (
          <UnstyledButton
            className={classes["time"]}
            aria-label={`Why this number: ${title}, ${shownTime(scheme, time)} µs per access`}
            onClick={() => setOpened(scheme)}
          >
            {shownTime(scheme, time)}
          </UnstyledButton>
        ),
    },
    {
      key: "Known error",
      unit: "± µs",
      cell: (row) =>
        replayed.has(row.scheme) ? "replayed" : errorText(row.error_us_per_access),
    },
    {
      key: "Cost",
      unit: `${shownCurrency()}/month`,
      cell: ({ usd_per_month: cost }) =>
        cost === null ? (
          <Unknown reason="a price is missing; see under the map" />
        ) : (
          formatMoney(usd(Number(cost)))
        ),
    },
    {
      key: "Price x time",
      unit: `${shownCurrency()}/mo x µs`,
      cell: ({ price_times_time: product }) =>
        product === null ? (
          <Unknown reason="a price is missing; see under the map" />
        ) : (
          formatNumber(product)
        ),
    },
  ];
  const isSet = place.dirty !== null || place.asymmetry !== null;
  const shown = point.schemes.find(({ scheme }) => scheme === opened);
  return (
    <Panel
      title={decided?.sentence ?? point.sentence}
      subtitle={whereText(point, place)}
    >
      {props.decision.pending && run === undefined && (
        <Text size="sm" role="status">
          The lead is within the model's error: replaying the trace to decide…
        </Text>
      )}
      {run !== undefined && <RunProgress run={run} />}
      <DataTable
        label="Schemes at this point"
        className={classes["table"]}
        caption="Your point on the map. Press an I/O time to see how it is computed."
        columns={columns}
        rows={point.schemes}
        rowKey={({ scheme }) => scheme}
      />
      <Group gap="xs" mt="sm">
        <Button
          variant="default"
          renderRoot={(rest) => (
            <Link
              to="/compare"
              search={{
                ...state,
                ram_pages: place.ram,
                flash_pages: place.flash,
              }}
              {...rest}
            />
          )}
        >
          Compare at this point
        </Button>
        {isSet && (
          <Button variant="default" onClick={props.onUnset}>
            Reset to measured values
          </Button>
        )}
      </Group>
      {(isSet || props.metadata !== undefined) && (
        <Text size="sm" c="dimmed" mt={6}>
          Compare uses the sizes from here, but measured dirty shares, the device's own
          write times and no metadata.
        </Text>
      )}
      <Dialog
        opened={shown !== undefined}
        onClose={() => setOpened(null)}
        size="min(1180px, 95vw)"
        title={`Why this number: ${shown?.title ?? ""}`}
      >
        <AskedSteps
          query={mapPointSteps(point)}
          only={(step) => step.scheme === null || step.scheme === opened}
        />
      </Dialog>
    </Panel>
  );
}

const errorText = (error: number): string =>
  error === 0 ? "exact" : formatShort(error);

function whereText(point: MapPointOut, place: Place): string {
  const size = (count: number) =>
    formatPagesAndBytes(pages(Math.round(count)), bytes(point.page_bytes));
  const left =
    point.ram_pages_with_flash < point.ram_pages
      ? `, of which flash metadata leaves ${size(Math.floor(point.ram_pages_with_flash))}`
      : "";
  const dirty =
    place.dirty === null
      ? point.measured_dirty_share === null
        ? "dirty shares unknown"
        : `dirty shares measured (${formatPercent(ratio(point.measured_dirty_share))} of RAM victims)`
      : `${formatPercent(ratio(place.dirty))} of all victims dirty, as set`;
  const asymmetry = `a flash write costs ${counted(formatShort(point.asymmetry), "flash read")}${place.asymmetry === null ? "" : ", as set"}`;
  return `RAM ${size(point.ram_pages)}${left}; flash ${size(point.flash_pages)}; ${dirty}; ${asymmetry}.`;
}

/** Moves over the grid by keyboard: one slider an axis. */
export function CursorSliders(props: {
  readonly map: SchemeMapOut;
  readonly here: { readonly x: number; readonly y: number };
  readonly onMove: (x: number | null, y: number | null) => void;
}) {
  const { map, here, onMove } = props;
  const slider = (
    axis: SchemeMapOut["x"],
    at: number,
    way: string,
    move: (value: number) => void,
  ) => (
    <label className={classes["cursor"]}>
      <span>
        Move {way}: {AXIS_TITLES[axis.name]}{" "}
        <span className={classes["faint"]}>
          {formatTick(axis.name, at, map.page_bytes)}
        </span>
      </span>
      <input
        type="range"
        min={0}
        max={axis.values.length - 1}
        step={1}
        value={nearestIndex(axis.values, at, isLog(axis.name))}
        aria-valuetext={`${AXIS_TITLES[axis.name]} ${formatTick(axis.name, at, map.page_bytes)}`}
        onChange={(event) => {
          const value = axis.values[Number(event.currentTarget.value)];
          if (value !== undefined) {
            move(value);
          }
        }}
      />
    </label>
  );
  return (
    <section className="tw-panel" aria-label="Move over the map">
      <div className={classes["cursors"]}>
        {slider(map.x, here.x, "across", (value) => onMove(value, null))}
        {slider(map.y, here.y, "upwards", (value) => onMove(null, value))}
      </div>
    </section>
  );
}

/** An I/O time, or both ends of it where nobody knows how many evicted pages are dirty. */
function timeText(point: MapPointOut, scheme: string, most: number): string {
  const least = point.least?.io_time_us_per_access[scheme] ?? null;
  const text = (value: number) => formatMicroseconds(microseconds(value));
  return least === null || least === most
    ? text(most)
    : `${text(least)} to ${text(most)}`;
}

/** The best scheme; none where that depends on a dirty share that nobody knows. */
const bestOf = ({ best, least }: MapPointOut): string | null =>
  least === null || least.best === best ? best : null;
