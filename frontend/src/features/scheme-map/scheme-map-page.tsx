import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { evaluationQuery } from "@/api/compare";
import { mapPointQuery, type SchemeMapOut, schemeMapQuery } from "@/api/scheme-map";
import { type Decision, useDecision } from "@/api/use-decision";
import { useCatalogNames } from "@/api/use-names";
import { mayLackWrites, replaysOf } from "@/api/workloads";
import { CautionNotes } from "@/components/caution-notes";
import { DirtyEnd, type DirtyEndName } from "@/components/dirty-end";
import { FlashCachesCheck } from "@/components/flash-caches-check";
import { clockOf } from "@/components/flash-caches-field";
import { ProblemAlert } from "@/components/problem-alert";
import {
  type AnalysisInputs,
  AnalysisPage,
  type AskedAt,
} from "@/questions/analysis-page";
import {
  type AnalysisSearch,
  type AnalysisState,
  evaluationInput,
} from "@/questions/point";
import type { MapSearch } from "@/questions/scheme-map";
import { usePatch } from "@/questions/use-analysis";
import {
  chosenAxes,
  isLog,
  mapAtEnd,
  mapRequest,
  movedTo,
  nearestIndex,
  type Place,
  pointRequest,
  valueOn,
} from "./axes";
import { MapChart } from "./map-chart";
import { MapControls } from "./map-controls";
import { CursorSliders, PointPanel } from "./point-panel";
import { ReplayedPoints } from "./replayed-points";
import classes from "./scheme-map.module.css";
import { usePlace } from "./use-place";

const LEAD =
  "Which page-flow scheme wins where? A map of two quantities: the best scheme at each point, the lines on which it changes, and your current point.";

export function SchemeMapPage() {
  return (
    <AnalysisPage
      question="scheme_map"
      title="Scheme map"
      lead={LEAD}
      height={620}
      empty="A map needs the hit-ratio and write-back curves of a workload."
      asks={(asked) => mapAsks(asked)}
      view={(inputs) => <SchemeMapView {...inputs} />}
    />
  );
}

/** The map and the place on it, once the sliders rest. */
function mapAsks({ state, search, summary }: AskedAt) {
  const stated = search as MapSearch;
  const place = {
    ram: state.ram_pages,
    flash: state.flash_pages,
    dirty: stated.dirty_share ?? null,
    asymmetry: stated.asymmetry ?? null,
  };
  const axes = chosenAxes(stated, summary.distinct_pages);
  const given = mayLackWrites(summary);
  return {
    scheme_map: mapRequest(state, axes, place, stated.metadata, given),
    scheme_map_point: pointRequest(state, place, stated.metadata, given),
  };
}

