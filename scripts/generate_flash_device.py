"""Writes docs/models/ftl-waf.md: WAF of the simulated flash device beside the closed forms.

``python scripts/generate_flash_device.py`` simulates every spare, block size and rule; ``make flash-device`` runs it.
It takes minutes, so `make generate` leaves it out.
"""

from __future__ import annotations

import sys
from pathlib import Path

from generate_model_gaps import table

from tierwright.advise import flash_device as question
from tierwright.simulate.flash_device import COLLECTIONS, Collection, FlashDevice

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "ftl-waf.md"
NOTE = "<!-- Written by `make flash-device`; do not edit. -->"
SPARES = (0.07, 0.1, 0.28, 0.5, 1.0)
BLOCK_PAGES = (32, 64, 256)
BLOCKS = 2048
OVERWRITES = 6


def simulated(
    collection: Collection, spare: float, block_pages: int
) -> question.FlashDeviceAnswer:
    """Return one device under uniform overwrites."""
    logical = int(BLOCKS * block_pages / (1 + spare))
    device = FlashDevice(logical, BLOCKS, block_pages, collection)
    return question.answer(device, writes=OVERWRITES * logical)


def page() -> str:
    """Return the page."""
    rows, gaps = [], []
    for spare in SPARES:
        for block_pages in BLOCK_PAGES:
            cells = [f"{spare:g}", f"{block_pages:,}"]
            for collection in COLLECTIONS:
                found = simulated(collection, spare, block_pages)
                if found.gap is None:
                    cells.append(f"{found.waf:.4f}")
                else:
                    gaps.append(abs(found.gap))
                    cells.append(f"{found.waf:.4f} ({found.gap:+.2%})")
            rows.append(cells)
            print("  ".join(cells), flush=True)
    headings = ["spare", "pages per block", *COLLECTIONS]
    return "\n".join(
        [
            "# WAF: simulated, beside the closed forms",
            "",
            NOTE,
            "",
            f"The [flash device](ftl.md) with {BLOCKS:,} blocks under uniform overwrites, filled, overwritten "
            f"{OVERWRITES} times, and counted over {OVERWRITES} more. `choices` draws 10 blocks. In parentheses: "
            "the simulation over its closed form at the usable spare, which leaves out the two blocks held back; "
            "no closed form covers cost-benefit collection.",
            "",
            table(headings, rows),
            "",
            f"The largest gap is {max(gaps):.2%}, the mean {sum(gaps) / len(gaps):.2%}.",
            "",
        ]
    )


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
