"""RAM that a flash cache needs to know what it holds, taken from the RAM budget.

Sources: Kang, Lee and Moon (2016), section 5.2 (FaCE); the SCE paper (ADMS 2014), sections
3.4 and 4.7 (fragment cache, flashcache, EnhanceIO, bcache); public measurements for the others. A preset
gives bytes for each unit that flash holds; the fragment cache needs a second term for
the address space behind it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.derivation import Derivation, Number, plain
from tierwright.common.errors import BadInput, Problem, Problems
from tierwright.common.units import parse_bytes

MIB = 2**20
SCE_FRAGMENT_BYTES = MIB
SCE_MAP_ENTRY_BYTES = 4
SCE_DESCRIPTOR_BYTES = 72
SCE_DESCRIPTOR_FIXED_BYTES = 40
SCE_PAGE_BYTES = 4096
SCE_BUFFER_BYTES = 16 * MIB
BITS_PER_BYTE = 8
# Stands in place of a preset's name where the user knows what an entry takes.
STATED = "stated"
_GREATEST_UNIT_BYTES = 2**50
_ENTRY = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)B?(?:/(.+))?")
# Red-black node, list, flags and index in one word, age; address and sequence number, which kernels built with persistent
# memory repeat there.
WRITECACHE_ENTRY_BYTES = 24 + 16 + 8 + 8 + 8 + 8
# Address and sequence number.
WRITECACHE_ON_FLASH_BYTES = 8 + 8
# Of FaCE: page, frame, status, LSN and checksum of a page on flash.
FACE_ENTRY_BYTES = 32
# Places in a queue: the entry before and the entry behind.
_QUEUED_BYTES = 8 + 8
# Times of the last two references.
_LRU_2_BYTES = 8 + 8
# Reads, writes, value, and place among the values.
_GREEDY_DUAL_BYTES = 4 + 4 + 8 + 8
# Temperature of an extent of 32 pages, of the whole volume: for each of its pages.
_TEMPERATURE_BYTES = 8 / 32
# A page that was left out and is remembered: its number, and its place in the queue of such pages.
KANGAROO_LOG_BITS, KANGAROO_SET_BITS, KANGAROO_LOG_SHARE = 48, 4, 0.05
"""RAM of an object in the log and in the sets, and the share of flash that is the log where both take 7 bits on average."""
L2ARC_HEADERS_SHARE = 0.33
"""Share of the RAM from which on headers of what is on flash alone keep L2ARC from writing more."""
GHOST_BYTES = 8 + _QUEUED_BYTES
# Pages that LARC remembers at most, for each page of flash.
_LARC_GHOSTS = 0.9
# Time of the last request of a page, by which a second miss is known.
LAST_REQUEST_BYTES = 8
_HINT = (
    "use sizes in bytes above 0; for presets see `tierwright.evaluate.metadata.PRESETS`"
)


@dataclass(frozen=True, slots=True)
class MetadataPreset:
    """How much RAM one flash cache needs for its metadata.

    Attributes
    ----------
    name, title : str
        Name in options; name for people.
    entry_bytes : float
        RAM for each unit held on flash. [bytes]
    unit_bytes : int or None
        Bytes of flash that one entry stands for; None: the page of the workload. [bytes]
    source_entry_bytes : float
        RAM for each unit of the size of the volume behind the cache. [bytes]
    fixed_bytes : int
        RAM that it needs whatever it holds. [bytes]
    source : str
        Where the figures are from.
    note : str
        What to know before using it.
    source_bytes : float or None
        Size of the volume behind the cache where it was stated; it then stands before what a
        caller takes it for, the pages of a workload. [bytes]
    """

    name: str
    title: str
    entry_bytes: float
    unit_bytes: int | None
    source_entry_bytes: float
    fixed_bytes: int
    source: str
    note: str
    source_bytes: float | None = None

    def behind(self, source_bytes: ArrayLike) -> ArrayLike:
        """Return the size of the volume behind the cache: as stated, else as given. [bytes]

        Raises
        ------
        BadInput
            If less was stated than was given: the pages of a workload lie in it.
        """
        if self.source_bytes is None:
            return source_bytes
        least = float(np.max(source_bytes))
        if self.source_bytes < least:
            raise BadInput(
                f"metadata: flash_metadata: `{self.name}` with {self.source_bytes:,.0f} bytes "
                f"behind it, but the pages of the workload alone are {least:,.0f} bytes",
                "state the whole volume behind the cache, or leave its size out",
                (
                    Problem(
                        "flash_metadata",
                        f"{self.name}:{self.source_bytes:.0f}",
                        f"states less than the {least:,.0f} bytes that the pages of the "
                        "workload are",
                    ),
                ),
            )
        return self.source_bytes

    def ram_bytes(
        self,
        flash_bytes: ArrayLike,
        *,
        page_bytes: int = SCE_PAGE_BYTES,
        source_bytes: ArrayLike = 0,
        whole_units: bool = True,
    ) -> FloatArray:
        """RAM for the metadata of a flash cache; 0 where there is no flash. [bytes]

        entry x ceil(flash / unit) + source entry x ceil(source / unit) + fixed.

        Parameters
        ----------
        flash_bytes : array_like
            Flash cache; any shape. [bytes]
        page_bytes : int
            Page of the workload, the unit where the preset has none. [bytes]
        source_bytes : array_like
            Size of the volume behind the cache; broadcast. [bytes]
        whole_units : bool
            Whether a part of a unit takes a whole entry. Without, the figure is in
            proportion to the sizes, as a search over real-valued sizes needs it.

        Returns
        -------
        float64 array
            [bytes]

        Raises
        ------
        BadInput
            If a size is negative or not finite, or the page is not positive.

        Examples
        --------
        >>> float(PRESETS["flashcache"].ram_bytes(200 * 2**30)) / 2**20  # MiB
        1200.0
        """
        flash = _sizes("flash_bytes", flash_bytes)
        source = _sizes("source_bytes", source_bytes)
        if page_bytes < 1:
            raise BadInput(
                f"metadata: page_bytes: `{page_bytes}` must be above 0", _HINT
            )
        return self._needed(flash, source, page_bytes, whole_units=whole_units)

    def pages_left(
        self,
        ram_pages: FloatArray,
        flash_pages: FloatArray,
        *,
        page_bytes: int,
        source_bytes: FloatArray,
    ) -> FloatArray:
        """`ram_pages_left` of sizes that were checked before: bisections ask often. [pages]"""
        needed = self._needed(
            flash_pages * page_bytes, source_bytes, page_bytes, whole_units=True
        )
        return np.asarray(np.floor(ram_pages - np.ceil(needed) / page_bytes))

    def _needed(
        self,
        flash: FloatArray,
        source: FloatArray,
        page_bytes: int,
        *,
        whole_units: bool,
    ) -> FloatArray:
        unit = self.unit_bytes or page_bytes
        stated = np.asarray(self.behind(source), dtype=np.float64)
        units, behind = flash / unit, stated / unit
        if whole_units:
            units, behind = np.ceil(units), np.ceil(behind)
        needed = (
            self.entry_bytes * units
            + self.source_entry_bytes * behind
            + self.fixed_bytes
        )
        return np.asarray(np.where(flash > 0, needed, 0.0))


@dataclass(frozen=True, slots=True)
class RamBudget:
    """A RAM budget with the flash metadata taken out.

    Attributes
    ----------
    ram_bytes : int
        The budget. [bytes]
    metadata_bytes : int
        Taken by metadata, rounded up. [bytes]
    left_pages : int
        Whole pages that are left for caching; 0 where metadata leaves none. [pages]
    feasible : bool
        Whether at least one page is left.
    share : float
        metadata / budget. [1]
    estimator, validity : str
        What was used and where it holds.
    derivation : tuple of Derivation
        Formula, numbers, source.
    """

    ram_bytes: int
    metadata_bytes: int
    left_pages: int
    feasible: bool
    share: float
    estimator: str
    validity: str
    derivation: tuple[Derivation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class SceMetadata:
    """Memory of a fragment cache by the two-term formula. [bytes]

    Attributes
    ----------
    mapping_bytes : float
        Map over the whole source.
    descriptor_bytes : float
        Descriptors of the cached fragments.
    total_bytes, with_buffers_bytes : float
        Both terms; and with the buffers of population and clones.
    """

    mapping_bytes: float
    descriptor_bytes: float
    total_bytes: float
    with_buffers_bytes: float


@dataclass(frozen=True, slots=True)
class BlockMetadata:
    """Memory of a cache with one entry a block.

    Attributes
    ----------
    blocks : float
        Blocks that flash holds.
    total_bytes : float
        [bytes]
    """

    blocks: float
    total_bytes: float


@dataclass(frozen=True, slots=True)
class FragmentDescriptor:
    """Descriptor of one fragment.

    Attributes
    ----------
    pages : int
        4 KiB pages in it.
    bitmap_bytes, descriptor_bytes : int
        Validity bitmap, and with the fixed part. [bytes]
    """

    pages: int
    bitmap_bytes: int
    descriptor_bytes: int


def fragment_cache_metadata(
    source_bytes: float,
    cache_bytes: float,
    *,
    fragment_bytes: int = SCE_FRAGMENT_BYTES,
    map_entry_bytes: float = SCE_MAP_ENTRY_BYTES,
    descriptor_bytes: float = SCE_DESCRIPTOR_BYTES,
    buffer_bytes: float = SCE_BUFFER_BYTES,
) -> SceMetadata:
    """Return the memory of a fragment cache (SCE paper, section 3.4; repaired).

    map entry x source / fragment + descriptor x cache / fragment. The quoted 76 bytes per
    cached fragment are this sum where source and cache are equal. Linear in both sizes:
    sizes that are no multiple of the fragment give a part of an entry.

    Parameters
    ----------
    source_bytes, cache_bytes : float
        Size of the volume behind the cache, and flash. A cache larger than its source is legal.
        [bytes]
    fragment_bytes : int
        Multiple of 4 KiB. [bytes]
    map_entry_bytes, descriptor_bytes, buffer_bytes : float
        [bytes]

    Raises
    ------
    BadInput
        If a size is not positive, or the fragment is no multiple of 4 KiB.

    Examples
    --------
    >>> found = fragment_cache_metadata(100 * 2**40, 16 * 2**40)
    >>> found.mapping_bytes / 2**20, found.descriptor_bytes / 2**20
    (400.0, 1152.0)
    """
    check_fragment(fragment_bytes)
    problems = Problems("fragment cache metadata", _HINT)
    for name, value in (("source_bytes", source_bytes), ("cache_bytes", cache_bytes)):
        good = math.isfinite(value) and value > 0
        problems.check(good, name, value, "must be finite and above 0")
    for name, value in (
        ("map_entry_bytes", map_entry_bytes),
        ("descriptor_bytes", descriptor_bytes),
        ("buffer_bytes", buffer_bytes),
    ):
        good = math.isfinite(value) and value >= 0
        problems.check(good, name, value, "must be finite and not negative")
    problems.raise_if_any()
    mapping = map_entry_bytes * source_bytes / fragment_bytes
    descriptors = descriptor_bytes * cache_bytes / fragment_bytes
    total = mapping + descriptors
    return SceMetadata(mapping, descriptors, total, total + buffer_bytes)


def block_metadata(
    cache_bytes: float, *, block_bytes: int, bytes_per_block: float
) -> BlockMetadata:
    """Return the memory of a cache with one entry a block: bytes x cache / block.

    Parameters
    ----------
    cache_bytes : float
        Flash. [bytes]
    block_bytes : int
        [bytes]
    bytes_per_block : float
        RAM of an entry: flashcache 24, EnhanceIO 8. [bytes]

    Raises
    ------
    BadInput
        If a size is not positive.

    Examples
    --------
    >>> block_metadata(
    ...     2 * 2**40, block_bytes=4096, bytes_per_block=24
    ... ).total_bytes / 2**30
    12.0
    """
    problems = Problems("block metadata", _HINT)
    for name, value in (
        ("cache_bytes", cache_bytes),
        ("block_bytes", block_bytes),
        ("bytes_per_block", bytes_per_block),
    ):
        good = math.isfinite(value) and value > 0
        problems.check(good, name, value, "must be finite and above 0")
    problems.raise_if_any()
    blocks = cache_bytes / block_bytes
    return BlockMetadata(blocks, bytes_per_block * blocks)


def fragment_descriptor(fragment_bytes: int) -> FragmentDescriptor:
    """Return the descriptor of a fragment: 40 bytes and one validity bit for each 4 KiB page.

    The 1 MiB fragment of the paper has 72 bytes, 32 of them bitmap; other sizes are derived.

    Parameters
    ----------
    fragment_bytes : int
        Multiple of 4 KiB. [bytes]

    Raises
    ------
    BadInput
        If the fragment is not a positive multiple of 4 KiB.

    Examples
    --------
    >>> fragment_descriptor(2**20)
    FragmentDescriptor(pages=256, bitmap_bytes=32, descriptor_bytes=72)
    """
    check_fragment(fragment_bytes)
    pages = fragment_bytes // SCE_PAGE_BYTES
    bitmap = -(-pages // BITS_PER_BYTE)
    return FragmentDescriptor(pages, bitmap, SCE_DESCRIPTOR_FIXED_BYTES + bitmap)


def charge(
    preset: MetadataPreset,
    *,
    ram_bytes: int,
    flash_bytes: int,
    page_bytes: int,
    source_bytes: int = 0,
) -> RamBudget:
    """Take the flash metadata out of a RAM budget.

    Parameters
    ----------
    preset : MetadataPreset
        One of `PRESETS`, or the user's own.
    ram_bytes : int
        The budget. [bytes]
    flash_bytes : int
        Flash cache. [bytes]
    page_bytes : int
        Page of the workload. [bytes]
    source_bytes : int
        Size of the volume behind the cache; matters to the fragment cache. [bytes]

    Returns
    -------
    RamBudget

    Raises
    ------
    BadInput
        If a size is out of range.

    Examples
    --------
    >>> found = charge(
    ...     PRESETS["flashcache"], ram_bytes=2**30, flash_bytes=2**37, page_bytes=4096
    ... )
    >>> found.metadata_bytes / 2**20, found.left_pages, round(found.share, 2)
    (768.0, 65536, 0.75)
    """
    problems = Problems("RAM budget", _HINT)
    problems.check(ram_bytes > 0, "ram_bytes", ram_bytes, "must be above 0")
    problems.check(page_bytes > 0, "page_bytes", page_bytes, "must be above 0")
    problems.raise_if_any()
    needed = math.ceil(
        float(
            preset.ram_bytes(
                flash_bytes, page_bytes=page_bytes, source_bytes=source_bytes
            )
        )
    )
    left = max(0, (ram_bytes - needed) // page_bytes)
    behind = "size of the volume behind the cache, " + (
        "the pages of the workload" if preset.source_bytes is None else "as stated"
    )
    return RamBudget(
        ram_bytes,
        needed,
        left,
        left > 0,
        needed / ram_bytes,
        f"{preset.title}: {preset.entry_bytes:g} bytes per entry",
        "flash full: every unit has its entry; tables that grow by doubling may take more",
        (
            Derivation(
                "metadata_bytes",
                needed,
                "bytes",
                "ceil(entry x ceil(flash / unit) + source entry x ceil(source / unit) + "
                "fixed), 0 without flash",
                (
                    Number("entry", preset.entry_bytes, "bytes", preset.title),
                    Number("flash", flash_bytes, "bytes", "flash cache"),
                    Number(
                        "unit", preset.unit_bytes or page_bytes, "bytes", "one entry"
                    ),
                    Number("source entry", preset.source_entry_bytes, "bytes", "map"),
                    Number("source", preset.behind(source_bytes), "bytes", behind),
                    Number("fixed", preset.fixed_bytes, "bytes", "buffers"),
                ),
                preset.source,
            ),
            Derivation(
                "ram_pages_left",
                left,
                "pages",
                "max(0, floor((RAM - metadata) / page))",
                (
                    Number("RAM", ram_bytes, "bytes", "present RAM"),
                    Number("metadata", needed, "bytes", "as above"),
                    Number("page", page_bytes, "bytes", "of the workload"),
                ),
                "derived",
            ),
        ),
    )


def ram_pages_left(
    preset: MetadataPreset | None,
    *,
    ram_pages: ArrayLike,
    flash_pages: ArrayLike,
    page_bytes: int,
    source_bytes: ArrayLike = 0,
) -> FloatArray:
    """Whole RAM pages that the flash metadata leave, for many sizes at once.

    floor((RAM - ceil(metadata)) / page): the RAM of every model that charges metadata.

    Parameters
    ----------
    preset : MetadataPreset or None
        None charges nothing.
    ram_pages, flash_pages : array_like
        RAM budget and flash cache; broadcast. [pages]
    page_bytes : int
        Page of the workload. [bytes]
    source_bytes : array_like
        Size of the volume behind the cache; broadcast. [bytes]

    Returns
    -------
    float64 array
        Negative where the metadata exceed the budget: no such cache fits. [pages]

    Raises
    ------
    BadInput
        If a size is negative or not finite, or the page is not positive.

    Examples
    --------
    >>> ram_pages_left(
    ...     PRESETS["flashcache"],
    ...     ram_pages=1000,
    ...     flash_pages=[0, 10_000, 200_000],
    ...     page_bytes=4096,
    ... ).tolist()
    [1000.0, 941.0, -172.0]
    """
    ram = _sizes("ram_pages", ram_pages)
    flash = _sizes("flash_pages", flash_pages)
    if preset is None:
        return np.broadcast_to(ram, np.broadcast_shapes(ram.shape, flash.shape))
    if page_bytes < 1:
        raise BadInput(f"metadata: page_bytes: `{page_bytes}` must be above 0", _HINT)
    source = _sizes("source_bytes", source_bytes)
    return preset.pages_left(ram, flash, page_bytes=page_bytes, source_bytes=source)


def memory_ratio(
    *,
    block_cache_bytes: float,
    fragment_cache_bytes: float,
    buffer_bytes: float,
) -> float:
    """Return how many times more memory a block cache needs: block / (fragment + buffers).

    Parameters
    ----------
    block_cache_bytes, fragment_cache_bytes, buffer_bytes : float
        [bytes]

    Raises
    ------
    BadInput
        If a size is negative, or fragment cache and buffers together are 0.

    Examples
    --------
    >>> round(
    ...     memory_ratio(
    ...         block_cache_bytes=6144, fragment_cache_bytes=72.625, buffer_bytes=16
    ...     )
    ... )
    69
    """
    problems = Problems("memory ratio", _HINT)
    for name, value in (
        ("block_cache_bytes", block_cache_bytes),
        ("fragment_cache_bytes", fragment_cache_bytes),
        ("buffer_bytes", buffer_bytes),
    ):
        good = math.isfinite(value) and value >= 0
        problems.check(good, name, value, "must be finite and not negative")
    whole = fragment_cache_bytes + buffer_bytes
    problems.check(
        whole > 0, "fragment_cache_bytes", whole, "with buffers must be above 0"
    )
    problems.raise_if_any()
    return block_cache_bytes / whole


def check_fragment(fragment_bytes: object) -> None:
    """Check that a fragment holds whole 4 KiB pages.

    Raises
    ------
    BadInput
        If it is not a positive multiple of 4 KiB.
    """
    good = (
        isinstance(fragment_bytes, int)
        and not isinstance(fragment_bytes, bool)
        and fragment_bytes > 0
        and fragment_bytes % SCE_PAGE_BYTES == 0
    )
    if not good:
        raise BadInput(
            f"fragment_bytes: `{fragment_bytes}` is not a positive multiple of "
            f"{SCE_PAGE_BYTES}",
            "use whole 4 KiB pages; the paper's fragment has 1 MiB",
        )


def stated(entry_bytes: float, unit_bytes: int | None) -> MetadataPreset:
    """Return what the user states of a cache of which no figure is published.

    Parameters
    ----------
    entry_bytes : float
        RAM for each unit held on flash. [bytes]
    unit_bytes : int or None
        Bytes of flash that one entry stands for; None: the page of the workload. [bytes]

    Raises
    ------
    BadInput
        If a figure is not above 0, or not finite.

    Examples
    --------
    >>> stated(61.5, 32 * 2**10).name
    'stated:61.5B/32768B'
    """
    problems = Problems("flash metadata as stated", _HINT)
    for what, value in (("entry_bytes", entry_bytes), ("unit_bytes", unit_bytes)):
        good = value is None or (math.isfinite(value) and value > 0)
        problems.check(good, what, value, "must be finite and above 0")
    problems.raise_if_any()
    unit = "" if unit_bytes is None else f"/{unit_bytes}B"
    return MetadataPreset(
        name=f"{STATED}:{entry_bytes:g}B{unit}",
        title="The stated cache",
        entry_bytes=entry_bytes,
        unit_bytes=unit_bytes,
        source_entry_bytes=0,
        fixed_bytes=0,
        source="as stated",
        note="No figure of this product",
    )


def preset(name: str) -> MetadataPreset:
    """Return the preset of that name, with `:SIZE` for the size of the volume behind the cache.

    Without a size a fragment cache's map is taken to span the pages of the workload only, the
    least there can be. `stated:32B/8KiB` states an entry of 32 bytes for each 8 KiB of flash,
    `stated:32B` for each page of the workload.

    Raises
    ------
    BadInput
        If there is none, it keeps nothing of the space behind, the size is 0, or what is stated
        is no size. A size below the pages of the workload is refused where these are known.

    Examples
    --------
    >>> preset("sce:2TiB").source_bytes == 2**41
    True
    >>> entry = preset("stated:32B/8KiB")
    >>> entry.entry_bytes, entry.unit_bytes
    (32.0, 8192)
    """
    base, colon, size = name.partition(":")
    if base == STATED:
        return _stated(name, size)
    found = PRESETS.get(base)
    if found is None:
        raise BadInput(
            f"metadata preset `{name}` is unknown",
            f"one of {', '.join(PRESETS)}, or {STATED}:32B/4KiB with what an entry takes for each "
            "such unit of flash",
        )
    if not colon:
        return found
    if found.source_entry_bytes == 0:
        raise BadInput(
            f"metadata preset `{name}`: `{base}` keeps no metadata of the volume "
            "behind it",
            f"leave `:{size}` out",
        )
    source_bytes = parse_bytes(size)
    if source_bytes == 0:
        raise BadInput(
            f"metadata preset `{name}`: the size of the volume behind the cache must "
            "be above 0",
            f"state its size, such as `{base}:2TiB`, or leave `:{size}` out",
        )
    return replace(found, source_bytes=source_bytes)


def _stated(name: str, text: str) -> MetadataPreset:
    found = _ENTRY.fullmatch(text)
    entry = math.nan if found is None else float(found[1])
    if found is None or not (0 < entry < math.inf):
        raise BadInput(
            f"metadata preset `{name}`: `{text}` is no entry in bytes above 0",
            f"write {STATED}:32B for each page of the workload, or {STATED}:32B/8KiB",
        )
    unit = None if found[2] is None else parse_bytes(found[2])
    if unit is not None and not (0 < unit <= _GREATEST_UNIT_BYTES):
        raise BadInput(
            f"metadata preset `{name}`: the unit that an entry stands for must be above 0 and at "
            f"most {_GREATEST_UNIT_BYTES // 2**40} TiB",
            f"write {STATED}:32B/8KiB, or leave the unit out for the page of the workload",
        )
    return stated(entry, unit)


def _sizes(name: str, value: ArrayLike) -> FloatArray:
    sizes = np.asarray(value, dtype=np.float64)
    if not np.all(np.isfinite(sizes) & (sizes >= 0)):
        raise BadInput(
            f"metadata: {name}: `{sizes}` must be finite and not negative", _HINT
        )
    return sizes


_SCE_PAPER = "SCE paper (ADMS 2014), sections 3.4 and 4.7"
_FACE_PAPER = "Kang, Lee and Moon (2016), sections 3.2, 5.1 and 6.1"


def _derived(
    name: str,
    title: str,
    more_bytes: float,
    note: str,
    *,
    source_entry_bytes: float = 0,
    described_in: str = _FACE_PAPER,
) -> MetadataPreset:
    """Return a preset that no source states: FaCE's entry for a page, and what the cache keeps besides by its description."""
    return MetadataPreset(
        name,
        title,
        FACE_ENTRY_BYTES + more_bytes,
        None,
        source_entry_bytes,
        0,
        f"derived: no source states it. Structures as described: {described_in}",
        f"assumed: the directory entry of FaCE, 32 bytes, which its paper keeps whatever the replacement, and {note}; "
        "hash links are not counted",
    )


