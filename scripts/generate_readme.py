"""Writes the worked example's answer into README.md, so that it stays true.

``python scripts/generate_readme.py [--check]``; the sentence stands between two comments, and is
computed as the command line computes it, from the trace that is shipped.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from tierwright.cli.app import main as tierwright
from tierwright.common.units import format_bytes
from tierwright.evaluate.page_flow.decision import EQUAL_SHARE, equals
from tierwright.simulate.replay import contenders

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
RAM_PAGES, FLASH_PAGES = 1000, 6000
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb"
PLACE = re.compile(
    r"(<!-- the answer, by scripts/generate_readme\.py -->\n).*?(\n<!-- end -->)",
    re.DOTALL,
)
TITLES = {scheme["name"]: scheme["title"].lower() for scheme in contenders("scheme")}


def asked(*arguments: object) -> Any:
    """Return the document that a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = tierwright([*map(str, arguments), "--json"])
    if code:
        raise SystemExit(f"error: tierwright {arguments[0]} ended with {code}")
    return json.loads(out.getvalue())


def sentence() -> str:
    """Return what the example answers, replayed."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.json"
        made = asked("profile", TRACE, "-o", profile)
        found = asked(
            *("evaluate", profile, "--trace", TRACE),
            *("--ram-pages", RAM_PAGES, "--flash-pages", FLASH_PAGES),
            *("--flash-device", FLASH, "--disk-device", DISK),
        )
    replayed = {
        name: scheme["replayed"]["io_time_us_per_access"]
        for name, scheme in found["schemes"].items()
    }
    best = min(replayed, key=lambda name: replayed[name])
    equal = equals(replayed, best) or (best,)
    without = replayed["none"]
    change = 1 - replayed[best] / without
    names = " or ".join(f"*{TITLES[name]}*" for name in equal)
    ram, flash = (
        format_bytes(pages * made["page_bytes"]) for pages in (RAM_PAGES, FLASH_PAGES)
    )
    effect = (
        f"{flash} of flash behind them, run as {names}, bring that to {replayed[best] / 1e3:.2f} ms: "
        f"{100 * change:.0f} % less"
        if "none" not in equal
        else f"{flash} of flash behind them do not pay: no scheme is faster by more than {EQUAL_SHARE:.0%}"
    )
    return (
        f"> The worked example, {made['accesses']:,} page accesses of TPC-B on PostgreSQL: with {ram} of RAM\n"
        f"> and a hard disk an access costs {without / 1e3:.2f} ms of device time. {effect}, by replay of the trace."
    )


def main(arguments: list[str]) -> int:
    """Write the sentence, or say that it is not the present one."""
    text = README.read_text(encoding="utf-8")
    if not PLACE.search(text):
        print("error: README.md has no place for the answer")
        return 1
    fresh = PLACE.sub(lambda found: found[1] + sentence() + found[2], text)
    if "--check" in arguments:
        if fresh != text:
            print("error: the answer in README.md is out of date\nhint: make generate")
            return 1
        return 0
    README.write_text(fresh, encoding="utf-8")
    print("wrote README.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
