import { Button, Group, SegmentedControl, Select, Text } from "@mantine/core";
import { useState } from "react";
import type { WearOut } from "@/api/wear";
import type { SummaryOut } from "@/api/workloads";
import { FlashMetadata } from "@/components/flash-metadata";
import { LogSlider } from "@/components/log-slider";
import { SizeInput } from "@/components/size-input";
import type { AnalysisSearch, AnalysisState } from "@/questions/point";
import {
  COLLECTIONS,
  type Collection,
  type WearNumbers,
  type WearSearch,
} from "@/questions/wear";
import { bytes, formatBytes, formatShort, pages } from "@/units/quantity";
import { WearField } from "./number-field";
import classes from "./wear.module.css";

interface WearControlsProps {
  readonly state: AnalysisState;
  readonly search: WearSearch & AnalysisSearch;
  readonly summary: SummaryOut;
  readonly wear: WearOut | undefined;
  readonly rate: number;
  readonly onRate: (rate: number) => void;
  readonly patch: (change: AnalysisSearch & WearSearch) => void;
}

const MOST_RATE = 10_000_000;

const COLLECTION_TITLES: { value: Collection; label: string }[] = [
  { value: "greedy", label: "Greedy: the emptiest block" },
  { value: "fifo", label: "FIFO: the oldest block" },
  { value: "random", label: "Random block" },
];

/** Sizes, load and growth, and what the devices take. */
export function WearControls(props: WearControlsProps) {
  const { state, search, summary, wear, rate, onRate, patch } = props;
  const [byCycles, setByCycles] = useState(search.pe_cycles !== undefined);
  const pageBytes = bytes(summary.page_bytes);
  const field = (
    name: keyof WearNumbers,
    label: string,
    more: { placeholder?: string; description?: string; factor?: number } = {},
  ) => (
    <WearField
      key={name}
      name={name}
      label={label}
      value={search[name]}
      onChange={(value) => patch({ [name]: value })}
      {...more}
    />
  );
  return (
    <section className="tw-panel" aria-label="Load and device">
      <div className={classes["controls"]}>
        <div>
          <LogSlider
            label="Load"
            value={Math.max(1, Math.round(rate))}
            min={1}
            max={MOST_RATE}
            valueText={`${formatShort(rate)} page accesses per second`}
            onChange={onRate}
          />
          <Text size="sm">
            {formatShort(rate)} page accesses per second (
            {formatBytes(bytes(rate * summary.page_bytes))}/s):{" "}
            {search.rate === undefined ? (wear?.rate_basis ?? "") : "as given"}
          </Text>
          {search.rate !== undefined && summary.duration_s !== null && (
            <Button
              size="compact-sm"
              variant="default"
              mt={4}
              onClick={() => patch({ rate: undefined })}
            >
              Use the recorded load
            </Button>
          )}
        </div>
        <div className={classes["fields"]}>
          {field("rate", "Exact load [1/s]", { placeholder: "recorded" })}
          {field("growth", "Growth [%/year]", { placeholder: "0", factor: 100 })}
          <SizeInput
            label="RAM size"
            value={pages(state.ram_pages)}
            pageBytes={pageBytes}
            min={1}
            onChange={(ram_pages) => patch({ ram_pages })}
          />
          <SizeInput
            label="Flash size"
            value={pages(Math.max(1, state.flash_pages))}
            pageBytes={pageBytes}
            min={1}
            onChange={(flash_pages) => patch({ flash_pages })}
          />
          <div className={classes["wide"]}>
            <FlashMetadata
              value={search.metadata}
              onChange={(metadata) => patch({ metadata })}
              note={
                search.metadata === undefined ? undefined : wear?.ram_budget?.sentence
              }
            />
          </div>
        </div>
        <div>
          <Group gap="xs" mb={4}>
            <Text size="sm" fw={500} id="budget">
              Endurance from
            </Text>
            <SegmentedControl
              size="xs"
              aria-labelledby="budget"
              value={byCycles ? "cycles" : "rating"}
              onChange={(value) => {
                setByCycles(value === "cycles");
                patch({ pe_cycles: value === "cycles" ? search.pe_cycles : undefined });
              }}
              transitionDuration={0}
              data={[
                { value: "rating", label: "Rating" },
                { value: "cycles", label: "P/E cycles" },
              ]}
            />
          </Group>
          <div className={classes["fields"]}>
            {byCycles
              ? [
                  field("pe_cycles", "P/E cycles", { placeholder: "such as 1,000" }),
                  search.spare_percent === undefined &&
                    field("waf_in_place", "WAF, small writes", {
                      placeholder: "rated",
                    }),
                  field("waf_appended", "WAF, large writes", {
                    placeholder: "rated",
                  }),
                  field("spare_percent", "Spare space [%]", {
                    placeholder: "WAF is not computed",
                  }),
                  search.spare_percent !== undefined && [
                    field("block_pages", "Pages per erase block", {
                      placeholder: "256",
                    }),
                    <Select
                      key="collection"
                      size="sm"
                      label="Garbage collection"
                      data={COLLECTION_TITLES}
                      value={search.collection ?? "greedy"}
                      onChange={(value) =>
                        patch({
                          collection: COLLECTIONS.find((rule) => rule === value),
                        })
                      }
                      allowDeselect={false}
                    />,
                  ],
                ]
              : [
                  field("rated_tb", "TBW per drive [TB]", { placeholder: "rated" }),
                  field("rated_dwpd", "Drive writes per day", {
                    placeholder: "rated, or 1",
                  }),
                  field("rated_years", "Warranty [years]", {
                    placeholder: "rated, or 5",
                  }),
                ]}
            {field("devices", "Devices", { placeholder: "1" })}
            {field("written_tb", "Already written [TB]", { placeholder: "0" })}
          </div>
        </div>
      </div>
    </section>
  );
}
