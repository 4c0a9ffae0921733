"""Whether the devices of a choice carry the load at which the workload was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count
from tierwright.evaluate.page_flow.results import Evaluation, SchemeResult
from tierwright.evaluate.page_flow.terms import COST_TERMS
from tierwright.profile.curve import Curve

US_PER_S = 1e6
TIER_TERMS: Mapping[str, tuple[str, ...]] = {
    device: tuple(term.name for term in COST_TERMS if term.device == device)
    for device in ("flash", "disk")
}
"""Cost terms of an access by the device that is busy with them."""
MANY_TIMES = 10
"""Busy share from which a multiple reads better than per cent."""


@dataclass(frozen=True, slots=True)
class BusyShares:
    """How busy one scheme keeps the devices.

    Attributes
    ----------
    flash, disk : float
        Busy time over time, X S by the utilisation law (Denning and Buzen, 1978); above 1 the
        device cannot keep up. [1]
    """

    flash: float
    disk: float

    @property
    def carries(self) -> bool:
        """Whether both devices keep up."""
        return max(self.flash, self.disk) <= 1

    @property
    def busiest(self) -> tuple[str, float]:
        """The busier device, and its share."""
        return ("flash", self.flash) if self.flash > self.disk else ("disk", self.disk)


def busy_shares(
    terms_us_per_access: Mapping[str, float], accesses_per_s: float
) -> BusyShares:
    """Share of the time for which each device is busy.

    Parameters
    ----------
    terms_us_per_access : mapping of str to float
        Cost terms of one scheme. [µs/access]
    accesses_per_s : float
        X, finite and not negative. [1/s]

    Raises
    ------
    BadInput
        If the rate is negative or not finite.

    Notes
    -----
    U = X S: S sums the terms of a device, its busy time per access.

    Examples
    --------
    1,000 accesses per second, each 500 µs of disk and 20 µs of flash:

    >>> busy_shares({"disk_reads": 400, "disk_writes": 100, "flash_reads": 20}, 1000)
    BusyShares(flash=0.02, disk=0.5)
    """
    if not 0 <= accesses_per_s < float("inf"):
        raise BadInput(
            f"accesses_per_s: `{accesses_per_s}` must be finite and not negative",
            "divide the accesses of the recording by its duration",
        )
    return BusyShares(
        *(
            sum(terms_us_per_access.get(term, 0.0) for term in terms)
            * accesses_per_s
            / US_PER_S
            for terms in TIER_TERMS.values()
        )
    )


def about_load(
    found: Evaluation, curve: Curve, duration_s: float | None
) -> Iterator[Caution]:
    """Warn where the best scheme keeps a device busy for more than all of the time.

    Parameters
    ----------
    found : Evaluation
        The schemes at one choice; the figures of a replayed scheme are those of its replay.
    curve : Curve
        Of the recording, or of a description.
    duration_s : float or None
        Of the same; without it there is no rate and no warning. [s]
    """
    # Of production the devices that carry its rate are counted: see `at_load`.
    if duration_s is None or duration_s <= 0 or curve.scaled is not None:
        return
    rate, who = curve.accesses / duration_s, _maker_of(curve)
    shares = {
        name: busy_shares(deciding_terms(scheme), rate)
        for name, scheme in found.schemes.items()
    }
    best = shares[found.best]
    if best.carries:
        return
    tier, busy = best.busiest
    able = [name for name, share in shares.items() if share.carries]
    others = (
        f"{' and '.join(f'`{name}`' for name in able)} "
        f"{'carries' if len(able) == 1 else 'carry'} it"
        if able
        else "no scheme carries it"
    )
    yield Caution(
        "load_beyond_devices",
        f"{who} {format_count(float(f'{rate:.3g}'))} accesses per "
        f"second, {_too_many(busy, tier)} under `{found.best}`; {others}",
        "choose more RAM or flash, or a faster or wider device; see the page "
        "Throughput for the rate that the devices can carry",
        could_change_choice=True,
        effect=f"at this load {others}, `{found.best}` does not"
        if able
        else "at this load no scheme suffices: other sizes or devices are needed",
    )


def _maker_of(curve: Curve) -> str:
    given = curve.given
    if given is not None and given.described_by is not None:
        return "the description states"
    if given is not None and given.composed_of:
        return (
            "the composed workloads make"
            if len(given.composed_of) > 1
            else "the composed workload makes"
        )
    return "the recording makes"


def deciding_terms(scheme: SchemeResult) -> Mapping[str, float]:
    """Cost terms that the choice rests on: replayed, or else the model's."""
    if scheme.replayed is None:
        return scheme.cost_terms_us_per_access
    return scheme.replayed.cost_terms_us_per_access


def _too_many(share: float, tier: str) -> str:
    """Say by how much a tier is too slow; a share above 1 never reads as all of the time."""
    if share >= MANY_TIMES:
        return f"{float(f'{share:.3g}'):,.10g} times what the {tier} can carry"
    digits = f"{100 * share:,.0f}"
    percent = "just over 100" if digits == "100" else digits
    return f"for which the {tier} would have to be busy for {percent} % of the time"
