import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { curveQuery, type SummaryOut } from "@/api/workloads";
import { ProblemAlert } from "@/components/problem-alert";
import { useSettled } from "@/components/use-settled";
import { type Curve, knee, startedCurve } from "./curve-findings";
import { Drift } from "./drift-chart";
import { ProfileCharts } from "./profile-charts";
import { SizeCursor } from "./size-cursor";
import { ProfileSummaries, Summaries } from "./summary-charts";

interface ProfileProps {
  readonly workloadId: string;
  readonly name: string;
  readonly summary: SummaryOut;
}

/** Curves and summaries of a workload, with one cache size for all of them. */
export function Profile(props: ProfileProps) {
  const curve = useQuery(curveQuery(props.workloadId));
  if (curve.error !== null) {
    return (
      <ProblemAlert
        error={curve.error}
        title="The curves could not be loaded"
        onRetry={() => void curve.refetch()}
      />
    );
  }
  if (curve.data === undefined) {
    return (
      <>
        <Skeleton height={490} animate={false} />
        <Skeleton height={490} animate={false} />
      </>
    );
  }
  return <ProfileView {...props} curve={curve.data} />;
}

/** Where there is no knee, a tenth of the footprint is as good a size as any. */
const USUAL_SHARE = 0.1;

function ProfileView(props: ProfileProps & { readonly curve: Curve }) {
  const { curve, workloadId, name, summary } = props;
  const { ram_pages } = useSearch({ strict: false });
  const navigate = useNavigate();
  // Outside of the listed sizes nothing is known of a curve that was given.
  const smallest = curve.pages[0] ?? 1;
  const largest = curve.pages.at(-1) ?? smallest;
  const inside = (size: number) => Math.min(Math.max(size, smallest), largest);
  const usual = knee(curve) ?? Math.ceil(USUAL_SHARE * largest);
  const asked = inside(ram_pages ?? usual);
  const { value, setValue } = useSettled(asked, (size) => {
    void navigate({
      to: ".",
      replace: true,
      search: (previous) => ({ ...previous, ram_pages: size }),
    });
  });
  const cursor = inside(value);
  // One start for the chosen size and the curves it is marked in.
  const [start, setStart] = useState<"steady" | "cold">("steady");
  const shown = useMemo(() => startedCurve(curve, start), [curve, start]);
  return (
    <>
      <SizeCursor curve={shown} value={cursor} onChange={setValue} />
      {curve.pages.length > 1 && ( // one point is no curve
        <ProfileCharts
          workloadId={workloadId}
          curve={shown}
          scaled={summary.production !== null}
          name={name}
          cursor={cursor}
          onStart={setStart}
        />
      )}
      {summary.kind === "trace" && (
        <>
          <Drift workloadId={workloadId} name={name} summary={summary} />
          <Summaries
            workloadId={workloadId}
            name={name}
            summary={summary}
            cursor={cursor}
          />
        </>
      )}
      {summary.kind === "profile" && summary.has_summaries && (
        <ProfileSummaries
          workloadId={workloadId}
          name={name}
          summary={summary}
          cursor={cursor}
        />
      )}
    </>
  );
}
