"""Sizes of memory and drives as inventories write them: a number with its unit, which is never guessed."""

from __future__ import annotations

import re

from tierwright.hardware.imports import values
from tierwright.hardware.imports.ledger import Skip, shown

_SIZE = re.compile(r"([0-9.]+) ?([A-Za-z]*)")
_BINARY = {f"{power}iB": 2 ** (10 * at) for at, power in enumerate("KMGTP", 1)}
_DECIMAL = {f"{power}B": 10 ** (3 * at) for at, power in enumerate("KMGTP", 1)}
_UNITS = {"B": 1, **_BINARY, **_DECIMAL}
_LARGEST = 2**63


def bytes_of(text: str, unit: str, name: str, units: list[tuple[str, str]]) -> int:
    """Return a size in bytes, and note its unit.

    Parameters
    ----------
    text : str
        A number, alone or with its unit.
    unit : str
        Of numbers alone; empty where nothing states it.
    name : str
        `ram`, `module` or `drive`.

    Raises
    ------
    Skip
        If it is not one, its unit is not stated, is unknown, or means several things.
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise Skip(f"{name} `{shown(text)}` is not a size such as 64 GiB")
    own = found[2]
    if own and unit and own != unit:
        raise Skip(
            f"{name} `{shown(text)}` has another unit than `{shown(unit)}`, which is stated beside it"
        )
    printed = own or unit
    if not printed:
        raise Skip(f"no unit of {name} is stated")
    if printed not in _UNITS:
        raise Skip(f"unit `{shown(printed)}` of {name} is unknown")
    if name != "drive" and printed in _DECIMAL:
        raise Skip(
            f"unit `{printed}` of {name} may be {format_unit(_DECIMAL[printed])} or "
            f"{format_unit(_BINARY[f'{printed[0]}iB'])}: state {printed[0]}iB where it is a power of 2"
        )
    amount = values.positive(found[1], name) * _UNITS[printed]
    if amount != amount.to_integral_value() or amount >= _LARGEST:
        raise Skip(f"{name} `{shown(text)}` is not a whole number of bytes")
    units.append((printed, format_unit(_UNITS[printed])))
    return int(amount)


def format_unit(count: int) -> str:
    """Return how many bytes a unit is, as a power.

    Examples
    --------
    >>> format_unit(10**9), format_unit(2**30), format_unit(1)
    ('10^9 bytes', '2^30 bytes', '1 byte')
    """
    if count == 1:
        return "1 byte"
    if count & (count - 1) == 0:
        return f"2^{count.bit_length() - 1} bytes"
    return f"10^{len(str(count)) - 1} bytes"
