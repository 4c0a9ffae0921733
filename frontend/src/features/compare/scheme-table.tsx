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
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import {
  formatMicroseconds,
  formatMoney,
  formatNumber,
  microseconds,
  usd,
} from "@/units/quantity";
import classes from "./compare.module.css";
import { Derivation } from "./derivation";
import { GrowthLine } from "./growth";

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
      subtitle={`${evaluation.decided_by === "replay" ? "Replayed. " : ""}Hits in per cent of all accesses. Press an I/O time to see why it is this number.`}
    >
      <div className="tw-scroll">
        <table className={`tw-table ${classes["table"]}`}>
          <thead>
            <tr>
              <th scope="col">Scheme</th>
              <th scope="col" className="num">
                RAM hits
                <br />
                <span className="tw-unit">[%]</span>
              </th>
              <th scope="col" className="num">
                Flash hits
                <br />
                <span className="tw-unit">[%]</span>
              </th>
              <th scope="col" className="num">
                Disk reads
                <br />
                <span className="tw-unit">[%]</span>
              </th>
              <th scope="col" className="num">
                I/O time
                <br />
                <span className="tw-unit">[µs/access]</span>
              </th>
              <th scope="col" className="num">
                Flash writes
                <br />
                <span className="tw-unit">[1/access]</span>
              </th>
              <th scope="col" className="num">
                Cost
                <br />
                <span className="tw-unit">[{shownCurrency()}/month]</span>
              </th>
              <th scope="col" className="num">
                I/O time
                <br />
                vs best
              </th>
            </tr>
          </thead>
          <tbody>
            {shownSchemes(evaluation).map((scheme) => (
              <SchemeRow
                key={scheme.scheme}
                scheme={scheme}
                best={best}
                onExplain={() => setOpened(scheme.scheme)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <GrowthLine evaluation={evaluation} />
      {evaluation.schemes.some(isApproximate) && (
        <Text size="sm" c="dimmed" mt="xs">
          ≈ counts are approximations
          {evaluation.dirty_share.state === "measured" ? "; see the check." : "."}
        </Text>
      )}
      <SchemeWarnings evaluation={evaluation} />
      <Derivation
        asked={asked}
        evaluation={evaluation}
        scheme={opened}
        onClose={() => setOpened(null)}
      />
    </Panel>
  );
});

const percent = (value: number) => formatNumber(value * 100);

const isApproximate = (scheme: SchemeEvaluation): boolean =>
  scheme.replayed === null && !scheme.estimator.exact;

function SchemeRow(props: {
  readonly scheme: SchemeEvaluation;
  readonly best: SchemeEvaluation | undefined;
  readonly onExplain: () => void;
}) {
  const { scheme, best } = props;
  const isBest = scheme.scheme === best?.scheme;
  const figures = deciding(scheme);
  return (
    <tr>
      <th scope="row">
        <span className={classes["scheme"]}>
          <SchemeMark scheme={scheme.scheme} />
          <span>
            {scheme.title}
            {isApproximate(scheme) && (
              <span title="The counts are approximations"> ≈</span>
            )}
            {scheme.warnings.length > 0 && (
              <Tooltip
                label={scheme.warnings.map((warning) => warning.message).join(" ")}
              >
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
      </th>
      <td className="num">{percent(figures.ram_hit_ratio)}</td>
      <td className="num">{percent(figures.flash_hit_ratio)}</td>
      <td className="num">{percent(figures.miss_ratio)}</td>
      <td className="num">
        <button
          type="button"
          className={classes["time"]}
          onClick={props.onExplain}
          aria-label={`Why this number: ${scheme.title}, ${ends(scheme.least?.io_time_us_per_access, figures.io_time_us_per_access, micros)} µs per access`}
        >
          {ends(
            scheme.least?.io_time_us_per_access,
            figures.io_time_us_per_access,
            micros,
          )}
        </button>
      </td>
      <td className="num">
        {ends(
          scheme.least?.flash_writes_per_access,
          figures.flash_writes_per_access,
          formatNumber,
        )}
      </td>
      <td className="num">
        {scheme.money.usd_per_month === null ? (
          <Unknown
            reason={scheme.money.reason ?? "no prices are known for this point"}
          />
        ) : (
          formatMoney(usd(Number(scheme.money.usd_per_month)))
        )}
      </td>
      <td className="num">
        {isBest ? (
          <span className={classes["best"]}>best</span>
        ) : (
          besideBest(scheme, best)
        )}
      </td>
    </tr>
  );
}

const micros = (value: number) => formatMicroseconds(microseconds(value));

/** "12 to 31" where the dirty share is unknown, one number where it is known. */
function ends(
  least: number | undefined,
  most: number,
  format: (value: number) => string,
): string {
  const [low, high] = [format(least ?? most), format(most)];
  return low === high ? high : `${low} to ${high}`;
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
    return <Unknown reason="the best scheme needs no I/O time at all" />;
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
