"""JSON read member by member: an object of any size, as long as each value in it is small.

The scanner of the standard library decodes each value from a window of the text, so the whole document
is never held, neither as text nor as objects.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from tierwright.common.documents import RefusedValue
from tierwright.common.errors import BadInput
from tierwright.hardware.imports.ledger import shown
from tierwright.hardware.imports.source import Source

MOST_VALUE_CHARACTERS = 2**22
"""Longest value that is decoded in one piece."""
PIECE_BYTES = 2**18
_MOST_SKIPPED_DEPTH = 4
_SPACE = re.compile(r"[ \t\n\r]*")
_HINT = "give the file as it was published, whole"


class JsonStream:
    """A position in a document of JSON that only moves forward.

    Numbers are kept as their texts. Every method raises `BadInput` where the document is not JSON, ends
    early, is not UTF-8, states a key twice in one value, or has a value longer than
    `MOST_VALUE_CHARACTERS`.

    Parameters
    ----------
    source : Source
        At its beginning.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False
        self._scan = json.JSONDecoder(
            parse_float=str,
            parse_int=str,
            parse_constant=refuse_constant,
            object_pairs_hook=without_twins,
        ).raw_decode

    def peek(self) -> str:
        """Return the next character that is not space; empty at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def members(self) -> Iterator[str]:
        """Yield the keys of the object that begins here; the value behind each is read before the next.

        Whoever takes a key calls `value`, `members` to its end, or `skip`.
        """
        self._expect("{")
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value() if self.peek() == '"' else None
            if key is None:
                raise self._error("a key in double quotes is expected")
            self._expect(":")
            yield key
            if self.peek() == "}":
                self._at += 1
                return
            self._expect(",")

    def elements(self) -> Iterator[Any]:
        """Yield the values of the list that begins here."""
        self._expect("[")
        if self.peek() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if self.peek() == "]":
                self._at += 1
                return
            self._expect(",")

    def value(self) -> Any:
        """Return the value that begins here."""
        self.peek()
        while True:
            try:
                found, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                fault = error.msg
            except RecursionError as error:
                raise self._error("nested too deeply to be read") from error
            except ValueError as error:
                raise self._error(str(error)) from error
            else:
                # What ends with the window may go on behind it, as 12 of 120 does.
                if end < len(self._text) or not self._fill():
                    self._at = end if end < len(self._text) else len(self._text)
                    return found
                continue
            if len(self._text) - self._at > MOST_VALUE_CHARACTERS:
                raise self._error(
                    f"{fault}, or a value of more than {MOST_VALUE_CHARACTERS:,} characters"
                )
            if not self._fill():
                raise self._error(fault)

    def skip(self, depth: int = 0) -> None:
        """Read over the value that begins here; an object may be of any size."""
        if depth < _MOST_SKIPPED_DEPTH and self.peek() == "{":
            for _ in self.members():
                self.skip(depth + 1)
        else:
            self.value()

    def finish(self) -> None:
        """Check that nothing follows."""
        if self.peek():
            raise self._error("something follows the end of the document")

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise self._error(f"`{character}` is expected")
        self._at += 1

    def _fill(self) -> bool:
        """Read the next piece; say whether there was one."""
        if self._ended:
            return False
        raw = self._source.read(PIECE_BYTES)
        self._ended = not raw
        try:
            more = self._decode.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            raise BadInput(
                f"{self._source.place}: is not UTF-8 text: {error.reason}",
                "save the file as UTF-8",
            ) from error
        self._before += self._at
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more) or (not self._ended and self._fill())

    def _error(self, message: str) -> BadInput:
        return BadInput(
            f"{self._source.place}: character {self._before + self._at + 1:,}: not JSON that can be "
            f"read: {message}",
            _HINT,
        )


def refuse_constant(name: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have.

    Raises
    ------
    RefusedValue
        Always.
    """
    raise RefusedValue(f"`{name}` is not a number of JSON")


def without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these members.

    Raises
    ------
    RefusedValue
        If a key is stated twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise RefusedValue(f"the key `{shown(twin)}` is stated twice in one object")
    return found
