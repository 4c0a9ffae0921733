import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { schemesQuery } from "@/api/catalog";
import type { BreakEvenOut } from "@/api/dram-or-flash";
import {
  readSimulation,
  type SimulationIn,
  type SimulationOut,
  simulationKey,
  startSimulation,
} from "@/api/simulations";
import { useJob } from "@/api/use-job";
import type { Replays } from "@/api/workloads";
import { SchemeMark } from "@/charts/scheme-mark";
import { DataTable } from "@/components/data-table";
import { FlashCachesCheck } from "@/components/flash-caches-check";
import type { Clock } from "@/components/flash-caches-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import { Unknown } from "@/components/unknown";
import type { AnalysisSearch } from "@/questions/point";
import { usePatch } from "@/questions/use-analysis";
import { counted, formatShort } from "@/units/quantity";
import { checkedGains, checkVerdict, type NextMoney } from "./findings";

interface CheckPanelProps {
  readonly found: BreakEvenOut;
  readonly money: NextMoney;
  readonly replays: Replays;
  readonly clock: Clock;
  /** Of the workload. */
  readonly name: string;
}

/** Replays one point once; the same point is found again. */
function useReplay(body: SimulationIn) {
  const through = body.workload_id;
  const keyOf = useCallback((id: string) => [...simulationKey(id), through], [through]);
  const read = useCallback((id: string) => readSimulation(id, through), [through]);
  return useJob<SimulationOut>({
    asked: JSON.stringify(body),
    create: () => startSimulation(body),
    keyOf,
    read,
    auto: false,
  });
}

function useReplays({ found, money }: Pick<CheckPanelProps, "found" | "money">) {
  const point = (ram: number, flash: number, schemes: string[] | null) => ({
    workload_id: found.workload_id,
    ram_pages: ram,
    flash_pages: flash,
    flash_device_id: found.devices.flash.id,
    disk_device_id: found.devices.disk.id,
    start: found.start,
    schemes,
  });
  const base = useReplay(point(found.ram_pages, 0, ["none"]));
  const dram = useReplay(point(found.ram_pages + money.dram_pages, 0, ["none"]));
  const beside = Math.max(1, money.ram_pages_beside_flash);
  const flash = useReplay(point(beside, money.flash_pages, null));
  return [base, dram, flash] as const;
}

/** What the money saves by replay of the whole trace, beside the model. */
export function CheckPanel(props: CheckPanelProps) {
  const { found, money } = props;
  const replays = useReplays(props);
  return (
    <>
      <MoneyCheck {...props} made={replays} />
      {notComparable(found, money) === null && (
        <CachesPanel {...props} dram={replays[1].done ? replays[1].subject : null} />
      )}
    </>
  );
}

