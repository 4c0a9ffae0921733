"""What can be said about costs when nobody knows how many victims are dirty.

Hits and misses follow from the curve alone. For fixed hits every cost formula is linear in p_d
and p_dF and rises with both, so the ends of the dirty share give the ends of the cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tierwright.common.errors import BadInput
from tierwright.common.ties import at_both_ends, leaders
from tierwright.evaluate.page_flow.decision import TIE_TOLERANCE
from tierwright.evaluate.page_flow.evaluation import evaluate
from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.evaluate.page_flow.schemes import TIE_ORDER
from tierwright.profile.curve import Curve


@dataclass(frozen=True, slots=True)
class DirtyRange:
    """All schemes at both ends of what the dirty share can be.

    Attributes
    ----------
    least, most : Evaluation
        With as few and as many dirty victims as possible.
    best : str or None
        Scheme with the least I/O time at both ends, alone or with equals, hence at every
        dirty share between that is the same for all sizes; None where there is none.
    best_at_least, best_at_most : str
        Scheme with the least I/O time at either end; among equals the one that leads at both.
    write_share : float or None
        Share of the accesses that write, which bounds the write-backs. [1]
    """

    least: Evaluation
    most: Evaluation
    best: str | None
    best_at_least: str
    best_at_most: str
    write_share: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the keys of an evaluation, with what is unknown left empty."""
        found = self.most.to_dict()
        least = self.least.to_dict()
        for name, scheme in found["schemes"].items():
            low = least["schemes"][name]
            for key in (
                "io_time_us_per_access",
                "flash_writes",
                "flash_writes_per_access",
                "flash_writes_counted",
                "flash_writes_cold_start",
                "hdd_writes",
                "p_d",
                "p_d_flash",
            ):
                ends = sorted((low[key], scheme[key]))
                scheme[f"{key}_range"] = ends
                scheme[key] = ends[0] if ends[0] == ends[1] else None
            scheme["cost_terms_us_per_access_least"] = low["cost_terms_us_per_access"]
            scheme["cost_terms_us_per_access_most"] = scheme.pop(
                "cost_terms_us_per_access"
            )
        for name, bar in found["outer"]["bars"].items():
            low = least["outer"]["bars"][name]
            for key in (
                "io_time_us_per_access",
                "flash_writes",
                "flash_writes_per_access",
                "hdd_writes",
            ):
                ends = sorted((low[key], bar[key]))
                bar[f"{key}_range"] = ends
                bar[key] = ends[0] if ends[0] == ends[1] else None
            bar["cost_terms_us_per_access_least"] = low["cost_terms_us_per_access"]
            bar["cost_terms_us_per_access_most"] = bar.pop("cost_terms_us_per_access")
        found.update(
            best=self.best,
            runner_up=None,
            margin=None,
            margin_us_per_access=None,
            gain_over_none=None,
            best_at_least=self.best_at_least,
            best_at_most=self.best_at_most,
        )
        # The steps hold the numbers of one end only.
        found["derivation"] = {
            "least": least["derivation"],
            "most": found["derivation"],
        }
        return found


def dirty_ends(curve: Curve) -> tuple[Curve, Curve]:
    """Return a curve without write-backs with the fewest and with the most that it can have.

    None at all, and one for every miss, but never more than the accesses that write.

    Raises
    ------
    BadInput
        If the curve has write-backs: measured, or by a stated dirty share.
    """
    if curve.write_backs_at is not None:
        raise BadInput(
            "the dirty share of this curve is known",
            "evaluate it as it is",
        )
    share = _write_share(curve)
    writes = curve.accesses if share is None else math.ceil(share * curve.accesses)
    least = replace(
        curve, write_backs_at=np.zeros_like(curve.misses_at), write_accesses=0
    )
    most = replace(
        curve,
        write_backs_at=np.minimum(curve.misses_at, float(writes)),
        write_accesses=writes,
    )
    return least, most


def _write_share(curve: Curve) -> float | None:
    """Share of the accesses of a curve that write; None where nobody said. [1]"""
    stated = None if curve.scaled is None else curve.scaled.production.write_share
    if curve.scaled is not None and stated is not None:
        return curve.scaled.machine_write_share(stated)
    return None if curve.given is None else curve.given.write_share


def evaluate_range(curve: Curve, **choices: Any) -> DirtyRange:
    """Compare the schemes at both ends of the dirty share of a given curve.

    Parameters
    ----------
    curve : Curve
        Given, without write-backs.
    **choices
        As `evaluate` takes them: sizes, devices, prices.

    Raises
    ------
    BadInput
        As `evaluate` and `dirty_ends`.
    """
    low, high = dirty_ends(curve)
    least, most = evaluate(low, **choices), evaluate(high, **choices)
    few, many = at_both_ends(_leaders(least), _leaders(most))
    return DirtyRange(
        least,
        most,
        many if many == few else None,
        few,
        many,
        _write_share(curve),
    )


def _leaders(found: Evaluation) -> tuple[str, ...]:
    costs = {
        name: result.io_time_us_per_access for name, result in found.schemes.items()
    }
    return leaders(costs, TIE_ORDER, tolerance=TIE_TOLERANCE)
