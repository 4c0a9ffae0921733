"""What the replay of a recommended flash cache says of what it counted: above the answer, in text, report and JSON."""

from __future__ import annotations

import json
import random
from decimal import Decimal

import pytest
from test_advice_categories import ask

from tierwright.advise.advice.found import Advice
from tierwright.advise.report import html
from tierwright.cli import advise as command
from tierwright.trace.reading import Trace

RAM_PAGES, FLASH_PAGES = 450, 500


@pytest.fixture(scope="module")
def reads(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """A recording without writes, for a flash that is hardly larger than RAM: page flow gains little by it."""
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("notes") / "reads.csv"
    rows = (
        f"{at * 20_000},R,1/1,{int(4000 ** draw.random())}\n" for at in range(24_000)
    )
    path.write_text("time_us,op,rel,block\n" + "".join(rows))
    return Trace(path)


def advised(trace: Trace, *caches: str) -> Advice:
    return ask(trace, caches, RAM_PAGES, FLASH_PAGES)[1]


def test_what_its_replay_does_not_show_is_said_of_the_choice(reads: Trace) -> None:
    found = advised(reads, "lazy_cleaning", "larc")
    best, other = found.flash_caches
    assert (best.name, best.is_chosen, other.name) == ("lazy_cleaning", True, "larc")
    [note] = best.warnings
    assert note.name == "no_writes"
    assert other.warnings == ()
    [caution] = [each for each in found.cautions if each.code == "no_writes"]
    assert (caution.message, caution.hint) == (note.message, note.hint)
    # It could change the choice, for all that the recording shows: it is not folded.
    assert caution.could_change_choice is None
    assert other.io_time_us_per_access is not None
    assert best.io_time_us_per_access is not None
    more = Decimal(other.io_time_us_per_access / best.io_time_us_per_access - 1) * 100
    assert caution.effect == (
        "not computable from this recording; LARC, of whose replay there is nothing of the kind to say, takes "
        f"{more:.1f} % more I/O time"
    )
    assert found.checked[0].warnings == best.warnings
    document = json.loads(json.dumps(found.to_dict(), default=str))
    assert document["flash_caches"][0]["warnings"] == [
        {"name": note.name, "message": note.message, "hint": note.hint}
    ]
    assert html(document).count(note.message) > 1
    # Alone, there is nothing to take instead.
    [caution] = [
        each
        for each in advised(reads, "lazy_cleaning").cautions
        if each.code == "no_writes"
    ]
    assert caution.effect == "not computable from this recording"


def test_of_a_choice_without_notes_nothing_is_said(
    reads: Trace, capsys: pytest.CaptureFixture[str]
) -> None:
    found = advised(reads, "tac", "lazy_cleaning")
    best = found.flash_caches[0]
    assert (best.name, best.is_chosen, best.warnings) == ("tac", True, ())
    assert "no_writes" not in {each.code for each in found.cautions}
    # That of what is not recommended is folded until it is asked for.
    command._print_notes_of_replays(found, every=False)
    assert capsys.readouterr().out == (
        "1 note on what single replays counted (--assumptions lists them)\n"
    )
    command._print_notes_of_replays(found, every=True)
    row = found.flash_caches[1]
    [note] = row.warnings
    assert capsys.readouterr().out == (
        f"{row.title} on {row.hardware}: {note.message}; {note.hint}.\n"
    )
    command._print_notes_of_replays(advised(reads, "tac"), every=False)
    assert capsys.readouterr().out == ""


def test_defaults_that_shrank_with_flash_change_nothing(reads: Trace) -> None:
    found = advised(reads, "face")
    [best] = found.flash_caches
    assert best.is_chosen
    [caution] = [each for each in found.cautions if each.code == "defaults_shrunk"]
    assert caution.could_change_choice is False
    assert "at most 1/16 of flash" in caution.message
