import { Group, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { SummaryOut } from "@/api/workloads";
import { Panel } from "@/components/panel";
import { formatPercent, ratio } from "@/units/quantity";

const USUAL_PERCENT = 30;

/** For a given curve, which does not state it: how many evicted pages are dirty. */
export function DirtyShare(props: {
  /** As the address states it; otherwise what the workload states holds. */
  readonly stated: number | undefined;
  readonly summary: SummaryOut;
  readonly onChange: (share: number | undefined) => void;
}) {
  const { stated, summary, onChange } = props;
  const own = summary.dirty_share;
  const [draft, setDraft] = useState<string | number>(
    stated === undefined ? USUAL_PERCENT : stated * 100,
  );
  const set = (value: string | number) => {
    setDraft(value);
    if (typeof value === "number") {
      onChange(value / 100);
    }
  };
  return (
    <Panel
      title="Dirty share of the evicted pages"
      subtitle="A given curve states hits but not writes. Every write rests on this share."
    >
      <Group align="flex-end" gap="lg">
        <Radio.Group
          aria-label="Dirty share"
          value={stated === undefined ? "own" : "stated"}
          onChange={(choice) =>
            choice === "own" ? onChange(undefined) : set(draft === "" ? 30 : draft)
          }
        >
          <Stack gap={6}>
            <Radio
              value="own"
              label={
                own === null
                  ? "Unknown: show what depends on it as ranges, from no dirty pages to the maximum possible"
                  : `As stated with the curve: ${formatPercent(ratio(own))}`
              }
            />
            <Radio value="stated" label="Set a share, the same at every size" />
          </Stack>
        </Radio.Group>
        {stated !== undefined && (
          <NumberInput
            label="Dirty share [%]"
            value={draft}
            min={0}
            max={100}
            clampBehavior="strict"
            decimalScale={2}
            w={150}
            onChange={set}
          />
        )}
      </Group>
      {summary.write_share !== null && (
        <Text size="sm" c="dimmed" mt="xs">
          As stated with the curve, {formatPercent(ratio(summary.write_share))} of the
          accesses are writes; write-backs cannot exceed that share.
        </Text>
      )}
    </Panel>
  );
}
