"""RAM that the directory of a flash cache takes, beside every answer about one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import sweep as sweep_question
from tierwright.cli.app import main
from tierwright.evaluate import metadata, ram_tax
from tierwright.simulate.contenders import flash_cache_titles, with_default_units
from tierwright.simulate.replay import contenders, replay
from tierwright.trace.reading import Trace

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
TPCB = TRACES / "tpcb-cut.csv.zst"
PAGE = 8192


def taxed(cache: str, **options: str) -> ram_tax.RamTax:
    return ram_tax.tax(
        cache,
        ram_bytes=2**30,
        flash_bytes=2**37,
        page_bytes=PAGE,
        source_bytes=2**40,
        options=options,
    )


def test_every_flash_cache_has_a_figure() -> None:
    names = [each["name"] for each in contenders("flash_cache")]
    assert [name for name in names if not taxed(name).bytes] == []


def test_where_a_figure_is_derived_that_is_said_with_what_is_assumed() -> None:
    """No source states these; each is the directory entry of FaCE and what the description of the cache adds."""
    text = (TRACES.parents[1] / "docs" / "models" / "metadata.md").read_text("utf-8")
    for name in ("lazy_cleaning", "tac", "exadata", "cac", "larc", "cachesack"):
        preset = metadata.PRESETS[name]
        assert preset.source.startswith("derived: no source states it")
        assert preset.note.startswith("assumed: the directory entry of FaCE, 32 bytes")
    for name, source in (("larc", "MSST 2013"), ("ram_filter", "SOSP 2023")):
        assert source in metadata.PRESETS[name].source
        [row] = [each for each in text.splitlines() if f"| `{name}` |" in each]
        assert f"{metadata.PRESETS[name].entry_bytes:g} B" in row
        assert "derived" in row


@pytest.mark.oracle("evaluate.ram_tax.tax")
@pytest.mark.parametrize(
    ("cache", "options", "taken"),
    [
        # An entry for each unit of 128 GiB: pages of 8 KiB, blocks, buckets, fragments, cache lines.
        ("face", {}, 32 * 2**24),
        ("lazy_cleaning", {}, 64 * 2**24),
        ("dm_cache", {}, 25 * 2**19),
        ("dm_cache", {"block_pages": "128"}, 25 * 2**17),
        ("bcache", {"bucket_pages": "128"}, 38.4 * 2**17),
        # Fragments of 4 MiB have a bit for each 4 KiB; the map is of 1 TiB, and 16 MiB are buffers.
        ("sce", {"fragment_pages": "512"}, 168 * 2**15 + 4 * 2**18 + 2**24),
        ("sce", {"fragment_pages": "128"}, 72 * 2**17 + 4 * 2**20 + 2**24),
        ("open_cas", {"line_pages": "1"}, 54.13 * 2**25),
        ("open_cas", {"line_pages": "4"}, 61.5 * 2**22),
        ("kangaroo", {"set_pages": "14", "log_percent": "5"}, 0.875 * 2**24),
        # 48 bits of each object in the log, 4 of others, and 0.8 besides.
        ("kangaroo", {"set_pages": "14", "log_percent": "50"}, 26.8 / 8 * 2**24),
        # BigHash: 8 bytes for each set of 14 objects.
        ("kangaroo", {"set_pages": "14", "log_percent": "0"}, 8 * -(-(2**24) // 14)),
        # A temperature of 8 bytes for each of the 2^22 extents of the volume.
        ("tac", {}, 48 * 2**24 + 8 * 2**22),
        # An entry of FaCE and a place in a queue; 0.9 ghosts of 8 bytes with a place each.
        ("larc", {}, (32 + 16 + 0.9 * (8 + 16)) * 2**24),
        # The log is in order; as many ghosts as pages, a third of them, and none where chance decides.
        ("ram_filter", {}, (32 + 24) * 2**24),
        ("ram_filter", {"admission": "s3_fifo", "ghost_share": "0.25"}, 38 * 2**24),
        ("ram_filter", {"admission": "probability"}, 32 * 2**24),
        # Of the 2^27 pages of the volume the last request is kept for second misses alone.
        ("cachesack", {}, 48 * 2**24),
        ("cachesack", {"assignment": "never+3:miss"}, 48 * 2**24),
        (
            "cachesack",
            {"assignment": "never+3:second_miss*0.5*miss"},
            48 * 2**24 + 8 * 2**27,
        ),
        (
            "larc",
            {"admission": "cachesack", "assignment": "second_miss"},
            69.6 * 2**24 + 8 * 2**27,
        ),
        # Entries of dm-cache are of blocks, requests of pages.
        (
            "dm_cache",
            {"admission": "cachesack", "assignment": "second_miss"},
            25 * 2**19 + 8 * 2**27,
        ),
        (
            "tac",
            {"admission": "cachesack", "assignment": "miss"},
            48 * 2**24 + 8 * 2**22,
        ),
    ],
)
def test_the_figure_is_of_the_units_in_force(
    cache: str, options: dict[str, str], taken: float
) -> None:
    found = taxed(cache, **options)
    assert found.bytes == pytest.approx(taken, abs=1)
    assert found.share == pytest.approx(taken / 2**30)


@pytest.mark.formula("evaluate.ram_tax.tax")
@given(
    st.sampled_from(sorted(flash_cache_titles())),
    st.integers(1, 2**40),
    st.integers(0, 2**40),
    st.integers(0, 2**40),
)
def test_more_flash_never_takes_less(
    cache: str, ram: int, flash: int, more: int
) -> None:
    less, most = (
        ram_tax.tax(
            cache,
            ram_bytes=ram,
            flash_bytes=size,
            page_bytes=PAGE,
            source_bytes=2**41,
        )
        for size in (flash, flash + more)
    )
    assert less.bytes is not None
    assert most.bytes is not None
    assert 0 <= less.bytes <= most.bytes
    assert less.share == less.bytes / ram
    assert (less.bytes > 0) == (flash > 0)


def test_lines_of_which_no_figure_is_published_have_none() -> None:
    assert taxed("open_cas", line_pages="2").bytes is None
    assert taxed("open_cas", line_pages="8").bytes is None


def test_words_tell_the_range_of_several_sizes() -> None:
    titles = flash_cache_titles()

    def at(flash_bytes: int) -> list[list[ram_tax.RamTax]]:
        return [
            [
                ram_tax.tax(
                    name,
                    ram_bytes=2**30,
                    flash_bytes=size,
                    page_bytes=PAGE,
                    source_bytes=2**40,
                    options={"line_pages": "2"},
                )
                for size in (2**36, flash_bytes)
            ]
            for name in ("open_cas", "face", "dm_cache")
        ]

    assert ram_tax.words_of_range(at(2**37), titles) == (
        "The directory of FaCE takes 25.0 to 50.0 % of the RAM; that of dm-cache (smq) takes 0.610 to 1.22 %; for that of "
        "Open CAS no figure is known."
    )
    assert "takes 25.0 % of" in ram_tax.words_of_range(at(2**36), titles)
    assert ram_tax.words([], titles) == ""
    assert ram_tax.words([taxed("open_cas", line_pages="2")], titles) == (
        "For the directory of Open CAS no figure is known."
    )


def simulated(capsys: pytest.CaptureFixture[str], *more: str) -> str:
    sizes = ["--ram-pages", "1000", "--flash-pages", "8000"]
    assert main(["simulate", str(TPCB), *sizes, *more]) == 0
    return capsys.readouterr().out


def test_simulate_says_what_the_directory_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = json.loads(simulated(capsys, "--scheme", "dm-cache", "--json"))["ram_tax"]
    blocks = -(-8000 // 32)
    assert (found["cache"], found["preset"]) == ("dm_cache", "dm_cache")
    assert found["bytes"] == 25 * blocks
    assert found["share"] == 25 * blocks / (1000 * PAGE)
    said = " ".join(simulated(capsys, "--scheme", "face").split())
    assert "The directory of FaCE takes 250 KiB (3.12 %) of the RAM." in said
    assert "The replay had all of the RAM" in said
    charged = simulated(capsys, "--scheme", "face", "--flash-metadata", "face")
    said = " ".join(charged.split())
    assert (
        "takes 250 KiB (3.12 %) of the RAM. The replay had the 968 of 1,000 pages of RAM that --flash-metadata=face leaves."
        in said
    )
    lines = ("--option", "line_pages=2")
    said = simulated(capsys, "--scheme", "open-cas", *lines)
    assert "For the directory of Open CAS no figure is known." in said
    assert "directory of" not in simulated(capsys, "--scheme", "lazy")


def test_a_sweep_says_it_of_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--scheme", "face", "--scheme", "lazy", "--ram-pages", "1000"]
    sizes = ["--flash-pages", "4000,8000"]
    assert main(["sweep", str(TPCB), *asked, *sizes, "--json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert [row.get("ram_tax_bytes") for row in rows] == [
        32 * 4000,
        32 * 8000,
        None,
        None,
    ]
    assert rows[1]["ram_tax_share"] == 32 * 8000 / (1000 * PAGE)
    assert main(["sweep", str(TPCB), *asked, *sizes]) == 0
    out = capsys.readouterr().out
    assert "RAM of its directory" in out
    assert "250 KiB (3.12 % of RAM)" in out


def test_an_estimate_has_it_at_the_sizes_it_stands_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--scheme", "larc", "--scheme", "lazy", "--ram-pages", "1000"]
    sizes = ["--flash-pages", "4000,8000", "--miniature", "0.5", "--json"]
    assert main(["sweep", str(TPCB), *asked, *sizes]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row.get("ram_tax_bytes") for row in rows] == [
        278_400,
        556_800,
        None,
        None,
    ]
    assert rows[0]["ram_tax_share"] == 278_400 / (1000 * PAGE)


def test_rows_of_the_answer_have_it_whether_it_is_charged_or_not() -> None:
    for charged in (None, metadata.PRESETS["face"]):
        found = sweep_question.answer(
            Trace(TPCB),
            ["face", "lazy", "lru"],
            ram_pages=[1000],
            flash_pages=[8000],
            flash_metadata=charged,
        )
        face, *others = found.rows
        assert (face.ram_tax_bytes, face.ram_tax_share) == (
            256_000,
            256_000 / 8_192_000,
        )
        assert {each.ram_tax_bytes for each in others} == {None}


def test_production_has_as_much_more_behind_its_flash_as_it_has_flash() -> None:
    found = replay(Trace(TPCB), "flash_cache", "tac", 100, 800)
    same = ram_tax.tax_of_replay(found, ram_pages=100)
    scaled = ram_tax.tax_of_replay(found, ram_pages=1000, flash_pages=8000)
    assert same is not None
    assert scaled is not None
    behind = found["distinct_pages"]
    assert scaled.bytes == pytest.approx(48 * 8000 + 0.25 * 10 * behind, abs=1)
    assert scaled.share == pytest.approx(same.share, rel=1e-4)
    assert ram_tax.tax_of_replay({**found, "flash_pages": 0}, ram_pages=1) is None


@pytest.mark.parametrize(
    ("flash_pages", "options", "taken"),
    [
        # A header of 96 bytes a page, 85 of them in one of 8 KiB.
        (8_000, {}, 96 * 8_000),
        (8_000, {"headers_per_page": "85"}, 96 * 8_000),
        (3_000, {"headers_per_page": "10"}, 819.2 * 3_000),
        # At 33 % of 1,000 pages it writes no more; pages that are in RAM, too, have a header each.
        (100_000, {}, 0.33 * 1_000 * 8192 + 96 * 1_000),
        (100_000, {"headers_per_page": "10"}, 0.33 * 1_000 * 8192 + 819.2 * 1_000),
    ],
)
def test_headers_of_l2arc_take_what_they_are_and_what_it_allows_itself(
    flash_pages: int, options: dict[str, str], taken: float
) -> None:
    found = ram_tax.tax(
        "l2arc",
        ram_bytes=1_000 * 8192,
        flash_bytes=flash_pages * 8192,
        page_bytes=8192,
        source_bytes=10**9,
        options=options,
    )
    assert found.bytes == math.ceil(taken)
    assert found.share is not None
    assert found.share < 1


CHARGED = [
    # Cache, preset, flash, options, RAM that is left of 1,000 pages.
    ("l2arc", "l2arc", 8_000, {}, 906),
    ("l2arc", "l2arc", 8_000, {"headers_per_page": "10"}, 570),
    ("l2arc", "l2arc", 40_000, {}, 658),
    ("l2arc", "l2arc", 100_000, {}, 658),
    ("kangaroo", "kangaroo", 8_000, {}, 999),
    ("kangaroo", "kangaroo", 8_000, {"log_percent": "50"}, 996),
    ("kangaroo", "kangaroo", 80_000, {"log_percent": "0"}, 994),
    ("kangaroo", "bighash", 80_000, {"log_percent": "0"}, 994),
    ("dm_cache", "dm_cache", 400, {}, 999),
    ("dm_cache", "dm_cache", 40_000, {"block_pages": "4"}, 969),
    ("open_cas", "open_cas", 40_000, {"line_pages": "4"}, 924),
    ("bcache", "bcache", 40_000, {"bucket_pages": "1"}, 812),
    ("tac", "tac:1GiB", 8_000, {}, 949),
    ("cachesack", "cachesack", 8_000, {"assignment": "second_miss"}, 923),
]


def row_of_sweep(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main(["sweep", str(TPCB), *more, "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    made: dict[str, Any] = row
    return made


@pytest.mark.parametrize(("cache", "charged", "flash", "options", "left"), CHARGED)
def test_what_is_charged_is_what_is_said(
    capsys: pytest.CaptureFixture[str],
    cache: str,
    charged: str,
    flash: int,
    options: dict[str, str],
    left: int,
) -> None:
    stated = [f"--option={name}={value}" for name, value in options.items()]
    sizes = ["--ram-pages", "1000", "--flash-pages", str(flash)]
    asked = ["--scheme", cache, *sizes, "--flash-metadata", charged, *stated]
    assert main(["simulate", str(TPCB), *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    row = row_of_sweep(capsys, *asked)
    answer = sweep_question.answer(
        Trace(TPCB),
        [cache],
        ram_pages=[1000],
        flash_pages=[flash],
        options={cache: options},
        flash_metadata=metadata.preset(charged),
    ).rows[0]
    for ram, taken in (
        (found["ram_pages"], found["ram_tax"]["bytes"]),
        (row["ram_pages"], row["ram_tax_bytes"]),
        (answer.ram_pages_left, answer.ram_tax_bytes),
    ):
        assert ram == left == 1000 - math.ceil(taken / PAGE)


def test_another_preset_is_charged_as_it_stands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = simulated(capsys, "--scheme", "face", "--flash-metadata", "l2arc")
    assert "The directory of FaCE takes 250 KiB (3.12 %) of the RAM. " in said
    assert "had the 906 of 1,000 pages of RAM that --flash-metadata=l2arc" in said


def test_an_option_that_is_no_number_is_refused_by_the_replay(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for cache, option in (
        ("l2arc", "headers_per_page=many"),
        ("kangaroo", "log_percent=-3"),
        ("bcache", "bucket_pages=0"),
    ):
        sizes = ["--ram-pages", "1000", "--flash-pages", "8000", "--option", option]
        asked = ["--scheme", cache, "--flash-metadata", cache, *sizes]
        assert main(["simulate", str(TPCB), *asked]) == 2
        assert option.partition("=")[0] in capsys.readouterr().err


@pytest.mark.parametrize("flash", [30, 400, 8000])
def test_units_by_default_are_those_that_a_replay_has(flash: int) -> None:
    seen = set()
    for row in contenders("flash_cache"):
        name = row["name"]
        filled = with_default_units(name, {}, flash_pages=flash, page_bytes=PAGE)
        if not filled:
            continue
        seen.add(name)
        in_force = replay(Trace(TPCB), "flash_cache", name, 100, flash)["options"]
        assert filled.items() <= in_force.items()
    assert {"bcache", "sce", "dm_cache", "open_cas", "kangaroo"} <= seen
