import {
  Group,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Text,
  TextInput,
} from "@mantine/core";
import type { CurvePreviewOut } from "@/api/given";
import { Panel } from "@/components/panel";
import { bytes, formatBytes } from "@/units/quantity";
import { type CurveDraft, type Faults, SIZE_UNITS } from "./statement";

const PAGE_SIZES = Array.from({ length: 12 }, (_, power) => 512 * 2 ** power);

interface FormProps {
  readonly draft: CurveDraft;
  readonly faults: Faults;
  readonly preview: CurvePreviewOut | undefined;
  readonly onChange: (part: Partial<CurveDraft>) => void;
}

/** What the lines do not say. */
export function StatementForm(props: FormProps) {
  return (
    <>
      <Units {...props} />
      <Amounts {...props} />
      <Writes {...props} />
    </>
  );
}

const read = (found: string | null | undefined, what: string) =>
  found == null ? what : `${found.replace("_", " ")} (read)`;

function Units({ draft, preview, onChange }: FormProps) {
  const columns = preview?.columns ?? [];
  const pools = preview?.pools ?? [];
  const table = preview?.kind === "table" || draft.kind === "table";
  return (
    <Panel
      title="Units"
      subtitle="Read from the lines where they state it; otherwise required"
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select
          label="Sizes are in"
          value={draft.sizeUnit}
          allowDeselect={false}
          data={[
            { value: "", label: read(preview?.size_unit, "From the lines") },
            ...SIZE_UNITS.map((unit) => ({ value: unit, label: unit })),
          ]}
          onChange={(sizeUnit) => onChange({ sizeUnit: sizeUnit ?? "" })}
        />
        <Select
          label="Values are"
          value={draft.value}
          allowDeselect={false}
          data={[
            { value: "", label: read(preview?.value, "From the lines") },
            { value: "hit_ratio", label: "Hit ratios" },
            { value: "miss_ratio", label: "Miss ratios" },
            { value: "misses", label: "Counts of misses" },
          ]}
          onChange={(value) => onChange({ value: value ?? "" })}
        />
        <Select
          label="Ratios are written as"
          value={draft.scale}
          allowDeselect={false}
          data={[
            { value: "", label: "From the lines" },
            { value: "fraction", label: "Fractions, 0 to 1" },
            { value: "percent", label: "Percent, 0 to 100" },
          ]}
          onChange={(scale) => onChange({ scale: scale ?? "" })}
        />
        {table && columns.length > 2 && (
          <>
            <Select
              label="Column of sizes"
              value={draft.sizeColumn}
              allowDeselect={false}
              data={[{ value: "", label: "By its name" }, ...new Set(columns)]}
              onChange={(sizeColumn) => onChange({ sizeColumn: sizeColumn ?? "" })}
            />
            <Select
              label="Column of values"
              value={draft.valueColumn}
              allowDeselect={false}
              data={[{ value: "", label: "By its name" }, ...new Set(columns)]}
              onChange={(valueColumn) => onChange({ valueColumn: valueColumn ?? "" })}
            />
          </>
        )}
        {pools.length > 1 && (
          <Select
            label="Buffer pool"
            value={draft.pool}
            allowDeselect={false}
            data={[{ value: "", label: "Choose one" }, ...pools]}
            onChange={(pool) => onChange({ pool: pool ?? "" })}
          />
        )}
      </SimpleGrid>
    </Panel>
  );
}

function Amounts({ draft, faults, preview, onChange }: FormProps) {
  return (
    <Panel title="Pages and amounts" subtitle="A curve alone does not contain them">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Page size"
          value={draft.pageBytes}
          allowDeselect={false}
          data={[
            {
              value: "",
              label:
                preview?.page_bytes == null
                  ? "Choose one"
                  : `From the lines: ${formatBytes(bytes(preview.page_bytes))}`,
            },
            ...PAGE_SIZES.map((size) => ({
              value: String(size),
              label: formatBytes(bytes(size)),
            })),
          ]}
          onChange={(pageBytes) => onChange({ pageBytes: pageBytes ?? "" })}
        />
        <TextInput
          label="Size of the data"
          placeholder="800 GiB"
          description="Unknown if empty: then no disk cost"
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={draft.dataSize}
          error={faults.dataSize ?? null}
          onChange={(event) => onChange({ dataSize: event.currentTarget.value })}
        />
        <TextInput
          label={
            draft.accessesAs === "count" ? "Page accesses" : "Page accesses per second"
          }
          placeholder={draft.accessesAs === "count" ? "12,000,000" : "5,000"}
          description={
            draft.accessesAs === "count"
              ? "Over the period that the curve covers"
              : "The workload then covers one day"
          }
          inputWrapperOrder={["label", "input", "description", "error"]}
          value={draft.accesses}
          error={faults.accesses ?? null}
          onChange={(event) => onChange({ accesses: event.currentTarget.value })}
        />
        {(preview?.evidence?.misses_read != null || draft.missesRead !== "") && (
          <Select
            label="What answers a miss"
            description="A cache below, such as that of the operating system, answers some misses without the device"
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={draft.missesRead}
            allowDeselect={false}
            data={[
              { value: "", label: "Not known" },
              { value: "device", label: "The device: direct I/O" },
              { value: "cache", label: "A cache below, too" },
            ]}
            onChange={(value) =>
              onChange({
                missesRead: value === "device" || value === "cache" ? value : "",
              })
            }
          />
        )}
        <Group align="center">
          <SegmentedControl
            aria-label="Accesses as"
            value={draft.accessesAs}
            transitionDuration={0}
            data={[
              { value: "count", label: "Total" },
              { value: "rate", label: "Per second" },
            ]}
            onChange={(value) =>
              onChange({ accessesAs: value === "rate" ? "rate" : "count" })
            }
          />
        </Group>
      </SimpleGrid>
    </Panel>
  );
}

function Writes({ draft, faults, onChange }: FormProps) {
  return (
    <Panel
      title="Writes"
      subtitle="Which evicted pages are dirty decides the write costs"
    >
      <Radio.Group
        aria-label="Writes"
        value={draft.writes}
        onChange={(writes) =>
          onChange({
            writes: writes === "dirty" || writes === "written" ? writes : "unknown",
          })
        }
      >
        <Radio value="unknown" label="Unknown: costs are shown as ranges" mb={6} />
        <Radio value="dirty" label="This share of the evicted pages is dirty" mb={6} />
        <Radio value="written" label="This share of the accesses writes" />
      </Radio.Group>
      {draft.writes !== "unknown" && (
        <TextInput
          mt="xs"
          label="Share [%]"
          maw={160}
          placeholder="30"
          value={draft.share}
          error={faults.share ?? null}
          onChange={(event) => onChange({ share: event.currentTarget.value })}
        />
      )}
      {draft.writes === "written" && (
        <Text size="sm" c="dimmed" mt="xs">
          This limits the dirty share but does not fix it: costs remain ranges, but
          narrower.
        </Text>
      )}
    </Panel>
  );
}
