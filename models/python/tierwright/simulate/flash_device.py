"""The flash device under a system: what garbage collection makes of its writes.

A typed door to the core, as `replay` is for traces: translation layers, several rules of
collection, TRIM, write streams, wear. See docs/models/ftl.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tierwright import _simulator
from tierwright.common.errors import BadInput
from tierwright.trace.reading import OnProgress

Collection = Literal["greedy", "fifo", "random", "choices", "cost-benefit"]
"""Which closed block is collected: the emptiest, the oldest, any, the emptiest of some drawn at
random, or the one with the most age x (1 - u) / 2u, u its valid share."""
COLLECTIONS: tuple[Collection, ...] = get_args(Collection)
Mapping = Literal["page", "block", "bast", "fast", "zones"]
"""How logical pages are mapped: any page anywhere; a logical block is one block; the same with log
blocks, each of one logical block (BAST) or of all (FAST); zones to which the host appends."""
MAPPINGS: tuple[Mapping, ...] = get_args(Mapping)
Order = Literal["uniform", "sequential", "zipf"]
LEAST_RESERVE = 2
"""Free blocks, with the one just opened, below which blocks are collected."""
MOST_PAGES = 2**32 - 2
MOST_SPARE = 1000


@dataclass(frozen=True, slots=True)
class FlashDevice:
    """A device.

    Attributes
    ----------
    logical_pages, blocks, block_pages : int
        Pages that the host sees, blocks of the device, pages of a block.
    collection : str
        One of `COLLECTIONS`.
    choices : int
        Blocks drawn by `choices`.
    streams : int
        Write streams of the host, each with its own open block.
    copies : str
        `stream`: copies stay in the stream of the victim, so that streams never share a block.
        `apart`: all copies go to one open block of their own.
    reserve : int
        Free blocks, with the one just opened, below which blocks are collected.
    buffer_pages : int
        Pages of its write buffer, fewer than the logical ones: a page that is written again while it
        is there is written to flash once, and its copy on flash is invalid meanwhile. 0: none.
    mapping : str
        One of `MAPPINGS`. Collection, streams, copies and reserve are of `page`; the blocks beyond the
        logical ones are the log blocks, or replacements, of `block`, `bast` and `fast`, but for one.
    """

    logical_pages: int
    blocks: int
    block_pages: int
    collection: Collection = "greedy"
    choices: int = 10
    streams: int = 1
    copies: Literal["stream", "apart"] = "stream"
    reserve: int = LEAST_RESERVE
    buffer_pages: int = 0
    mapping: Mapping = "page"

    @property
    def spare(self) -> float:
        """(physical - logical) / logical. [1]"""
        return self.blocks * self.block_pages / self.logical_pages - 1

    @property
    def usable_spare(self) -> float:
        """The spare without the blocks held back: the reserve, and half of each further open block.

        The closed forms know no such blocks; compare them at this spare. Of a mapping by blocks without
        the block for merges, of zones all of it. [1]
        """
        if self.mapping == "zones":
            return self.spare
        if self.mapping != "page":
            return (self.blocks - 1) * self.block_pages / self.logical_pages - 1
        more = self.streams - 1 + (self.copies == "apart")
        held = self.reserve + more / 2
        return (self.blocks - held) * self.block_pages / self.logical_pages - 1

    @property
    def rule(self) -> Collection | None:
        """The rule of garbage collection; None where pages are not mapped one by one."""
        return self.collection if self.mapping == "page" else None

    @classmethod
    def of_spare(
        cls, logical_pages: int, spare: float, block_pages: int, **more: Any
    ) -> FlashDevice:
        """Return the device with at least this spare, in whole blocks.

        Parameters
        ----------
        logical_pages : int
            Pages that the host sees.
        spare : float
            (physical - logical) / logical, above 0. [1]
        block_pages : int
            Pages of a block.
        **more
            The other attributes.

        Raises
        ------
        BadInput
            If a number is out of its domain.
        """
        if not 1 <= logical_pages <= MOST_PAGES:
            raise BadInput(
                f"flash device: `{logical_pages}` logical pages are not from 1 to "
                f"{MOST_PAGES:,}",
                "simulate a smaller device: WAF depends on the spare, hardly on the size",
            )
        if not (math.isfinite(spare) and 0 < spare <= MOST_SPARE):
            raise BadInput(
                f"flash device: a spare of `{spare}` is not above 0 and at most "
                f"{MOST_SPARE}",
                "give (physical - logical) / logical, such as 0.07 or 0.28",
            )
        if block_pages < 1:
            raise BadInput(
                f"flash device: `{block_pages}` pages per block are fewer than 1",
                "give the pages of an erase block, such as 256",
            )
        blocks = math.ceil(round(logical_pages * (1 + spare), 6) / block_pages)
        return cls(logical_pages, blocks, block_pages, **more)


@dataclass(frozen=True, slots=True)
class Part:
    """Logical pages, one after the other, that are written in one way.

    Attributes
    ----------
    pages : int
        How many.
    write_share : float
        Share of all writes. [1]
    order : str
        `uniform`, `sequential` or `zipf`.
    exponent : float
        Of `zipf`.
    stream : int
        Stream of the writes.
    run_pages : int
        Writes that follow one another before another part may be written.
    """

    pages: int
    write_share: float = 1.0
    order: Order = "uniform"
    exponent: float = 0.0
    stream: int = 0
    run_pages: int = 1


def simulate_writes(
    device: FlashDevice,
    parts: Sequence[Part],
    *,
    writes: int,
    warm_up: int,
    trim_share: float = 0.0,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Fill a device, write to it until it is steady, and count what further writes do.

    Parameters
    ----------
    device : FlashDevice
        The device.
    parts : sequence of Part
        Together its logical pages.
    writes, warm_up : int
        Requests that count, and those before them.
    trim_share : float
        Share of the requests that trim a random page in use, below 0.5. [1]
    seed : int
        Of all that is random.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Returns
    -------
    dict
        `host_writes, absorbed, trims, moved, erases, waf, used_pages`, `merges`: `full, partial, switch`
        of a mapping by blocks, of each stream `streams`: `host_writes, moved` of what was written to
        flash, and `wear`: `least, mean, most, deviation` of the erases per block.

    Raises
    ------
    ParameterError
        If the device could not work, the parts are not those of the device, or zones are not appended to.
    Cancelled
        If progress asked to stop.
    """
    return _simulator.simulate_ftl(
        asdict(device),
        [asdict(part) for part in parts],
        trim_share=trim_share,
        warm_up=warm_up,
        requests=writes,
        seed=seed,
        on_progress=on_progress,
    )


