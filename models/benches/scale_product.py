"""Scale laws as the product answers them, for ``scale_study.py``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scale_oracle import (
    Errors,
    Floats,
    Recording,
    Truth,
    default_tau,
    errors_of,
    pairs,
    relation_factors,
    truth_of,
)

from tierwright.advise import scale
from tierwright.profile import production, relations
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.trace.reading import Trace

LAWS = ("stretch", "cold_growth", "one_factor", "relations", "relations_tau")
TAU_FACTORS = {"relations_tau_quarter": 0.25, "relations_tau_four": 4.0}
OTHERS = "others"
"""The relations that the product counts together."""


def profile_of(trace: Path) -> Profile:
    """Profile a recording, relation by relation."""
    opened = Trace(trace)
    return replace(profile(opened), relations=relations.measured(opened, names=True))


def options_of(
    law: str, small: Recording, known: Profile, large: Recording
) -> dict[str, Any]:
    """Return what is stated of a law.

    ``one_factor`` is the law ``relations`` with tau where no factor of a relation is stated: all
    but catalogs grow alike.
    """
    tau = TAU_FACTORS.get(law, 0.0 if law == "relations" else 1.0) * default_tau(small)
    if law == "one_factor":
        return {"law": "relations", "tau_accesses": tau}
    if not law.startswith("relations"):
        return {"law": law}
    factors = relation_factors(small, large).tolist()
    by_name = {**dict(zip(small.names, factors, strict=True)), OTHERS: 1.0}
    grows = {one.name for one in known.relations if one.grows}
    stated = {name: factor for name, factor in by_name.items() if name in grows}
    return {"law": "relations", "tau_accesses": tau, "relation_factors": stated}


def answered(
    law: str, small: Recording, known: Profile, large: Recording, truth: Truth
) -> Floats:
    """Misses per access of the larger system, as the product predicts them; shape ``[sizes]``."""
    found = scale.answer(
        known,
        production.Production(
            data_bytes=int(large.described["database_bytes_before"]),
            accesses_per_s=1.0,
        ),
        recorded_data_bytes=int(small.described["database_bytes_before"]),
        per_unit=True,
        **options_of(law, small, known, large),
    )
    running = found.profile.curve.steady()
    return np.asarray(running.misses(truth.pages), np.float64) / running.accesses


def product_errors(
    recordings: Sequence[Recording], folder: Path, again: Sequence[Recording] = ()
) -> list[Errors]:
    """Errors of the product's laws; the recordings lie in ``folder``, and count with others of their scale."""
    known = {
        one.label: profile_of(folder / f"{one.label}.csv.zst") for one in recordings
    }
    truths = {one.label: truth_of(one, again) for one in recordings}
    found = []
    for small, large in pairs(recordings):
        if small.label == large.label:
            continue
        truth = truths[large.label]
        for law in (*LAWS, *TAU_FACTORS):
            predicted = answered(law, small, known[small.label], large, truth)
            found.append(errors_of(law, small, large, truth, predicted))
    return found
