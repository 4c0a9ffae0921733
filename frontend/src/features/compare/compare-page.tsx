import { mayLackWrites } from "@/api/workloads";
import { AnalysisPage } from "@/questions/analysis-page";
import { type CompareSearch, growthAsked } from "@/questions/compare";
import { type AnalysisSearch, assumptions, evaluationInput } from "@/questions/point";
import { CompareView } from "./compare-view";

const LEAD =
  "Which page-flow scheme needs the least I/O time? Your workload under every scheme, at the sizes below.";

export function ComparePage() {
  return (
    <AnalysisPage
      question="compare"
      title="Compare page-flow schemes"
      lead={LEAD}
      height={570}
      empty="A comparison needs the hit-ratio and write-back curves of a workload."
      asks={({ state, search, summary }) => ({
        evaluation: {
          ...((search as CompareSearch).counted_by === "model"
            ? {}
            : { decide: "replay" as const }),
          ...evaluationInput(state),
          ...assumptions(search as AnalysisSearch, mayLackWrites(summary)),
          ...growthAsked(search as AnalysisSearch, summary.kind === "curve"),
        },
      })}
      view={(inputs) => <CompareView {...inputs} />}
    />
  );
}
