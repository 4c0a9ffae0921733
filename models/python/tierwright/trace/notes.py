"""What the reader of a trace noticed: handed on with every number that is computed from it.

The core tells it after each pass (key `trace` of its answers); a profile carries it to whoever
decides without the trace, freed of everything that the file held.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tierwright.common.errors import Problems

NO_WRITES_IN_FORMAT = "no_writes_in_format"
"""Name of the core's warning that a trace does not tell writes from reads."""
BAD_RECORDS_SKIPPED = "bad_records_skipped"

_MOST = 100
"""Warnings, and assumptions, in a profile."""
_LONGEST_TEXT = 1000
"""Of a warning or an assumption in a profile. [characters]"""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_QUOTED = re.compile(r"`[^`]*`")
_ADDRESS = re.compile(r"\d{13,}")
_NAMES_MEMBERS = "members_"
_OF_AN_ARCHIVE = "the archive's"


@dataclass(frozen=True, slots=True)
class Note:
    """A named warning of a reader.

    Attributes
    ----------
    name : str
        Stable, in snake case.
    message : str
        What was found, with counts.
    hint : str
        The next step.
    """

    name: str
    message: str
    hint: str

    def to_dict(self) -> dict[str, str]:
        """Return the warning as the core gives it."""
        return {"name": self.name, "message": self.message, "hint": self.hint}


@dataclass(frozen=True, slots=True)
class ReaderNotes:
    """What to know before trusting numbers of a trace.

    Attributes
    ----------
    source_format : str or None
        Format of the original file; None where nobody says.
    tells_writes : bool
        Whether the trace tells writes from reads. Otherwise all accesses count as reads, and
        write-backs of 0 mean that nobody knows.
    skipped_records : int
        Bad records that were passed over as asked.
    warnings : tuple of Note
        What was found to doubt or to keep in mind.
    assumptions : tuple of str
        What was taken for granted.
    """

    source_format: str | None = None
    tells_writes: bool = True
    skipped_records: int = 0
    warnings: tuple[Note, ...] = ()
    assumptions: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> ReaderNotes:
        """Put notes of the core, or the report of a conversion, into types."""
        warnings = tuple(Note(**one) for one in found.get("warnings", ()))
        return cls(
            source_format=found.get("source_format"),
            tells_writes=found.get("tells_writes", True)
            and not any(note.name == NO_WRITES_IN_FORMAT for note in warnings),
            skipped_records=found.get("skipped_records") or 0,
            warnings=warnings,
            assumptions=tuple(found.get("assumptions", ())),
        )

    def without_content(self) -> ReaderNotes:
        """Return the notes without anything that the file held: lines, names, addresses."""
        return replace(
            self,
            warnings=tuple(map(_without_content, self.warnings[:_MOST])),
            assumptions=tuple(
                _freed(text)
                for text in self.assumptions[:_MOST]
                if not text.startswith(_OF_AN_ARCHIVE)
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the key `trace` of a profile file."""
        return {
            "source_format": self.source_format,
            "tells_writes": self.tells_writes,
            "warnings": [note.to_dict() for note in self.warnings],
            "assumptions": list(self.assumptions),
        }


NOTHING_NOTED = ReaderNotes()


def notes_from_mapping(
    data: Any, skipped_records: int, problems: Problems
) -> ReaderNotes:
    """Read the key `trace` of a profile file; absent in those of older versions.

    Parameters
    ----------
    data : object
        What the key holds.
    skipped_records : int
        Key of the profile itself.
    problems : Problems
        Takes what is wrong.
    """
    if data is None:
        return replace(NOTHING_NOTED, skipped_records=skipped_records)
    if not isinstance(data, Mapping):
        problems.add("trace", type(data).__name__, "must be an object")
        return NOTHING_NOTED
    source, tells = data.get("source_format"), data.get("tells_writes", True)
    problems.check(
        source is None or (isinstance(source, str) and bool(_NAME.fullmatch(source))),
        "trace.source_format",
        source,
        "must be the name of a format, or null",
    )
    problems.check(
        isinstance(tells, bool), "trace.tells_writes", tells, "must be true or false"
    )
    warnings, assumptions = data.get("warnings", []), data.get("assumptions", [])
    good = (
        isinstance(warnings, list)
        and len(warnings) <= _MOST
        and all(map(_is_note, warnings))
    )
    problems.check(
        good,
        "trace.warnings",
        None,
        f"must be a list of at most {_MOST} objects {{name, message, hint}}",
    )
    problems.check(
        isinstance(assumptions, list)
        and len(assumptions) <= _MOST
        and all(map(_is_text, assumptions)),
        "trace.assumptions",
        None,
        f"must be a list of at most {_MOST} texts",
    )
    if problems.found:
        return NOTHING_NOTED
    return ReaderNotes.of(
        {
            "source_format": source,
            "tells_writes": tells,
            "skipped_records": skipped_records,
            "warnings": warnings,
            "assumptions": assumptions,
        }
    )


def _without_content(note: Note) -> Note:
    message = note.message
    if note.name == BAD_RECORDS_SKIPPED:  # it quotes the first one
        message = message.partition(";")[0]
    elif note.name.startswith(_NAMES_MEMBERS):
        message = message.partition(":")[0]
    return Note(note.name, _freed(message), _freed(note.hint))


def _freed(text: str) -> str:
    return _ADDRESS.sub("...", _QUOTED.sub("`...`", text))[:_LONGEST_TEXT]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT


def _is_note(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"name", "message", "hint"}
        and all(map(_is_text, value.values()))
        and bool(_NAME.fullmatch(value["name"]))
    )
