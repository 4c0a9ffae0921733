"""How often an advice is right when it says how sure it is: workloads whose truth is known.

    advice_calibration.py [--trials N ... | --again N ...] [--accesses N ...] [--jobs N | --dask WHERE] [--keep FOLDER]
        [--write]

Outcomes are kept in fixtures/calibration, by length of the recording, with the version of the model: with ``--write`` a run
asks only for the trials that this version lacks, and saves them as it goes, so that a long one may be ended and gone on with.

``--again N`` asks the first N of each length anew and holds them against what is kept: exit 1 where an outcome is another
one, those first that the oldest version was asked. With ``--write`` it passes over those that this version was asked
already, and keeps what it finds.

Each trial makes up a workload of one of the families below. A short recording of it is advised on; the truth is a longer
one: of a stationary family another recording, of a drifting one what follows the first. Errors of the model and times of
the devices are drawn from the ranges that the advice states. The recommendation is right where it costs at most 1 % more
than the best contender in truth, and an interval is right where it holds the figure of the truth.

The method was tuned on `zipf with bursts` alone; the other families were made up afterwards.

Prints the tables; ``--write`` writes them to docs/models/advice-calibration.md. With ``--keep`` the curves of each
recording and its truth are kept in a folder: a run that was ended is resumed, and after a change of the method only the
advices are asked for again.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import pickle
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from tierwright.advise.advice import _confidence, _draws
from tierwright.advise.advice._asked import MODEL_VERSION, Asked, asked_of
from tierwright.advise.advice._choice import chosen_of
from tierwright.advise.advice._contenders import contending
from tierwright.advise.advice._draws import Input
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import FIGURES
from tierwright.advise.advice.request import Candidates
from tierwright.common.wording import counted, listed
from tierwright.evaluate.advice.information import regret
from tierwright.hardware.prices import Price, PriceBook
from tierwright.profile.curve import Curve
from tierwright.profile.measure import profile
from tierwright.profile.workers import Tasks, spread
from tierwright.simulate import executors
from tierwright.simulate.executors import Workers
from tierwright.trace.reading import Trace

_TRIALS = Tasks("trial is", "trials are", "use fewer workers")
ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "models" / "advice-calibration.md"
OUTCOMES = ROOT / "fixtures" / "calibration"
NOTE = "<!-- Written by `make calibrate`; do not edit. -->"
SAME_OUTCOMES: Mapping[str, tuple[str, ...]] = {
    "6": ("5",),
    "7": ("5", "6"),
    "8": ("5", "6", "7"),
    "9": ("5", "6", "7", "8"),
    "10": ("5", "6", "7", "8", "9"),
    "11": ("5", "6", "7", "8", "9", "10"),
    "12": ("5", "6", "7", "8", "9", "10", "11"),
    "13": ("5", "6", "7", "8", "9", "10", "11", "12"),
    "14": ("5", "6", "7", "8", "9", "10", "11", "12", "13"),
    "15": ("5", "6", "7", "8", "9", "10", "11", "12", "13", "14"),
    "16": ("5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"),
    "17": ("5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"),
    "18": tuple(str(each) for each in range(5, 18)),
    "19": tuple(str(each) for each in range(5, 19)),
    "20": tuple(str(each) for each in range(5, 20)),
    "21": tuple(str(each) for each in range(5, 21)),
    "22": tuple(str(each) for each in range(5, 22)),
}
"""Versions of the model whose outcomes stand under a later one: 6 changed what inputs are worth, 7 production
with copies and curves without write-backs, 10 and 11 what flash caches do, 12 limits of response times,
13 conflicts and the names of the ends of bars, 14 devices of which a time is not stated, rules of thumb, scenarios and
what replays refute, 15 flash that is larger than the data, when options are too small, and other numbers of devices, 16 what
is asked with limits and quotes, 17 caches of all of the data, instances before volumes, old prices and unknown values, 18 spare
devices, what takes no time and growing writes, 19 replays of other writes and numbers of devices beyond what is counted, 20 and 21 how many evicted pages are dirty, 21 what the error in the steady state is of, 22 which options are compared in the draws; but for `SUPERSEDED`, no trial asks for any of these, and `--again` proves it. Throughput has the interval that is kept since 8 alone, response times since 9."""
SUPERSEDED: Mapping[str, tuple[int, ...]] = {
    "19": (20_000, 100_000),
    "20": (20_000, 100_000, 1_000_000, 10_000_000),
    "21": (20_000, 100_000, 1_000_000, 10_000_000),
}
"""Lengths of recordings at which a version may say otherwise than those before it, whose outcomes are shown until it was asked:
19 counts what caches of more pages than were recorded write back, and longer recordings touch every page of these workloads;
20 and 21 count how many of the pages that large caches evict are dirty, and 21 draws the error of what holds all data by its RAM."""
CHANGED = {"restart_s": "11"}
"""Figures whose intervals became others with a version: those of earlier ones do not stand."""
TRIALS, ACCESSES, TIMES_AS_LONG = (500,), (100_000,), 20
LONGEST_TRUTH = 10_000_000
"""Accesses of a truth at most; at least twice the recording."""
PAGE_BYTES = 2**24
"""Pages so large that RAM for a few thousand of them is worth as much as some disks. [bytes]"""
SHELF = ("samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb")
BOOK = PriceBook(
    "made-up",
    "Made up",
    "2026-11",
    "",
    "USD",
    (
        Price(Decimal("20.625"), "GiB", rent=False, source="a bench", kind="dram"),
        *(
            Price(usd, "GB", rent=False, source="a bench", device_id=name)
            for name, usd in zip(SHELF, (Decimal("0.75"), Decimal("0.04")), strict=True)
        ),
    ),
)
OF_HOT = 0.5
"""Share of the accesses of a burst that goes to its hot set."""
NEXT_TO_NOTHING = 1e-4
"""Share of the accesses that leave a RAM which holds all data, at most: no draw tells such intervals apart. [1]"""
NARROW = 0.01
"""Share of its width by which an interval may miss the truth: no draw lies exactly at the end of a range. [1]"""
OF_WHAT_LEAVES = (
    "ram_hit_share",
    "disk_share",
    "io_time_us_per_access",
    "peak_busy",
)
"""Figures that are none, or all, where next to nothing leaves the RAM."""
LEAST_HELD, MOST_HELD, FEWEST_TO_JUDGE = 0.85, 0.95, 50
"""Share of intervals of 90 % that hold the truth at least and at most, and intervals below which that is not judged."""
CHANCE = 0.95
"""How sure it is that the share of ever more intervals lies between what is stated beside it. [1]"""
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
RECORD = np.dtype(
    {
        "names": ["time_s", "page", "size", "operation", "space", "next"],
        "formats": ["<u4", "<u8", "<u4", "u1", "<u2", "<i8"],
    }
)
"""A record of `oracle_general_op_ns`: written at once, where lines of a table would take most of the time."""
READ, WRITE, ACCESSES_PER_S = 1, 3, 1_000
Generator = np.random.Generator
Law = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """What an advice said, and whether it was right; `probability` is None where it said nothing.

    `held` says of each figure with an interval whether that held it; `all_in_ram` that next to nothing leaves the RAM that
    is recommended, in any draw; `version` which version of the model said so, and `same_as` which one had said it before.
    """

    family: str
    probability: float | None
    right: bool
    reason: str
    held: dict[str, bool] = field(default_factory=dict)
    all_in_ram: bool = False
    version: str = MODEL_VERSION
    same_as: str = ""

    def differs(self, other: Trial) -> bool:
        """Whether a later version says otherwise; it may state more intervals, and reasons in other words."""
        return (self.family, self.probability, self.right, self.all_in_ram) != (
            other.family,
            other.probability,
            other.right,
            other.all_in_ram,
        ) or any(other.held.get(name) != held for name, held in self.held.items())


def zipf(generator: Generator, count: int, pages: int, exponent: float) -> Any:
    """Draw pages of a Zipf law."""
    weights = np.cumsum(1 / np.arange(1, pages + 1) ** exponent)
    return np.searchsorted(weights, generator.random(count) * weights[-1])


def bursts(generator: Generator, at: Any, law: Law) -> Any:
    """Draw by a Zipf law, some of it in bursts of a hot set that comes and goes, so that windows depend on each other."""
    count = len(at)
    drawn = zipf(generator, count, law["pages"], law["exponent"])
    phase = np.cumsum(generator.random(count) < 1 / law["burst"])
    hot = generator.random(phase[-1] + 1) < law["hot"]
    first = generator.integers(0, law["pages"], size=phase[-1] + 1)
    of_set = first[phase] + generator.integers(0, law["set"], size=count)
    in_burst = hot[phase] & (generator.random(count) < OF_HOT)
    return np.where(in_burst, of_set % law["pages"], drawn)


def hot_and_cold(generator: Generator, at: Any, law: Law) -> Any:
    """Draw from a hot and a cold part, each uniform."""
    border = max(1, round(law["pages"] * (0.05 + 0.3 * law["hot"])))
    hot = generator.random(len(at)) < 0.5 + 0.4 * law["exponent"] / 1.1
    return np.where(
        hot,
        generator.integers(0, border, size=len(at)),
        generator.integers(border, law["pages"], size=len(at)),
    )


def scans(generator: Generator, at: Any, law: Law) -> Any:
    """Draw by a Zipf law beside a scan of a part of the data that begins again and again."""
    scanned = max(2, law["pages"] // 3)
    share = 0.05 + 0.4 * law["hot"]
    scan = generator.random(len(at)) < share
    place = np.cumsum(scan) % scanned
    return np.where(
        scan, place, zipf(generator, len(at), law["pages"], law["exponent"])
    )


def tables(generator: Generator, at: Any, law: Law) -> Any:
    """Draw from several tables of Zipf laws of their own, with accesses to the same page close together."""
    sizes = np.maximum(1, (law["pages"] * np.asarray([0.05, 0.25, 0.7])).astype(int))
    which = generator.choice(3, size=len(at), p=[0.5, 0.3, 0.2])
    found = np.zeros(len(at), dtype=np.int64)
    for table, size in enumerate(sizes.tolist()):
        mine = which == table
        exponent = law["exponent"] * (1.2 - 0.4 * table)
        found[mine] = sizes[:table].sum() + zipf(
            generator, int(mine.sum()), size, exponent
        )
    again = generator.random(len(at)) < law["hot"]
    back = generator.integers(1, law["set"], size=len(at))
    before = np.maximum(0, np.arange(len(at)) - back)
    return np.where(again, found[before], found)


def moving(generator: Generator, at: Any, law: Law) -> Any:
    """Draw by a Zipf law whose popular pages move on at an even pace."""
    pace = law["pages"] * (0.2 + 2 * law["hot"])
    drawn = zipf(generator, len(at), law["pages"], law["exponent"])
    return (drawn + (at * pace).astype(np.int64)) % (50 * law["pages"])


def growing(generator: Generator, at: Any, law: Law) -> Any:
    """Let the data grow by half to twice during the recording, the newest pages the most popular."""
    size = law["pages"] * (1 + (0.5 + law["hot"] * 3) * at)
    age = zipf(generator, len(at), law["pages"], law["exponent"])
    return np.maximum(0, size.astype(np.int64) - age)


def flattening(generator: Generator, at: Any, law: Law) -> Any:
    """Let more and more accesses go anywhere instead of to popular pages."""
    anywhere = generator.random(len(at)) < np.minimum(
        0.9, 0.1 + (0.3 + law["hot"]) * at
    )
    return np.where(
        anywhere,
        generator.integers(0, law["pages"], size=len(at)),
        zipf(generator, len(at), law["pages"], law["exponent"]),
    )


@dataclass(frozen=True, slots=True)
class Family:
    """Workloads of one kind; `draw` takes where each access lies in the recording, from 0 to 1 and beyond."""

    name: str
    draw: Callable[[Generator, Any, Law], Any]
    drifts: bool


FAMILIES = (
    Family("zipf with bursts", bursts, drifts=False),
    Family("hot and cold", hot_and_cold, drifts=False),
    Family("zipf and scans", scans, drifts=False),
    Family("tables", tables, drifts=False),
    Family("moving", moving, drifts=True),
    Family("growing", growing, drifts=True),
    Family("flattening", flattening, drifts=True),
)


def recorded(folder: Path, pages: Any, writes: Any) -> Curve:
    """Profile accesses, and give them large pages."""
    path = folder / "trace.bin"
    records = np.zeros(len(pages), dtype=RECORD)
    records["time_s"] = np.arange(len(pages)) // ACCESSES_PER_S
    records["page"], records["size"], records["next"] = pages, 1, -1
    records["operation"] = np.where(writes, WRITE, READ)
    records.tofile(path)
    found = profile(Trace(path, format="oracle_general_op_ns")).curve
    return replace(found, page_bytes=PAGE_BYTES)


def asked_about(curve: Curve, rate: float, seed: int) -> Asked:
    """Ask for RAM and devices of the made-up prices."""
    return asked_of(
        curve.steady(),
        (rate, None),
        Candidates(kinds=("devices",), devices=SHELF, reserved_gib=Decimal(0)),
        None,
        {},
        "usd",
        BOOK,
        36,
        (None, None),
        seed,
    )


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up workload: its recording, its truth, its rate, and the generator of what is drawn after them."""

    curve: Curve
    truth: Curve
    rate: float
    generator: Generator


