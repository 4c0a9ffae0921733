"""Writes docs/models/advice-regrets.md: what the advisor's choice costs more than the best, replayed.

``python scripts/generate_regrets.py SHARED`` asks the advisor about recorded traces in the folder SHARED/traces (or
that of TIERWRIGHT_SHARED) and the shipped ones, each stretched to several sizes of data and rates, and replays every
option that could have been chosen; ``make regrets`` runs it. It takes minutes and needs traces whose licences do not
let us ship them, so `make generate` leaves it out.

``--check`` needs the shipped traces only: it computes their rows anew, compares them and all words of the page with
what is there; exit 1 where one fails.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from generate_choices import RECORDED, SHIPPED, percent, shipped, skeleton
from generate_model_gaps import table

from tierwright import _simulator
from tierwright.advise import scale
from tierwright.advise.advice import _checked, _choice
from tierwright.advise.advice._asked import Asked, asked_of
from tierwright.advise.advice._near_misses import near_misses
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.request import Candidates
from tierwright.common.wording import counted
from tierwright.evaluate.advice.choose import Objective, ordered
from tierwright.evaluate.advice.limits import own_limits
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "advice-regrets.md"
NOTE = "<!-- Written by `make regrets`; do not edit. -->"

LARGER = ("tpcc-20w-cut.csv.zst",)
"""Shipped recordings that are too long to be asked about at each check."""
ALSO: dict[str, str | None] = {
    "postgres/tpcb.io.fio.zst": None,
    "cloudPhysicsIO.oracleGeneral.zst": None,
    "tpcc-small.trace": None,
    "websearch1-small.spc": None,
}
"""Recorded traces that have no place among the choices of schemes, and their formats, as `RECORDED`."""
FORMATS = RECORDED | ALSO
NO_TRACES = ("*.md", "golden_*", "trace_stats.csv")
"""Files of the folder that are about traces."""
LEFT_OUT = "Left out:"
DATA_GIB = (128, 384)
RATES = (3_000, 30_000, 150_000)
OBJECTIVES: tuple[Objective, ...] = ("usd", "io_time")
BUDGET = 2.0
"""Of the cheapest option, for the least I/O time."""
REPAIRS = 4.0
"""Of the cost of the choice, up to which options are replayed for the least money."""
EQUAL = 1e-9
MODEL_ALONE, FINALISTS = "The model alone", "Replays of finalists"


@dataclass(frozen=True, slots=True)
class Point:
    """One question, and what replays of all that could be chosen say of its answer.

    Attributes
    ----------
    trace, objective : str
        Of which recording, and what is to be least.
    data_gib, rate : int
        Of production. [GiB], [1/s]
    options : int
        That were replayed.
    by_model, by_replay : float
        How much more the choice costs than the best that keeps its load: that of the model alone, and that of the
        model with its finalists replayed. [1]
    breaks_by_model, breaks_by_replay : bool
        Whether a device is busier than allowed, by the replay.
    chosen, best : str
        By the model, and the best.
    gap, band : float
        By what share the I/O time of the choice by the model differs from its replay, and may differ. [1]
    accesses, pages : int
        Of the recording; its pages are distinct.
    best_busy, best_busy_replayed : float
        Busiest device of the best, by the model and by its replay. [1]
    most_busy : float
        Up to which it may be. [1]
    """

    trace: str
    objective: str
    data_gib: int
    rate: int
    options: int
    by_model: float
    by_replay: float
    breaks_by_model: bool
    breaks_by_replay: bool
    chosen: str
    best: str
    gap: float
    band: float
    accesses: int
    pages: int
    best_busy: float
    best_busy_replayed: float
    most_busy: float

    @property
    def is_excluded(self) -> bool:
        """Whether the best is too busy by the model, so that no finalist is of its kind."""
        return self.best_busy > self.most_busy


def main(arguments: list[str]) -> int:
    """Write the page."""
    if "--check" in arguments:
        return check()
    shared = arguments[0] if arguments else os.environ.get("TIERWRIGHT_SHARED", "")
    folder = Path(shared) / "traces"
    if not shared or not folder.is_dir():
        print(f"error: `{folder}` is no folder of recorded traces")
        print("hint: name the folder that holds `traces`, or set TIERWRIGHT_SHARED")
        return 2
    larger = {name: ROOT / "fixtures" / "traces" / name for name in LARGER}
    sources = shipped() | larger | {name: folder / name for name in FORMATS}
    without = left_out(folder, sources)
    PAGE.write_text(page(measure(sources), without), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def left_out(folder: Path, sources: Mapping[str, Path]) -> str:
    """Say which recordings of a folder are not asked about: those that hold the accesses of one that is.

    Raises
    ------
    SystemExit
        Where one holds accesses of its own.
    """
    others = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path not in sources.values()
        and not any(path.match(each) for each in NO_TRACES)
    ]
    curves = {name: profile(opened(name, path)).curve for name, path in sources.items()}
    same: dict[str, str] = {}
    for path in others:
        name = str(path.relative_to(folder))
        curve = profile(opened(name, path)).curve
        alike = [each for each, known in curves.items() if is_same(curve, known)]
        if not alike:
            raise SystemExit(
                f"error: no question is asked about `{path}`\n"
                "hint: add it to ALSO, with its format where its content fits several"
            )
        same[name] = alike[0]
    named = ", ".join(f"`{name}` (`{of}`)" for name, of in same.items())
    return f"{LEFT_OUT} what holds the accesses of another recording in another format: {named or 'none'}."


def opened(name: str, path: Path) -> Trace:
    """Open a recording, in its format where its content fits several."""
    return Trace(path, format=FORMATS.get(name))


def is_same(one: Curve, other: Curve) -> bool:
    """Whether two recordings miss and write back alike at every size."""
    return (
        (one.accesses, one.write_accesses) == (other.accesses, other.write_accesses)
        and np.array_equal(one.pages, other.pages)
        and np.array_equal(one.misses_at, other.misses_at)
        and np.array_equal(one.write_backs_at, other.write_backs_at)
    )


def measure(sources: Mapping[str, Path]) -> list[Point]:
    """Ask about every trace at every size and rate, and replay what could be chosen."""
    found: list[Point] = []
    with tempfile.TemporaryDirectory(prefix="tierwright-regrets-") as scratch:
        for at, (name, source) in enumerate(sources.items()):
            canonical = Path(scratch) / f"{at}.twt"
            _simulator.convert(str(source), str(canonical), format=FORMATS.get(name))
            trace = Trace(canonical)
            recorded = profile(trace)
            for gib in DATA_GIB:
                for rate in RATES:
                    found.extend(questions(name, trace, recorded, gib, rate))
            print(name, flush=True)
    return found


def questions(
    name: str, trace: Trace, recorded: Profile, gib: int, rate: int
) -> Iterator[Point]:
    """Ask both questions at one size and one rate."""
    production = Production(data_bytes=gib * 2**30, accesses_per_s=float(rate))
    made = scale.answer(recorded, production, law="stretch")
    curve = made.profile.curve.from_start("steady")
    asked = asked_of(
        curve, (None, None), Candidates(), None, {}, "usd", None, 36, (None, None), 0
    )
    whole = Table.of(asked.setting)
    cheapest = int(_choice.chosen_of(asked, whole).order[0])
    cents = whole.options.month_cents
    most = {"usd": REPAIRS * cents[cheapest], "io_time": BUDGET * cents[cheapest]}
    sold = np.ones(len(whole.options), dtype=np.bool_)
    for limit in own_limits(whole.options):
        sold &= ~limit.breaks
    for objective in OBJECTIVES:
        [rows] = np.nonzero(sold & (cents <= most[objective]))
        replays = [
            each
            for each in _checked.replayed(
                whole, rows.tolist(), _checked.by_trace(curve, trace, None)
            )
            # What the recording does not fill nothing is known of to hold a choice against.
            if each.is_timed
        ]
        if len(replays) > 1:
            question = replace(asked, objective=objective)
            recording = recorded.curve.accesses, recorded.curve.distinct_pages
            yield chosen(name, recording, (gib, rate), question, whole, replays)


def chosen(
    name: str,
    recording: tuple[int, int],
    production: tuple[int, int],
    asked: Asked,
    whole: Table,
    replays: Sequence[_checked.Replayed],
) -> Point:
    """Choose by the model and with replays of finalists, and hold both against the replays of all."""
    options, objective = whole.options, asked.objective
    of = {each.at: each for each in replays}
    keeps = {at for at, each in of.items() if not _checked.breaks(asked, each)}
    most_busy = asked.setting.most_busy
    able = np.asarray(
        [at for at in of if options.peak_busy[at] <= most_busy], dtype=np.int64
    )
    order = ordered(options, able, objective).tolist()
    by_model = order[0]
    kinds = whole.hardware_codes
    _, first = np.unique(kinds[order], return_index=True)
    finalists = [order[at] for at in sorted(first.tolist())]

    def replay_of(some: Sequence[int]) -> list[_checked.Replayed]:
        return [of[at] for at in some]

    near = near_misses(asked, whole, _choice.chosen_of(asked, whole).limits)
    by_replay = _checked.settled(
        asked,
        whole,
        np.asarray(order, dtype=np.int64),
        finalists[: _checked.MOST_FINALISTS],
        replay_of,
        near[np.isin(near, list(of))],
    ).best
    assert by_replay is not None  # some option keeps every limit by the model

    def cost(at: int) -> float:
        """Cost of an option; of one that is too busy that of the cheapest of its hardware that is not."""
        if objective == "io_time":
            return of[at].simulated_us if at in keeps else float("inf")
        alike = [each for each in keeps if kinds[each] == kinds[at]]
        if at in keeps or not alike:
            return float(options.month_cents[at]) if at in keeps else float("inf")
        return float(min(options.month_cents[each] for each in alike))

    best = min(keeps, key=lambda at: (cost(at), at))
    gib, rate = production
    return Point(
        name,
        objective,
        gib,
        rate,
        len(replays),
        cost(by_model) / cost(best) - 1,
        cost(by_replay) / cost(best) - 1,
        by_model not in keeps,
        by_replay not in keeps,
        f"{whole.title(by_model)}, {whole.scheme(by_model)}",
        f"{whole.title(best)}, {whole.scheme(best)}",
        of[by_model].gap or 0.0,
        of[by_model].band,
        *recording,
        float(options.peak_busy[best]),
        of[best].peak_busy,
        most_busy,
    )


HEADINGS = (
    "questions",
    "options replayed",
    "model alone: right",
    "mean regret",
    "worst",
    "too busy",
    "finalists replayed: right",
    "mean regret",
    "worst",
    "too busy",
)


def figures(points: Sequence[Point]) -> list[str]:
    """Return the cells of some points."""
    cells = [str(len(points)), f"{sum(p.options for p in points):,}"]
    for regret, breaks in (
        ([p.by_model for p in points], [p.breaks_by_model for p in points]),
        ([p.by_replay for p in points], [p.breaks_by_replay for p in points]),
    ):
        known = [each for each in regret if np.isfinite(each)]
        cells += [
            percent(float(np.mean(np.asarray(regret) <= EQUAL))),
            percent(float(np.mean(known))) if known else "-",
            percent(float(max(known))) if known else "-",
            str(sum(breaks)),
        ]
    return cells


def rows_of(points: Sequence[Point], by: Sequence[str]) -> Iterator[list[str]]:
    """Sum points up, as far as `by` names them."""
    keys = dict.fromkeys(tuple(getattr(p, each) for each in by) for p in points)
    for key in keys:
        here = [p for p in points if tuple(getattr(p, each) for each in by) == key]
        yield [*(f"`{part}`" for part in key), *figures(here)]


def worst(points: Sequence[Point]) -> Iterator[list[str]]:
    """Yield the questions that cost most, by the model alone."""
    ranked = sorted(points, key=lambda p: -p.by_model)
    for p in ranked[:10]:
        if p.by_model > EQUAL:
            yield [
                f"`{p.trace}`",
                f"`{p.objective}`",
                f"{p.data_gib}",
                f"{p.rate:,}",
                percent(p.by_model) if np.isfinite(p.by_model) else "too busy",
                percent(p.by_replay) if np.isfinite(p.by_replay) else "too busy",
                f"{100 * p.gap:+.1f} %, known {100 * p.band:.1f} %",
                p.chosen,
                p.best,
            ]


def explained(points: Sequence[Point]) -> str:
    """Say of which recordings the model alone chose wrongly."""
    of = {p.trace: p.accesses / p.pages for p in points}
    wrong = {p.trace for p in points if p.by_model > EQUAL}
    if not wrong:
        return f"{MODEL_ALONE} chose the best everywhere."
    most = max(of[name] for name in wrong)
    named = ", ".join(f"`{name}` ({of[name]:.2f})" for name in sorted(wrong))
    said = f"{MODEL_ALONE} chose wrongly for recordings with few accesses to a page: {named}."
    wrongly = [p for p in points if p.by_model > EQUAL]
    within = sum(abs(p.gap) <= p.band for p in wrongly)
    errors = (
        f"{within} of these {len(wrongly)} I/O times lie within the known error of the model, within which only a replay "
        "decides."
    )
    right = [each for name, each in of.items() if name not in wrong]
    if right and min(right) > most:
        return (
            f"{said} All others have {min(right):.2f} or more. So few hardly show what a cache that has run for long "
            f"would hit; {errors}"
        )
    less = sum(each <= most for each in right)
    also = counted(
        less,
        "other recording has as few and was",
        "other recordings have as few and were",
    )
    return f"{said} {also} answered rightly. {errors}"


def not_replayed(points: Sequence[Point]) -> str:
    """Say why replays of finalists missed the best, where they did."""
    missed = [p for p in points if p.by_replay > EQUAL]
    if not missed:
        return f"{FINALISTS} found the best everywhere."
    excluded = [p for p in missed if p.is_excluded]
    said = f"{FINALISTS} missed the best in {counted(len(missed), 'question')}."
    if len(excluded) < len(missed):
        said += f" In {len(missed) - len(excluded)} of them the best keeps its load by the model and was not replayed."
    if excluded:
        [most_busy] = {p.most_busy for p in excluded}
        told = "; ".join(
            f"`{p.trace}`, {p.data_gib} GiB, {p.rate:,}/s: {100 * p.best_busy:.1f} % by the model, "
            f"{100 * p.best_busy_replayed:.1f} % by the replay"
            for p in excluded
        )
        said += (
            f" In {len(excluded)} of them the best is busier by the model than the {100 * most_busy:g} % that are allowed, but not by its "
            f"own replay: {told}. What is too busy by the model by more than its known error is not replayed, nor are all of the "
            "options that are so by less, where there are many; ask again with a higher limit of `peak_busy`."
        )
    return said


def page(points: Sequence[Point], without: str) -> str:
    """Return the page; `without` says which recordings are not asked about."""
    parts = [
        "# What the advisor's choice costs more than the best",
        NOTE,
        f"{len(points):,} questions to [the advisor](advice.md): every recording stretched to {listed(DATA_GIB)} GiB of data "
        f"at {listed(RATES)} accesses per second, all instances and volumes with list prices, no device more than 70 % busy. "
        "Asked for the least money a month, and for the least I/O time within twice the money of the cheapest option. "
        "Every option that could have been chosen was replayed at the sizes that correspond in the recording, in the steady "
        "state; those of fewer than 1,000 pages of it are left out. *Regret* is how much more money or I/O time the choice takes than the best option "
        "that keeps its load by the replay; a choice that does not keep it is priced by the cheapest option of the same "
        "hardware that does, and counted as *too busy*. *Finalists replayed* is the answer of `tierwright advise --trace`.",
        without,
        "## In all",
        table(["objective", *HEADINGS], rows_of(points, ["objective"])),
        "## By trace",
        table(
            ["trace", "objective", *HEADINGS], rows_of(points, ["trace", "objective"])
        ),
        "## The worst",
        explained(points),
        not_replayed(points),
        table(
            [
                "trace",
                "objective",
                "data [GiB]",
                "accesses/s",
                "model alone",
                "finalists replayed",
                "I/O time of the choice off by",
                "chosen by the model",
                "best",
            ],
            worst(points),
        ),
    ]
    return "\n\n".join(parts) + "\n"


def listed(numbers: Sequence[int]) -> str:
    """Write some numbers as words."""
    texts = [f"{each:,}" for each in numbers]
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def check() -> int:
    """Compare the page with what the shipped traces say."""
    points = measure(shipped())
    written = PAGE.read_text(encoding="utf-8")
    rows = set(written.splitlines())
    words = {skeleton(line) for line in rows}
    whole = page(points, LEFT_OUT)
    by_trace = whole[whole.index("## By trace") : whole.index("## The worst")]
    stale = [
        line
        for line in by_trace.splitlines()
        if any(name in line for name in SHIPPED) and line not in rows
    ]
    stale += [
        line
        for line in whole.splitlines()
        if not line.startswith(("|", LEFT_OUT, MODEL_ALONE, FINALISTS))
        and skeleton(line) not in words
    ]
    for line in stale:
        print(f"not in {PAGE.relative_to(ROOT)}: {line}")
    if stale:
        print("hint: run `make regrets`; it needs the recorded traces")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
