import { Button, Group, Menu, SegmentedControl, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { countersText, useCountersNote } from "@/components/counters-note";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { ProblemAlert } from "@/components/problem-alert";
import { type ExchangeRate, rateText } from "@/units/currency";
import { unbroken } from "@/units/quantity";
import { Chart, type ChartMarker, useChartColors } from "./chart";
import { type CsvCell, csvWithNotes } from "./csv";
import { downloadText, downloadUrl, fileStem } from "./download";
import { type ChartOption, withFootnote } from "./option";
import { chartInk } from "./palette";

export interface ChartTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly CsvCell[])[];
  /** Rows to show on the page, already formatted; the CSV holds them all. */
  readonly shown: readonly (readonly string[])[];
  readonly caption?: string;
}

interface ChartCardProps {
  /** The finding, as a sentence. */
  readonly title: ReactNode;
  /** What is drawn, and its unit. */
  readonly subtitle: string;
  readonly label: string;
  readonly option: ChartOption;
  readonly height: number;
  readonly group?: string;
  /** Made when it is looked at or exported. */
  readonly table: () => ChartTable;
  readonly fileName: string;
  /** Of the money in the chart or its table, which every export names; none in dollars. */
  readonly rate?: ExchangeRate | null;
  readonly sentence?: ReactNode;
  readonly explanation: ReactNode;
  readonly controls?: ReactNode;
  /** A legend in HTML, where the chart's own would not fit. */
  readonly legend?: ReactNode;
  /** What is exported as a picture, where that differs: it needs a legend inside. */
  readonly pictureOption?: () => ChartOption;
  /** A place on the drawing that moves without the drawing being made anew. */
  readonly marker?: ChartMarker | null;
  /** Called with the values on both axes where the chart is pressed. */
  readonly onPick?: (x: number, y: number) => void;
}

const PICTURE = { width: 1200, height: 520 };

/** A chart with everything that belongs under it: sentence, table, exports, method. */
export function ChartCard(props: ChartCardProps) {
  const [view, setView] = useState("chart");
  const [exportError, setExportError] = useState<unknown>(null);
  const colors = useChartColors();
  const paper = chartInk(colors).paper;
  const rate = props.rate ?? null;
  const counters = useCountersNote();
  const notes = [
    ...(rate === null ? [] : [rateText(rate)]),
    ...(counters === null ? [] : [countersText(counters)]),
  ].join(" ");
  const stem = fileStem(props.fileName);

  const exportPicture = async (kind: "png" | "svg") => {
    try {
      setExportError(null);
      const engine = await import("./engine");
      const drawn = props.pictureOption?.() ?? props.option;
      const option = notes === "" ? drawn : withFootnote(drawn, notes, colors);
      if (kind === "png") {
        downloadUrl(`${stem}.png`, engine.drawPng(option, PICTURE, paper));
      } else {
        const svg = engine.drawSvg(option, PICTURE, paper);
        downloadText(`${stem}.svg`, "image/svg+xml", svg);
      }
    } catch (error) {
      setExportError(error);
    }
  };

  return (
    <section className="tw-panel" aria-label={props.label}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="sm">
        <div style={{ minWidth: 0, flex: "1 1 300px" }}>
          <Title order={2} size="h4">
            {typeof props.title === "string" ? unbroken(props.title) : props.title}
          </Title>
          <Text size="sm" c="dimmed">
            {unbroken(props.subtitle)}
          </Text>
        </div>
        {/* A wide control shrinks to the screen of a phone. */}
        <Group gap="xs" style={{ minWidth: 0 }}>
          {props.controls}
          <SegmentedControl
            size="xs"
            aria-label={`View of ${props.label}`}
            value={view}
            onChange={setView}
            transitionDuration={0}
            data={[
              { value: "chart", label: "Chart" },
              { value: "table", label: "Table" },
            ]}
          />
          <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
            <Menu.Target>
              <Button size="xs" variant="default">
                Export
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => void exportPicture("png")}>
                PNG picture
              </Menu.Item>
              <Menu.Item onClick={() => void exportPicture("svg")}>
                SVG picture
              </Menu.Item>
              <Menu.Item
                onClick={() => {
                  const { header, rows } = props.table();
                  downloadText(
                    `${stem}.csv`,
                    "text/csv;charset=utf-8",
                    csvWithNotes(header, rows, rate, counters),
                  );
                }}
              >
                CSV numbers
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      {exportError !== null && (
        <ProblemAlert error={exportError} title="The picture could not be exported" />
      )}
      {view === "chart" && props.legend}
      {view === "chart" ? (
        <Chart
          option={props.option}
          height={props.height}
          label={props.label}
          onPick={props.onPick}
          marker={props.marker}
          {...(props.group === undefined ? {} : { group: props.group })}
        />
      ) : (
        <ChartTableView
          table={props.table()}
          height={props.height}
          label={props.label}
        />
      )}
      {props.sentence !== undefined && (
        <Text size="sm" mt="xs" component="div">
          {typeof props.sentence === "string"
            ? unbroken(props.sentence)
            : props.sentence}
        </Text>
      )}
      <Disclosure label="How is this computed?">
        <Text size="sm" component="div" maw={820}>
          {props.explanation}
        </Text>
      </Disclosure>
    </section>
  );
}

function ChartTableView(props: {
  readonly table: ChartTable;
  readonly height: number;
  readonly label: string;
}) {
  const { header, shown, caption } = props.table;
  return (
    <DataTable
      label={props.label}
      style={{ height: props.height, overflowY: "auto" }}
      caption={caption}
      columns={header.map((key, column) => ({
        key,
        align: column === 0 ? "text" : "number",
        cell: (row: readonly string[]) => row[column],
      }))}
      rows={shown}
      rowKey={(row) => row.join("|")}
    />
  );
}
