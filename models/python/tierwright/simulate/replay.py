"""Traces and simulations: a typed door to the Rust core.

Nothing here but NumPy is imported before the core is called, so that commands start fast.
Errors are those of the core: `SimulatorError` and its subclasses, args `(message, hint)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from tierwright import _simulator
from tierwright.common.core_errors import Cancelled
from tierwright.common.errors import BadInput
from tierwright.simulate.erase_blocks import noted, with_fitting_blocks
from tierwright.simulate.executors import in_force
from tierwright.simulate.warm_up import AskedWarmUp, WarmUp, accesses_of, whole
from tierwright.trace.reading import OnProgress, Trace

Family = Literal["policy", "buffer", "scheme", "chooser", "flash_cache"]
"""What is replayed: a replacement policy or a cost-aware buffer in RAM alone; a page-flow scheme, a
chooser among them, or a flash cache over RAM and flash."""
FAMILIES: tuple[Family, ...] = get_args(Family)
ONE_TIER: frozenset[Family] = frozenset(("policy", "buffer"))
"""Families that replay RAM alone."""
MINIATURES = 8
"""Scaled caches, each over its own sample: their spread gives the interval."""
TELLS_WRITES = "tells_writes"
"""Of a result: False where the trace tells no writes from reads; absent where it does."""


@dataclass(frozen=True, slots=True)
class Replay:
    """One replay of the simulator.

    Attributes
    ----------
    family, name : str
        Of `contenders`, and which.
    ram_pages, flash_pages : int
        Flash is 0 of families that replay RAM alone. [pages]
    warm_up : int
        Accesses that are not counted.
    options : dict of str to str
        Its options.
    """

    family: Family
    name: str
    ram_pages: int
    flash_pages: int
    warm_up: int
    options: dict[str, str] = field(default_factory=dict)

    def configuration(self) -> dict[str, Any]:
        """Return it as `sweep` takes a configuration."""
        if self.family in ONE_TIER:
            return {
                self.family: self.name,
                "pages": self.ram_pages,
                "options": self.options,
            }
        return {
            self.family: self.name,
            "ram_pages": self.ram_pages,
            "flash_pages": self.flash_pages,
            "options": self.options,
        }


def contenders(family: Family) -> list[dict[str, Any]]:
    """Return what the core replays of a family, with their options."""
    return _simulator.contenders(family)


def admissions() -> list[dict[str, Any]]:
    """Return the rules by which flash takes RAM victims."""
    return _simulator.admissions()


def flash_cache_goes_by_time(
    name: str, flash_pages: int, options: Mapping[str, str] | None = None
) -> bool:
    """Tell whether a flash cache with these options does something by time."""
    return _simulator.flash_cache_goes_by_time(name, flash_pages, dict(options or {}))


def is_of(family: Family, name: str) -> bool:
    """Tell whether a name, written in any way, is one of a family."""
    wanted = name.lower().replace("-", "_")
    return any(each["name"] == wanted for each in contenders(family))


def replay(
    trace: Trace,
    family: Family,
    name: str,
    ram_pages: int,
    flash_pages: int = 0,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay a trace through one contender: the door to the core.

    Parameters
    ----------
    trace : Trace
        What is replayed.
    family, name : str
        Of `contenders`.
    ram_pages, flash_pages : int
        RAM, and flash of the families that have it. [pages]
    options : mapping, optional
        Of the contender.
    warm_up : WarmUp
        Accesses that are not counted.
    on_progress : callable, optional
        See `OnProgress`; False cancels.

    Returns
    -------
    dict
        What was counted.

    Raises
    ------
    BadInput
        If there is no such family, or flash is given to one that has none; if options state the rate of the accesses and
        a factor of their times.
    ParameterError
        If the core knows no such contender or option, or a size is out of range.
    SimulatorError
        If the trace cannot be read, or progress asked to stop.
    """
    from tierwright.simulate import stated_rate

    if family not in FAMILIES:
        raise BadInput(
            f"family: `{family}` is unknown", f"one of {', '.join(FAMILIES)}"
        )
    if flash_pages and family in ONE_TIER:
        raise BadInput(
            f"flash_pages: `{flash_pages}` given to `{name}`, a {family} of RAM alone",
            "leave the flash out, or replay a scheme or a flash cache",
        )
    if family == stated_rate.FAMILY:
        options = stated_rate.paced_options(name, options, stated_rate.once(trace))
    if family not in ONE_TIER:
        options = with_fitting_blocks(options, flash_pages)
    found = _simulator.replay(
        str(trace.path),
        family,
        name,
        ram_pages,
        None if family in ONE_TIER else flash_pages,
        options=dict(options) if options else None,
        warm_up=warm_up_accesses(trace, warm_up),
        on_progress=on_progress,
        **trace.arguments(),
    )
    return noted(found | _untold(found["trace"]), options, flash_pages)


