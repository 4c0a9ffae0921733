import { Button, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { answer } from "@/api/client";
import {
  type DescriptionIn,
  type DescriptionKindOut,
  descriptionKindsQuery,
  descriptionPreviewQuery,
  type WorkloadPresetOut,
  workloadPresetsQuery,
} from "@/api/described";
import { createWorkloadFromDescription } from "@/api/gen/sdk.gen";
import { CreateWorkload } from "@/components/create-workload";
import { EmptyState } from "@/components/empty-state";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { useSessionDraft } from "@/components/use-session-draft";
import { ComponentFields } from "./component-fields";
import classes from "./described.module.css";
import {
  type ComponentDraft,
  choosePreset,
  type DescribedDraft,
  descriptionOf,
  type Faults,
  FIRST_DRAFT,
  faultsOf,
  MOST_COMPONENTS,
  mixOf,
  newComponent,
  PAGE_SIZES,
} from "./draft";
import { PresetSummary } from "./preset-panel";
import { PreviewPanel } from "./preview-panel";

const ASK_AFTER_MS = 250;
const DRAFT = "tierwright-described-workload";
const OWN = "";

type Change = (part: Partial<DescribedDraft>) => void;

/** A workload in a few numbers, where there is neither a trace nor a curve. */
export function DescribedPage() {
  const [draft, setDraft] = useSessionDraft<DescribedDraft>(DRAFT, FIRST_DRAFT);
  const kinds = useQuery(descriptionKindsQuery());
  const presets = useQuery(workloadPresetsQuery());
  const faults = faultsOf(draft);
  // As text: an object made anew by each rendering would never come to rest.
  const typed = JSON.stringify(descriptionOf(draft));
  const [settled] = useDebouncedValue(typed, ASK_AFTER_MS);
  const asked = useMemo(() => JSON.parse(settled) as DescriptionIn | null, [settled]);
  const preview = useQuery({
    ...descriptionPreviewQuery(asked ?? {}),
    enabled: asked !== null,
  });
  const change: Change = (part) => setDraft({ ...draft, ...part });
  const shown = asked === null || preview.error !== null ? undefined : preview.data;
  const ready = shown !== undefined && !preview.isPlaceholderData && settled === typed;
  return (
    <Page
      title="Describe a workload"
      lead="Where there is neither a trace nor a curve: the size of the data, the load, and how accesses spread over the data. The curve follows by formula, and every answer says that it rests on a description."
    >
      {[kinds, presets].map(
        ({ error }, index) =>
          error !== null && (
            <ProblemAlert
              // biome-ignore lint/suspicious/noArrayIndexKey: two lists, always in this order
              key={index}
              error={error}
              title="The presets and access patterns could not be loaded"
            />
          ),
      )}
      <div className={classes["columns"]}>
        <div className={classes["column"]}>
          <Load draft={draft} faults={faults} onChange={change} />
          <Mix
            draft={draft}
            faults={faults}
            kinds={kinds.data ?? []}
            presets={presets.data ?? []}
            onChange={change}
          />
        </div>
        <div className={classes["column"]} aria-live="polite">
          {asked !== null && preview.error !== null && (
            <ProblemAlert
              error={preview.error}
              title="This description cannot be computed"
            />
          )}
          {shown !== undefined && (
            <PreviewPanel preview={shown} kinds={kinds.data ?? []} />
          )}
          {asked === null && (
            <Panel>
              <EmptyState title="Nothing to show yet">
                Correct the marked fields: the curve follows as soon as every number can
                be read.
              </EmptyState>
            </Panel>
          )}
          <Create
            draft={draft}
            ready={ready}
            reason={reasonOf(draft, typed, preview.error)}
            onChange={change}
            onDone={() => setDraft(FIRST_DRAFT)}
          />
        </div>
      </div>
    </Page>
  );
}

interface FormProps {
  readonly draft: DescribedDraft;
  readonly faults: Faults;
  readonly onChange: Change;
}

function Load({ draft, faults, onChange }: FormProps) {
  return (
    <Panel title="Data and load" subtitle="Of the system that is to be sized">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label="Size of the data"
          description="With a unit: GiB, TiB, GB or TB"
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={draft.dataSize}
          error={faults.fields.dataSize ?? null}
          onChange={(event) => onChange({ dataSize: event.currentTarget.value })}
        />
        <TextInput
          label="Page accesses per second"
          description="Reads and writes of pages, hits in memory included"
          inputWrapperOrder={["label", "input", "description", "error"]}
          inputMode="decimal"
          value={draft.rate}
          error={faults.fields.rate ?? null}
          onChange={(event) => onChange({ rate: event.currentTarget.value })}
        />
        <Select
          label="Page size"
          description="The unit that the system reads and caches"
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={draft.pageBytes}
          allowDeselect={false}
          data={PAGE_SIZES}
          onChange={(pageBytes) => pageBytes !== null && onChange({ pageBytes })}
        />
      </SimpleGrid>
    </Panel>
  );
}

function Mix(
  props: FormProps & {
    readonly kinds: readonly DescriptionKindOut[];
    readonly presets: readonly WorkloadPresetOut[];
  },
) {
  const { draft, kinds, presets, onChange } = props;
  const preset = presets.find(({ id }) => id === draft.preset);
  return (
    <Panel
      title="Accesses"
      subtitle="A preset fitted to a recorded trace, or a mix of your own"
    >
      <Select
        label="Workload like"
        description={
          draft.preset === OWN
            ? "State each component of the mix below"
            : "The preset keeps its skew and its shares for your data and load"
        }
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={draft.preset}
        allowDeselect={false}
        data={[
          ...presets.map(({ id, title }) => ({ value: id, label: title })),
          { value: OWN, label: "My own mix" },
        ]}
        onChange={(id) => {
          const chosen = presets.find((candidate) => candidate.id === id);
          onChange(chosen === undefined ? { preset: OWN } : choosePreset(chosen));
        }}
        mb="sm"
      />
      {preset !== undefined && (
        <PresetSummary
          preset={preset}
          kinds={kinds}
          onEdit={() => onChange(mixOf(preset))}
        />
      )}
      {draft.preset === OWN && <OwnMix {...props} />}
    </Panel>
  );
}

function OwnMix({
  draft,
  faults,
  kinds,
  onChange,
}: FormProps & { readonly kinds: readonly DescriptionKindOut[] }) {
  const { components } = draft;
  const put = (key: number, part: Partial<ComponentDraft>) =>
    onChange({
      components: components.map((one) =>
        one.key === key ? { ...one, ...part } : one,
      ),
    });
  return (
    <>
      <TextInput
        label="Writes [%]"
        description="Share of the accesses that write, in each component that states no other"
        inputWrapperOrder={["label", "input", "description", "error"]}
        inputMode="decimal"
        maw={260}
        mb="sm"
        value={draft.writes}
        error={faults.fields.writes ?? null}
        onChange={(event) => onChange({ writes: event.currentTarget.value })}
      />
      {components.map((one, index) => (
        <ComponentFields
          key={one.key}
          number={index + 1}
          component={one}
          kinds={kinds}
          faults={faults.components[one.key] ?? {}}
          onChange={(part) => put(one.key, part)}
          onRemove={
            components.length === 1
              ? undefined
              : () =>
                  onChange({
                    components: components.filter(({ key }) => key !== one.key),
                  })
          }
        />
      ))}
      <Button
        size="xs"
        variant="default"
        disabled={components.length >= MOST_COMPONENTS}
        onClick={() =>
          onChange({
            components: [
              ...components,
              newComponent(1 + Math.max(...components.map(({ key }) => key)), {
                kind: "uniform",
              }),
            ],
          })
        }
      >
        Add a component
      </Button>
    </>
  );
}

function reasonOf(
  draft: DescribedDraft,
  typed: string,
  error: Error | null,
): string | null {
  if (typed === "null") {
    return "Correct the marked fields first.";
  }
  if (error !== null) {
    return "Correct the problem above first.";
  }
  return draft.name.trim() === "" ? "Give the workload a name." : null;
}

function Create(props: {
  readonly draft: DescribedDraft;
  /** The preview belongs to what is typed. */
  readonly ready: boolean;
  readonly reason: string | null;
  readonly onChange: Change;
  readonly onDone: () => void;
}) {
  const { draft, ready, reason } = props;
  return (
    <Panel title="Create a workload">
      <CreateWorkload
        label="Workload name"
        name={draft.name}
        onName={(name) => props.onChange({ name })}
        create={() =>
          answer(
            createWorkloadFromDescription({
              body: { ...descriptionOf(draft), name: draft.name.trim() },
              throwOnError: true,
            }),
          )
        }
        onDone={props.onDone}
        action="Use this description"
        disabled={reason !== null || !ready}
        failed="The workload was not created"
      >
        {reason !== null && (
          <Text size="sm" c="dimmed" mt="xs">
            {reason}
          </Text>
        )}
      </CreateWorkload>
    </Panel>
  );
}
