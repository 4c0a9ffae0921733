/** What is typed on the page, and the request that it makes. */
import type { ComponentIn, DescriptionIn, WorkloadPresetOut } from "@/api/described";
import {
  bytes,
  formatBytes,
  formatShort,
  parseNumber,
  parseSize,
} from "@/units/quantity";

export type Kind = ComponentIn["kind"];

export interface ComponentDraft {
  /** Tells the components of a draft apart while they are edited. */
  readonly key: number;
  readonly kind: Kind;
  readonly weight: string;
  readonly data: string;
  readonly writes: string;
  readonly exponent: string;
  readonly hotData: string;
  readonly hotAccesses: string;
}

export interface DescribedDraft {
  readonly name: string;
  /** Id of a preset; empty for a mix of one's own. */
  readonly preset: string;
  readonly dataSize: string;
  readonly rate: string;
  readonly pageBytes: string;
  readonly writes: string;
  readonly components: readonly ComponentDraft[];
}

/** As many as the server takes. */
export const MOST_COMPONENTS = 16;
const LARGEST_EXPONENT = 5;
const MOST_WEIGHT = 1e9;

export const newComponent = (
  key: number,
  part: Partial<ComponentDraft> = {},
): ComponentDraft => ({
  key,
  kind: "zipf",
  weight: "1",
  data: "",
  writes: "",
  exponent: "0.9",
  hotData: "20",
  hotAccesses: "80",
  ...part,
});

export const FIRST_DRAFT: DescribedDraft = {
  name: "",
  preset: "oltp",
  dataSize: "1 TiB",
  rate: "20,000",
  pageBytes: "8192",
  writes: "20",
  components: [newComponent(1)],
};

type Field = "dataSize" | "rate" | "writes";
type ComponentField = Exclude<keyof ComponentDraft, "key" | "kind">;

export interface Faults {
  readonly fields: Partial<Record<Field, string>>;
  /** By the key of the component. */
  readonly components: Readonly<
    Record<number, Partial<Record<ComponentField, string>>>
  >;
}

const PERCENT = "enter a percentage from 0 to 100";
const INNER_PERCENT = "enter a percentage above 0 and below 100";

function dataBytes(text: string): number | null {
  if (!/[a-z]/i.test(text) || /page/i.test(text)) {
    return null;
  }
  const parsed = parseSize(text, bytes(1), 1);
  return parsed.ok ? parsed.value : null;
}

const share = (text: string): number | null => {
  const percent = parseNumber(text);
  return percent === null || percent > 100 ? null : percent / 100;
};

type ComponentFaults = Partial<Record<ComponentField, string>>;

/** Of the fields that only one kind has. */
function kindFaults(one: ComponentDraft): ComponentFaults {
  const faults: ComponentFaults = {};
  if (one.kind === "zipf") {
    const exponent = parseNumber(one.exponent);
    if (exponent === null || exponent > LARGEST_EXPONENT) {
      faults.exponent = `enter a number from 0 to ${LARGEST_EXPONENT}`;
    }
  }
  if (one.kind === "hot_cold") {
    for (const field of ["hotData", "hotAccesses"] as const) {
      const value = share(one[field]);
      if (value === null || value === 0 || value === 1) {
        faults[field] = INNER_PERCENT;
      }
    }
  }
  return faults;
}

function componentFaults(one: ComponentDraft): ComponentFaults {
  const faults: ComponentFaults = {};
  const weight = parseNumber(one.weight);
  if (weight === null || weight <= 0 || weight > MOST_WEIGHT) {
    faults.weight = "enter a number above 0";
  }
  const data = share(one.data);
  if (one.data.trim() !== "" && (data === null || data === 0)) {
    faults.data = "enter a percentage above 0, at most 100";
  }
  if (one.writes.trim() !== "" && share(one.writes) === null) {
    faults.writes = PERCENT;
  }
  return { ...faults, ...kindFaults(one) };
}

