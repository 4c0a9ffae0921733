import { Text } from "@mantine/core";
import type { EvaluationOut } from "@/api/compare";
import { SchemeMark } from "@/charts/scheme-mark";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { Panel } from "@/components/panel";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import { formatCount, formatMoney, usd } from "@/units/quantity";
import classes from "./compare.module.css";

type Load = NonNullable<EvaluationOut["at_load"]>;
type Needed = Load["configurations"][number];

/** How many devices production takes under each scheme, and what they cost. */
export function AtLoad({ evaluation }: { readonly evaluation: EvaluationOut }) {
  const load = evaluation.at_load;
  if (load === null) {
    return null;
  }
  const rate = formatCount(Number(load.accesses_per_s.toPrecision(3)));
  return (
    <Panel
      title="Devices for production"
      subtitle={`At least so many of the chosen devices carry ${rate} accesses/s${
        load.machines > 1 ? " on each machine" : ""
      }, spread evenly, counted by ${
        evaluation.decided_by === "replay" ? "the replay" : "the model"
      }; whole devices are priced`}
    >
      <Text mb="sm">
        {load.sentence} {load.verdict !== "" && <b>{load.verdict}</b>}
      </Text>
      <DataTable
        label="Devices for production"
        className={classes["table"]}
        columns={columnsOf(evaluation)}
        rows={shownRows(evaluation, load)}
        rowKey={({ name }) => name}
      />
    </Panel>
  );
}

/** Without flash the schemes are one and the same. */
export const shownRows = (
  evaluation: Pick<EvaluationOut, "flash_pages" | "schemes">,
  load: Pick<Load, "configurations">,
): readonly Needed[] => {
  const schemes = new Set(evaluation.schemes.map(({ scheme }) => scheme));
  return load.configurations.filter(
    ({ name }) =>
      name !== "no_flash" &&
      (evaluation.flash_pages > 0 || name === "none" || !schemes.has(name)),
  );
};

function columnsOf(evaluation: EvaluationOut): readonly Column<Needed>[] {
  const schemes = new Map(
    evaluation.schemes.map(({ scheme, title }) => [scheme, title]),
  );
  const bars = new Map<string, string>(
    evaluation.outer.bars.map(({ name, title }) => [name, title]),
  );
  return [
    {
      key: "Configuration",
      rowHeader: true,
      cell: ({ name }) => {
        const title = schemes.get(name);
        return title === undefined ? (
          <i>{bars.get(name) ?? name}</i>
        ) : (
          <span className={classes["scheme"]}>
            <SchemeMark scheme={name} />
            {title}
          </span>
        );
      },
    },
    { key: "Flash devices", cell: ({ flash_devices: count }) => formatCount(count) },
    { key: "Disks", cell: ({ disks }) => formatCount(disks) },
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
  ];
}
