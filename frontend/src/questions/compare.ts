/** What the page "Compare" asks of a point, and what it adds to the address. */
import type { EvaluationIn } from "@/api/compare";
import { namedFields, oneOf, type Refused, readAddress } from "./address";
import { type AnalysisSearch, NONE } from "./point";

export interface CompareSearch {
  /** By the model alone; absent: a replay decides what the model cannot tell. */
  counted_by?: "model" | undefined;
}

const FIELDS = namedFields({ counted_by: oneOf(["model"]) });

/** Reads the page's own parameters. */
export const parseCompareSearch = (
  raw: Record<string, unknown>,
): CompareSearch & Refused => readAddress(FIELDS, raw);

/** The pages that the address states as new; a given curve has no first touches to be of. */
export const growthAsked = (
  search: Pick<AnalysisSearch, "new_pages">,
  given: boolean,
): { new_pages?: number } =>
  given || search.new_pages === undefined ? {} : { new_pages: search.new_pages };

/** The inverse of `evaluationInput`, for checks that are reopened. */
export function stateOfInputs(inputs: EvaluationIn): AnalysisSearch {
  return {
    workload: inputs.workload_id,
    ram_pages: inputs.ram_pages,
    flash_pages: inputs.flash_pages,
    flash_device: inputs.flash_device_id,
    disk_device: inputs.disk_device_id,
    ram_device: inputs.ram_device_id ?? NONE,
    price_book: inputs.price_book_id ?? NONE,
    months: inputs.amortisation_months,
    start: inputs.start ?? "steady",
    metadata: inputs.flash_metadata ?? undefined,
  };
}