def made(accesses: int, seed: int) -> Made:
    """Make up a workload, record it, and record its truth."""
    generator = np.random.default_rng(seed)
    family = FAMILIES[seed % len(FAMILIES)]
    law = {
        "pages": int(generator.integers(500, 4_000)),
        "exponent": float(generator.uniform(0.6, 1.1)),
        "burst": float(generator.uniform(20, 2_000)),
        "hot": float(generator.uniform(0, 0.5)),
        "set": int(generator.integers(20, 300)),
    }
    rate = float(generator.uniform(20, 200))
    share = float(generator.uniform(0, 0.5))
    longer = min(accesses * TIMES_AS_LONG, max(LONGEST_TRUTH, 2 * accesses))
    with tempfile.TemporaryDirectory() as folder:
        curve, truth = (
            recorded(
                Path(folder),
                family.draw(generator, (first + np.arange(count)) / accesses, law),
                generator.random(count) < share,
            )
            for first, count in ((0, accesses), (accesses, longer))
        )
    return Made(curve, truth, rate, generator)


def kept(accesses: int, seed: int, folder: Path | None) -> Made:
    """Return a workload that was kept in a folder, or make it up and keep it."""
    if folder is None:
        return made(accesses, seed)
    path = folder / f"{accesses}-{seed}.pickle"
    if path.exists():
        found: Made = pickle.loads(path.read_bytes())
        return found
    found = made(accesses, seed)
    part = path.with_suffix(".part")
    part.write_bytes(pickle.dumps(found))
    part.replace(path)
    return found


