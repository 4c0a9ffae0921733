"""Scale laws and composition against expected results of slow models that share no code with the product.

`fixtures/golden/scale_laws_oracle.py` and `compose_oracle.py` wrote them from the formulas of `docs/models/scale.md` and
`compose.md`, over the shipped recordings: exact stack distances, shares at every whole time, sums over every rank. The
product keeps reuse times in bins and curves at listed sizes; by how much that may be off is stated with each figure.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recordings

from tierwright.advise import scale
from tierwright.evaluate.compose.partitions import partition
from tierwright.evaluate.compose.shared import characteristic_times_s, shared_cache
from tierwright.evaluate.scale.laws import by_relation, cold_growth, stretched
from tierwright.profile import relations
from tierwright.profile.curve import Curve, Given
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.profile.several import Workload
from tierwright.trace.reading import Trace

pytestmark = pytest.mark.golden

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "golden"
BINNED = 0.01
"""Reuse times are kept in bins an eighth of an octave wide: a size may be off by so much, write-backs by twice as much."""


def golden(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="ascii"))
    return found


LAWS = golden("scale_laws.json")
COMPOSED = golden("compose.json")
SIZES = np.asarray(LAWS["recorded_pages"], dtype=np.float64)


@cache
def tpcc() -> Profile:
    trace = Trace(recordings.TPCC)
    return profile(trace, sizes=tuple(LAWS["recorded_pages"])).with_relations(
        relations.measured(trace, names=True)
    )


def test_the_recording_misses_and_writes_back_what_was_counted_slowly() -> None:
    curve = tpcc().curve
    assert curve.accesses == LAWS["accesses"]
    assert curve.distinct_pages == LAWS["distinct_pages"]
    assert curve.misses(SIZES).tolist() == LAWS["misses"]
    assert curve.write_backs(SIZES).tolist() == LAWS["write_backs"]


@pytest.mark.oracle("evaluate.scale.laws.stretched", "advise.scale.answer")
def test_stretch_misses_the_same_share_at_k_times_the_size() -> None:
    law = LAWS["stretch"]
    assert stretched(SIZES, law["factor"]).pages.tolist() == law["pages"]
    data = round(law["factor"] * LAWS["distinct_pages"] * 8192)
    made = scale.answer(tpcc(), Production(data, 1000.0), law="stretch").profile.curve
    found = made.misses(law["pages"]) / made.accesses
    assert found == pytest.approx(law["miss_ratios"], rel=1e-3)


@pytest.mark.oracle("evaluate.scale.laws.by_relation")
@pytest.mark.parametrize("case", LAWS["relations"], ids=["tau 0", "tau 150", "items"])
def test_each_relation_grows_by_its_own_factor(case: dict[str, Any]) -> None:
    factors = [case["factors"].get(one.name, 1.0) for one in tpcc().relations]
    assert sum(factor != 1 for factor in factors) == len(case["factors"])
    found = by_relation(
        SIZES, tpcc().relations, factors, tau_accesses=case["tau_accesses"]
    )
    assert found.pages == pytest.approx(case["pages"], rel=BINNED)
    assert found.write_backs_kept == pytest.approx(
        case["write_backs_kept"], rel=2 * BINNED
    )
    assert np.max(np.abs(found.pages / SIZES - 1)) > 10 * BINNED, (
        "the case shows something"
    )


@pytest.mark.oracle("evaluate.scale.laws.cold_growth")
@pytest.mark.parametrize("case", LAWS["cold_growth"], ids=["3 times", "12 times"])
def test_popularity_goes_on_into_new_pages(case: dict[str, Any]) -> None:
    curve = tpcc().curve
    pages = curve.pages.astype(np.float64)
    misses = np.asarray(curve.misses(pages), dtype=np.float64)
    found = cold_growth(
        pages,
        misses,
        accesses=curve.accesses,
        distinct_pages=curve.distinct_pages,
        factor=case["factor"],
        exponent=case["exponent"],
    )
    at = np.searchsorted(pages, SIZES)
    # Ranks beyond the first thousand stand in bins.
    assert found.pages[at] == pytest.approx(case["pages"], rel=2e-4)
    ratios = misses[at] / curve.accesses * found.misses_kept[at]
    assert ratios == pytest.approx(case["miss_ratios"], rel=2e-4)


@cache
def composed() -> list[Workload]:
    return [
        Workload(name, profile(Trace(path)).curve, rate)
        for name, path, rate in zip(
            COMPOSED["traces"],
            (recordings.TPCB, recordings.TPCC),
            COMPOSED["rates_per_s"],
            strict=True,
        )
    ]


@pytest.mark.oracle(
    "evaluate.compose.shared.shared_cache",
    "evaluate.compose.shared.characteristic_times_s",
)
def test_a_shared_cache_holds_and_misses_what_one_time_gives() -> None:
    wanted = COMPOSED["shared"]
    found = shared_cache(composed(), [one["pages"] for one in wanted])
    assert found.write_backs_per_s is not None
    for at, one in enumerate(wanted):
        # Both curves are straight between listed sizes, about a thousand.
        assert found.times_s[at] == pytest.approx(one["time_s"], rel=2e-5)
        assert found.held_pages[:, at] == pytest.approx(one["held_pages"], rel=2e-5)
        assert found.misses_per_s[:, at] == pytest.approx(one["misses_per_s"], rel=5e-4)
        assert found.write_backs_per_s[:, at] == pytest.approx(
            one["write_backs_per_s"], rel=1e-3
        )
        assert found.held_pages[:, at].sum() == pytest.approx(one["pages"])
        for each, pages in zip(composed(), one["held_pages"], strict=True):
            own = float(characteristic_times_s(each, pages))
            if pages < each.curve.distinct_pages:
                assert own == pytest.approx(one["time_s"], rel=2e-5)
            else:
                assert own < one["time_s"], "all of its pages are held from then on"


@pytest.mark.oracle("evaluate.compose.partitions.partition")
@pytest.mark.parametrize("case", COMPOSED["splits"], ids=["0", "1", "2"])
def test_a_split_misses_no_more_than_the_best_of_all(case: dict[str, Any]) -> None:
    workloads = [
        Workload(
            f"w{at}",
            Curve.from_lists(
                range(1, len(misses) + 1),
                misses,
                None,
                accesses=10_000,
                distinct_pages=len(misses),
                page_bytes=4096,
                write_accesses=0,
                given=Given("table", data_known=True),
            ),
            rate,
        )
        for at, (misses, rate) in enumerate(
            zip(case["misses"], case["rates_per_s"], strict=True)
        )
    ]
    found = [partition(workloads, pages).misses_per_s.sum() for pages in case["pages"]]
    assert found == pytest.approx(case["least_misses_per_s"], rel=1e-9)


@pytest.fixture(scope="module")
def oracles() -> Iterator[tuple[Any, Any]]:
    sys.path.insert(0, str(FOLDER))
    try:
        yield (
            importlib.import_module("scale_laws_oracle"),
            importlib.import_module("compose_oracle"),
        )
    finally:
        sys.path.remove(str(FOLDER))


def test_the_splits_are_those_of_the_slow_model(oracles: tuple[Any, Any]) -> None:
    """Who edits a model, or a number by hand, has to run `make golden`."""
    assert oracles[1].splits() == COMPOSED["splits"]


def leaves(of: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value with its place."""
    if isinstance(of, dict):
        for key, value in of.items():
            yield from leaves(value, f"{at}.{key}")
    elif isinstance(of, list):
        for index, value in enumerate(of):
            yield from leaves(value, f"{at}[{index}]")
    else:
        yield at, of


LAST_DIGITS = 1e-13
"""Powers of NumPy differ in the last digits by how wide the vectors of a processor are; sums of them, too."""


@pytest.mark.long
def test_the_files_are_those_of_the_slow_models(
    oracles: tuple[Any, Any], tmp_path: Path
) -> None:
    for module, name in zip(oracles, ("scale_laws.json", "compose.json"), strict=True):
        traces = Path(module.FOLDER).parent / "traces"
        folder = tmp_path / "golden"
        folder.mkdir(exist_ok=True)
        if not (tmp_path / "traces").exists():
            (tmp_path / "traces").symlink_to(traces)
        module.FOLDER = folder
        module.main()
        again = json.loads((folder / name).read_text("ascii"))
        made, kept = dict(leaves(again)), dict(leaves(golden(name)))
        assert made == {
            at: pytest.approx(value, rel=LAST_DIGITS, abs=0)
            if isinstance(value, float)
            else value
            for at, value in kept.items()
        }
