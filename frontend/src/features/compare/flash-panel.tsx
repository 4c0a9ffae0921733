import { SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import {
  type DirectoriesOut,
  directoriesQuery,
  directoriesSteps,
  type FlashChoiceOut,
  flashChoiceQuery,
  flashChoiceSteps,
} from "@/api/flash-choice";
import { directoriesCheck, flashChoiceCheck } from "@/api/replay-checks";
import type { Replays } from "@/api/workloads";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { stackedBarsOption } from "@/charts/stacked-bars-option";
import { AskedSteps } from "@/components/asked-steps";
import { type CachesSearch, cachesAsked } from "@/components/caches";
import { CautionNotes } from "@/components/caution-notes";
import { DeviceDerivation } from "@/components/device-derivation";
import { Disclosure } from "@/components/disclosure";
import { EstimateDerivation } from "@/components/estimate-derivation";
import { type Clock, FlashCachesField } from "@/components/flash-caches-field";
import { NumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { ReplayCheck } from "@/components/replay-check";
import type { AnalysisState } from "@/questions/point";
import { rateOf, shownCurrency } from "@/units/currency";
import { formatDuration, microseconds } from "@/units/quantity";
import classes from "./compare.module.css";
import {
  choiceBars,
  choiceQuestion,
  choiceTable,
  DIRECTORY_PARTS,
  directoriesQuestion,
  directoryBars,
  directoryTable,
  type Ranking,
  TIME_PARTS,
  WORTH_PARTS,
} from "./flash-findings";
import { PlacesTable } from "./places-table";

const ROW_HEIGHT = 40;
const FRAME_HEIGHT = 100;
const HIT_RATIO = 0.9;
const DIRTY = 0.3;
const PERCENT = 100;

interface FlashPanelProps {
  readonly state: AnalysisState;
  readonly dirtyShare: number | undefined;
  /** Flash cache whose memory is charged; absent: none. */
  readonly metadata: string | undefined;
  readonly name: string;
  readonly pageBytes: number;
  readonly replays: Replays;
  /** Flash caches that are replayed beside the directories. */
  readonly search: CachesSearch;
  readonly patch: (change: CachesSearch) => void;
  readonly clock: Clock;
  /** The answer that these panels stand under is that of a replay. */
  readonly decidedByReplay: boolean;
}

/** The flash device itself, and its directory: asked about only when opened. */
export function FlashPanel(props: FlashPanelProps) {
  return (
    <Panel
      title="Flash device and directory"
      subtitle="The device that suits these sizes, and the cost of its directory."
    >
      <Disclosure label="Which flash device?">
        <DeviceChoice {...props} />
      </Disclosure>
      <Disclosure label="Where should its directory go, and how large should flash pages be?">
        <Directories {...props} />
      </Disclosure>
    </Panel>
  );
}

const namesOf = ({ rows }: FlashChoiceOut): ReadonlyMap<string, string> =>
  new Map(rows.map(({ device_id, device_name }) => [device_id, device_name]));

const RANKED_BY_MODEL =
  "The answer at the top of the page comes from a replay. Here the model ranks every device, so the chosen device may show another time or another scheme. The check by simulation below compares the two.";

function DeviceChoice(props: FlashPanelProps) {
  const { state, dirtyShare, metadata, name, replays } = props;
  const asked = choiceQuestion(state, dirtyShare, metadata);
  const found = useQuery(flashChoiceQuery(asked));
  return (
    <Stack gap="md" my="xs">
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="The devices could not be ranked"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={360} animate={false} />
      ) : (
        <div className={classes["answer"]} aria-busy={found.isPlaceholderData}>
          <CautionNotes
            of="the flash devices"
            cautions={found.data.cautions}
            names={namesOf(found.data)}
          />
          <ChoiceChart found={found.data} name={name} />
          {props.decidedByReplay && <Text size="sm">{RANKED_BY_MODEL}</Text>}
          <ReplayCheck
            query={flashChoiceCheck(asked)}
            what="the I/O time of each device"
            replays={replays}
          />
        </div>
      )}
    </Stack>
  );
}

