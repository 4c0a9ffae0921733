"""How long flash lasts under replays of one trace, as commands state it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tierwright.trace.reading import Trace


def lives_of(
    replays: Sequence[tuple[Mapping[str, Any], int]],
    trace: Trace,
    flash_device: str | None,
) -> list[dict[str, Any] | None]:
    """Return what each replay writes to flash, and how long a device lasts; None without flash.

    Parameters
    ----------
    replays : sequence of (mapping, int)
        Results of `replay`, each with the flash that was asked for. [pages]
    trace : Trace
        That was replayed.
    flash_device : str or None
        Id or file of a device; without one nothing says how long it lasts.
    """
    from tierwright.advise.checks.flash_life import life_of, rate_of, rate_of_trace
    from tierwright.trace import reading

    device = None
    if flash_device is not None:
        from tierwright.hardware import catalog

        device = catalog.device_or_file(flash_device)
    made = [found.get("production") for found, _ in replays]
    # Without a device there is no life; its times are then not worth another read of the trace.
    recorded = (
        None if device is None or any(made) else rate_of_trace(reading.inspect(trace))
    )
    lives = (
        life_of(
            found,
            device=device,
            rate=rate_of(
                found,
                recorded_per_s=recorded,
                production_per_s=None if one is None else one["accesses_per_s"],
            ),
            flash_pages=flash_pages,
        )
        for (found, flash_pages), one in zip(replays, made, strict=True)
    )
    return [None if life is None else asdict(life) for life in lives]
