"""Response models that repeat a dataclass of the models: neither side has a field that the other lacks.

They are written out, not made from the dataclass: a made class is no type to the checker, and the
document of the API would name it otherwise. A figure added to the models fails here until it is shown.
"""

from __future__ import annotations

import dataclasses
from importlib import import_module

import pytest

MIRRORS = {
    "hardware.catalog.schemas": {
        "FigureOut": "hardware.device.Figure",
        "MeasurementOut": "hardware.device.Measurement",
        "ServiceTimeOut": "hardware.service_time.ServiceTime",
    },
    "hardware.device_imports.schemas": {"FioRunOut": "hardware.fio.FioRun"},
    "questions.dram_or_flash.schemas": {
        "SchemeStep": "advise.dram_or_flash.rows.SchemeStep",
        "StepOut": "advise.dram_or_flash.rows.StepRow",
        "PricesUsed": "advise.dram_or_flash.rows.PricesUsed",
        "FlipsOut": "evaluate.break_even.next_money.FlipCurve",
    },
    "questions.formulas.schemas": {
        "FormulaOutputOut": "catalogue.card.Output",
        "FormulaExampleOut": "catalogue.table.Example",
        "FormulaFamilyOut": "catalogue.table.Family",
        "FormulaAnswerOut": "catalogue.answer.Answer",
    },
    "questions.fragment_cache.schemas": {"PhaseOut": "advise.fragment_cache.FillPhase"},
    "questions.pool_split.splits": {
        "SplitReplay": "advise.pool_split.ReplayedSplit",
        "SplitBaseline": "advise.pool_split.ReplayedBaseline",
        "GainOut": "advise.pool_survey.SurveyGain",
    },
    "questions.replay_checks.schemas": {
        "CheckedFigure": "advise.checks.checked.CheckedFigure"
    },
    "questions.scheme_map.schemas": {
        "MapMoneyOut": "evaluate.page_flow.scheme_map.MapMoney"
    },
    "questions.transactions.schemas": {
        "WrittenOut": "advise.transaction_writes.Written",
        "LeavingOut": "evaluate.transactions.study.Leaving",
    },
    "questions.wear.schemas": {
        "WearLeast": "advise.wear.LeastWear",
        "DrivesOut": "advise.wear.Drives",
        "FillOut": "advise.recovery.Fill",
        "RestartPart": "advise.recovery.RestartTime",
        "RestartCurve": "advise.recovery.RestartCurve",
        "RestartOut": "advise.recovery.RestartFound",
    },
    "replays.analyses.summaries": {
        "CountBins": "profile.summaries.Distribution",
        "ZipfOut": "profile.popularity.ZipfFit",
        "RunBins": "profile.summaries.Runs",
        "RequestsOut": "profile.summaries.Requests",
        "DeviceCounts": "profile.summaries.Device",
        "DevicesOut": "profile.summaries.Devices",
    },
    "replays.miniatures.schemas": {"MiniatureRow": "advise.miniature.SizeEstimate"},
    "replays.sweeps.schemas": {"ReplayOut": "advise.sweep.ReplayRow"},
    "traces.workloads.given_schemas": {
        "GivenPointOut": "profile.given.examine.GivenPoint",
        "QuestionOut": "profile.given.reading.Question",
    },
    "traces.workloads.schemas": {"KneeOut": "profile.knees.Knee"},
    "common.schemas": {"WarningOut": "common.cautions.Caution"},
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
