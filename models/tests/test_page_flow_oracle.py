"""The real commands against the independent page-flow reference.

`fixtures/golden/page_flow_oracle.py` wrote the expected numbers from the printed formulas and
naive simulations; its head lists what it chose where the texts are open. Counts must agree exactly;
lazy rests on a fixed point, so its numbers agree within 1e-6.
"""

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import command
import pytest
import recordings

from tierwright._simulator import curves as core_curves

ROOT = Path(__file__).resolve().parents[2]
TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
GOLDEN = json.loads(
    (ROOT / "fixtures" / "golden" / "page_flow_tpcb_cut.json").read_text(
        encoding="utf-8"
    )
)
COUNTS = ("ram_hits", "flash_hits", "flash_misses")
# Golden numbers carry 12 significant digits, so 1e-9 is far above their rounding.
EXACT_RELATIVE = 1e-9
LAZY_RELATIVE = 1e-6

pytestmark = [pytest.mark.golden, pytest.mark.slow]


def point_name(point: dict[str, Any]) -> str:
    return f"ram={point['ram_pages']},flash={point['flash_pages']}"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A profile that lists every size needed for exact interpolation, beside the default ones."""
    path = tmp_path_factory.mktemp("oracle") / "tpcb-cut.profile.json"
    sizes = ",".join(map(str, GOLDEN["curve"]["pages"]))
    printed = command.answer("profile", TRACE, "-o", path, "--sizes", sizes)
    written = json.loads(path.read_text(encoding="utf-8"))
    for key in ("accesses", "distinct_pages", "write_accesses", "page_bytes", "curve"):
        assert printed[key] == written[key], key
    return path, written


def test_reference_belongs_to_the_shipped_trace() -> None:
    assert (
        hashlib.sha256(TRACE.read_bytes()).hexdigest()
        == GOLDEN["provenance"]["trace_sha256"]
    )


def test_profile_summary(profile: tuple[Path, dict[str, Any]]) -> None:
    _, document = profile
    assert {key: document[key] for key in GOLDEN["trace"]} == GOLDEN["trace"]


def test_profile_lists_every_named_size_exactly(
    profile: tuple[Path, dict[str, Any]],
) -> None:
    curve = profile[1]["curve"]
    pages = curve["pages"]
    assert pages == sorted(set(pages))
    assert {1, GOLDEN["trace"]["distinct_pages"]} <= set(pages)
    listed = {
        size: (m, w)
        for size, m, w in zip(pages, curve["misses"], curve["write_backs"], strict=True)
    }
    expected = GOLDEN["curve"]
    wrong = [
        (size, listed.get(size), (m, w))
        for size, m, w in zip(
            expected["pages"], expected["misses"], expected["write_backs"], strict=True
        )
        if listed.get(size) != (m, w)
    ]
    assert not wrong, "(size, got, expected)"


def test_whole_curves_of_the_core() -> None:
    curves = core_curves(str(TRACE))
    digest = hashlib.sha256()
    for index, (misses, write_backs) in enumerate(
        zip(curves["misses"].tolist(), curves["write_backs"].tolist(), strict=True)
    ):
        digest.update(f"{index + 1},{misses},{write_backs}\n".encode())
    assert digest.hexdigest() == GOLDEN["curve"]["sha256_of_all_sizes"]


@pytest.mark.parametrize(
    "devices",
    range(3),
    ids=[
        f"{pair['flash_device']}+{pair['disk_device']}"
        for pair in GOLDEN["points"][0]["devices"]
    ],
)
@pytest.mark.parametrize("point", GOLDEN["points"], ids=point_name)
def test_evaluate(
    point: dict[str, Any], devices: int, profile: tuple[Path, dict[str, Any]]
) -> None:
    pair = point["devices"][devices]
    answer = command.answer(
        "evaluate",
        profile[0],
        "--ram-pages",
        point["ram_pages"],
        "--flash-pages",
        point["flash_pages"],
        "--flash-device",
        pair["flash_device"],
        "--disk-device",
        pair["disk_device"],
        "--start",
        "cold",
    )
    wrong = []
    for scheme, expected in point["schemes"].items():
        got = answer["schemes"][scheme]
        for key in COUNTS:
            same = (
                got[key] == expected[key]
                if scheme != "lazy"
                else math.isclose(got[key], expected[key], rel_tol=LAZY_RELATIVE)
            )
            if not same:
                wrong.append((scheme, key, got[key], expected[key]))
        relative = LAZY_RELATIVE if scheme == "lazy" else EXACT_RELATIVE
        wanted = {
            "io_time_us_per_access": pair["io_time_us_per_access"][scheme],
            "flash_writes_per_access": expected["flash_writes_per_access"],
            "effective_flash_pages": expected["e_f"],
            "p_d": expected["p_d"],
        }
        if expected["p_dF"] is not None:
            wanted["p_d_flash"] = expected["p_dF"]
        terms = math.fsum(got["cost_terms_us_per_access"].values())
        if not math.isclose(
            terms, got["io_time_us_per_access"], rel_tol=EXACT_RELATIVE
        ):
            wrong.append(
                (scheme, "sum of cost terms", terms, got["io_time_us_per_access"])
            )
        wrong.extend(
            (scheme, key, got[key], value)
            for key, value in wanted.items()
            if not math.isclose(got[key], value, rel_tol=relative)
        )
    if answer["best"] != pair["best"]:
        wrong.append(("best", "", answer["best"], pair["best"]))
    ram, flash = point["ram_pages"], point["flash_pages"]
    for scheme in point["schemes"]:
        warned = bool(answer["schemes"][scheme]["warnings"])
        if warned != (scheme == "inclusive" and 0 < flash <= ram):
            wrong.append((scheme, "warned", warned, not warned))
    assert not wrong, "(scheme, key, got, expected)"


@pytest.mark.parametrize(
    ("scheme", "point"),
    [
        pytest.param(scheme, point, id=f"{scheme},{point_name(point)}")
        for point in GOLDEN["simulated"]
        for scheme in point["counters"]
    ],
)
def test_simulate(scheme: str, point: dict[str, Any]) -> None:
    answer = command.answer(
        "simulate",
        recordings.TPCB,
        "--scheme",
        scheme,
        "--ram-pages",
        point["ram_pages"],
        "--flash-pages",
        point["flash_pages"],
    )
    trace = {key: GOLDEN["trace"][key] for key in ("accesses", "write_accesses")}
    expected = point["counters"][scheme] | trace
    assert {key: answer[key] for key in expected} == expected


def test_reference_simulates_every_scheme() -> None:
    simulated = {
        scheme for point in GOLDEN["simulated"] for scheme in point["counters"]
    }
    assert simulated == {"none", "inclusive", "inclusive_global", "exclusive", "lazy"}
