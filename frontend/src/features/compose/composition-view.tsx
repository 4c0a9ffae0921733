import { SegmentedControl, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  type CompositionIn,
  type CompositionOut,
  createComposed,
} from "@/api/compositions";
import { classNamed, FromCounters } from "@/components/counters-note";
import { CreateWorkload } from "@/components/create-workload";
import { LogSlider } from "@/components/log-slider";
import { Panel } from "@/components/panel";
import { scaleErrorSentence } from "@/components/scale-error";
import { SizeInput } from "@/components/size-input";
import { Unknown } from "@/components/unknown";
import { WarningNotes } from "@/components/warning-notes";
import {
  bytes,
  formatBytes,
  formatInterval,
  formatPagesAndBytes,
  formatPercent,
  formatShort,
  pages,
  ratio,
} from "@/units/quantity";
import classes from "./compose.module.css";
import { errorSentence, type Mode, usualName } from "./compose-words";
import { ComposedCurves } from "./composed-curves";
import { MissesChart } from "./misses-chart";
import { SharesTable } from "./shares-table";

interface ViewProps {
  readonly found: CompositionOut;
  /** Of the workloads that are kept as one. */
  readonly asked: CompositionIn;
  readonly mode: Mode;
  /** What is shown is still of an earlier choice. */
  readonly isStale: boolean;
  /** Where the slider stands. [pages] */
  readonly cursor: number;
  readonly onMode: (mode: Mode) => void;
  readonly onSize: (pages: number) => void;
}

/** The answer: size, finding, curves, who gets how much, and how good that is. */
export function CompositionView(props: ViewProps) {
  const { found, mode, cursor, onSize } = props;
  return (
    <Stack gap="lg" style={{ opacity: props.isStale ? 0.6 : 1 }}>
      <SizePanel {...props} />
      <FromCounters evidence={classNamed(found.warnings)}>
        <ComposedCurves found={found} mode={mode} cursor={cursor} onPick={onSize} />
        <SharesTable found={found} mode={mode} />
        <MissesChart found={found} />
      </FromCounters>
      <HowGood found={found} />
      <WarningNotes notes={found.warnings} />
      <Keep found={found} asked={props.asked} isStale={props.isStale} />
    </Stack>
  );
}

function SizePanel({ found, mode, cursor, onMode, onSize }: ViewProps) {
  const pageBytes = bytes(found.page_bytes);
  const sizes = found.curves.pages;
  return (
    <Panel title="The cache of this machine" label="Size of the cache">
      <div className={classes["size"]}>
        <LogSlider
          label="Cache size"
          value={cursor}
          min={sizes[0] ?? 1}
          max={sizes.at(-1) ?? 1}
          valueText={formatPagesAndBytes(pages(cursor), pageBytes)}
          onChange={onSize}
        />
        <SizeInput
          label="Exact cache size"
          value={pages(cursor)}
          pageBytes={pageBytes}
          min={1}
          onChange={onSize}
        />
        <div>
          <Text size="sm" fw={600} mb={2} id="compose-mode">
            Look at
          </Text>
          <SegmentedControl
            size="sm"
            aria-labelledby="compose-mode"
            value={mode}
            transitionDuration={0}
            data={[
              { value: "shared", label: "One shared cache" },
              { value: "split", label: "A part for each" },
            ]}
            onChange={(value) => onMode(value === "split" ? "split" : "shared")}
          />
        </div>
      </div>
      <Text aria-live="polite" fw={600} mt="md">
        {found.finding}
      </Text>
      <dl className="tw-figures" style={{ marginTop: 16 }}>
        <Figures found={found} />
      </dl>
    </Panel>
  );
}

function Figures({ found }: { readonly found: CompositionOut }) {
  const time = found.characteristic_time_s;
  const split = found.partition_miss_ratio;
  return (
    <>
      <Figure
        name="Accesses"
        value={`${formatShort(found.accesses_per_s)}/s`}
        note={`to ${formatBytes(bytes(found.data_pages * found.page_bytes))} of data`}
      />
      <Figure
        name="One shared cache misses"
        value={formatPercent(ratio(found.shared_miss_ratio))}
        note={`${formatShort(found.shared_misses_per_s)} misses/s`}
      />
      {split !== null && (
        <Figure
          name="A part for each misses"
          value={formatPercent(ratio(split))}
          note={`${formatShort(found.partition_misses_per_s ?? 0)} misses/s`}
        />
      )}
      <Figure
        name="Write-backs, shared"
        value={
          found.shared_write_backs_per_s === null ? (
            <Unknown reason="one of the workloads does not contain write-backs" />
          ) : (
            `${formatShort(found.shared_write_backs_per_s)}/s`
          )
        }
      />
      <Figure
        name="Unused pages stay"
        value={time === null ? "for all time" : formatInterval(time)}
        note={time === null ? "all pages fit" : "in one shared cache"}
      />
    </>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: string;
}) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.value}
        {props.note !== undefined && <small>{props.note}</small>}
      </dd>
    </div>
  );
}

/** The published error in words, and where it is documented. */
function HowGood({ found }: { readonly found: CompositionOut }) {
  const scaled = scaleErrorSentence(found.scaled);
  return (
    <Panel title="How far this may be off" label="How far this may be off">
      <Stack gap={6}>
        <Text size="sm">
          {errorSentence(found)} The measurements are published in{" "}
          <code>docs/models/compose.md</code>.
        </Text>
        {scaled !== null && <Text size="sm">{scaled}</Text>}
        <Text size="sm">
          The workloads are assumed to share no pages and not to take turns.{" "}
          <Link to="/docs" search={{ operation: "ask_composition" }}>
            Documentation of this answer
          </Link>
        </Text>
      </Stack>
    </Panel>
  );
}

function Keep(props: {
  readonly found: CompositionOut;
  readonly asked: CompositionIn;
  readonly isStale: boolean;
}) {
  const { found, asked, isStale } = props;
  const [name, setName] = useState<string | null>(null);
  const shown = name ?? usualName(found.rows.map((row) => row.name));
  return (
    <Panel
      title="Use them as one workload"
      subtitle="The workload of one shared cache of every size, at these rates: every question can be asked of it"
    >
      <CreateWorkload
        label="Name"
        name={shown}
        onName={setName}
        create={() =>
          createComposed({ name: shown.trim(), workloads: asked.workloads })
        }
        action="Create this workload"
        disabled={isStale || shown.trim() === ""}
        failed="The workload was not created"
      />
    </Panel>
  );
}
