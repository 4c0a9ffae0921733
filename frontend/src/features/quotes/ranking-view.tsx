import { Stack, Text } from "@mantine/core";
import type { QuoteRankingOut } from "@/api/quotes";
import { DataTable } from "@/components/data-table";
import { Disclosure } from "@/components/disclosure";
import { Panel } from "@/components/panel";
import { cents, UNKNOWN } from "@/units/quantity";

const DO_NOTHING = "do_nothing";

/** How a quote is called on the page. */
export const quoteName = (id: string): string =>
  id === DO_NOTHING ? "Do nothing" : id;

/** The quotes in their order with reasons and cautions, those that break a limit, and those that cannot be ranked. */
export function RankingView({ found }: { readonly found: QuoteRankingOut }) {
  return (
    <Panel title={found.finding} label="Ranking">
      <Stack gap="md">
        {found.ranked.length > 0 && (
          <DataTable
            label="Quotes that keep every limit"
            columns={[
              {
                key: "rank",
                cell: ({ rank }) => rank,
              },
              {
                key: "quote",
                rowHeader: true,
                cell: ({ quote_id }) => quoteName(quote_id),
              },
              {
                key: "supplier",
                align: "text",
                cell: ({ supplier }) => (supplier === "" ? UNKNOWN : supplier),
              },
              {
                key: "valid until",
                align: "text",
                cell: ({ valid_until }) => valid_until ?? UNKNOWN,
              },
              {
                key: "lead time",
                unit: "days",
                cell: ({ lead_time_days }) => lead_time_days ?? UNKNOWN,
              },
              {
                key: "per month",
                unit: "USD",
                cell: ({ usd_per_month }) => cents(usd_per_month),
              },
              {
                key: "at purchase",
                unit: "USD",
                cell: ({ purchase_usd }) => cents(purchase_usd),
              },
            ]}
            rows={found.ranked}
            rowKey={({ quote_id }) => quote_id}
          />
        )}
        {found.ranked.map((each, at) => (
          <Disclosure
            key={each.quote_id}
            label={`${quoteName(each.quote_id)}: reasons and cautions`}
            initiallyOpen={at === 0}
          >
            {each.reasons.map((reason) => (
              <Text key={reason} size="sm">
                {reason}
              </Text>
            ))}
            {each.cautions.map((caution) => (
              <Text key={caution.code + caution.message} size="sm" mt={4}>
                <strong>Caution.</strong> {caution.message} To do: {caution.hint}.
              </Text>
            ))}
          </Disclosure>
        ))}
        {found.rejected.length > 0 && (
          <DataTable
            label="Quotes that break a limit"
            columns={[
              {
                key: "quote",
                rowHeader: true,
                cell: ({ quote_id }) => quoteName(quote_id),
              },
              { key: "why", align: "text", cell: ({ text }) => text },
            ]}
            rows={found.rejected}
            rowKey={({ quote_id }) => quote_id}
          />
        )}
        {found.unreadable.length > 0 && (
          <DataTable
            label="Quotes that could not be ranked"
            columns={[
              { key: "place", rowHeader: true, cell: ({ index }) => index + 1 },
              { key: "reason", align: "text", cell: ({ code }) => <code>{code}</code> },
              { key: "detail", align: "text", cell: ({ detail }) => detail },
            ]}
            rows={found.unreadable}
            rowKey={({ index }) => index}
          />
        )}
        <Text size="xs" c="dimmed">
          Ranking <code>{found.ranking_id}</code>
        </Text>
      </Stack>
    </Panel>
  );
}
