"""Where the flash directory goes and how large flash pages are: whole costs side by side.

Joins the sizes of `directory`, the hits of `counts` and the costs of `costs`. Source: Koltsidas
and Viglas sections 4.1 and 4.2; what is derived is named in the docstrings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from tierwright.advise.point import scheme_titles
from tierwright.common.answer import Answer, Figure, Step
from tierwright.common.cautions import Caution, Outcome, Weigh, anywhere
from tierwright.common.checks import broadcast, whole
from tierwright.common.derivation import shown
from tierwright.common.errors import Problems
from tierwright.common.units import format_bytes, format_microseconds
from tierwright.common.wording import counted, relative_change
from tierwright.evaluate.page_flow import results
from tierwright.evaluate.page_flow.cautions import about_curve, about_given
from tierwright.evaluate.page_flow.costs import directory_costs
from tierwright.evaluate.page_flow.counts import check_evidence
from tierwright.evaluate.page_flow.directory import (
    directory_access_costs,
    directory_in_ram,
    directory_on_flash,
    flash_directory_size,
)
from tierwright.evaluate.page_flow.effects import WITHOUT_EFFECT
from tierwright.evaluate.page_flow.evaluation import evaluate_grid, service_times
from tierwright.evaluate.page_flow.other_ends import OtherEnd, Situation, weigher
from tierwright.evaluate.page_flow.schemes import (
    BY_NAME,
    NO_FLASH,
    TIE_ORDER,
    WITH_DIRECTORY,
)
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve

PLACEMENTS = ("ram", "flash")
TECHNIQUES = ("overwriting", "invalidating")
BITS_PER_BYTE = 8
LITTLE = 0.99
"""What takes more than this share of the time of the choice is not worth a sentence."""


ESTIMATOR = "C0 to C3 with C1d to C3d; hits from one LRU curve at the sizes that the directory leaves"
VALIDITY = (
    "LRU in both tiers; a flash page larger than a RAM page holds between one and all of its RAM "
    "pages, so its hits are given as a range, without the gain of fetching neighbours"
)


SOURCE = "Koltsidas and Viglas (2009), sections 4.1, 4.2 and Table 1"


@dataclass(frozen=True, slots=True)
class DirectoryUse:
    """How a directory is read and changed.

    Attributes
    ----------
    ram_lookup_us, ram_update_us : float
        L and U of a directory in RAM. [µs]
    lookup_pages, update_pages : float
        l and u, directory pages touched on flash. [pages]
    hit_ratio : float
        H_d(n) of the part buffered in RAM. [1]
    dirty_share : float
        p_d^d, share of directory pages that are dirty in RAM. [1]
    write_on_eviction : bool
        Whether a dirty directory page is paid only when it is pushed out, not as printed.
    """

    ram_lookup_us: float = 0.0
    ram_update_us: float = 0.0
    lookup_pages: float = 1.0
    update_pages: float = 1.0
    hit_ratio: float = 0.9
    dirty_share: float = 0.3
    write_on_eviction: bool = False


@dataclass(frozen=True, slots=True)
class SchemeCost:
    """One scheme with its directory. [µs per access]

    Attributes
    ----------
    io_us, directory_us : float
        C_k / N and C_kd / N with flash pages full of valid RAM pages. [µs]
    block_read_us : float
        Extra disk reads of overwriting: each victim whose block is absent. Derived. [µs]
    total_us : float
        Their sum. [µs]
    worst_total_us : float
        The same where each flash page holds a single valid RAM page; equal to `total_us`
        where pages are equally large. [µs]
    flash_hits, flash_misses, accesses : float
        Counts behind `io_us` and `directory_us`. [accesses]
    p_d : float
        Share of RAM misses whose victim is dirty. [1]
    block_us : float
        What reading one block takes. [µs]
    """

    io_us: float
    directory_us: float
    block_read_us: float
    total_us: float
    worst_total_us: float
    flash_hits: float
    flash_misses: float
    accesses: int
    p_d: float
    block_us: float


@dataclass(frozen=True, slots=True)
class DirectoryOption:
    """One place of the directory and one size of flash pages.

    Attributes
    ----------
    placement : str
        `ram` or `flash`.
    flash_page_bytes : int
        B_f. [bytes]
    technique : str or None
        `overwriting` or `invalidating`; None where B_f = B_r.
    entry_bytes : int
        b_f, by Table 1 of the paper, rounded up. [bytes]
    directory_bytes : int
        [bytes]
    ram_pages : int
        Pages that are left for RAM; 0 where the directory leaves none. [pages]
    flash_blocks : int
        Flash pages, of B_f bytes each.
    flash_pages : int
        RAM pages that they hold at most. [pages]
    lookup_us, update_us : float
        L and U. [µs]
    schemes : dict of str to SchemeCost
        Empty where it is not feasible.
    safest : str or None
        Scheme of least `worst_total_us`: the safest one. Of equals, the one of least
        `total_us`.
    best_if_full : str or None
        Scheme of least `total_us`, which takes every flash page to be full of valid pages.
    saving : float or None
        Share of the I/O time without flash that `safest` saves at worst. [1]
    saving_if_full : float or None
        Share that `best_if_full` saves if all flash pages are full. [1]
    buffered_bytes : int
        n, the part of a directory on flash that RAM holds; 0 in RAM. [bytes]
    lookup_pages, update_pages : float
        l and u. [pages]
    reason : str
        Why it is not feasible; empty where it is.
    """

    placement: str
    flash_page_bytes: int
    technique: str | None
    entry_bytes: int
    directory_bytes: int
    ram_pages: int
    flash_blocks: int
    flash_pages: int
    lookup_us: float
    update_us: float
    schemes: dict[str, SchemeCost]
    safest: str | None
    best_if_full: str | None
    saving: float | None
    saving_if_full: float | None
    buffered_bytes: int = 0
    lookup_pages: float = 1.0
    update_pages: float = 1.0
    reason: str = ""

    @property
    def worst_us(self) -> float:
        """Time of the safest scheme at worst; infinite where there is none. [µs per access]"""
        if self.safest is None:
            return math.inf
        return self.schemes[self.safest].worst_total_us

    @property
    def where(self) -> str:
        """Where the directory lies, and how large flash pages are."""
        size = format_bytes(self.flash_page_bytes)
        place = {"ram": "in RAM", "flash": "on flash"}[self.placement]
        if self.technique is None:
            return f"{place} with flash pages of {size}"
        return f"{place} with flash pages of {size} ({self.technique})"

    @property
    def full_us(self) -> float:
        """Least time if all flash pages are full; infinite where there is none. [µs per access]"""
        if self.best_if_full is None:
            return math.inf
        return self.schemes[self.best_if_full].total_us


@dataclass(frozen=True, slots=True)
class Remade:
    """The choice with other uses of the directory.

    Attributes
    ----------
    options : tuple of DirectoryOption
        As in the answer.
    safest : int or None
        Index of the choice.
    """

    options: tuple[DirectoryOption, ...]
    safest: int | None


@dataclass(frozen=True, kw_only=True)
class Directories(Answer):
    """Every place and page size, and which to choose.

    How many pages of a large flash page stay valid is not in the curve, so the choice is the one
    that costs least where each holds a single valid page: nothing about the workload can make it cost more than that.

    Attributes
    ----------
    none_us : float
        I/O time without flash, all memory for RAM pages. [µs per access]
    options : tuple of DirectoryOption
        In the order of page sizes, techniques, places.
    safest : int or None
        Index of the choice: the option of least worst case, of equals the one that takes less
        time if its flash pages are full; None where none is feasible.
    best_if_full : int or None
        Index of the option of least time if all flash pages are full of valid pages.
    remark : str
        What another option saves if its flash pages are full; empty where none does better.
    estimator, validity : str
        How it was computed, and where that holds.
    inputs : dict
        What was put in, with units.
    measured : callable
        Return the finding and the options with other uses of the directory, by the index of the option:
        such as a replay measured.
    """

    none_us: float
    options: tuple[DirectoryOption, ...]
    safest: int | None
    best_if_full: int | None
    remark: str
    estimator: str
    validity: str
    inputs: dict[str, Any]
    measured: Callable[[Mapping[int, DirectoryUse]], Remade]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """What an access takes without flash, and under the choice at worst."""
        choice = None if self.safest is None else self.options[self.safest]
        return (
            Figure(
                "none_us", "I/O time of an access without flash", self.none_us, "µs"
            ),
            Figure(
                "worst_us",
                "Of the choice, at worst",
                None if choice is None else choice.worst_us,
                "µs",
            ),
            Figure(
                "full_us",
                "Of the choice, if its flash pages are full",
                None if choice is None else choice.full_us,
                "µs",
            ),
        )

    @property
    def use(self) -> DirectoryUse:
        """How the directory is read and changed, as assumed."""
        return DirectoryUse(
            **{name: self.inputs[name] for name in DirectoryUse.__slots__}
        )

    def to_dict(self, *, derivation: bool = False) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = {
            each.name: results.plain(getattr(self, each.name))
            for each in fields(self)
            if each.name not in {"explain", "weigh", "measured"}
        }
        found["cautions"] = results.plain(list(self.cautions))
        if derivation:
            found["derivation"] = results.plain(list(self.derivation()))
        return found


def answer(
    curve: Curve,
    *,
    ram_bytes: int,
    flash_bytes: int,
    flash: Device,
    disk: Device,
    flash_page_bytes: Sequence[int] = (),
    placements: Iterable[str] = PLACEMENTS,
    use: DirectoryUse | None = None,
    ram_entry_bytes: int = 48,
    buffered_bytes: int | None = None,
) -> Directories:
    """Cost of every scheme with the directory in RAM or on flash, by size of flash pages.

    In RAM the directory takes room from RAM pages, f = floor(S_f / B_f), r = floor((S_r - b_f f)
    / (B_r + b_r)). On flash it takes flash pages and n bytes of RAM, and costs flash reads
    and writes. Without flash RAM has floor(S_r / (B_r + b_r)) pages.

    Parameters
    ----------
    curve : Curve
        Misses and write-backs of the workload by LRU size; its page is B_r.
    ram_bytes, flash_bytes : int
        S_r and S_f. [bytes]
    flash, disk : Device
        Devices of the two lower tiers.
    flash_page_bytes : sequence of int
        Sizes B_f to compare, multiples of B_r; B_r alone unless given. [bytes]
    placements : iterable of str
        Of `ram` and `flash`.
    use : DirectoryUse, optional
        How the directory is read and changed.
    ram_entry_bytes : int
        b_r. [bytes]
    buffered_bytes : int, optional
        n; a tenth of the directory, at least an entry, unless given. [bytes]

    Returns
    -------
    Directories

    Raises
    ------
    BadInput
        If a size is not a positive whole number, a flash page is not a multiple of the RAM page, or a
        number of the use is out of its domain.

    Notes
    -----
    The paper has no cost for larger flash pages beyond the directory. Derived here: with
    *overwriting*, a victim whose block is not on flash first reads the block from disk, m_r
    times for exclusive and m_f times for lazy; a block takes the disk one
    read of its size, `tierwright.hardware.service_time`. What neighbours fetched that way save is not counted.
    """
    use = DirectoryUse() if use is None else use
    sizes = list(flash_page_bytes) or [curve.page_bytes]
    whole(
        "directories",
        ram_bytes=ram_bytes,
        flash_bytes=flash_bytes,
        ram_entry_bytes=ram_entry_bytes,
    )
    wanted = list(placements)
    problems = Problems("directories", f"places are {', '.join(PLACEMENTS)}")
    for place in wanted:
        problems.check(place in PLACEMENTS, "placements", place, "is unknown")
    problems.raise_if_any()
    broadcast(
        "directories",
        amounts={"L in RAM": use.ram_lookup_us, "U in RAM": use.ram_update_us},
    )
    plan = _Plan(curve, ram_bytes, flash_bytes, flash, disk, use, ram_entry_bytes)
    none_us = plan.none_us()
    options = _options_of(plan, sizes, wanted, buffered_bytes)
    given = {
        "ram_bytes": ram_bytes,
        "flash_bytes": flash_bytes,
        "ram_page_bytes": curve.page_bytes,
        "ram_entry_bytes": ram_entry_bytes,
        "buffered_bytes": buffered_bytes,
        "flash_device_id": flash.id,
        "disk_device_id": disk.id,
        "flash_read_us": service_us(flash, "read", curve.page_bytes),
        "flash_write_us": service_us(flash, "write", curve.page_bytes),
        "directory_access": "on eviction" if use.write_on_eviction else "printed",
        **{name: getattr(use, name) for name in DirectoryUse.__slots__},
    }
    return Directories(
        none_us=none_us,
        options=tuple(options),
        safest=_first([(each.worst_us, each.full_us) for each in options]),
        best_if_full=_first([(each.full_us, each.worst_us) for each in options]),
        finding=_finding(options, none_us),
        remark=_remark(options, none_us),
        estimator=ESTIMATOR,
        validity=VALIDITY,
        warnings=(
            *about_given(curve),
            *_about_sizes(curve, options),
            *_cautions(options, disk, use),
        ),
        inputs=given,
        measured=lambda uses: _remade(plan, sizes, wanted, buffered_bytes, uses),
        explain=lambda: _steps(options, given, use),
        weigh=_weigher(
            plan,
            options,
            lambda other: _options_of(other, sizes, wanted, buffered_bytes),
        ),
    )


def _options_of(
    plan: _Plan,
    sizes: Sequence[int],
    places: Sequence[str],
    buffered_bytes: int | None,
    uses: Mapping[int, DirectoryUse] | None = None,
) -> list[DirectoryOption]:
    none_us = plan.none_us()
    asked = [
        (place, size, technique)
        for size in sizes
        for technique in (TECHNIQUES if size != plan.curve.page_bytes else (None,))
        for place in places
    ]
    return [
        replace(plan, use=(uses or {}).get(index, plan.use)).option(
            place, size, technique, buffered_bytes, none_us
        )
        for index, (place, size, technique) in enumerate(asked)
    ]


def _remade(
    plan: _Plan,
    sizes: Sequence[int],
    places: Sequence[str],
    buffered_bytes: int | None,
    uses: Mapping[int, DirectoryUse],
) -> Remade:
    options = _options_of(plan, sizes, places, buffered_bytes, uses)
    return Remade(
        tuple(options), _first([(each.worst_us, each.full_us) for each in options])
    )


def _weigher(
    plan: _Plan,
    options: Sequence[DirectoryOption],
    options_of: Callable[[_Plan], list[DirectoryOption]],
) -> Weigh:
    """Return what computes the effect of a caution on the choice, which is of the least worst case."""
    safest = _first([(each.worst_us, each.full_us) for each in options])
    if safest is None:
        return anywhere
    chosen = safest
    sizes = {
        float(pages)
        for each in options
        if not each.reason
        for pages in (
            each.ram_pages,
            each.flash_pages,
            each.ram_pages + each.flash_pages,
        )
    }
    situation = Situation(plan.curve, plan.flash, plan.disk, tuple(sorted(sizes)))

    def outcome(when: str, before: Sequence[float], after: Sequence[float]) -> Outcome:
        best = min(range(len(after)), key=lambda place: after[place])
        return Outcome(
            when,
            relative_change(before[chosen], after[chosen]),
            f"the directory {options[best].where}",
            abs(relative_change(after[best], after[chosen])),
        )

    def worst(found: Sequence[DirectoryOption]) -> list[float]:
        return [each.worst_us for each in found]

    def in_situation(of: Situation) -> list[float]:
        return worst(
            options_of(replace(plan, curve=of.curve, flash=of.flash, disk=of.disk))
        )

    def outcomes(ends: Sequence[OtherEnd]) -> list[Outcome]:
        return [
            outcome(end.when, in_situation(end.before), in_situation(end.situation))
            for end in ends
        ]

    def special(caution: Caution) -> list[Outcome]:
        match caution.name:
            case "block_hits_are_a_range":
                full = [each.full_us for each in options]
                return [outcome("all flash pages are full", worst(options), full)]
            case "directory_hits_are_assumed":
                return [
                    outcome(
                        f"the buffered part serves {said} of the accesses",
                        worst(options),
                        worst(options_of(replace(plan, use=use))),
                    )
                    for said, use in (
                        ("none", replace(plan.use, hit_ratio=0.0)),
                        ("all", replace(plan.use, hit_ratio=1.0)),
                    )
                ]
            case _:
                return []

    return weigher(
        situation,
        outcomes,
        figure="I/O time",
        chosen=f"the directory {options[chosen].where}",
        kind="directory",
        without=WITHOUT_EFFECT,
        special=special,
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    curve: Curve
    ram_bytes: int
    flash_bytes: int
    flash: Device
    disk: Device
    use: DirectoryUse
    ram_entry_bytes: int

    def none_us(self) -> float:
        pages = self.ram_bytes // (self.curve.page_bytes + self.ram_entry_bytes)
        check_evidence(
            "directories", self.curve, pages, self.flash_bytes // self.curve.page_bytes
        )
        grid = evaluate_grid(
            self.curve,
            ram_pages=pages,
            flash_pages=0,
            flash=self.flash,
            disk=self.disk,
            schemes=[NO_FLASH],
        )
        return float(grid[NO_FLASH].io_time_us_per_access)

    def option(
        self,
        place: str,
        block_bytes: int,
        technique: str | None,
        buffered: int | None,
        none_us: float,
    ) -> DirectoryOption:
        entry = flash_directory_size(
            flash_bytes=self.flash_bytes,
            flash_page_bytes=block_bytes,
            ram_page_bytes=self.curve.page_bytes,
            technique=technique or "overwriting",
        )
        bits = 0 if entry is None else entry.entry_bits
        entry_bytes = -(-bits // BITS_PER_BYTE)
        ram_pages, blocks, directory, held = self._sizes(
            place, block_bytes, entry_bytes, buffered
        )
        lookup, update = self._access(place)
        per_block = block_bytes // self.curve.page_bytes
        schemes: dict[str, SchemeCost] = {}
        if ram_pages > 0 and blocks > 0:
            schemes = self._schemes(
                ram_pages, blocks, per_block, technique, (lookup, update)
            )
        full = {name: (cost.total_us,) for name, cost in schemes.items()}
        worst = {
            name: (cost.worst_total_us, cost.total_us) for name, cost in schemes.items()
        }
        best, safest = _least(full), _least(worst)
        return DirectoryOption(
            placement=place,
            flash_page_bytes=block_bytes,
            technique=technique,
            entry_bytes=entry_bytes,
            directory_bytes=directory,
            ram_pages=ram_pages,
            flash_blocks=blocks,
            flash_pages=blocks * per_block,
            lookup_us=lookup,
            update_us=update,
            schemes=schemes,
            safest=safest,
            best_if_full=best,
            saving=None
            if safest is None or none_us == 0
            else 1 - schemes[safest].worst_total_us / none_us,
            saving_if_full=None
            if best is None or none_us == 0
            else 1 - schemes[best].total_us / none_us,
            buffered_bytes=held,
            lookup_pages=self.use.lookup_pages,
            update_pages=self.use.update_pages,
            reason="" if schemes else "the directory leaves no room for a page",
        )

    def _sizes(
        self, place: str, block_bytes: int, entry_bytes: int, buffered: int | None
    ) -> tuple[int, int, int, int]:
        sizes = {
            "ram_bytes": self.ram_bytes,
            "flash_bytes": self.flash_bytes,
            "ram_page_bytes": self.curve.page_bytes,
            "flash_page_bytes": block_bytes,
            "ram_entry_bytes": self.ram_entry_bytes,
            "flash_entry_bytes": entry_bytes,
        }
        if place == "ram":
            in_ram = directory_in_ram(**sizes)
            return in_ram.ram_pages, in_ram.flash_pages, in_ram.directory_bytes, 0
        blocks = self.flash_bytes // (block_bytes + entry_bytes)
        if blocks == 0:
            return 0, 0, 0, 0
        share = max(entry_bytes, blocks * entry_bytes // 10)
        held = min(share, self.ram_bytes) if buffered is None else buffered
        on_flash = directory_on_flash(**sizes, buffered_bytes=held)
        return (
            on_flash.ram_pages,
            on_flash.flash_pages,
            on_flash.directory_bytes,
            held,
        )

    def _access(self, place: str) -> tuple[float, float]:
        use = self.use
        if place == "ram":
            return use.ram_lookup_us, use.ram_update_us
        times = service_times(self.flash, self.disk, self.curve.page_bytes)
        return directory_access_costs(
            lookup_pages=use.lookup_pages,
            update_pages=use.update_pages,
            hit_ratio=use.hit_ratio,
            p_d_directory=use.dirty_share,
            flash_read=times.flash_read,
            flash_write=times.flash_write,
            write_on_eviction=use.write_on_eviction,
        )

    def _schemes(
        self,
        ram_pages: int,
        blocks: int,
        per_block: int,
        technique: str | None,
        access: tuple[float, float],
    ) -> dict[str, SchemeCost]:
        grid = evaluate_grid(
            self.curve,
            ram_pages=ram_pages,
            flash_pages=[blocks * per_block, blocks],
            flash=self.flash,
            disk=self.disk,
            schemes=WITH_DIRECTORY,
        )
        dirty = min(1.0, float(self.curve.dirty_share(ram_pages)))
        block_us = self._block_read_us(per_block) if technique == "overwriting" else 0.0
        found = {}
        for name, costs in grid.items():
            upkeep = directory_costs(
                costs.flash_hits,
                costs.flash_misses,
                p_d=dirty,
                lookup=access[0],
                update=access[1],
            )
            formula = BY_NAME[name].directory
            assert formula is not None  # only schemes with one are asked for
            absent = formula.absent(costs.flash_hits, costs.flash_misses)
            io = costs.io_time_us_per_access
            directory = getattr(upkeep, name) / self.curve.accesses
            reads = absent * block_us / self.curve.accesses
            total = (io + directory + reads).tolist()
            found[name] = SchemeCost(
                float(io[0]),
                float(directory[0]),
                float(reads[0]),
                total[0],
                max(total),
                float(costs.flash_hits[0]),
                float(costs.flash_misses[0]),
                self.curve.accesses,
                dirty,
                block_us,
            )
        return found

    def _block_read_us(self, per_block: int) -> float:
        size = per_block * self.curve.page_bytes
        return service_us(self.disk, "read", size) or 0.0


def _least(totals: Mapping[str, tuple[float, ...]]) -> str | None:
    """Scheme of least totals, compared in their order; ties go by `TIE_ORDER`."""
    if not totals:
        return None
    return min(totals, key=lambda name: (totals[name], TIE_ORDER.index(name)))


def _first(totals: Sequence[tuple[float, float]]) -> int | None:
    least = min(totals, default=(math.inf, math.inf))
    return totals.index(least) if math.isfinite(least[0]) else None


def _finding(options: Sequence[DirectoryOption], none_us: float) -> str:
    """Say the choice, and what it saves at worst."""
    safest = _first([(each.worst_us, each.full_us) for each in options])
    if safest is None:
        return "The directory leaves no room for a page, wherever it is kept."
    option = options[safest]
    place, worst_us = option.where, option.worst_us
    without = f"Without flash an access takes {format_microseconds(none_us)}"
    if worst_us < none_us:
        return (
            f"The directory belongs {place}: there it saves "
            f"{_percent(1 - worst_us / none_us)} of the I/O time of a system "
            "without flash."
        )
    if option.full_us < worst_us:
        return (
            f"{without}; the safest choice, the directory {place}, takes between "
            f"{format_microseconds(option.full_us)} and {format_microseconds(worst_us)}."
        )
    if worst_us == none_us:
        return f"{without}; the best choice, the directory {place}, takes the same."
    return (
        f"{without}; the best choice, the directory {place}, takes "
        f"{format_microseconds(worst_us)}."
    )


def _remark(options: Sequence[DirectoryOption], none_us: float) -> str:
    """Say what another option saves if its flash pages are full, and what it costs at worst."""
    safest = _first([(each.worst_us, each.full_us) for each in options])
    best = _first([(each.full_us, each.worst_us) for each in options])
    if safest is None or best is None or best == safest:
        return ""
    rival = options[best]
    if rival.full_us >= none_us or rival.full_us > options[safest].full_us * LITTLE:
        return ""
    saved = _percent(1 - rival.full_us / none_us)
    text = (
        f"If every flash page is full of valid pages, the directory {rival.where} saves "
        f"{saved}"
    )
    if rival.worst_us < none_us:
        at_worst = _percent(1 - rival.worst_us / none_us)
        return f"{text}; if each holds a single valid page, it saves {at_worst}."
    return (
        f"{text}; if each holds a single valid page, an access takes "
        f"{format_microseconds(rival.worst_us)}, against {format_microseconds(none_us)} "
        "without flash."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _about_sizes(curve: Curve, options: Sequence[DirectoryOption]) -> Iterator[Caution]:
    feasible = [option for option in options if option.schemes]
    return about_curve(
        curve,
        [option.ram_pages for option in feasible],
        [option.flash_pages for option in feasible],
    )


def _cautions(
    options: Sequence[DirectoryOption], disk: Device, use: DirectoryUse
) -> Iterator[Caution]:
    larger = any(option.technique is not None for option in options)
    if larger:
        yield Caution(
            "block_hits_are_a_range",
            "a flash page larger than a RAM page holds between one and all of its "
            "pages: the total assumes that they are full, the worst total that each "
            "holds one; neighbours fetched by overwriting may save more",
            "choose a larger flash page only for a workload with spatial locality",
        )
    if larger and disk.number("sequential_read_mb_per_s") is None:
        yield Caution(
            "block_read_as_page_read",
            f"`{disk.id}` states no sequential rate, so reading a block is charged as "
            "much as reading a page",
            "add sequential_read_mb_per_s to a copy of the device",
        )
    if any(option.placement == "flash" for option in options):
        yield Caution(
            "directory_hits_are_assumed",
            "the buffered part of the directory is assumed to serve "
            f"{use.hit_ratio:.0%} of the accesses, with {use.dirty_share:.0%} of its "
            "pages dirty",
            "check by replay, which measures both",
        )


def _steps(
    options: Sequence[DirectoryOption], given: Mapping[str, Any], use: DirectoryUse
) -> Iterator[Step]:
    for option in options:
        page = f"{option.flash_page_bytes:,} B"
        name = f"{option.placement}, {page}"
        if option.technique is not None:
            name += f", {option.technique}"
        yield Step(
            name=f"{name}: directory",
            formula=f"b_f f; b_f = {option.entry_bytes} B by Table 1, f = "
            f"{option.flash_blocks:,}",
            value=option.directory_bytes,
            unit="B",
            source=SOURCE,
        )
        yield Step(
            name=f"{name}: RAM pages",
            formula=_ram_pages_formula(option, given),
            value=option.ram_pages,
            unit="pages",
            source=SOURCE,
        )
        for symbol, pages, value in (
            ("L", use.lookup_pages, option.lookup_us),
            ("U", use.update_pages, option.update_us),
        ):
            inside = (
                "(1 - H_d)(F_R + p_dd F_W)"
                if use.write_on_eviction
                else "((1 - H_d) F_R + p_dd F_W)"
            )
            yield Step(
                name=f"{name}: {symbol}",
                formula="as given"
                if option.placement == "ram"
                else f"{pages:g} {inside}; H_d = {use.hit_ratio:g}, "
                f"p_dd = {use.dirty_share:g}, "
                f"F_R = {shown(given['flash_read_us'])} µs, "
                f"F_W = {shown(given['flash_write_us'])} µs",
                value=value,
                unit="µs",
                source=SOURCE,
            )
        for scheme, cost in option.schemes.items():
            yield from _cost_steps(option, scheme, cost, name)
            yield Step(
                name=f"{name}: {scheme_titles()[scheme]}",
                formula=f"C/N + C_d/N + block reads = {cost.io_us:.6g} + "
                f"{cost.directory_us:.6g} + {cost.block_read_us:.6g}",
                value=cost.total_us,
                unit="µs per access",
                source=SOURCE,
            )
            if option.technique is not None:
                yield Step(
                    name=f"{name}: {scheme_titles()[scheme]}, at worst",
                    formula=f"the same with {counted(option.flash_blocks, 'page')} on flash, one in "
                    f"each flash page, not {option.flash_pages:,}",
                    value=cost.worst_total_us,
                    unit="µs per access",
                    source="derived",
                )


def _ram_pages_formula(option: DirectoryOption, given: Mapping[str, Any]) -> str:
    frame = f"B_r = {given['ram_page_bytes']:,} B, b_r = {given['ram_entry_bytes']:,} B"
    memory = f"S_r = {given['ram_bytes']:,} B"
    if option.placement == "ram":
        return (
            f"max(0, floor((S_r - b_f f) / (B_r + b_r))); {memory}, b_f f = "
            f"{option.directory_bytes:,} B, {frame}"
        )
    return f"max(0, floor((S_r - n) / (B_r + b_r))); {memory}, n = {option.buffered_bytes:,} B, {frame}"


def _cost_steps(
    option: DirectoryOption, scheme: str, cost: SchemeCost, name: str
) -> Iterator[Step]:
    upkeep = BY_NAME[scheme].directory
    assert upkeep is not None  # only schemes with one have such a cost
    counts = (
        f"m_r = {shown(cost.flash_hits + cost.flash_misses)}, h_f = "
        f"{shown(cost.flash_hits)}, m_f = {shown(cost.flash_misses)}, N = "
        f"{counted(cost.accesses, 'access')}"
    )
    rows = [
        (
            "C_d/N",
            f"({upkeep.formula}) / N; {counts}, p_d = {shown(cost.p_d)}, L = "
            f"{shown(option.lookup_us)} µs, U = {shown(option.update_us)} µs",
            cost.directory_us,
        )
    ]
    if option.technique == "overwriting":
        rows.append(
            (
                "block reads",
                f"{upkeep.block_reads}; {counts}, t_b = {shown(cost.block_us)} µs",
                cost.block_read_us,
            )
        )
    for part, formula, value in rows:
        yield Step(
            name=f"{name}: {scheme_titles()[scheme]}, {part}",
            formula=formula,
            value=value,
            unit="µs per access",
            source=SOURCE if part == "C_d/N" else "derived",
        )
