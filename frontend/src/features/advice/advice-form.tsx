import {
  Checkbox,
  Group,
  MultiSelect,
  SegmentedControl,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { templatesQuery } from "@/api/advice-templates";
import { devicesQuery } from "@/api/catalog";
import { partsQuery, serversQuery } from "@/api/purchasable";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import {
  ADVICE_BOUNDS,
  type AdviceSearch,
  GOALS,
  type Goal,
  KINDS,
  type Kind,
  MOST_NAMES,
  readNames,
  readVendors,
} from "@/questions/advice";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import { listed } from "@/units/quantity";
import classes from "./advice.module.css";
import {
  FIRST_LIMITS,
  GOAL_LABELS,
  GOAL_MEANINGS,
  isNowhere,
  KIND_LABELS,
  kindWords,
  LISTED,
  MORE_LIMITS,
  type NumberSpec,
  type Place,
  PRICES,
  type Section,
} from "./form-fields";
import { HaveFields } from "./have-fields";
import { kindsOf, membersOf, ownOf } from "./question";
import { TemplateFields } from "./template-fields";
import type { Opening } from "./use-fold";
import { WorkloadFields } from "./workload-fields";

export interface FormProps {
  readonly state: AnalysisState;
  readonly search: AdviceSearch;
  readonly patch: (change: AdviceSearch & AnalysisSearch) => void;
}

const MOST_MONTHS = 120;

const MOST_SHOWN = 1e9;

/** A number of the address, in the unit of its field. */
function SpecField(
  props: NumberSpec & {
    readonly search: AdviceSearch;
    readonly patch: (change: AdviceSearch) => void;
  },
) {
  const { name, unit, factor = 1 } = props;
  const { low, high, exclusive } = ADVICE_BOUNDS[name];
  const value = props.search[name];
  return (
    <div data-field={name}>
      <OptionalNumberField
        label={props.label}
        {...(unit === "" ? {} : { unit })}
        description={props.meaning}
        placeholder={props.placeholder ?? "no limit"}
        min={exclusive === true ? Math.max(low, Number.EPSILON) : low * factor}
        max={Math.min(high * factor, MOST_SHOWN)}
        whole={props.whole ?? false}
        value={value === undefined ? undefined : value * factor}
        onChange={(typed) =>
          props.patch({ [name]: typed === undefined ? undefined : typed / factor })
        }
      />
    </div>
  );
}

const setOf = (search: AdviceSearch, specs: readonly NumberSpec[]): number =>
  specs.filter(({ name }) => search[name] !== undefined).length;

const someSet = (count: number): string => (count === 0 ? "none set" : `${count} set`);

/** What each folded part of the form says while it is folded. */
const summaries = (
  search: AdviceSearch,
  further: number,
  template: string | undefined,
): readonly (readonly [section: Section, title: string, summary: string])[] => {
  const borrowed = search.borrow === true ? 1 : 0;
  return [
    ["workloads", "More workloads", further === 0 ? "none" : `${further} more`],
    ["template", "Template", template ?? "none chosen"],
    ["limits", "More limits", someSet(setOf(search, MORE_LIMITS))],
    [
      "candidates",
      "What may be bought or rented",
      listed(kindsOf(search).map((kind) => kindWords(kind))),
    ],
    ["prices", "Prices of your own", someSet(setOf(search, PRICES) + borrowed)],
    ...(further > 0
      ? []
      : [
          [
            "have",
            "What you have now",
            search.have_ram_gib === undefined ? "not stated" : "stated",
          ] as const,
        ]),
  ];
};

const FOCUSABLE = "input, button, select, textarea";

/**
 * What is asked: a goal, limits, what may be bought, what there is; all of it in the address.
 * `at`: where it is opened; another object opens it there again.
 */
export function AdviceForm(props: FormProps & { readonly at?: Opening | null }) {
  const { state, search, patch, at = null } = props;
  const [opened, setOpened] = useState<Section | null>(at?.section ?? null);
  const members = membersOf(state.workload, search);
  const further = members.length - 1;
  const goals: readonly Goal[] =
    further > 0 ? GOALS.filter((each) => each !== "pareto") : GOALS;
  const stated = search.goal ?? "usd";
  const goal = goals.includes(stated) ? stated : "usd";
  const isNamed = search.template !== undefined;
  const templates = useQuery({ ...templatesQuery(), enabled: isNamed }).data ?? [];
  const template = templates.find(({ id }) => id === search.template)?.name;
  const sections = summaries(search, further, template);
  const fields = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(at);
  if (shown !== at) {
    setShown(at);
    setOpened(at?.section ?? opened);
  }
  useEffect(() => {
    if (at?.takesKeys === true && !isNowhere(at) && fields.current !== null) {
      // What is asked besides stands next to these fields.
      focusOn(fields.current.parentElement ?? fields.current, at);
    }
  }, [at]);
  return (
    <div ref={fields}>
      <Group gap="sm" mb="sm" data-field="goal">
        <SegmentedControl
          aria-label="Goal"
          value={goal}
          transitionDuration={0}
          onChange={(value) => {
            const chosen = GOALS.find((name) => name === value);
            patch({ goal: chosen === "usd" ? undefined : chosen });
          }}
          data={goals.map((value) => ({ value, label: GOAL_LABELS[value] }))}
        />
        <Text size="sm" c="dimmed">
          {GOAL_MEANINGS[goal]}
        </Text>
      </Group>
      <NumberFields specs={FIRST_LIMITS} search={search} patch={patch} />
      <div className={classes["sections"]} style={{ marginTop: 10 }}>
        {sections.map(([section, title, summary]) => {
          const isOpen = opened === section;
          return (
            <UnstyledButton
              key={section}
              className={classes["section"] ?? ""}
              aria-expanded={isOpen}
              onClick={() => setOpened(isOpen ? null : section)}
            >
              <span aria-hidden="true">{isOpen ? "▾ " : "▸ "}</span>
              {title} <small>({summary})</small>
            </UnstyledButton>
          );
        })}
      </div>
      {opened !== null && (
        <section
          className={classes["openedSection"]}
          aria-label={sections.find(([name]) => name === opened)?.[1]}
          data-section={opened}
        >
          <OpenedSection section={opened} {...props} />
        </section>
      )}
    </div>
  );
}

/** Keys go on at the field that is meant, or at the first one of its part. */
function focusOn(form: HTMLElement, { section, field }: Place): void {
  const place =
    (field === null ? null : form.querySelector(`[data-field="${field}"]`)) ??
    (section === null ? form : form.querySelector(`[data-section="${section}"]`));
  // A goal is one of several: the chosen one takes the keys.
  const target =
    place?.querySelector<HTMLElement>("input:checked") ??
    place?.querySelector<HTMLElement>(FOCUSABLE);
  target?.focus();
}

const NumberFields = (props: {
  readonly specs: readonly NumberSpec[];
  readonly search: AdviceSearch;
  readonly patch: (change: AdviceSearch) => void;
}) => (
  <div className={classes["fields"]}>
    {props.specs.map((spec) => (
      <SpecField key={spec.name} {...spec} search={props.search} patch={props.patch} />
    ))}
  </div>
);

function OpenedSection({
  section,
  ...form
}: FormProps & { readonly section: Section }) {
  const { state, search, patch } = form;
  switch (section) {
    case "workloads":
      return <WorkloadFields {...form} />;
    case "template":
      return <TemplateFields {...form} />;
    case "limits":
      return <NumberFields specs={MORE_LIMITS} search={search} patch={patch} />;
    case "candidates":
      return (
        <>
          <Kinds
            kinds={kindsOf(search)}
            onChange={(kinds) =>
              patch({ kinds: kinds.length === 0 ? undefined : kinds.join(",") })
            }
          />
          <div className={classes["fields"]}>
            <Providers
              chosen={search.providers}
              onChange={(providers) => patch({ providers })}
            />
            <Vendors
              chosen={search.vendors}
              onChange={(vendors) => patch({ vendors })}
            />
            <OwnDevices
              chosen={ownOf(search)}
              onChange={(ids) =>
                patch({
                  own: ids.length === 0 ? undefined : ids.join(","),
                  ...(ids.length === 0 ? {} : withDevices(kindsOf(search))),
                })
              }
            />
            <NumberField
              label="Purchase spread over"
              unit="months"
              description="Also the time for which the data grow."
              whole
              min={1}
              max={MOST_MONTHS}
              value={state.months}
              onChange={(months) => patch({ months })}
            />
            {LISTED.map((spec) => (
              <SpecField key={spec.name} {...spec} search={search} patch={patch} />
            ))}
          </div>
        </>
      );
    case "prices":
      return (
        <>
          <NumberFields specs={PRICES} search={search} patch={patch} />
          <Checkbox
            mt="sm"
            label="Assume that drives without stated rates are as fast as the devices in the Hardware chip"
            description="Otherwise what uses them is no candidate."
            checked={search.borrow === true}
            onChange={(event) =>
              patch({ borrow: event.currentTarget.checked ? true : undefined })
            }
          />
        </>
      );
    case "have":
      return <HaveFields {...form} />;
  }
}

function Kinds(props: {
  readonly kinds: readonly Kind[];
  readonly onChange: (kinds: readonly Kind[]) => void;
}) {
  return (
    <div className={classes["kinds"]}>
      {KINDS.map((kind) => {
        const [label, meaning] = KIND_LABELS[kind];
        const isLast = props.kinds.length === 1 && props.kinds[0] === kind;
        return (
          <Checkbox
            key={kind}
            label={label}
            description={isLast ? `${meaning} At least one kind stays.` : meaning}
            checked={props.kinds.includes(kind)}
            disabled={isLast}
            onChange={(event) => {
              const isOn = event.currentTarget.checked;
              props.onChange(
                KINDS.filter((each) =>
                  each === kind ? isOn : props.kinds.includes(each),
                ),
              );
            }}
          />
        );
      })}
    </div>
  );
}

/** Vendors of what is bought; none chosen: all of them. */
function Vendors(props: {
  readonly chosen: string | undefined;
  readonly onChange: (vendors: string | undefined) => void;
}) {
  const parts = useQuery(partsQuery()).data ?? [];
  const names = new Set(
    parts.map(({ vendor }) => vendor).filter((name) => name !== ""),
  );
  const chosen = props.chosen === undefined ? [] : (readVendors(props.chosen) ?? []);
  return (
    <MultiSelect
      label="Vendors"
      description="Of parts and devices that are bought; what states none stays a candidate and is named."
      inputWrapperOrder={["label", "input", "description", "error"]}
      placeholder={chosen.length === 0 ? "all" : ""}
      data={[...new Set([...[...names].toSorted(), ...chosen])]}
      value={[...chosen]}
      onChange={(values) =>
        props.onChange(values.length === 0 ? undefined : values.join(","))
      }
      maxValues={MOST_NAMES}
      size="sm"
      clearable
      clearButtonProps={{ "aria-label": "All vendors" }}
    />
  );
}

/** Own devices are bought by themselves: they add that kind. */
const withDevices = (kinds: readonly Kind[]): AdviceSearch => ({
  kinds: KINDS.filter((kind) => kind === "devices" || kinds.includes(kind)).join(","),
});

const BOUGHT_ALONE: readonly string[] = ["nvme", "sata_ssd", "hdd", "hdd_array"];

/** The user's own devices that can be bought by themselves; none chosen: shipped ones alone. */
function OwnDevices(props: {
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const devices = useQuery(devicesQuery()).data ?? [];
  const own = devices.filter(
    ({ origin, kind, sold_as, capacity_bytes }) =>
      origin === "own" &&
      sold_as === "device" &&
      capacity_bytes !== null &&
      BOUGHT_ALONE.includes(kind),
  );
  const known = own.map(({ id, name }) => ({ value: id, label: name }));
  const lost = props.chosen
    .filter((id) => own.every((device) => device.id !== id))
    .map((id) => ({ value: id, label: id }));
  const isEmpty = known.length + lost.length === 0;
  return (
    <MultiSelect
      label="Your own devices"
      description={
        isEmpty
          ? "None yet: measure or enter a drive with its capacity under Hardware."
          : "Bought by themselves, beside the shipped ones; one without a price is left out and named."
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      placeholder={props.chosen.length === 0 ? "none" : ""}
      data={[...known, ...lost]}
      value={[...props.chosen]}
      onChange={props.onChange}
      maxValues={MOST_NAMES}
      disabled={isEmpty}
      size="sm"
      clearable
      clearButtonProps={{ "aria-label": "No own devices" }}
    />
  );
}

/** Providers that rent something; none chosen: all of them. */
function Providers(props: {
  readonly chosen: string | undefined;
  readonly onChange: (providers: string | undefined) => void;
}) {
  const servers = useQuery(serversQuery()).data ?? [];
  const names = [...new Set(servers.map(({ provider }) => provider))].toSorted();
  const chosen = props.chosen === undefined ? [] : (readNames(props.chosen) ?? []);
  return (
    <MultiSelect
      label="Providers"
      description="For what is rented."
      inputWrapperOrder={["label", "input", "description", "error"]}
      placeholder={chosen.length === 0 ? "all" : ""}
      data={[...new Set([...names, ...chosen])]}
      value={[...chosen]}
      onChange={(values) =>
        props.onChange(values.length === 0 ? undefined : values.join(","))
      }
      size="sm"
      clearable
      clearButtonProps={{ "aria-label": "All providers" }}
    />
  );
}
