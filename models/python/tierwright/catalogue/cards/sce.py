"""Cards of `sce.*`: the fragment cache."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.catalogue.card import (
    Inputs,
    Output,
    Outputs,
    Parameter,
    cards_of,
    integer,
    number,
    numbers,
    optional,
)
from tierwright.common.cautions import Caution
from tierwright.evaluate import fragment_cache, metadata, recovery

PAPER = fragment_cache.SCE_PAPER
PAGE_FILE = "sce.md"
SOURCE_BYTES = number("source_bytes", "bytes", "size of the volume behind the cache")
CACHE_BYTES = number("cache_bytes", "bytes", "flash cache")
FRAGMENT = integer("fragment_bytes", "bytes", "fragment")
SIZES = (
    SOURCE_BYTES,
    CACHE_BYTES,
    optional(FRAGMENT, metadata.SCE_FRAGMENT_BYTES),
    optional(
        number("map_entry_bytes", "bytes", "entry of the map"),
        metadata.SCE_MAP_ENTRY_BYTES,
    ),
    optional(
        number("descriptor_bytes", "bytes", "descriptor of a cached fragment"),
        metadata.SCE_DESCRIPTOR_BYTES,
    ),
    optional(number("buffer_bytes", "bytes", "buffers"), metadata.SCE_BUFFER_BYTES),
)
BLOCK = optional(integer("block_bytes", "bytes", "block"), metadata.SCE_PAGE_BYTES)
PER_BLOCK = number("bytes_per_block", "bytes", "metadata of a block")
MEMORY_VALIDITY = "metadata proper; rounding of allocators and locks is left out"
ACCESSES = Parameter("accesses", "names", "", "fragments in the order of access")


def _about_memory(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs.get("source_bytes", 0) and inputs["source_bytes"] < inputs["cache_bytes"]:
        yield Caution(
            "cache_larger_than_source",
            "the cache is larger than its source: descriptors are charged for all of "
            "it",
            "give the cache at most the size of the source",
        )


def _about_speedup(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs["x"] < inputs["base"]:
        yield Caution(
            "slower",
            "x is below the base: the gain is negative",
            "swap them if this is not intended",
        )


_card = cards_of("sce", page_file=PAGE_FILE)


_MEMORY = {
    "page_file": "metadata.md",
    "validity": MEMORY_VALIDITY,
}
_STUDY = {"command": "sce", "address": "/sce", "page": "Wear and recovery"}

CARDS = (
    _card(
        "metadata",
        title="Memory of a fragment cache",
        says="RAM that the map and the descriptors of a fragment cache take.",
        formula="map_entry source / fragment + descriptor cache / fragment",
        source=f"{PAPER}, sections 3.4 and 4.7 (two terms repaired)",
        takes=SIZES,
        gives=(
            Output(
                "mapping_bytes",
                "bytes",
                "map",
                "map_entry_bytes source_bytes / fragment_bytes",
            ),
            Output(
                "descriptor_bytes",
                "bytes",
                "descriptors",
                "descriptor_bytes cache_bytes / fragment_bytes",
            ),
            Output(
                "total_bytes",
                "bytes",
                "both",
                "(map_entry_bytes source_bytes + descriptor_bytes cache_bytes) / fragment_bytes",
            ),
            Output("total_MiB", "MiB", "both", "total_bytes / 2^20"),
            Output(
                "with_buffers_MiB",
                "MiB",
                "with buffers",
                "(total_bytes + buffer_bytes) / 2^20",
            ),
        ),
        command="metadata",
        address="/evaluations",
        page="Compare",
        warn=_about_memory,
        **_MEMORY,
    ),
    _card(
        "block_metadata",
        title="Memory of a block cache",
        says="RAM that the metadata of a cache of blocks takes.",
        formula="bytes_per_block cache / block",
        source=f"{PAPER}, section 4.7 (24 bytes flashcache, 8 bytes EnhanceIO)",
        takes=(CACHE_BYTES, BLOCK, PER_BLOCK),
        gives=(
            Output("blocks", "1", "blocks", "cache_bytes / block_bytes"),
            Output("bytes", "bytes", "metadata", "blocks bytes_per_block"),
            Output("MiB", "MiB", "metadata", "bytes / 2^20"),
        ),
        command="metadata",
        address="/evaluations",
        page="Compare",
        **_MEMORY,
    ),
    _card(
        "fragment_descriptor",
        title="Descriptor of a fragment",
        says="Size of the descriptor, with its bitmap, for a fragment size.",
        formula="descriptor = 40 + pages / 8, pages = fragment / 4096",
        source=f"derived from {PAPER}, section 3.4",
        takes=(FRAGMENT,),
        gives=(
            Output("pages", "pages", "of a fragment", "fragment_bytes / 4096"),
            Output("bitmap_bytes", "bytes", "bitmap", "pages / 8"),
            Output("descriptor_bytes", "bytes", "descriptor", "40 + bitmap_bytes"),
        ),
        page_file="metadata.md",
        validity="40 fixed bytes are those of the paper's 1 MiB fragment",
        **_STUDY,
    ),
    _card(
        "warmup_units",
        title="Units to fill a cache",
        says="Misses or promotions until a cache is full.",
        formula="cache / unit",
        source=f"{PAPER}, section 4",
        takes=(CACHE_BYTES, number("unit_bytes", "bytes", "page or fragment")),
        gives=(Output("units", "1", "to fetch", "cache_bytes / unit_bytes"),),
        page_file="recovery.md",
        validity=recovery.FILL_VALIDITY,
        address="/recovery",
        page="Wear and recovery",
    ),
    _card(
        "population_rate",
        title="Rate of background population",
        says="How fast population threads fill a cache.",
        formula="rate = threads fragment / period",
        source=f"{PAPER}, section 3.6; the bound is derived",
        takes=(
            number("fill_bytes", "bytes", "to fill"),
            integer("threads", "1", "threads"),
            number("period_s", "s", "sleep of a thread between two promotions"),
            FRAGMENT,
        ),
        gives=(
            Output(
                "bytes_per_s", "bytes/s", "rate", "threads fragment_bytes / period_s"
            ),
            Output("seconds", "s", "time to fill", "fill_bytes / bytes_per_s"),
            Output("hours", "h", "time to fill", "seconds / 3600"),
        ),
        estimator="upper bound of the rate",
        validity=fragment_cache.POPULATION_VALIDITY,
        **_STUDY,
    ),
    _card(
        "threads",
        title="Population threads that run",
        says="How many population threads run at a miss rate and a free share.",
        formula="4 if miss >= 35 % and free > 10 %, + 3 if miss >= 15 %, + 1",
        source=f"{PAPER}, Algorithm 1 and section 3.6 (signs repaired)",
        takes=(
            numbers("read_miss_rate", "1", "reads that miss"),
            numbers("free_fraction", "1", "share of the cache that is free"),
        ),
        gives=(Output("threads", "1", "threads that run"),),
        validity="the thread groups that reproduce the paper's text",
        **_STUDY,
    ),
    _card(
        "clock",
        title="CLOCK with counters",
        says="Hits and victims of CLOCK with counters, on a short list of accesses.",
        formula="replay: +1 on access up to the ceiling; the hand takes 1, a 0 leaves",
        source=f"{PAPER}, section 3.5",
        takes=(
            ACCESSES,
            integer("frames", "fragments", "cache"),
            optional(
                integer("ceiling", "1", "highest counter"), fragment_cache.CLOCK_CEILING
            ),
            optional(
                integer("initial_count", "1", "counter of a newcomer"),
                fragment_cache.CLOCK_INITIAL_COUNT,
            ),
        ),
        gives=(
            Output("hits", "accesses", "hits"),
            Output("evicted", "", "victims in order"),
            Output("frames", "", "content at the end, by frame"),
            Output("counters", "1", "counters at the end, by frame"),
            Output("decrements", "1", "steps of the hand that took 1"),
        ),
        estimator="replay of every access",
        validity="cold start; the paper does not state the counter of a newcomer",
    ),
    _card(
        "hottest_of_mru",
        title="Fragment to promote",
        says="The hottest of the fragments accessed most recently.",
        formula="most accesses among the last `window` distinct fragments; ties to the more recent",
        source=f"{PAPER}, section 3.2 and Algorithm 1; tie rule ours",
        takes=(
            ACCESSES,
            optional(
                integer("window", "fragments", "most recent ones"),
                fragment_cache.MRU_WINDOW,
            ),
        ),
        gives=(
            Output("promote", "", "fragment to promote"),
            Output("candidates_mru_first", "", "the recent ones, most recent first"),
        ),
        validity="accesses counted since the start of the list",
    ),
    _card(
        "speedup",
        title="Ratio and gain of two throughputs",
        says="How many times a base a value is, and the gain in per cent.",
        formula="ratio = x / base; gain = 100 (x / base - 1)",
        source=f"{PAPER}, section 4",
        takes=(
            number("base", "any", "base"),
            number("x", "as base", "compared with it"),
        ),
        gives=(
            Output("ratio", "1", "ratio", "x / base"),
            Output("gain_pct", "%", "gain", "100 (x / base - 1)"),
        ),
        validity="both measured alike",
        warn=_about_speedup,
    ),
    _card(
        "memory_ratio",
        title="Memory of a block cache over a fragment cache",
        says="How many times the RAM of a fragment cache a block cache needs.",
        formula="block cache bytes / (fragment cache bytes + buffers)",
        source=f"{PAPER}, section 4.7",
        takes=(*SIZES, BLOCK, PER_BLOCK),
        instead=(
            number(
                "block_cache_bytes",
                "bytes",
                "memory of the block cache",
                also=("block_metadata_bytes", "block_bytes_total"),
            ),
            number(
                "sce_bytes",
                "bytes",
                "memory of the fragment cache",
                also=("sce_total_bytes", "sce_metadata_bytes"),
                argument="fragment_cache_bytes",
            ),
            SIZES[-1],
        ),
        gives=(
            Output(
                "ratio",
                "1",
                "block cache / fragment cache",
                "block cache bytes / (fragment cache bytes + buffer_bytes)",
            ),
        ),
        warn=_about_memory,
        **_MEMORY,
    ),
)
"""In the order of the table."""
