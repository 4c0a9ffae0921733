import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { derivationQuery, type EvaluationIn, type EvaluationOut } from "@/api/compare";
import { SchemeMark } from "@/charts/scheme-mark";
import { AskedSteps } from "@/components/asked-steps";
import { DataTable } from "@/components/data-table";
import { Dialog } from "@/components/dialog";
import { Unknown } from "@/components/unknown";
import { shownCurrency } from "@/units/currency";
import { bytes, formatBytes, formatMoney, usd } from "@/units/quantity";

interface DerivationProps {
  /** The question that the evaluation answers. */
  readonly asked: EvaluationIn;
  readonly evaluation: EvaluationOut;
  /** A scheme, or a configuration beside the schemes. */
  readonly subject: string | null;
  readonly onClose: () => void;
}

/** Every formula behind the figures of one subject, with its numbers and its source. */
export function Derivation({ asked, evaluation, subject, onClose }: DerivationProps) {
  const shown = subjectOf(evaluation, subject);
  return (
    <Dialog
      opened={shown !== undefined}
      onClose={onClose}
      size="min(1180px, 95vw)"
      title={`Why this number: ${shown?.title ?? ""}`}
    >
      {shown !== undefined && (
        <DerivationBody asked={asked} evaluation={evaluation} shown={shown} />
      )}
    </Dialog>
  );
}

interface Subject {
  readonly key: string;
  readonly title: string;
  readonly about: ReactNode;
  readonly money: EvaluationOut["schemes"][number]["money"];
}

function subjectOf(evaluation: EvaluationOut, key: string | null): Subject | undefined {
  const scheme = evaluation.schemes.find((candidate) => candidate.scheme === key);
  if (scheme !== undefined) {
    const { estimator, title, money } = scheme;
    const about = (
      <>
        <SchemeMark scheme={scheme.scheme} /> Hits are estimated by{" "}
        <b>{estimator.name}</b>
        {estimator.exact ? " (exact: equal to a simulation)" : ""}:{" "}
        {estimator.description}
      </>
    );
    return { key: scheme.scheme, title, about, money };
  }
  const bar = evaluation.outer.bars.find(({ name }) => name === key);
  return bar && { key: bar.name, title: bar.title, about: bar.note, money: bar.money };
}

function DerivationBody(props: {
  readonly asked: EvaluationIn;
  readonly evaluation: EvaluationOut;
  readonly shown: Subject;
}) {
  const { asked, evaluation, shown } = props;
  return (
    <Stack>
      <Text size="sm">{shown.about}</Text>
      <AskedSteps
        query={derivationQuery(asked, evaluation.decided_by)}
        only={(step) => step.scheme === null || step.scheme === shown.key}
      />
      <Title order={3} size="h5">
        Cost per month
      </Title>
      {shown.money.reason !== null && <Text size="sm">{shown.money.reason}</Text>}
      <DataTable
        label="Cost per month"
        columns={[
          { key: "Tier", rowHeader: true, cell: ({ part }) => part },
          { key: "Size", cell: (part) => formatBytes(bytes(part.bytes)) },
          {
            key: "Cost",
            unit: `${shownCurrency()}/month`,
            cell: (part) =>
              part.usd_per_month === null ? (
                <Unknown reason={part.reason ?? "no price is known"} />
              ) : (
                formatMoney(usd(Number(part.usd_per_month)))
              ),
          },
          {
            key: "Price, source, date",
            align: "text",
            cell: (part) => part.basis ?? part.reason,
          },
        ]}
        rows={shown.money.parts}
        rowKey={({ part }) => part}
      />
    </Stack>
  );
}
