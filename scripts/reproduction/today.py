"""Flash caches and economics of today: CacheSack, LARC, L2ARC, write streams, the five-minute rule of 2026."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.frame import Chart, Claim, Experiment, Figures, Tuned
from reproduction.lab import Lab, device, formula
from reproduction.rules import AtLeast, Between, Near, Numbers, Order, Side, Trend
from tierwright.advise import cachesack
from tierwright.hardware import catalog
from tierwright.profile import categories
from tierwright.simulate.flash_device import FlashDevice, Part, simulate_writes
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

NOTE = (
    "What later systems and studies state about themselves, as far as we could read them. Counters are of recordings of "
    "PostgreSQL; prices are of the book `street-2026-q3`."
)
TRACES = ("TPC-B", "TPC-C")
RAM, FLASH = 1_000, 8_000


def _sack(lab: Lab, name: str) -> cachesack.WhatToCache:
    return cachesack.answer(
        categories.measured(lab.trace(name), RAM),
        flash_pages=FLASH,
        flash=device("samsung-pm9a3-7.68tb-u2"),
        disk=device("toshiba-mg10-20tb"),
        prices=catalog.price_book("street-2026-q3"),
    )


def cache_sack(lab: Lab) -> Figures:
    """Compare the assignment by category with the second miss for all."""
    found = Figures()
    for name in TRACES:
        made = _sack(lab, name)
        second = next(a for a in made.alternatives if a.name == "second_miss")
        chosen = made.chosen
        for what, ours, theirs in (
            ("cost", chosen.usd_per_month, second.usd_per_month),
            ("disk reads", chosen.disk_reads, second.disk_reads),
            ("flash writes", chosen.flash_writes, second.flash_writes),
        ):
            found.values[f"{name}: {what} saved [%]"] = 100 * (1 - ours / theirs)
    return found


def larc(lab: Lab) -> Figures:
    """Compare LARC with LRU that admits every miss."""
    found = Figures()
    for name in TRACES:
        for percent in (2, 5, 10, 20, 40):
            flash = lab.distinct(name) * percent // 100
            filtered = lab.replay(name, "flash_cache", "larc", RAM, flash)
            every = lab.replay(name, "flash_cache", "cachesack", RAM, flash)
            writes = filtered["flash_writes"] / every["flash_writes"]
            hits = 100 * (filtered["flash_hit_ratio"] - every["flash_hit_ratio"])
            found.add(f"{name}, writes", percent, writes)
            found.add(f"{name}, hits", percent, hits)
        most = max(y for _, y in found.lines[f"{name}, writes"])
        found.values[f"{name}: writes / those of LRU, most"] = most
        found.values[f"{name}: hits lost at 40 %"] = -found.lines[f"{name}, hits"][-1][
            1
        ]
    return found


MIB, TERABYTE = 2**20, 10**12
FEED_RATES = (25, 50, 100, 200, 400, 800, 1_600)
"""Limits of the feed. [pages/s]"""
FEED_RAM, FEED_FLASH = (1_000, 8_000), 16_000
"""RAM, of which a feed may look at a quarter; and flash that is never full within the recording. [pages]"""
RING_RAM, RING_FLASH = 1_000, 2_000
"""Where the ring goes round within the workload, and flash is twice RAM. [pages]"""
BINDS = 0.999
"""Share of what the rate allows from which on it binds. [1]"""


def _limited_rate(percent: float, written_today: int = 0, elapsed_s: int = 0) -> float:
    """Return what a drive of 1 TB may be fed by the limits of the rate and of the day. [bytes/s]"""
    made = formula(
        "mod.dwpd_rate",
        device_bytes=TERABYTE,
        dwpd_percent=percent,
        written_today_bytes=written_today,
        carried_bytes=0,
        elapsed_s=elapsed_s,
        write_max=64 * MIB,
    )
    return float(made["bytes_per_s"])


def l2arc(lab: Lab) -> Figures:
    """Compute which limit of the feed binds a drive, and feed flash at several rates."""
    found = Figures()
    for percent in (100, 300, 1_000):
        rate = _limited_rate(percent)
        found.values[f"drive writes per day at {percent} %"] = rate * 86_400 / TERABYTE
        found.values[f"MiB/s at {percent} %"] = rate / MIB
    spent = _limited_rate(100, written_today=2 * TERABYTE, elapsed_s=43_200)
    found.values["bytes/s once a day's writes are used"] = spent

    def written(
        workload: str, ram: int, flash: int, rate: int, **options: int
    ) -> dict[str, Any]:
        return lab.replay(
            workload,
            "flash_cache",
            "l2arc",
            ram,
            flash,
            warm=0,
            write_max_pages_per_s=rate,
            **options,
        )

    # Where a page a second may be written, and is looked for as far as may be, each feed writes it.
    once = written("TPC-C", FEED_RAM[-1], FEED_FLASH, 1, headroom=1_000)
    feeds = once["flash_writes"]
    found.values |= {"feeds": feeds, "rates": len(FEED_RATES)}
    for ram in FEED_RAM:
        binding = 0
        for rate in FEED_RATES:
            row = written("TPC-C", ram, FEED_FLASH, rate)
            fed = row["flash_writes"] / feeds
            binding += fed >= BINDS * rate
            found.add(f"RAM of {ram:,} pages", rate, fed)
            found.add(f"a quarter of {ram:,} pages", rate, ram / 4)
            found.add(f"hits with {ram:,} pages", rate, 100 * row["flash_hit_ratio"])
        found.values[f"rates that bind, {ram:,}"] = binding
    for rate in FEED_RATES:
        found.add("limit", rate, float(rate))
    most = (FEED_RAM[-1], FEED_FLASH, FEED_RATES[-1])
    for name, options in (
        ("more headroom", {"headroom": 1_000}),
        ("no limit of drive writes", {"dwpd_limit_percent": 0}),
    ):
        row = written("TPC-C", *most, **options)
        found.values[f"fed with {name}"] = row["flash_writes"] / feeds
    for percent in (0, 100):
        row = written(
            "uniform", RING_RAM, RING_FLASH, FEED_RATES[-1], dwpd_limit_percent=percent
        )
        found.values[f"times round at {percent} %"] = row["flash_writes"] / RING_FLASH
    return found


SOC, LOC_RUN = 0.04, 64


def streams(_: Lab) -> Figures:
    """Write small objects at random and large ones in order, with one stream and with two."""
    found = Figures()
    pages = 60_000
    for title, used in (("half", 0.5), ("all", 1.0)):
        logical = int(pages * used)
        spare = pages * 1.07 / logical - 1
        small = int(pages * SOC)
        for count in (1, 2):
            made = FlashDevice.of_spare(logical, spare, 64, streams=count)
            parts = [
                Part(small, 0.5, "uniform", stream=0),
                Part(
                    logical - small,
                    0.5,
                    "sequential",
                    stream=count - 1,
                    run_pages=LOC_RUN,
                ),
            ]
            counted = simulate_writes(
                made, parts, writes=6 * pages, warm_up=12 * pages, seed=3
            )
            found.values[f"{title} of the device, {count} streams"] = counted["waf"]
        found.values[f"{title}: one / two streams"] = (
            found.values[f"{title} of the device, 1 streams"]
            / found.values[f"{title} of the device, 2 streams"]
        )
    return found


PAGE = 4096
REQUESTS, SMALL_KEYS, LARGE_KEYS, LARGE_PAGES = 2_000_000, 500_000, 100_000, 16
EXPONENT = 0.8
DEVICE = 80_000
OF_CACHELIB = (
    ("as chosen", 0.98, 20, 1_024),
    ("7 % of spare space", 0.98, 7, 1_024),
    ("28 % of spare space", 0.98, 28, 1_024),
    ("90 % of the requests small", 0.90, 20, 1_024),
    ("blocks of 64 pages", 0.98, 20, 64),
)
"""Share of small requests, spare space of the whole device [%], and pages of a block."""


def _objects(lab: Lab, small_share: float) -> Trace:
    """Return reads of small objects, a page each, and of large ones, both popular by Zipf."""
    draw = np.random.default_rng(20)
    is_small = draw.random(REQUESTS) < small_share
    keys = np.empty(REQUESTS, np.int64)
    for kind, count in ((is_small, SMALL_KEYS), (~is_small, LARGE_KEYS)):
        weights = np.cumsum(np.arange(1.0, count + 1) ** -EXPONENT)
        at = draw.random(int(kind.sum())) * weights[-1]
        keys[kind] = np.searchsorted(weights, at)
    pages = np.where(is_small, 1, LARGE_PAGES)
    raw = lab.folder / f"objects-{small_share}.csv"
    with raw.open("w", encoding="utf-8") as file:
        file.write("us,op,device,offset,bytes\n")
        file.writelines(
            f"{at},r,{int(small)},{key * size * PAGE},{size * PAGE}\n"
            for at, (small, key, size) in enumerate(
                zip(is_small.tolist(), keys.tolist(), pages.tolist(), strict=True)
            )
        )
    return Trace(raw, format="csv", columns=OBJECT_COLUMNS)


OBJECT_COLUMNS = {
    "time": "us",
    "time_unit": "us",
    "op": "op",
    "device": "device",
    "offset": "offset",
    "offset_unit": "bytes",
    "size": "bytes",
    "size_unit": "bytes",
}


def cachelib_streams(lab: Lab) -> Figures:
    """Replay CacheLib with small and large objects on a device, with one stream and with two."""
    found = Figures()
    traces: dict[float, Trace] = {}
    for name, small_share, spare, block in OF_CACHELIB:
        if small_share not in traces:
            traces[small_share] = _objects(lab, small_share)
        for title, used in (("half", 0.5), ("all", 1.0)):
            flash = int(DEVICE * used)
            ftl = replay(
                traces[small_share],
                "flash_cache",
                "cachelib",
                200,
                flash,
                warm_up=0.5,
                options={
                    "small": "0",
                    "small_percent": "4",
                    "region_pages": "256",
                    "replacement": "fifo",
                    "ftl_spare_percent": str(round((100 + spare) / used - 100)),
                    "ftl_block_pages": str(block),
                    "streams": "2",
                },
            )["ftl"]
            one, two = ftl["waf_one_stream"], ftl["waf"]
            if name == OF_CACHELIB[0][0]:
                found.values[f"{title} of the device, 1 streams"] = one
                found.values[f"{title} of the device, 2 streams"] = two
                found.values[f"{title}: one / two streams"] = one / two
                sets, _ = ftl["streams"]
                share_of_sets = sets["host_writes"] / ftl["host_writes"]
                found.values[f"{title}: writes that are sets [%]"] = 100 * share_of_sets
            else:
                found.values[f"{name}, {title}, one"] = one
                found.values[f"{name}, {title}, two"] = two
    return found


NAND = {
    "SLC": {"sense_s": 5e-6, "program_s": 50e-6, "nand_page_bytes": 4096, "planes": 6},
}
CPU = {
    "core_cost": 4,
    "core_iops": 1e6,
    "dram_cost": 1,
    "dram_bytes": 3e9,
    "dram_bytes_per_s": 3e9,
}
GPU = {
    "core_cost": 3,
    "core_iops": 4e6,
    "dram_cost": 2,
    "dram_bytes": 2e9,
    "dram_bytes_per_s": 80e9,
}


def _peak(block: int) -> float:
    made = formula(
        "mod.ssd_peak_iops",
        read_to_write=9,
        write_amplification=3,
        channels=20,
        dies_per_channel=4,
        command_s=150e-9,
        channel_bytes_per_s=3.6e9,
        block_bytes=block,
        **NAND["SLC"],
    )
    return float(made["peak_iops"])


def _interval(
    platform: dict[str, Any], block: int, iops: float, dies: float = 100
) -> float:
    made = formula(
        "mod.break_even_host",
        ssd_cost=dies,
        block_bytes=block,
        ssd_iops=iops,
        **platform,
    )
    return float(made["interval_s"])


def five_minutes(_: Lab) -> Figures:
    """Compute peaks and break-even intervals from the parts of a drive."""
    found = Figures()
    for block, title in ((512, "512 B"), (4096, "4 KiB")):
        found.values[f"{title} [M/s]"] = _peak(block) / 1e6
        found.values[f"CPU, {title} [s]"] = _interval(CPU, block, _peak(block))
    found.values["CPU, 512 B, 50 dies [s]"] = _interval(CPU, 512, _peak(512), 50)
    found.values["GPU, 512 B [s]"] = _interval(GPU, 512, _peak(512))
    for host in (40, 100):
        usable = formula(
            "mod.usable_iops",
            rho_max=0.9,
            peak_iops=_peak(512),
            host_iops=host * 1e6,
            ssds=4,
        )["iops"]
        found.values[f"CPU, host of {host} M/s [s]"] = _interval(CPU, 512, usable)
    return found


WEAR = (
    "at our prices the assignment of TPC-B buys fewer disk reads ({TPC-B: disk reads saved [%]} %) with more writes",
    "the paper's price of wear, which is not published, is higher than ours",
)
TWICE = (
    "LARC hits {TPC-B: hits lost at 40 %} points less often with flash of 40 % of the pages",
    "a page that is read twice is hit once by LRU, and not by LARC, which admits it at the second read: on a larger flash such pages of "
    "TPC-B are many",
)
UNITS = (
    "with as much spare space as data, greedy collection of blocks of 64 pages finds blocks without a valid page: write amplification "
    "is {half of the device, 1 streams} with one stream, too",
    "the drive of the paper collects units of gigabytes, in which some small object is always alive",
)
NOTHING = ("", "")
RAM_CHOSEN = Tuned(
    "1,000 pages of RAM",
    "no study states one for our traces; not varied in this run",
    "not computed",
)
EIGHT_THOUSAND = Tuned(
    "8,000 pages of flash",
    "no study states one for our traces; not varied in this run",
    "not computed",
)
FED_SIZES = Tuned(
    "1,000 and 8,000 pages of RAM and 16,000 of flash; 1,000 and 2,000 where the ring goes round",
    "chosen so that each of the three limits binds somewhere within workloads of seconds",
    "with 1,000 pages of RAM in place of 8,000 the rate binds at {rates that bind, 1,000} rates in place of {rates that bind, 8,000}",
)
EXPERIMENTS = (
    Experiment(
        "today-cachesack",
        "today",
        "CacheSack",
        "Admission by category against the second miss for all",
        "The table of [what to cache](models/what-to-cache.md) for 8,000 pages of flash behind 1,000 of RAM.",
        cache_sack,
        (
            *(
                Claim(
                    f"6.5 to 7.7 % less total cost: {name}",
                    "Google, ATC 2022 and TOS 2023, abstracts",
                    Between(f"{name}: cost saved [%]", 6.5, 7.7, neutral=0),
                )
                for name in TRACES
            ),
            *(
                Claim(
                    f"9.5 % fewer disk reads: {name}",
                    "abstract",
                    Near(f"{name}: disk reads saved [%]", 9.5, neutral=0),
                )
                for name in TRACES
            ),
            *(
                Claim(
                    f"17.8 % less wear: {name}",
                    "abstract",
                    Near(f"{name}: flash writes saved [%]", 17.8, neutral=0),
                    *(WEAR if name == "TPC-B" else NOTHING),
                )
                for name in TRACES
            ),
        ),
        tuned=(RAM_CHOSEN, EIGHT_THOUSAND),
    ),
    Experiment(
        "today-larc",
        "today",
        "LARC",
        "Admission at the second miss",
        "Replays with 1,000 pages of RAM beside LRU that admits every miss.",
        larc,
        (
            *(
                Claim(
                    f"fewer writes to flash, since what is read once stays out: {name}",
                    "Huang and others, MSST 2013: direction",
                    Side(f"{name}: writes / those of LRU, most", 1, "below"),
                )
                for name in TRACES
            ),
            *(
                Claim(
                    f"and no fewer hits: {name}",
                    "the same",
                    AtLeast(f"{name}, hits", 0),
                    *(TWICE if name == "TPC-B" else NOTHING),
                )
                for name in TRACES
            ),
        ),
        Chart(
            "flash [% of the pages]",
            "writes of LARC / LRU",
            ("TPC-B, writes", "TPC-C, writes"),
        ),
        tuned=(RAM_CHOSEN,),
    ),
    Experiment(
        "today-l2arc",
        "today",
        "L2ARC",
        "The limit of the feed, as of 2026",
        "The limits by formula for a drive of 1 TB, and replays. TPC-C has {feeds} feeds, a second apart, into flash of 16,000 pages, "
        "which they do not fill, so that drive writes do not bind. With RAM of 8,000 pages the rate binds at {rates that bind, 8,000} of "
        "{rates} rates, with 1,000 at {rates that bind, 1,000}: there as much is written as it allows. At the others the lists bind, of "
        "which a feed looks at a quarter, with RAM of 8,000 pages at 2,000 pages at most: {RAM of 8,000 pages@1600} of them are unchanged "
        "and not on flash. With more headroom it writes {fed with more headroom}, without a limit of drive writes "
        "{fed with no limit of drive writes}. Drive writes bind once the ring has gone round: `uniform` (60 s) over 1,000 pages of RAM "
        "and 2,000 of flash.",
        l2arc,
        (
            Claim(
                "the default limit is one drive write per day, which binds 1 TB",
                "OpenZFS source, 2026-08",
                Numbers({"drive writes per day at 100 %": 1.0}, within=0.001),
            ),
            Claim(
                "three drive writes per day bind 1 TB, too",
                "OpenZFS source",
                Numbers({"drive writes per day at 300 %": 3.0}, within=0.001),
            ),
            Claim(
                "the rate of 64 MiB/s binds 1 TB that may be written ten times per day",
                "OpenZFS source",
                Numbers({"MiB/s at 1000 %": 64}, within=0.001),
            ),
            Claim(
                "nothing is fed once the day's writes are used",
                "OpenZFS source",
                Numbers({"bytes/s once a day's writes are used": 0}),
            ),
            *(
                Claim(
                    f"{says}: RAM of {ram:,} pages",
                    "OpenZFS source",
                    Order((f"RAM of {ram:,} pages", bound.format(ram))),
                )
                for says, bound in (
                    ("no more is written than the rate allows", "limit"),
                    (
                        "nor than a quarter of the lists holds",
                        "a quarter of {:,} pages",
                    ),
                )
                for ram in FEED_RAM
            ),
            Claim(
                "what the rate allows is written, as long as the lists hold so much",
                "OpenZFS source",
                Side("rates that bind, 8,000", len(FEED_RATES) / 2, "above"),
            ),
            Claim(
                "so that hits rise with the rate",
                "direction",
                Trend("hits with 8,000 pages", "rises"),
            ),
            Claim(
                "without a limit of drive writes the ring goes round again and again",
                "OpenZFS source",
                Side("times round at 0 %", 2, "above"),
            ),
            Claim(
                "with one drive write per day it is fed less than a tenth more once it has gone round",
                "OpenZFS source",
                Between("times round at 100 %", 1, 1.1, neutral=None),
            ),
        ),
        Chart(
            "write_max [pages/s]",
            "pages written per feed",
            ("limit", *(f"RAM of {ram:,} pages" for ram in FEED_RAM)),
        ),
        tuned=(FED_SIZES,),
    ),
    Experiment(
        "today-streams",
        "today",
        "Write streams",
        "Write amplification with small and large objects apart",
        "A simulated device with 7 % of spare space, blocks of 64 pages, written 18 times over: 4 % of it small objects "
        "at random, the rest large ones in order, half of the writes each.",
        streams,
        (
            Claim(
                "1.3 to 1.03 with half of the device in use",
                "CacheLib with FDP, EuroSys 2025",
                Numbers(
                    {
                        "half of the device, 1 streams": 1.3,
                        "half of the device, 2 streams": 1.03,
                    },
                ),
                *UNITS,
            ),
            Claim(
                "3.5 to 1.03 with all of it",
                "the same",
                Numbers(
                    {
                        "all of the device, 1 streams": 3.5,
                        "all of the device, 2 streams": 1.03,
                    },
                ),
            ),
            Claim(
                "streams gain the more, the more of the device is in use: half",
                "the same",
                Near("half: one / two streams", 1.3 / 1.03),
                *UNITS,
            ),
            Claim(
                "all",
                "the same",
                Near("all: one / two streams", 3.5 / 1.03),
            ),
        ),
        tuned=(
            Tuned(
                "7 % of spare space, 4 % of small objects, half of the writes to them",
                "the paper's are different",
                "not computed",
            ),
        ),
    ),
    Experiment(
        "today-cachelib-streams",
        "today",
        "Write streams (under CacheLib)",
        "Write amplification of a replay of CacheLib",
        "2,000,000 reads of small objects, a page each, and of large ones of 16 pages, both popular by Zipf, through `cachelib` with "
        "4 % of its flash for small objects and regions of 256 pages, on a simulated device of 80,000 pages and its spare space in blocks "
        "of 1,024, of which the cache has half or all.",
        cachelib_streams,
        (
            Claim(
                "1.3 to 1.03 with half of the device in use",
                "CacheLib with FDP, EuroSys 2025",
                Numbers(
                    {
                        "half of the device, 1 streams": 1.3,
                        "half of the device, 2 streams": 1.03,
                    },
                ),
            ),
            Claim(
                "3.5 to 1.03 with all of it",
                "the same",
                Numbers(
                    {
                        "all of the device, 1 streams": 3.5,
                        "all of the device, 2 streams": 1.03,
                    },
                ),
            ),
            Claim(
                "streams gain the more, the more of the device is in use: half",
                "the same",
                Near("half: one / two streams", 1.3 / 1.03),
            ),
            Claim(
                "all",
                "the same",
                Near("all: one / two streams", 3.5 / 1.03),
            ),
        ),
        tuned=(
            Tuned(
                "20 % of spare space under CacheLib",
                "chosen after outcomes had been seen, by the published write amplification with all of the device",
                "with 7 % it is {7 % of spare space, all, one} with one stream and {7 % of spare space, all, two} with two, with 28 % "
                "{28 % of spare space, all, one} and {28 % of spare space, all, two}",
            ),
            Tuned(
                "98 % of the requests of small objects",
                "chosen after outcomes had been seen, by the published write amplification with half of the device",
                "{half: writes that are sets [%]} % of the pages written are sets; with 90 % of the requests it is {90 % of the requests small, half, one} with half of the device and one stream, and "
                "{90 % of the requests small, all, one} with all of it",
            ),
            Tuned(
                "blocks of 1,024 pages, four regions each",
                "the drive of the paper collects units of gigabytes, which hold many regions",
                "with blocks of 64 pages, smaller than a region, half of the device has a write amplification of "
                "{blocks of 64 pages, half, one} with one stream",
            ),
            Tuned(
                "500,000 small and 100,000 large objects by Zipf of exponent 0.8, 200 pages of RAM, a device of 80,000 pages",
                "the traces of the paper are not ours to replay; not varied in this run",
                "not computed",
            ),
        ),
        is_long=True,
    ),
    Experiment(
        "today-five-minutes",
        "today",
        "Five-minute rule",
        "Break-even intervals from the parts of a drive",
        "The formulas of [economics today](models/modern-economics.md) with the paper's SLC drive, and 100 dies as its "
        "cost.",
        five_minutes,
        (
            Claim(
                "peak of 57.4 M reads and writes per second of 512 bytes, 11.1 M of 4 KiB",
                "Zhang and others, arXiv 2511.03944",
                Numbers({"512 B [M/s]": 57.4, "4 KiB [M/s]": 11.1}, within=0.005),
            ),
            Claim(
                "CPU and DDR: about 34 s for 512 bytes, about 10 s for 4 KiB",
                "the same",
                Numbers(
                    {"CPU, 512 B [s]": 34, "CPU, 4 KiB [s]": 10},
                    rounded={"CPU, 512 B [s]": 0.5, "CPU, 4 KiB [s]": 0.5},
                ),
            ),
            Claim(
                "GPU and GDDR: about 5 s for 512 bytes",
                "the same",
                Numbers({"GPU, 512 B [s]": 5}, rounded={"GPU, 512 B [s]": 0.5}),
            ),
            Claim(
                "83 s where the host carries 40 M per second over four drives, 47 s at 100 M",
                "the same",
                Numbers(
                    {
                        "CPU, host of 40 M/s [s]": 83,
                        "CPU, host of 100 M/s [s]": 47,
                    },
                    within=0.02,
                ),
            ),
        ),
        tuned=(
            Tuned(
                "100 dies as the cost of the drive",
                "chosen by the printed intervals, so that their agreement is in part by choice",
                "with 50 the interval of the CPU for 512 bytes is {CPU, 512 B, 50 dies [s]} s in place of {CPU, 512 B [s]} s",
            ),
        ),
    ),
)
