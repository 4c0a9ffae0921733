import { Button, SegmentedControl, Select, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import {
  type PoolAdvisorEpochs,
  type PoolAdvisorOut,
  poolAdvisorEpochsQuery,
  poolAdvisorKey,
} from "@/api/analyses";
import { devicesQuery } from "@/api/catalog";
import { answer } from "@/api/client";
import { createPoolAdvisor, getPoolAdvisor } from "@/api/gen/sdk.gen";
import { useJob } from "@/api/use-job";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { CautionNotes } from "@/components/caution-notes";
import { DerivationTable } from "@/components/derivation-table";
import { EstimateDerivation } from "@/components/estimate-derivation";
import { OptionalNumberField } from "@/components/number-field";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { RunProgress } from "@/components/run-progress";
import type { AnalysisInputs } from "@/questions/analysis-page";
import { ADVISOR_BOUNDS, DYNAMICS, type SplitSearch } from "@/questions/pool-split";
import { counted, formatShort } from "@/units/quantity";
import {
  DYNAMICS_LABELS,
  epochTable,
  isView,
  VIEWS,
  type View,
  viewSeries,
} from "./advisor-findings";
import classes from "./pool-split.module.css";

const HEIGHT = 340;
const USUAL_EPOCH = 5000;
const USUAL_FACTOR = 0.95;
const FIELDS = [
  { key: "epoch", label: "Epoch [accesses]", usual: "5,000" },
  { key: "window", label: "Advisor window [accesses]", usual: "pages of the buffer" },
  { key: "factor", label: "Factor in odd epochs", usual: "0.95" },
  { key: "estimation_s", label: "Time per estimation [s]", usual: "not set" },
] as const;

const readAdvisor = (id: string): Promise<PoolAdvisorOut> =>
  answer(getPoolAdvisor({ path: { pool_advisor_id: id }, throwOnError: true }));

interface AdvisorProps extends AnalysisInputs {
  /** The whole buffer; of production that of one machine. [pages] */
  readonly pages: number;
  /** The same where it is replayed for production. [pages] */
  readonly productionPages: number | null;
  readonly asymmetry: number;
  /** Whether a trace this long is replayed without being asked. */
  readonly auto: boolean;
  readonly patch: (change: SplitSearch) => void;
}

/** The adaptive split while writes, or their cost, change from epoch to epoch. */
export function AdvisorPanel(props: AdvisorProps) {
  const { state, name, pages, asymmetry, patch } = props;
  const search = useSearch({ strict: false }) as SplitSearch;
  const body = {
    workload_id: state.workload,
    pages,
    dynamics: search.dynamics ?? "steady",
    asymmetry,
    epoch_accesses: search.epoch ?? USUAL_EPOCH,
    window_accesses: search.window ?? null,
    alternating_factor: search.factor ?? USUAL_FACTOR,
  } as const;
  const job = useJob<PoolAdvisorOut>({
    asked: JSON.stringify(body),
    create: () => answer(createPoolAdvisor({ body, throwOnError: true })),
    keyOf: poolAdvisorKey,
    read: readAdvisor,
    // A link that names what changes shows its answer.
    auto: search.dynamics !== undefined && props.auto,
  });
  return (
    <>
      <Panel
        title="The adaptive split over time"
        subtitle={`The advisor resizes the clean pool after each window, starting at R = ${formatShort(asymmetry)}. Choose what changes over the epochs.`}
      >
        <Stack gap="sm">
          <div className={classes["advisor"]}>
            <Select
              size="sm"
              label="Change over the epochs"
              data={DYNAMICS.map((value) => ({ value, label: DYNAMICS_LABELS[value] }))}
              value={body.dynamics}
              onChange={(value) =>
                patch({ dynamics: DYNAMICS.find((known) => known === value) })
              }
              allowDeselect={false}
            />
            {FIELDS.map(({ key, label, usual }) => (
              <OptionalNumberField
                key={key}
                min={ADVISOR_BOUNDS[key].low}
                max={ADVISOR_BOUNDS[key].high}
                whole={ADVISOR_BOUNDS[key].whole ?? false}
                label={label}
                placeholder={usual}
                value={search[key]}
                onChange={(value) => patch({ [key]: value })}
              />
            ))}
          </div>
          {!job.done && (
            <div>
              <Button
                variant="default"
                onClick={() => {
                  patch({ dynamics: body.dynamics });
                  job.start();
                }}
                loading={job.running}
              >
                Replay the advisor
              </Button>
            </div>
          )}
          {job.error !== null && (
            <ProblemAlert
              error={job.error}
              title="The advisor could not be replayed"
              onRetry={job.start}
            />
          )}
          {job.run !== undefined && <RunProgress run={job.run} />}
        </Stack>
      </Panel>
      {job.done && job.subject !== null && (
        <Epochs
          id={job.subject.id}
          workload={state.workload}
          name={name}
          productionPages={props.productionPages}
          flashDevice={state.flash_device}
          estimationS={search.estimation_s}
        />
      )}
    </>
  );
}

interface EpochsProps {
  readonly id: string;
  readonly workload: string;
  readonly name: string;
  readonly productionPages: number | null;
  readonly flashDevice: string;
  readonly estimationS: number | undefined;
}

function Epochs(props: EpochsProps) {
  const { id, workload, name, productionPages, flashDevice, estimationS } = props;
  const devices = useQuery(devicesQuery()).data ?? [];
  const readUs = devices.find((device) => device.id === flashDevice)?.read_service_us;
  const found = useQuery(
    poolAdvisorEpochsQuery(id, {
      workload_id: workload,
      production_pages: productionPages,
      ...(estimationS === undefined ? {} : { estimation_s: estimationS }),
      ...(readUs == null ? {} : { read_us: readUs }),
    }),
  );
  if (found.error !== null) {
    return (
      <ProblemAlert
        error={found.error}
        title="The epochs could not be loaded"
        onRetry={() => void found.refetch()}
      />
    );
  }
  if (found.data === undefined) {
    return <Skeleton height={HEIGHT + 160} animate={false} />;
  }
  return (
    <>
      <CautionNotes of="the epochs" cautions={found.data.cautions} />
      <EpochChart found={found.data} name={name} readUs={readUs ?? null} />
    </>
  );
}

function EpochChart(props: {
  readonly found: PoolAdvisorEpochs;
  readonly name: string;
  readonly readUs: number | null;
}) {
  const { found, name, readUs } = props;
  const [view, setView] = useState<View>("cost");
  const colors = useChartColors();
  const { axis, about } = VIEWS[view];
  const option = useMemo(
    () =>
      lineOption({
        series: viewSeries(found, view, colors),
        x: { name: "epoch", format: (epoch) => `Epoch ${formatShort(epoch)}` },
        y: { name: axis, format: (value) => formatShort(value, 4) },
        colors,
      }),
    [found, view, axis, colors],
  );
  const least = found.least_window_accesses;
  return (
    <ChartCard
      title={found.finding}
      subtitle={`${about}; an epoch has ${counted(found.epoch_accesses, "access")}`}
      label={`The adaptive split of ${name} over time`}
      option={option}
      height={HEIGHT}
      table={() => epochTable(found)}
      fileName={`${name} adaptive split ${found.dynamics}`}
      sentence={
        <>
          {found.production !== null && `${found.production.sentence} `}
          {found.sentence}
          {least !== null &&
            ` To keep estimation within 3 % of the I/O time, a window needs ${counted(least, "access")} at ${formatShort(readUs ?? 0)} µs per page read.`}
        </>
      }
      controls={
        <SegmentedControl
          size="xs"
          aria-label="Quantity drawn for the adaptive split"
          transitionDuration={0}
          value={view}
          onChange={(value) => isView(value) && setView(value)}
          data={Object.entries(VIEWS).map(([value, { label }]) => ({ value, label }))}
        />
      }
      explanation={
        <EstimateDerivation found={found}>
          <DerivationTable steps={found.derivation} />
        </EstimateDerivation>
      }
    />
  );
}
