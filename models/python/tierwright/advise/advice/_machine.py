"""The machine of RAM and devices bought by themselves, where no price of one is stated: with what it may not be compared."""

from __future__ import annotations

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._words.limits import on_limit
from tierwright.advise.advice.found import Option
from tierwright.common.wording import listed
from tierwright.evaluate.advice.limits import MONEY


def may_change_by(asked: Asked, *, other_systems: bool = False) -> str:
    """Say how the machine that RAM and devices need could change a choice of these; empty where every option needs as many.

    RAM and devices of one answer need the machines of the workload, all alike, so none of them becomes the better by theirs.
    A ranking of quotes lists no such option: what it offers without a server is said of each quote.

    Parameters
    ----------
    asked : Asked
        What is asked, with no price of a machine.
    other_systems : bool
        Whether choices with another number of systems are compared, as in a placement of several workloads.
    """
    setting = asked.setting
    machine = "machine" if setting.machines == 1 else "machines"
    whole = ["whole systems"] if len(setting.candidates.kinds) > 1 else []
    if setting.have is not None:
        whole.append("what there is today")
    limits = [on_limit(name) for name in MONEY if name in asked.constraints]
    said = []
    if whole:
        said.append(f"{listed(whole)} may cost less than these with their {machine}")
    if other_systems:
        said.append("another number of systems may cost less with their machines")
    if limits:
        limit = "limit" if len(limits) == 1 else "limits"
        said.append(
            f"with their {machine} these may break the {limit} {listed(limits)}"
        )
    return "; ".join(said)


def is_unlike(asked: Asked, best: Option | None) -> bool:
    """Whether a recommendation lacks its machine where its price is held against what has it, or against a limit.

    Parameters
    ----------
    asked : Asked
    best : Option or None
        The recommendation.
    """
    return best is not None and best.without_machine and bool(may_change_by(asked))
