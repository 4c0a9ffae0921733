"""Writes docs/models/choices.md: how often the scheme chosen is the one that a replay finds best.

``python scripts/generate_choices.py SHARED`` evaluates and decides recorded traces in the folder
SHARED/traces (or that of TIERWRIGHT_SHARED) and the shipped ones at many sizes; ``make choices``
runs it. It takes minutes and needs traces whose licences do not let us ship them, so
`make generate` leaves it out.

``--check`` needs the shipped traces only: it computes their rows anew, compares them and all words
of the page with what is there, and holds every row of the page against what is promised; exit 1
where one fails.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from generate_model_gaps import curve_of, numbers, shares, table

from tierwright import _simulator
from tierwright.evaluate.page_flow import decision, effects, evaluation, results
from tierwright.evaluate.page_flow import decision as page_flow_decision
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.profile.curve import Curve
from tierwright.simulate.replay import sweep
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "choices.md"
NOTE = "<!-- Written by `make choices`; do not edit. -->"

RAM_SHARES = (0.005, 0.02, 0.1)
FLASH_PER_RAM = (1.0, 2.0, 5.0, 10.0, 20.0)
PAIRS = {
    "PM9A3 over Exos": ("samsung-pm9a3-7.68tb-u2", "seagate-exos-2x18-18tb"),
    "PM9A3 over gp3-max": ("samsung-pm9a3-7.68tb-u2", "aws-ebs-gp3-max"),
    "S4500 over gp3-baseline": ("intel-s4500-7.68tb", "aws-ebs-gp3-baseline"),
}
STARTS = ("cold", "steady")
SHIPPED = ("tpcb-cut.csv.zst", "tpcc-cut.csv.zst")
RECORDED: dict[str, str | None] = {
    "postgres/tpcb.csv.zst": None,
    "cloudPhysicsIO.vscsi": None,
    "desktop.trace.gz": "flashsim",
    "hadoop_eternity8.blkparse.txt.gz": None,
    "OLTP.lis.zst": None,
    "2_pools.trace.gz": None,
}
"""Trace and its format, where the content fits several. Traces with hardly a page read twice have
no choice to make."""

LEAST_RIGHT = 0.97
MOST_MEAN_REGRET = 0.0005
MOST_REGRET = 0.05
MOST_CAUTIONED = 0.15


@dataclass(frozen=True, slots=True)
class Point:
    """One choice, and what a replay of everything says of it.

    Attributes
    ----------
    trace, start, pair : str
        Of which trace, from which start, on which devices.
    decided_by : str
        `model` or `replay`.
    regret, model_regret : float
        By how much the scheme chosen, and the one the model alone puts first, costs more than
        the best. [1]
    cautioned : bool
        Whether a caution could change the choice.
    model_cautioned : bool
        The same of the model's answer.
    names : tuple of str
        The cautions that could.
    """

    trace: str
    start: str
    pair: str
    decided_by: str
    regret: float
    model_regret: float
    cautioned: bool
    model_cautioned: bool
    names: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether no scheme costs less than the one chosen."""
        return self.regret <= decision.TIE_TOLERANCE


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
    points = measure(shipped() | {name: folder / name for name in RECORDED})
    PAGE.write_text(page(points), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}: {len(points)} choices")
    return 1 if broken(points) else 0


def shipped() -> dict[str, Path]:
    """Return the traces in the repository."""
    return {name: ROOT / "fixtures" / "traces" / name for name in SHIPPED}


def measure(sources: Mapping[str, Path]) -> list[Point]:
    """Choose at every point of every trace, and replay everything."""
    found: list[Point] = []
    with tempfile.TemporaryDirectory(prefix="tierwright-choices-") as scratch:
        for at, (name, source) in enumerate(sources.items()):
            canonical = Path(scratch) / f"{at}.twt"
            _simulator.convert(str(source), str(canonical), format=RECORDED.get(name))
            trace = Trace(canonical)
            curve = curve_of(trace)
            for start in STARTS:
                found.extend(choices(name, trace, curve, start))
            print(name, flush=True)
    return found


