"""What the curve says against what the simulator counts, on the recorded TPC-B cut."""

import pytest
import recordings

from tierwright import _simulator
from tierwright.evaluate.page_flow import evaluation, results
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.simulate import priced as simulate_priced
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

POINTS = (
    (1, 1),
    (7, 5),
    (306, 153),
    (306, 306),
    (306, 918),
    (1534, 3068),
    (1534, 9204),
    (6137, 18411),
    (6137, 24550),
    (30687, 100),
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Trace(recordings.TPCB)


@pytest.fixture(scope="module")
def curve(trace: Trace) -> Curve:
    found = _simulator.curves(str(trace.path))
    return Curve.from_full(
        found["misses"],
        found["write_backs"],
        accesses=found["accesses"],
        page_bytes=found["page_bytes"],
        write_accesses=found["write_accesses"],
    )


def evaluated(curve: Curve, ram_pages: int, flash_pages: int) -> results.Evaluation:
    return evaluation.evaluate(
        curve,
        ram_pages=ram_pages,
        flash_pages=flash_pages,
        flash=catalog.device("kv2009-intel-x25e"),
        disk=catalog.device("face2016-cheetah-15k6-single"),
    )


@pytest.mark.parametrize("pages", [1, 2, 100, 5000, 30687, 50000])
def test_the_curve_is_the_simulated_cache(
    trace: Trace, curve: Curve, pages: int
) -> None:
    found = replay(trace, "policy", "lru", pages)
    assert found["misses"] == float(curve.misses(pages))
    assert found["disk_writes"] == float(curve.write_backs(pages))


@pytest.mark.parametrize(("ram_pages", "flash_pages"), POINTS)
def test_exclusive_is_exact(
    trace: Trace, curve: Curve, ram_pages: int, flash_pages: int
) -> None:
    model = evaluated(curve, ram_pages, flash_pages).schemes["exclusive"]
    found = replay(trace, "scheme", "exclusive", ram_pages, flash_pages)
    assert model.exact
    assert {
        "ram_hits": model.ram_hits,
        "flash_hits": model.flash_hits,
        "flash_misses": model.flash_misses,
        "flash_reads": model.flash_reads,
        "flash_writes": model.flash_writes_cold_start,
        "hdd_reads": model.hdd_reads,
    } == {
        key: found[key]
        for key in (
            "ram_hits",
            "flash_hits",
            "flash_misses",
            "flash_reads",
            "flash_writes",
            "hdd_reads",
        )
    }
    assert model.hdd_writes == pytest.approx(found["hdd_writes"], rel=1e-12, abs=1e-6)


@pytest.mark.parametrize(
    ("ram_pages", "flash_pages"), [point for point in POINTS if point[0] < point[1]]
)
def test_inclusive_global_is_exact(
    trace: Trace, curve: Curve, ram_pages: int, flash_pages: int
) -> None:
    model = evaluated(curve, ram_pages, flash_pages).schemes["inclusive_global"]
    found = replay(trace, "scheme", "inclusive_global", ram_pages, flash_pages)
    assert model.exact
    assert (model.ram_hits, model.flash_hits, model.flash_misses) == (
        found["ram_hits"],
        found["flash_hits"],
        found["flash_misses"],
    )
    assert model.flash_writes == pytest.approx(found["flash_writes"], rel=1e-12)
    assert model.hdd_writes == pytest.approx(found["hdd_writes"], rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("pages", [1, 306, 6137])
def test_no_flash_is_exact(trace: Trace, curve: Curve, pages: int) -> None:
    model = evaluated(curve, pages, 0).schemes["none"]
    found = replay(trace, "scheme", "none", pages, 0)
    assert (model.ram_hits, model.hdd_reads) == (found["ram_hits"], found["hdd_reads"])
    assert model.hdd_writes == pytest.approx(found["hdd_writes"], rel=1e-12)


@pytest.mark.parametrize("scheme", ["inclusive", "lazy"])
@pytest.mark.parametrize(
    ("ram_pages", "flash_pages"),
    [
        (153, 45),
        (153, 229),
        (153, 459),
        (306, 306),
        (306, 918),
        (1534, 2301),
        (1534, 9204),
        (6137, 9205),
        (6137, 18411),
    ],
)
def test_approximations_stay_within_what_they_state(
    trace: Trace, curve: Curve, scheme: str, ram_pages: int, flash_pages: int
) -> None:
    model = evaluated(curve, ram_pages, flash_pages).schemes[scheme]
    found = replay(trace, "scheme", scheme, ram_pages, flash_pages)
    assert not model.exact
    assert model.ram_hits == found["ram_hits"]
    if model.flash_hits_error is None:  # inclusive with RAM not below flash
        assert (scheme, flash_pages <= ram_pages) == ("inclusive", True)
        assert model.flash_hits == 0
        return
    ram_misses = found["accesses"] - found["ram_hits"]
    low, high = model.flash_hits_error
    assert low <= (model.flash_hits - found["flash_hits"]) / ram_misses <= high


@pytest.mark.parametrize(("ram_pages", "flash_pages"), POINTS)
def test_exact_counts_make_the_io_time_of_the_replay(
    trace: Trace, curve: Curve, ram_pages: int, flash_pages: int
) -> None:
    """Besides the misses into empty frames, whose eviction C2 charges and nobody makes."""
    devices = {
        "flash": catalog.device("kv2009-intel-x25e"),
        "disk": catalog.device("face2016-cheetah-15k6-single"),
    }
    found = evaluated(curve, ram_pages, flash_pages).schemes
    names = ["exclusive"] + ["inclusive_global"] * (ram_pages < flash_pages)
    for name in names:
        row = replay(trace, "scheme", name, ram_pages, flash_pages)
        priced = simulate_priced.price(row, **devices).io_time_us_per_access
        misses = row["accesses"] - row["ram_hits"]
        free = min(ram_pages, misses) if name == "exclusive" else 0
        write_us = service_us(devices["flash"], "write", curve.page_bytes)
        assert write_us is not None
        assert found[name].io_time_us_per_access - free * write_us / row[
            "accesses"
        ] == pytest.approx(priced, rel=1e-9)


def test_victims_found_on_flash_never_exceed_flash_hits(trace: Trace) -> None:
    """q <= h_f / m_r in counts: a victim on flash was once read from flash.

    Lazy writes a victim when it is absent from flash, or dirty; so evictions less flash
    writes are the clean victims found there, a lower bound of all found there.
    """
    for ram_pages, flash_pages in ((153, 45), (306, 918), (1534, 9204)):
        found = replay(trace, "scheme", "lazy", ram_pages, flash_pages)
        ram_misses = found["accesses"] - found["ram_hits"]
        clean_found = (ram_misses - ram_pages) - found["flash_writes"]
        assert 0 <= clean_found <= found["flash_hits"]
