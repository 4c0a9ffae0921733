"""The curves of a workload on the scale of production, from a cold start and running."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.common.wording import percent, three_digits
from tierwright.profile.curve import SHARE_DIGITS, Curve, Given
from tierwright.profile.production import Production, Scaled

_MOST_ACCESSES = 2**53
_MOST_SIZES = 2250
"""Sizes of each of the two curves in a profile file: so many always fit into it."""
_MOST_KNOTS = 320
"""Sizes whose part in the recorded system a profile file lists."""
_DIGITS = 10
"""Of such a size: more than whole pages need."""


def scaled_curve(curve: Curve, scaled: Scaled, grown: Any) -> Curve:
    """Put counts and sizes of a curve on the scale of production, from a cold start and running."""
    counts = scaled.counts_factor
    accesses = round(curve.accesses * counts)
    share = scaled.production.write_share
    writes = curve.write_accesses
    # Of what one machine serves, each write on every copy and each read on one.
    copied = scaled.production.replicas / scaled.served_per_access
    more_writes = copied
    if share is not None and curve.write_backs_at is not None:
        if writes == 0 and share > 0:
            raise BadInput(
                f"write share: the recording has no writes that {percent(share)} could follow",
                "profile a trace with writes, or leave the write share out",
            )
        more_writes = copied * share * curve.accesses / writes if writes else 1.0
    write_accesses = min(accesses, round(writes * more_writes * counts))
    distinct = max(1, round(curve.distinct_pages * counts))

    def part(
        of: Curve, data_pages: int | None = None
    ) -> tuple[Any, FloatArray, FloatArray | None]:
        pages = of.pages.astype(np.float64)
        large = grown(pages, of.misses_at)
        more = (0, len(large.pages) - len(pages))
        known = np.pad(of.misses_at, more, mode="edge")
        misses = np.minimum.accumulate(known * large.misses_kept) * counts
        backs = of.write_backs_at
        if backs is not None:
            backs = np.pad(backs, more, mode="edge")
            backs = np.minimum.accumulate(
                np.minimum(
                    backs * large.write_backs_kept * more_writes * counts,
                    np.minimum(misses, float(write_accesses)),
                )
            )
        return _listed(
            large.pages,
            misses,
            backs,
            (accesses, write_accesses),
            distinct,
            data_pages,
        )

    base = curve.from_start("cold") if curve.given is None else curve
    pages, misses, backs = part(base)
    made_pages = grown(base.pages.astype(np.float64), base.misses_at).pages
    made_pages = np.asarray(made_pages)[: len(base.pages)]
    made = Curve.from_lists(
        pages,
        misses,
        backs,
        accesses=accesses,
        distinct_pages=distinct,
        page_bytes=curve.page_bytes,
        write_accesses=write_accesses,
        given=_given(
            curve, scaled, lambda sizes: np.interp(sizes, base.pages, made_pages)
        ),
        sample_rate=curve.sample_rate,
        notes=curve.notes,
        new_pages=min(distinct, round(curve.new_pages * counts)),
        scaled=scaled,
    )
    # At sizes of the recorded system, as they were counted: `Scaled.recorded_size` finds them.
    made = made.with_windows(base.windows)
    made = made.with_sample_error(*_sample_error(base, made, grown))
    if curve.given is not None:
        return made
    # The trend ends where a cache holds all of the data, which are stated here.
    return Curve.scaled_to(scaled, made, part(base.steady(), made.data_pages))


def _sample_error(
    base: Curve, made: Curve, grown: Any
) -> tuple[NDArray[np.int64], FloatArray]:
    """Carry the error of a sample over: of the misses at a size, the share that it is at the recorded one.

    Listed at a few sizes, as the profile file does, so that a curve that is read again is the same.
    """
    followed, share = base.sample_error()
    if not len(followed):
        return followed, share
    large = np.maximum.accumulate(
        grown(base.pages.astype(np.float64), base.misses_at).pages[: len(followed)]
    )
    sizes = made.pages[made.sample_knots()]
    return sizes, np.round(np.interp(sizes, large, share), SHARE_DIGITS)


def _given(
    curve: Curve, scaled: Scaled, resize: Callable[[FloatArray], FloatArray]
) -> Given | None:
    """Return what stands behind a given curve, whose dirty share is bounded by the writes that one machine serves."""
    given = curve.given
    if given is not None and given.evidence is not None:
        given = replace(given, evidence=given.evidence.resized(resize))
    share = write_share_of(curve, scaled.production)
    if given is None or share is None or curve.write_backs_at is not None:
        return given
    return replace(given, write_share=scaled.machine_write_share(share))


def write_share_of(curve: Curve, production: Production) -> float | None:
    """Share of the accesses of production that write: as stated, else as recorded; None where unknown. [1]"""
    if production.write_share is not None:
        return production.write_share
    writes = curve.known_write_accesses
    if writes is None:
        return None if curve.given is None else curve.given.write_share
    return writes / curve.accesses if curve.accesses else 0.0


def size_knots(
    curve: Curve, grown: Any, *, goes_on: bool
) -> tuple[tuple[float, float], ...]:
    """List sizes of production, each with the recorded one that became it, both of the running system."""
    base = curve.steady()
    pages, misses = base.pages.astype(np.float64), base.misses_at
    if goes_on:  # as the last piece does, beyond the recording
        pages, misses = np.append(pages, 2 * pages[-1]), np.append(misses, misses[-1])
    # The law is applied to all sizes, as to the curve, and then thinned.
    larger = grown(pages, misses).pages
    at = np.searchsorted(pages, np.geomspace(1, base.last_listed, _MOST_KNOTS))
    kept = np.unique(np.append(at, len(pages) - 1))
    ends = [(larger[-1], pages[-1])] if len(larger) > len(pages) else []
    found: list[tuple[float, float]] = []
    for large, size in (*zip(larger[kept], pages[kept], strict=True), *ends):
        known = float(f"{large:.{_DIGITS}g}")
        if known > (found[-1][0] if found else 0.0):
            found.append((known, float(size)))
    return tuple(found)


def _listed(
    sizes: FloatArray,
    misses: FloatArray,
    backs: FloatArray | None,
    at_zero: tuple[int, int],
    distinct: int,
    data_pages: int | None = None,
) -> tuple[Any, FloatArray, FloatArray | None]:
    """List whole sizes, each once, with those of 1 page and of all pages.

    Where all of the data are stated, none beyond it, and the size of one page less, up to which a
    trend goes on.
    """
    knots = np.concatenate(([0.0], np.maximum(sizes, 1e-9)))
    knots = np.maximum.accumulate(knots)
    keep = np.concatenate(([True], np.diff(knots) > 0))
    whole = np.unique(
        np.concatenate((np.maximum(1, np.rint(sizes)), [1, distinct])).astype(np.int64)
    )

    most = _MOST_SIZES if data_pages is None else _MOST_SIZES - 2
    if data_pages is not None:
        whole = whole[whole <= data_pages]
    if len(whole) > most:
        whole = whole[np.rint(np.linspace(0, len(whole) - 1, most)).astype(int)]
    if data_pages is not None:
        whole = np.union1d(whole, [max(1, data_pages - 1), data_pages])

    # The last size holds all pages, though it is rounded down: a part of a page less would stay outside.
    read = whole.astype(np.float64)
    read[-1] = max(read[-1], knots[-1])

    def at(values: FloatArray, zero: int) -> FloatArray:
        line = np.interp(
            read, knots[keep], np.concatenate(([float(zero)], values))[keep]
        )
        return np.minimum.accumulate(np.minimum(line, float(zero)))

    found = at(misses, at_zero[0])
    return (
        whole,
        found,
        None if backs is None else np.minimum(at(backs, at_zero[1]), found),
    )


def check_counts(curve: Curve, scaled: Scaled) -> None:
    if curve.accesses * scaled.counts_factor > _MOST_ACCESSES:
        raise BadInput(
            f"production data: {format_bytes(scaled.production.data_bytes)} are "
            f"{three_digits(scaled.factor)} times the recorded data: more accesses than can be "
            "counted exactly",
            "profile a recording of a larger system, or a shorter one",
        )
    if curve.distinct_pages * scaled.counts_factor < 1:
        raise BadInput(
            f"machines: `{scaled.production.machines}` would hold less than one page each of the "
            "pages that the recording touches",
            "state fewer machines",
        )
