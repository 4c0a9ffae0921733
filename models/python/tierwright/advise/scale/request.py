"""What is asked of a scaled workload: rates in units of work, factors, and the production file."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from tierwright.common.documents import read_toml
from tierwright.common.errors import BadInput, collected
from tierwright.common.units import parse_bytes
from tierwright.profile.production import Production
from tierwright.profile.rates import RateSeries, read_rates, series_of


def rate_of_units(
    accesses_per_s: float | None,
    units_per_s: float | None,
    accesses_per_unit: float | None,
) -> float:
    """Return page accesses per second, stated as such or in units of work. [1/s]

    Raises
    ------
    BadInput
        If neither is stated, or both, or the accesses of a unit are not.
    """
    if (accesses_per_s is None) == (units_per_s is None):
        raise BadInput(
            "the rate of production is "
            + ("missing" if units_per_s is None else "stated twice"),
            "state accesses per second, or units of work per second, one of them",
        )
    if units_per_s is None:
        assert accesses_per_s is not None  # one of the two
        return accesses_per_s
    if accesses_per_unit is None:
        raise BadInput(
            "the accesses of one unit of work are missing",
            "state how many page accesses one transaction or request had in the recording",
        )
    return units_per_s * accesses_per_unit


def mean_and_peak(
    series: RateSeries | None,
    accesses_per_s: float | None,
    units_per_s: float | None,
    accesses_per_unit: float | None,
    peak_accesses_per_s: float | None,
) -> dict[str, Any]:
    """Return the rates of a `Production`, from a series or as they were stated.

    Parameters
    ----------
    series : RateSeries or None
        Rates over time.
    accesses_per_s, units_per_s, accesses_per_unit : float or None
        Mean rate, as for `rate_of_units`. [1/s], [1/s], [1]
    peak_accesses_per_s : float or None
        Of the busiest hour. [1/s]

    Raises
    ------
    BadInput
        If a series and a rate are both stated; as `rate_of_units`.
    """
    if series is None:
        mean = rate_of_units(accesses_per_s, units_per_s, accesses_per_unit)
        return {"accesses_per_s": mean, "peak_accesses_per_s": peak_accesses_per_s}
    if any(
        each is not None for each in (accesses_per_s, units_per_s, peak_accesses_per_s)
    ):
        raise BadInput(
            "the rate of production is stated twice: a series of rates has its own mean and peak",
            "state the series, or the mean and the peak",
        )
    return {
        "accesses_per_s": series.mean_per_s,
        "peak_accesses_per_s": series.peak_per_s,
        "rates": series,
    }


def factor_of(name: str, text: str) -> float:
    """Read the factor of a relation.

    Raises
    ------
    BadInput
        If it is no number.
    """
    try:
        return float(text)
    except ValueError:
        raise BadInput(
            f"relation `{name}`: `{text}` is not a number",
            "write its size in production over its size when recorded, such as 20",
        ) from None


_PRODUCTION_KEYS = frozenset(
    {
        "data",
        "accesses_per_s",
        "units_per_s",
        "peak_accesses_per_s",
        "rates",
        "page_bytes",
        "write_share",
        "growth_per_year",
        "machines",
        "replicas",
        "law",
        "recorded_data",
        "clients",
        "accesses_per_unit",
        "tau_accesses",
        "fixed",
        "relations",
        "exponent",
    }
)


def read_production(path: Path) -> dict[str, Any]:
    """Read a production file: the parameters of `answer` but the profile.

    Sizes are texts such as `"4TiB"`; `relations` is a table of factors by name or number; `rates` is a list
    of page accesses per second, one an hour, or the name of a table beside the file.

    Raises
    ------
    BadInput
        If the file is absent or no TOML, or holds a key or value that is none; names each.
    """
    hint = "see docs/models/scale.md for its keys"
    data = {
        key: _floats(value) for key, value in read_toml(path, str(path), hint).items()
    }
    with collected(str(path), hint) as problems:
        for key in data.keys() - _PRODUCTION_KEYS:
            problems.add(key, None, "is no key of a production file")
        for key in ("data", "recorded_data", "law"):
            value = data.get(key)
            problems.check(
                value is None or isinstance(value, str),
                key,
                value,
                'must be a text, such as "4TiB"' if key != "law" else "must be a name",
            )
        for key in (
            "accesses_per_s",
            "units_per_s",
            "accesses_per_unit",
            "tau_accesses",
            "exponent",
            "clients",
        ):
            value = data.get(key)
            problems.check(
                value is None
                or (isinstance(value, (int, float)) and not isinstance(value, bool)),
                key,
                value,
                "must be a number",
            )
        fixed, factors = data.get("fixed", []), data.get("relations", {})
        problems.check(
            isinstance(fixed, list) and all(isinstance(one, str) for one in fixed),
            "fixed",
            None,
            "must be a list of names",
        )
        problems.check(
            isinstance(factors, dict)
            and all(
                isinstance(one, (int, float)) and not isinstance(one, bool)
                for one in factors.values()
            ),
            "relations",
            None,
            "must be a table of factors",
        )
        rates = data.get("rates")
        problems.check(
            rates is None or isinstance(rates, (str, list)),
            "rates",
            rates,
            "must be a list of rates, one an hour, or the name of a table",
        )
        problems.check("data" in data, "data", None, "is missing")
    stated = {
        key: data[key]
        for key in (
            "write_share",
            "growth_per_year",
            "machines",
            "replicas",
            "page_bytes",
        )
        if key in data
    }
    recorded = data.get("recorded_data")
    return {
        "production": Production(
            parse_bytes(data["data"]),
            **mean_and_peak(
                _series(rates, path),
                data.get("accesses_per_s"),
                data.get("units_per_s"),
                data.get("accesses_per_unit"),
                data.get("peak_accesses_per_s"),
            ),
            **stated,
        ),
        "per_unit": "units_per_s" in data,
        "law": data.get("law"),
        "recorded_data_bytes": None if recorded is None else parse_bytes(recorded),
        "clients": data.get("clients"),
        "accesses_per_unit": data.get("accesses_per_unit"),
        "tau_accesses": data.get("tau_accesses"),
        "fixed": tuple(fixed),
        "relation_factors": factors,
        "exponent": data.get("exponent"),
    }


def _series(rates: str | list[Any] | None, path: Path) -> RateSeries | None:
    if rates is None:
        return None
    if isinstance(rates, str):
        return read_rates(path.parent / rates)
    return series_of(rates, place=f"{path}: rates")


def _floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_floats(one) for one in value]
    if isinstance(value, dict):
        return {key: _floats(one) for key, one in value.items()}
    return float(value) if isinstance(value, Decimal) else value
