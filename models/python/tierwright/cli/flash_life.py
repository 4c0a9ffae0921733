"""How long flash lasts under replays of one trace, and the rate that it wears at, as commands state them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tierwright.cli.named import named_device
from tierwright.cli.options import accesses_per_s_option
from tierwright.common.errors import BadInput
from tierwright.common.wording import sentences

if TYPE_CHECKING:
    from tierwright.cli.in_production import Recorded
    from tierwright.profile.curve import Curve
    from tierwright.profile.production import Scaled
    from tierwright.simulate.stated_rate import RecordedRate

RATE = "--accesses-per-s"
RateOfReplay = accesses_per_s_option(
    "Rate that flash wears at, and at which flash caches that work by the clock are replayed "
    "[default: as recorded]."
)


def check_rate_of_replay(
    accesses_per_s: float | None, production: Recorded | Scaled | None
) -> None:
    """Refuse a stated rate that is none, or stands beside that of a machine of production.

    Raises
    ------
    BadInput
        If it is either.
    """
    from tierwright.simulate.contenders import check_rate

    check_rate(accesses_per_s, RATE)
    if accesses_per_s is not None and production is not None:
        raise BadInput(
            f"{RATE} cannot be combined with production, which states the rate of a machine",
            f"leave {RATE} out, or state another production",
        )


def check_rate_of_check(
    accesses_per_s: float | None, curve: Curve, *, has_caches: bool
) -> None:
    """Refuse a stated rate of a check that is none, has no effect, or stands beside that of a machine of production.

    Raises
    ------
    BadInput
        If it is any of these.
    """
    check_rate_of_replay(accesses_per_s, curve.scaled)
    if accesses_per_s is not None and not has_caches:
        raise BadInput(
            f"{RATE} has no effect without --flash-cache",
            f"name the flash caches to replay, or leave {RATE} out",
        )


def options_at_rate(
    family: str,
    name: str,
    flash_pages: int,
    options: Mapping[str, str],
    accesses_per_s: float | None,
    recorded: RecordedRate,
) -> dict[str, str]:
    """Return the options of a replay at a stated rate.

    Raises
    ------
    BadInput
        If the options state a rate of their own, or it does not go at this one.
    """
    from tierwright.simulate.contenders import at_a_stated_rate, works_by_the_clock
    from tierwright.simulate.replay import Replay

    given = dict(options)
    if accesses_per_s is None or family != "flash_cache" or not flash_pages:
        return given
    # Others are replayed alike at any rate, which is not worth another read of the trace.
    recorded_per_s = (
        recorded() if works_by_the_clock(name, flash_pages, given) else None
    )
    return at_a_stated_rate(
        Replay("flash_cache", name, 0, flash_pages, 0, given),
        accesses_per_s,
        recorded_per_s,
    )


def lives_of(
    replays: Sequence[tuple[Mapping[str, Any], int]],
    recorded: RecordedRate,
    flash_device: str | None,
    accesses_per_s: float | None = None,
    *,
    is_sampled: bool = False,
) -> list[dict[str, Any] | None]:
    """Return what each replay writes to flash, and how long a device lasts; None without flash.

    Parameters
    ----------
    replays : sequence of (mapping, int)
        Results of `replay`, each with the flash that was asked for. [pages]
    recorded : RecordedRate
        Of the trace that was replayed.
    flash_device : str or None
        Id or file of a device; without one nothing says how long it lasts.
    accesses_per_s : float, optional
        Stated beside the replays. [1/s]
    is_sampled : bool
        Whether they are miniatures.
    """
    from tierwright.advise.checks.flash_life import life_of, rate_of

    device = None
    if flash_device is not None:
        device = named_device(flash_device)
    made = [found.get("production") for found, _ in replays]
    # Without a device there is no life; its times are then not worth another read of the trace.
    needs_times = device is not None and not any(made) and accesses_per_s is None
    lives = (
        life_of(
            found,
            device=device,
            rate=rate_of(
                found,
                recorded_per_s=recorded() if needs_times else None,
                production_per_s=None if one is None else one["accesses_per_s"],
                stated_per_s=accesses_per_s,
            ),
            flash_pages=flash_pages,
            is_sampled=is_sampled,
        )
        for (found, flash_pages), one in zip(replays, made, strict=True)
    )
    return [None if life is None else asdict(life) for life in lives]


def paces_of(
    replays: Iterable[tuple[str, Mapping[str, str]]], accesses_per_s: float | None
) -> str:
    """Say which flash caches were replayed with recorded times multiplied for a stated rate; empty for none.

    Parameters
    ----------
    replays : iterable of (str, mapping)
        Name and options of each.
    accesses_per_s : float or None
        As stated; without one an option that multiplies them was given, and is not news. [1/s]
    """
    if accesses_per_s is None:
        return ""
    from tierwright.simulate.contenders import flash_cache_titles, pace_sentences

    titles = flash_cache_titles()
    said = pace_sentences(
        ((titles.get(name, name), options) for name, options in replays), accesses_per_s
    )
    return sentences(*said.values())


def how_to_state_it(said: str | None) -> str:
    """Say with which option a life gets a rate, where what is said of it lacks one; else empty."""
    from tierwright.advise.checks.flash_life import NO_RATE

    return f"State the rate with {RATE}." if NO_RATE in (said or "") else ""