def trial(accesses: int, folder: Path | None, seed: int) -> Trial:
    """Advise on one made-up workload, and hold the advice against the truth."""
    family = FAMILIES[seed % len(FAMILIES)]

    def silent(reason: str) -> Trial:
        return Trial(family.name, None, right=False, reason=reason)

    workload = kept(accesses, seed, folder)
    curve, truth, generator = workload.curve, workload.truth, workload.generator
    asked = asked_about(curve, workload.rate, seed)
    table = Table.of(asked.setting)
    order = chosen_of(asked, table).order
    if not len(order):
        return silent("no option keeps every limit")
    best = int(order[0])
    rows = contending(asked, table, best)
    refused = _confidence.abstains(asked, table, best, rows)
    if refused is not None:
        return silent(refused.reason)
    sure = _confidence.sure(asked, table, best, rows)
    if not sure.buys.possible.any():
        return silent("no option keeps every limit in any draw")
    said = regret(sure.buys, sure.chosen).probability
    # What a recording is too short to show is in the longer one.
    places = {
        each: float(generator.random())
        for each in sure.draws.places
        if each != Input(_draws.SHORT)
    }
    state = sure.draws.state_of(places)
    measured = sure.contenders.on(truth.steady(), state)
    in_truth = sure.contenders.buys([measured])
    if not in_truth.possible.any():
        return silent("no option keeps every limit in truth")
    right = regret(in_truth, sure.chosen).probability == 1.0
    nearer = without_own_chance(truth.steady(), asked.setting.curve)
    contenders, chosen = sure.contenders, sure.chosen
    figures = contenders.as_bought(
        contenders.on(nearer, state), chosen, nearer, state
    ) | contenders.response_us(chosen, nearer)
    held = {
        each.figure: bool(
            each.low - NARROW * (each.high - each.low)
            <= figures[each.figure]
            <= each.high + NARROW * (each.high - each.low)
        )
        for each in _confidence.intervals(sure)
        if each.low < each.high
    }
    leaves = max(1 - each["ram_hit_share"] for each in sure.figures)
    return Trial(
        family.name,
        said,
        right=right,
        reason="",
        held=held,
        all_in_ram=leaves <= NEXT_TO_NOTHING,
    )


