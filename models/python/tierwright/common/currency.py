"""Money in words and in other currencies: the one place where an amount becomes text.

Sums are computed in US dollars, the currency of the price books, and are converted once, at the
end, at a rate with a date and a source. An amount is written with the code of its currency
behind it: `12.5 EUR`; one under a cent as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import check_date, read_decimal

BASE = "USD"
"""Currency in which sums are computed."""

STATED_RATE = "stated by the user"
"""Source of a rate that is neither of a price book nor shipped."""

_EXACT = Context(prec=28)
_SHOWN = Context(prec=15)
_CODE = re.compile(r"[A-Z]{3}")
_RATE_KEYS = {"currency", "per_usd", "date", "source"}
_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_CENT = Decimal("0.01")
_DECIMALS = {
    **dict.fromkeys(
        [
            "BIF",
            "CLP",
            "DJF",
            "GNF",
            "ISK",
            "JPY",
            "KMF",
            "KRW",
            "PYG",
            "RWF",
            "UGX",
            "UYI",
            "VND",
            "VUV",
            "XAF",
            "XOF",
            "XPF",
        ],
        0,
    ),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
}
"""Decimals of currencies whose smallest coin is no hundredth (ISO 4217)."""
_DIGITS = 3
_RATE_DECIMALS = 3
"""Digits that a rate has behind the point at least."""
_LARGER = (("/GB", "/TB", 1000), ("/GiB", "/TiB", 1024))


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """What one US dollar is in another currency.

    Attributes
    ----------
    currency : str
        Code of three letters (ISO 4217).
    per_usd : Decimal
        Units of the currency for one US dollar, above 0. [1/USD]
    date : str
        Day of the rate.
    source : str
        Who states it.
    """

    currency: str
    per_usd: Decimal
    date: str
    source: str

    def of(self, usd: Decimal) -> Decimal:
        """Return an amount of US dollars in this currency, to 15 significant digits.

        Examples
        --------
        >>> ExchangeRate("EUR", Decimal("0.8"), "2026-09-30", "an example").of(
        ...     Decimal("12.34")
        ... )
        Decimal('9.872')
        """
        if self.currency == BASE:
            return usd
        return _SHOWN.plus(_EXACT.multiply(usd, self.per_usd)).normalize(_SHOWN)

    def to_usd(self, amount: Decimal) -> Decimal:
        """Return an amount of this currency in US dollars."""
        return amount if self.currency == BASE else _EXACT.divide(amount, self.per_usd)

    @property
    def coin(self) -> Decimal:
        """The smallest amount that is paid in this currency: a cent, a whole yen."""
        return Decimal(1).scaleb(-_DECIMALS.get(self.currency, 2))

    @property
    def sentence(self) -> str:
        """Say the rate, its date and its source."""
        # Five digits of 156.9969 would read as a round 157.
        digits = max(5, self.per_usd.adjusted() + 1 + _RATE_DECIMALS)
        return (
            f"1 USD = {three_digits(self.per_usd, digits)} {self.currency} ({self.date}; "
            f"{self.source})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "currency": self.currency,
            "per_usd": format(self.per_usd, "f"),
            "date": self.date,
            "source": self.source,
        }


DOLLARS = ExchangeRate(BASE, Decimal(1), "", "")
"""No conversion."""

_shown_in: ContextVar[ExchangeRate] = ContextVar("shown_in", default=DOLLARS)
_cautions: ContextVar[tuple[dict[str, Any], ...]] = ContextVar("cautions", default=())


def shown_in() -> ExchangeRate:
    """Return the rate at which amounts are shown here and now."""
    return _shown_in.get()


@contextmanager
def showing(
    rate: ExchangeRate, cautions: Sequence[dict[str, Any]] = ()
) -> Iterator[None]:
    """Show amounts in another currency, in sentences, tables and documents.

    Parameters
    ----------
    rate : ExchangeRate
        Of the currency.
    cautions : sequence of dict
        What to know of the rate.
    """
    before, told = _shown_in.set(rate), _cautions.set(tuple(cautions))
    try:
        yield
    finally:
        _shown_in.reset(before)
        _cautions.reset(told)


def stated(document: Any) -> Any:
    """Return a document with its money in the currency shown beside the dollars.

    It names the rate under `exchange_rate`; of a list every entry does. What to know of the rate
    is added to its `warnings`, and behind its `cautions`, as it changes no choice.
    """
    rate = shown_in()
    if rate.currency == BASE:
        return document
    if isinstance(document, list):
        return [stated(entry) for entry in document]
    if not isinstance(document, Mapping):
        return document
    found = {**beside(document, rate), "exchange_rate": rate.to_dict()}
    told = [dict(one) for one in _cautions.get()]
    if told:
        found["warnings"] = [*told, *found.get("warnings", [])]
        if "cautions" in found:
            weighed = (
                {"code" if key == "name" else key: each[key] for key in each}
                for each in told
            )
            found["cautions"] = [*found["cautions"], *weighed]
    return found


def show_from_now_on(
    rate: ExchangeRate, cautions: Sequence[dict[str, Any]] = ()
) -> None:
    """Do as `showing` for the rest of the present task."""
    _shown_in.set(rate)
    _cautions.set(tuple(cautions))


def three_digits(value: Decimal, digits: int = _DIGITS) -> str:
    """Write a number with a few significant digits, whole digits all kept.

    Examples
    --------
    >>> three_digits(Decimal("1234.6")), three_digits(Decimal("0.75333333"))
    ('1,235', '0.753')
    """
    if value == 0:
        return "0"
    places = max(0, digits - 1 - value.adjusted())
    rounded = round(value, places)
    text = f"{rounded:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(usd: Decimal | float) -> str:
    """Write an amount of US dollars in the currency shown: `1,235 USD`, `under 0.01 USD`.

    Examples
    --------
    >>> money(Decimal("0.00254")), money(Decimal("0.01")), money(Decimal(0))
    ('under 0.01 USD', '0.01 USD', '0 USD')
    >>> money(Decimal("0.2")), money(Decimal("0.234")), money(Decimal(1))
    ('0.20 USD', '0.234 USD', '1 USD')
    """
    return f"{amount(usd)} {shown_in().currency}"


_WHOLE_FROM = 100
"""Amount from which whole units of a currency are enough of what is rounded down. [currency]"""


def money_below(usd: Decimal | float) -> str:
    """Write an amount of US dollars in the currency shown so that it is no more than that: what has to be less may be written.

    From 100 on in whole units, below that to the smallest coin.

    Parameters
    ----------
    usd : Decimal or float
        0 or more. [USD]

    Examples
    --------
    >>> money_below(Decimal("1599.9")), money_below(Decimal("12.349"))
    ('1,599 USD', '12.34 USD')
    """
    rate = shown_in()
    found = rate.of(exact(usd))
    step = Decimal(1) if found >= _WHOLE_FROM else rate.coin
    return f"{found.quantize(step, ROUND_FLOOR, _EXACT):,f} {rate.currency}"


def is_under_a_coin(usd: Decimal | float) -> bool:
    """Whether an amount, 0 or more, is less than the smallest coin of the currency shown, so that rounded down it is nothing.

    Examples
    --------
    >>> is_under_a_coin(Decimal("0.0099")), is_under_a_coin(Decimal("0.01"))
    (True, False)
    """
    rate = shown_in()
    return rate.of(exact(usd)) < rate.coin


def amount(usd: Decimal | float) -> str:
    """Write the same without the currency, for a column that names it."""
    found = shown_in().of(exact(usd))
    if 0 < found < _CENT:
        return "under 0.01"
    text = three_digits(found)
    # `0.2 USD` is no price anybody writes; from 1 on three digits end before the cent.
    return f"{text}0" if abs(found) < 1 and _ONE_DECIMAL.search(text) else text


def to_the_coin(
    usd: Decimal | float, sign: str = "", rounding: str = ROUND_HALF_UP
) -> str:
    """Write an amount to the smallest coin of the currency shown, without the currency, for a column that names it.

    Parameters
    ----------
    usd : Decimal or float
    sign : str
        `+` for a difference, which has its sign always.
    rounding : str
        Of `decimal`.

    Examples
    --------
    >>> to_the_coin(Decimal("1234.5")), to_the_coin(0.375, "+")
    ('1,234.50', '+0.38')
    >>> with showing(
    ...     ExchangeRate("JPY", Decimal("156.9969"), "2026-09-30", "an example")
    ... ):
    ...     to_the_coin(Decimal("1234.5"))
    '193,813'
    """
    rate = shown_in()
    found = rate.of(exact(usd)).quantize(rate.coin, rounding, _EXACT)
    return format(abs(found) if found == 0 else found, f"{sign},f")


def exact_money(usd: Decimal | float) -> str:
    """Write an amount to the smallest coin, with its currency: `1,234.50 USD`."""
    return f"{to_the_coin(usd)} {shown_in().currency}"


def amount_per(usd: Decimal | float) -> str:
    """Write money for each of something that is modelled, without the currency: three digits, however much it is.

    Examples
    --------
    >>> amount_per(Decimal(358_712)), amount_per(Decimal("0.004")), amount_per(0.2)
    ('359,000', 'under 0.01', '0.200')
    >>> amount_per(Decimal("22.95397")), amount_per(Decimal(0))
    ('23.0', '0')
    """
    found = shown_in().of(exact(usd))
    if 0 < found < _CENT:
        return "under 0.01"
    rounded = Decimal(f"{found:.{_DIGITS}g}")
    if rounded == 0:
        return "0"
    # As in tables and on the page, where zeros are digits too.
    return f"{rounded:,.{max(0, _DIGITS - 1 - rounded.adjusted())}f}"


_ONE_DECIMAL = re.compile(r"\.\d$")


def unit_price(usd: Decimal, unit: str, rate: ExchangeRate | None = None) -> str:
    """Write a price of capacity; below a cent a GB that of a TB.

    Parameters
    ----------
    usd : Decimal
        In `unit`.
    unit : str
        `USD/GB`, `USD/GiB`, `USD/GB/month` or `USD/GiB/month`.
    rate : ExchangeRate, optional
        In place of the currency shown.

    Examples
    --------
    >>> unit_price(Decimal("0.7533333333"), "USD/GB")
    '0.753 USD/GB'
    >>> unit_price(Decimal("0.0036"), "USD/GB/month")
    '3.6 USD/TB/month'
    """
    used = rate or shown_in()
    found = used.of(usd)
    said = unit.replace(BASE, used.currency, 1)
    if 0 < found < _CENT:
        for small, large, times in _LARGER:
            if small in said:
                found, said = found * times, said.replace(small, large)
    return f"{three_digits(found)} {said}"


def exact(value: Decimal | float) -> Decimal:
    """Return a number as the Decimal that its text says."""
    return value if isinstance(value, Decimal) else Decimal(repr(float(value)))


def text_of(value: Decimal | float) -> str:
    """Write an amount for JSON: a decimal string, never rounded, without an exponent."""
    return format(exact(value), "f")


def is_money(key: str) -> bool:
    """Whether a key of an answer names money: `usd` stands in it as a word of its own.

    Examples
    --------
    >>> [is_money(key) for key in ("cost_usd_per_month", "usd", "usd_basis", "per_usd")]
    [True, True, False, False]
    """
    words = key.split("_")
    if "usd" not in words or words[-1] == "basis":
        return False
    at = words.index("usd")
    return at == 0 or words[at - 1] != "per"


def beside(document: Any, rate: ExchangeRate) -> Any:
    """Put beside every amount of US dollars the same in another currency.

    `usd_per_month` gets `eur_per_month` as its neighbour; what is not money stays as it is.

    Parameters
    ----------
    document : any
        Plain data of an answer, its money as decimal strings.
    rate : ExchangeRate
        Of the other currency.

    Returns
    -------
    any
        The same data with the neighbours.

    Examples
    --------
    >>> rate = ExchangeRate("EUR", Decimal("0.5"), "2026-09-30", "an example")
    >>> beside({"usd": "3", "parts": [{"opex_usd": None}]}, rate)
    {'usd': '3', 'eur': '1.5', 'parts': [{'opex_usd': None, 'opex_eur': None}]}
    """
    if isinstance(document, Mapping):
        found: dict[str, Any] = {}
        for key, value in document.items():
            found[key] = beside(value, rate)
            if is_money(key) and _all_money(value):
                found[_renamed(key, rate.currency)] = _converted(value, rate)
        return found
    if isinstance(document, list):
        return [beside(entry, rate) for entry in document]
    return document


def without_beside(table: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """Leave out of a table whose keys are data what `beside` put there.

    Parameters
    ----------
    table : mapping
        Whose keys are, of money, such as `purchase_usd`.
    currency : str
        Code of the other currency.

    Examples
    --------
    >>> without_beside(
    ...     {"purchase_usd": "2", "purchase_eur": "1", "restart_s": "9"}, "EUR"
    ... )
    {'purchase_usd': '2', 'restart_s': '9'}
    """
    neighbours = {_renamed(key, currency) for key in table if is_money(key)}
    return {
        key: value
        for key, value in table.items()
        # In dollars an amount would be its own neighbour.
        if key not in neighbours or is_money(key)
    }


def _renamed(key: str, currency: str) -> str:
    return "_".join(
        currency.lower() if word == "usd" else word for word in key.split("_")
    )


def _all_money(value: Any) -> bool:
    if isinstance(value, list):
        return all(_all_money(entry) for entry in value)
    return value is None or (isinstance(value, str) and bool(_AMOUNT.fullmatch(value)))


def _converted(value: Any, rate: ExchangeRate) -> Any:
    if isinstance(value, list):
        return [_converted(entry, rate) for entry in value]
    return None if value is None else text_of(rate.of(Decimal(value)))


def read_amount(value: Any, where: str, problems: Problems) -> Decimal | None:
    """Return an amount, a number or a decimal string, as an exact Decimal; or note why not."""
    if isinstance(value, str) and _AMOUNT.fullmatch(value):
        value = Decimal(value)
    return read_decimal(value, where, problems)


def rate_from_mapping(
    entry: Any, where: str, problems: Problems
) -> ExchangeRate | None:
    """Read the rate that a price book or a request states, noting what is wrong."""
    good = isinstance(entry, Mapping) and set(entry) == _RATE_KEYS
    if not problems.check(
        good,
        where,
        None,
        "must have exactly `currency`, `per_usd`, `date` and `source`",
    ):
        return None
    before = len(problems.found)
    code, source = entry["currency"], entry["source"]
    problems.check(
        isinstance(code, str) and _CODE.fullmatch(code) and code != BASE,
        f"{where}.currency",
        code,
        "must be a code of three capital letters such as EUR, other than USD",
    )
    per_usd = read_amount(entry["per_usd"], f"{where}.per_usd", problems)
    if per_usd is not None:
        problems.check(per_usd > 0, f"{where}.per_usd", per_usd, "must be above 0")
    problems.check(
        isinstance(entry["date"], str), f"{where}.date", entry["date"], "must be a date"
    )
    check_date(entry["date"], f"{where}.date", problems)
    problems.check(
        isinstance(source, str) and source.strip(),
        f"{where}.source",
        source,
        "must name the source of the rate",
    )
    if len(problems.found) > before or per_usd is None:
        return None
    return ExchangeRate(code, per_usd, entry["date"], source)


_STATED = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,12})?)@(.+)")


def stated_rate(currency: str, text: str) -> ExchangeRate:
    """Read a rate that a user states: `0.88@2026-09-30`, units of the currency for one US dollar.

    Raises
    ------
    BadInput
        If it is no such rate.
    """
    found = _STATED.fullmatch(text)
    if found is None:
        raise BadInput(
            f"per_usd: `{text}` is not RATE@DATE",
            "write the value of one US dollar in the currency, and the date: "
            "0.88@2026-09-30",
        )
    problems = Problems(
        "per_usd",
        "write the value of one US dollar in the currency and its date: "
        "0.88@2026-09-30",
    )
    rate = rate_from_mapping(
        {
            "currency": currency,
            "per_usd": Decimal(found[1]),
            "date": found[2],
            "source": STATED_RATE,
        },
        "per_usd",
        problems,
    )
    problems.raise_if_any()
    if rate is None:
        raise BadInput(f"per_usd: `{text}` cannot be read", "write 0.88@2026-09-30")
    return rate
