"""Sizes of the command line: `64MiB` is the pages that fit in it, in every command."""

import json
from pathlib import Path
from typing import Any

import pytest
import recordings
from command import run

from tierwright.cli.sizes import parse_size, parse_sizes
from tierwright.common.errors import BadInput

TPCB = recordings.TPCB
PAGE = 8192
DEVICES = ("--flash-device", "samsung-pm9a3-7.68tb-u2")
DEVICES += ("--disk-device", "face2016-cheetah-15k6-raid0-16")


def answer(*arguments: object) -> Any:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sizes") / "tpcb.json"
    made = answer("profile", TPCB, "-o", path, "--sizes", "2MiB,300")
    assert {2 * 2**20 // PAGE, 300} <= set(made["curve"]["pages"])
    return path


@pytest.mark.parametrize(
    ("command", "in_bytes", "in_pages"),
    [
        (
            ("simulate", "TRACE", "--policy", "lru"),
            ("--pages", "1MiB"),
            ("--pages", "128"),
        ),
        (
            ("simulate", "TRACE", "--scheme", "lazy"),
            ("--ram-pages", "1 MiB", "--flash-pages", "8.1MB"),
            ("--ram-pages", "128", "--flash-pages", "988"),
        ),
        (
            ("sweep", "TRACE", "--policy", "lru"),
            ("--pages", "1MiB,200"),
            ("--pages", "128,200"),
        ),
        (
            ("pool-split", "TRACE", "--asymmetry", "8"),
            ("--pages", "1MiB"),
            ("--pages", "128"),
        ),
        (
            ("evaluate", "PROFILE", *DEVICES),
            ("--ram-pages", "1MiB", "--flash-pages", "0B"),
            ("--ram-pages", "128", "--flash-pages", "0"),
        ),
        (
            ("throughput", "PROFILE", *DEVICES, "--clients", "4"),
            ("--ram-pages", "1MiB", "--flash-pages", "16MiB"),
            ("--ram-pages", "128", "--flash-pages", "2048"),
        ),
        (
            ("scheme-map", "PROFILE", *DEVICES, "--x", "flash_per_ram=1:8:3"),
            ("--y", "dirty_share=0:1:3", "--ram-pages", "1MiB"),
            ("--y", "dirty_share=0:1:3", "--ram-pages", "128"),
        ),
        (
            ("break-even", "--profile", "PROFILE", *DEVICES),
            ("--ram-pages", "1MiB"),
            ("--ram-pages", "128"),
        ),
    ],
    ids=lambda value: value[0] if value[0][0] != "-" else value[1],
)
def test_bytes_are_the_pages_that_fit(
    profile: Path,
    command: tuple[str, ...],
    in_bytes: tuple[str, ...],
    in_pages: tuple[str, ...],
) -> None:
    files = {"TRACE": TPCB, "PROFILE": profile}
    named = [files.get(part, part) for part in command]
    assert answer(*named, *in_bytes) == answer(*named, *in_pages)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("64 parsecs", "--pages: size `64 parsecs` has the unknown unit `parsecs`"),
        ("MiB", "--pages: size `MiB` is not a number with a unit"),
        ("100.5", "--pages: `100.5` is not a whole number of pages"),
        ("8191B", "--pages: `8191B` is less than a page of 8 KiB"),
        ("0.3B", "--pages: size `0.3B` is not a whole number of bytes"),
        ("inf", "--pages: size `inf` is not a number with a unit"),
    ],
)
def test_what_is_no_size_is_refused_by_name(size: str, message: str) -> None:
    code, _, err = run("simulate", TPCB, "--policy", "lru", "--pages", size)
    assert code == 2
    assert message in err
    assert "hint: " in err


def test_sizes_in_a_list() -> None:
    found = parse_sizes("1000, 64MiB,1e5", "--sizes", 1)
    assert [size.at(lambda: PAGE) for size in found] == [1000, 8192, 100_000]
    assert parse_sizes(None, "--sizes", 1) == []
    for bad in ("1000,", "0", "0B", "1.5", "-3", "x", "nan", "4294967296", "9" * 5000):
        with pytest.raises(BadInput, match="is not a whole number of pages from 1"):
            parse_sizes(bad, "--sizes", 1)


def test_the_page_size_is_looked_up_for_bytes_only() -> None:
    def never() -> int:
        raise AssertionError("the page size was asked for")

    assert parse_size("209", "--pages").at(never) == 209
    assert parse_size("10.5", "--ram-pages").fraction_at(never) == 10.5
    assert parse_size("0B", "--flash-pages").at(lambda: PAGE) == 0


# --- what the tables say --------------------------------------------------------------------


def test_without_flash_evaluate_prints_one_row_and_no_winner(profile: Path) -> None:
    point = ("evaluate", profile, *DEVICES, "--ram-pages", 1000, "--flash-pages")
    code, out, err = run(*point, 0)
    assert code == 0, err
    rows = {line.split()[0] for line in out.splitlines() if line}
    assert "none" in rows
    assert not rows & {"lazy", "exclusive", "inclusive", "inclusive_global"}
    assert "Without flash an access costs" in out
    assert "equal" not in out
    code, out, err = run(*point, 6000)
    assert code == 0, err
    rows = {line.split()[0] for line in out.splitlines() if line}
    assert {"none", "lazy", "exclusive", "inclusive", "inclusive_global"} <= rows
    assert "Without flash an access costs" not in out


def test_throughput_has_three_digits_and_calls_an_estimate_one(profile: Path) -> None:
    point = ("throughput", profile, *DEVICES, "--clients", 4)
    point += ("--ram-pages", 300, "--flash-pages", 1024)
    for start, words in (("steady", "estimate, steady state"), ("cold", "exact")):
        code, out, err = run(*point, "--start", start)
        assert code == 0, err
        [none] = [line for line in out.splitlines() if line.split()[:1] == ["none"]]
        rate = none.split()[1]
        assert words in none
        made = answer(*point, "--start", start)["schemes"]["none"]
        exact = made["throughput_per_s"][-1]
        assert float(rate.replace(",", "")) == float(f"{exact:.3g}")
        assert made["exact"] == (start == "cold")