def without_own_chance(truth: Curve, curve: Curve) -> Curve:
    """Take from a truth what it differs from a recording by its own chance alone.

    Both are recordings, of m times and of once as many accesses, so the variance of their difference is 1 + 1/m of that
    of the short one. The interval is stated for what lies behind both: the difference is made smaller by the root.
    """
    longer = truth.accesses / curve.accesses
    nearer = 1 / math.sqrt(1 + 1 / longer)

    def moved(measured: Any, stated: Any) -> Any:
        return np.minimum.accumulate(measured * nearer + longer * stated * (1 - nearer))

    misses = moved(truth.misses_at, curve.misses(truth.pages))
    backs = moved(truth.write_backs_at, curve.write_backs(truth.pages))
    most = np.minimum(misses, truth.write_accesses)
    return replace(truth, misses_at=misses, write_backs_at=np.minimum(backs, most))


def percent(part: float, whole: int) -> str:
    """Write a share of a count."""
    return "-" if whole == 0 else f"{100 * part / whole:.0f} %"


def of_kind(trials: Sequence[Trial], *, drifts: bool) -> list[Trial]:
    """Return the trials of stationary or of drifting families."""
    names = {each.name for each in FAMILIES if each.drifts == drifts}
    return [each for each in trials if each.family in names]


