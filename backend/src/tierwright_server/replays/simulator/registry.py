"""The tables of the core under one roof: look up, check, replay.

Nothing is named here: an item that the core adds appears by itself.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tierwright.common.core_errors import SimulatorError
from tierwright.simulate import replay as simulate_replay
from tierwright.simulate.contenders import tier_of, works_by_the_clock
from tierwright.trace.reading import OnProgress, Trace
from tierwright_server.common.errors import BadInput, simulator_message
from tierwright_server.replays.simulator.schemas import (
    ContenderIn,
    Family,
    SimulatorCounter,
    SimulatorItem,
    SimulatorOption,
    SimulatorOut,
)

MOST_CONTENDERS = 40
MOST_REPLAYS = 1000
NEEDS = {
    "future": "Reads the trace to its end before the replay.",
    "writes": "Meaningful only on a trace with writes.",
}
_CHOICES = re.compile(r"[a-z][a-z0-9_]*(?:(?:, | or )[a-z][a-z0-9_]*)+")
_CONDITION = re.compile(r", (?:with|without) .*$")


@cache
def items(family: Family) -> dict[str, SimulatorItem]:
    """Return a table of the core by name, in its order."""
    return {
        row["name"]: _item(family, row)
        for row in simulate_replay.contenders(family.value)
    }


def listing() -> SimulatorOut:
    """List everything."""
    return SimulatorOut(
        policies=list(items(Family.POLICY).values()),
        buffers=list(items(Family.BUFFER).values()),
        schemes=list(items(Family.SCHEME).values()),
        flash_caches=list(items(Family.FLASH_CACHE).values()),
        choosers=list(items(Family.CHOOSER).values()),
        needs=NEEDS,
        most_contenders=MOST_CONTENDERS,
        most_replays=MOST_REPLAYS,
    )


def _item(family: Family, row: Mapping[str, Any]) -> SimulatorItem:
    return SimulatorItem(
        family=family,
        name=row["name"],
        title=row["title"],
        description=row["description"],
        paper=row.get("paper"),
        tiers=1 if family.value in simulate_replay.ONE_TIER else 2,
        least_pages=row.get("least_pages", 1),
        needs=row.get("needs", []),
        goes_by_time=family is Family.FLASH_CACHE
        and works_by_the_clock(row["name"], 1),
        options=[_option(option) for option in row["options"]],
        device_options=[_option(option) for option in row.get("device_options", ())],
        counters=[SimulatorCounter(**each) for each in row.get("counters", ())],
    )


def _option(row: Mapping[str, str]) -> SimulatorOption:
    tier = tier_of(row)
    return SimulatorOption(
        **{key: row[key] for key in ("name", "description", "default", "values")},
        choices=[entry["name"] for entry in simulate_replay.contenders("policy")]
        if tier is not None
        else choices_in(row["values"]),
        policy_of_tier=tier,
    )


def choices_in(values: str) -> list[str] | None:
    """Return the names that an option's `values` list, None where it names a range."""
    bare = _CONDITION.sub("", values).removeprefix("one of ")
    if not _CHOICES.fullmatch(bare):
        return None
    return re.split(r", | or ", bare)


def find(contender: ContenderIn, where: str, key: str = ".name") -> SimulatorItem:
    """Find what is asked for, however its name is written.

    Parameters
    ----------
    contender : ContenderIn
        Who.
    where : str
        Place of it in the request.
    key : str
        Place of the name in it.

    Raises
    ------
    BadInput
        There is none; the hint lists the known names.
    """
    known = items(contender.family)
    item = known.get(contender.name.lower().replace("-", "_"))
    if item is None:
        raise BadInput.at(
            f"{where}{key}",
            contender.name,
            f"is not a {contender.family.value.replace('_', ' ')}",
            hint=f"Choose one of {', '.join(known)}.",
        )
    return item


def check(trace: Path, configurations: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Let the core refuse impossible configurations, before anything is replayed.

    Parameters
    ----------
    trace : Path
        The canonical trace.
    configurations : iterable of (str, mapping)
        Place in the request, and what would be replayed.

    Raises
    ------
    BadInput
        One is impossible: options, sizes; the hint is the core's.
    """
    for where, configuration in configurations:
        try:
            simulate_replay.refuse_impossible(
                Trace(trace), **arguments_of(configuration)
            )
        except SimulatorError as error:
            message, hint = simulator_message(error)
            raise BadInput.at(
                where, configuration["options"] or None, message, hint=hint
            ) from error


def replay(
    trace: Path,
    configuration: Mapping[str, Any],
    *,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay one configuration: `family`, `name`, `options`, `ram_pages`, `flash_pages`, `warm_up`."""
    return simulate_replay.replay(
        Trace(trace), **arguments_of(configuration), on_progress=on_progress
    )


def arguments_of(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Write a configuration as `tierwright.simulate.replay.replay` takes it."""
    return {
        "family": Family(configuration["family"]).value,
        "name": configuration["name"],
        "ram_pages": configuration["ram_pages"],
        "flash_pages": configuration.get("flash_pages") or 0,
        "options": configuration["options"],
        # Configurations of earlier versions have none.
        "warm_up": configuration.get("warm_up", 0),
    }