def serve_requests(
    device: FlashDevice,
    pages: ArrayLike,
    *,
    trims: ArrayLike | None = None,
    streams: ArrayLike | None = None,
    warm_up: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """Serve a stream of writes and trims, such as the flash writes of a cache.

    Parameters
    ----------
    device : FlashDevice
        The device, empty.
    pages : array_like
        Logical page of each request, one dimension.
    trims : array_like of bool, optional
        Whether it trims; otherwise all write.
    streams : array_like, optional
        Stream of each; otherwise 0.
    warm_up : int
        Requests at the beginning that do not count.
    seed : int
        Of random victims.

    Returns
    -------
    dict
        As `simulate_writes`.

    Raises
    ------
    ParameterError
        If the device could not work, a page or a stream is not below the device's, or zones are not
        appended to.
    BadInput
        If a page or a stream is not a whole number of its range.
    """
    numbered = _whole("pages", pages, MOST_PAGES).astype(np.uint32)
    asked = np.zeros(numbered.shape, np.bool_) if trims is None else np.asarray(trims)
    of = (
        np.zeros(numbered.shape, np.uint8)
        if streams is None
        else _whole("streams", streams, 255).astype(np.uint8)
    )
    return _simulator.serve_ftl(
        asdict(device),
        np.ascontiguousarray(numbered),
        np.ascontiguousarray(asked.astype(np.bool_)),
        np.ascontiguousarray(of),
        warm_up=warm_up,
        seed=seed,
    )


def _whole(name: str, values: ArrayLike, most: int) -> np.ndarray[Any, Any]:
    found = np.asarray(values)
    if found.size == 0:
        found = found.astype(np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise BadInput(
            f"flash device: {name} of {found.ndim} dimensions and type {found.dtype} "
            "are not a list of whole numbers",
            "give one whole number per request",
        )
    wrong = (found < 0) | (found > most)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise BadInput(
            f"flash device: {name}[{at}] `{found[at]}` is not from 0 to {most:,}",
            "number pages and streams from 0",
        )
    return found
