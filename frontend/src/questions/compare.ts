/** What the page "Compare" asks of a point; of its own it adds nothing to the address. */
import type { EvaluationIn } from "@/api/compare";
import { type AnalysisSearch, NONE } from "./point";

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
