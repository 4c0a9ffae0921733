"""What the cautions of a scheme map could change: on how much of it another scheme would be best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.cautions import (
    EQUAL_SHARE,
    Caution,
    Effect,
    Weigh,
    anywhere,
    without_effect,
)
from tierwright.common.wording import percent
from tierwright.evaluate.page_flow.effects import WITHOUT_EFFECT
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, other_ends
from tierwright.evaluate.page_flow.scheme_map import Axis, MapProblem, SchemeMap
from tierwright.profile.curve import Curve

MOST_PLACES = 16
"""Values of an axis at which an other end is computed: a share needs no more."""


def weigher(made: SchemeMap, curve: Curve, asked: Mapping[str, Any]) -> Weigh:
    """Return what computes the effect of a caution on the winners of a map, each once.

    Parameters
    ----------
    made : SchemeMap
        The map.
    curve : Curve
        Of the workload, with write-backs unless a dirty share is set.
    asked : mapping
        What the map was asked with: `flash`, `disk`, sizes, shares and `flash_metadata`.
    """
    x, y = _places(made.x), _places(made.y)
    place = _problem(made, curve, asked).point(x[None, :], y[:, None])
    sizes = {
        float(s) for each in (place.r, place.f, place.r + place.f) for s in each.flat
    }
    situation = Situation(curve, asked["flash"], asked["disk"], tuple(sorted(sizes)))
    known: dict[tuple[str, tuple[str, ...]], Effect] = {}

    def costs_in(of: Situation) -> FloatArray:
        devices = {"flash": of.flash, "disk": of.disk}
        found, _ = _problem(made, of.curve, {**asked, **devices}).evaluate(
            x[None, :], y[:, None]
        )
        shape = (len(y), len(x))
        return np.stack([np.broadcast_to(found[name], shape) for name in made.schemes])

    def weigh(caution: Caution) -> Effect:
        if caution.name in WITHOUT_EFFECT:
            return without_effect("no effect on the winners of the map")
        key = (caution.name, caution.about)
        if key not in known:
            ends = other_ends(caution, situation)
            known[key] = (
                _effect(
                    ends,
                    [
                        beaten(costs_in(end.before), costs_in(end.situation))
                        for end in ends
                    ],
                )
                if ends
                else anywhere(caution)
            )
        return known[key]

    return weigh


def beaten(before: FloatArray, after: FloatArray) -> float:
    """Share of a map on which what was best is worse than the best of another map.

    Parameters
    ----------
    before, after : float64 array, shape (schemes, n, m)
        I/O time; infinite where a scheme does not fit. [µs]

    Returns
    -------
    float
        Of the places where a scheme fits: those where it loses more than `EQUAL_SHARE`. [1]

    Examples
    --------
    At the second of two places the first scheme becomes dearer than the other by a tenth:

    >>> import numpy as np
    >>> one = np.array([[[1.0, 1.0]], [[2.0, 2.0]]])
    >>> other = np.array([[[1.0, 2.2]], [[2.0, 2.0]]])
    >>> beaten(one, other)
    0.5
    """
    chosen = np.argmin(before, axis=0)[None]
    fits = np.isfinite(before.min(axis=0))
    if not fits.any():
        return 0.0
    cost = np.take_along_axis(after, chosen, axis=0)[0]
    lost = cost > after.min(axis=0) * (1 + EQUAL_SHARE)
    return float(lost[fits].mean())


def _effect(ends: Sequence[OtherEnd], shares: Sequence[float]) -> Effect:
    share, worst = max(zip(shares, ends, strict=True), key=lambda each: each[0])
    return effect(worst.when, share)


def effect(when: str, share: float) -> Effect:
    """Say on how much of a map another scheme would be best.

    Parameters
    ----------
    when : str
        At which other end, to be read behind *if*.
    share : float
        Of the places of the map. [1]
    """
    if share == 0:
        return Effect(
            f"if {when}: the same scheme would be best everywhere on the map",
            could_change_choice=False,
        )
    return Effect(
        f"if {when}: on {percent(share)} of the map another scheme would be best",
        could_change_choice=share > EQUAL_SHARE,
        size=share,
    )


def _places(axis: Axis) -> FloatArray:
    """Return some values of an axis, its ends among them."""
    count = min(len(axis.values), MOST_PLACES)
    at = np.unique(np.linspace(0, len(axis.values) - 1, count).round().astype(np.int64))
    return axis.values[at]


_FIXED = ("ram_pages", "flash_pages", "dirty_share", "asymmetry")


def _problem(made: SchemeMap, curve: Curve, asked: Mapping[str, Any]) -> MapProblem:
    return MapProblem(
        curve,
        (made.x.name, made.y.name),
        {name: asked.get(name) for name in _FIXED},
        (asked["flash"], asked["disk"]),
        made.schemes,
        asked.get("flash_metadata"),
    )
