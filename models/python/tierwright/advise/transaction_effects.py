"""What cautions about a chip of flash could change: the same operations at other times of it.

Time is counted operations times busy times, so what is least at each end, where one operation takes all of the time,
is least whatever the times; and where the choice loses at an end, there are times at which it loses.
"""

from __future__ import annotations

from collections.abc import Mapping

from tierwright.common.cautions import EQUAL_SHARE, Effect, without_effect
from tierwright.common.wording import listed, whole_percent

Counts = Mapping[str, Mapping[str, float]]
"""Operations of each candidate, by the operation: `page read`, `page write`, `block erase`."""


def at_other_times(counts: Counts, chosen: str, titles: Mapping[str, str]) -> Effect:
    """Say whether a choice stays whatever the times of the chip.

    Parameters
    ----------
    counts : mapping
        Of each candidate, all with the same operations.
    chosen : str
        The candidate that takes the least time at the times given.
    titles : mapping of str to str
        Of the candidates, as they are written in a sentence.

    Returns
    -------
    Effect
        It could change the choice where another candidate has fewer of an operation, by more than is equal for the
        purpose.

    Examples
    --------
    >>> titles = {"page": "pages", "log": "log records"}
    >>> counts = {"page": {"page write": 16.0}, "log": {"page write": 1.0}}
    >>> at_other_times(counts, "log", titles).text
    'no effect: log records take the fewest page writes, so the choice stays whatever the times of the chip'
    >>> both = {
    ...     name: {**each, "page read": reads}
    ...     for (name, each), reads in zip(counts.items(), (4.0, 8.0))
    ... }
    >>> at_other_times(both, "log", titles).text
    'if page reads took all of the time: pages would be best, log records 100 % worse'
    """
    worst: tuple[float, str, str] | None = None
    for operation, own in counts[chosen].items():
        best = min(counts, key=lambda name: counts[name][operation])
        least = counts[best][operation]
        loss = 0.0 if own <= least else own / least - 1 if least else float("inf")
        if loss > EQUAL_SHARE and (worst is None or loss > worst[0]):
            worst = loss, operation, best
    if worst is None:
        operations = listed([f"{operation}s" for operation in counts[chosen]])
        return without_effect(
            f"no effect: {titles[chosen]} take the fewest {operations}, so the choice stays whatever the times of the "
            "chip"
        )
    loss, operation, best = worst
    behind = "far" if loss == float("inf") else whole_percent(loss)
    return Effect(
        f"if {operation}s took all of the time: {titles[best]} would be best, {titles[chosen]} {behind} worse",
        could_change_choice=True,
        size=loss,
    )
