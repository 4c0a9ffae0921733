"""Tables of Parquet that are no traces: a typed door to the reader of the core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tierwright import _simulator
from tierwright.common.errors import BadInput


def table_rows(
    path: Path, columns: Sequence[str], place: str
) -> tuple[list[str], Iterator[tuple[str, ...]]]:
    """Read columns of a Parquet table, row by row in bounded memory.

    Parameters
    ----------
    path : Path
        Of the table.
    columns : sequence of str
        That are wanted, one value a row each.
    place : str
        Named in errors instead of the path.

    Returns
    -------
    names : list of str
        The wanted columns that the table has, in their order.
    rows : iterator of tuple of str
        Their texts: decimals with their point, times in UTC by ISO 8601, a null empty.

    Raises
    ------
    BadInput
        If it cannot be read, is not a Parquet table, or is damaged; while rows are taken too.
    """
    try:
        names, following = _simulator.table_rows(path, list(columns))
    except _simulator.TraceError as error:
        raise _bad(error, path, place) from error

    def rows() -> Iterator[tuple[str, ...]]:
        while True:
            try:
                batch = following()
            except _simulator.TraceError as error:
                raise _bad(error, path, place) from error
            if not batch:
                return
            yield from zip(*batch, strict=True)

    return names, rows()


def _bad(error: _simulator.TraceError, path: Path, place: str) -> BadInput:
    message, hint = error.args[:2]
    return BadInput(f"{place}: {message.removeprefix(f'`{path}`: ')}", hint)
