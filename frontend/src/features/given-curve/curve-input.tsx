import { Button, Group, Select, Text, Textarea } from "@mantine/core";
import { useRef, useState } from "react";
import type { CurveKindOut } from "@/api/gen/types.gen";
import { Panel } from "@/components/panel";
import classes from "./given-curve.module.css";
import type { CurveDraft } from "./statement";

const MAX_BYTES = 1_000_000;

/** The lines: pasted, from a file, or an example. */
export function CurveInput(props: {
  readonly draft: CurveDraft;
  readonly kinds: readonly CurveKindOut[];
  readonly onChange: (part: Partial<CurveDraft>) => void;
}) {
  const { draft, kinds, onChange } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const take = async (file: File | undefined) => {
    if (file === undefined) {
      return;
    }
    if (file.size > MAX_BYTES) {
      setRefused(
        `${file.name} is larger than 1 MB, too large for a curve. Upload a trace on the Workloads page.`,
      );
      return;
    }
    setRefused(null);
    onChange({
      text: await file.text(),
      ...(draft.name === "" ? { name: file.name.replace(/\.[a-z]+$/i, "") } : {}),
    });
  };
  return (
    <Panel
      title="The curve"
      subtitle="Two columns of sizes and hit or miss ratios, rows of V$DB_CACHE_ADVICE, arcstats, or the counters of a running system"
      actions={
        <Button variant="default" size="xs" onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
      }
    >
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="Curve file"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      <Textarea
        label="Lines"
        className={classes["lines"] ?? ""}
        value={draft.text}
        rows={11}
        spellCheck={false}
        wrap="off"
        placeholder={"size_mib,hit_ratio\n64,0.41\n256,0.63\n1024,0.82"}
        onChange={(event) => onChange({ text: event.currentTarget.value })}
      />
      {refused !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {refused}
        </Text>
      )}
      <Group mt="sm" align="flex-end" justify="space-between">
        <Select
          label="Kind"
          value={draft.kind}
          allowDeselect={false}
          data={[
            { value: "", label: "Detect" },
            ...kinds.map((kind) => ({ value: kind.name, label: kind.title })),
          ]}
          onChange={(kind) => onChange({ kind: kind ?? "" })}
          style={{ flex: "1 1 200px" }}
        />
        <Select
          label="Start from an example"
          placeholder="Choose an example"
          value={null}
          data={kinds.map((kind) => ({ value: kind.name, label: kind.title }))}
          onChange={(name) => {
            const kind = kinds.find((candidate) => candidate.name === name);
            if (kind !== undefined) {
              onChange({
                text: kind.example,
                kind: "",
                sizeUnit: "",
                value: "",
                scale: "",
                sizeColumn: "",
                valueColumn: "",
                pool: "",
              });
            }
          }}
          style={{ flex: "1 1 200px" }}
        />
      </Group>
    </Panel>
  );
}
