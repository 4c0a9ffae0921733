import { Alert, Button, Checkbox, Group, Text } from "@mantine/core";
import { useMemo } from "react";
import type { CurvePreviewOut, QuestionOut } from "@/api/given";
import { useChartColors } from "@/charts/chart";
import { ChartCard } from "@/charts/chart-card";
import { curveOption } from "@/charts/curve-option";
import { bandText, isKnownBetween } from "@/components/evidence";
import { Panel } from "@/components/panel";
import {
  bytes,
  counted,
  formatBytes,
  formatCount,
  formatPercent,
  formatShort,
  ratio,
} from "@/units/quantity";
import classes from "./given-curve.module.css";
import type { CurveDraft } from "./statement";

const HEIGHT = 280;
const ACCENT = { light: "#364fc7", dark: "#91a7ff" } as const;
const FAINT = { light: "#868e96", dark: "#909296" } as const;
const SHOWN_PROBLEMS = 50;

/** The points, as soon as units and page size are known. */
export function CurvePreviewChart({ preview }: { readonly preview: CurvePreviewOut }) {
  const { points, page_bytes: pageBytes } = preview;
  const last = points.at(-1);
  if (last === undefined || pageBytes === null || points.length < 2) {
    return null;
  }
  return (
    <PointsChart
      points={points}
      last={last}
      pageBytes={pageBytes}
      evidence={preview.evidence}
      band={preview.band}
    />
  );
}

type Points = CurvePreviewOut["points"];

function PointsChart(props: {
  readonly points: Points;
  readonly last: Points[number];
  readonly pageBytes: number;
  readonly evidence: CurvePreviewOut["evidence"];
  readonly band: CurvePreviewOut["band"];
}) {
  const { points, last, pageBytes, evidence, band } = props;
  const colors = useChartColors();
  const isBounded = evidence !== null && !isKnownBetween(evidence, last.pages);
  const moved = points.some((point) => point.hit_ratio !== point.repaired_hit_ratio);
  const option = useMemo(
    () =>
      curveOption({
        series: [
          ...(moved
            ? [
                {
                  name: "As given",
                  color: FAINT[colors],
                  dashed: true,
                  symbol: "circle" as const,
                  points: points.map(
                    (point) => [point.pages, 100 * point.hit_ratio] as const,
                  ),
                },
              ]
            : []),
          {
            name: moved ? "Repaired" : "Hit ratio",
            color: ACCENT[colors],
            symbol: "circle" as const,
            dashed: isBounded,
            points: points.map(
              (point) => [point.pages, 100 * point.repaired_hit_ratio] as const,
            ),
            band: band.map(
              (row) => [row.pages, 100 * (1 - row.high), 100 * (1 - row.low)] as const,
            ),
          },
        ],
        pageBytes: bytes(pageBytes),
        valueName: "hit ratio [%]",
        valueMax: 100,
        legend: false,
        formatValue: (value) => `${formatShort(value, 4)} %`,
        colors,
      }),
    [points, pageBytes, moved, colors, isBounded, band],
  );
  const perCent = (value: number) => formatPercent(ratio(value), 4);
  const size = (count: number) => formatBytes(bytes(count * pageBytes));
  return (
    <ChartCard
      title={`${counted(points.length, "size")}, up to ${perCent(last.repaired_hit_ratio)} hits in ${size(last.pages)}`}
      subtitle={`Hit ratio over cache size, as understood [%]${moved && !isBounded ? "; dashed: as given, solid: repaired" : ""}${isBounded ? "; dashed: between the sizes that were counted only bounds are known" : ""}${evidence !== null && band.length > 0 ? `; ${bandText(evidence)}` : ""}`}
      label="Hit ratio over cache size of the given curve"
      option={option}
      height={HEIGHT}
      fileName="given curve"
      sentence="Straight lines between the sizes; nothing is drawn beyond the last, because nothing is known there."
      table={() => ({
        header: ["Line", "Cache [pages]", "Cache [bytes]", "Hit ratio", "As used"],
        rows: points.map((point) => [
          point.line,
          point.pages,
          point.pages * pageBytes,
          point.hit_ratio,
          point.repaired_hit_ratio,
        ]),
        shown: points.map((point) => [
          String(point.line),
          formatCount(point.pages),
          size(point.pages),
          perCent(point.hit_ratio),
          perCent(point.repaired_hit_ratio),
        ]),
      })}
      explanation={
        <p>
          Sizes are converted to whole pages of the stated page size, and values to hit
          ratios. A larger cache must not hit less: lines that contradict this are
          listed and, on request, replaced by the nearest curve that does not fall
          (isotonic regression, least squares).
        </p>
      }
    />
  );
}

