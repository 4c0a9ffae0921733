"""What several questions say of a point: an unknown dirty share, and the RAM that metadata take."""

from __future__ import annotations

from dataclasses import dataclass

from tierwright.common.answer import Step
from tierwright.common.cautions import Caution
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, listed, percent, three_digits
from tierwright.evaluate.metadata import MetadataPreset, RamBudget
from tierwright.evaluate.page_flow.schemes import TABLE
from tierwright.profile.curve import Curve

DIRTY_SHARE_UNKNOWN = Caution(
    "dirty_share_unknown",
    "the share of evicted pages that are dirty is unknown, because a given curve does not "
    "contain it; write costs are a range from no dirty page to the maximum possible",
    "state the dirty share, or profile a trace that has writes",
)
"""Of an answer that holds both ends of an unknown dirty share."""

ONE_END = Step(
    name="p_d",
    formula="unknown; the steps assume the maximum possible share of dirty pages",
    value=None,
    unit="1",
    source="the given curve",
)
"""First step of a derivation that follows one of the two ends."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Page accesses per second of a load, and where the number is from. [1/s]"""

    accesses_per_s: float
    basis: str


def rate_of(curve: Curve, duration_s: float) -> Rate:
    """Return the mean rate of a workload that took so long; of production, as it was stated."""
    if curve.scaled is not None:
        production = curve.scaled.production
        basis = "production as stated"
        if production.machines > 1:
            basis = f"one of {counted(production.machines, 'machine')} of production as stated"
        if curve.scaled.served_per_access > 1:
            basis += f", with the writes to all {counted(production.replicas, 'copy', 'copies')} of a page"
        return Rate(curve.scaled.machine_accesses_per_s, basis)
    return Rate(
        curve.accesses / duration_s,
        f"{counted(curve.accesses, 'access')} in {three_digits(duration_s)} s of the workload",
    )


def scale_sentence(curve: Curve) -> str:
    """Say of which system the sizes and rates of an answer are: of production, or of the recording itself."""
    scaled, parts, given = curve.scaled, curve.scaled_parts, curve.given
    if scaled is not None:
        production = scaled.production
        one = (
            ""
            if production.machines == 1
            else f" Sizes and figures are of one of {counted(production.machines, 'machine')}."
        )
        return (
            f"The workload is that of production, {format_bytes(production.data_bytes)}: "
            f"{three_digits(scaled.factor)} times the recorded data, by the law `{scaled.law}`.{one}"
        )
    if parts is not None:
        return (
            "The workload is composed, and of its parts "
            f"{counted(len(parts.names), 'was', 'were')} scaled to production: {listed(parts.names)}."
        )
    if given is not None:
        kind = (
            "composed"
            if given.composed_of
            else "as its curve was given"
            if given.described_by is None
            else "as it was described"
        )
        return f"The workload is {kind}; nothing was scaled to production."
    return (
        "The workload is the recording itself, which touches "
        f"{format_bytes(curve.distinct_pages * curve.page_bytes)}; nothing was scaled to production."
    )


def scheme_titles() -> dict[str, str]:
    """Return the title of every page-flow scheme."""
    return {each.name: each.title for each in TABLE}


def budget_sentence(preset: MetadataPreset, found: RamBudget) -> str:
    """Say how much RAM the metadata of a flash cache take, and what they leave."""
    if found.metadata_bytes == 0:
        return "Without flash there are no metadata: all RAM caches pages."
    unit = "page" if preset.unit_bytes is None else f"{format_bytes(preset.unit_bytes)}"
    return (
        f"{preset.title} keeps {preset.entry_bytes:g} bytes in RAM for each {unit} on flash: "
        f"{format_bytes(found.metadata_bytes)} of {format_bytes(found.ram_bytes)} "
        f"({percent(found.share)}), which leaves {counted(found.left_pages, 'page')} of RAM to every "
        "scheme with flash."
    )
