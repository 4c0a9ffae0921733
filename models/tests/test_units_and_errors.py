"""Sizes as text, and errors that name their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.common.errors import BadInput, Problems, collected
from tierwright.common.units import (
    UNIT_BYTES,
    Bytes,
    format_bytes,
    format_count,
    format_microseconds,
    pages_of,
    parse_bytes,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8192", 8192),
        ("64GiB", 64 * 2**30),
        ("1.6TB", 1_600_000_000_000),
        ("0.5 kib", 512),
        ("1_000", 1000),
        ("1,000 MB", 10**9),
        ("2pib", 2 * 2**50),
        ("0", 0),
    ],
)
def test_parse_bytes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "size `` is not a number with a unit"),
        ("GiB", "size `GiB` is not a number with a unit"),
        ("-5GB", "size `-5GB` is not a number with a unit"),
        ("5 parsecs", "size `5 parsecs` has the unknown unit `parsecs`"),
        ("0.3 B", "size `0.3 B` is not a whole number of bytes"),
        ("nan", "size `nan` is not a number with a unit"),
    ],
)
def test_parse_bytes_refuses(text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_bytes(text)
    assert caught.value.message == message
    assert "64GiB" in caught.value.hint


@given(st.integers(0, 10**15), st.sampled_from(sorted(UNIT_BYTES)))
def test_parse_bytes_is_exact(number: int, unit: str) -> None:
    assert parse_bytes(f"{number}{unit}") == number * UNIT_BYTES[unit]


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1,020 B"),
        (1024, "1 KiB"),
        (675 * 2**20, "675 MiB"),
        (1.5 * 2**40, "1.5 TiB"),
    ],
)
def test_format_bytes(size: float, text: str) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0, "0 µs"),
        (0.0803, "80.3 ns"),
        (8333.3, "8.33 ms"),
        (2.5e6, "2.5 s"),
        (1, "1 µs"),
    ],
)
def test_format_microseconds(time_us: float, text: str) -> None:
    assert format_microseconds(time_us) == text


def test_format_count() -> None:
    assert format_count(3072618) == "3,072,618"


def test_pages_of() -> None:
    assert pages_of(Bytes(8191), 4096) == 1
    with pytest.raises(BadInput, match="page size `0` is not positive"):
        pages_of(Bytes(1), 0)


def test_problems_are_shown_together_with_their_place() -> None:
    problems = Problems("file.toml", "mend it")
    assert problems.check(False, "a", 1, "is wrong") is False
    assert problems.check(True, "b", 2, "is right") is True
    problems.add("c", None, "is absent")
    with pytest.raises(BadInput) as caught:
        problems.raise_if_any()
    assert caught.value.message == (
        "file.toml: 2 problems\n  - a: `1` is wrong\n  - c: is absent"
    )
    assert str(caught.value).endswith("\nhint: mend it")


def test_long_values_are_cut() -> None:
    problems = Problems("x")
    problems.add("a", "y" * 500, "is long")
    assert len(problems.found[0].value) == 80


def test_collected_raises_at_the_end() -> None:
    with pytest.raises(BadInput, match="x: a: is wrong"), collected("x") as problems:
        problems.add("a", None, "is wrong")
    with collected("x"):
        pass
