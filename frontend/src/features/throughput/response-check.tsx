import { SegmentedControl, Text } from "@mantine/core";
import { ResponseCheckIn } from "@/api/gen/bounds.gen";
import { responseCheck } from "@/api/replay-checks";
import type { ResponseQuestion } from "@/api/response";
import type { Replays } from "@/api/workloads";
import { cachesAsked } from "@/components/caches";
import { type Clock, FlashCachesField } from "@/components/flash-caches-field";
import { NumberField } from "@/components/number-field";
import { ReplayCheck } from "@/components/replay-check";
import type { Arrivals, ThroughputSearch } from "@/questions/throughput";
import classes from "./throughput.module.css";

const USUAL_CLIENTS = 16;
const LABELS: Readonly<Record<Arrivals, string>> = {
  poisson: "Poisson",
  trace: "As recorded",
  clients: "Clients that wait",
};
const NO_TIMES =
  "The trace of this workload records no arrival times, so its accesses cannot arrive as recorded. Poisson arrivals need a rate only.";

export type ArrivalSearch = Pick<
  ThroughputSearch,
  "arrivals" | "loop" | "seed" | "caches" | "cache_options"
>;

interface ResponseCheckProps {
  readonly question: ResponseQuestion;
  readonly replays: Replays;
  /** Whether the accesses have arrival times. */
  readonly timed: boolean;
  readonly clock: Clock;
  readonly asked: ArrivalSearch;
  /** The scheme whose figures are shown first. */
  readonly shown: string | undefined;
  readonly patch: (change: ThroughputSearch) => void;
}

/** The response times beside replays on simulated time, and how accesses arrive in them. */
export function ResponseCheckPanel(props: ResponseCheckProps) {
  const { question, replays, timed, asked, patch } = props;
  const arrivals = asked.arrivals ?? "poisson";
  const clients = asked.loop ?? USUAL_CLIENTS;
  const seed = asked.seed ?? 0;
  return (
    <ReplayCheck
      title="Check the response times on simulated time"
      subtitle="Replays the trace through every scheme and the flash caches that you choose: accesses arrive at the rate in question, and each device serves its operations one after the other. A background run makes the replays."
      query={responseCheck({
        ...question.body,
        workload_id: question.workload,
        arrivals,
        clients: arrivals === "clients" ? clients : 1,
        seed,
        ...cachesAsked(asked),
      })}
      what="the response times"
      replays={replays}
      shown={props.shown}
      options={
        <>
          <div className={classes["options"]}>
            <div className={classes["axis"]}>
              <SegmentedControl
                size="sm"
                aria-label="Arrivals of the replay"
                transitionDuration={0}
                value={arrivals}
                onChange={(value) => patch({ arrivals: chosen(value) })}
                data={ResponseCheckIn.arrivals.values.map((value) => ({
                  value,
                  label: LABELS[value],
                  disabled: value === "trace" && !timed,
                }))}
              />
            </div>
            {arrivals === "clients" && (
              <NumberField
                label="Clients of the replay"
                unit=""
                value={clients}
                min={1}
                max={ResponseCheckIn.clients.high}
                onChange={(value) => patch({ loop: Math.round(value) })}
              />
            )}
            <NumberField
              label="Seed"
              unit=""
              value={seed}
              min={0}
              max={ResponseCheckIn.seed.high}
              onChange={(value) => patch({ seed: Math.round(value) || undefined })}
            />
          </div>
          <FlashCachesField search={asked} patch={patch} clock={props.clock} />
          {!timed && (
            <Text size="sm" c="dimmed">
              {NO_TIMES}
            </Text>
          )}
        </>
      }
    />
  );
}

const chosen = (value: string): Arrivals | undefined =>
  value === "trace" || value === "clients" ? value : undefined;
