"""Options that several commands have, each in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.named import named_device

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tierwright.advise.advice.request import Candidates
    from tierwright.evaluate.metadata import MetadataPreset
    from tierwright.hardware.device import Device
    from tierwright.simulate.warm_up import AskedWarmUp
    from tierwright.trace.reading import Trace

FlashMetadata = Annotated[
    str | None,
    typer.Option(
        "--flash-metadata",
        metavar="PRESET",
        help="Charge the flash metadata to RAM; `tierwright metadata` lists the "
        "presets; sce:2TiB states the size of the volume behind the cache, stated:32B/8KiB an entry "
        "of a cache without a preset, for each such unit of flash "
        "[default: not charged].",
    ),
]

FlashCaches = Annotated[
    str | None,
    typer.Option(
        "--flash-cache",
        metavar="NAME,NAME,...",
        help="Flash caches to replay beside the schemes, with --trace: face, lazy_cleaning, ..., or "
        "all; `tierwright catalog flash-caches` lists them.",
    ),
]

CacheOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="[CACHE:]K=V",
        help="Of the flash caches of --flash-cache, such as mode=write_back or lazy_cleaning:dirty_threshold=1; may be "
        "repeated.",
    ),
]

WaitsForWrites = Annotated[
    str,
    typer.Option(
        "--writes",
        metavar="background|waited_for",
        help="Whether an access waits for the writes that its miss causes.",
    ),
]

ServiceTimes = Annotated[
    str,
    typer.Option(
        "--service",
        metavar="constant|exponential",
        help="How the time of an operation varies about what the device states.",
    ),
]

AmortisationMonths = Annotated[
    int,
    typer.Option(
        "--amortisation-months",
        metavar="M",
        min=1,
        help="Months over which a purchase is spread. [months]",
    ),
]

Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        max=2**64 - 1,
        help="Seed of the sample: another seed follows other pages.",
    ),
]

DrawSeed = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        max=2**53,
        help="Seed of what is drawn at random: the same seed gives the same answer.",
    ),
]

Start = Annotated[
    str,
    typer.Option(
        "--start",
        metavar="steady|cold",
        help="steady: a system that has run for long; cold: from empty caches, as the profile "
        "was counted. A given curve is always steady.",
    ),
]


Assumptions = Annotated[
    bool,
    typer.Option(
        "--assumptions",
        help="List what the answer rests on that does not change the choice, too.",
    ),
]


NewPages = Annotated[
    int,
    typer.Option(
        "--new-pages",
        metavar="N",
        help="Pages newly allocated during the recording, where known: in the steady "
        "state they are growth, not misses. At most the distinct pages [default: "
        "0].",
        show_default=False,
    ),
]

WarmUpOption = Annotated[
    str | None,
    typer.Option(
        "--warm-up",
        metavar="N|P%|full",
        help="Accesses at the beginning of the trace, or a share of all, that fill the "
        "caches and are not counted; full: until the flash of each replay holds all its "
        "pages, or its cache where it has no flash [default: all are counted].",
    ),
]


def warm_up_of(trace: Trace, text: str | None) -> AskedWarmUp:
    """Return the accesses that `--warm-up` names, or `full`; 0 where it is left out.

    A share of a raw trace counts it first.

    Raises
    ------
    BadInput
        If it is not a warm-up, or a share that is no access of this trace.
    """
    if text is None:
        return 0
    from tierwright.cli.output import progress
    from tierwright.simulate.replay import warm_up_accesses
    from tierwright.simulate.warm_up import parse

    with progress("count") as on_progress:
        return warm_up_accesses(trace, parse(text), on_progress=on_progress)


def preset_of(name: str | None) -> MetadataPreset | None:
    """Return what `--flash-metadata` names; None where it is left out.

    Raises
    ------
    BadInput
        If there is no such preset.
    """
    from tierwright.evaluate.metadata import preset

    return None if name is None else preset(name)


def accesses_per_s_option(help_: str) -> Any:
    """Return the option of a load, whose use the command tells."""
    return typer.Option("--accesses-per-s", metavar="N", help=f"{help_} [1/s]")


DeviceName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="Name for people.")
]
DeviceKind = Annotated[
    str,
    typer.Option("--kind", metavar="KIND", help="Kind, see docs/reference/devices.md."),
]
DeviceCapacity = Annotated[
    str | None,
    typer.Option("--capacity", metavar="SIZE", help="Usable capacity, such as 1.6TB."),
]
"""Of a device that a command makes: what a measurement does not tell."""

PriceBookName = Annotated[
    str | None,
    typer.Option(
        "--price-book",
        metavar="ID|FILE",
        help="Prices of RAM and devices that are bought by themselves, and rents that it states "
        "[default: the default book of the catalogue, which the answer names]; none: without a book, so RAM and "
        "devices by themselves are no candidates.",
    ),
]
FlashRatesOf = Annotated[
    str | None,
    typer.Option(
        "--flash-device",
        metavar="ID",
        help="Its rates for drives and local disks of flash of which no source states them.",
    ),
]
DiskRatesOf = Annotated[
    str | None,
    typer.Option(
        "--disk-device", metavar="ID", help="The same for hard disks and volumes."
    ),
]
"""Of what is bought or rented."""


def candidates_of(file: Path | None, price_book: str | None) -> Candidates:
    """Read what may be bought; without a file all that is priced, RAM and devices too where a book is named.

    Raises
    ------
    BadInput
        As `read_candidates`.
    """
    from tierwright.advise.advice.request import (
        NO_BOOK,
        WHOLE,
        Candidates,
        read_candidates,
    )

    if file is not None:
        return read_candidates(file)
    if price_book in (None, NO_BOOK):
        return Candidates()
    return Candidates(kinds=(*WHOLE, "devices"))


def rates_of(name: str | None) -> Device | None:
    """Find a device that need not be named; None where it is not."""
    return None if name is None else named_device(name)


def flash_caches_of(given: str | None, *, has_trace: bool) -> list[str]:
    """Return the flash caches of --flash-cache, as the core names them.

    Raises
    ------
    BadInput
        If one is unknown, or there is no trace to replay.
    """
    from tierwright.common.errors import BadInput
    from tierwright.simulate.contenders import flash_cache_titles, spelled

    if given is None:
        return []
    if not has_trace:
        raise BadInput(
            f"--flash-cache: `{given}` needs a trace to replay",
            "name the recording with --trace",
        )
    known = list(flash_cache_titles())
    names = [spelled(each.strip()) for each in given.split(",")]
    if names == ["all"]:
        return known
    for name in names:
        if name not in known:
            raise BadInput(
                f"--flash-cache: `{name}` is unknown",
                f"one of {', '.join(known)}, or all",
            )
    return list(dict.fromkeys(names))


def cache_options_of(
    caches: Sequence[str], given: list[str] | None, *, has_device: bool = False
) -> dict[str, dict[str, str]]:
    """Return the options of --option by flash cache, those of a device under it only where the answer shows one.

    Raises
    ------
    BadInput
        As `options_of_caches`.
    """
    if not given:
        return {}
    from tierwright.advise.checks.flash_caches import NO_DEVICE, options_of_caches

    return options_of_caches(
        caches, given, "--option", device=None if has_device else NO_DEVICE
    )
