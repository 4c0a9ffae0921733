"""At which sizes a recording is replayed for a workload that was scaled to production.

Production itself was never recorded. A replay of the recording at the sizes that correspond by the scale
law shows how a scheme behaves at these; it does not check the law.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tierwright.common.cautions import Caution
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import counted, percent, sentences, three_digits
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled

LEAST_PAGES = 1000
"""Pages of a tier below which it is not replayed in place of a larger one. [pages]"""

MOST_HELD = 0.7
"""Share of the pages of a recording in RAM and flash from which the second half of it does not show full caches:
a steady state is then off a replay by as much as itself (`decision.STEADY_ERRORS`, `docs/models/choices.md`). [1]"""

FILL = "record for longer, or choose smaller sizes"
"""What to do where a recording does not fill caches."""

AS_LARGE = "record a system that holds as much data as production"
"""What to do where the scale law adds pages that a recording does not have."""

MORE_ALIKE = "record a system that writes as production does"
"""What to do where a recording writes another share of its accesses than production."""

_SAME_SHARE = 0.02
"""Shares of writes that differ by less, of themselves, are the same: stated with as many digits as anybody knows."""

Sizes = tuple[int, int]
"""RAM and flash. [pages]"""


def recorded_sizes(
    scaled: Scaled, ram_pages: int, flash_pages: int, *, repeats_ram: bool
) -> Sizes:
    """Return the sizes of the recorded system that stand for RAM and flash of production.

    Each is the size that the law made into that of production, see `Scaled.recorded_size`. Where flash
    repeats what RAM holds, flash counts alone; where it does not, RAM and flash count together, and flash
    is what RAM leaves of them.

    Parameters
    ----------
    scaled : Scaled
        How the workload was scaled.
    ram_pages, flash_pages : int
        Of one machine of production. [pages]
    repeats_ram : bool
        Whether flash holds copies of the pages in RAM.

    Returns
    -------
    (int, int)
        RAM and flash, at least one page of each that has any. [pages]
    """
    ram = scaled.recorded_size(ram_pages)
    if flash_pages == 0:
        return _whole(ram, ram_pages), 0
    flash = (
        scaled.recorded_size(flash_pages)
        if repeats_ram
        else scaled.recorded_size(ram_pages + flash_pages) - ram
    )
    return _whole(ram, ram_pages), _whole(flash, flash_pages)


def _whole(pages: float, asked: int) -> int:
    return max(min(asked, 1), round(pages))


def recorded_accesses(scaled: Scaled) -> int:
    """Return the accesses of the recording that a replay of it reads. [accesses]

    Raises
    ------
    BadInput
        If an earlier version scaled the workload, and kept neither these nor the sizes.
    """
    if scaled.recorded_accesses is None:
        raise BadInput(
            "the workload was scaled by an earlier version, which did not keep the sizes of the "
            "recording, so no replay can stand for it",
            "scale the recording again",
        )
    return scaled.recorded_accesses


def recorded_rate(curve: Curve, duration_s: float | None) -> float | None:
    """Return the mean rate of the recording that stands behind a curve; None where it has no times. [1/s]

    Parameters
    ----------
    curve : Curve
        Of a recording, or scaled from one.
    duration_s : float or None
        How long its accesses take; None where nobody knows. [s]
    """
    if curve.scaled is not None:
        return curve.scaled.recorded_per_s
    return curve.accesses / duration_s if duration_s else None


def other_writes(scaled: Scaled | None) -> tuple[float, float] | None:
    """Return the shares of the accesses that write, of the recording and of one machine of production; None where they are equal, or unknown. [1]"""
    shares = None if scaled is None else scaled.write_shares
    if shares is None or math.isclose(*shares, rel_tol=_SAME_SHARE):
        return None
    return shares


def writes_factor(scaled: Scaled | None) -> float:
    """Return by what the writes of a recording are multiplied to be those of one machine of production; 1 where nobody states others. [1]

    Parameters
    ----------
    scaled : Scaled or None
        How the workload was scaled; None where it was not.
    """
    shares = other_writes(scaled)
    if shares is None or not shares[0]:
        return 1.0
    recorded, machine = shares
    return machine / recorded


def writes_apart(scaled: Scaled | None) -> str:
    """Say that a recording writes another share of its accesses than one machine of production; empty where it does not, or nobody knows."""
    shares = other_writes(scaled)
    return "" if shares is None else _apart(shares)


def caches_apart(scaled: Scaled | None) -> str:
    """Say why no replay of a flash cache stands for production, whose writes are others; empty where one may."""
    apart = writes_apart(scaled)
    return (
        f"{apart}, and no law tells what a flash cache does with other writes"
        if apart
        else ""
    )


def writes_multiplied(scaled: Scaled | None) -> str:
    """Say the same, and what it makes of a replay whose write-backs are multiplied: `writes_factor`."""
    shares = other_writes(scaled)
    return "" if shares is None else _multiplied(shares)


def pages_apart(scaled: Scaled | None) -> str:
    """Say that the scale law adds pages that a recording does not have; empty where it adds none."""
    if scaled is None or not scaled.adds_pages:
        return ""
    return _added(scaled.law)


NOT_REPLAYED = "Not checked by a replay"
"""Begins why nothing is replayed."""


def _added(law: str) -> str:
    return f"the scale law “{law}” adds pages that are not in the recording"


def _apart(shares: tuple[float, float]) -> str:
    recorded, machine = shares
    return (
        f"the recording writes with {percent(recorded)} of its accesses, one machine of production with "
        f"{percent(machine)}"
    )


def _multiplied(shares: tuple[float, float]) -> str:
    recorded, machine = shares
    return (
        f"{_apart(shares)}: what its replay writes back is multiplied by {three_digits(machine / recorded)}, as the scale law "
        "multiplies the write-backs of its curve"
    )


@dataclass(frozen=True, slots=True)
class ReplaySizes:
    """Sizes at which a recording is replayed for production.

    Attributes
    ----------
    law : str
        Scale law by which sizes correspond.
    divided_by : float or None
        By what the sizes of one machine are divided; None where the law maps each size by itself. [1]
    ram_pages, flash_pages : tuple of int
        Sizes that are replayed, increasing. [pages]
    smallest_tier : str
        The tier, `RAM` or `flash`, that has the fewest pages of those that are not replayed at their own
        size; empty where none is replayed, because the law adds pages that the recording does not have.
    smallest_pages : int
        Its size in the replay; 0 where none is. [pages]
    recorded_data_bytes : int
        Data of the recorded system. [bytes]
    held_share : float
        RAM and flash together as a share of the pages of the recording; 0 where caches need not be full. [1]
    write_shares : tuple of (float, float) or None
        Shares of the accesses that write, of the recording and of one machine of production; None where they are
        equal, or unknown. [1]
    units : str
        Which units of flash caches the replays have in place of those of production; empty where they have the same.
    """

    law: str
    divided_by: float | None
    ram_pages: tuple[int, ...]
    flash_pages: tuple[int, ...]
    smallest_tier: str
    smallest_pages: int
    recorded_data_bytes: int
    held_share: float = 0.0
    write_shares: tuple[float, float] | None = None
    units: str = ""

    @classmethod
    def of(
        cls,
        scaled: Scaled,
        pairs: Iterable[tuple[Sizes, Sizes]],
        *,
        steady: bool = False,
        units: str = "",
    ) -> ReplaySizes | None:
        """Collect sizes of production, each with those of its replay.

        Parameters
        ----------
        scaled : Scaled
            How the workload was scaled.
        pairs : iterable
            Sizes of production, and of the replay. [pages]
        steady : bool
            Whether the replays stand for full caches.
        units : str
            As the attribute.

        Returns
        -------
        ReplaySizes or None
            None where every replay is at the sizes of production, as of a workload scaled by 1, and the law adds no
            pages.
        """
        listed, lacks = list(pairs), scaled.adds_pages
        if not lacks and all(asked == replayed for asked, replayed in listed):
            return None
        smaller = [
            (replayed, tier)
            for both in listed
            for tier, asked, replayed in zip(("RAM", "flash"), *both, strict=True)
            if 0 < asked != replayed
        ]
        pages, tier = (0, "") if lacks else min(smaller)
        ram, flash = (
            tuple(sorted({replayed[at] for _, replayed in listed} - {0}))
            for at in (0, 1)
        )
        return cls(
            scaled.law,
            scaled.size_factor,
            ram,
            flash,
            tier,
            pages,
            scaled.recorded_data_bytes,
            min(sum(replayed) for _, replayed in listed if replayed[1])
            / scaled.recorded_pages
            if steady and flash
            else 0.0,
            other_writes(scaled),
            units,
        )

    @property
    def refuses(self) -> bool:
        """Whether no replay of the recording stands for these sizes of production.

        The law adds pages that it does not have, a tier would have fewer than `LEAST_PAGES`, or the caches would not be
        full: `MOST_HELD`.
        """
        return self.smallest_pages < LEAST_PAGES or self.held_share >= MOST_HELD

    @property
    def lacks_pages(self) -> bool:
        """Whether that is because the law adds pages that the recording does not have."""
        return not self.smallest_tier

    @property
    def where(self) -> str:
        """At which sizes, to be read behind *a replay*."""
        if self.divided_by is not None:
            return f"at sizes divided by {float(f'{self.divided_by:.4g}'):,.10g}"
        return "at the recorded sizes that correspond by the scale law"

    @property
    def sentence(self) -> str:
        """Say what was replayed, and what that confirms."""
        writes = ""
        if self.write_shares is not None:
            recorded, machine = self.write_shares
            writes = (
                f"The replay writes as the recording does, with {percent(recorded)} of the accesses; one machine of "
                f"production writes with {percent(machine)}."
            )
        return self._said(writes)

    @property
    def sentence_as_production(self) -> str:
        """The same of a replay whose write-backs were multiplied: `writes_factor`."""
        said = "" if self.write_shares is None else _multiplied(self.write_shares)
        writes = f"{said[0].upper()}{said[1:]}." if said else ""
        return self._said(writes)

    def _said(self, writes: str) -> str:
        law = "" if self.divided_by is not None else f" “{self.law}”"
        return sentences(
            f"The recording was replayed {self.where}{law}: {self._tiers()}.",
            writes,
            self.units,
            "What that confirms is how the schemes behave at these sizes, not the scale law.",
        )

    @property
    def refusal(self) -> str:
        """Say why nothing is replayed, where the recording `refuses`."""
        return f"{NOT_REPLAYED}: {self.why}"

    @property
    def why(self) -> str:
        """Say in what the recording does not stand for production, where it `refuses`; to be read behind a colon."""
        if self.lacks_pages:
            return (
                f"{_added(self.law)}, so nothing in it shows what these pages read, write and push out of "
                "the caches."
            )
        if self.smallest_pages >= LEAST_PAGES:
            return _held(self.held_share, "RAM and flash", self.where)
        return (
            f"{self.where}, {self.smallest_tier} would have "
            f"{counted(self.smallest_pages, 'page')}, fewer than the {LEAST_PAGES:,} from which a small "
            "cache stands for a large one."
        )

    @property
    def remedy(self) -> str:
        """Say which recording could be replayed, where this one `refuses`."""
        if self.lacks_pages:
            return AS_LARGE
        if self.smallest_pages >= LEAST_PAGES:
            return FILL
        enough = self.recorded_data_bytes * -(-LEAST_PAGES // self.smallest_pages)
        return (
            f"record a larger system: at {format_bytes(enough)} of recorded data, {LEAST_PAGES:,} pages "
            "or more would be replayed"
        )

    @property
    def caution(self) -> Caution:
        """Say both, where the recording `refuses`."""
        message = self.refusal.removesuffix(".")
        if self.lacks_pages:
            return Caution("replay_lacks_pages", message, self.remedy)
        return Caution("replay_too_small", message, self.remedy)

    def _tiers(self) -> str:
        ram = _range(self.ram_pages)
        if not self.flash_pages:
            return f"RAM of {ram}"
        return f"RAM of {ram} and flash of {_range(self.flash_pages)}"


def unfilled(held_share: float, tiers: str, where: str = "") -> str:
    """Say that a recording has too few pages to fill caches, so that no replay of it shows them full.

    Parameters
    ----------
    held_share : float
        What they would hold of its pages, at least `MOST_HELD`. [1]
    tiers : str
        What they are.
    where : str
        At which sizes; empty where at those that were asked for.
    """
    return f"{NOT_REPLAYED}: {_held(held_share, tiers, where)}"


def _held(held_share: float, tiers: str, where: str) -> str:
    at = f"{where}, " if where else ""
    them = "them" if " and " in tiers else "it"
    return (
        f"{at}{tiers} would hold {percent(held_share)} of the pages of the recording, which would not "
        f"fill {them}. From {percent(MOST_HELD)} on a replay does not show full caches."
    )


def _range(pages: tuple[int, ...]) -> str:
    if len(pages) == 1:
        return counted(pages[0], "page")
    return f"{pages[0]:,} to {counted(pages[-1], 'page')}"
