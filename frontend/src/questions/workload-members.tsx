import { Button, Select, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { SummaryOut, WorkloadOut } from "@/api/workloads";
import { DraftInput } from "@/components/draft-input";
import { readNumber } from "@/components/number-field";
import { bytes, formatBytes, formatShort } from "@/units/quantity";
import { type Member, MOST_RATE, MOST_WORKLOADS } from "./members";
import classes from "./workload-members.module.css";

const LEAST_RATE = 1e-6;
const DIGITS = 6;

/** The rate that a workload brings; null where it has no times. */
export const ownRate = ({ accesses, duration_s }: SummaryOut): number | null =>
  duration_s === null || duration_s === 0 ? null : accesses / duration_s;

/** Several workloads, each with its rate; others can be added, and all but the kept ones removed. */
export function WorkloadMembers(props: {
  readonly members: readonly Member[];
  readonly workloads: readonly WorkloadOut[];
  readonly onChange: (members: readonly Member[]) => void;
  /** So many of the first stay. */
  readonly kept?: number;
  readonly most?: number;
}) {
  const { members, workloads, onChange, kept = 0, most = MOST_WORKLOADS } = props;
  const others = workloads.filter(({ status }) => status === "ready");
  return (
    <>
      <ul className={classes["members"]}>
        {members.map((member, at) => (
          <MemberRow
            // biome-ignore lint/suspicious/noArrayIndexKey: the same workload may stand here twice
            key={`${member.id} ${at}`}
            member={member}
            workload={workloads.find(({ id }) => id === member.id)}
            onRate={(rate) =>
              onChange(
                members.map((one, place) => (place === at ? { ...one, rate } : one)),
              )
            }
            onRemove={
              at < kept
                ? undefined
                : () => onChange(members.filter((_, place) => place !== at))
            }
          />
        ))}
      </ul>
      <Select
        label="Add a workload"
        description={
          members.length >= most
            ? `At most ${most} workloads at once`
            : "The same one again is another copy, with pages of its own"
        }
        inputWrapperOrder={["label", "input", "description", "error"]}
        placeholder="Choose a workload"
        searchable
        maw={420}
        value={null}
        disabled={members.length >= most}
        data={others.map(({ id, name }) => ({ value: id, label: name }))}
        nothingFoundMessage="No workload has this name"
        onChange={(id) => id !== null && onChange([...members, { id, rate: null }])}
      />
    </>
  );
}

function MemberRow(props: {
  readonly member: Member;
  readonly workload: WorkloadOut | undefined;
  readonly onRate: (rate: number | null) => void;
  readonly onRemove: (() => void) | undefined;
}) {
  const { member, workload } = props;
  const name = workload?.name ?? member.id;
  const summary = workload?.summary ?? null;
  const own = summary === null ? null : ownRate(summary);
  return (
    <li className={classes["member"]}>
      <div className={classes["name"]}>
        {workload === undefined ? (
          <Text fw={600}>{name}</Text>
        ) : (
          <Link to="/workloads/$workloadId" params={{ workloadId: member.id }}>
            {name}
          </Link>
        )}
        <Text size="sm" c="dimmed">
          {aboutText(workload)}
        </Text>
      </div>
      <DraftInput<number | null>
        label="Accesses per second"
        ariaLabel={`Accesses per second of ${name}`}
        unit="1/s"
        shown={member.rate === null ? "" : formatShort(member.rate, DIGITS)}
        placeholder={own === null ? "required" : formatShort(own, DIGITS)}
        description={basisText(summary, member.rate)}
        read={(text) =>
          text.trim() === ""
            ? { ok: true, value: null }
            : readNumber(text, { min: LEAST_RATE, max: MOST_RATE })
        }
        onChange={props.onRate}
      />
      {props.onRemove !== undefined && (
        <Button
          size="xs"
          variant="default"
          aria-label={`Remove ${name}`}
          onClick={props.onRemove}
        >
          Remove
        </Button>
      )}
    </li>
  );
}

function aboutText(workload: WorkloadOut | undefined): string {
  if (workload === undefined) {
    return "No workload has this id: remove it";
  }
  const { summary, status } = workload;
  return summary === null
    ? `Not ready: ${status}`
    : `${formatBytes(bytes(summary.footprint_bytes))} in pages of ${formatBytes(bytes(summary.page_bytes))}`;
}

/** Where the rate is from. */
export function basisText(summary: SummaryOut | null, rate: number | null): string {
  if (rate !== null) {
    return "As stated here";
  }
  if (summary === null) {
    return "Unknown until the workload is ready";
  }
  if (ownRate(summary) === null) {
    return "Its recording has no times: state the rate";
  }
  if (summary.production !== null) {
    return summary.production.production.machines === 1
      ? "As in production"
      : "As in production, of one machine";
  }
  return summary.kind === "curve" ? "As stated with the workload" : "As recorded";
}

/** Names of the workloads whose rate nobody knows. */
export const withoutRate = (
  members: readonly Member[],
  workloads: readonly WorkloadOut[],
): readonly string[] => [
  ...new Set(
    members.flatMap(({ id, rate }) => {
      const found = workloads.find((workload) => workload.id === id);
      return rate === null && found?.summary != null && ownRate(found.summary) === null
        ? [found.name]
        : [];
    }),
  ),
];
