import { Button, Group, Text } from "@mantine/core";
import type { AdviceOptionOut, AdviceOut } from "@/api/advice";
import type { Column } from "@/components/columns";
import { DataTable } from "@/components/data-table";
import { ExportCsv } from "@/components/export-csv";
import { Panel } from "@/components/panel";
import { rateOf } from "@/units/currency";
import { counted, listed } from "@/units/quantity";
import classes from "./advice.module.css";
import { Compared } from "./compared";
import {
  cheapestAndFastest,
  isComparable,
  machinesLacking,
  type OptionFigure,
  optionFigures,
  titleOf,
} from "./option-figures";
import type { Titles } from "./option-parts";
import { signOf } from "./pins";

interface Choice {
  readonly id: string;
  readonly option: AdviceOptionOut;
}

/** An option as a column; the recommendation has no sign unless it is pinned. */
interface Beside extends Choice {
  readonly sign: string | null;
}

const RECOMMENDATION = "Recommendation";

/** What is pinned beside the recommendation, figure by figure. */
export function Pinned(props: {
  readonly found: AdviceOut;
  readonly best: Choice;
  readonly pinned: readonly Choice[];
  readonly titles: Titles;
  readonly unpin: (id: string) => void;
  readonly clear: () => void;
}) {
  const { found, best, pinned, titles } = props;
  const signed = pinned.map((choice, at): Beside => ({ ...choice, sign: signOf(at) }));
  const first = signed.find(({ id }) => id === best.id) ?? { ...best, sign: null };
  const others = signed.filter(({ id }) => id !== best.id);
  const all = [first, ...others];
  const columns = columnsOf(found, titles, all, props.unpin);
  const figures = optionFigures(all.map(({ option }) => option));
  const isKnown = ({ of }: OptionFigure) =>
    all.some(({ option }) => of(option, titles) !== null);
  const rows = figures.filter(isKnown);
  const unknown = figures.filter((figure) => !isKnown(figure));
  return (
    <Panel
      title={findingOf(first, others)}
      subtitle={`${counted(pinned.length, "pinned option")} beside the recommendation; each difference is against the recommendation. Money and sizes of all machines together, purchases spread over ${counted(found.horizon_months, "month")}.`}
      label="Compare"
      actions={
        <Group gap="xs">
          <ExportCsv
            file="pinned options"
            columns={columns}
            rows={rows}
            rate={rateOf(found)}
            label="Export CSV of the pinned options"
          />
          <Button size="xs" variant="default" onClick={props.clear}>
            Unpin all
          </Button>
        </Group>
      }
    >
      <DataTable
        label="Pinned options"
        className={classes["compared"]}
        columns={columns}
        rows={rows}
        rowKey={({ name }) => name}
        caption={
          unknown.length > 0
            ? `Known of none of them: ${listed(unknown.map(({ name }) => name))}.`
            : undefined
        }
      />
    </Panel>
  );
}

/** What the columns say: which of them costs least and which takes the least I/O time. */
function findingOf(first: Beside, others: readonly Beside[]): string {
  return others.length === 0
    ? "The recommendation is pinned; pin another option to compare it"
    : cheapestAndFastest(
        [
          { name: "The recommendation", option: first.option },
          ...others.map(({ sign, option }) => ({ name: sign ?? "", option })),
        ],
        "Not every option has both a cost and an I/O time",
      );
}

function columnsOf(
  found: AdviceOut,
  titles: Titles,
  all: readonly Beside[],
  unpin: (id: string) => void,
): readonly Column<OptionFigure>[] {
  const [first] = all;
  return [
    {
      key: "Figure",
      rowHeader: true,
      cell: titleOf,
      csv: ({ name }) => name,
    },
    { key: "Unit", csv: ({ unit = "" }) => unit },
    ...all.map((one): Column<OptionFigure> => {
      const { id, option, sign } = one;
      const title = [one === first ? RECOMMENDATION : null, sign].filter(
        (part) => part !== null,
      );
      return {
        key: `${title.join(", ")}: ${option.name}`,
        align: "text",
        head: (
          <>
            {title.join(", ")}
            <Text size="sm" span display="block">
              {option.name}
            </Text>
            {sign !== null && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`Unpin ${sign}: ${option.name}`}
                onClick={() => unpin(id)}
              >
                Unpin
              </Button>
            )}
          </>
        ),
        cell: (figure) => (
          <Compared
            figure={figure}
            value={figure.of(option, titles)}
            first={
              one === first ||
              first === undefined ||
              !isComparable(
                figure,
                machinesLacking(option),
                machinesLacking(first.option),
              )
                ? null
                : figure.of(first.option, titles)
            }
            reason={figure.unknown?.(option, found) ?? "It is unknown."}
          />
        ),
        csv: (figure) => figure.of(option, titles),
      };
    }),
  ];
}
