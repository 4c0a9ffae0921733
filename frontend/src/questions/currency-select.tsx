import { Select, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { exchangeRatesQuery } from "@/api/catalog";
import { BASE_CURRENCY, currencyCode, rateText, statedRate } from "@/units/currency";
import { formatShort } from "@/units/quantity";
import { useAnalysis } from "./use-analysis";

/** The currency that money is shown in, and the rate. */
export function CurrencySelect({ book }: { readonly book: string | null }) {
  const { search, patch } = useAnalysis();
  const rates = useQuery(exchangeRatesQuery(book)).data ?? [];
  const chosen = search.currency ?? BASE_CURRENCY;
  const rate = rates.find(({ currency }) => currency === chosen);
  const codes = new Set([
    BASE_CURRENCY,
    ...rates.map(({ currency }) => currency),
    chosen,
  ]);
  return (
    <>
      <Select
        label="Currency"
        data={[...codes]}
        value={chosen}
        onChange={(code) =>
          code !== null && patch({ currency: currencyCode(code), per_usd: undefined })
        }
        allowDeselect={false}
        searchable
        openOnFocus={false}
        comboboxProps={{ withinPortal: false }}
        nothingFoundMessage="No rate for this currency is known"
      />
      {chosen !== BASE_CURRENCY && (
        <>
          <TextInput
            key={`${chosen} ${search.per_usd ?? ""}`}
            label={`Your own rate: ${chosen} for 1 USD, @, day`}
            placeholder={
              rate === undefined
                ? "0.88@2026-09-30"
                : `${formatShort(Number(rate.per_usd), RATE_DIGITS)}@${rate.date}`
            }
            defaultValue={search.per_usd ?? ""}
            onBlur={(event) => {
              const text = event.currentTarget.value.trim();
              if (text === "" || statedRate(text) !== undefined) {
                patch({ per_usd: statedRate(text) });
              }
            }}
          />
          <Text size="xs" c="dimmed">
            {search.per_usd === undefined
              ? rate !== undefined &&
                `${rateText(rate)} Totals are computed in USD and converted once.`
              : `Your rate, ${search.per_usd}. Totals are computed in USD and converted once.`}
          </Text>
          {search.per_usd === undefined && rate?.caution != null && (
            <Text size="xs">{`Note: ${rate.caution}.`}</Text>
          )}
        </>
      )}
    </>
  );
}

const RATE_DIGITS = 5;
