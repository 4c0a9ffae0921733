"""What replays change, and why some were not made: sentences and cautions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierwright.advise.advice._asked import Asked
from tierwright.advise.advice._checked.limits import broken
from tierwright.advise.advice._checked.places import (
    asked_point,
    has_recording,
    refusal_of,
)
from tierwright.advise.advice._checked.refutation import how_far_beyond
from tierwright.advise.advice._checked.replays import FIRST_TOUCHES, Replayed
from tierwright.advise.advice._table import Table
from tierwright.advise.advice._words import with_flow
from tierwright.common.cautions import Caution
from tierwright.common.units import format_microseconds
from tierwright.common.wording import counted, percent
from tierwright.trace.notes import Note


def sentence(tried: Sequence[Replayed], best: int | None) -> str:
    """Say that the recommendation, or nothing at all, was checked by a replay, and why; empty where it was.

    Parameters
    ----------
    tried : sequence of Replayed
    best : int or None
        The recommendation; None also where a flash cache runs it, of which the replay is another.
    """
    own = next((each for each in tried if each.at == best), None)
    others = sum(not each.reason for each in tried)
    if others:
        if own is None or not own.reason:
            return ""
        were = "option was" if others == 1 else "options were"
        return f"{own.reason} Of what was close, {others} {were} replayed."
    if not tried:
        return ""
    # Of each option the reason has its own number of pages; the first is that of the choice.
    more = len({each.reason for each in tried}) > 1
    close = " What was close could not be replayed either." if more else ""
    return f"{tried[0].reason}{close}"


def about_refusal(table: Table, best: int | None) -> Iterator[Caution]:
    """Say that no replay of the recording stands for the recommendation, why, and of which one it would."""
    curve = table.setting.curve
    if best is None or not has_recording(curve):
        return
    refused = refusal_of(curve, table.scheme(best), asked_point(table, best))
    if refused is not None:
        yield refused


def as_counted(warning: Note) -> Caution:
    """Say of the recommended one what its replay says of what it counted, where that leaves the choice as it is."""
    effect = "the choice is that of the replay, which counts it so"
    if warning.name == FIRST_TOUCHES:
        effect = "every limit that a replay counts is kept with that, too"
    return Caution(
        warning.name,
        warning.message,
        warning.hint,
        could_change_choice=False,
        effect=f"no effect: {effect}",
    )


def about_replays(
    asked: Asked,
    table: Table,
    tried: Sequence[Replayed],
    by_model: int | None,
    best: int | None,
    choice: str = "",
    refutation: str = "",
) -> Iterator[Caution]:
    """Say at the top where the replay differs from the model by more than its error, or changes the choice, which is named.

    `refutation` says that no option keeps by its replay what some keep by the model.
    """
    for each in tried:
        if each.at == best:
            yield from (as_counted(warning) for warning in each.warnings)
    if refutation:
        yield Caution(
            "replay_breaks_load",
            refutation.removesuffix("."),
            "choose larger candidates, or relax the limit",
            could_change_choice=True,
            effect="no option that was replayed keeps every limit",
        )
    setting = asked.setting
    if setting.devices_more > 1:
        yield Caution(
            "replay_more_devices",
            f"by their replays, devices that hold the data are busier than by the model: {setting.devices_more:.3g} times as many hold "
            "them as the model asks for",
            "rely on the replay, and record for longer",
            could_change_choice=True,
            effect=f"the choice is {choice}"
            if best is not None
            else "nothing keeps every limit",
        )
    if by_model != best and by_model is not None and best is not None:
        own = next((each for each in tried if each.at == by_model), None)
        names = () if own is None else broken(asked, own)
        why = (
            "" if own is None or not names else how_far_beyond(asked, table, own, names)
        )
        if asked.objective == "io_time" and own is not None and own.reason:
            why = "it could not be replayed itself, and is not known to be faster than what was"
        yield Caution(
            "replay_changes_choice",
            f"by the model the choice was {flowing(table, by_model)}; the replay decides otherwise"
            f"{why and f': {why}'}",
            "rely on the replay: the ranking that is shown is that of the replay",
            could_change_choice=True,
            effect=f"the choice is {choice}",
        )
    beyond = [each for each in tried if each.is_beyond_band]
    if beyond:
        # That of the recommendation where it is among them: the others stand in `checked[]`.
        shown = next((each for each in beyond if each.at == best), beyond[0])
        more = len(beyond) - 1
        others = (
            f"; {counted(more, 'other replay')} {'differs' if more == 1 else 'differ'} by more, too"
            if more
            else ""
        )
        yield Caution(
            "replay_beyond_band",
            f"for {table.title(shown.at)}, {_apart(shown)} by the model, which differ by more than the known error of the "
            f"model, {percent(shown.band)}{others}",
            "rely on the replay, and record for longer",
            could_change_choice=True,
            effect="the ranking that is shown is that of the replay; what was not replayed is ranked by the model",
        )


def flowing(table: Table, at: int) -> str:
    """Name an option with its page flow: replays tell those of the same hardware apart."""
    return with_flow(table.title(at), table.scheme(at))


def named_by_model(table: Table, tried: Sequence[Replayed], at: int) -> str:
    """Name the choice of the model where replays leave another, and say where it was not replayed."""
    unknown = any(each.at == at and each.reason for each in tried)
    named = flowing(table, at)
    return f"{named}, which could not be replayed" if unknown else named


def _apart(each: Replayed) -> str:
    """Say what an access takes by the replay, beside what it takes by the model."""
    by_replay = format_microseconds(each.simulated_us)
    by_model = format_microseconds(each.model_us)
    return f"an access takes {by_replay} of I/O time by its replay and {by_model}"
