"""Traces written as tokens, `R<id>` for a read and `W<id>` for a write, as test vectors do."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tierwright.common.errors import BadInput
from tierwright.trace.reading import Trace


def parse_tokens(text: str) -> list[tuple[str, bool]]:
    """Split a text of tokens into pages and whether each is written.

    Raises
    ------
    BadInput
        If a token is neither R<id> nor W<id>.

    Examples
    --------
    >>> parse_tokens("R1 Wb")
    [('1', False), ('b', True)]
    """
    accesses = []
    for place, token in enumerate(text.split(), start=1):
        op, page = token[:1], token[1:]
        if op not in ("R", "W") or not page:
            raise BadInput(
                f"trace token {place}: `{token}` is neither R<id> nor W<id>",
                "separate tokens by spaces",
            )
        accesses.append((page, op == "W"))
    return accesses


@contextmanager
def token_trace(text: str) -> Iterator[Trace]:
    """Write tokens to a file that the core reads: a PostgreSQL CSV, a block an id."""
    accesses = parse_tokens(text)
    blocks: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="tierwright-") as folder:
        path = Path(folder) / "trace.csv"
        with path.open("w", newline="", encoding="ascii") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerow(("time_us", "op", "rel", "block"))
            rows.writerows(
                (
                    time_us,
                    "W" if write else "R",
                    "1/1",
                    blocks.setdefault(page, len(blocks)),
                )
                for time_us, (page, write) in enumerate(accesses)
            )
        yield Trace(path, format="postgres_csv")