def refuse_impossible(
    trace: Trace,
    family: Family,
    name: str,
    ram_pages: int,
    flash_pages: int = 0,
    *,
    options: Mapping[str, str] | None = None,
    warm_up: WarmUp = 0,
) -> None:
    """Have refused what `replay` of these arguments would refuse before its first access.

    Raises
    ------
    BadInput, ParameterError, SimulatorError
        As `replay`.
    """
    from tierwright.simulate.stated_rate import FAMILY, check_single

    if family == FAMILY:
        check_single(name, options or {})
    if family not in ONE_TIER:
        options = with_fitting_blocks(options, flash_pages)
    with suppress(Cancelled):
        _simulator.replay(
            str(trace.path),
            family,
            name,
            ram_pages,
            None if family in ONE_TIER else flash_pages,
            options=dict(options) if options else None,
            warm_up=warm_up_accesses(trace, warm_up),
            # The first call of progress comes after all checks: its cancel ends them.
            on_progress=lambda *_: False,
            **trace.arguments(),
        )


def warm_up_accesses(
    trace: Trace, warm_up: WarmUp, *, on_progress: OnProgress | None = None
) -> AskedWarmUp:
    """Return the accesses of a warm-up, or `full`; those of a raw trace are counted for a share.

    Raises
    ------
    BadInput
        If it is neither `full`, nor a whole number from 0 on, nor a share between 0 and 1, or the share of this
        trace is no access.
    SimulatorError
        If the trace has to be counted and cannot be read, or progress asked to stop.
    """
    accesses = whole(warm_up)
    if accesses is not None:
        return accesses
    return accesses_of(
        warm_up,
        _simulator.count_accesses(
            str(trace.path), on_progress=on_progress, **trace.arguments()
        ),
    )


