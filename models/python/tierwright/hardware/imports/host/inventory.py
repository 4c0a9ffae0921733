"""The inventory of hosts: from a file, a folder of files, or the programs of this host."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from tierwright.common.documents import text_of
from tierwright.common.errors import BadInput
from tierwright.common.wording import counted
from tierwright.hardware.imports.host import machine as machines
from tierwright.hardware.imports.host.outputs import HINT, Host, hosts_in
from tierwright.hardware.imports.host.programs import Lacking
from tierwright.hardware.imports.ledger import Imported, Ledger
from tierwright.hardware.imports.source import Source

FORMAT = "host"
MOST_BYTES = 2**24
"""Largest file. [bytes]"""
MOST_FILES = 10_000
"""Most files of a folder."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """What there is, and what an import shows of it.

    Attributes
    ----------
    imported : Imported
        Rows read, taken and left out; disagreements and what is not stated among its warnings.
    machines : list of dict
        Groups of machines of equal build, as `tierwright.hardware.imports.host.machine.groups_of` makes them.
    """

    imported: Imported
    machines: list[dict[str, Any]]

    @property
    def finding(self) -> str:
        """How many machines there are, of how many builds."""
        return machines.finding_of(self.machines)

    def with_lacking(self, lacking: Sequence[Lacking]) -> Inventory:
        """Return the same with a warning that names the programs that gave nothing."""
        if not lacking:
            return self
        said = "; ".join(f"{each.program}: {each.reason}" for each in lacking)
        warning = {
            "name": "programs_lacking",
            "message": f"Programs that gave nothing: {said}.",
            "hint": "install util-linux, dmidecode, nvme-cli and smartmontools, and run it as root",
        }
        imported = replace(self.imported, warnings=(*self.imported.warnings, warning))
        return replace(self, imported=imported)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**self.imported.to_dict(), "machines": self.machines}


def read_stream(stream: BinaryIO | Source, place: str, name: str = "host") -> Inventory:
    """Read one file of outputs of one machine, or our own documents of several.

    Parameters
    ----------
    stream : BinaryIO or Source
        At its beginning.
    place : str
        Named in rows and errors.
    name : str
        Of the machine where nothing states it.

    Raises
    ------
    BadInput
        If it is too large, holds no output of a known program, or two of one that prints one.
    """
    source = stream if isinstance(stream, Source) else Source(stream, place)
    found = list(hosts_in(source.text(MOST_BYTES), place, name))
    return inventory_of(found, source.content_id(), place)


def read_folder(folder: Path, place: str | None = None) -> Inventory:
    """Read a folder: its files are of one machine, those of each folder in it are of another one.

    Parameters
    ----------
    folder : Path
    place : str, optional
        Named in errors; the folder unless given.

    Raises
    ------
    BadInput
        As `read_stream`; or if it has too many files, or a folder within a folder.
    """
    found: list[Host] = []
    content = hashlib.sha256()
    place = place or str(folder)
    for name, files in _machines_in(folder, place):
        loose: list[Host] = []
        for path in files:
            with path.open("rb") as stream:
                raw = stream.read(MOST_BYTES + 1)
            text = text_of(raw, str(path.relative_to(folder)), MOST_BYTES)
            content.update(f"{path.relative_to(folder)}\0{len(raw)}\0".encode())
            content.update(raw)
            loose += hosts_in(text, str(path.relative_to(folder)), name)
        # What states a host of its own is that; all others are the one of the folder.
        found += [each for each in loose if each.name != name]
        own = [one for each in loose if each.name == name for one in each.outputs]
        if own:
            found.append(Host(name, tuple(own)))
    return inventory_of(found, content.hexdigest(), place)


def read_path(path: Path) -> Inventory:
    """Read a file or a folder.

    Raises
    ------
    BadInput
        As `read_stream` and `read_folder`.
    """
    if path.is_dir():
        return read_folder(path)
    with path.open("rb") as stream:
        return read_stream(stream, str(path), path.stem)


def read_text(text: str, place: str, name: str) -> Inventory:
    """Read outputs that are at hand as a text."""
    return read_stream(io.BytesIO(text.encode()), place, name)


def _machines_in(folder: Path, place: str) -> Iterator[tuple[str, list[Path]]]:
    entries = sorted(folder.iterdir())
    own = [each for each in entries if each.is_file()]
    inside = [each for each in entries if each.is_dir()]
    groups = [(folder.name or "host", own)] if own else []
    for each in inside:
        files = sorted(each.iterdir())
        for path in files:
            if not path.is_file():
                raise BadInput(
                    f"{path.relative_to(folder)}: is not a file",
                    "put the outputs of each machine into one folder, and these folders into one",
                )
        groups.append((each.name, files))
    count = sum(len(files) for _, files in groups)
    if count > MOST_FILES:
        raise BadInput(
            f"{place}: has {counted(count, 'file')}, more than {MOST_FILES:,}",
            "import it in parts",
        )
    yield from ((name, files) for name, files in groups if files)


def inventory_of(hosts: Iterable[Host], content_id: str, place: str) -> Inventory:
    """Put hosts together.

    Raises
    ------
    BadInput
        If there is none, or two are of one name.
    """
    ledger, doubts = Ledger(), machines.Doubts()
    found: list[machines.Machine] = []
    names: set[str] = set()
    for host in hosts:
        if host.name in names:
            raise BadInput(
                f"{place}: two machines are named `{host.name}`",
                "name their folders or their `host` differently",
            )
        names.add(host.name)
        found.append(machines.machine_of(host, ledger, doubts))
    if not ledger.read:
        raise BadInput(f"{place}: has no rows of any program", HINT)
    return inventory_from(found, ledger, doubts, content_id, FORMAT)


def inventory_from(
    found: Sequence[machines.Machine],
    ledger: Ledger,
    doubts: machines.Doubts,
    content_id: str,
    name: str,
) -> Inventory:
    """Put machines of any format together; drives without a model are unresolved."""
    for each in found:
        for drive in (*each.drives, *each.volumes):
            if not drive.model:
                ledger.leave_unresolved(
                    f"{each.name}: {drive.name}",
                    drive.name,
                    "nothing states the model of the drive",
                )
    doubts.warn(ledger)
    groups = machines.groups_of(found)
    return Inventory(ledger.imported(content_id, name), groups)
