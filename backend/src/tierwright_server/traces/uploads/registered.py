"""What may be registered instead of uploaded: files by their path, objects by their address.

A file is read where it lies, never copied, changed or deleted; an object is fetched.

Off unless `TIERWRIGHT_TRACE_ROOTS` names folders. A path counts by what it leads to, all
links followed, and whatever lies outside the folders is refused in the same words, so that
nobody learns what else is on the machine. The file is looked at again before it is read and
after: a file that changed in between is an error, not half of two traces.
"""

import os
import stat
from pathlib import Path

from tierwright.common.wording import counted
from tierwright.trace.sources.address import Address, parse
from tierwright.trace.sources.files import others_of
from tierwright_server.common.errors import BadInput, Conflict, Forbidden
from tierwright_server.common.settings import Settings
from tierwright_server.storage.roots import roots
from tierwright_server.storage.source_files import is_marked
from tierwright_server.storage.tables import Upload

_WHERE = "body.path"


def resolve_address(settings: Settings, text: str) -> Address:
    """Take an address, if its object may be fetched; the store is not asked.

    Raises
    ------
    Forbidden
        No prefix is open, or the address lies below none of them.
    BadInput
        The address cannot be one of an object.
    """
    allowed = settings.trace_prefixes
    if not allowed:
        raise Forbidden(
            "objects cannot be registered by their address: no prefix is open for "
            "traces",
            hint="Upload the file, or start the server with TIERWRIGHT_TRACE_ROOTS set "
            "to prefixes such as s3://bucket/traces, gs://bucket or az://container.",
        )
    opened = f"Open are {', '.join(map(str, allowed))}"
    try:
        address = parse(text)
    except ValueError as error:
        raise BadInput.at(_WHERE, text, str(error), hint=f"{opened}.") from None
    if text.endswith("/") or not address.key:
        raise BadInput.at(
            _WHERE,
            text,
            "names no object",
            hint="Name one object; several traces go into a tar or zip archive.",
        )
    if not any(root.holds(address) for root in allowed):
        raise Forbidden(
            f"path: `{text}` does not lie below a prefix that is open for traces",
            hint=f"{opened}. Change TIERWRIGHT_TRACE_ROOTS to open another one.",
        )
    return address


def resolve(settings: Settings, text: str) -> tuple[Path, os.stat_result]:
    """Find the file that a path leads to, if it may be read.

    Raises
    ------
    Forbidden
        No folder is open, or the file lies in none of them.
    BadInput
        The path is not absolute, or names no file that can be read.
    """
    allowed = roots(settings)
    if not allowed:
        raise Forbidden(
            "files cannot be registered by their path: no folder is open for traces",
            hint="Upload the file, or start the server with TIERWRIGHT_TRACE_ROOTS set "
            "to the folders that hold traces.",
        )
    given = Path(text)
    if not given.is_absolute():
        raise BadInput.at(
            _WHERE,
            text,
            "is not an absolute path",
            hint=f"Begin with one of {', '.join(map(str, allowed))}.",
        )
    try:
        found = given.resolve()
    except (OSError, RuntimeError):  # a loop of links
        found = Path("/")
    own = settings.data_dir.resolve()
    inside = any(found.is_relative_to(root) for root in allowed)
    if not inside or found.is_relative_to(own):
        raise Forbidden(
            f"path: `{text}` does not lead into a folder that is open for traces",
            hint=f"Open are {', '.join(map(str, allowed))}; links are followed. Change "
            "TIERWRIGHT_TRACE_ROOTS to open another folder.",
        )
    try:
        seen = found.stat()
    except OSError as error:
        raise BadInput.at(
            _WHERE, text, f"cannot be read: {error.strerror}", hint="Check the name."
        ) from error
    if not stat.S_ISREG(seen.st_mode):
        raise BadInput.at(
            _WHERE,
            text,
            "is not a file",
            hint="Name one file; several traces go into a tar or zip archive.",
        )
    if not os.access(found, os.R_OK):
        raise BadInput.at(
            _WHERE,
            text,
            "cannot be read by the server",
            hint="Allow the account of the server to read it.",
        )
    return found, seen


def unchanged(settings: Settings, upload: Upload) -> Path:
    """Return the path of a registered file that is still as it was registered.

    Raises
    ------
    Conflict
        It has changed, or may no longer be read.
    """
    if upload.source_path is None:
        raise ValueError(f"upload {upload.id} is not registered by its path")
    hint = "Register the file again."
    try:
        path, seen = resolve(settings, upload.source_path)
    except (BadInput, Forbidden) as error:
        raise Conflict(
            f"`{upload.source_path}` can no longer be read: {error.detail}", hint=hint
        ) from error
    if (
        seen.st_size != upload.size_bytes
        or upload.source_mtime_ns is None
        or not is_marked(path, upload.source_mtime_ns, upload.created_at)
    ):
        others = others_of(path)
        which = {0: "", 1: ", or the file read with it,"}.get(
            len(others), f", or one of the {counted(len(others), 'file')} read with it,"
        )
        raise Conflict(
            f"`{upload.source_path}`{which} has changed since it was registered",
            hint=hint,
        )
    return path
