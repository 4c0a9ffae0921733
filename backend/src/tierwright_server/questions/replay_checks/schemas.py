"""Shapes of checks by replay."""

from pydantic import Field

from tierwright.advise.checks import checked, directories, scheme_map
from tierwright_server.common.mirrors import mirrors
from tierwright_server.common.schemas import Answer


@mirrors(
    checked.CheckedFigure,
    of="Scheme or device of the figure.",
    model="Null where it is unbounded or unknown.",
    gap_relative="(model - simulated) / simulated; null where either is null, or where the simulated figure is 0.",
)
class CheckedFigure(Answer):
    """One figure of an answer: by the model, and by a replay of the trace."""


class CheckedAnswer(Answer):
    """An answer and a replay of the trace at the same sizes."""

    sentence: str
    finding: str | None = Field(
        default=None,
        description="The finding of the replay, where the model is not precise enough.",
    )
    rows: list[CheckedFigure]
    basis: str = Field(description="What was replayed, and what was not.")


@mirrors(
    scheme_map.PointReplayed,
    x="Where on the axis across, at whole pages.",
    y="Where on the axis upwards, at whole pages.",
    ram_pages="RAM. [pages]",
    flash_pages="Flash. [pages]",
    ram_pages_with_flash="RAM that the flash metadata leave to schemes with flash. [pages]",
    modelled="Scheme of least I/O time by the model; null where no scheme fits.",
    modelled_us="Its I/O time by replay. [µs per access]",
    too_close="Whether another scheme is within the known error of the model.",
    flow="Fastest page-flow scheme by replay.",
    flow_us="Its I/O time by replay. [µs per access]",
    cache="Fastest flash cache by replay; null where no cache has a time.",
    cache_us="Its I/O time by replay. [µs per access]",
    best="Fastest of all by replay.",
    agrees="Whether model and replay name the same page-flow scheme.",
    behind="By how much longer the model's choice takes than the fastest page-flow scheme by replay, as a share.",
    cache_saves="Share of the time of the fastest page-flow scheme that the fastest flash cache saves; negative where "
    "it is slower.",
    without_time="Schemes and flash caches that have no time at the point, with the reason.",
    reason="Why the point was not replayed; empty where it was.",
)
class PointReplayedOut(Answer):
    """One point of a map, by the model and by replay."""


class CheckedMap(CheckedAnswer):
    """Points of a scheme map by replay; in `rows`, `of` is the index of the point and a scheme or flash cache."""

    points: list[PointReplayedOut]
    titles: dict[str, str] = Field(
        description="Of the schemes and flash caches replayed."
    )
    compared: int = Field(
        description="Points with a choice both of the model and of the replay."
    )
    agreeing: int = Field(
        description="Of these, points at which both name the same page-flow scheme."
    )
    beside: int = Field(description="Points with a time of a flash cache.")
    cache_faster: int = Field(
        description="Of these, points at which one is faster than every page-flow scheme."
    )


@mirrors(
    directories.PlaceReplayed,
    of="As in `rows`: `none`, the index of the option and its scheme, or the flash cache.",
    kind="`without_flash`, `directory` or `flash_cache`.",
    ram_tax_bytes="RAM that the directory or the metadata take; null where no figure is published. [bytes]",
    ram_pages="RAM that they leave. [pages]",
    flash_pages="Flash. [pages]",
    ram_hits="Share of all accesses; null where it was not replayed. [1]",
    flash_hits="Share of all accesses; null where it was not replayed. [1]",
    time_us="I/O and upkeep by replay; null where it has none. [µs per access]",
    behind="By how much longer it takes than the fastest of all, as a share; null without a time.",
    reason="Why it has no time; empty where it has one.",
)
class PlaceReplayedOut(Answer):
    """One place of a directory under one scheme, or one flash cache, by replay."""


class CheckedDirectories(CheckedAnswer):
    """Directories by replay, and flash caches beside them."""

    places: list[PlaceReplayedOut] = Field(
        description="The fastest first; those without a time last; empty where nothing was replayed."
    )


class CheckedWhatToCache(CheckedAnswer):
    """What to cache by replay, and what its replays recommend."""

    recommended: str | None = Field(
        description="What costs least by replay: `by_category`, the choice of the model, or one admission for all; null "
        "where nothing was replayed."
    )
    assignment: str | None = Field(
        description="The same as option `assignment` of a flash cache takes it."
    )
    lifetime_requests: float | None = Field(
        description="How long a page stays on flash under it, by the model. [requests]"
    )
    flash_pages: float | None = Field(
        description="Flash that is paid for under it. [pages]"
    )
    margin: float | None = Field(
        description="Share by which the single admission for all that is recommended, or else the cheapest, costs less "
        "than the choice by replay; below 0 where it costs more. [1]"
    )
    least_margin: float | None = Field(
        description="The same without the quarter of the recording that speaks most for it; null where it costs more "
        "anyway. [1]"
    )
    is_tie: bool | None = Field(
        description="Whether it costs less on account of that quarter alone, so that the choice is recommended; null where "
        "nothing was replayed."
    )
