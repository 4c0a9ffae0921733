"""Other page flows of the hardware that is recommended, which the model does not tell apart from the choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._choice import Chosen
from tierwright.advise.advice._table import Table
from tierwright.advise.point import scheme_titles
from tierwright.common.units import format_microseconds
from tierwright.common.wording import listed
from tierwright.evaluate.advice.choose import in_same_hardware

_EQUAL = 1e-9
"""Share by which two I/O times differ by how they were added up alone. [1]"""


def text(asked: Asked, table: Table, chosen: Chosen, best: int) -> str:
    """Say which other page flows of the same hardware take as long as the choice, or differ by less than the model may be off.

    Those that break a limit are not named. Of limits on response times nothing is known but of what is listed: there it says
    nothing.

    Parameters
    ----------
    asked : Asked
    table : Table
    chosen : Chosen
    best : int
        Option that the model chose.
    """
    titles, options = scheme_titles(), table.options
    if table.scheme(best) not in titles or asked.limits_response:
        return ""
    same = in_same_hardware(options, table.hardware_codes, best)
    same &= chosen.first_broken < 0
    rows = [at for at in np.flatnonzero(same).tolist() if table.scheme(at) in titles]
    if not rows:
        return ""
    low, high = table.held(np.asarray([best, *rows])).io_us_ends(asked.setting.curve)
    as_fast: list[str] = []
    near = [(titles[table.scheme(best)], _time(table, best))]
    for at, least, most in zip(rows, low[1:], high[1:], strict=True):
        title = titles[table.scheme(at)]
        if np.isclose(options.io_us[at], options.io_us[best], rtol=_EQUAL, atol=0.0):
            as_fast.append(title)
        elif low[0] <= most and least <= high[0]:
            near.append((title, _time(table, at)))
    said = []
    if as_fast:
        said.append(f"Under {listed(as_fast)} the same hardware takes as long.")
    if near[1:]:
        said.append(
            f"{_listed_times(near)} are within the known error of the model on the same hardware: only a replay tells them "
            "apart."
        )
    return " ".join(said)


def _time(table: Table, at: int) -> str:
    return format_microseconds(float(table.options.io_us[at]))


def _listed_times(near: Sequence[tuple[str, str]]) -> str:
    """List page flows with their I/O times; one that is that of all is written once."""
    [first, *others] = dict.fromkeys(time for _, time in near)
    if not others:
        return f"{listed([title for title, _ in near])}, at {first} per access each,"
    return listed([f"{title} ({time})" for title, time in near])