def by_probability(trials: Sequence[Trial]) -> Iterator[str]:
    """Write what was said beside what was right."""
    said = [each for each in trials if each.probability is not None]
    yield "| probability stated | advices | mean probability | share that was right |"
    yield "| --- | --- | --- | --- |"
    for low, high in itertools.pairwise(BINS):
        some = [
            each
            for each in said
            if each.probability is not None
            and (low <= each.probability < high or (high == each.probability == 1.0))
        ]
        mean = sum(each.probability or 0.0 for each in some)
        right = sum(each.right for each in some)
        yield (
            f"| {100 * low:.0f} to {100 * high:.0f} % | {len(some)} | {percent(mean, len(some))} | "
            f"{percent(right, len(some))} |"
        )
    if said:
        score = np.mean(
            [((each.probability or 0.0) - each.right) ** 2 for each in said]
        )
        own = float(np.mean([each.right for each in said]))
        mean = sum(each.probability or 0.0 for each in said)
        yield ""
        yield (
            f"On average {percent(mean, len(said))} is stated and {percent(own, 1)} are right. Brier score {score:.3f}; "
            f"stating the share that was right every time would have {own * (1 - own):.3f}."
        )


def by_family(trials: Sequence[Trial]) -> Iterator[str]:
    """Write how often each family has no probability, and is right."""
    yield "| family | workloads | without a probability | mean probability | share that was right |"
    yield "| --- | --- | --- | --- | --- |"
    for family in FAMILIES:
        own = [each for each in trials if each.family == family.name]
        said = [each for each in own if each.probability is not None]
        mean = sum(each.probability or 0.0 for each in said)
        right = sum(each.right for each in said)
        yield (
            f"| {family.name}{' (drifts)' if family.drifts else ''} | {len(own)} | "
            f"{percent(len(own) - len(said), len(own))} | {percent(mean, len(said))} | {percent(right, len(said))} |"
        )


def by_figure(trials: Sequence[Trial]) -> Iterator[str]:
    """Write how often intervals hold the truth."""
    yield f"| figure | intervals | share that holds the truth | of ever more, {percent(CHANCE, 1)} sure |"
    yield "| --- | --- | --- | --- |"
    names = dict.fromkeys(name for each in trials for name in each.held)
    narrow, wide = [], []
    for name in names:
        held = [each.held[name] for each in trials if name in each.held]
        chance = binomtest(sum(held), len(held)).proportion_ci(CHANCE, "wilson")
        yield (
            f"| {FIGURES[name][0]} | {len(held)} | {percent(sum(held), len(held))} | "
            f"{100 * chance.low:.0f} to {percent(chance.high, 1)} |"
        )
        if len(held) < FEWEST_TO_JUDGE:
            continue
        if sum(held) < LEAST_HELD * len(held):
            narrow.append(FIGURES[name][0])
        elif chance.low > MOST_HELD:
            wide.append(FIGURES[name][0])
    if narrow:
        yield ""
        yield (
            f"**Too narrow**: {' and '.join(narrow)}; the truth lies outside more often than these intervals say."
        )
    if wide:
        yield ""
        yield (
            f"**Too wide**: {' and '.join(wide)}; the truth lies outside less often than these intervals say."
        )


