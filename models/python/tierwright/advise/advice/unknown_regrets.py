"""Why choices have no regret in some scenario, each reason once: as the text of the command and the report say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tierwright.common.wording import listed

_MOST_NAMED = 2


def unknown_regrets(rows: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Say of which choices no regret is known in some scenario and why, without a full stop.

    Parameters
    ----------
    rows : iterable of (str, iterable of str)
        Each choice as it is named, with the reasons of its regrets, empty where one is known.

    Examples
    --------
    >>> unknown_regrets([("A", ["", "it breaks a limit"]), ("B", [""])])
    ['No regret of A in some scenario: it breaks a limit']
    """
    every = [(name, [*reasons]) for name, reasons in rows]
    of: dict[str, list[str]] = {}
    for name, reasons in every:
        for reason in dict.fromkeys(filter(None, reasons)):
            of.setdefault(reason, []).append(name)
    return [
        f"No regret of {_which(names, len(every))}: {reason}"
        for reason, names in of.items()
    ]


def _which(names: Sequence[str], in_all: int) -> str:
    """Name up to two choices, and count more of them."""
    if len(names) == 1:
        return f"{names[0]} in some scenario"
    if len(names) <= _MOST_NAMED:
        which = listed(names)
    elif len(names) == in_all:
        which = f"all {in_all:,} choices"
    else:
        which = f"{len(names):,} of the {in_all:,} choices"
    return f"{which} in some scenario, each for the same reason"
