"""Formulas `sce.*` of the conformance vectors: from a vector's inputs to its expected fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from tierwright.catalogue.vectors.face import first_of, plain
from tierwright.common.errors import BadInput
from tierwright.evaluate import fragment_cache, metadata, recovery

Inputs = Mapping[str, Any]
Outputs = dict[str, Any]


def _metadata_of(inputs: Inputs) -> metadata.SceMetadata:
    return metadata.fragment_cache_metadata(
        inputs["source_bytes"],
        inputs["cache_bytes"],
        fragment_bytes=inputs.get("fragment_bytes", metadata.SCE_FRAGMENT_BYTES),
        map_entry_bytes=inputs.get("map_entry_bytes", metadata.SCE_MAP_ENTRY_BYTES),
        descriptor_bytes=inputs.get("descriptor_bytes", metadata.SCE_DESCRIPTOR_BYTES),
        buffer_bytes=inputs.get("buffer_bytes", metadata.SCE_BUFFER_BYTES),
    )


def _metadata(inputs: Inputs) -> Outputs:
    found = _metadata_of(inputs)
    return {
        "mapping_bytes": found.mapping_bytes,
        "descriptor_bytes": found.descriptor_bytes,
        "total_bytes": found.total_bytes,
        "total_MiB": found.total_bytes / metadata.MIB,
        "with_buffers_MiB": found.with_buffers_bytes / metadata.MIB,
    }


def _block_metadata(inputs: Inputs) -> Outputs:
    found = metadata.block_metadata(
        inputs["cache_bytes"],
        block_bytes=inputs.get("block_bytes", metadata.SCE_PAGE_BYTES),
        bytes_per_block=inputs["bytes_per_block"],
    )
    return {
        "blocks": found.blocks,
        "bytes": found.total_bytes,
        "MiB": found.total_bytes / metadata.MIB,
    }


def _fragment_descriptor(inputs: Inputs) -> Outputs:
    found = metadata.fragment_descriptor(inputs["fragment_bytes"])
    return {
        "pages": found.pages,
        "bitmap_bytes": found.bitmap_bytes,
        "descriptor_bytes": found.descriptor_bytes,
    }


def _warmup_units(inputs: Inputs) -> Outputs:
    return {
        "units": plain(
            recovery.warm_up_misses(inputs["cache_bytes"], inputs["unit_bytes"])
        )
    }


def _population_rate(inputs: Inputs) -> Outputs:
    found = fragment_cache.population_rate(
        inputs["fill_bytes"],
        threads=inputs["threads"],
        period_s=inputs["period_s"],
        fragment_bytes=inputs["fragment_bytes"],
    )
    return {
        "bytes_per_s": plain(found.bytes_per_s),
        "seconds": plain(found.seconds),
        "hours": plain(found.hours),
    }


def _threads(inputs: Inputs) -> Outputs:
    found = fragment_cache.threads(inputs["read_miss_rate"], inputs["free_fraction"])
    return {"threads": found.tolist()}


def _accesses(inputs: Inputs) -> list[str]:
    given = inputs["accesses"]
    return given.split() if isinstance(given, str) else [str(name) for name in given]


def _clock(inputs: Inputs) -> Outputs:
    found = fragment_cache.clock(
        _accesses(inputs),
        frames=inputs["frames"],
        ceiling=inputs.get("ceiling", fragment_cache.CLOCK_CEILING),
        initial_count=inputs.get("initial_count", fragment_cache.CLOCK_INITIAL_COUNT),
    )
    return {
        "hits": found.hits,
        "evicted": found.evicted,
        "frames": found.frames,
        "counters": found.counters,
        "decrements": found.decrements,
    }


def _hottest_of_mru(inputs: Inputs) -> Outputs:
    found = fragment_cache.hottest_of_mru(
        _accesses(inputs), window=inputs.get("window", fragment_cache.MRU_WINDOW)
    )
    return {"promote": found.promote, "candidates_mru_first": found.candidates}


def _speedup(inputs: Inputs) -> Outputs:
    found = fragment_cache.speedup(inputs["base"], inputs["x"])
    return {"ratio": plain(found.ratio), "gain_pct": plain(found.gain_percent)}


def _memory_ratio(inputs: Inputs) -> Outputs:
    """From sizes of both caches, or from their memory where it is given."""
    buffers = inputs.get("buffer_bytes", metadata.SCE_BUFFER_BYTES)
    if "source_bytes" in inputs:
        fragment = _metadata_of(inputs).total_bytes
        block = metadata.block_metadata(
            inputs["cache_bytes"],
            block_bytes=inputs.get("block_bytes", metadata.SCE_PAGE_BYTES),
            bytes_per_block=inputs["bytes_per_block"],
        ).total_bytes
    else:
        block = first_of(
            inputs, "block_cache_bytes", "block_metadata_bytes", "block_bytes_total"
        )
        fragment = first_of(
            inputs, "sce_bytes", "sce_total_bytes", "sce_metadata_bytes"
        )
    if not (math.isfinite(block) and math.isfinite(fragment)):
        raise BadInput(
            "sce.memory_ratio: the memory of a cache would not be finite",
            "give smaller sizes",
        )
    found = metadata.memory_ratio(
        block_cache_bytes=block, fragment_cache_bytes=fragment, buffer_bytes=buffers
    )
    return {"ratio": found}


FORMULAS: dict[str, Callable[[Inputs], Outputs]] = {
    "sce.metadata": _metadata,
    "sce.block_metadata": _block_metadata,
    "sce.fragment_descriptor": _fragment_descriptor,
    "sce.warmup_units": _warmup_units,
    "sce.population_rate": _population_rate,
    "sce.threads": _threads,
    "sce.clock": _clock,
    "sce.hottest_of_mru": _hottest_of_mru,
    "sce.speedup": _speedup,
    "sce.memory_ratio": _memory_ratio,
}
"""Formula name to function; one line a formula."""