def all_in_ram(trials: Sequence[Trial]) -> Iterator[str]:
    """Write what was held of those of which next to nothing leaves the RAM."""
    some = [each for each in trials if each.all_in_ram]
    held = [
        known
        for each in some
        for name, known in each.held.items()
        if name in OF_WHAT_LEAVES
    ]
    yield (
        f"Not counted: {counted(len(some), 'recommendation')} whose RAM holds all data. At most "
        f"{100 * NEXT_TO_NOTHING:g} % of the accesses leave it in every draw, and the intervals of these accesses, which end at none, "
        f"held the truth in {percent(sum(held), len(held))}."
    )


def in_short(reason: str) -> str:
    """Say a reason without its figures."""
    said = OF_A_CACHE.sub("", reason.partition(":")[2].strip())
    return said.partition(",")[0].partition(" by ")[0] or reason


def _age(version: str) -> tuple[int, str]:
    """Order versions as numbers: 9 before 10."""
    return len(version), version


def superseded_by(accesses: int, version: str) -> str | None:
    """Return the latest version that may say otherwise than this one of recordings of a length; None without one."""
    later = [
        each
        for each, lengths in SUPERSEDED.items()
        if accesses in lengths and _age(version) < _age(each)
    ]
    return max(later, key=_age, default=None)


def may_be_otherwise(accesses: int, trials: Sequence[Trial]) -> str:
    """Say of how many workloads a later version may say otherwise; empty where it was asked about all."""
    later = [
        each
        for trial in trials
        if (each := superseded_by(accesses, trial.version)) is not None
    ]
    if not later:
        return ""
    return (
        f" Version {_either(set(later))} has not advised on {len(later)} of them, and may say otherwise: it counts otherwise how many "
        "of the pages that large caches evict are dirty."
    )


def by_version(trials: Sequence[Trial]) -> str:
    """Say which versions advised on the workloads, and what a later one changed."""
    asked = Counter(each.version for each in trials)
    said = listed(
        [f"{asked[each]} by version {each}" for each in sorted(asked, key=_age)]
    )
    said = f"{len(trials)} workloads, measured with the advice's model: {said}."
    again = [each for each in trials if each.same_as]
    if not again:
        return said
    now = {each.version for each in again}
    before = {each.same_as for each in again}
    return (
        f"{said} On {len(again)} of them version {_either(before)} had advised before version {_either(now)}: every "
        "probability was the same to the last bit, and so was what was right and which of its intervals held the truth. "
        f"Figures that have fewer intervals below are of version {_either(now)} alone{_changed(now, before)}."
    )


def _either(versions: set[str]) -> str:
    return " or ".join(sorted(versions, key=_age))


def _changed(now: set[str], before: set[str]) -> str:
    """Say which intervals became others between earlier versions and this one; empty where none did."""
    figures = [
        FIGURES[name][0]
        for name, since in CHANGED.items()
        if min(map(_age, before)) < _age(since) <= max(map(_age, now))
    ]
    return f", and so is {listed(figures)}" if figures else ""


def by_reason(trials: Sequence[Trial]) -> Iterator[str]:
    """Write why there was no probability."""
    without = Counter(
        in_short(each.reason) for each in trials if each.probability is None
    )
    yield "| no probability | advices |"
    yield "| --- | --- |"
    yield from (f"| {reason} | {count} |" for reason, count in without.most_common())
    if not without:
        yield "| - | 0 |"


def report(trials: Sequence[Trial], accesses: int) -> str:
    """Write the tables of recordings of one length."""
    steady, drifting = (of_kind(trials, drifts=each) for each in (False, True))
    silent = sum(each.probability is None for each in steady)
    return "\n".join(
        [
            f"## Recordings of {accesses:,} accesses",
            "",
            by_version(trials) + may_be_otherwise(accesses, trials),
            "",
            f"Of the stationary ones "
            f"{percent(silent, len(steady))} have no probability.",
            "",
            *by_family(trials),
            "",
            "Stationary families, by the probability that was stated:",
            "",
            *by_probability(steady),
            "",
            "Their intervals, which should hold 90 %:",
            "",
            *by_figure([each for each in steady if not each.all_in_ram]),
            "",
            *all_in_ram(steady),
            "",
            "Drifting families, by the probability that was stated:",
            "",
            *by_probability(drifting),
            "",
            "Why there was no probability, of all families:",
            "",
            *by_reason(trials),
        ]
    )


