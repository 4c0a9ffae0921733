import { Stack, Text, Title } from "@mantine/core";
import {
  derivationQuery,
  type EvaluationIn,
  type EvaluationOut,
  type SchemeEvaluation,
} from "@/api/compare";
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
  readonly scheme: string | null;
  readonly onClose: () => void;
}

/** Every formula behind one scheme's figures, with its numbers and its source. */
export function Derivation({ asked, evaluation, scheme, onClose }: DerivationProps) {
  const shown = evaluation.schemes.find((candidate) => candidate.scheme === scheme);
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

function DerivationBody(props: {
  readonly asked: EvaluationIn;
  readonly evaluation: EvaluationOut;
  readonly shown: SchemeEvaluation;
}) {
  const { asked, evaluation, shown } = props;
  return (
    <Stack>
      <Text size="sm">
        <SchemeMark scheme={shown.scheme} /> Hits are estimated by{" "}
        <b>{shown.estimator.name}</b>
        {shown.estimator.exact ? " (exact: equal to a simulation)" : ""}:{" "}
        {shown.estimator.description}
      </Text>
      <AskedSteps
        query={derivationQuery(asked, evaluation.decided_by)}
        only={(step) => step.scheme === null || step.scheme === shown.scheme}
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
