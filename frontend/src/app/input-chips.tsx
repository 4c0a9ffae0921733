import {
  Anchor,
  type ComboboxItem,
  type ComboboxItemGroup,
  NumberInput,
  Popover,
  Select,
  Stack,
  Text,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import {
  bookLabel,
  type Capability,
  type DeviceOut,
  devicesFor,
  devicesQuery,
  priceBooksQuery,
  type Role,
  soldAlone,
} from "@/api/catalog";
import { type SummaryOut, type WorkloadOut, workloadsQuery } from "@/api/workloads";
import type { AdviceSearch } from "@/questions/advice";
import { CurrencySelect } from "@/questions/currency-select";
import { measuredDevices } from "@/questions/measured-tiers";
import { type AnalysisState, NONE } from "@/questions/point";
import { QUESTION_PATHS, QUESTIONS } from "@/questions/registry";
import type { SweepSearch } from "@/questions/simulate";
import { StartSwitch, steadyFor } from "@/questions/start-switch";
import { useAnalysis } from "@/questions/use-analysis";
import { BASE_CURRENCY, shownCurrency } from "@/units/currency";
import {
  bytes,
  counted,
  formatBytes,
  formatLargeCount,
  formatShort,
} from "@/units/quantity";
import classes from "./shell.module.css";

/** A page of one workload; several on one machine have a page of their own. */
const WORKLOAD_PATH = /^\/workloads\/(?!compose$)([^/]+)$/;

/** Sizes of a sweep, and the sweep itself. */
const NO_SWEEP: SweepSearch = {
  sizes: undefined,
  flash_sizes: undefined,
  held: undefined,
  sweep: undefined,
};

/** The two inputs of every analysis page, changed in place. */
export function InputChips() {
  const { pathname } = useLocation();
  const onWorkload = WORKLOAD_PATH.exec(pathname)?.[1];
  if (!QUESTION_PATHS.has(pathname) && onWorkload === undefined) {
    return null;
  }
  return <Chips shownWorkload={onWorkload} />;
}

/** Pages whose answer follows from a curve, which counts from a start. */
const STARTED_PATHS: ReadonlySet<string> = new Set([
  QUESTIONS.advice.to,
  QUESTIONS.compare.to,
  QUESTIONS.scheme_map.to,
  QUESTIONS.dram_or_flash.to,
  QUESTIONS.wear.to,
  QUESTIONS.throughput.to,
]);

function Chips({ shownWorkload }: { readonly shownWorkload: string | undefined }) {
  const { pathname } = useLocation();
  const { state, search, patch } = useAnalysis();
  const navigate = useNavigate();
  const workloads = useQuery(workloadsQuery()).data ?? [];
  const workloadId = shownWorkload ?? state?.workload;
  const workload = workloads.find((candidate) => candidate.id === workloadId);
  const choose = (id: string) => {
    if (shownWorkload === undefined) {
      // Sizes and new pages belong to the workload they were chosen for.
      patch({
        workload: id,
        ram_pages: undefined,
        flash_pages: undefined,
        new_pages: undefined,
        ...NO_SWEEP,
      });
    } else {
      void navigate({ to: "/workloads/$workloadId", params: { workloadId: id } });
    }
  };
  return (
    <section className={classes["chips"]} aria-label="Inputs of this analysis">
      <Chip
        label="Workload"
        {...(workload?.summary == null
          ? { text: workloadText(workload) }
          : { text: workload.name, end: amountsText(workload.summary) })}
      >
        <WorkloadChoice
          workloads={workloads}
          chosen={workloadId ?? null}
          onChoose={choose}
        />
      </Chip>
      {STARTED_PATHS.has(pathname) && state !== null && workload !== undefined && (
        <StartSwitch
          start={state.start}
          fixed={steadyFor(
            workload.summary?.kind === "curve",
            pathname === QUESTIONS.advice.to
              ? (search as AdviceSearch).workloads
              : undefined,
          )}
          patch={patch}
        />
      )}
      <HardwareChip state={state} patch={patch} />
    </section>
  );
}

function workloadText(workload: WorkloadOut | undefined): string {
  if (workload === undefined) {
    return "none chosen";
  }
  const { summary } = workload;
  if (summary === null) {
    return `${workload.name} (${workload.status})`;
  }
  return `${workload.name}, ${amountsText(summary)}`;
}

/** "3.07 million accesses, 675 MiB, as recorded", or what production was stated. */
const amountsText = (summary: SummaryOut): string => {
  const { production } = summary;
  if (production === null) {
    return `${counted(formatLargeCount(summary.accesses), "access")}, ${formatBytes(bytes(summary.footprint_bytes))}${
      summary.kind === "curve" ? "" : ", as recorded"
    }`;
  }
  const { data_bytes, accesses_per_s } = production.production;
  return `${formatBytes(bytes(data_bytes))}, ${formatLargeCount(accesses_per_s)} accesses/s, scaled ${formatShort(production.factor)} times`;
};

function Chip(props: {
  readonly label: string;
  readonly text: string;
  /** Shown in full, whatever becomes of the text before it. */
  readonly end?: string | undefined;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width={380}
      position="bottom-start"
      shadow="md"
      trapFocus
      withinPortal
    >
      <Popover.Target>
        <button
          type="button"
          className={`${classes["chip"]} ${props.className ?? ""}`}
          onClick={() => setOpened(!opened)}
        >
          <span className={classes["chipLabel"]}>{props.label}</span>
          <span className={classes["chipText"]} title={props.text}>
            {props.text}
          </span>
          {props.end !== undefined && (
            <span className={classes["chipEnd"]}>{props.end}</span>
          )}
          <span aria-hidden="true">▾</span>
        </button>
      </Popover.Target>
      <Popover.Dropdown>{props.children}</Popover.Dropdown>
    </Popover>
  );
}

function WorkloadChoice(props: {
  readonly workloads: readonly WorkloadOut[];
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <Stack gap="sm">
      <Select
        label="Workload"
        data={props.workloads.map((workload) => ({
          value: workload.id,
          label: workload.status === "ready" ? workload.name : workloadText(workload),
          disabled: workload.status !== "ready",
        }))}
        value={props.chosen}
        onChange={(id) => id !== null && props.onChoose(id)}
        searchable
        openOnFocus={false}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        nothingFoundMessage="No matching workload"
      />
      <Text size="sm">
        <Anchor component={Link} to="/workloads" size="sm">
          Upload another trace
        </Anchor>
      </Text>
    </Stack>
  );
}

/** A name without what it says in brackets, which the popover shows. */
const shortName = (name: string): string => name.replace(/ \([^()]*\)$/, "");

type Patch = ReturnType<typeof useAnalysis>["patch"];

/** What a flash device must be able to answer to be offered, beside I/O times. */
const FLASH_NEEDS: Readonly<Record<string, Capability>> = {
  [QUESTIONS.wear.to]: "life",
};

/** Devices of the catalogue, and the tiers that the system of the workload measured. */
function useOfferedDevices(state: AnalysisState | null, pathname: string): DeviceOut[] {
  const workloads = useQuery(workloadsQuery()).data;
  const devices = useQuery(devicesQuery()).data;
  const workload = state?.workload;
  return useMemo(() => {
    const chosen = workloads?.find(({ id }) => id === workload);
    return [...measuredDevices(chosen?.summary, pathname), ...(devices ?? [])];
  }, [workloads, devices, workload, pathname]);
}

function HardwareChip({
  state,
  patch,
}: {
  readonly state: AnalysisState | null;
  readonly patch: Patch;
}) {
  const { pathname } = useLocation();
  const devices = useOfferedDevices(state, pathname);
  const books = useQuery(priceBooksQuery()).data ?? [];
  const name = (id: string | undefined) =>
    devices.find((device) => device.id === id)?.name ?? id ?? "–";
  const book = books.find((candidate) => candidate.id === state?.price_book);
  const parts =
    state === null
      ? ["none chosen"]
      : [
          ...(state.ram_device === NONE ? [] : [name(state.ram_device)]),
          name(state.flash_device),
          name(state.disk_device),
        ].map(shortName);
  return (
    <Chip
      label="Hardware"
      className={classes["hardware"]}
      text={parts.join(" + ")}
      end={hardwareEnd(book?.name)}
    >
      <Stack gap="sm">
        <DeviceSelect
          label="Flash device"
          tier="flash"
          needs={FLASH_NEEDS[pathname]}
          devices={devices}
          value={state?.flash_device ?? null}
          onChoose={(id) => patch({ flash_device: id })}
        />
        <DeviceSelect
          label="Disk device"
          tier="disk"
          devices={devices}
          value={state?.disk_device ?? null}
          onChoose={(id) => patch({ disk_device: id })}
        />
        <DeviceSelect
          label="RAM device (for prices)"
          tier="ram"
          devices={devices}
          value={state?.ram_device ?? null}
          onChoose={(id) => patch({ ram_device: id })}
        />
        <Select
          label="Price book"
          data={[
            {
              value: NONE,
              label:
                pathname === QUESTIONS.advice.to
                  ? "No price book: RAM and devices by themselves are no candidates"
                  : "No price book: only the devices' own prices",
            },
            ...books.map((candidate) => ({
              value: candidate.id,
              label: bookLabel(candidate),
            })),
          ]}
          value={state?.price_book ?? null}
          onChange={(id) => id !== null && patch({ price_book: id })}
          allowDeselect={false}
          searchable
          openOnFocus={false}
          comboboxProps={{ withinPortal: false }}
        />
        <CurrencySelect
          book={state === null || state.price_book === NONE ? null : state.price_book}
        />
        <NumberInput
          label="Amortisation period [months]"
          min={1}
          max={600}
          allowDecimal={false}
          clampBehavior="strict"
          value={state?.months ?? ""}
          onChange={(value) =>
            typeof value === "number" && value >= 1 && patch({ months: value })
          }
        />
        <Anchor component={Link} to="/hardware" size="sm">
          Figures, sources and own devices
        </Anchor>
      </Stack>
    </Chip>
  );
}

const hardwareEnd = (book: string | undefined): string | undefined => {
  const currency = shownCurrency();
  if (currency === BASE_CURRENCY) {
    return book === undefined ? undefined : `+ ${book}`;
  }
  return book === undefined ? `in ${currency}` : `+ ${book}, in ${currency}`;
};

/** The devices that are offered for a tier; one that was chosen before stays in the list. */
function deviceGroups(
  devices: readonly DeviceOut[],
  tier: Role,
  needs: Capability | undefined,
  chosen: string | null,
): ComboboxItemGroup<ComboboxItem>[] {
  const fitting = devicesFor(devices, tier).filter(
    (device) => needs === undefined || device.answers.includes(needs),
  );
  const before = devices.find((device) => device.id === chosen);
  const items = (wanted: (device: DeviceOut) => boolean) =>
    fitting
      .filter(wanted)
      .toSorted((one, other) =>
        one.name.localeCompare(other.name, "en", { numeric: true }),
      )
      .map(({ id, name }) => ({ value: id, label: name }));
  const own = (device: DeviceOut) => device.origin === "own";
  const groups: ComboboxItemGroup<ComboboxItem>[] = [
    {
      group: "Measured on the running system",
      items: items((device) => device.sold_as === "running"),
    },
    { group: "Own", items: items(own) },
    {
      group: "Shipped",
      items: items((device) => !own(device) && soldAlone(device)),
    },
    {
      group: "Disks of cloud instances",
      items: items((device) => !own(device) && device.sold_as === "instance"),
    },
  ];
  if (before !== undefined && !fitting.includes(before)) {
    groups.unshift({
      group: "Chosen, but not usable here",
      items: [{ value: before.id, label: before.name }],
    });
  }
  return groups.filter((group) => group.items.length > 0);
}

function DeviceSelect(props: {
  readonly label: string;
  readonly tier: Role;
  /** What the page asks of it besides. */
  readonly needs?: Capability | undefined;
  readonly devices: readonly DeviceOut[];
  readonly value: string | null;
  readonly onChoose: (id: string) => void;
}) {
  const groups = deviceGroups(props.devices, props.tier, props.needs, props.value);
  return (
    <Select
      label={props.label}
      data={
        props.tier === "ram"
          ? [{ value: NONE, label: "None: RAM is not priced" }, ...groups]
          : groups
      }
      value={props.value}
      onChange={(id) => id !== null && props.onChoose(id)}
      // Typing replaces the present name instead of going on in the middle of it.
      onFocus={(event) => event.currentTarget.select()}
      onClick={(event) => event.currentTarget.select()}
      allowDeselect={false}
      searchable
      openOnFocus={false}
      maxDropdownHeight={260}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage="No matching device"
    />
  );
}
