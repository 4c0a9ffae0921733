"""Traces whose files are objects of a store, read where a worker runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from tierwright.common.errors import BadInput
from tierwright.trace.reading import Trace
from tierwright.trace.sources import store
from tierwright.trace.sources.copies import copied


@contextmanager
def on_this_machine(trace: Trace) -> Iterator[Trace]:
    """Copy those files of a trace that are objects of a store and not here, for the length of the block.

    Raises
    ------
    BadInput
        As `copied`; if an object has changed since its version was looked up.
    """
    with ExitStack() as stack:
        here: dict[Path, Path] = {}
        for path in trace.files:
            here[path] = path
            if path not in trace.objects or path.exists():
                continue
            address = trace.objects[path]
            copy = stack.enter_context(copied(address, _on))
            if trace.versions.get(path, copy.version) != copy.version:
                raise BadInput(
                    f"{address}: {store.COMMAND.changed}", store.COMMAND.after_change
                )
            here[path] = copy.path
        yield replace(
            trace,
            path=here[trace.path],
            others=tuple(here[path] for path in trace.others),
        )


def _on(_done: int, _total: int, _accesses: int, /) -> bool:
    return True
