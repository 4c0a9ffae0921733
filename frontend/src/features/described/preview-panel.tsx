import { Text } from "@mantine/core";
import { useMemo } from "react";
import type { DescriptionKindOut, DescriptionPreviewOut } from "@/api/described";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { curveOption } from "@/charts/curve-option";
import { WarningNotes } from "@/components/warning-notes";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import classes from "./described.module.css";

const HEIGHT = 280;
const ACCENT = { light: "#364fc7", dark: "#91a7ff" } as const;
const WRITES = { light: "#b3541e", dark: "#ffb37d" } as const;
const SHOWN_ROWS = 14;
const PER_CENT = 100;

const percent = (value: number) => formatPercent(ratio(value), 4);

/** The curve by formula, and what is assumed. */
export function PreviewPanel(props: {
  readonly preview: DescriptionPreviewOut;
  readonly kinds: readonly DescriptionKindOut[];
}) {
  const { preview, kinds } = props;
  return (
    <>
      <DescribedChart preview={preview} />
      <section className="tw-panel" aria-label="What is described">
        <dl className="tw-figures">
          <div>
            <dt>Data</dt>
            <dd>
              {formatBytes(bytes(preview.data_bytes))}
              <small>{counted(preview.data_pages, "page")}</small>
            </dd>
          </div>
          <div>
            <dt>Load</dt>
            <dd>{formatShort(preview.accesses_per_s, 4)} accesses/s</dd>
          </div>
          <div>
            <dt>Writes</dt>
            <dd>{percent(preview.write_share)} of the accesses</dd>
          </div>
        </dl>
        <ul className={classes["list"]}>
          {preview.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal components are told apart by place alone
            <li key={index}>
              <Text size="sm" component="span">
                {kinds.find(({ name }) => name === part.kind)?.title ?? part.kind}:{" "}
                {percent(part.access_share)} of the accesses to{" "}
                {formatBytes(bytes(part.pages * preview.page_bytes))}
              </Text>
            </li>
          ))}
        </ul>
      </section>
      <WarningNotes notes={preview.warnings} />
    </>
  );
}

function DescribedChart({ preview }: { readonly preview: DescriptionPreviewOut }) {
  const colors = useChartColors();
  const { pages, hit_ratios, write_backs_per_access, page_bytes } = preview;
  const option = useMemo(
    () =>
      curveOption({
        series: [
          {
            name: "Hits",
            color: ACCENT[colors],
            points: pages.map(
              (size, index) => [size, PER_CENT * (hit_ratios[index] ?? 0)] as const,
            ),
          },
          {
            name: "Write-backs",
            color: WRITES[colors],
            dashed: true,
            points: pages.map(
              (size, index) =>
                [size, PER_CENT * (write_backs_per_access[index] ?? 0)] as const,
            ),
          },
        ],
        pageBytes: bytes(page_bytes),
        valueName: "share of the accesses [%]",
        valueMax: PER_CENT,
        legend: true,
        formatValue: (value) => `${formatShort(value, 4)} %`,
        colors,
      }),
    [pages, hit_ratios, write_backs_per_access, page_bytes, colors],
  );
  const size = (count: number) => formatBytes(bytes(count * page_bytes));
  const step = Math.max(1, Math.ceil(pages.length / SHOWN_ROWS));
  return (
    <ChartCard
      title={preview.finding}
      subtitle="LRU in the steady state, by formula: hits and write-backs over cache size, as shares of the accesses [%]"
      label="Hits and write-backs over cache size of the described workload"
      option={option}
      height={HEIGHT}
      fileName="described workload"
      sentence="Computed from the description, not measured."
      table={() => ({
        header: [
          "Cache [pages]",
          "Cache [bytes]",
          "Hit ratio",
          "Write-backs per access",
        ],
        rows: pages.map((count, index) => [
          count,
          count * page_bytes,
          hit_ratios[index] ?? 0,
          write_backs_per_access[index] ?? 0,
        ]),
        shown: pages
          .map((count, index) => [
            formatCount(count),
            size(count),
            percent(hit_ratios[index] ?? 0),
            formatShort(write_backs_per_access[index] ?? 0, 4),
          ])
          .filter((_, index) => index % step === 0 || index === pages.length - 1),
      })}
      explanation={
        <>
          <p>
            Estimator: {preview.estimator}. A page stays in a cache of C pages for the
            time in which C different pages are accessed (Che, Tung and Wang, 2002).
          </p>
          <ul className={classes["list"]}>
            {preview.assumptions.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      }
    />
  );
}
