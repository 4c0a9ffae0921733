import { Checkbox, Select, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import {
  type FlashDeviceOut,
  flashDeviceQuery,
  flashDeviceSteps,
} from "@/api/flash-device";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { lineOption } from "@/charts/line-option";
import { AskedSteps } from "@/components/asked-steps";
import { CautionNotes } from "@/components/caution-notes";
import { CopyLink } from "@/components/copy-link";
import { NumberField, OptionalNumberField } from "@/components/number-field";
import { Page } from "@/components/page";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import {
  COLLECTIONS,
  FLASH_DEVICE_BOUNDS,
  type FlashDeviceSearch,
  MAPPINGS,
  PATTERNS,
} from "@/questions/flash-device";
import { usePatch } from "@/questions/use-analysis";
import { formatPercent, formatShort, ratio } from "@/units/quantity";
import classes from "./flash-device.module.css";
import {
  COLLECTION_TITLES,
  deviceFacts,
  flashDeviceQuestion,
  isSplit,
  MAPPING_TITLES,
  PATTERN_TITLES,
  spareSeries,
  spareTable,
} from "./question";

const HEIGHT = 380;
const PERCENT = 100;
const SUBTITLE =
  "Pages written to flash per page of the host [1] over spare space, (physical - logical) / logical [%]";
const SUBTITLE_WITH_FORMULA = `${SUBTITLE}; dotted: the closed form of the chosen rule`;

/** What garbage collection makes of the writes of a flash device. */
export function FlashDevicePage() {
  const search = useSearch({ strict: false }) as FlashDeviceSearch;
  const patch = usePatch<FlashDeviceSearch>();
  const router = useRouter();
  const found = useQuery(flashDeviceQuery(flashDeviceQuestion(search)));
  return (
    <Page
      title="Flash device"
      lead="How much more does a flash device write than its host, how evenly does it wear, and what do spare space, garbage collection, TRIM and write streams change about it?"
      actions={
        <CopyLink
          to="this page (Flash device)"
          href={() =>
            router.buildLocation({
              to: "/flash-device",
              search: (previous: FlashDeviceSearch) => previous,
            }).href
          }
        />
      }
    >
      <Controls search={search} patch={patch} />
      {found.error !== null && (
        <ProblemAlert
          error={found.error}
          title="The device could not be simulated"
          onRetry={() => void found.refetch()}
        />
      )}
      {found.data === undefined ? (
        found.isPending && <Skeleton height={HEIGHT} animate={false} />
      ) : (
        <section aria-busy={found.isPlaceholderData} className={classes["answer"]}>
          <CautionNotes of="the flash device" cautions={found.data.cautions} />
          <SpareChart found={found.data} />
          <Panel
            title="Wear, TRIM and life"
            subtitle="Of the chosen device, while writes were counted."
          >
            <dl className={classes["facts"]}>
              {deviceFacts(found.data).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </Panel>
        </section>
      )}
    </Page>
  );
}

interface ControlsProps {
  readonly search: FlashDeviceSearch;
  readonly patch: (change: FlashDeviceSearch) => void;
}

function Controls({ search, patch }: ControlsProps) {
  const field = (
    name: keyof typeof FLASH_DEVICE_BOUNDS,
    label: string,
    unit: string,
    usual: number,
    factor = 1,
  ) => {
    const { low, high, ...rest } = FLASH_DEVICE_BOUNDS[name];
    return (
      <NumberField
        label={label}
        unit={unit}
        min={low * factor}
        max={high * factor}
        whole={factor === 1 && "whole" in rest}
        value={(search[name] ?? usual) * factor}
        onChange={(value) => patch({ [name]: value / factor })}
      />
    );
  };
  const optional = (name: "pe_cycles" | "drive_writes_per_day", label: string) => (
    <OptionalNumberField
      label={label}
      placeholder="life is not computed"
      min={FLASH_DEVICE_BOUNDS[name].low}
      max={FLASH_DEVICE_BOUNDS[name].high}
      value={search[name]}
      onChange={(value) => patch({ [name]: value })}
    />
  );
  const split = isSplit(search.pattern);
  const byPage = (search.mapping ?? "page") === "page";
  return (
    <section className="tw-panel" aria-label="Device and writes">
      <div className={classes["fields"]}>
        {field("spare", "Spare space", "%", FLASH_DEVICE_BOUNDS.spare.usual, PERCENT)}
        {field(
          "block_pages",
          "Erase block",
          "pages",
          FLASH_DEVICE_BOUNDS.block_pages.usual,
        )}
        {field(
          "logical_pages",
          "Device",
          "pages",
          FLASH_DEVICE_BOUNDS.logical_pages.usual,
        )}
        <Select
          label="Translation"
          data={MAPPINGS.map((mapping) => ({
            value: mapping,
            label: MAPPING_TITLES[mapping],
          }))}
          value={search.mapping ?? "page"}
          onChange={(value) =>
            patch({ mapping: MAPPINGS.find((mapping) => mapping === value) })
          }
          allowDeselect={false}
        />
        {byPage && (
          <Select
            label="Garbage collection"
            data={COLLECTIONS.map((rule) => ({
              value: rule,
              label: COLLECTION_TITLES[rule],
            }))}
            value={search.collection ?? "greedy"}
            onChange={(value) =>
              patch({ collection: COLLECTIONS.find((rule) => rule === value) })
            }
            allowDeselect={false}
          />
        )}
        {byPage &&
          search.collection === "choices" &&
          field("choices", "Drawn blocks", "blocks", FLASH_DEVICE_BOUNDS.choices.usual)}
        <Select
          label="Writes"
          data={PATTERNS.map((pattern) => ({
            value: pattern,
            label: PATTERN_TITLES[pattern],
          }))}
          value={search.pattern ?? "uniform"}
          onChange={(value) =>
            patch({ pattern: PATTERNS.find((pattern) => pattern === value) })
          }
          allowDeselect={false}
        />
        {search.pattern === "zipf" &&
          field("exponent", "Zipf exponent", "1", FLASH_DEVICE_BOUNDS.exponent.usual)}
        {split &&
          field(
            "hot_pages",
            search.pattern === "hot-cold" ? "Hot pages" : "Pages of the log",
            "%",
            FLASH_DEVICE_BOUNDS.hot_pages.usual,
            PERCENT,
          )}
        {split &&
          field(
            "hot_writes",
            "Writes to them",
            "%",
            FLASH_DEVICE_BOUNDS.hot_writes.usual,
            PERCENT,
          )}
        {split && byPage && (
          <Checkbox
            mb={8}
            label="In a separate stream (FDP)"
            checked={search.apart === "yes"}
            onChange={(event) =>
              patch({ apart: event.currentTarget.checked ? "yes" : undefined })
            }
          />
        )}
        {field("buffer_pages", "Write buffer", "pages", 0)}
        {field("trim_share", "Requests that trim", "%", 0, PERCENT)}
        {optional("pe_cycles", "P/E cycles")}
        {optional("drive_writes_per_day", "Drive writes per day")}
      </div>
    </section>
  );
}

/** Write amplification over spare space, a line for each rule of collection. */
function SpareChart({ found }: { readonly found: FlashDeviceOut }) {
  const colors = useChartColors();
  const option = useMemo(
    () =>
      lineOption({
        series: spareSeries(found, colors),
        x: {
          name: "spare space [%]",
          min: 0,
          format: (spare) => formatPercent(ratio(spare)),
        },
        y: {
          name: "write amplification [1]",
          format: (waf) => formatShort(waf),
        },
        markers: [{ name: "chosen spare space", x: found.spare }],
        colors,
      }),
    [found, colors],
  );
  return (
    <ChartCard
      title={found.sentence}
      subtitle={found.collection === null ? SUBTITLE : SUBTITLE_WITH_FORMULA}
      label="Write amplification by spare space"
      option={option}
      height={HEIGHT}
      fileName="flash device write amplification"
      table={() => spareTable(found)}
      explanation={
        <Stack gap="xs">
          <Text size="sm">
            Each line is simulated with 4 overwrites of the device that are counted and
            as many before them; the chosen device with 12. Assumed: {found.validity}.
          </Text>
          <AskedSteps query={flashDeviceSteps(found)} />
        </Stack>
      }
    />
  );
}
