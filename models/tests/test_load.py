"""Whether devices carry the rate of a recording: the law, and the warning."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import evaluation as page_flow_evaluation
from tierwright.evaluate.page_flow import results
from tierwright.evaluate.page_flow.load import BusyShares, about_load, busy_shares
from tierwright.evaluate.page_flow.results import Replayed
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve

TERMS = (
    "flash_reads",
    "flash_fills",
    "flash_write_backs",
    "disk_reads",
    "disk_writes",
)


def evaluation() -> tuple[results.Evaluation, Curve]:
    curve = Curve.from_lists(
        [10, 100, 1000],
        [900, 500, 100],
        [300, 150, 0],
        accesses=1000,
        distinct_pages=100,
        page_bytes=8192,
        write_accesses=300,
    )
    devices = catalog.devices()
    found = page_flow_evaluation.evaluate(
        curve,
        ram_pages=10,
        flash_pages=50,
        flash=devices["kv2009-intel-x25e"],
        disk=devices["kv2009-maxtor-6l300r0"],
    )
    return found, curve


@pytest.mark.oracle("evaluate.page_flow.load.busy_shares")
def test_busy_time_over_time_by_hand() -> None:
    # 2,000 accesses/s x (100 + 50 + 10 + 300 + 90) µs: 0.32 s of flash, 0.78 s of disk.
    terms = dict(zip(TERMS, (100, 50, 10, 300, 90), strict=True))
    shares = busy_shares(terms, 2000)
    assert shares.flash == pytest.approx(0.32)
    assert shares.disk == pytest.approx(0.78)
    assert shares.busiest == ("disk", shares.disk)
    assert BusyShares(0.9, 0.2).busiest == ("flash", 0.9)


@pytest.mark.formula("evaluate.page_flow.load.busy_shares")
@given(
    st.lists(st.floats(0, 1e6), min_size=5, max_size=5),
    st.floats(0, 1e6),
)
def test_shares_add_up_to_the_io_time_and_grow_with_the_rate(
    values: list[float], rate: float
) -> None:
    terms = dict(zip(TERMS, values, strict=True))
    shares = busy_shares(terms, rate)
    assert shares.flash + shares.disk == pytest.approx(sum(values) * rate / 1e6)
    double = busy_shares(terms, 2 * rate)
    assert double.flash == pytest.approx(2 * shares.flash)
    assert shares.carries == (max(shares.flash, shares.disk) <= 1)


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(BadInput, match="accesses_per_s"):
        busy_shares({}, rate)


def test_a_load_that_the_best_scheme_cannot_carry_is_said() -> None:
    found, curve = evaluation()
    best = found.schemes[found.best]
    disk = sum(best.cost_terms_us_per_access[term] for term in TERMS[3:])
    # The disk would be busy 1.38 times of the time.
    duration_s = curve.accesses * disk / 1.38e6
    (caution,) = about_load(found, curve, duration_s)
    assert caution.name == "load_beyond_devices"
    assert "the disk would have to be busy for 138 % of the time" in caution.message
    assert f"under `{found.best}`" in caution.message
    assert "no scheme carries it" in caution.message


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0004, "busy for just over 100 % of the time"),
        (9.96, "busy for 996 % of the time"),
        (138.46, "138 times what the disk can carry"),
    ],
)
def test_how_much_too_busy_is_said_in_three_digits(share: float, words: str) -> None:
    found, curve = evaluation()
    best = found.schemes[found.best]
    disk = sum(best.cost_terms_us_per_access[term] for term in TERMS[3:])
    duration_s = curve.accesses * disk / (share * 1e6)
    (caution,) = about_load(found, curve, duration_s)
    assert f"{words} under" in caution.message


def test_a_load_that_it_carries_is_not() -> None:
    found, curve = evaluation()
    slow = curve.accesses * found.schemes[found.best].io_time_us_per_access / 1e6
    assert not list(about_load(found, curve, slow))
    assert not list(about_load(found, curve, None))
    assert not list(about_load(found, curve, 0.0))


def test_schemes_that_carry_it_are_named() -> None:
    found, curve = evaluation()
    name = next(scheme for scheme in found.schemes if scheme != found.best)
    idle = replace(
        found.schemes[name], cost_terms_us_per_access=dict.fromkeys(TERMS, 0.0)
    )
    changed = replace(found, schemes={**found.schemes, name: idle})
    (caution,) = about_load(changed, curve, 1e-3)
    assert caution.message.endswith(f"; `{name}` carries it")


@pytest.mark.parametrize(("times", "said"), [(2.0, True), (0.5, False)])
def test_where_a_replay_decided_its_figures_count(times: float, said: bool) -> None:
    found, curve = evaluation()
    best = found.schemes[found.best]
    disk = sum(best.cost_terms_us_per_access[term] for term in TERMS[3:])
    terms = {
        name: cost * (times if name in TERMS[3:] else 0)
        for name, cost in best.cost_terms_us_per_access.items()
    }
    replayed = Replayed(sum(terms.values()), terms, *(0,) * 8)
    decided = replace(
        found,
        decided_by="replay",
        schemes={found.best: replace(best, replayed=replayed)},
    )
    # By the model the disk would be busy for 1.1 times of the time without a replay.
    duration_s = curve.accesses * disk / 1.1e6
    assert list(about_load(found, curve, duration_s))
    cautions = list(about_load(decided, curve, duration_s))
    assert bool(cautions) is said
    if said:
        assert (
            "the disk would have to be busy for 220 % of the time"
            in cautions[0].message
        )
