import { Text, Tooltip } from "@mantine/core";
import { memo, useState } from "react";
import {
  deciding,
  type EvaluationIn,
  type EvaluationOut,
  type SchemeEvaluation,
  shownSchemes,
} from "@/api/compare";
import { SchemeMark } from "@/charts/scheme-mark";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import { formatMoney, formatNumber, usd } from "@/units/quantity";
import classes from "./compare.module.css";
import { Derivation } from "./derivation";
import { ends, micros } from "./ends";
import { GrowthLine } from "./growth";
import { OuterTable } from "./outer-table";

/** All schemes in figures, warnings beside the scheme they concern. */
export const SchemeTable = memo(function SchemeTable({
  asked,
  evaluation,
}: {
  readonly asked: EvaluationIn;
  readonly evaluation: EvaluationOut;
}) {
  const [opened, setOpened] = useState<string | null>(null);
  const best =
    evaluation.flash_pages === 0
      ? undefined
      : evaluation.schemes.find((scheme) => scheme.scheme === evaluation.best);
  return (
    <Panel
      title="In figures"
      subtitle={
        evaluation.decided_by === "replay"
          ? "Replayed. Hits are percentages of all accesses. Press an I/O time to see how it is computed."
          : "Hits are percentages of all accesses. Press an I/O time to see how it is computed."
      }
    >
      <DataTable
        label="Schemes in figures"
        className={classes["table"]}
        columns={columnsOf(best, setOpened)}
        rows={shownSchemes(evaluation)}
        rowKey={(scheme) => scheme.scheme}
      />
      <GrowthLine evaluation={evaluation} />
      {evaluation.schemes.some(isApproximate) && (
        <Text size="sm" c="dimmed" mt="xs">
          {evaluation.dirty_share.state === "measured"
            ? "≈ marks approximate counts; compare them with the check."
            : "≈ marks approximate counts."}
        </Text>
      )}
      <SchemeWarnings evaluation={evaluation} />
      <OuterTable outer={evaluation.outer} onExplain={setOpened} />
      <Derivation
        asked={asked}
        evaluation={evaluation}
        subject={opened}
        onClose={() => setOpened(null)}
      />
    </Panel>
  );
});

const percent = (value: number) => formatNumber(value * 100);

const isApproximate = (scheme: SchemeEvaluation): boolean =>
  scheme.replayed === null && !scheme.estimator.exact;

function columnsOf(
  best: SchemeEvaluation | undefined,
  onExplain: (scheme: string) => void,
): readonly Column<SchemeEvaluation>[] {
  return [
    {
      key: "Scheme",
      rowHeader: true,
      cell: (scheme) => <SchemeName scheme={scheme} />,
    },
    {
      key: "RAM hits",
      unit: "%",
      cell: (scheme) => percent(deciding(scheme).ram_hit_ratio),
    },
    {
      key: "Flash hits",
      unit: "%",
      cell: (scheme) => percent(deciding(scheme).flash_hit_ratio),
    },
    {
      key: "Disk reads",
      unit: "%",
      cell: (scheme) => percent(deciding(scheme).miss_ratio),
    },
    {
      key: "I/O time",
      unit: "µs/access",
      cell: (scheme) => {
        const time = ends(
          scheme.least?.io_time_us_per_access,
          deciding(scheme).io_time_us_per_access,
          micros,
        );
        return (
          <button
            type="button"
            className={classes["time"]}
            onClick={() => onExplain(scheme.scheme)}
            aria-label={`Why this number: ${scheme.title}, ${time} µs per access`}
          >
            {time}
          </button>
        );
      },
    },
    {
      key: "Flash writes",
      unit: "1/access",
      cell: (scheme) =>
        ends(
          scheme.least?.flash_writes_per_access,
          deciding(scheme).flash_writes_per_access,
          formatNumber,
        ),
    },
    {
      key: "Cost",
      unit: `${shownCurrency()}/month`,
      cell: ({ money }) =>
        money.usd_per_month === null ? (
          <Unknown reason={money.reason ?? "no prices are known for this point"} />
        ) : (
          formatMoney(usd(Number(money.usd_per_month)))
        ),
    },
    {
      key: "I/O time vs best",
      head: (
        <>
          I/O time
          <br />
          vs best
        </>
      ),
      cell: (scheme) =>
        scheme.scheme === best?.scheme ? (
          <span className={classes["best"]}>best</span>
        ) : (
          besideBest(scheme, best)
        ),
    },
  ];
}

function SchemeName({ scheme }: { readonly scheme: SchemeEvaluation }) {
  return (
    <span className={classes["scheme"]}>
      <SchemeMark scheme={scheme.scheme} />
      <span>
        {scheme.title}
        {isApproximate(scheme) && <span title="The counts are approximations"> ≈</span>}
        {scheme.warnings.length > 0 && (
          <Tooltip label={scheme.warnings.map((warning) => warning.message).join(" ")}>
            <span
              className={classes["warning"]}
              role="note"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
              tabIndex={0}
            >
              {" "}
              ⚠ warning
            </span>
          </Tooltip>
        )}
      </span>
    </span>
  );
}

function besideBest(scheme: SchemeEvaluation, best: SchemeEvaluation | undefined) {
  if (best === undefined) {
    return (
      <Unknown
        reason={
          scheme.least === null
            ? "there is nothing to compare without flash"
            : "which scheme is best depends on the dirty share, which is unknown"
        }
      />
    );
  }
  if (scheme.least !== null) {
    return (
      <Unknown reason="the dirty share is unknown, so the difference is a range" />
    );
  }
  const least = deciding(best).io_time_us_per_access;
  const difference = deciding(scheme).io_time_us_per_access - least;
  if (difference === 0) {
    return "equal";
  }
  if (least === 0) {
    return <Unknown reason="the best scheme needs no I/O time" />;
  }
  return excessPercent((difference / least) * 100);
}

/** Three significant digits, two decimals at most. */
function excessPercent(value: number): string {
  if (value < 0.005) {
    return "<0.01 %";
  }
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `+${value.toLocaleString("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })} %`;
}

function SchemeWarnings({ evaluation }: { readonly evaluation: EvaluationOut }) {
  const warnings = evaluation.schemes.flatMap((scheme) =>
    scheme.warnings.map((warning) => ({ title: scheme.title, warning })),
  );
  return warnings.map(({ title, warning }) => (
    <Text key={`${title} ${warning.name}`} mt="xs" className={classes["warning"]}>
      ⚠ <b>{title}:</b> {warning.message} {warning.hint ?? ""}
    </Text>
  ));
}
