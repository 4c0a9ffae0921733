import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { deviceNames } from "@/api/catalog";
import { isReplayJob, throughputCheck } from "@/api/replay-checks";
import type { ResponseQuestion } from "@/api/response";
import {
  type ThroughputIn,
  type ThroughputOut,
  throughputQuery,
} from "@/api/throughput";
import { mayLackWrites, replaysOf } from "@/api/workloads";
import { cachesAsked } from "@/components/caches";
import { CautionNotes } from "@/components/caution-notes";
import { DirtyEnd, type DirtyEndName } from "@/components/dirty-end";
import { DirtyShare } from "@/components/dirty-share";
import { clockOf, FlashCachesField } from "@/components/flash-caches-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { ReplayCheck } from "@/components/replay-check";
import { useSettled } from "@/components/use-settled";
import { type AnalysisInputs, AnalysisPage } from "@/questions/analysis-page";
import {
  type AnalysisSearch,
  type AnalysisState,
  assumptions,
} from "@/questions/point";
import type { ThroughputSearch } from "@/questions/throughput";
import { usePatch } from "@/questions/use-analysis";
import {
  Controls,
  DEFAULT_ACCESSES,
  DEFAULT_CLIENTS,
  DEFAULT_THINK_MS,
  type Knobs,
} from "./controls";
import { CoursePanel } from "./course-panel";
import { atEnd } from "./findings";
import { ResponsePanel } from "./response-panel";
import { SchemeTable } from "./scheme-table";
import { StartingDevices } from "./starting-devices";
import { ThroughputChart } from "./throughput-chart";

const LEAD =
  "How many transactions per second do the clients get, how long is the response time, and which device is the limit?";

export function ThroughputPage() {
  return (
    <AnalysisPage
      question="throughput"
      title="Throughput"
      lead={LEAD}
      height={520}
      empty="Throughput needs the misses and write-backs of a workload."
      asks={({ state, search, summary }) => ({
        throughput: asked(
          state,
          search as ThroughputSearch & AnalysisSearch,
          mayLackWrites(summary),
        ),
      })}
      view={(inputs) => <ThroughputStart {...inputs} />}
    />
  );
}

function question(
  state: AnalysisState,
  search: ThroughputSearch & AnalysisSearch,
  given: boolean,
  moving: { readonly [K in keyof Knobs]: number },
): ThroughputIn {
  return {
    workload_id: state.workload,
    ram_pages: moving.ram,
    flash_pages: moving.flash,
    flash_device_id: state.flash_device,
    disk_device_id: state.disk_device,
    clients: moving.clients,
    think_us: moving.think * 1000,
    accesses_per_transaction: search.accesses ?? DEFAULT_ACCESSES,
    cpu_us_per_transaction: search.cpu_us ?? 0,
    cpus: search.cpus ?? 1,
    flash_devices: search.flash_devices ?? 1,
    disks: moving.disks,
    vary: search.vary ?? "clients",
    start: state.start,
    ...assumptions(search, given),
  };
}

/** What the page asks once its sliders rest. */
const asked = (
  state: AnalysisState,
  search: ThroughputSearch & AnalysisSearch,
  given: boolean,
): ThroughputIn =>
  question(state, search, given, {
    clients: search.clients ?? DEFAULT_CLIENTS,
    disks: search.disks ?? 1,
    think: search.think_ms ?? DEFAULT_THINK_MS,
    ram: state.ram_pages,
    flash: state.flash_pages,
  });

/** The same point, asked for the response time of a page access. */
const responseQuestion = (
  { workload_id, ram_pages, flash_pages, ...point }: ThroughputIn,
  search: ThroughputSearch,
): ResponseQuestion => ({
  workload: workload_id,
  body: {
    ram_pages,
    flash_pages,
    flash_device_id: point.flash_device_id,
    disk_device_id: point.disk_device_id,
    flash_devices: point.flash_devices ?? 1,
    disks: point.disks ?? 1,
    accesses_per_s: search.rate ?? null,
    peak_accesses_per_s: search.peak_rate ?? null,
    start: point.start ?? "steady",
    dirty_share: point.dirty_share ?? null,
    dirty_share_range: point.dirty_share_range ?? false,
    flash_metadata: point.flash_metadata ?? null,
  },
});

/** Whether the model cannot tell the schemes apart here, and what a replay says of them. */
function useCloseCall(
  body: ThroughputIn,
  canReplay: boolean,
  answered: ThroughputOut | undefined,
) {
  const isClose = answered !== undefined && answered.contenders.length > 0;
  const { data } = useQuery({
    ...throughputCheck(body),
    enabled: canReplay && isClose,
  });
  const checked = isClose && data !== undefined && !isReplayJob(data) ? data : null;
  return { isClose: canReplay && isClose, decided: checked?.finding ?? null };
}

