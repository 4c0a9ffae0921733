"""Money in other currencies: rates of the shipped days, conversions, what a document says."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import recordings

from tierwright.cli.app import main
from tierwright.common.currency import (
    DOLLARS,
    ExchangeRate,
    amount,
    beside,
    is_money,
    money,
    showing,
    stated_rate,
    unit_price,
)
from tierwright.common.errors import BadInput
from tierwright.hardware import catalog
from tierwright.hardware.prices import price_book_from_mapping, rate_caution

HALF = ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "an example")
BOOK = {
    "id": "mine",
    "name": "Mine",
    "date": "2026-Q3",
    "prices": [{"kind": "dram", "usd_per_gib": "20", "source": "a quote"}],
}


def test_a_cross_rate_is_that_of_the_table_of_the_central_bank() -> None:
    # 30 September 2026: 1 EUR = 1.1355 USD = 0.85463 GBP = 178.27 JPY.
    hundred = Decimal(100)
    assert catalog.exchange_rate("EUR").of(hundred) == pytest.approx(
        Decimal("88.0669308674593"), abs=Decimal("1e-12")
    )
    assert catalog.exchange_rate("GBP").of(hundred) == pytest.approx(
        Decimal("75.2646411272567"), abs=Decimal("1e-12")
    )
    assert catalog.exchange_rate("JPY").of(hundred) == pytest.approx(
        Decimal("15699.6917657420"), abs=Decimal("1e-9")
    )
    assert catalog.exchange_rate("USD") is DOLLARS


@pytest.mark.parametrize(
    ("book", "currency", "date"),
    [
        ("street-2026-q3", "EUR", "2026-09-30"),
        # The newest table that was found lacks the rupee: the one before is taken, and said.
        ("street-2026-q3", "INR", "2026-04-13"),
        ("street-2026-q1", "EUR", "2026-03-31"),
        ("street-2019-04", "EUR", "2019-04-30"),
        ("papers-2008-11", "GBP", "2008-11-28"),
    ],
)
def test_the_rate_is_that_of_the_day_nearest_to_the_book(
    book: str, currency: str, date: str
) -> None:
    rate = catalog.exchange_rate(currency, book=catalog.price_book(book))
    assert rate.date == date
    assert "European Central Bank" in rate.source


def test_a_rate_of_another_time_than_the_prices_is_said_and_one_of_the_same_is_not() -> (
    None
):
    old = catalog.price_book("papers-2008-11")
    new = catalog.price_book("street-2026-q3")
    rate = catalog.exchange_rate("EUR", book=new)
    caution = rate_caution(rate, old)
    assert caution is not None
    assert caution["name"] == "prices_of_different_dates"
    assert "2026-09-30" in caution["message"]
    assert "2008-11" in caution["message"]
    assert rate_caution(rate, new) is None
    assert rate_caution(catalog.exchange_rate("EUR", book=old), old) is None
    assert rate_caution(DOLLARS, old) is None


def test_a_currency_without_a_rate_is_refused_unless_its_rate_is_stated() -> None:
    with pytest.raises(BadInput, match="no exchange rate of `XAF`"):
        catalog.exchange_rate("XAF")
    rate = catalog.exchange_rate("XAF", per_usd="577.5@2026-09-30")
    assert (rate.per_usd, rate.date) == (Decimal("577.5"), "2026-09-30")
    with pytest.raises(BadInput, match="no currency to show"):
        catalog.exchange_rate("USD", per_usd="1@2026-09-30")


@pytest.mark.parametrize(
    "text", ["0.9", "0@2026", "-1@2026-01-01", "1e3@2026", "1@yesterday", "@2026", "1@"]
)
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        stated_rate("EUR", text)


def test_a_book_in_euros_states_its_rate_and_is_kept_as_it_was_stated() -> None:
    euros = {
        **BOOK,
        "currency": "EUR",
        "exchange_rates": [
            {
                "currency": "EUR",
                "per_usd": "0.8",
                "date": "2026-09-01",
                "source": "our bank",
            }
        ],
        "prices": [{"kind": "dram", "per_gib": "20", "source": "a quote"}],
    }
    book = price_book_from_mapping(euros)
    assert book.prices[0].usd == Decimal(25)
    assert catalog.exchange_rate("EUR", book=book).source == "our bank"
    assert book.to_dict()["prices"][0]["per_gib"] == "20"
    assert price_book_from_mapping(book.to_dict()) == book
    # There and back again: what was paid in euros is shown as it was.
    assert book.exchange_rates[0].of(book.prices[0].usd) == Decimal(20)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"currency": "EUR"}, "exchange_rates"),
        ({"exchange_rates": [{"currency": "EUR"}]}, "must have exactly `currency`"),
        (
            {
                "exchange_rates": [
                    {
                        "currency": "eur",
                        "per_usd": 1,
                        "date": "2026",
                        "source": "x",
                    }
                ]
            },
            "three capital letters",
        ),
        (
            {
                "currency": "EUR",
                "exchange_rates": [
                    {
                        "currency": "EUR",
                        "per_usd": "0.8",
                        "date": "2026",
                        "source": "x",
                    }
                ],
            },
            "write `per_gib`",
        ),
    ],
)
def test_a_book_without_the_rate_of_its_currency_is_refused(
    changed: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        price_book_from_mapping({**BOOK, **changed})


def test_an_amount_under_a_cent_is_said_as_such_and_one_above_is_not() -> None:
    assert money(Decimal("0.00254")) == "under 0.01 USD"
    assert money(Decimal("0.0254")) == "0.0254 USD"
    assert money(Decimal(0)) == "0 USD"
    assert amount(Decimal("1234567.8")) == "1,234,568"
    with showing(HALF):
        # It is the amount shown that counts: 1.9 cents are less than one of the other currency.
        assert money(Decimal("0.019")) == "under 0.01 EUR"
        assert money(Decimal("0.02")) == "0.01 EUR"
    assert money(Decimal("0.019")) == "0.019 USD"


def test_a_price_of_capacity_has_three_digits_and_a_unit_that_reads() -> None:
    assert unit_price(Decimal("0.7533333333"), "USD/GB") == "0.753 USD/GB"
    assert unit_price(Decimal("0.004"), "USD/GiB/month") == "4.1 USD/TiB/month"
    with showing(HALF):
        assert unit_price(Decimal("20.625"), "USD/GiB") == "10.3 EUR/GiB"


def test_every_amount_gets_a_neighbour_and_nothing_else_does() -> None:
    found = beside(
        {
            "usd_basis": "purchase",
            "cost_usd_per_month": "2",
            "grid_usd": [["1", None]],
            "io_time_us": 4,
        },
        HALF,
    )
    assert found == {
        "usd_basis": "purchase",
        "cost_usd_per_month": "2",
        "cost_eur_per_month": "1",
        "grid_usd": [["1", None]],
        "grid_eur": [["0.5", None]],
        "io_time_us": 4,
    }


PLAN = [
    "--flash-device",
    "samsung-pm9a3-7.68tb-u2",
    "--disk-device",
    "face2016-cheetah-15k6-raid0-16",
    "--price-book",
    "street-2026-q3",
]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("profile") / "profile.json"
    assert main(["profile", str(recordings.TPCB), "-o", str(out)]) == 0
    return out


def priced_commands(profile: Path) -> list[list[str]]:
    sizes = ["--ram-pages", "1000", "--flash-pages", "6000"]
    return [
        ["catalog", "devices"],
        ["catalog", "prices"],
        ["evaluate", str(profile), *sizes, *PLAN],
        ["tier-cost", "--device", PLAN[1], "--held", "1TiB", *PLAN[4:]],
        [
            "break-even",
            *PLAN,
            "--profile",
            str(profile),
            "--ram-pages",
            "1000",
            "--usd",
            "0.1",
        ],
        ["wear", str(profile), *sizes, "--device", *PLAN[1:]],
        [
            "choose-flash",
            str(profile),
            *sizes,
            "--candidates",
            PLAN[1],
            *PLAN[2:],
        ],
        [
            "scheme-map",
            str(profile),
            "--x",
            "ram_pages=500:2000:3",
            "--y",
            "flash_per_ram=1:8:3",
            *PLAN,
        ],
    ]


def amounts(document: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every scalar under a key that names money, wherever it stands."""
    if isinstance(document, dict):
        return [
            each
            for key, value in document.items()
            for each in (
                leaves(value, f"{path}/{key}")
                if is_money(key)
                else amounts(value, f"{path}/{key}")
            )
        ]
    if isinstance(document, list):
        return [each for entry in document for each in amounts(entry, path)]
    return []