PRESETS: Mapping[str, MetadataPreset] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            MetadataPreset(
                "face",
                "FaCE",
                FACE_ENTRY_BYTES,
                None,
                0,
                0,
                "Kang, Lee and Moon (2016), section 5.2",
                "32 bytes per entry of the metadata directory; hash links are not "
                "stated",
            ),
            _derived(
                "lazy_cleaning",
                "Lazy Cleaning",
                _QUEUED_BYTES + _LRU_2_BYTES,
                "a place in the queue and the times of two references, as LRU-2 has them: 32 bytes",
            ),
            _derived(
                "tac",
                "TAC",
                _QUEUED_BYTES,
                "a place in the queue of its extent, 16 bytes, and for each extent of the volume a temperature of 8 bytes",
                source_entry_bytes=_TEMPERATURE_BYTES,
            ),
            _derived(
                "exadata",
                "Exadata",
                _QUEUED_BYTES,
                "a place in the LRU queue, 16 bytes; its RAM is that of the storage servers",
            ),
            _derived(
                "cac",
                "CAC",
                _GREEDY_DUAL_BYTES,
                "reads, writes, value and place among the values, as greedy-dual has them: 24 bytes",
            ),
            _derived(
                "larc",
                "LARC",
                _QUEUED_BYTES + _LARC_GHOSTS * GHOST_BYTES,
                "a place in the LRU queue, 16 bytes; for each page of the ghost list its number and place, 24 bytes, where the "
                "list is at its longest, 0.9 times the pages of flash",
                described_in="Huang and others (MSST 2013), with the bounds of the list as an open dm-cache policy quotes them",
            ),
            _derived(
                "cachesack",
                "CacheSack",
                _QUEUED_BYTES,
                "a place in the LRU queue, 16 bytes, and for each page of the volume the time of its last request, 8 bytes, by "
                "which a second miss is known; its counts by category are not counted",
                source_entry_bytes=LAST_REQUEST_BYTES,
                described_in="Yang and others (ATC 2022), the LRU flash cache of this replay",
            ),
            _derived(
                "ram_filter",
                "RAM filter",
                GHOST_BYTES,
                "for each page that is remembered its number and place, 24 bytes, where as many are as flash has pages; the "
                "log has the pages in the order of their slots, so there are no places in a queue",
                described_in="Yang and others (SOSP 2023), with the ghost list of libCacheSim",
            ),
            MetadataPreset(
                "sce",
                "SCE fragment cache",
                SCE_DESCRIPTOR_BYTES,
                SCE_FRAGMENT_BYTES,
                SCE_MAP_ENTRY_BYTES,
                SCE_BUFFER_BYTES,
                _SCE_PAPER,
                "two terms: 4 bytes a fragment of the source, 72 bytes a cached fragment; "
                "16 MiB of buffers",
            ),
            MetadataPreset(
                "flashcache",
                "flashcache",
                24,
                4096,
                0,
                0,
                _SCE_PAPER,
                "200 GiB: 1200 MiB computed, 1212 MiB measured",
            ),
            MetadataPreset(
                "enhanceio",
                "EnhanceIO",
                8,
                4096,
                0,
                0,
                _SCE_PAPER,
                "200 GiB: 400 MiB computed, 415 MiB measured",
            ),
            MetadataPreset(
                "bcache",
                "bcache",
                38.4,
                512 * 1024,
                0,
                0,
                "SCE paper (ADMS 2014), Table 1",
                "15 MiB measured for 200 GiB, spread over buckets of 512 KiB; its "
                "B+tree nodes are cached in addition, as memory allows",
            ),
            MetadataPreset(
                "l2arc",
                "L2ARC (OpenZFS)",
                96,
                None,
                0,
                0,
                "openzfs/zfs#11702 (slab object of 96 bytes a record)",
                "one header a record of the data set, here one a page; headers cannot be evicted",
            ),
            MetadataPreset(
                "dm_cache",
                "dm-cache (smq)",
                25,
                256 * 1024,
                0,
                0,
                "Linux, guide to the policies of dm-cache (25 bytes a cache block)",
                "blocks of 256 KiB; larger blocks need less and copy more",
            ),
            MetadataPreset(
                "dm_writeboost",
                "dm-writeboost",
                40.96,
                4096,
                0,
                0,
                "writeboost/dm-writeboost#107",
                "about 1 % of the cache device, according to its author",
            ),
            MetadataPreset(
                "open_cas",
                "Open CAS",
                54.13,
                4096,
                0,
                0,
                "Open-CAS/open-cas-linux#410 (46.7 GiB for 926,351,414 cache lines)",
                "cache lines of 4 KiB, as its statistics report them; `open_cas_32k` has larger ones",
            ),
            MetadataPreset(
                "open_cas_32k",
                "Open CAS, cache lines of 32 KiB",
                61.5,
                32 * 1024,
                0,
                0,
                "Open-CAS/open-cas-linux#1707",
                "a line is an entry, however many of its pages it holds: what is replayed with "
                "lines of 32 KiB",
            ),
            MetadataPreset(
                "dm_writecache",
                "dm-writecache",
                WRITECACHE_ENTRY_BYTES + WRITECACHE_ON_FLASH_BYTES,
                4096,
                0,
                0,
                "Linux, drivers/md/dm-writecache.c (struct wc_entry, struct wc_memory_entry)",
                "an entry of 72 bytes a block, and 16 of what is on flash, all of which it keeps in RAM; "
                "kernels built without persistent memory take 16 bytes less",
            ),
            MetadataPreset(
                "cachelib",
                "CacheLib, large objects",
                8,
                None,
                0,
                0,
                "CacheLib, source code (a record of its index is 8 bytes)",
                "one record per item, here a page; the hash map around the records is not stated and adds to them",
            ),
            MetadataPreset(
                "bighash",
                "CacheLib BigHash",
                8,
                4096,
                0,
                0,
                "CacheLib, source code (Bloom filter of 8 bytes per bucket of 4 KiB)",
                "however many objects a bucket holds",
            ),
            MetadataPreset(
                "kangaroo",
                "Kangaroo",
                0.875,
                None,
                0,
                0,
                "McAllister and others (SOSP 2021): 7.0 bits of DRAM per object",
                "one object per page of the workload, as in the replay: 48 bits in the log, 4 in the sets",
            ),
        )
    }
)
"""Every preset by name; one entry a preset."""