function ChoiceChart(props: { readonly found: FlashChoiceOut; readonly name: string }) {
  const { found, name } = props;
  const colors = useChartColors();
  const [ranking, setRanking] = useState<Ranking>("time");
  const bars = useMemo(() => choiceBars(found, ranking), [found, ranking]);
  const option = useMemo(
    () =>
      stackedBarsOption({
        bars,
        parts: ranking === "time" ? TIME_PARTS : WORTH_PARTS,
        axis:
          ranking === "time"
            ? "I/O time [µs per access]"
            : `price x I/O time [${shownCurrency()} µs/month]`,
        colors,
      }),
    [bars, ranking, colors],
  );
  return (
    <ChartCard
      title={found.sentence}
      subtitle={
        ranking === "time"
          ? "Modelled I/O time under each device's best scheme [µs per access], fastest first; the table lists every device"
          : `Price of the flash x modelled I/O time [${shownCurrency()} µs/month], lower is better; the table lists every device`
      }
      label={`Flash devices for ${name}`}
      option={option}
      height={FRAME_HEIGHT + ROW_HEIGHT * Math.max(1, bars.length)}
      fileName={`${name} flash devices`}
      table={() => choiceTable(found)}
      rate={rateOf(found)}
      sentence={
        found.price_book === null
          ? "Prices as the devices state them."
          : `Prices from ${found.price_book.name} (${found.price_book.date}).`
      }
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Rank the devices by"
          transitionDuration={0}
          value={ranking}
          onChange={(value) => setRanking(value === "worth" ? "worth" : "time")}
          data={[
            { value: "time", label: "By time" },
            { value: "worth", label: "By price x time" },
          ]}
        />
      }
      explanation={
        <DeviceDerivation
          devices={found.rows}
          first={found.best_by_time}
          query={flashChoiceSteps(found)}
          searchable
        >
          Estimator: {found.estimator}. Valid for: {found.validity}.
        </DeviceDerivation>
      }
    />
  );
}

function Directories(props: FlashPanelProps) {
  const { state, dirtyShare, name, pageBytes, replays } = props;
  const [hitRatio, setHitRatio] = useState(HIT_RATIO);
  const [dirty, setDirty] = useState(DIRTY);
  const asked = directoriesQuestion(state, dirtyShare, pageBytes, { hitRatio, dirty });
  const found = useQuery(directoriesQuery(asked));
  return (
    <Stack gap="md" my="xs">
      <div className={classes["flashFields"]}>
        <NumberField
          label="Directory hits in RAM"
          unit="%"
          value={hitRatio * PERCENT}
          min={0}
          max={PERCENT}
          onChange={(value) => setHitRatio(value / PERCENT)}
        />
        <NumberField
          label="Dirty directory pages"
          unit="%"
          value={dirty * PERCENT}
          min={0}
          max={PERCENT}
          onChange={(value) => setDirty(value / PERCENT)}
        />
      </div>
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="The directories could not be compared"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={360} animate={false} />
      ) : (
        <div className={classes["answer"]} aria-busy={found.isPlaceholderData}>
          <CautionNotes of="the flash directory" cautions={found.data.cautions} />
          <DirectoryChart found={found.data} name={name} />
          <ReplayCheck
            query={directoriesCheck({
              ...asked,
              ...cachesAsked(props.search),
            })}
            what="the time of every directory"
            subtitle="Replays the trace with the flash page size, RAM and flash of every option and computes its I/O and directory upkeep from the counted operations; flash caches have the same memory, less their metadata, and the same flash."
            replays={replays}
            options={
              <FlashCachesField
                search={props.search}
                patch={props.patch}
                clock={props.clock}
              />
            }
            beyond={(checked) => <PlacesTable found={checked} name={name} />}
          />
        </div>
      )}
    </Stack>
  );
}

function DirectoryChart(props: {
  readonly found: DirectoriesOut;
  readonly name: string;
}) {
  const { found, name } = props;
  const colors = useChartColors();
  const bars = useMemo(() => directoryBars(found), [found]);
  const option = useMemo(
    () =>
      stackedBarsOption({
        bars,
        parts: DIRECTORY_PARTS,
        axis: "I/O and directory [µs per access]",
        colors,
      }),
    [bars, colors],
  );
  return (
    <ChartCard
      title={found.sentence}
      subtitle="I/O time of the safest scheme and upkeep of the directory, by placement and flash page size [µs per access]; ranked by the whole bar, the worst case of one valid page in each flash page"
      label={`Directories for ${name}`}
      option={option}
      height={FRAME_HEIGHT + ROW_HEIGHT * Math.max(1, bars.length)}
      fileName={`${name} directories`}
      table={() => directoryTable(found)}
      sentence={[
        found.remark,
        `Without flash an access takes ${formatDuration(microseconds(found.none_us))} here, with memory charged for the directory of the RAM; the comparison above does not charge it.`,
      ]
        .filter((text) => text !== "")
        .join(" ")}
      explanation={
        <EstimateDerivation found={found}>
          <AskedSteps query={directoriesSteps(found)} />
        </EstimateDerivation>
      }
    />
  );
}