def leaves(value: Any, path: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return amounts(value, path)
    if isinstance(value, list):
        return [each for entry in value for each in leaves(entry, path)]
    return [(path, value)]


def test_all_money_of_the_command_is_decimal_strings(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in priced_commands(profile):
        capsys.readouterr()
        assert main([*command, "--json"]) == 0, command
        found = amounts(json.loads(capsys.readouterr().out))
        if command[:2] != ["catalog", "devices"]:
            assert any(value is not None for _, value in found), command
        for path, value in found:
            good = value is None or (
                isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value)
            )
            assert good, (command[0], path, value)


def test_every_command_that_prints_money_states_it_in_another_currency(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rate = catalog.exchange_rate("EUR")
    for command in priced_commands(profile):
        capsys.readouterr()
        assert main([*command, "--currency", "EUR", "--json"]) == 0, command
        document = json.loads(capsys.readouterr().out)
        one = document[0] if isinstance(document, list) else document
        assert one["exchange_rate"]["date"] == "2026-09-30", command
        euros = json.dumps(document).count("eur")
        assert euros or command[:2] == ["catalog", "devices"], command
        assert main([*command, "--currency", "EUR"]) == 0, command
        text = capsys.readouterr().out
        assert "rate: 1 USD = 0.88067 EUR (2026-09-30; European" in text, command
        assert main(command) == 0
        assert "EUR" not in capsys.readouterr().out, command
    evaluated = [*priced_commands(profile)[2], "--currency", "EUR", "--json"]
    assert main(evaluated) == 0
    lazy = json.loads(capsys.readouterr().out)["schemes"]["lazy"]
    assert Decimal(lazy["cost_eur_per_month"]) == rate.of(
        Decimal(lazy["cost_usd_per_month"])
    )


def test_a_sum_is_converted_once_at_the_end(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*priced_commands(profile)[2], "--currency", "JPY", "--json"]
    assert main(command) == 0
    schemes = json.loads(capsys.readouterr().out)["schemes"]
    for scheme in schemes.values():
        parts = scheme["cost_parts"].values()
        total = sum((Decimal(part["usd_per_month"]) for part in parts), Decimal(0))
        assert Decimal(scheme["cost_usd_per_month"]) == total
        assert Decimal(scheme["cost_jpy_per_month"]) == catalog.exchange_rate("JPY").of(
            total
        )


@pytest.mark.parametrize(
    ("code", "per_usd", "month", "purchase"),
    [
        ("USD", None, "0.00", "54.00"),
        ("JPY", "150@2026-09-30", "0", "8,100"),
        ("KWD", "0.3@2026-09-30", "0.000", "16.200"),
    ],
)
def test_amounts_have_the_decimals_of_their_currency(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    code: str,
    per_usd: str | None,
    month: str,
    purchase: str,
) -> None:
    """ISO 4217: nobody pays a hundredth of a yen, and a dinar has a thousand fils."""
    config = tmp_path / "bill.toml"
    config.write_text('[[extra]]\nwhat = "a rack"\nusd = 54\n')
    rate = [] if per_usd is None else ["--per-usd", per_usd]
    assert main(["bill", str(config), "--currency", code, *rate]) == 0
    text = capsys.readouterr().out
    [total] = [line for line in text.splitlines() if line.strip().startswith("sum")]
    assert total.split() == ["sum", month, purchase], text
    assert f"{purchase} {code}" in text