def devices() -> dict[str, tuple[Device, Device]]:
    """Return the pairs of `PAIRS`."""
    return {
        name: (catalog.device(flash), catalog.device(disk))
        for name, (flash, disk) in PAIRS.items()
    }


def choices(name: str, trace: Trace, curve: Curve, start: str) -> Iterator[Point]:
    """Choose at every size and on every pair of devices, from one start."""
    asked = curve.from_start(start)
    for share in RAM_SHARES:
        r = max(1, int(curve.distinct_pages * share))
        for ratio in FLASH_PER_RAM:
            f = int(r * ratio)
            counters = replays(trace, r, f, decision.warm_up_of(start, curve.accesses))
            for pair, (flash, disk) in devices().items():
                made = evaluation.evaluate(
                    asked, ram_pages=r, flash_pages=f, flash=flash, disk=disk
                )
                yield chosen(name, start, pair, made, counters, (asked, flash, disk))


def replays(trace: Trace, r: int, f: int, warm: int) -> dict[str, dict[str, Any]]:
    """Replay every scheme at one choice of sizes, in one read."""
    asked = [
        {"scheme": scheme, "ram_pages": r, "flash_pages": 0 if scheme == "none" else f}
        for scheme in SCHEMES
    ]
    rows = sweep(trace, asked, warm_up=warm)["rows"]
    return dict(zip(SCHEMES, rows, strict=True))


def chosen(
    name: str,
    start: str,
    pair: str,
    made: results.Evaluation,
    counters: Mapping[str, Mapping[str, Any]],
    of: tuple[Curve, Device, Device],
) -> Point:
    """Decide as `tierwright evaluate --trace` does, and hold it against the replays of all."""
    whole = page_flow_decision.decided(made, counters, of[0])
    truth = decision.deciding_costs(whole)
    answer = effects.judged(whole if made.contenders else made, *of)
    by_model = effects.judged(made, *of)
    least = min(truth.values())
    cautions = could_change(answer)
    return Point(
        name,
        start,
        pair,
        answer.decided_by,
        truth[answer.best] / least - 1,
        truth[made.best] / least - 1,
        bool(cautions),
        bool(could_change(by_model)),
        cautions,
    )


def could_change(found: results.Evaluation) -> tuple[str, ...]:
    """Name the cautions that could change the choice."""
    return tuple(w.name for w in found.warnings if w.could_change_choice)


ALL = "all"


def rows_of(points: Sequence[Point], by: Sequence[str]) -> Iterator[list[str]]:
    """Sum points up by trace, start and pair, as far as `by` names them."""
    keys = dict.fromkeys(tuple(getattr(p, each) for each in by) for p in points)
    for key in keys:
        here = [p for p in points if tuple(getattr(p, each) for each in by) == key]
        yield [*(f"`{part}`" if "." in part else part for part in key), *figures(here)]


HEADINGS = (
    "points",
    "model alone: right",
    "mean regret",
    "worst",
    "replayed",
    "right",
    "mean regret",
    "worst",
    "wrong without a caution",
    "a caution could change it",
)


def figures(points: Sequence[Point]) -> list[str]:
    """Return the cells of some points."""
    alone = np.array([p.model_regret for p in points])
    regret = np.array([p.regret for p in points])
    wrong = [p for p in points if not p.is_right]
    return [
        str(len(points)),
        percent(float((alone <= decision.TIE_TOLERANCE).mean())),
        percent(float(alone.mean())),
        percent(float(alone.max())),
        percent(np.mean([p.decided_by == "replay" for p in points])),
        percent(float(np.mean([p.is_right for p in points]))),
        percent(float(regret.mean())),
        percent(float(regret.max())),
        str(sum(not p.cautioned for p in wrong)),
        percent(float(np.mean([p.cautioned for p in points]))),
    ]


