"""Checkpoints of an unfinished conversion in the store, so that another host resumes it.

The chunks so far only grow: each copy adds those behind the last one, then replaces the checkpoint, which says how far
they go. What does not fit together is not resumed, as on one host: every chunk carries a checksum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tierwright_server.storage import shared_store

if TYPE_CHECKING:
    from tierwright_server.common.settings import Settings

_PARTIAL, _CHECKPOINT = ".partial", ".checkpoint"
_CHUNKS, _KEPT = "chunks", "checkpoint"
_SPAN = re.compile(r"(\d{15})-(\d{15})")
_MOST_BYTES = 64 * 2**20
"""Of one object."""
_BROUGHT = "from-the-store"


def keep(
    settings: Settings, run_id: str, is_over: Callable[[], bool] = lambda: False
) -> None:
    """Copy the newest checkpoint of a run, and the chunks up to it, to the store, unless the run is over."""
    shared = shared_store.store_of(settings)
    found = _newest(settings.work_dir / run_id)
    if shared is None or found is None:
        return
    checkpoint, partial = found
    sealed = checkpoint.read_bytes()
    end = _length(sealed)
    if end is None or partial.stat().st_size < end:
        return
    place = f"work/{run_id}"
    have = _reach(shared.sizes(f"{place}/{_CHUNKS}"), end)
    with partial.open("rb") as file:
        file.seek(have)
        while have < end:
            data = file.read(min(_MOST_BYTES, end - have))
            if not data or is_over():
                return
            span = f"{have:015d}-{have + len(data):015d}"
            shared.put(f"{place}/{_CHUNKS}/{span}", data)
            have += len(data)
    if is_over():
        return
    shared.put(f"{place}/{_KEPT}-{partial.name.removesuffix(_PARTIAL)}", sealed)


def bring(settings: Settings, run_id: str) -> None:
    """Lay down what another host has kept of a run, unless attempts of this one have left something."""
    shared = shared_store.store_of(settings)
    folder = settings.work_dir / run_id
    if shared is None or _newest(folder) is not None:
        return
    place = f"work/{run_id}"
    objects = shared.sizes(place)
    named = [name for name in objects if name.startswith(f"{place}/{_KEPT}-")]
    sealed = shared.get(named[0]) if named else None
    end = None if sealed is None else _length(sealed)
    if sealed is None or end is None or _reach(objects, end) < end:
        return
    target = named[0].removeprefix(f"{place}/{_KEPT}-")
    attempt = folder / _BROUGHT
    attempt.mkdir(mode=0o700, parents=True, exist_ok=True)
    at = 0
    with (attempt / f"{target}{_PARTIAL}").open("wb") as file:
        for name, (start, stop) in _spans(objects):
            if start <= at < stop:
                data = shared.get(name)
                if data is None:
                    break
                file.seek(at)
                file.write(data[at - start :])
                at = stop
        file.truncate(end)
    (attempt / f"{target}{_CHECKPOINT}").write_bytes(sealed)


def _newest(folder: Path) -> tuple[Path, Path] | None:
    """Return the checkpoint of the attempt that came farthest on this host, and its chunks."""
    found = []
    for checkpoint in folder.glob(f"*/*{_CHECKPOINT}"):
        partial = checkpoint.with_name(
            checkpoint.name.removesuffix(_CHECKPOINT) + _PARTIAL
        )
        with suppress(FileNotFoundError):
            found.append((partial.stat().st_size, checkpoint, partial))
    return max(found)[1:] if found else None


def _length(sealed: bytes) -> int | None:
    """Return how far the chunks of a checkpoint go; None of one that cannot be read. [bytes]"""
    json_, _, _seal = sealed.rpartition(b"\ncrc32 ")
    try:
        return int(json.loads(json_)["written"]["bytes"])
    except (ValueError, KeyError, TypeError):
        return None


def _spans(objects: dict[str, int]) -> list[tuple[str, tuple[int, int]]]:
    found = []
    for name, size in objects.items():
        span = _SPAN.fullmatch(name.rsplit("/", 1)[-1])
        if span is not None and int(span[2]) - int(span[1]) == size:
            found.append((name, (int(span[1]), int(span[2]))))
    return sorted(found, key=lambda each: each[1])


def _reach(objects: dict[str, int], end: int) -> int:
    """Return how far the chunks in the store go without a gap, up to `end`. [bytes]"""
    at = 0
    for _, (start, stop) in _spans(objects):
        if start <= at < stop:
            at = stop
    return min(at, end)
