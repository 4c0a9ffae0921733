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

from tierwright.advise.scale.request import read_production
from tierwright.cli.app import main as tierwright
from tierwright.common.units import format_bytes, parse_bytes

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
TRACE = ROOT / "fixtures" / "traces" / "tpcc-20w-cut.csv.zst"
PRODUCTION = ROOT / "fixtures" / "production" / "tpcc-4tib.toml"
RAM, FLASH = "64GiB", "256GiB"
FLASH_DEVICE, DISK = "micron-9550-max-3.2tb", "seagate-exos-x24-24tb"
PRICES = "street-2026-q3"
PLACE = re.compile(
    r"(<!-- the answer, by scripts/generate_readme\.py -->\n).*?(\n<!-- end -->)",
    re.DOTALL,
)


def asked(*arguments: object) -> Any:
    """Return the document that a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = tierwright([*map(str, arguments), "--json"])
    if code:
        raise SystemExit(f"error: tierwright {arguments[0]} ended with {code}")
    return json.loads(out.getvalue())


def sentence() -> str:
    """Return what the example answers."""
    with tempfile.TemporaryDirectory() as folder:
        recorded, scaled = Path(folder) / "recorded.json", Path(folder) / "scaled.json"
        made = asked("profile", TRACE, "--relation-names", "-o", recorded)
        asked("scale", recorded, "--production", PRODUCTION, "-o", scaled)
        found = asked(
            *("evaluate", scaled, "--ram-pages", RAM, "--flash-pages", FLASH),
            *("--flash-device", FLASH_DEVICE, "--disk-device", DISK),
            *("--price-book", PRICES, "--trace", TRACE),
        )
    stated = read_production(PRODUCTION)["production"]
    return (
        f"> The worked example: {made['accesses']:,} page accesses of TPC-C on PostgreSQL, scaled to {format_bytes(stated.data_bytes)} of data and\n"
        f"> {stated.accesses_per_s:,.0f} accesses per second, with {format_bytes(parse_bytes(RAM))} of RAM. {found['load_sentence']}\n"
        f"> **{found['load_verdict']}**"
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
