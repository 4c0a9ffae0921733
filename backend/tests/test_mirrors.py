"""Response models that repeat a dataclass of the models: neither side has a field that the other lacks.

They are written out, not made by `mirrors`, where the server reads their fields or shows some in another
form. A figure added to the models fails here until it is shown.
"""

from __future__ import annotations

import dataclasses
from importlib import import_module

import pytest
from pydantic import BaseModel, ValidationError

from tierwright_server.common.mirrors import mirrors

MIRRORS = {
    "hardware.catalog.schemas": {
        "FigureOut": "hardware.device.Figure",
        "MeasurementOut": "hardware.device.Measurement",
    },
    "questions.advice.schemas": {
        "AdviceOptionOut": "advise.advice.found.Option",
        "RejectedOptionOut": "advise.advice.found.Rejected",
        "ShadowOut": "advise.advice.found.Shadow",
        "VerdictOut": "advise.advice.found.Verdict",
        "BarOut": "advise.advice.found.Bar",
        "InformationOut": "advise.advice.found.Information",
        "ConfidenceOut": "advise.advice.found.Confidence",
        "FigureIntervalOut": "advise.advice.found.Interval",
        "CheckedOptionOut": "advise.advice.found.CheckedOption",
        "WhenOut": "advise.advice.found.When",
        "WhenStepOut": "advise.advice.found.WhenStep",
        "WaitingOut": "advise.advice.found.Waiting",
        "PriceTrendOut": "advise.advice.found.PriceTrend",
        "ContinuousOut": "advise.advice.found.Continuous",
        "NeighbourOut": "advise.advice.found.Neighbour",
        "FlatSizeOut": "advise.advice.found.FlatSize",
        "NextDollarOut": "advise.advice.found.NextDollar",
        "NextDollarsOut": "advise.advice.found.NextDollars",
        "AdviceScenarioOut": "advise.advice.found.Scenario",
        "RegretOut": "advise.advice.found.Regret",
        "AdviceScenarioRowOut": "advise.advice.found.ScenarioRow",
        "AdviceScenariosOut": "advise.advice.found.Scenarios",
        "RuleOfThumbOut": "advise.advice.found.RuleOfThumb",
        "CandidatesIn": "advise.advice.request.Candidates",
    },
    "questions.quote_rankings.schemas": {
        "RankedQuoteOut": "advise.quote_ranking.Ranked",
        "RejectedQuoteOut": "advise.quote_ranking.Rejected",
    },
    "questions.bills.schemas": {"BillCarbonOut": "advise.bill_carbon.Carbon"},
    "questions.configurations.schemas": {
        "ConfigurationOut": "advise.configurations.Configuration",
    },
    "questions.compositions.schemas": {
        "ComposedCurvesOut": "advise.compose.ComposedCurves",
    },
    "questions.dram_or_flash.schemas": {
        "StepOut": "advise.dram_or_flash.rows.StepRow",
        "PricesUsed": "advise.dram_or_flash.rows.PricesUsed",
        "PayingRam": "advise.dram_or_flash.paying_ram.PayingRam",
        "FlipsOut": "evaluate.break_even.next_money.FlipCurve",
    },
    "questions.formulas.schemas": {
        "FormulaAnswerOut": "catalogue.answer.Answer",
    },
    "questions.placements.schemas": {
        "SystemOut": "advise.placement.System",
        "SharingOut": "advise.placement.Sharing",
    },
    "questions.pool_split.splits": {
        "SplitReplay": "advise.pool_split.ReplayedSplit",
        "SplitBaseline": "advise.pool_split.ReplayedBaseline",
    },
    "questions.response_time.schemas": {"SchemeAt": "advise.response.rows.SchemeAt"},
    "questions.scheme_map.schemas": {
        "MapMoneyOut": "evaluate.page_flow.scheme_map.MapMoney"
    },
    "questions.transactions.schemas": {
        "WrittenOut": "advise.transaction_writes.Written",
    },
    "questions.wear.schemas": {
        "DrivesOut": "advise.wear.Drives",
        "FillOut": "advise.recovery.Fill",
        "RestartPart": "advise.recovery.RestartTime",
        "RestartOut": "advise.recovery.RestartFound",
    },
    "replays.analyses.summaries": {
        "ZipfOut": "profile.popularity.ZipfFit",
        "RequestsOut": "profile.summaries.Requests",
        "DevicesOut": "profile.summaries.Devices",
    },
    "replays.miniatures.schemas": {"MiniatureRow": "advise.miniature.SizeEstimate"},
    "replays.sweeps.schemas": {"ReplayOut": "advise.sweep.ReplayRow"},
    "common.schemas": {
        "CautionOut": "common.cautions.Weighed",
        "WarningOut": "common.cautions.Caution",
    },
}
"""Response model to dataclass, by module of the server."""


@pytest.mark.parametrize(
    ("schema", "mirrored"),
    [
        (f"{module}.{name}", of)
        for module, names in MIRRORS.items()
        for name, of in names.items()
    ],
)
def test_both_have_the_same_fields(schema: str, mirrored: str) -> None:
    shown = found(f"tierwright_server.{schema}")
    held = {each.name for each in dataclasses.fields(found(f"tierwright.{mirrored}"))}
    assert set(shown.model_fields) == held


def found(path: str):
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


class Plain(BaseModel):
    """Base of the models below."""


@dataclasses.dataclass
class Held:
    """Two figures."""

    ratio: float
    name: str | None


def test_a_mirror_has_the_fields_of_its_dataclass_in_order() -> None:
    @mirrors(Held, ratio="Of two things. [1]")
    class Shown(Plain):
        """What is shown."""

    assert list(Shown.model_fields) == ["ratio", "name"]
    schema = Shown.model_json_schema()
    assert (schema["title"], schema["description"]) == ("Shown", "What is shown.")
    assert schema["properties"]["ratio"]["description"] == "Of two things. [1]"
    assert schema["required"] == ["ratio", "name"]
    with pytest.raises(ValidationError):
        Shown.model_validate({"ratio": "much", "name": None})


def test_a_mirror_with_a_meaning_of_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="Held has no field ratoi"):
        mirrors(Held, ratoi="Of two things.")


def test_a_mirror_with_fields_beside_is_refused() -> None:
    with pytest.raises(TypeError, match="Shown states fields beside those it mirrors"):

        @mirrors(Held)
        class Shown(Plain):
            """What is shown."""

            other: int