def sweep(
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    *,
    warm_up: WarmUp = 0,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay many configurations over one read of the trace; a cancel keeps its rows.

    All have the same warm-up, but `full`, which is of each alone: a configuration whose cache the trace does not
    fill has its `error` and `hint` in its row. See `WarmUp`. Within `tierwright.simulate.executors.spreading` they are
    replayed by those workers, with the same rows.
    """
    asked = _in_force(trace, configurations)
    workers = in_force()
    if workers is not None and configurations:
        from tierwright.simulate import spread

        found = spread.sweep(
            workers,
            trace,
            asked,
            {"warm_up": warm_up_accesses(trace, warm_up)},
            on_progress,
        )
    else:
        found = _simulator.sweep(
            str(trace.path),
            asked,
            warm_up=warm_up_accesses(trace, warm_up),
            threads=threads,
            on_progress=on_progress,
            **trace.arguments(),
        )
    return _noted(found, asked)


def miniatures(
    trace: Trace,
    configurations: Sequence[Mapping[str, Any]],
    sample_rate: float,
    *,
    seed: int = 0,
    warm_up: WarmUp = 0,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Estimate many configurations by scaled caches over samples; a cancel keeps whole reads.

    The warm-up is of the whole trace: each sample warms up with its own share of it. `full` is refused, for each
    sample would be full at a different access. Within `tierwright.simulate.executors.spreading` they are estimated by
    those workers, with the same rows.
    """
    scale = sample_rate / MINIATURES
    asked = _in_force(trace, configurations, scale)
    workers = in_force()
    if workers is not None and configurations:
        from tierwright.simulate import spread

        found = spread.miniatures(
            workers,
            trace,
            asked,
            {
                "sample_rate": sample_rate,
                "seed": seed,
                "warm_up": warm_up_accesses(trace, warm_up),
            },
            on_progress,
        )
    else:
        found = _simulator.miniatures(
            str(trace.path),
            asked,
            sample_rate,
            seed=seed,
            warm_up=warm_up_accesses(trace, warm_up),
            threads=threads,
            on_progress=on_progress,
            **trace.arguments(),
        )
    return _noted(found, asked, scale)


def _in_force(
    trace: Trace, configurations: Sequence[Mapping[str, Any]], scale: float = 1.0
) -> list[dict[str, Any]]:
    """Give configurations the options that follow from what they state: of the trace, and of the flash of a miniature."""
    from tierwright.simulate.stated_rate import paced_configurations

    return [
        {
            **each,
            "options": with_fitting_blocks(each.get("options"), _flash_of(each, scale)),
        }
        for each in paced_configurations(trace, configurations)
    ]


def _noted(
    found: dict[str, Any], asked: Sequence[Mapping[str, Any]], scale: float = 1.0
) -> dict[str, Any]:
    """Add to the rows what is to be said of the trace and of the device under them; a cancel keeps the first ones alone."""
    untold = _untold(found["trace"])
    rows = [
        noted(row | untold, each["options"], _flash_of(each, scale))
        for row, each in zip(found["rows"], asked, strict=False)
    ]
    return {**found, "rows": rows}


def _untold(trace: Mapping[str, Any]) -> dict[str, bool]:
    """Mark the counts of a trace that does not record writes: none of theirs is in them."""
    return {} if trace["tells_writes"] else {TELLS_WRITES: False}


def _flash_of(configuration: Mapping[str, Any], scale: float) -> int:
    """Return the flash that is replayed; 0 of RAM alone, and of what the core is to refuse. [pages]"""
    pages = configuration.get("flash_pages")
    return int(pages * scale) if isinstance(pages, int) else 0


def simulate_dynamics(
    trace: Trace,
    pages: int,
    *,
    clean_pages: Sequence[int],
    epoch_accesses: int,
    window_accesses: int,
    write_share: float,
    asymmetry: float,
    write_growth: float = 0.0,
    write_odd: float = 1.0,
    asymmetry_growth: float = 0.0,
    asymmetry_odd: float = 1.0,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay buffers side by side while the writes of a trace, or their cost, change by epoch."""
    return _simulator.simulate_dynamics(
        str(trace.path),
        pages,
        clean_pages=list(clean_pages),
        epoch_accesses=epoch_accesses,
        window_accesses=window_accesses,
        write_share=write_share,
        write_growth=write_growth,
        write_odd=write_odd,
        asymmetry=asymmetry,
        asymmetry_growth=asymmetry_growth,
        asymmetry_odd=asymmetry_odd,
        on_progress=on_progress,
        **trace.arguments(),
    )


def simulate_splits(
    trace: Trace,
    pages: int,
    clean_pages: Sequence[int],
    *,
    on_progress: OnProgress | None = None,
) -> list[dict[str, Any]]:
    """Replay a trace once through static FD-Buffers with several clean pools."""
    return _simulator.simulate_splits(
        str(trace.path),
        pages,
        list(clean_pages),
        on_progress=on_progress,
        **trace.arguments(),
    )


def two_stack(
    trace: Trace,
    pages: int,
    *,
    distance: str = "raw",
    group_pages: int = 64,
    present_conditions: bool = True,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Count the hits of a clean and a dirty pool at every split, in one pass."""
    return _simulator.two_stack(
        str(trace.path),
        pages,
        distance=distance,
        group_pages=group_pages,
        present_conditions=present_conditions,
        on_progress=on_progress,
        **trace.arguments(),
    )