/** What cannot be read; the field says what to enter. */
export function faultsOf(draft: DescribedDraft): Faults {
  const fields: Partial<Record<Field, string>> = {};
  if (dataBytes(draft.dataSize) === null) {
    fields.dataSize =
      draft.dataSize.trim() === ""
        ? "enter a size with a unit, such as 800 GiB"
        : `"${draft.dataSize.trim()}" is not a size with a unit; write 800 GiB`;
  }
  const rate = parseNumber(draft.rate);
  if (rate === null || rate <= 0) {
    fields.rate =
      draft.rate.trim() === ""
        ? "enter a number, such as 20,000"
        : `"${draft.rate.trim()}" is not a positive number; write 20,000`;
  }
  if (draft.preset !== "") {
    return { fields, components: {} };
  }
  if (share(draft.writes) === null) {
    fields.writes = PERCENT;
  }
  return {
    fields,
    components: Object.fromEntries(
      draft.components
        .map((one) => [one.key, componentFaults(one)] as const)
        .filter(([, faults]) => Object.keys(faults).length > 0),
    ),
  };
}

export const hasFaults = ({ fields, components }: Faults): boolean =>
  Object.keys(fields).length > 0 || Object.keys(components).length > 0;

function componentOf(one: ComponentDraft): ComponentIn {
  const stated = (text: string) => (text.trim() === "" ? null : share(text));
  const data = stated(one.data);
  const writes = stated(one.writes);
  return {
    kind: one.kind,
    weight: parseNumber(one.weight) ?? 1,
    ...(data === null ? {} : { data_share: data }),
    ...(writes === null ? {} : { write_share: writes }),
    ...(one.kind === "zipf" ? { exponent: parseNumber(one.exponent) ?? 0 } : {}),
    ...(one.kind === "hot_cold"
      ? {
          hot_data_share: share(one.hotData) ?? 0,
          hot_access_share: share(one.hotAccesses) ?? 0,
        }
      : {}),
  };
}

/** The request; null while something cannot be read. */
export function descriptionOf(draft: DescribedDraft): DescriptionIn | null {
  const size = dataBytes(draft.dataSize);
  const rate = parseNumber(draft.rate);
  if (hasFaults(faultsOf(draft)) || size === null || rate === null) {
    return null;
  }
  const load = {
    page_bytes: Number(draft.pageBytes),
    data_bytes: size,
    accesses_per_s: rate,
  };
  return draft.preset === ""
    ? {
        ...load,
        write_share: share(draft.writes) ?? 0,
        components: draft.components.map(componentOf),
      }
    : { ...load, preset: draft.preset };
}

const percentText = (value: number | null): string =>
  value === null ? "" : formatShort(value * 100, 4);

/** The mix of a preset as one's own, to be changed. */
export function mixOf(preset: WorkloadPresetOut): Partial<DescribedDraft> {
  const { workload } = preset;
  return {
    preset: "",
    writes: percentText(workload.write_share),
    components: workload.components.map((one, index) =>
      newComponent(index + 1, {
        kind: one.kind as Kind,
        weight: String(one.weight),
        data: percentText(one.data_share),
        writes: percentText(one.write_share),
        ...(one.exponent === null ? {} : { exponent: String(one.exponent) }),
        ...(one.hot_data_share === null
          ? {}
          : { hotData: percentText(one.hot_data_share) }),
        ...(one.hot_access_share === null
          ? {}
          : { hotAccesses: percentText(one.hot_access_share) }),
      }),
    ),
  };
}

/** What the fields show when a preset is chosen: its page size, the rest as it stands. */
export const choosePreset = (preset: WorkloadPresetOut): Partial<DescribedDraft> => ({
  preset: preset.id,
  pageBytes: String(preset.workload.page_bytes),
});

const LEAST_PAGE_POWER = 9;
const PAGE_POWERS = 12;

export const PAGE_SIZES = Array.from({ length: PAGE_POWERS }, (_, power) => {
  const size = 2 ** (LEAST_PAGE_POWER + power);
  return { value: String(size), label: formatBytes(bytes(size)) };
});
