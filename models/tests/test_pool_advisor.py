"""The adaptive split over drifting writes and costs: plain replays, the paper's models, the command."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierwright import pool_split
from tierwright.cli.app import main
from tierwright.errors import BadInput
from tierwright.pool_split import AdvisorStudy, advisor_study, dynamics
from tierwright.simulate import Trace, simulate_buffer

ROOT = Path(__file__).resolve().parents[2]
TPCB = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
PAGES = 500


@pytest.fixture(scope="module")
def steady() -> AdvisorStudy:
    return advisor_study(Trace(TPCB), PAGES)


def drifting(name: str) -> AdvisorStudy:
    return advisor_study(Trace(TPCB), PAGES, dynamics=name, write_share=0.3)


@pytest.mark.oracle("pool_split.dynamics.advisor_study")
def test_without_change_it_is_the_replays_one_by_one(steady: AdvisorStudy) -> None:
    options: dict[str, dict[str, str]] = {
        "adaptive": {"asymmetry": "32", "window": "5000"},
        "lru": {},
        "cflru": {},
        "static": {"clean_pages": str(steady.static_clean_pages)},
    }
    names = {"adaptive": "fd_buffer", "static": "fd_static"}
    for name, given in options.items():
        row = simulate_buffer(Trace(TPCB), names.get(name, name), PAGES, options=given)
        left = row["write_accesses"] - row["write_hits_dirty"] - row["writes"]
        cost = (row["reads"] + 32 * (row["writes"] + left)) / row["accesses"]
        assert steady.totals[name] == pytest.approx(cost)
        if name == "adaptive":
            moved = [window["next_clean_pages"] for window in row["history"]]
            assert steady.clean_pages[: len(moved)].tolist() == moved
    assert steady.static_totals[steady.static_clean_pages] == min(
        steady.static_totals.values()
    )
    # What the epochs cost is the whole, but for the writes left over.
    inside = float(steady.costs["lru"] @ steady.epoch_lengths) / steady.accesses
    assert 0 <= steady.totals["lru"] - inside <= 32 * PAGES / steady.accesses


def test_the_four_models_change_what_they_say() -> None:
    """Section 5.1: WM change the share of writes, RM the asymmetry; each by its formula."""
    for name in ("wm1", "wm2", "rm1", "rm2"):
        found = drifting(name)
        for number in range(0, len(found.asymmetries), 7):
            expected = pool_split.epoch(number, write_share=0.3, asymmetry=32)
            ratio = getattr(expected, name) if name.startswith("rm") else 32
            share = getattr(expected, name) if name.startswith("wm") else 0.3
            assert found.asymmetries[number] == pytest.approx(ratio)
            assert found.expected_write_shares[number] == pytest.approx(share)
        # The draw: a binomial over 420,000 accesses around the model's mean.
        mean = float(np.average(found.write_shares, weights=found.epoch_lengths))
        wanted = np.average(found.expected_write_shares, weights=found.epoch_lengths)
        assert mean == pytest.approx(float(wanted), abs=0.01)
    growing = drifting("rm1")
    # Dearer writes shrink the clean pool, as the paper reports.
    quarter = len(growing.clean_pages) // 4
    first, last = growing.clean_pages[1:quarter], growing.clean_pages[-quarter:]
    assert last.mean() <= first.mean()
    assert all(low < high for low, high in pairwise(growing.asymmetries))


def test_it_refuses_and_warns() -> None:
    trace = Trace(TPCB)
    with pytest.raises(BadInput, match="dynamics"):
        advisor_study(trace, PAGES, dynamics="wm3")
    with pytest.raises(BadInput):
        advisor_study(trace, PAGES, asymmetry=0)
    with pytest.raises(BadInput):
        advisor_study(trace, PAGES, alternating_factor=-1)
    found = advisor_study(
        trace, PAGES, epoch_accesses=300_000, asymmetry=0.5, write_share=0.3
    )
    assert {"few_windows", "few_epochs", "asymmetry_below_1"} <= {
        caution.name for caution in found.warnings
    }


def test_the_window_of_an_estimation(steady: AdvisorStudy) -> None:
    window = steady.window_for(0.9, 0.03, 0.0002)
    # 0.9 s / 0.03 of I/O, at that many reads of 0.2 ms an access
    assert window == pytest.approx(30 / (steady.totals["adaptive"] * 0.0002), abs=1)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    head = ["pool-advisor", str(TPCB), "--pages", "500", "--dynamics", "rm2"]
    assert main([*head, "--estimation-s", "0.9", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["asymmetries"][:3] == [32, 32 * 0.95, 32]
    assert found["least_window_accesses"] > 0
    assert main(head) == 0
    assert "R of the last epoch" in capsys.readouterr().out


def test_too_many_epochs_are_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dynamics, "MOST_EPOCHS", 10)
    head = ["pool-advisor", str(TPCB), "--pages", "500", "--epoch-accesses", "100"]
    assert main(head) == 2
    assert "more than 10 epochs" in capsys.readouterr().err


def test_simulate_prices_and_tells_the_formula_of_clean_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    disk = ["--disk-device", "face2016-cheetah-15k6-single"]
    flash = ["--flash-device", "face2016-samsung-840pro-256"]
    scheme = ["--scheme", "lazy", "--ram-pages", "306", "--flash-pages", "1836"]
    head = ["simulate", str(TPCB), *scheme, "--option", "admission=clean_only"]
    assert main([*head, *flash, *disk, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    beside = found["clean_only"]["io_time_us_per_access"]
    assert beside == pytest.approx(found["io_time_us_per_access"], rel=0.02)
    assert main([*head, *flash, *disk]) == 0
    assert "formula of clean-only admission" in capsys.readouterr().out
    assert main([*head, *flash]) == 2
    assert "--disk-device" in capsys.readouterr().err
