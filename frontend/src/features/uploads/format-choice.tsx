import { Button, Group, Radio, Skeleton, Stack, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { type PreviewOut, previewQuery, type ReadOptions } from "@/api/uploads";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { counted } from "@/units/quantity";
import { RecordTable } from "./preview-findings";
import type { FormatCandidate } from "./read-options";

const RECORDS_SHOWN = 5;

interface FormatChoiceProps {
  readonly uploadId: string;
  readonly candidates: readonly FormatCandidate[];
  readonly options: ReadOptions;
  readonly onChoose: (format: string) => void;
}

/** Asks which of several readings is meant, each with its own first records. */
export function FormatChoice(props: FormatChoiceProps) {
  const { uploadId, candidates, options, onChoose } = props;
  const [chosen, setChosen] = useState("");
  const previews = useQueries({
    queries: candidates.map(({ format }) =>
      previewQuery(uploadId, { ...options, format }),
    ),
  });
  return (
    <Panel
      title={
        candidates.length > 1
          ? `This file can be read in ${counted(candidates.length, "way")}`
          : "The format of this file is not certain"
      }
      subtitle="They mean different things, and the file does not state which applies. Compare the first records, then choose."
    >
      <Radio.Group label="Which reading is right?" value={chosen} onChange={setChosen}>
        <Stack gap="lg" mt="sm">
          {candidates.map((candidate, index) => (
            <Stack key={candidate.format} gap={6}>
              <Radio
                value={candidate.format}
                label={<b>{candidate.format}</b>}
                description={candidate.reason}
              />
              <Reading
                format={candidate.format}
                preview={previews[index]?.data}
                error={previews[index]?.error ?? null}
              />
            </Stack>
          ))}
        </Stack>
      </Radio.Group>
      <Group mt="lg">
        <Button disabled={chosen === ""} onClick={() => onChoose(chosen)}>
          {chosen === "" ? "Choose a reading" : `Read it as ${chosen}`}
        </Button>
      </Group>
    </Panel>
  );
}

function Reading(props: {
  readonly format: string;
  readonly preview: PreviewOut | undefined;
  readonly error: Error | null;
}) {
  const { format, preview, error } = props;
  if (error !== null) {
    return <ProblemAlert error={error} title={`It cannot be read as ${format}`} />;
  }
  if (preview === undefined) {
    return <Skeleton height={160} animate={false} />;
  }
  const units = preview.units.map((unit) => `${unit.field}: ${unit.unit}`);
  return (
    <>
      <RecordTable
        preview={preview}
        label={`First records read as ${format}`}
        rows={RECORDS_SHOWN}
      />
      {units.length > 0 && (
        <Text size="sm" c="dimmed">
          Units: {units.join("; ")}.
        </Text>
      )}
    </>
  );
}