function ThroughputStart(inputs: AnalysisInputs) {
  const search = useSearch({ strict: false }) as ThroughputSearch & AnalysisSearch;
  const patch = usePatch<ThroughputSearch & AnalysisSearch>();
  return (
    <StartingDevices
      state={inputs.state}
      search={search}
      summary={inputs.summary}
      given={mayLackWrites(inputs.summary)}
      patch={patch}
    >
      <ThroughputView {...inputs} />
    </StartingDevices>
  );
}

function ThroughputView({ state, name, summary }: AnalysisInputs) {
  const search = useSearch({ strict: false }) as ThroughputSearch & AnalysisSearch;
  const patch = usePatch<ThroughputSearch & AnalysisSearch>();
  const given = mayLackWrites(summary);
  const [end, setEnd] = useState<DirtyEndName>("most");
  const clients = useSettled(search.clients ?? DEFAULT_CLIENTS, (value) =>
    patch({ clients: value }),
  );
  const disks = useSettled(search.disks ?? 1, (value) => patch({ disks: value }));
  const think = useSettled(search.think_ms ?? DEFAULT_THINK_MS, (value) =>
    patch({ think_ms: value }),
  );
  const ram = useSettled(state.ram_pages, (ram_pages) => patch({ ram_pages }));
  const flash = useSettled(state.flash_pages, (flash_pages) => patch({ flash_pages }));
  const body = question(state, search, given, {
    clients: clients.asked,
    disks: disks.asked,
    think: think.asked,
    ram: ram.asked,
    flash: flash.asked,
  });
  const found = useQuery(throughputQuery(body));
  const answered = found.data;
  const drawn = useMemo(
    () => (answered === undefined ? undefined : atEnd(answered, end)),
    [answered, end],
  );
  const replays = replaysOf(summary);
  const close = useCloseCall(
    body,
    replays !== null,
    found.isPlaceholderData ? undefined : answered,
  );
  const { devices, schemes } = drawn ?? {};
  const names = useMemo(
    () =>
      new Map([
        ...(devices === undefined ? [] : deviceNames(devices)),
        ...(schemes ?? []).map(({ scheme, title }): [string, string] => [
          scheme,
          title,
        ]),
      ]),
    [devices, schemes],
  );
  const onMeasure = useCallback(
    (measure: "throughput" | "response") =>
      patch({ show: measure === "response" ? "response" : undefined }),
    [patch],
  );
  return (
    <>
      <Panel label="Clients and devices">
        <Controls
          clients={clients}
          disks={disks}
          think={think}
          ram={ram}
          flash={flash}
          summary={summary}
          search={search}
          vary={search.vary ?? "clients"}
          patch={patch}
        />
      </Panel>
      {given && (
        <DirtyShare
          stated={search.dirty_share}
          summary={summary}
          onChange={(dirty_share) => patch({ dirty_share })}
        />
      )}
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="Throughput could not be predicted"
          onRetry={() => void found.refetch()}
        />
      )}
      {drawn === undefined ? (
        found.isPending && <Skeleton height={560} animate={false} />
      ) : (
        <Stack gap="lg" aria-busy={found.isPlaceholderData}>
          {drawn.least !== null && <DirtyEnd value={end} onChange={setEnd} />}
          <CautionNotes of="the throughput" cautions={drawn.cautions} names={names} />
          <ThroughputChart
            found={drawn}
            decided={close.decided}
            name={name}
            measure={search.show ?? "throughput"}
            onMeasure={onMeasure}
          />
          <SchemeTable found={drawn} />
          <ReplayCheck
            query={throughputCheck({ ...body, ...cachesAsked(search) })}
            what="throughput and response time"
            replays={replays}
            isNeeded={close.isClose}
            options={
              <FlashCachesField
                search={search}
                patch={patch}
                clock={clockOf(summary)}
              />
            }
          />
          <ResponsePanel
            question={responseQuestion(asked(state, search, given), search)}
            name={name}
            names={names}
            patch={patch}
            timed={summary.duration_s !== null}
            // On simulated time accesses arrive at a rate, whatever the trace has.
            clock={clockOf(summary, true)}
            replays={replays}
            arrivals={search}
          />
          <CoursePanel
            workload={state.workload}
            point={body}
            name={name}
            search={search}
            timed={summary.duration_s !== null}
            replays={replays}
            patch={patch}
          />
        </Stack>
      )}
    </>
  );
}
