import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import {
  type CompositionIn,
  type CompositionOut,
  compositionQuery,
} from "@/api/compositions";
import { type WorkloadOut, workloadsQuery } from "@/api/workloads";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { useSettled } from "@/components/use-settled";
import type { ComposeSearch } from "@/questions/compose";
import { type Member, readMembers, writeMembers } from "@/questions/members";
import { WorkloadMembers, withoutRate } from "@/questions/workload-members";
import { listed } from "@/units/quantity";
import type { Mode } from "./compose-words";
import { CompositionView } from "./composition-view";
import { SystemsLink } from "./systems-link";

const LEAST_MEMBERS = 2;
/** Where the address states no size, the server chooses one. */
const USUAL = 0;

/** Several workloads on one machine: one shared cache, or a part for each. */
export function ComposePage() {
  const search: ComposeSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const workloads = useQuery(workloadsQuery());
  const members = search.of === undefined ? [] : (readMembers(search.of) ?? []);
  const patch = (part: ComposeSearch) =>
    void navigate({
      to: ".",
      replace: true,
      search: (previous) => ({ ...previous, ...part }),
    });
  const known = workloads.data ?? [];
  return (
    <Page
      title="Workloads on one machine"
      lead="Several workloads, each with its own pages, in one shared cache or with a part for each: who gets how much, and what is missed."
    >
      {workloads.error !== null && (
        <ProblemAlert
          error={workloads.error}
          title="The workloads could not be loaded"
          onRetry={() => void workloads.refetch()}
        />
      )}
      {workloads.isPending ? (
        <Skeleton height={220} animate={false} />
      ) : (
        <Panel
          title="Workloads"
          subtitle="Each with its own pages and the rate of its accesses on this machine"
        >
          <WorkloadMembers
            members={members}
            workloads={known}
            onChange={(changed) => patch({ of: writeMembers(changed) })}
          />
        </Panel>
      )}
      {workloads.data !== undefined && (
        <Answer members={members} workloads={known} search={search} patch={patch} />
      )}
    </Page>
  );
}

interface AnswerProps {
  readonly members: readonly Member[];
  readonly workloads: readonly WorkloadOut[];
  readonly search: ComposeSearch;
  readonly patch: (part: ComposeSearch) => void;
}

function Answer(props: AnswerProps) {
  const { members, workloads } = props;
  if (members.length < LEAST_MEMBERS) {
    return (
      <Panel>
        <EmptyState
          title={
            members.length === 0
              ? "No workload on this machine yet"
              : "One workload so far"
          }
        >
          Add {members.length === 0 ? "two workloads or more" : "another workload"}{" "}
          above, or select them on the page <Link to="/workloads">Workloads</Link>.
        </EmptyState>
      </Panel>
    );
  }
  const missing = withoutRate(members, workloads);
  return missing.length > 0 ? (
    <Panel>
      <EmptyState title="A rate is missing">
        State the accesses per second of {listed(missing)} above: without times in the
        recording the rate is unknown.
      </EmptyState>
    </Panel>
  ) : (
    <>
      <Composed {...props} />
      <SystemsLink members={members} />
    </>
  );
}

/** Whether an answer is of other workloads than those asked for, while theirs is computed. */
const isOfOthers = (found: CompositionOut, members: readonly Member[]): boolean =>
  found.rows.length !== members.length ||
  found.rows.some(({ workload_id }, at) => workload_id !== members[at]?.id);

function Composed({ members, search, patch }: AnswerProps) {
  const mode: Mode = search.split === true ? "split" : "shared";
  const { value, asked, setValue } = useSettled(
    search.cache_pages ?? USUAL,
    (cache_pages) => patch({ cache_pages }),
  );
  const body: CompositionIn = {
    workloads: members.map(({ id, rate }) => ({
      workload_id: id,
      accesses_per_s: rate,
    })),
    ram_pages: asked === USUAL ? null : asked,
    partitioned: true,
  };
  const found = useQuery(compositionQuery(body));
  if (found.error !== null) {
    return (
      <ProblemAlert error={found.error} title="These workloads cannot be composed" />
    );
  }
  return found.data === undefined ? (
    <>
      <Skeleton height={190} animate={false} />
      <Skeleton height={480} animate={false} />
    </>
  ) : (
    <CompositionView
      found={found.data}
      asked={body}
      mode={mode}
      isStale={isOfOthers(found.data, members)}
      cursor={value === USUAL ? found.data.ram_pages : value}
      onMode={(to) => patch({ split: to === "split" ? true : undefined })}
      onSize={setValue}
    />
  );
}
