"""The split of the buffer pool of what an advice recommends."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import recordings
from advice_cases import (
    DEVICES_ALONE,
    PRICES,
    SHELF,
    TIB,
    ask,
    book,
    curve,
    recorded,
)
from command import run

from tierwright.advise import pool_split
from tierwright.advise.advice.found import NOT_SPLIT, Advice
from tierwright.advise.advice.request import Splits
from tierwright.advise.pool_survey import SplitSurvey
from tierwright.cli.advise import _print_split
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

PAGE = 8192


def recording(folder: Path, *, writes: float = 0.3) -> Trace:
    """Few pages are written again and again; many are read, some of them more often than others."""
    drawn = random.Random(1)
    rows = ["time_us,op,rel,block"]
    for at in range(20_000):
        block, operation = int(400 * drawn.random()), "W"
        if drawn.random() >= writes:
            block, operation = 400 + int(2600 * drawn.random() ** 2), "R"
        rows.append(f"{at},{operation},0/1,{block}")
    path = folder / "made-up.csv"
    path.write_text("\n".join(rows) + "\n")
    return Trace(path)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recording(tmp_path_factory.mktemp("split"))


def drive(asymmetry: str) -> Device:
    like = catalog.device(SHELF[1])
    stated = {
        "asymmetry": Figure(Decimal(asymmetry), "1", "a test"),
        "unit_price": Figure(Decimal("0.001"), "USD/GB", "a test", "2026-11"),
    }
    return replace(like, id="my-drive", figures={**like.figures, **stated})


def question(trace: Trace, asymmetry: str = "32") -> dict[str, Any]:
    return {
        "curve": profile(trace).curve,
        "accesses_per_s": 1000.0,
        "candidates": replace(
            DEVICES_ALONE, devices=(SHELF[2],), own=(drive(asymmetry),)
        ),
        "prices": book(**PRICES),
        # RAM of some pages, not of one.
        "constraints": {"io_time_us_per_access": 4},
    }


def asked(trace: Trace, asymmetry: str = "32", *, split: bool = True) -> Advice:
    return ask(**question(trace, asymmetry), trace=trace, split=split)


def test_it_is_that_of_the_page_pool_split_at_the_same_buffer(trace: Trace) -> None:
    found = asked(trace)
    best = found.recommendation
    assert best is not None
    assert best.scheme == "none"
    pages = best.ram_bytes // PAGE
    alone = pool_split.answer(trace, pages, 32.0)
    assert alone.recommended_clean_pages is not None
    assert best.clean_share == alone.recommended_clean_pages / pages
    assert best.clean_share_gain == alone.gain_over["lru"]
    assert best.clean_share_gain > 0.5
    assert best.clean_share_reason == ""
    assert "for clean pages and the rest for dirty ones" in found.finding
    for each in found.alternatives:
        if each.scheme != "none":
            assert each.clean_share is None
            assert "a flash cache lies below RAM" in each.clean_share_reason
    # What is not named is not computed.
    assert NOT_SPLIT in {each.option.clean_share_reason for each in found.rejected}


def test_where_a_split_saves_next_to_nothing_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # TPC-B, on a drive that writes a third as fast as it reads.
    tpcb = Trace(recordings.TPCB)
    asked_for = question(tpcb, "3")
    found = ask(
        **{
            **asked_for,
            # In which a flash cache that writes in order would be faster, before a drive of its own kind.
            "candidates": replace(asked_for["candidates"], flash_caches=()),
            "curve": recorded().curve,
            "objective": "io_time",
            "constraints": {"ram_bytes": 5000 * PAGE},
        },
        trace=tpcb,
        split=True,
    )
    best = found.recommendation
    assert best is not None
    assert best.clean_share is None
    assert best.clean_share_gain is not None
    assert best.clean_share_gain < pool_split.LEAST_GAIN
    assert (
        "saves less than 1 %" in best.clean_share_reason
        or "no split costs less than LRU" in best.clean_share_reason
    )
    assert "clean pages" not in found.finding
    _print_split(best)
    assert capsys.readouterr().out == (
        f"The RAM of the recommendation is not split: {best.clean_share_reason}.\n"
    )


def test_it_is_not_computed_unless_asked_for_and_then_the_id_is_another(
    trace: Trace,
) -> None:
    without = asked(trace, split=False)
    assert without.recommendation is not None
    assert without.recommendation.clean_share is None
    pages = without.recommendation.ram_bytes // PAGE
    # As where splits that were counted before are looked for, and there are none: the same id has the same words.
    assert without.recommendation.clean_share_reason == (
        f"the splits of a buffer of {pages:,} pages of the recording were not counted"
    )
    assert without.recommendation.clean_share_uncounted_pages == pages
    looked = ask(**question(trace), splits=lambda _: {})
    assert looked.advice_id == ask(**question(trace)).advice_id
    assert looked.to_dict() == ask(**question(trace)).to_dict()
    found = asked(trace)
    assert found.advice_id != without.advice_id
    assert found.to_dict() == asked(trace).to_dict()
    assert found.recommendation is not None
    assert replace(
        found.recommendation,
        clean_share=None,
        clean_share_gain=None,
        clean_share_reason=without.recommendation.clean_share_reason,
        clean_share_uncounted_pages=pages,
    ) == (without.recommendation)


def test_surveys_that_were_made_before_are_used_and_missing_ones_are_named(
    trace: Trace,
) -> None:
    wanted: list[int] = []

    def none(pages: Sequence[int]) -> Mapping[int, SplitSurvey]:
        wanted.extend(pages)
        return {}

    def by(splits: Splits | None) -> Advice:
        return ask(**{**question(trace), "splits": splits})

    missing = by(none)
    assert missing.recommendation is not None
    pages = missing.recommendation.ram_bytes // PAGE
    assert pages in wanted
    assert missing.recommendation.clean_share_reason == (
        f"the splits of a buffer of {pages:,} pages of the recording were not counted"
    )
    assert missing.advice_id == by(None).advice_id
    kept = {each: pool_split.survey(trace, each) for each in wanted}
    found = by(lambda _: kept)
    checked = asked(trace).recommendation
    assert checked is not None
    # The trace tells what its replay takes as well.
    assert found.recommendation == replace(checked, replayed_io_time_us_per_access=None)
    assert found.advice_id != missing.advice_id


def test_of_what_is_not_known_it_says_why(tmp_path: Path) -> None:
    small = ask(splits=lambda _: {}).recommendation
    assert small is not None
    assert "fewer than the 1,000 from which" in small.clean_share_reason
    # All of the data in RAM: nothing is evicted.
    held = ask(
        curve=curve(Production(TIB, 1000.0)),
        objective="io_time",
        splits=lambda _: {},
    ).recommendation
    assert held is not None
    assert "so none is evicted" in held.clean_share_reason
    reads_only = profile(recording(tmp_path, writes=0)).curve
    read = ask(curve=reads_only, splits=lambda _: {}).recommendation
    assert read is not None
    assert "writes nothing" in read.clean_share_reason


def test_the_command_says_how_to_split(tmp_path: Path) -> None:
    trace = recording(tmp_path)
    path = tmp_path / "p.json"
    path.write_text(json.dumps(profile(trace).to_dict()))
    (tmp_path / "mine.json").write_text(json.dumps(drive("32").to_dict()))
    shelf = tmp_path / "c.toml"
    # With RAM for the system whole GiB are bought, and all of these few pages fit.
    shelf.write_text('kinds = ["devices"]\nown = ["mine.json"]\nreserved_gib = 0\n')
    line = [
        *("advise", str(path), "--accesses-per-second", "1000"),
        *("--candidates", str(shelf), "--constraint", "io_time_us_per_access=4"),
    ]
    assert trace.path is not None
    split = run(*line, "--trace", str(trace.path), "--pool-split")
    assert split.returncode == 0, split.stderr
    assert "of its RAM for clean pages" in split.stdout.splitlines()[0]
    refused = run(*line, "--pool-split")
    assert refused.returncode == 2
    assert "add --trace" in refused.stderr
