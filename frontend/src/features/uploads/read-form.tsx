import { Group, NumberInput, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { formatsQuery } from "@/api/catalog";
import type { PreviewOut } from "@/api/uploads";
import { Panel } from "@/components/panel";
import { bytes, formatBytes } from "@/units/quantity";
import { parseDeviceSize, type ReadDraft } from "./read-options";

const PAGE_SIZES = Array.from({ length: 12 }, (_, power) => 512 * 2 ** power);

interface ReadFormProps {
  readonly draft: ReadDraft;
  readonly onChange: (draft: ReadDraft) => void;
  readonly preview: PreviewOut | undefined;
  /** Beside the name, in sight without scrolling: reading the whole file. */
  readonly confirm: ReactNode;
}

/** Used on Enter or on leaving the field, so that half a size asks for no preview. */
function DeviceSizeInput(props: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(props.value);
  const parsed = typed.trim() === "" ? null : parseDeviceSize(typed);
  const commit = () => {
    if (typed.trim() !== props.value && (parsed === null || parsed.ok)) {
      props.onChange(typed.trim());
    }
  };
  return (
    <TextInput
      label="Size of the device"
      placeholder="unknown: not checked"
      value={typed}
      maxLength={40}
      error={parsed !== null && !parsed.ok ? `${parsed.message}; ${parsed.hint}` : null}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          commit();
        }
      }}
    />
  );
}

export function ReadForm({ draft, onChange, preview, confirm }: ReadFormProps) {
  const formats = useQuery(formatsQuery()).data ?? [];
  const detected = preview?.format;
  // "gzip > tar"; a file compressed with gzip alone is no archive.
  const archive = (preview?.compression ?? "").replaceAll("gzip", "");
  const own =
    preview === undefined ? "" : ` (${formatBytes(bytes(preview.page_bytes))})`;
  return (
    <Panel label="How to read the file">
      <Group align="flex-end" gap="md" mb="md">
        <TextInput
          label="Workload name"
          value={draft.name}
          maxLength={200}
          required
          style={{ flex: "1 1 260px", maxWidth: 560 }}
          onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        />
        {confirm}
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
        <Select
          label="Format"
          value={draft.format}
          onChange={(format) => onChange({ ...draft, format: format ?? "" })}
          data={[
            {
              value: "",
              label:
                draft.format === "" && detected !== undefined
                  ? `Detected: ${detected}`
                  : "Detect",
            },
            ...formats.map((format) => ({
              value: format.name,
              label: `${format.name}: ${format.description}`,
            })),
          ]}
          allowDeselect={false}
        />
        <Select
          label="Page size"
          value={draft.pageBytes}
          onChange={(pageBytes) => onChange({ ...draft, pageBytes: pageBytes ?? "" })}
          data={[
            {
              value: "",
              label: `Usual for the format${draft.pageBytes === "" ? own : ""}`,
            },
            ...PAGE_SIZES.map((size) => ({
              value: String(size),
              label: formatBytes(bytes(size)),
            })),
          ]}
          allowDeselect={false}
        />
        <NumberInput
          label="Bad records to skip"
          value={draft.skipBadRecords === "" ? "" : Number(draft.skipBadRecords)}
          placeholder="empty: the first one is an error"
          min={0}
          max={1_000_000_000}
          allowDecimal={false}
          allowNegative={false}
          onChange={(value) => onChange({ ...draft, skipBadRecords: String(value) })}
        />
        <MembersChoice draft={draft} onChange={onChange} archive={archive} />
        <DeviceSizeInput
          value={draft.deviceSize}
          onChange={(deviceSize) => onChange({ ...draft, deviceSize })}
        />
      </SimpleGrid>
      {draft.deviceSize !== "" && (
        <Text size="sm" mt="sm">
          Addresses beyond {draft.deviceSize}, or far below it, cause a warning: they
          suggest a wrong unit of the offset.
        </Text>
      )}
      {draft.skipBadRecords !== "" && draft.skipBadRecords !== "0" && (
        <Text size="sm" mt="sm">
          Skipped records are missing from every number. Their count is stored with the
          workload.
        </Text>
      )}
    </Panel>
  );
}

interface MembersChoiceProps {
  readonly draft: ReadDraft;
  readonly onChange: (draft: ReadDraft) => void;
  /** How the file is packed. */
  readonly archive: string;
}

/** Whose the files of an archive are and in which order they are read; nothing elsewhere. */
function MembersChoice({ draft, onChange, archive }: MembersChoiceProps) {
  if (!draft.membersApart && !draft.membersMerged && !/tar|zip/.test(archive)) {
    return null;
  }
  return (
    <>
      <Select
        label="Files in the archive"
        value={draft.membersApart ? "apart" : "joined"}
        onChange={(value) => onChange({ ...draft, membersApart: value === "apart" })}
        data={[
          { value: "joined", label: "Parts of one recording" },
          { value: "apart", label: "Separate devices per file" },
        ]}
        allowDeselect={false}
      />
      <Select
        label="Order of the files"
        value={draft.membersMerged ? "merged" : "following"}
        onChange={(value) => onChange({ ...draft, membersMerged: value === "merged" })}
        data={[
          { value: "following", label: "One after another" },
          { value: "merged", label: "Merged by time" },
        ]}
        allowDeselect={false}
      />
    </>
  );
}
