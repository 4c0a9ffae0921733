"""The core against the shipped expected results, every integer; no other data is needed."""

import csv
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tierwright import _simulator

pytestmark = pytest.mark.golden

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def golden(name: str) -> list[dict[str, str]]:
    with (FIXTURES / "golden" / name).open(encoding="ascii", newline="") as text:
        return list(csv.DictReader(text))


SINGLE_TIER = golden("single_tier.csv")
TWO_TIER = golden("two_tier.csv")
BUFFERS = golden("buffers.csv")
FLASH_CACHES = [*golden("flash_caches.csv"), *golden("flash_systems.csv")]
CHOOSERS = golden("choosers.csv")


def options(row: dict[str, str]) -> dict[str, str]:
    return dict(pair.split("=") for pair in row.get("options", "").split())


def named(row: dict[str, str], *keys: str) -> str:
    return " ".join(filter(None, (row[key] for key in keys)))


def counts(row: dict[str, str], *texts: str) -> dict[str, int]:
    return {key: int(value) for key, value in row.items() if key not in texts}


@pytest.fixture(scope="module")
def canonical(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the canonical forms of the shipped traces: text is read once, not for every row."""
    folder = tmp_path_factory.mktemp("canonical")
    rows = (*SINGLE_TIER, *TWO_TIER, *BUFFERS, *FLASH_CACHES, *CHOOSERS)
    found = {}
    for name in {row["trace"] for row in rows}:
        found[name] = folder / f"{name}.twt"
        _simulator.convert(FIXTURES / "traces" / name, found[name])
    return found


@pytest.mark.parametrize(
    ("family", "rows"),
    [
        ("policy", SINGLE_TIER),
        ("scheme", TWO_TIER),
        ("buffer", BUFFERS),
        ("flash_cache", FLASH_CACHES),
        ("chooser", CHOOSERS),
    ],
)
def test_the_text_is_replayed_as_its_canonical_form_is(
    family: str, rows: list[dict[str, str]], canonical: dict[str, Path]
) -> None:
    row = rows[0]
    sizes = [
        int(row[key]) for key in ("pages", "ram_pages", "flash_pages") if key in row
    ]
    found = [
        _simulator.replay(trace, family, row[family], *sizes, options=options(row))
        for trace in (FIXTURES / "traces" / row["trace"], canonical[row["trace"]])
    ]
    for each in found:
        each.pop("trace")
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def curves() -> dict[str, Any]:
    return _simulator.curves(FIXTURES / "traces" / SINGLE_TIER[0]["trace"])


@pytest.mark.parametrize(
    "row", SINGLE_TIER, ids=[f"{row['policy']}-{row['pages']}" for row in SINGLE_TIER]
)
def test_single_tier(row: dict[str, str], canonical: dict[str, Path]) -> None:
    expected = counts(row, "trace", "policy")
    trace = canonical[row["trace"]]
    result = _simulator.replay(trace, "policy", row["policy"], expected["pages"])
    assert {key: result[key] for key in expected} == expected
    assert result["policy"] == row["policy"]
    assert result["disk_reads"] == result["misses"]
    assert result["miss_ratio"] == result["misses"] / result["accesses"]


@pytest.mark.parametrize(
    "row",
    TWO_TIER,
    ids=[
        f"{row['scheme']}-{row['ram_pages']}+{row['flash_pages']}" for row in TWO_TIER
    ],
)
def test_two_tier(row: dict[str, str], canonical: dict[str, Path]) -> None:
    expected = counts(row, "trace", "scheme")
    trace = canonical[row["trace"]]
    result = _simulator.replay(
        trace, "scheme", row["scheme"], expected["ram_pages"], expected["flash_pages"]
    )
    assert {key: result[key] for key in expected} == expected
    assert result["scheme"] == row["scheme"]
    assert result["warnings"] == []


@pytest.mark.parametrize(
    "row", BUFFERS, ids=[named(row, "buffer", "options", "pages") for row in BUFFERS]
)
def test_buffers(row: dict[str, str], canonical: dict[str, Path]) -> None:
    expected = counts(row, "trace", "buffer", "options")
    trace = canonical[row["trace"]]
    result = _simulator.replay(
        trace, "buffer", row["buffer"], expected["pages"], options=options(row)
    )
    assert {key: result[key] for key in expected} == expected
    assert result["policy"] == row["buffer"]
    assert result["disk_writes"] == result["writes"]


@pytest.mark.parametrize(
    "row",
    FLASH_CACHES,
    ids=[named(row, "flash_cache", "options", "ram_pages") for row in FLASH_CACHES],
)
def test_flash_caches(row: dict[str, str], canonical: dict[str, Path]) -> None:
    expected = counts(row, "trace", "flash_cache", "options")
    trace = canonical[row["trace"]]
    result = _simulator.replay(
        trace,
        "flash_cache",
        row["flash_cache"],
        expected["ram_pages"],
        expected["flash_pages"],
        options=options(row),
    )
    assert {key: result[key] for key in expected} == expected
    assert options(row).items() <= result["options"].items()


@pytest.mark.parametrize("row", CHOOSERS, ids=range(len(CHOOSERS)))
def test_choosers(row: dict[str, str], canonical: dict[str, Path]) -> None:
    expected = counts(row, "trace", "chooser", "options", "schemes")
    trace = canonical[row["trace"]]
    result = _simulator.replay(
        trace,
        "chooser",
        row["chooser"],
        expected["ram_pages"],
        expected["flash_pages"],
        options=options(row),
    )
    assert "".join(one["running"][0] for one in result["history"]) == row["schemes"]
    assert {key: result[key] for key in expected} == expected


@pytest.mark.parametrize("row", [row for row in SINGLE_TIER if row["policy"] == "lru"])
def test_curves_hold_the_lru_results(
    row: dict[str, str], curves: dict[str, Any]
) -> None:
    pages = int(row["pages"])
    assert curves["misses"][pages - 1] == int(row["misses"])
    assert curves["write_backs"][pages - 1] == int(row["disk_writes"])
    evictions = max(0, int(row["misses"]) - pages)
    assert evictions == int(row["evictions"])


def test_every_registered_policy_and_scheme_has_expected_results() -> None:
    policies = {about["name"] for about in _simulator.contenders("policy")}
    assert policies == {row["policy"] for row in SINGLE_TIER}
    schemes = {about["name"] for about in _simulator.contenders("scheme")}
    assert schemes == {row["scheme"] for row in TWO_TIER}
    buffers = {about["name"] for about in _simulator.contenders("buffer")}
    assert buffers == {row["buffer"] for row in BUFFERS}
    caches = {about["name"] for about in _simulator.contenders("flash_cache")}
    assert caches == {row["flash_cache"] for row in FLASH_CACHES}
    choosers = {about["name"] for about in _simulator.contenders("chooser")}
    assert choosers == {row["chooser"] for row in CHOOSERS}


@pytest.fixture(scope="module")
def generate(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the generator, writing elsewhere, with one quick variant of each model."""
    sys.path.insert(0, str(FIXTURES / "golden"))
    try:
        module = importlib.import_module("generate")
        for name, quick in (
            ("slow_buffers", ("cflru", "fd_static")),
            ("slow_flash_caches", ("face", "lazy_cleaning")),
            ("slow_systems", ("flashcache", "exadata")),
            ("slow_chooser", ()),
        ):
            models = importlib.import_module(name)
            seen = {entry[0]: entry for entry in reversed(models.VARIANTS)}
            models.VARIANTS = [seen[key] for key in quick] or models.VARIANTS[:1]
        module.FOLDER = tmp_path_factory.mktemp("golden")
        yield module
    finally:
        sys.path.remove(str(FIXTURES / "golden"))


@pytest.fixture(scope="module")
def recording(generate: Any) -> Any:
    return generate.Recording.read(FIXTURES / "traces" / generate.TRACE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "name"),
    [
        ("write_buffers", "buffers.csv"),
        ("write_flash_caches", "flash_caches.csv"),
        ("write_flash_systems", "flash_systems.csv"),
        ("write_choosers", "choosers.csv"),
    ],
)
def test_the_expected_results_are_those_of_the_slow_models(
    generate: Any, recording: Any, write: str, name: str
) -> None:
    """Who edits a model, or a row by hand, has to run `make golden`."""
    getattr(generate, write)(recording)
    made = (generate.FOLDER / name).read_text("ascii").splitlines()
    kept = (FIXTURES / "golden" / name).read_text("ascii").splitlines()
    assert len(made) > 1
    assert set(made) <= set(kept)
