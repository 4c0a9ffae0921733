"""RAM that knowing what flash holds takes, before a replay: sweeps and single replays alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tierwright.cli.output import print_warnings
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.simulate.contenders import NO_FLASH
from tierwright.simulate.rate_options import spelled
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.profile.curve import Curve


def charge(
    trace: Trace,
    configurations: list[dict[str, Any]],
    name: str | None,
    production: Curve | None = None,
) -> list[int | None]:
    """Take the memory of flash out of the RAM of each configuration.

    Parameters
    ----------
    trace : Trace
        What is replayed; its pages are the address space where a preset states none.
    configurations : list of dict
        As of a sweep, each with the options that it is replayed with; `ram_pages` of those with flash becomes what is
        left. [pages]
    name : str or None
        Preset of `--flash-metadata`; None charges nothing.
    production : Curve or None
        Where sizes are those of production: its data are the address space.

    Returns
    -------
    list of int or None
        RAM that was asked for, of each; None where there is no flash to charge for. [pages]

    Raises
    ------
    BadInput
        If there is no such preset or nothing to charge, or no RAM is left.
    """
    if name is None:
        return [None] * len(configurations)
    from tierwright.advise.sweep import ram_left
    from tierwright.common.derivation import plain
    from tierwright.evaluate.metadata import preset
    from tierwright.evaluate.page_flow.cautions import about_space_behind
    from tierwright.trace import reading

    chosen = preset(name)
    if not any(_charged(each) for each in configurations):
        raise BadInput(
            "--flash-metadata has nothing to charge",
            "add a --scheme with flash, or leave it out",
        )
    print_warnings(
        [plain(caution) for caution in about_space_behind(chosen)],
    )
    if production is None:
        summary = reading.inspect(trace)
        page_bytes, pages = summary["page_bytes"], summary["distinct_pages"]
    else:
        page_bytes, pages = production.page_bytes, production.data_pages
    budgets: list[int | None] = []
    for each in configurations:
        if not _charged(each):
            budgets.append(None)
            continue
        left = ram_left(
            chosen,
            _contender(each),
            each["ram_pages"],
            each["flash_pages"],
            page_bytes=page_bytes,
            distinct_pages=pages,
            options=each.get("options"),
        )
        if left is None or left < 1:
            raise BadInput(
                f"--ram-pages: `{each['ram_pages']}` hold less than the metadata of "
                f"{counted(each['flash_pages'], 'page')} of flash ({chosen.title})",
                "use more RAM, less flash, or a cache with larger units",
            )
        budgets.append(each["ram_pages"])
        each["ram_pages"] = left
    return budgets


def _charged(configuration: dict[str, Any]) -> bool:
    """Whether a configuration has flash: all but `none`, which caches in all of RAM."""
    return (
        configuration.get("flash_pages", 0) > 0
        and _contender(configuration) != NO_FLASH
    )


def _contender(configuration: dict[str, Any]) -> str:
    """Name of the scheme or flash cache, as the tables spell it."""
    name = configuration.get("flash_cache") or configuration.get("scheme", "")
    return spelled(str(name))
