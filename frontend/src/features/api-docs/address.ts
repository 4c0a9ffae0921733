/** What the page "API" adds to the address: the operation that is shown. */
import { namedFields, type Refused, readAddress, readBy } from "@/questions/address";

export interface DocsSearch extends Refused {
  operation?: string | undefined;
}

/** Operations as links of earlier versions name them. */
const EARLIER: Readonly<Record<string, string>> = {
  evaluate: "ask_compare",
  derive_evaluation: "derive_compare",
  evaluate_throughput: "ask_throughput",
  evaluate_break_even: "ask_dram_or_flash",
  check_break_even: "check_dram_or_flash",
  make_scheme_map: "ask_scheme_map",
  explain_scheme_map_point: "ask_scheme_map_point",
  choose_flash: "ask_flash_choice",
  compare_directories: "ask_directories",
  estimate_wear: "ask_wear",
  read_device_health: "ask_device_health",
  estimate_recovery: "ask_recovery",
  study_fragment_cache: "ask_fragment_cache",
  study_transaction_writes: "ask_transaction_writes",
  replay_transactions: "ask_transaction_replay",
  compare_tier_costs: "ask_tier_cost",
};

const ID = /^[a-z]\w{0,80}$/;
const FIELDS = namedFields({
  operation: readBy(
    (value) =>
      typeof value === "string" && ID.test(value)
        ? (EARLIER[value] ?? value)
        : undefined,
    "the id of an operation",
  ),
});

/** Reads the page's own parameter. */
export const parseDocsSearch = (raw: Record<string, unknown>): DocsSearch =>
  readAddress(FIELDS, raw);