function MoneyCheck(
  props: CheckPanelProps & { readonly made: ReturnType<typeof useReplays> },
) {
  const { found, money, made: replays } = props;
  const [base, dram, flash] = replays;
  const titles = useTitles();
  const equal = money.equal_money[0];
  const running = replays.some((replay) => replay.running);
  const error = replays.map((replay) => replay.error).find((each) => each !== null);
  const done = replays.every((replay) => replay.done);
  const gains =
    done && base.subject && dram.subject && flash.subject
      ? checkedGains(base.subject, dram.subject, flash.subject, equal)
      : [];
  const verdict = checkVerdict(gains, equal?.winner ?? "", titles);
  const why = notComparable(found, money);
  return (
    <Panel
      title="Check by simulation"
      subtitle={
        found.start === "steady"
          ? `Replays the trace without flash, with ${counted(money.dram_pages, "more page")} of DRAM, and with ${counted(money.flash_pages, "page")} of flash under every scheme. The first half warms the caches; the second half is counted.`
          : `Replays the trace from a cold start without flash, with ${counted(money.dram_pages, "more page")} of DRAM, and with ${counted(money.flash_pages, "page")} of flash under every scheme.`
      }
      actions={
        why === null && (
          <Button
            loading={running}
            disabled={done}
            onClick={() => {
              for (const replay of replays) {
                replay.start();
              }
            }}
          >
            {done ? "Checked" : "Replay both"}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {why !== null && (
          <Text size="sm" role="status">
            {why}
          </Text>
        )}
        {error !== undefined && (
          <ProblemAlert error={error} title="The check could not be run" />
        )}
        {replays.map(
          (replay, index) =>
            replay.run !== undefined && (
              <RunProgress key={RUN_KEYS[index]} run={replay.run} />
            ),
        )}
        {!done && !running && why === null && (
          <Text size="sm" c="dimmed">
            Not checked yet. Counted operations are priced with the same busy times as
            the model, and the gap between the two is shown.
          </Text>
        )}
        {verdict !== null && <Text fw={600}>{verdict}</Text>}
        {gains.length > 0 && (
          <GainTable gains={gains} titles={titles} form={found.form} />
        )}
      </Stack>
    </Panel>
  );
}

const RUN_KEYS = ["base", "dram", "flash"] as const;

function useTitles(): ReadonlyMap<string, string> {
  const schemes = useQuery(schemesQuery()).data;
  return useMemo(
    () => new Map((schemes ?? []).map((scheme) => [scheme.name, scheme.title])),
    [schemes],
  );
}

/** The replays are priced for one disk and writes in place. */
function notComparable(found: BreakEvenOut, money: NextMoney): string | null {
  if (found.times.disks > 1 || found.times.flash_write_pattern === "sequential") {
    return "Replays are priced for one disk and in-place flash writes: set one disk and turn off appends to check this decision.";
  }
  if (money.ram_pages_beside_flash < 1) {
    return "The metadata for this much flash would take all DRAM, so there is nothing to replay.";
  }
  return null;
}

function GainTable(props: {
  readonly gains: ReturnType<typeof checkedGains>;
  readonly titles: ReadonlyMap<string, string>;
  readonly form: BreakEvenOut["form"];
}) {
  return (
    <>
      <DataTable
        label="What the money saves"
        columns={[
          { key: "Bought", align: "text", cell: (gain) => gain.alternative },
          {
            key: "Scheme",
            rowHeader: true,
            cell: ({ scheme }) => (
              <>
                <SchemeMark scheme={scheme} /> {props.titles.get(scheme) ?? scheme}
              </>
            ),
          },
          {
            key: "Model",
            unit: "µs/access",
            cell: ({ modelUs }) =>
              modelUs === null ? (
                <Unknown reason="the model has no value here" />
              ) : (
                formatShort(modelUs, 4)
              ),
          },
          {
            key: "Simulation",
            unit: "µs/access",
            cell: ({ simulatedUs }) => formatShort(simulatedUs, 4),
          },
          {
            key: "Gap",
            unit: "µs/access",
            cell: ({ gapUs }) =>
              gapUs === null ? (
                <Unknown reason="without a model value there is no gap" />
              ) : (
                formatShort(gapUs)
              ),
          },
        ]}
        rows={props.gains}
        rowKey={(gain) => `${gain.alternative} ${gain.scheme}`}
      />
      <Text size="sm" c="dimmed">
        {props.form === "full"
          ? "Each scheme is compared with its own model. From a cold start, counts for Exclusive and for Inclusive with global recency are exact; hits for Inclusive and Lazy, and all steady-state counts, are estimates."
          : "The model counts hits alone and prices every access at the mix of reads and writes; the replays count each write where it occurs, which explains the gap."}
      </Text>
    </>
  );
}

/** What the same money buys as flash under flash caches, beside the DRAM once it was replayed. */
function CachesPanel(props: CheckPanelProps & { readonly dram: SimulationOut | null }) {
  const { found, money, dram } = props;
  const search = useSearch({ strict: false }) as AnalysisSearch;
  const patch = usePatch<AnalysisSearch>();
  const us = dram?.result?.rows.find(
    (row) => row.scheme === "none" && row.counter === "io_time_us_per_access",
  )?.simulated;
  return (
    <FlashCachesCheck
      title="The same money under flash caches"
      point={{
        workload_id: found.workload_id,
        ram_pages: money.ram_pages_beside_flash,
        flash_pages: money.flash_pages,
        flash_device_id: found.devices.flash.id,
        disk_device_id: found.devices.disk.id,
        start: found.start,
      }}
      search={search}
      patch={patch}
      replays={props.replays}
      clock={props.clock}
      name={props.name}
      against={us === undefined ? null : { title: "the money in DRAM", us }}
    />
  );
}
