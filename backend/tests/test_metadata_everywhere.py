"""Whoever is asked about RAM and flash can be told to charge what flash needs of the RAM."""

import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from tierwright.cli.app import app
from tierwright_server.app import make_app
from tierwright_server.common.settings import Settings

ROOT = Path(__file__).resolve().parents[2]

NOT_CHARGED = {
    "/directories": "compares the memory of directories itself, by its formulas",
    "/directories/check": "the same, replayed",
    "/sce": "computes the memory of the fragment cache itself",
    "/sce/check": "replays a cache of the size stated",
    "/what-to-cache": "counts requests below the RAM stated",
    "/what-to-cache/check": "the same, replayed",
    "/device-health": "one drive, no RAM",
    "/workloads/{workload_id}/advice": "whole machines and devices, whose RAM less a reserve is stated",
    "/workloads/{workload_id}/advice/checks": "the same, replayed",
    "/workloads/{workload_id}/advice/report": "the same",
    "/quote-rankings": "whole machines and devices, whose RAM less a reserve is stated",
    "/quote-rankings/replays": "the same, replayed",
    "/quote-rankings/report": "the same",
    "/quote-rankings/report-check": "the same",
    "/placements": "whole machines and devices, whose RAM less a reserve is stated",
    "/placements/report": "the same",
    "/workloads/{workload_id}/configurations": "whole machines, whose RAM less a reserve is stated",
}
"""Questions about flash that no preset belongs to, and why."""

COMMANDS_NOT_CHARGED = {
    "simulate": "one replay at the RAM stated",
    "cachesack": "counts requests below the RAM stated",
    "directories": "compares the memory of directories itself, by its formulas",
    "metadata": "lists the presets",
}


@cache
def questions() -> dict[str, dict[str, Any]]:
    """Bodies of requests that name flash, by path."""
    document = make_app(Settings()).openapi()
    schemas = document["components"]["schemas"]
    found = {}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                name = content["schema"].get("$ref", "").rpartition("/")[2]
                fields = schemas.get(name, {}).get("properties", {})
                if {"flash_pages", "flash_device_id"} & set(fields):
                    found[path.removeprefix("/api/v1")] = fields
    return found


def commands() -> dict[str, set[str]]:
    """Options of every command that takes sizes of RAM and of flash, or devices."""
    found = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        options = {option for each in command.params for option in each.opts}
        if {"--ram-pages", "--flash-pages"} <= options:
            found[name] = options
    return found


def test_every_question_about_ram_and_flash_takes_a_preset() -> None:
    asked = questions()
    assert len(asked) >= 10
    without = {path for path, fields in asked.items() if "flash_metadata" not in fields}
    assert without == set(NOT_CHARGED)


def test_every_command_about_ram_and_flash_takes_a_preset() -> None:
    asked = commands()
    assert len(asked) >= 6
    without = {
        name for name, options in asked.items() if "--flash-metadata" not in options
    }
    assert without <= set(COMMANDS_NOT_CHARGED)
    unknown = set(COMMANDS_NOT_CHARGED) - set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    assert unknown == set()


def test_the_page_about_metadata_names_every_question() -> None:
    text = (ROOT / "docs" / "models" / "metadata.md").read_text("utf-8")
    charged = [path for path in questions() if path not in NOT_CHARGED]
    absent = [path for path in charged if not re.search(rf"`(POST )?{path}", text)]
    assert [path for path in absent if path != "/scheme-maps/point"] == []


def test_the_models_themselves_take_it() -> None:
    """Public kernels that take RAM and flash sizes of a curve."""
    from tierwright.advise import flash_choice
    from tierwright.advise.dram_or_flash import break_even as break_even_question
    from tierwright.evaluate.break_even import full, money, theta
    from tierwright.evaluate.page_flow import evaluation, map_point, scheme_map
    from tierwright.evaluate.throughput import schemes

    for function in (
        flash_choice.answer,
        evaluation.evaluate,
        evaluation.evaluate_grid,
        map_point.map_point,
        scheme_map.scheme_map,
        schemes.scheme_throughput,
        break_even_question.analyse,
        theta.curve_theta,
        full.full_theta,
        money.roi_curve,
    ):
        assert "flash_metadata" in inspect.signature(function).parameters


@pytest.mark.parametrize("path", sorted(NOT_CHARGED))
def test_no_reason_outlives_its_question(path: str) -> None:
    assert path in questions()
