"""Who leads at both ends of what is unknown: a tie at one end is no change of the leader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["at_both_ends", "leaders"]


def leaders(
    values: Mapping[str, float],
    order: Iterable[str],
    *,
    tolerance: float,
    most: bool = False,
) -> tuple[str, ...]:
    """Names of the least value and of all that equal it, in an order of preference.

    Parameters
    ----------
    values : mapping of str to float
        By name; at least 0.
    order : iterable of str
        Names; those without a value are passed over.
    tolerance : float
        Share of the least by which an equal value may differ. [1]
    most : bool
        Whether the largest value leads.

    Examples
    --------
    >>> leaders(
    ...     {"lazy": 3.0, "exclusive": 2.0, "none": 2.0},
    ...     ("none", "lazy", "exclusive"),
    ...     tolerance=0,
    ... )
    ('none', 'exclusive')
    """
    names = [name for name in order if name in values]
    if most:
        bound = max(values[name] for name in names)
        return tuple(name for name in names if values[name] >= bound * (1 - tolerance))
    bound = min(values[name] for name in names)
    return tuple(name for name in names if values[name] <= bound * (1 + tolerance))


def at_both_ends(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, str]:
    """Name a leader at either end: the same where one leads, or ties, at both.

    Examples
    --------
    >>> at_both_ends(("lazy", "exclusive"), ("exclusive",))
    ('exclusive', 'exclusive')
    >>> at_both_ends(("lazy",), ("exclusive", "inclusive"))
    ('lazy', 'exclusive')
    """
    both = [name for name in first if name in second]
    return (both[0], both[0]) if both else (first[0], second[0])
