"""How FILE is read: the options that every command has that reads a trace, and where it lies."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from tierwright.cli.output import named_as_given, pairs, progress, shown_as
from tierwright.common.errors import BadInput
from tierwright.common.units import parse_bytes
from tierwright.common.wording import counted
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.profile.curve import Curve
    from tierwright.trace.sources.address import Address

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Raw trace of any format, or a canonical one; an object of a store as "
        "s3://BUCKET/KEY, gs://BUCKET/KEY or az://CONTAINER/KEY; several are one trace, read in "
        "this order.",
    ),
]


@dataclass(frozen=True)
class ReadingOption:
    """One option of reading.

    Attributes
    ----------
    annotation : type
        What typer is to see.
    default : Any
        Where it is left out.
    read : callable
        Makes of what was given what the document of a trace takes.
    """

    annotation: Any
    default: Any = None
    read: Callable[[Any], Any] = lambda given: given

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        # In an annotation typer keeps the first name where a default would stand.
        return str(get_args(self.annotation)[1].default)


def _page_bytes(given: int | None) -> int | None:
    if given is not None and given < 1:
        raise BadInput(
            f"--page-bytes: `{given}` is not a positive number of bytes",
            "use for example 4096 or 8192",
        )
    return given


def _device_bytes(size: str | None) -> int | None:
    """Read the size of a device.

    Raises
    ------
    BadInput
        If it is not a size, or none of a device.
    """
    if size is None:
        return None
    found = parse_bytes(size)
    if not _SECTOR_BYTES <= found <= _LARGEST_DEVICE_BYTES:
        raise BadInput(
            f"--device-size: `{size}` is not between one sector (512 bytes) and 1 EiB",
            "give the size of the recorded device, such as 1TiB",
        )
    return found


_SECTOR_BYTES = 512
_LARGEST_DEVICE_BYTES = 2**60


OPTIONS: dict[str, ReadingOption] = {
    "format": ReadingOption(
        Annotated[
            str | None,
            typer.Option(
                "--format",
                help="Name of the format, see `tierwright formats` [default: detect].",
            ),
        ],
    ),
    "page_bytes": ReadingOption(
        Annotated[
            int | None,
            typer.Option(
                "--page-bytes",
                metavar="N",
                max=2**31,
                help="Page size for formats addressed in bytes or sectors [default: 4096].",
            ),
        ],
        read=_page_bytes,
    ),
    "joined_page_bytes": ReadingOption(
        Annotated[
            int | None,
            typer.Option(
                "--joined-page-bytes",
                metavar="N",
                min=1,
                max=2**31,
                help="Join neighbouring pages of the same device or relation into pages of N bytes, as a "
                "system with larger pages has them [default: pages as recorded].",
            ),
        ],
    ),
    "columns": ReadingOption(
        Annotated[
            list[str] | None,
            typer.Option(
                "--column",
                metavar="FIELD=NAME",
                help="Column of a generic CSV, such as time=ts; may be repeated.",
            ),
        ],
        read=lambda given: pairs(given or [], "--column"),
    ),
    "skip_bad_records": ReadingOption(
        Annotated[
            int,
            typer.Option(
                "--skip-bad-lines",
                metavar="N",
                min=0,
                max=2**31,
                help="Skip and count up to N bad lines or records; one more is an "
                "error.",
            ),
        ],
        0,
    ),
    "max_content_bytes": ReadingOption(
        Annotated[
            int | None,
            typer.Option(
                "--max-content-bytes",
                metavar="N",
                min=1,
                max=2**62,
                help="Most decompressed bytes of FILE [default: 16 TiB].",
            ),
        ],
    ),
    "max_expansion": ReadingOption(
        Annotated[
            int | None,
            typer.Option(
                "--max-expansion",
                metavar="N",
                min=1,
                max=2**31,
                help="Most decompressed bytes for a byte of FILE [default: 5000].",
            ),
        ],
    ),
    "members_apart": ReadingOption(
        Annotated[
            bool,
            typer.Option(
                "--members-apart",
                help="Each file of an archive or folder has separate devices; by "
                "default, devices with the same name, or with none, are one "
                "device.",
            ),
        ],
        default=False,
    ),
    "members_merged": ReadingOption(
        Annotated[
            bool,
            typer.Option(
                "--members-merged",
                help="Merge the files of an archive, a folder or a list by time; otherwise they are read one after another.",
            ),
        ],
        default=False,
    ),
    "device_bytes": ReadingOption(
        Annotated[
            str | None,
            typer.Option(
                "--device-size",
                metavar="SIZE",
                help="Size of each recorded device, such as 1TiB: a warning is given "
                "if addresses exceed it or stay far below it.",
            ),
        ],
        read=_device_bytes,
    ),
}
"""How FILE is read, the same for every command that reads one, by the names of `Trace.of`."""


def reads_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument FILE... and the options of reading it, in place of `trace`.

    A command with an option `out` may name it as the second of two files instead.

    Parameters
    ----------
    command : callable
        Takes a `Trace` as its first parameter, named `trace`; the others are options.

    Returns
    -------
    callable
        What typer is to see: FILE..., the options of the command, those of reading, `--json` last.
    """
    hints = get_type_hints(command, include_extras=True)
    own = list(inspect.signature(command).parameters.values())
    if own[0].name != "trace":
        raise TypeError(f"{command.__name__} does not take a trace first")
    keyword = inspect.Parameter.KEYWORD_ONLY
    reading = [
        inspect.Parameter(
            name, keyword, default=each.default, annotation=each.annotation
        )
        for name, each in OPTIONS.items()
    ]
    options = [one.replace(annotation=hints[one.name]) for one in own[1:]]
    last = [one for one in options if one.name == "json"]
    file = inspect.Parameter("files", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    shown = [
        file.replace(annotation=Files),
        *(one for one in options if one not in last and one.kind is not keyword),
        *(one for one in options if one not in last and one.kind is keyword),
        *reading,
        *last,
    ]

    def read(**given: Any) -> None:
        files: list[str] = given.pop("files")
        if "out" in given:
            given["out"], files = _out_of(given["out"], files)
        reading = {key: given.pop(key) for key in OPTIONS}
        # Parts are copied by those who count them.
        copy = given.get("parts_in") is None
        with opened(files, reading, copy=copy) as trace:
            command(trace, **given)

    read.__name__, read.__doc__ = command.__name__, command.__doc__
    read.__module__ = command.__module__
    read.__annotations__ = {one.name: one.annotation for one in shown}
    vars(read)["__signature__"] = inspect.Signature(shown)
    return read


def may_read_trace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the option --trace FILE and those of reading it, in place of `trace`.

    An option of reading that the command has itself stays the command's: the trace is read without it.

    Parameters
    ----------
    command : callable
        Takes a keyword `trace`: called with the files and the options of reading, as `opened`
        takes them, or None where no trace was named.

    Returns
    -------
    callable
        What typer is to see: `--trace` and the options of reading behind the command's own.
    """
    hints = get_type_hints(command, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        one.replace(annotation=hints[one.name])
        for name, one in inspect.signature(command).parameters.items()
        if name != "trace"
    ]
    names = {one.name for one in own}
    options = {name: each for name, each in OPTIONS.items() if name not in names}
    last = [one for one in own if one.name == "json"]
    shown = [
        *(one for one in own if one not in last),
        inspect.Parameter(_TRACE, keyword, default=None, annotation=TraceFiles),
        *(
            inspect.Parameter(
                name, keyword, default=each.default, annotation=each.annotation
            )
            for name, each in options.items()
        ),
        *last,
    ]

    def read(**given: Any) -> None:
        files: list[str] | None = given.pop(_TRACE)
        reading = {name: each.default for name, each in OPTIONS.items()}
        reading |= {name: given.pop(name) for name in options}
        if not files:
            stray = [
                each.flag
                for name, each in OPTIONS.items()
                if reading[name] != each.default
            ]
            if stray:
                raise BadInput(
                    f"{stray[0]} says how to read a trace, but no trace is named",
                    "add --trace FILE, or leave the option out",
                )
        command(trace=(files, reading) if files else None, **given)

    read.__name__, read.__doc__ = command.__name__, command.__doc__
    read.__module__ = command.__module__
    read.__annotations__ = {one.name: one.annotation for one in shown}
    vars(read)["__signature__"] = inspect.Signature(shown)
    return read


_TRACE = "trace"
NamedTrace = tuple[list[str], dict[str, Any]]
"""Files of a trace, and the options that say how to read it."""
TraceFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="The trace that was profiled, raw or canonical: replayed where the model cannot "
        "tell which scheme is best, or profiled again with larger pages. May be repeated, as FILE of "
        "`tierwright profile` may.",
    ),
]


def as_profiled(trace: NamedTrace, curve: Curve) -> NamedTrace:
    """Have a trace read with the pages of its profile, unless the options state others.

    Parameters
    ----------
    trace : NamedTrace
        Its files and options.
    curve : Curve
        Of the profile; of one that was scaled to larger pages the recorded ones are joined.
    """
    files, reading = trace
    page_bytes, joined = _pages_as_profiled(
        reading["page_bytes"], reading["joined_page_bytes"], curve
    )
    return files, {**reading, "page_bytes": page_bytes, "joined_page_bytes": joined}


def trace_as_profiled(trace: Trace, curve: Curve) -> Trace:
    """Do the same with a trace that was opened already.

    Parameters
    ----------
    trace : Trace
        The recording.
    curve : Curve
        Of its profile, or of one that was scaled from it.
    """
    page_bytes, joined = _pages_as_profiled(
        trace.page_bytes, trace.joined_page_bytes, curve
    )
    return replace(trace, page_bytes=page_bytes, joined_page_bytes=joined)


def _pages_as_profiled(
    page_bytes: int | None, joined_page_bytes: int | None, curve: Curve
) -> tuple[int, int | None]:
    scaled = curve.scaled
    recorded = None if scaled is None else scaled.recorded_page_bytes
    if joined_page_bytes is None and recorded is not None:
        joined_page_bytes = curve.page_bytes
    return page_bytes or recorded or curve.page_bytes, joined_page_bytes


@contextmanager
def opened(
    files: Sequence[str], reading: Mapping[str, Any], *, copy: bool = True
) -> Iterator[Trace]:
    """Put a trace together from its files and the options of reading it.

    Objects of a store are copied first, unless workers are to do that; errors name what was given.
    """
    with ExitStack() as stack:
        there = [stack.enter_context(_opened(file, copy=copy)) for file in files]
        stack.enter_context(named_as_given())
        first, *others = (each.path for each in there)
        said = {name: each.read(reading[name]) for name, each in OPTIONS.items()}
        trace = Trace.of({"path": first, **said})
        yield replace(
            trace,
            others=tuple(others),
            versions={each.path: each.version for each in there if each.version},
            objects={each.path: each.address for each in there if each.address},
        )


@dataclass(frozen=True)
class _File:
    """A file, and of an object where it is and which content of it."""

    path: Path
    address: Address | None = None
    version: str | None = None


@contextmanager
def _opened(file: str, *, copy: bool) -> Iterator[_File]:
    """Copy an object of a store to a file, or leave that to workers; a file stays where it is."""
    if "://" not in file:
        yield _File(Path(file))
        return
    from tierwright.trace.sources.copies import address_of, copied
    from tierwright.trace.sources.shelf import path_of

    if file.startswith("file://"):
        yield _File(path_of(file))
        return
    address = address_of(file)
    if address is None:
        yield _File(Path(file))
        return
    with ExitStack() as stack:
        found = _File(Path(file), address)
        if copy:
            with progress("fetch") as on_progress:
                made = stack.enter_context(copied(address, on_progress))
            found = _File(made.path, address, made.version)
        shown_as[str(found.path)] = file
        try:
            yield found
        finally:
            del shown_as[str(found.path)]


def _out_of(out: str | None, files: list[str]) -> tuple[str, list[str]]:
    """Tell the output from the traces: named by `--out`, or the second of two files.

    Raises
    ------
    BadInput
        If nothing says which one it is.
    """
    if out is not None:
        return out, files
    if len(files) == _FILE_AND_OUT:
        return files[1], files[:1]
    if len(files) < _FILE_AND_OUT:
        raise BadInput(
            "the name of the canonical trace to write is missing",
            f"add a name: {files[0]} OUT.twt",
        )
    raise BadInput(
        f"{counted(len(files), 'file is', 'files are')} named, but not which of them is to be written",
        "name it: --out OUT.twt",
    )


_FILE_AND_OUT = 2