COLUMNS = (
    "seed",
    "version",
    "same_as",
    "family",
    "probability",
    "right",
    "held",
    "all_in_ram",
    "reason",
)
OF_A_CACHE = re.compile(r"^at a cache of \S+ \S+ ")
YES_OR_NO = {True: "yes", False: "no"}
SAVED_EVERY = 10
"""Trials after which outcomes are saved."""


def outcomes_of(accesses: int) -> dict[int, Trial]:
    """Read the outcomes of this version of the model, and of those whose outcomes stand under it, by seed."""
    path = OUTCOMES / f"{accesses}.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        stand = {MODEL_VERSION, *SAME_OUTCOMES.get(MODEL_VERSION, ())}
        rows = [row for row in csv.DictReader(file) if row["version"] in stand]
    return {
        int(row["seed"]): Trial(
            row["family"],
            float(row["probability"]) if row["probability"] else None,
            right=row["right"] == "yes",
            reason=row["reason"],
            held={
                name: answer == "yes"
                for name, _, answer in (
                    each.partition("=") for each in row["held"].split()
                )
                if _age(CHANGED.get(name, "")) <= _age(row["version"])
            },
            all_in_ram=row["all_in_ram"] == "yes",
            version=row["version"],
            same_as=row["same_as"],
        )
        for row in rows
    }


def save(accesses: int, outcomes: Mapping[int, Trial]) -> None:
    """Write outcomes, by seed."""
    OUTCOMES.mkdir(exist_ok=True)
    path = OUTCOMES / f"{accesses}.csv"
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for seed, each in sorted(outcomes.items()):
            held = " ".join(
                f"{name}={YES_OR_NO[answer]}" for name, answer in each.held.items()
            )
            stated = "" if each.probability is None else repr(each.probability)
            table.writerow(
                (
                    seed,
                    each.version,
                    each.same_as,
                    each.family,
                    stated,
                    YES_OR_NO[each.right],
                    held,
                    YES_OR_NO[each.all_in_ram],
                    each.reason,
                )
            )
    part.replace(path)


def ask(
    accesses: int,
    seeds: Sequence[int],
    known: dict[int, Trial],
    workers: Workers,
    given: argparse.Namespace,
) -> list[int]:
    """Ask for trials and put their outcomes among the known ones, except those that differ; return these."""
    before = {
        seed: each
        for seed, each in known.items()
        if superseded_by(accesses, each.version) is None
    }
    differing: set[int] = set()
    saved = 0

    def report(done: Mapping[int, Trial]) -> bool:
        nonlocal saved
        for at, found in done.items():
            seed = seeds[at]
            kept = before.get(seed)
            if kept is None or kept.version == found.version:
                known[seed] = found
            else:
                known[seed] = replace(found, same_as=kept.version)
            if kept is not None and kept.differs(found):
                known[seed] = kept
                differing.add(seed)
        if given.write and (
            len(done) - saved >= SAVED_EVERY or saved < len(done) == len(seeds)
        ):
            save(accesses, known)
            saved = len(done)
        return True

    spread(workers.start, partial(trial, accesses, given.keep), seeds, report, _TRIALS)
    return sorted(differing)


def outcomes(
    accesses: int, count: int, workers: Workers, given: argparse.Namespace
) -> list[Trial]:
    """Return what became of the trials of the first seeds, asking for those that are not known."""
    known = outcomes_of(accesses) if given.write else {}
    missing = [
        seed
        for seed in range(count)
        if seed not in known or superseded_by(accesses, known[seed].version) is not None
    ]
    ask(accesses, missing, known, workers, given)
    return [known[seed] for seed in sorted(known)]


