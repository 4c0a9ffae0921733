"""Who does the work of a command: `--dask` and `TIERWRIGHT_DASK`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.output import named_as_given, shown_as
from tierwright.common.errors import BadInput

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tierwright.simulate.executors import Workers
    from tierwright.trace.reading import Trace
    from tierwright.trace.sources.shelf import Shelf

DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="tcp://HOST:PORT|local:N",
        help="Spread the work over a Dask cluster, or over one of N processes that is started here "
        "[default: TIERWRIGHT_DASK, if set].",
    ),
]


def _say(line: str) -> None:
    typer.echo(line, err=True)


def _dask_of(given: str | None) -> str | None:
    from tierwright.simulate.executors import DASK_VARIABLE

    return given or os.environ.get(DASK_VARIABLE) or None


def workers_of(
    dask: str | None, workers: int | None = None
) -> AbstractContextManager[Workers]:
    """Return the workers that the options name; those of the command line count before those of the environment.

    Raises
    ------
    BadInput
        As `tierwright.simulate.executors.named`.
    """
    from tierwright.simulate.executors import named

    return named(dask if workers is not None else _dask_of(dask), workers, _say)


def workers_of_parts(
    dask: str | None, workers: int | None
) -> AbstractContextManager[Workers]:
    """Return the workers of parts.

    Raises
    ------
    BadInput
        If both options are given, or as `workers_of`.
    """
    if workers is not None and dask is not None:
        raise BadInput(
            "--workers and --dask cannot be combined: parts are read either here or in the cluster",
            "leave one of them out",
        )
    return workers_of(dask, workers)


def shared_place(text: str, option: str) -> Shelf:
    """Return the folder or prefix that an option names, under a name by which workers find it.

    Raises
    ------
    BadInput
        If it is neither, or in the memory of this process.
    """
    from tierwright.trace.sources.shelf import Folder, shelf_of

    shelf = shelf_of(text)
    if isinstance(shelf, Folder):
        return Folder(shelf.path.absolute())
    if shelf.address.scheme == "memory":
        raise BadInput(
            f"{option}: `{text}` is in the memory of this process, where no worker sees it",
            "name a folder, or a prefix of a store such as s3://bucket/counts",
        )
    return shelf


@contextmanager
def spread_over(dask: str | None, trace: Trace) -> Iterator[Trace]:
    """Spread the replays of the block over the Dask cluster that is named; without one they stay in this process.

    Yields
    ------
    Trace
        The trace as the workers find it.

    Raises
    ------
    BadInput
        As `tierwright.simulate.executors.dask`.
    """
    where = _dask_of(dask)
    if where is None:
        yield trace
        return
    from tierwright.simulate import executors

    with (
        with_full_names(trace) as everywhere,
        executors.dask(where, _say) as workers,
        executors.spreading(workers),
    ):
        yield everywhere


def check_has_replays(dask: str | None, trace: object | None) -> None:
    """Refuse a cluster where nothing is replayed.

    Raises
    ------
    BadInput
        If one is named on the command line, and no recording.
    """
    if dask is not None and trace is None:
        raise BadInput(
            "--dask: there is no recording to replay in a cluster",
            "add --trace with the trace of the profile, or leave --dask out",
        )


@contextmanager
def with_full_names(trace: Trace) -> Iterator[Trace]:
    """Name the files of a trace as workers in other folders find them; errors still name what was given."""
    full = {
        path: path if path in trace.objects else path.absolute() for path in trace.files
    }
    shown = {
        str(there): str(path)
        for path, there in full.items()
        if str(there) not in shown_as and there != path
    }
    shown_as.update(shown)
    try:
        with named_as_given():
            yield replace(
                trace,
                path=full[trace.path],
                others=tuple(full[path] for path in trace.others),
                versions={full[path]: text for path, text in trace.versions.items()},
                objects={full[path]: one for path, one in trace.objects.items()},
            )
    finally:
        for name in shown:
            del shown_as[name]