function SchemeMapView({ state, name, summary }: AnalysisInputs) {
  const search = useSearch({ strict: false }) as MapSearch & AnalysisSearch;
  const patch = usePatch<AnalysisSearch & MapSearch>();
  const { value: place, asked, move } = usePlace(state, search, patch);
  const axes = useMemo(
    () => chosenAxes(search, summary.distinct_pages),
    [search, summary.distinct_pages],
  );
  const metadata = search.metadata;
  const given = mayLackWrites(summary);
  const [end, setEnd] = useState<DirtyEndName>("most");
  const names = useCatalogNames();
  const map = useQuery({
    ...schemeMapQuery(mapRequest(state, axes, asked, metadata, given)),
    placeholderData: keepPreviousData,
  });
  const point = useQuery({
    ...mapPointQuery(pointRequest(state, asked, metadata, given)),
    placeholderData: keepPreviousData,
  });
  const decision = useDecidedHere(
    hereOf(state, asked),
    metadata,
    // A replay has the dirty pages and the device's own times, no others.
    summary.replayable &&
      asked.dirty === null &&
      asked.asymmetry === null &&
      !point.isPlaceholderData &&
      point.data?.too_close === true,
  );
  const dirty = point.data?.measured_dirty_share ?? null;
  const asymmetry = map.data?.device_asymmetry ?? null;
  const xName = map.data?.x.name;
  const yName = map.data?.y.name;
  const here = useMemo(() => {
    if (xName === undefined || yName === undefined) {
      return null;
    }
    const x = valueOn(xName, place, { dirty, asymmetry });
    const y = valueOn(yName, place, { dirty, asymmetry });
    return x === null || y === null ? null : { x, y };
  }, [xName, yName, place, dirty, asymmetry]);
  const moveTo = useCallback(
    (x: number | null, y: number | null) => {
      if (xName === undefined || yName === undefined) {
        return;
      }
      const moves = [
        ...(x === null ? [] : [{ axis: xName, value: x }]),
        ...(y === null ? [] : [{ axis: yName, value: y }]),
      ];
      move((from) => movedTo(from, moves));
    },
    [xName, yName, move],
  );
  const drawn = map.data;
  const pick = useCallback(
    (x: number, y: number) => drawn !== undefined && moveTo(...snapped(drawn, x, y)),
    [drawn, moveTo],
  );
  const showBy = useCallback(
    (by: "time" | "price") => patch({ by: by === "price" ? "price" : undefined }),
    [patch],
  );
  return (
    <>
      <MapControls
        axes={axes}
        pageBytes={summary.page_bytes}
        metadata={metadata}
        patch={patch}
      />
      {map.error !== null && (
        <ProblemAlert
          error={map.error}
          title="The map could not be computed"
          onRetry={() => void map.refetch()}
        />
      )}
      {map.data === undefined ? (
        map.isPending && <Skeleton height={620} animate={false} />
      ) : (
        <section aria-busy={map.isPlaceholderData} className={classes["answer"]}>
          {map.data.least !== null && <DirtyEnd value={end} onChange={setEnd} />}
          <CautionNotes of="the map" cautions={map.data.cautions} names={names} />
          <div className={classes["columns"]}>
            <MapChart
              map={mapAtEnd(map.data, end)}
              here={here}
              by={search.by ?? "time"}
              workloadName={name}
              onBy={showBy}
              onPick={pick}
            />
            <div className={classes["side"]}>
              {here !== null && (
                <CursorSliders map={map.data} here={here} onMove={moveTo} />
              )}
              {point.error !== null && (
                <ProblemAlert
                  error={point.error}
                  title="This point could not be evaluated"
                  onRetry={() => void point.refetch()}
                />
              )}
              {point.data !== undefined && (
                <PointPanel
                  point={point.data}
                  state={state}
                  place={place}
                  metadata={metadata}
                  decision={decision}
                  onUnset={() =>
                    move((from) => ({ ...from, dirty: null, asymmetry: null }))
                  }
                />
              )}
            </div>
          </div>
          <FlashCachesCheck
            title="Flash caches at your point"
            point={evaluationInput(hereOf(state, asked), metadata)}
            search={search}
            patch={patch}
            replays={replaysOf(summary)}
            clock={clockOf(summary)}
            name={name}
          />
          <ReplayedPoints
            map={map.data}
            question={mapRequest(state, axes, asked, metadata, given)}
            search={search}
            patch={patch}
            replays={replaysOf(summary)}
            clock={clockOf(summary)}
            name={name}
            choosesCaches={hereOf(state, asked).flash_pages === 0}
            onPick={pick}
          />
        </section>
      )}
    </>
  );
}

/** The state at the place on the map. */
const hereOf = (state: AnalysisState, place: Place): AnalysisState => ({
  ...state,
  ram_pages: Math.round(place.ram),
  flash_pages: Math.round(place.flash),
});

/** The grid point of the cell that was pressed. */
function snapped(map: SchemeMapOut, x: number, y: number): [number, number] {
  const nearest = (axis: SchemeMapOut["x"], value: number) =>
    axis.values[nearestIndex(axis.values, value, isLog(axis.name))] ?? value;
  return [nearest(map.x, x), nearest(map.y, y)];
}

/** The replay that decides where you are, if the model cannot tell. */
function useDecidedHere(
  here: AnalysisState,
  metadata: string | undefined,
  close: boolean,
): Decision {
  const question = evaluationInput(here, metadata);
  const compared = useQuery({ ...evaluationQuery(question), enabled: close });
  return useDecision(question, close ? compared.data : undefined);
}
