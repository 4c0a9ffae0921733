"""The simulate job, in its child process: replays the schemes on a canonical trace."""

from pathlib import Path
from typing import Any

from tierwright import _simulator
from tierwright_server.jobs.report import Report


def replay(job: dict[str, Any], report: Report) -> dict[str, Any]:
    """Replay every scheme asked for, one after the other.

    Parameters
    ----------
    job : dict
        `trace` (path of the canonical trace), `schemes`, `ram_pages`, `flash_pages`.
    report : Report
        Takes progress in bytes of the trace, one phase a scheme.

    Returns
    -------
    dict
        `schemes`: name of the scheme -> its counters.
    """
    found = {}
    total_bytes = Path(job["trace"]).stat().st_size
    for number, scheme in enumerate(job["schemes"], start=1):
        phase = f"replaying {scheme} ({number} of {len(job['schemes'])})"
        with report.phase(phase, total_bytes) as on_progress:
            counters = _simulator.simulate_scheme(
                job["trace"],
                scheme=scheme,
                ram_pages=job["ram_pages"],
                flash_pages=job["flash_pages"],
                on_progress=on_progress,
            )
        found[scheme] = {
            name: value for name, value in counters.items() if isinstance(value, int)
        }
    return {"schemes": found}