def again(
    accesses: int, count: int, workers: Workers, given: argparse.Namespace
) -> list[Trial]:
    """Ask anew for the first of the trials that are known, and return all of them.

    Raises
    ------
    SystemExit
        Where an outcome is another one now.
    """
    known = outcomes_of(accesses)
    seeds = [
        seed
        for seed in sorted(known)[:count]
        if not given.write or known[seed].version != MODEL_VERSION
    ]
    seeds.sort(key=lambda seed: _age(known[seed].version))
    differing = ask(accesses, seeds, known, workers, given)
    if differing:
        raise SystemExit(
            f"error: outcomes of {accesses:,} accesses, seeds {', '.join(map(str, differing))}: version {MODEL_VERSION} "
            "says otherwise than what is kept\n"
            "hint: find why; where it is right so, give the model of advices a version without SAME_OUTCOMES, and run "
            "`make calibrate`"
        )
    say(f"{accesses:,} accesses: {counted(len(seeds), 'outcome')} as they are kept")
    return [known[seed] for seed in sorted(known)]


def say(text: str) -> None:
    """Tell what happens meanwhile."""
    sys.stderr.write(f"{text}\n")


HEADING = re.compile(r"^## Recordings of ([\d,]+) accesses$", re.MULTILINE)


def sections(text: str) -> dict[int, str]:
    """Take the sections of a page that was written, by the accesses of their recordings."""
    starts = list(HEADING.finditer(text))
    ends = [each.start() for each in starts[1:]] + [len(text)]
    return {
        int(each[1].replace(",", "")): text[each.start() : end].strip()
        for each, end in zip(starts, ends, strict=True)
    }


def page(parts: Mapping[int, str]) -> str:
    """Write the page of some sections; those that were not measured again stay as they are."""
    about = (
        "Made-up workloads whose truth is known, each advised on from a short recording ([how sure](advice.md#how-sure)). "
        f"The truth is a recording {TIMES_AS_LONG} times as long (at most {LONGEST_TRUTH:,} accesses, at least twice as "
        "many as were recorded): of a stationary family another one, of a drifting family what follows. Errors of the "
        "model and times of devices are drawn from the ranges that an advice states. A recommendation is right where it "
        "costs at most 1 % more than the best contender in truth; an interval is right where it holds the figure of the "
        f"truth, give or take {100 * NARROW:g} % of its width; the truth, itself a recording, m times as long, is moved towards what was "
        "recorded until their distance has 1 / (1 + 1/m) of its variance, which is the part of the short one. Beside the share of intervals that hold the truth stands between which ends that of ever more workloads lies (Wilson). The method was tuned on *zipf with bursts* alone; the other families were made up afterwards. Errors of "
        "scale laws are not in these trials. Each section says how many workloads it has and which versions were asked."
    )
    text = "\n\n".join(parts[accesses] for accesses in sorted(parts))
    return f"# Are stated probabilities right?\n\n{NOTE}\n\n{about}\n\n{text}\n"


def main() -> int:
    """Run the trials."""
    parser = argparse.ArgumentParser(
        description="Hold probabilities of advices against truths."
    )
    parser.add_argument(
        "--trials", type=int, nargs="+", default=TRIALS, help="one of each length"
    )
    parser.add_argument(
        "--again",
        type=int,
        nargs="+",
        help="one of each length: ask so many of the known ones anew, and hold them against what is kept",
    )
    parser.add_argument("--accesses", type=int, nargs="+", default=ACCESSES)
    parser.add_argument("--jobs", type=int, help="processes; one per core by default")
    parser.add_argument(
        "--dask", help="scheduler of a Dask cluster, or local:N, in place of --jobs"
    )
    parser.add_argument("--keep", type=Path, help="folder of curves")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    name, counts = (
        ("trials", given.trials) if given.again is None else ("again", given.again)
    )
    if len(counts) not in (1, len(given.accesses)):
        parser.error(f"--{name}: state one number, or one of each length")
    trials_of = dict(zip(given.accesses, itertools.cycle(counts), strict=False))
    parts: dict[int, str] = {}
    with executors.named(given.dask, given.jobs, say) as workers:
        for accesses, count in trials_of.items():
            find = outcomes if given.again is None else again
            trials = find(accesses, count, workers, given)
            parts[accesses] = report(trials, accesses)
            sys.stdout.write(f"{parts[accesses]}\n\n")
            sys.stdout.flush()
    if given.write:
        PAGE.write_text(
            page(sections(PAGE.read_text(encoding="utf-8")) | parts), encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