def percent(value: float) -> str:
    """Return a share as percent, 0 only where it is exactly 0."""
    if value == 0:
        return "0"
    return "< 0.01 %" if value < 0.00005 else f"{100 * value:.3g} %"  # noqa: PLR2004  # rounds to 0


def broken(points: Sequence[Point]) -> list[str]:
    """Name what is promised and does not hold."""
    regret = np.array([p.regret for p in points])
    said = {
        "right": np.mean([p.is_right for p in points]) >= LEAST_RIGHT,
        "mean regret": regret.mean() <= MOST_MEAN_REGRET,
        "worst regret": regret.max() <= MOST_REGRET,
        "wrong without a caution": all(p.is_right or p.cautioned for p in points),
        "cautions": np.mean([p.cautioned for p in points]) <= MOST_CAUTIONED,
    }
    broken_ones = [what for what, holds in said.items() if not holds]
    for what in broken_ones:
        print(f"does not hold: {what}")
    return broken_ones


def page(points: Sequence[Point]) -> str:
    """Return the page."""
    pairs = devices()
    parts = [
        "# How often the choice is right",
        NOTE,
        f"At {len(points):,} points: RAM of {shares(RAM_SHARES)} of the distinct pages, flash of "
        f"{numbers(FLASH_PER_RAM)} times RAM, on three pairs of devices, from a cold start and in the steady "
        "state (caches warmed by the first half of the recording, counted over the second). The choice is that "
        "of `tierwright evaluate --trace`; the truth is the lowest I/O time of replays of all schemes. *Regret* "
        "is how much more the chosen scheme costs than the best.",
        table(
            ["devices", "flash", "disk"],
            [[name, f"`{f.id}`", f"`{d.id}`"] for name, (f, d) in pairs.items()],
        ),
        f"Promised: right at {100 * LEAST_RIGHT:g} % of the points or more, mean regret of at most "
        f"{100 * MOST_MEAN_REGRET:g} %, worst of at most {100 * MOST_REGRET:g} %; no wrong choice without a "
        f"caution; cautions that could change the choice at {100 * MOST_CAUTIONED:g} % of the points at most. "
        "*Model alone* is the answer without the trace.",
        "## In all",
        table(["start", *HEADINGS], rows_of(points, ["start"])),
        "## By devices",
        table(["start", "devices", *HEADINGS], rows_of(points, ["start", "pair"])),
        "## By trace",
        table(["trace", "start", *HEADINGS], rows_of(points, ["trace", "start"])),
        "## Cautions that could change a choice",
        cautions_table(points),
    ]
    return "\n\n".join(parts) + "\n"


def cautions_table(points: Sequence[Point]) -> str:
    """Return a table of the cautions that could change a choice."""
    names = sorted({name for p in points for name in p.names})
    rows = [[f"`{name}`", str(sum(name in p.names for p in points))] for name in names]
    return table(["caution", "points"], rows) if rows else "None."


def check() -> int:
    """Compare the page with what the shipped traces say, and the promises with it."""
    points = measure(shipped())
    written = PAGE.read_text(encoding="utf-8")
    rows = set(written.splitlines())
    words = {skeleton(line) for line in rows}
    stale = []
    for line in page(points).splitlines():
        of_all = line.startswith("|") and not any(name in line for name in SHIPPED)
        known = line in rows if "`tp" in line else skeleton(line) in words
        if not known and not of_all:
            stale.append(line)
    for line in stale:
        print(f"not in {PAGE.relative_to(ROOT)}: {line}")
    if stale:
        print("hint: run `make choices`; it needs the recorded traces")
    return 1 if stale or broken(points) else 0


def skeleton(line: str) -> str:
    """Return a line with its counts left out."""
    return re.sub(r"\d[\d,.]*", "#", line)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
