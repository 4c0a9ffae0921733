import { AnalysisPage } from "@/questions/analysis-page";
import { growthAsked } from "@/questions/compare";
import { type AnalysisSearch, assumptions, evaluationInput } from "@/questions/point";
import { CompareView } from "./compare-view";

const LEAD =
  "Where do pages live, and which copies are kept? The same workload under every page-flow scheme, at the sizes below.";

export function ComparePage() {
  return (
    <AnalysisPage
      question="compare"
      title="Compare page-flow schemes"
      lead={LEAD}
      height={570}
      empty="Schemes are compared on the hit-ratio and write-back curves of a workload."
      asks={({ state, search, summary }) => ({
        evaluation: {
          decide: "replay" as const,
          ...evaluationInput(state),
          ...assumptions(search as AnalysisSearch, summary.kind === "curve"),
          ...growthAsked(search as AnalysisSearch, summary.kind === "curve"),
        },
      })}
      view={(inputs) => <CompareView {...inputs} />}
    />
  );
}
