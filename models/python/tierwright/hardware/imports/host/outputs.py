"""Outputs of programs, one or several in a file: found by their content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tierwright.common.documents import parse_json
from tierwright.common.errors import BadInput

FORMAT = "tierwright-host"
VERSION = 1
HINT = (
    "save the outputs of `lsblk -J -b -d -o NAME,TYPE,SIZE,ROTA,TRAN,MODEL,SERIAL`, `dmidecode -t memory` and "
    "`nvme list -o json`, or run `tierwright inventory` on the host"
)
_LINE_OF_JSON = re.compile(r"^[^\S\n]*\{", re.MULTILINE)
_HANDLE = re.compile(r"^Handle 0x", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Output:
    """What one program printed.

    Attributes
    ----------
    program : str
        `lsblk`, `dmidecode`, `nvme`, `smart`.
    place : str
        Where it is from, for rows and errors.
    content : any
        A text of dmidecode, else the parsed document.
    device : str
        That was asked for, where the document does not name it: `nvme0`.
    """

    program: str
    place: str
    content: Any
    device: str = ""


@dataclass(frozen=True, slots=True)
class Host:
    """What is known of one machine.

    Attributes
    ----------
    name : str
    outputs : tuple of Output
    """

    name: str
    outputs: tuple[Output, ...]


def hosts_in(text: str, place: str, name: str) -> Iterator[Host]:
    """Find the outputs in one file: our own documents are a machine each, all others together are one.

    Parameters
    ----------
    text : str
        One output or several, one behind the other.
    place : str
        Named in rows and errors.
    name : str
        Of the machine, where no document says it.

    Raises
    ------
    BadInput
        If a document is not JSON, or is of no known program.
    """
    loose: list[Output] = []
    for part in parts_of(text, place):
        if isinstance(part, dict) and part.get("format") == FORMAT:
            yield _own(part, place)
        else:
            loose.append(_output(part, place))
    if loose:
        yield Host(name, tuple(loose))


def recognises(head: bytes) -> bool:
    """Say whether a file begins with an output of one of the programs."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    return text.startswith("# dmidecode") or any(
        mark in text
        for mark in ('"blockdevices"', '"Devices"', f'"{FORMAT}"', "DMI type 17")
    )


def parts_of(text: str, place: str) -> Iterator[Any]:
    """Yield the documents of JSON in a text, and the texts between them.

    Raises
    ------
    BadInput
        If a document is not JSON.
    """
    at = 0
    while at < len(text):
        found = _LINE_OF_JSON.search(text, at)
        before = text[at : found.start() if found else len(text)]
        if before.strip():
            yield before
        if found is None:
            return
        start = found.end() - 1
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, start) + 1
            raise BadInput(
                f"{place}: line {line}: not JSON: {error}",
                "run lsblk with -b: without it some versions print sizes that are not JSON",
            ) from error
        yield parse_json(text[start:end], place, HINT)
        at = end


def _own(document: Mapping[str, Any], place: str) -> Host:
    outputs, name = document.get("outputs"), document.get("host")
    if (
        document.get("version") != VERSION
        or not isinstance(outputs, Mapping)
        or not isinstance(name, str)
        or not all(isinstance(text, str) for text in outputs.values())
    ):
        raise BadInput(
            f"{place}: must be `{FORMAT}`, version {VERSION}, with `host` and `outputs`, each a text",
            "write it with `tierwright inventory`",
        )
    found = []
    for key, text in outputs.items():
        program, _, device = str(key).partition(":")
        where = f"{place}: {key}"
        for part in parts_of(text, where):
            made = _output(part, where)
            if made.program == program:
                found.append(Output(program, where, made.content, device))
    return Host(name, tuple(found))


def _output(part: Any, place: str) -> Output:
    if isinstance(part, str):
        if _HANDLE.search(part) is None:
            raise BadInput(
                f"{place}: has a text that no known program prints: it holds no `Handle 0x...` of dmidecode",
                "run dmidecode as root, as it prints no memory otherwise; " + HINT,
            )
        return Output("dmidecode", place, part)
    if isinstance(part, dict):
        for program, key in (
            ("lsblk", "blockdevices"),
            ("nvme", "Devices"),
            ("smart", "smartctl"),
            ("smart", "nvme_smart_health_information_log"),
            ("smart", "data_units_written"),
        ):
            if key in part:
                return Output(program, place, part)
    raise BadInput(f"{place}: has a document that no known program prints", HINT)
