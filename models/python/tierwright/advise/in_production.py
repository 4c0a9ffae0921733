"""Replays that are asked for at sizes of production: where the recording is replayed, and what its counts are there.

Production was never recorded. A replay of the recording at the sizes that correspond by the scale law stands for
one machine of production, and its counts per access, times the rate of the machine, are operations per second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tierwright.advise.checks.points import Replay, recorded_replays
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import three_digits
from tierwright.evaluate.scale.replays import (
    NOT_REPLAYED,
    ReplaySizes,
    recorded_accesses,
)
from tierwright.profile.curve import Curve
from tierwright.profile.production import Scaled
from tierwright.simulate.rate_options import RATE, STRETCH
from tierwright.simulate.scaled_units import (
    FlashStandIn,
    Units,
    units_of,
    units_sentence,
)

RATED = (
    "misses",
    "disk_reads",
    "disk_writes",
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "flash_reads",
    "flash_writes",
    "hdd_reads",
    "hdd_writes",
)
"""Counters of which a rate is of use: accesses that hit or miss, and pages that move."""


@dataclass(frozen=True, slots=True)
class InProduction:
    """One replay of a recording, as it stands for one machine of production.

    Attributes
    ----------
    ram_pages, flash_pages : int, int or None
        Of the machine, as they were asked for; no flash for one cache. [pages]
    page_bytes : int
        Its pages. [bytes]
    replayed_ram_pages, replayed_flash_pages : int, int or None
        Of the recorded system: what was replayed. [pages]
    accesses_per_s : float
        Mean rate of the machine. [1/s]
    per_s : dict of str to float
        Counters of `RATED` that the replay has, at that rate. [1/s]
    """

    ram_pages: int
    flash_pages: int | None
    page_bytes: int
    replayed_ram_pages: int
    replayed_flash_pages: int | None
    accesses_per_s: float
    per_s: dict[str, float]

    @classmethod
    def counted(
        cls,
        counters: Mapping[str, Any],
        *,
        sizes: tuple[int, int | None],
        replayed: tuple[int, int | None],
        page_bytes: int,
        accesses_per_s: float,
    ) -> InProduction:
        """Make rates of the counts of a replay.

        Parameters
        ----------
        counters : mapping
            Of the replay, which counted `accesses`.
        sizes, replayed : tuple of int
            RAM and flash of the machine, and of the replay; no flash for one cache. [pages]
        page_bytes : int
            Of production. [bytes]
        accesses_per_s : float
            Mean rate of the machine. [1/s]
        """
        accesses = counters["accesses"]
        return cls(
            sizes[0],
            sizes[1],
            page_bytes,
            replayed[0],
            replayed[1],
            accesses_per_s,
            {
                name: counters[name] / accesses * accesses_per_s
                for name in RATED
                if name in counters and accesses
            },
        )


@dataclass(frozen=True, slots=True)
class Corresponding:
    """Where the recording is replayed for one choice of sizes.

    Attributes
    ----------
    ram_pages, flash_pages : int
        Of the recorded system; 0 without flash. [pages]
    sizes : ReplaySizes or None
        The same with how they were found; None where they are those of production.
    units : Units
        Of flash, where a flash cache is replayed.
    pace : dict of str to str
        Options that bring what works by the clock to the rate of production.
    """

    ram_pages: int
    flash_pages: int
    sizes: ReplaySizes | None
    units: Units = field(default_factory=Units)
    pace: dict[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, str]:
        """What a flash cache is given there besides its own options."""
        return self.pace | self.units.options

    @property
    def refused(self) -> dict[str, str] | None:
        """Why no replay of the recording stands for these sizes, and the next step: `error` and `hint`; None where it is not."""
        if self.sizes is None or not self.sizes.refuses:
            return None
        return {
            "error": self.sizes.refusal.removesuffix("."),
            "hint": self.sizes.remedy,
        }


def scaled_of(curve: Curve) -> Scaled:
    """Return how a curve was scaled to production.

    Parameters
    ----------
    curve : Curve
        Of the profile whose trace is to be replayed.

    Raises
    ------
    BadInput
        If it was not scaled, or by a version that did not keep the sizes of the recording.
    """
    scaled = curve.scaled
    if scaled is None:
        raise BadInput(
            "nothing was scaled to production, so the sizes are those of the recording itself",
            "scale the profile of the recording first, or leave the profile out",
        )
    recorded_accesses(scaled)
    return scaled


def corresponding(
    curve: Curve,
    wanted: Sequence[Replay],
    *,
    steady: bool,
) -> list[Corresponding]:
    """Return where the recording is replayed for sizes of production.

    Each size becomes the recorded one that the law made into it (`Scaled.recorded_size`), whether all were
    multiplied alike or each relation has its own factor.

    Parameters
    ----------
    curve : Curve
        Scaled.
    wanted : sequence of Replay
        At sizes of one machine of production, with the options that are given to them.
    steady : bool
        Whether the replays stand for full caches: the first accesses are not counted.

    Raises
    ------
    BadInput
        As `scaled_of`.
    """
    scaled = scaled_of(curve)
    found = []
    for each in wanted:
        made, sizes = recorded_replays(
            {"": each}, scaled, page_bytes=curve.page_bytes, steady=steady
        )
        ram, flash = made[""].ram_pages, made[""].flash_pages
        stand_in = FlashStandIn(each.flash_pages, flash, curve.page_bytes)
        units = units_of(each.name, each.options, stand_in)
        pace = {
            name: made[""].options[name]
            for name in (RATE, STRETCH)
            if name in made[""].options and name not in each.options
        }
        found.append(Corresponding(ram, flash, sizes, units, pace))
    return found


NOT_COUNTED = "The accesses of production are not counted by category"
"""Begins why nothing is counted, of which nothing need be replayed."""


def check_large_enough(found: Corresponding, what: str = NOT_REPLAYED) -> None:
    """Refuse a replay, or what else is read from the recording, for which the recording is too small.

    Parameters
    ----------
    found : Corresponding
    what : str
        What is refused, as a sentence.

    Raises
    ------
    BadInput
        With how many pages would be replayed, and which recording is large enough.
    """
    sizes = found.sizes
    if sizes is not None and sizes.refuses:
        raise BadInput(f"{what}: {sizes.why.removesuffix('.')}", sizes.remedy)


def in_production(
    curve: Curve, wanted: Replay, replayed: Corresponding, counters: Mapping[str, Any]
) -> InProduction:
    """Return what the counts of a replay are on one machine of production.

    Parameters
    ----------
    curve : Curve
        Scaled.
    wanted : Replay
        Contender, and sizes of production.
    replayed : Corresponding
        Where the recording was replayed for them.
    counters : mapping
        Of the replay, which counted `accesses`.
    """
    one_tier = "flash_hits" not in counters
    return InProduction.counted(
        counters,
        sizes=(wanted.ram_pages, None if one_tier else wanted.flash_pages),
        replayed=(replayed.ram_pages, None if one_tier else replayed.flash_pages),
        page_bytes=curve.page_bytes,
        accesses_per_s=scaled_of(curve).machine_accesses_per_s,
    )


def merged_sizes(
    curve: Curve, pairs: Sequence[tuple[Replay, Corresponding]]
) -> ReplaySizes | None:
    """Collect the sizes of several replays; None where they are those of production.

    Parameters
    ----------
    curve : Curve
        Scaled.
    pairs : sequence
        What was asked for, and where the recording was replayed for it; at least one.
    """
    return ReplaySizes.of(
        scaled_of(curve),
        [
            (
                (asked.ram_pages, asked.flash_pages),
                (replayed.ram_pages, replayed.flash_pages),
            )
            for asked, replayed in pairs
        ],
        units=units_sentence((asked.name, replayed.units) for asked, replayed in pairs),
    )


@dataclass(frozen=True, slots=True)
class BufferInProduction:
    """A split buffer of one machine of production, and the one that was replayed for it.

    A split of the machine has the same share of clean pages as the one that was replayed.

    Attributes
    ----------
    pages, page_bytes : int
        Of the machine. [pages], [bytes]
    replayed_pages : int
        Of the recorded system. [pages]
    accesses_per_s : float
        Mean rate of the machine. [1/s]
    replayed_at : ReplaySizes or None
        How the two correspond; None where they are equal.
    """

    pages: int
    page_bytes: int
    replayed_pages: int
    accesses_per_s: float
    replayed_at: ReplaySizes | None

    @classmethod
    def of(cls, curve: Curve, pages: int) -> BufferInProduction:
        """Find the buffer of the recorded system that stands for one of production.

        Parameters
        ----------
        curve : Curve
            Scaled.
        pages : int
            Of one machine of production. [pages]

        Raises
        ------
        BadInput
            As `scaled_of`, and if the recording is too small.
        """
        [there] = corresponding(
            curve, [Replay("buffer", "lru", pages, 0, 0)], steady=False
        )
        check_large_enough(there)
        return cls(
            pages,
            curve.page_bytes,
            there.ram_pages,
            scaled_of(curve).machine_accesses_per_s,
            there.sizes,
        )

    def clean_pages(self, replayed: int) -> int:
        """Return the clean pool of production for one of the replay, with at least a page of either kind. [pages]"""
        share = replayed / self.replayed_pages
        return min(max(1, round(share * self.pages)), self.pages - 1)

    def per_s(self, count: float, accesses: int) -> float:
        """Return the rate of what a replay of so many accesses counted. [1/s]"""
        return count / accesses * self.accesses_per_s

    @property
    def replayed_sentence(self) -> str:
        """Of which system the replayed buffer is, and what that confirms; empty where it is that of production."""
        return "" if self.replayed_at is None else self.replayed_at.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        at = self.replayed_at
        return {
            "pages": self.pages,
            "page_bytes": self.page_bytes,
            "replayed_pages": self.replayed_pages,
            "replayed_sentence": self.replayed_sentence,
            "accesses_per_s": self.accesses_per_s,
            "law": None if at is None else at.law,
            "divided_by": None if at is None else at.divided_by,
        }


def rate_sentence(curve: Curve) -> str:
    """Say of what rate the figures per second are.

    Parameters
    ----------
    curve : Curve
        Scaled.
    """
    scaled = scaled_of(curve)
    production = scaled.production
    whose = (
        f"production, {format_bytes(production.data_bytes)}"
        if production.machines == 1
        else f"one of {production.machines:,} machines of production"
    )
    return (
        "Figures per second are counts per access times the "
        f"{three_digits(scaled.machine_accesses_per_s)} accesses per second of {whose}."
    )
