"""Traces of described workloads: accesses drawn at random by the core, written as canonical traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.profile.described.description import Description, Part
from tierwright.trace.reading import OnProgress

MOST_ACCESSES = 2**40
"""A generated trace may have this many accesses."""


def generate_trace(
    description: Description,
    out: Path,
    accesses: int,
    *,
    seed: int = 0,
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Write a canonical trace of a described workload, which every command reads.

    Each access is of one component, at random by weight, and independent of the last; popular
    pages lie all over their part of the data; accesses are evenly spaced in time. The same
    description, accesses and seed give the same bytes. Memory grows with the distinct pages only.

    Parameters
    ----------
    description : Description
        Data, load and mix.
    out : Path
        Canonical trace to write, by convention ``*.twt``; an existing file only with `force`.
    accesses : int
        Page accesses to write, from 1 to `MOST_ACCESSES`.
    seed : int
        From 0 to 2^64 - 1.
    on_progress : callable, optional
        Called with the accesses written, those wanted, and those written; False cancels.

    Returns
    -------
    dict
        The keys of `tierwright.trace.reading.convert`. The trace carries the warning
        `generated_trace`, so every answer from it says where it comes from.

    Raises
    ------
    BadInput
        If `accesses` or `seed` is out of range.
    SimulatorError
        If the file cannot be written, or exists, or progress asked to stop.
    """
    if not 1 <= accesses <= MOST_ACCESSES:
        raise BadInput(
            f"accesses: `{accesses}` must lie from 1 to {MOST_ACCESSES:,}",
            "ten times the pages of the data show every page several times",
        )
    if not 0 <= seed < 2**64:
        raise BadInput(
            f"seed: `{seed}` must lie from 0 to 2^64 - 1", "use a number such as 1"
        )
    document = {
        "name": description.name,
        "page_bytes": description.page_bytes,
        "accesses_per_s": float(description.accesses_per_s),
        "parts": [_part(part) for part in description.parts],
    }
    return _simulator.generate(
        json.dumps(document),
        accesses,
        seed,
        str(out),
        force=force,
        on_progress=on_progress,
    )


def _part(part: Part) -> dict[str, Any]:
    component = part.component
    draw: dict[str, Any] = {"kind": component.kind}
    if component.kind == "zipf":
        draw["exponent"] = float(component.exponent or 0.0)
    elif component.kind == "hot_cold":
        draw["hot_pages"] = part.hot_pages
        draw["hot_access_share"] = float(component.hot_access_share or 0.0)
    return {
        "access_share": part.access_share,
        "first_page": part.first_page,
        "pages": part.pages,
        "write_share": float(part.write_share),
        "draw": draw,
    }
