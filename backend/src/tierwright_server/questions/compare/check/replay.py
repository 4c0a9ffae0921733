"""The simulate job, in its child process: replays the schemes on a canonical trace."""

from pathlib import Path
from typing import Any

from tierwright.simulate import replay as simulate_replay
from tierwright.trace.reading import Trace
from tierwright_server.jobs.report import Report


def replay(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Replay every scheme asked for, one after the other.

    Parameters
    ----------
    job : dict
        `trace` (path of the canonical trace), `sizes` (by scheme its RAM and flash, in pages), and
        `warm_up`, the accesses that are not counted.
    report : Report
        Takes progress in bytes of the trace, one phase a scheme.

    Returns
    -------
    dict
        `schemes`: name of the scheme -> its counters.
    """
    found = {}
    total_bytes = Path(job["trace"]).stat().st_size
    sizes = job["sizes"]
    for number, (scheme, (ram_pages, flash_pages)) in enumerate(sizes.items(), start=1):
        phase = f"replaying {scheme} ({number} of {len(sizes)})"
        with report.phase(phase, total_bytes) as on_progress:
            counters = simulate_replay.replay(
                Trace(Path(job["trace"])),
                "scheme",
                scheme,
                ram_pages,
                flash_pages,
                warm_up=job["warm_up"],
                on_progress=on_progress,
            )
        found[scheme] = {
            name: value for name, value in counters.items() if isinstance(value, int)
        }
    return {"schemes": found}
