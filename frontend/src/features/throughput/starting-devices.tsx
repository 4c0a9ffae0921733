import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { type EvaluationOut, evaluationQuery } from "@/api/compare";
import { useDecision } from "@/api/use-decision";
import type { SummaryOut } from "@/api/workloads";
import { Panel } from "@/components/panel";
import {
  type AnalysisSearch,
  type AnalysisState,
  assumptions,
  evaluationInput,
} from "@/questions/point";
import type { ThroughputSearch } from "@/questions/throughput";
import { counted } from "@/units/quantity";

/** Devices that carry the rate of production under one scheme, and why. */
export interface Starting {
  readonly disks: number;
  readonly flash_devices: number;
  /** Of the scheme. */
  readonly title: string;
  /** What each way takes at which rate, by the model. */
  readonly why: string;
  /** What is counted of each device, such as "54 disks": of a tier that nothing is kept on none. */
  readonly counted: string;
}

/** The same where a replay decided which scheme is best, and whether it is known by now. */
export interface Replayed {
  /** By the replay; null where there is none, or not yet. */
  readonly found: Starting | null;
  readonly isPending: boolean;
}

type Evaluated = Pick<EvaluationOut, "at_load" | "best" | "schemes">;

/** The devices of the best scheme; `null` where no rate of production is stated. */
export function startingDevices(found: Evaluated): Starting | null {
  const needed = found.at_load?.configurations.find(({ name }) => name === found.best);
  const scheme = found.schemes.find((each) => each.scheme === found.best);
  if (found.at_load == null || needed === undefined || scheme === undefined) {
    return null;
  }
  return {
    // A tier that nothing is kept on still has a device in the model.
    disks: Math.max(1, needed.disks),
    flash_devices: Math.max(1, needed.flash_devices),
    title: scheme.title,
    why: found.at_load.sentence,
    counted: devicesText(needed.flash_devices, needed.disks),
  };
}

interface StartingDevicesProps {
  readonly state: AnalysisState;
  readonly search: ThroughputSearch & AnalysisSearch;
  readonly summary: SummaryOut;
  /** Whether a dirty share may be stated. */
  readonly given: boolean;
  readonly patch: (change: ThroughputSearch) => void;
  readonly children: ReactNode;
}

/** At production: begins with the devices of the busiest hour, unless the address names some. */
export function StartingDevices(props: StartingDevicesProps) {
  const { state, search, given, patch } = props;
  const { metadata, dirty_share } = search;
  const isProduction = props.summary.production !== null;
  const isNamed = search.disks !== undefined || search.flash_devices !== undefined;
  const point = useMemo(
    () => ({
      ...evaluationInput(state),
      ...assumptions({ metadata, dirty_share }, given),
    }),
    [state, metadata, dirty_share, given],
  );
  const asked = useQuery({ ...evaluationQuery(point), enabled: isProduction });
  // The page "Compare" counts by this replay where it has one, so both are told.
  const decision = useDecision(point, isProduction ? asked.data : undefined);
  const found = asked.data === undefined ? null : startingDevices(asked.data);
  const disks = found?.disks;
  const flash_devices = found?.flash_devices;
  const begins = !isNamed && disks !== undefined && flash_devices !== undefined;
  useEffect(() => {
    if (begins) {
      patch({ disks, flash_devices });
    }
  }, [begins, disks, flash_devices, patch]);
  const isWaiting = isProduction && !isNamed && (asked.isPending || begins);
  return (
    <>
      {found !== null && isNamed && (
        <StartNote
          found={found}
          replayed={{
            found:
              decision.evaluation === null
                ? null
                : startingDevices(decision.evaluation),
            isPending: decision.pending,
          }}
          disks={search.disks ?? 1}
          flashDevices={search.flash_devices ?? 1}
          onUse={() =>
            patch({ disks: found.disks, flash_devices: found.flash_devices })
          }
        />
      )}
      {isWaiting ? <Skeleton height={560} animate={false} /> : props.children}
    </>
  );
}

interface StartNoteProps {
  readonly found: Starting;
  readonly replayed: Replayed;
  readonly disks: number;
  readonly flashDevices: number;
  readonly onUse: () => void;
}

/** Both tiers, without one that has no device. */
const devicesText = (flash: number, disks: number): string =>
  [
    ...(flash > 0 ? [counted(flash, "flash device")] : []),
    ...(disks > 0 ? [counted(disks, "disk")] : []),
  ].join(" and ");

/**
 * Why so many devices stand here; or which the busiest hour takes, and a way to have them.
 * What stands below is of the model, so its numbers are used; those of the replay, which
 * "Compare" shows, lead where there is one.
 */
export function StartNote(props: StartNoteProps) {
  const { found, replayed, disks, flashDevices, onUse } = props;
  const isUsed = disks === found.disks && flashDevices === found.flash_devices;
  return (
    <Panel label="Devices for production">
      <Group gap="sm" justify="space-between">
        <Text size="sm" style={{ flex: "1 1 420px" }}>
          {replayed.found === null ? (
            <>
              {found.why} Counted by the model, not by a replay
              {replayed.isPending && "; the replay that decides is under way"}.{" "}
              {isUsed && `The numbers for ${found.title} are used here.`}
            </>
          ) : (
            <>
              {replayed.found.why} <em>Compare</em> shows the same. The chart and the
              tables below are by the model, which counts {found.counted} under{" "}
              {found.title}
              {isUsed ? ": these are used here." : "."}
            </>
          )}
          {!isUsed && ` Used here: ${devicesText(flashDevices, disks)}.`}
        </Text>
        {!isUsed && (
          <Button size="compact-sm" variant="default" onClick={onUse}>
            Use the numbers for {found.title}
          </Button>
        )}
      </Group>
    </Panel>
  );
}
