"""Every command that answers a question prints the finding of the models' Answer, in both forms."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import run
from test_questions import FIO, SMART, TPCB

from tierwright import advise
from tierwright.common.answer import Answer

POINT = ["--ram-pages", "1000", "--flash-pages", "6000"]
FLASH = "samsung-pm9a3-7.68tb-u2"
DISK = ["--disk-device", "face2016-cheetah-15k6-single"]
PAIR = ["--flash-device", FLASH, *DISK]
COMMANDS = {
    "evaluate": ["PROFILE", *POINT, *PAIR],
    "scheme-map": ["PROFILE", "--ram-pages", "1000", *PAIR],
    "break-even": ["--profile", "PROFILE", "--ram-pages", "1000", *PAIR],
    "throughput": ["PROFILE", *POINT, *PAIR, "--clients", "20"],
    "wear": ["PROFILE", *POINT, "--device", FLASH, *DISK, "--accesses-per-s", "5000"],
    "directories": [
        *("PROFILE", "--ram-bytes", "8MiB", "--flash-bytes", "48MiB"),
        *PAIR,
    ],
    "choose-flash": ["PROFILE", *POINT, "--candidates", FLASH, *DISK],
    "pool-split": ["TRACE", "--pages", "500", "--asymmetry", "32"],
    "pool-gain": ["TRACE", "--pages", "500", "--asymmetry", "2,32"],
    "pool-advisor": ["TRACE", "--pages", "500"],
    "transaction-writes": [],
    "device health": ["SMART", "--rated-tb", "4840"],
    "device access-cost": [FLASH],
    "device import-fio": ["FIO", "--name", "Rig 7"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("given")
    given: dict[str, Path] = {
        name: folder / f"{name.lower()}.json" for name in ("PROFILE", "SMART", "FIO")
    }
    assert run("profile", TPCB.path, "-o", given["PROFILE"]).returncode == 0
    given["SMART"].write_text(json.dumps(SMART), encoding="utf-8")
    given["FIO"].write_text(json.dumps(FIO), encoding="utf-8")
    return {"TRACE": str(TPCB.path)} | {name: str(at) for name, at in given.items()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_the_finding_of_its_answer(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    made: list[Answer] = []

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            found = function(*given, **named)
            if isinstance(found, Answer):
                made.append(found)
            return found

        return call

    for question in pkgutil.walk_packages(advise.__path__, "tierwright.advise."):
        module = importlib.import_module(question.name)
        for own, function in list(vars(module).items()):
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                monkeypatch.setattr(module, own, noted(function))
    asked = [*name.split(), *(files.get(part, part) for part in COMMANDS[name])]
    text = run(*asked)
    assert text.returncode == 0, text.stderr
    findings = {each.finding for each in made}
    assert text.stdout.partition("\n")[0] in findings
    document = json.loads(run(*asked, "--json").stdout)
    assert document["finding"] in findings
