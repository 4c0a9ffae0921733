"""JSON and TOML files from users: read, or refused with place and next step.

The parsers of the standard library raise other errors than their own for documents that are nested
too deeply or hold a number of thousands of digits; here all of them become `BadInput`.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tierwright.common.errors import BadInput

_MOST_BYTES = 2**20


def read_json(
    path: Path, hint: str, *, parse_float: Callable[[str], Any] = float
) -> Any:
    """Return what a JSON file holds.

    Parameters
    ----------
    path : Path
    hint : str
        The next step where it cannot be read.
    parse_float : callable
        What makes numbers with a point or an exponent of their text.

    Raises
    ------
    BadInput
        If the file is absent, is not UTF-8 text or no JSON; with line and column.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise BadInput(f"there is no file `{path}`", hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read as text: {error}", hint) from error
    return parse_json(text, str(path), hint, parse_float=parse_float)


class RefusedValue(ValueError):
    """What a callable of `parse_json` does not take, in words."""


def parse_json(
    text: str,
    place: str,
    hint: str,
    *,
    parse_float: Callable[[str], Any] = float,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    lines_before: int = 0,
) -> Any:
    """Return what a JSON text holds; `place` names it in errors, the callables are those of `json.loads`.

    Raises
    ------
    BadInput
        If it is no JSON, is nested too deeply, or holds a number that is too long.
    """
    try:
        return json.loads(
            text,
            parse_float=parse_float,
            parse_constant=parse_constant,
            object_pairs_hook=object_pairs_hook,
        )
    except json.JSONDecodeError as error:
        line = lines_before + error.lineno
        raise BadInput(
            f"{place}: line {line}, column {error.colno}: not JSON: {error.msg}", hint
        ) from error
    except RecursionError as error:
        raise BadInput(f"{place}: nested too deeply to be read", hint) from error
    except RefusedValue as error:
        raise BadInput(f"{place}: {error}", hint) from error
    except (ValueError, ArithmeticError) as error:
        raise BadInput(f"{place}: a number cannot be read: {error}", hint) from error


def read_toml(path: Path, place: str, hint: str) -> dict[str, Any]:
    """Return what a TOML file holds, numbers with a point as exact Decimals.

    Raises
    ------
    BadInput
        If it cannot be read, is no TOML, is nested too deeply, or holds a number that is too long.
    """
    from decimal import Decimal

    try:
        with path.open("rb") as stream:
            return tomllib.load(stream, parse_float=Decimal)
    except OSError as error:
        raise BadInput(f"{place}: cannot be read: {error}", hint) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{place}: not a valid TOML file: {error}", hint) from error
    except RecursionError as error:
        raise BadInput(f"{place}: nested too deeply to be read", hint) from error
    except (ValueError, ArithmeticError) as error:
        raise BadInput(f"{place}: a value cannot be read: {error}", hint) from error


def read_table(path: Path, hint: str) -> dict[str, Any]:
    """Return what a TOML or JSON file holds, by its content; see `table_of`.

    Raises
    ------
    BadInput
        If it cannot be read, or as `table_of`.
    """
    return table_of(read_bytes(path, _MOST_BYTES), str(path), hint)


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """Return what a file holds; of one that is too large a byte more than is allowed, which `text_of` refuses.

    Raises
    ------
    BadInput
        If it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(most_bytes + 1)
    except OSError as error:
        raise BadInput(
            f"{path}: cannot be read: {error.strerror}", "check the path of the file"
        ) from error


def text_of(raw: bytes, place: str, most_bytes: int) -> str:
    """Return the text of a document, without the mark of UTF-8 that some programs write first.

    Parameters
    ----------
    raw : bytes
    place : str
        Named in errors.
    most_bytes : int
        Largest that is read, a whole number of MiB. [bytes]

    Raises
    ------
    BadInput
        If it is larger, or no UTF-8 text.
    """
    if len(raw) > most_bytes:
        raise BadInput(
            f"{place}: is larger than {most_bytes // 2**20} MiB", "give a smaller file"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{place}: is not UTF-8 text: {error.reason}", "save the file as UTF-8"
        ) from error


def table_of(raw: bytes, place: str, hint: str) -> dict[str, Any]:
    """Return the table of a document: JSON where it begins with `{`, else TOML; numbers with a point as Decimals.

    Parameters
    ----------
    raw : bytes
        At most 1 MiB.
    place : str
        Named in errors.
    hint : str
        The next step where it cannot be read.

    Raises
    ------
    BadInput
        If it is too large, no UTF-8 text, neither of both, or no table.
    """
    from decimal import Decimal

    text = text_of(raw, place, _MOST_BYTES)
    if text.lstrip().startswith("{"):
        data = parse_json(text, place, hint, parse_float=Decimal)
    else:
        try:
            data = tomllib.loads(text.replace("\r\n", "\n"), parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            raise BadInput(f"{place}: not valid TOML or JSON: {error}", hint) from error
        except RecursionError as error:
            raise BadInput(f"{place}: nested too deeply to be read", hint) from error
        except (ValueError, ArithmeticError) as error:
            raise BadInput(f"{place}: a value cannot be read: {error}", hint) from error
    if not isinstance(data, dict):
        raise BadInput(f"{place}: must be a table of keys", hint)
    return data
