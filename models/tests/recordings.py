"""The shipped cuts of recordings in their canonical form, made once in a process of the tests.

Their text takes 80 ms of processor time at every read, the canonical form 8: what is computed from a trace is tested
on this one. What is tested of reading itself takes the files in `fixtures/traces`.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from tierwright import _simulator

_SHIPPED = Path(__file__).resolve().parents[2] / "fixtures" / "traces"
_FOLDER = Path(tempfile.mkdtemp(prefix="tierwright-recordings-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)


def canonical(name: str) -> Path:
    """Return the canonical form of a shipped trace."""
    made = _FOLDER / f"{name}.twt"
    if not made.exists():
        _simulator.convert(_SHIPPED / f"{name}.csv.zst", made)
    return made


TPCB = canonical("tpcb-cut")
"""420,000 accesses to 30,687 pages."""
TPCC = canonical("tpcc-cut")
"""500,000 accesses to 12,412 pages."""