export function CurveFindings(props: {
  readonly preview: CurvePreviewOut;
  readonly draft: CurveDraft;
  readonly onChange: (part: Partial<CurveDraft>) => void;
}) {
  const { preview, draft, onChange } = props;
  return (
    <>
      {preview.problems.length > 0 && (
        <Alert
          role="alert"
          color="red"
          variant="outline"
          title={counted(preview.problems.length, "problem")}
          styles={{ title: { color: "var(--mantine-color-error)" } }}
        >
          <ul className={`${classes["list"]} ${classes["problems"]}`}>
            {preview.problems.slice(0, SHOWN_PROBLEMS).map((problem) => (
              <li key={`${problem.where} ${problem.message}`}>
                <Text size="sm" component="span">
                  <b>{problem.where}</b>
                  {problem.value === null || problem.value === ""
                    ? ""
                    : `, ${String(problem.value)}`}
                  : {problem.message}
                </Text>
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {(preview.repairable || draft.repair) && (
        <Checkbox
          checked={draft.repair}
          label="Repair: use the nearest curve that does not fall"
          onChange={(event) => onChange({ repair: event.currentTarget.checked })}
        />
      )}
      {preview.questions.length > 0 && (
        <Panel
          title="Missing inputs"
          subtitle="The lines do not contain these values, and they are not guessed"
        >
          <ul className={classes["list"]}>
            {preview.questions.map((question) => (
              <li key={question.field}>
                <Text size="sm" component="span">
                  {question.message}
                </Text>
                <Choices question={question} onChange={onChange} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel
        title="How the curve was read"
        subtitle={
          preview.kind === null
            ? "No kind of curve fits"
            : `Read as ${preview.kind.replaceAll("_", " ")}`
        }
      >
        {preview.assumptions.length > 0 && (
          <>
            <Text size="sm" fw={600}>
              Assumed
            </Text>
            <Texts texts={preview.assumptions} />
          </>
        )}
        <Text size="sm" fw={600} mt="xs">
          What this curve does not contain
        </Text>
        <Texts texts={preview.cannot_tell} />
      </Panel>
    </>
  );
}

function Texts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul className={classes["list"]}>
      {texts.map((text) => (
        <li key={text}>
          <Text size="sm" component="span">
            {text}
          </Text>
        </li>
      ))}
    </ul>
  );
}

const FIELDS: Readonly<Record<string, keyof CurveDraft>> = {
  size_unit: "sizeUnit",
  value: "value",
  scale: "scale",
  pool: "pool",
  size_column: "sizeColumn",
  value_column: "valueColumn",
};
const MOST_BUTTONS = 6;

/** A question with few answers is answered here. */
function Choices(props: {
  readonly question: QuestionOut;
  readonly onChange: (part: Partial<CurveDraft>) => void;
}) {
  const { field, choices } = props.question;
  const key = FIELDS[field];
  const usual =
    field === "size_unit" && choices.length > MOST_BUTTONS
      ? choices.filter((choice) => ["pages", "B", "KiB", "MiB", "GiB"].includes(choice))
      : choices;
  if (key === undefined || usual.length === 0) {
    return null;
  }
  return (
    <Group gap={6} my={4}>
      {usual.slice(0, MOST_BUTTONS).map((choice) => (
        <Button
          key={choice}
          size="compact-sm"
          variant="default"
          onClick={() => props.onChange({ [key]: choice })}
        >
          {choice.replace("_", " ")}
        </Button>
      ))}
    </Group>
  );
}
