"""Synthetic workloads of the FD-Buffer paper: Zipf ranks and what changes over epochs.

Source: On et al. (CIKM 2010), section 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tierwright.common.checks import broadcast, whole
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.evaluate.pool_split.costs import check_asymmetry

WRITE_SHARE_STEP = 0.01
ASYMMETRY_STEP = 0.1
ALTERNATING_FACTOR = 0.95


@dataclass(frozen=True, slots=True)
class Epoch:
    """Write share and asymmetry in one epoch, by the paper's four models.

    Attributes
    ----------
    wm1 : float
        Write share that grows by 1 % of its start an epoch, at most 1. [1]
    wm2 : float
        Write share that is lower in every other epoch. [1]
    rm1 : float
        Asymmetry that grows by 10 % of its start an epoch: a device that fragments. [1]
    rm2 : float
        Asymmetry that is lower in every other epoch: a device that is trimmed. [1]
    """

    wm1: float
    wm2: float
    rm1: float
    rm2: float


def epoch(
    number: int,
    *,
    write_share: float,
    asymmetry: float,
    alternating_factor: float = ALTERNATING_FACTOR,
) -> Epoch:
    """Write share and asymmetry in epoch `number`, an epoch being about 5,000 accesses.

    WM1 w0 (1 + i %), read so where the print is illegible and capped at 1; WM2 0.95 w0 in odd
    epochs, else w0; RM1 R0 (1 + 0.1 i); RM2 0.95 R0 in odd epochs, else R0. A wobble of 5 %
    sits oddly with the gains that the paper reports, so the factor is a parameter.

    Parameters
    ----------
    number : int
        i, from 0.
    write_share : float
        w0. [1]
    asymmetry : float
        R0. [1]
    alternating_factor : float
        Factor of the odd epochs. [1]

    Raises
    ------
    BadInput
        If i is not a whole number from 0, w0 is outside [0, 1] or R0 is not above 0.

    Examples
    --------
    >>> epoch(5, write_share=0.15, asymmetry=32)
    Epoch(wm1=0.1575, wm2=0.1425, rm1=48.0, rm2=30.4)
    """
    if number != int(number):
        raise BadInput(
            f"number: `{number}` is not a whole number", "count epochs from 0"
        )
    broadcast(
        "epoch",
        amounts={"number": number, "alternating_factor": alternating_factor},
        shares={"write_share": write_share},
    )
    check_asymmetry(asymmetry)
    factor = alternating_factor if number % 2 else 1.0
    return Epoch(
        wm1=min(1.0, write_share * (1 + WRITE_SHARE_STEP * number)),
        wm2=min(1.0, write_share * factor),
        rm1=asymmetry * (1 + ASYMMETRY_STEP * number),
        rm2=asymmetry * factor,
    )


def zipf_pmf(rank: int, pages: int, alpha: float) -> float:
    """Probability of the page of a rank: k^-alpha / sum of j^-alpha over all pages. [1]

    Parameters
    ----------
    rank : int
        k, from 1.
    pages : int
        Number of pages.
    alpha : float
        Exponent; 0 is uniform. [1]

    Raises
    ------
    BadInput
        If rank or pages is not a whole number from 1, the rank exceeds the pages, or alpha is
        negative.

    Examples
    --------
    >>> zipf_pmf(17, 1000, 0.0)
    0.001
    """
    whole("Zipf", rank=rank, pages=pages)
    broadcast("Zipf", amounts={"alpha": alpha})
    if rank > pages:
        raise BadInput(
            f"Zipf: rank: `{rank}` exceeds the {counted(pages, 'page')}",
            "use ranks from 1",
        )
    weights = np.arange(1, pages + 1, dtype=np.float64) ** -alpha
    return float(rank**-alpha / weights.sum())
