import type { ScaledPartsOut } from "@/api/compositions";
import { formatOff, formatShort, listed, ratio } from "@/units/quantity";

/** What the scale laws of workloads add to that; null where none was scaled. */
export function scaleErrorSentence(parts: ScaledPartsOut | null): string | null {
  if (parts === null) {
    return null;
  }
  const { workloads, known_error: known } = parts;
  const names = listed(workloads);
  const single = workloads.length === 1;
  if (known === null) {
    return `${names} ${single ? "was" : "were"} scaled to production, and how far ${single ? "its law is" : "one of their laws is"} off was never measured.`;
  }
  const beyond = known.extrapolated
    ? `, extrapolated from measurements up to ${formatShort(known.measured_up_to)} times`
    : "";
  return `${names} ${single ? "was" : "were"} scaled to production: by the errors known of the scale laws, weighted by the misses of each workload, misses are ${formatOff(ratio(known.mean))} on average and ${formatOff(ratio(known.worst))} at worst${beyond}.`;
}
