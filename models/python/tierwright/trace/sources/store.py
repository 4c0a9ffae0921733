"""Objects of a store: how they are reached, read in one version, and what failed.

Store and credentials come from the environment of whoever reads, the server or the command,
as for every tool of that store.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

from tierwright.trace.sources import door
from tierwright.trace.sources.address import Address

if TYPE_CHECKING:
    from obstore import GetOptions, ObjectMeta
    from obstore.store import (
        AzureStore,
        ClientConfig,
        GCSStore,
        LocalStore,
        MemoryStore,
        RetryConfig,
        S3Config,
        S3Store,
    )

    Store = S3Store | GCSStore | AzureStore | LocalStore | MemoryStore

_CODE = re.compile(r"<Code>(\w{1,80})</Code>")
# The library tells failures of credentials from others in words alone. Addresses are of
# those who give credentials: the machine, or the sign-in of a cloud.
_NO_CREDENTIALS = re.compile(
    r"Generic \w+ error: (?:"
    r"Error performing token request|Error requesting token|GCP credential error"
    r"|Unable to (?:open|read|decode) (?:service account|credential)|Error reading pem"
    r"|Invalid Access Key|Account must be specified|Missing \w*credential"
    r"|Error performing \w+ https?://(?:169\.254\.\d+\.\d+|\[fd00:ec2:[^/]*\]"
    r"|metadata(?:\.google\.internal)?|(?:oauth2|www|iamcredentials|sts)\.googleapis\.com"
    r"|login\.microsoftonline\.com|sts\.[\w.-]*amazonaws\.com[\w.]*)[/:])",
    re.IGNORECASE,
)
_STATUS = re.compile(r"status code: (\d{3})|: ([45]\d\d) [A-Z]")
_CONNECT_TIMEOUT_S = 5
RANGE_BYTES = 32 * 2**20
REQUEST_TIMEOUT_S = 300.0  # of one range: slower than 110 KB/s is no use for traces
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
_PART_BYTES = 2**20
_CREDENTIALS = {
    "s3": "The {reader} takes its credentials from AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN), a web identity or the role of its machine; "
    "AWS_SKIP_SIGNATURE=true reads public objects.",
    "gs": "The {reader} takes its credentials from GOOGLE_SERVICE_ACCOUNT or "
    "GOOGLE_APPLICATION_CREDENTIALS (a file), or the account of its machine; "
    "GOOGLE_SKIP_SIGNATURE=true reads public objects.",
    "az": "The {reader} takes the account from AZURE_STORAGE_ACCOUNT_NAME and its credentials "
    "from AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_KEY or a managed identity; "
    "AZURE_SKIP_SIGNATURE=true reads public objects.",
    "file": "Check that the folder is mounted, and that the {reader} may read and write there.",
    "memory": "It is in the memory of one process.",
}
_MEMORY: dict[str, MemoryStore] = {}
"""Stores of this process alone, by the name of their bucket."""
_ADDRESS_IN = {"gs": "GOOGLE_BASE_URL", "az": "AZURE_STORAGE_ENDPOINT"}
_REACHED_BY = {
    "s3": "TIERWRIGHT_OBJECT_STORE_ENDPOINT, AWS_REGION, a proxy",
    "gs": "GOOGLE_BASE_URL, a proxy",
    "az": "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ENDPOINT, a proxy",
    "file": "the folder's full path",
    "memory": "it is in the memory of one process",
}


@dataclass(frozen=True)
class Reader:
    """Who reads an object, as messages speak of it."""

    name: str
    changed: str
    after_change: str
    again: str


SERVER = Reader(
    "server",
    "the object has changed since it was registered",
    "Register it again to fetch the new one, and discard this upload.",
    "register the object again; what has arrived is kept",
)
COMMAND = Reader(
    "command",
    "the object has changed while it was read",
    "Run the command again, when nothing writes to the object.",
    "run it again",
)


class Fault(Enum):
    """What kind of failure it was."""

    ABSENT = auto()
    DENIED = auto()
    CHANGED = auto()
    PASSING = auto()  # worth another try


@dataclass(frozen=True)
class Failure:
    """What went wrong, in words that follow the address.

    `why` is the words of the library, for the log alone: they tell paths and addresses of the
    server.
    """

    fault: Fault
    message: str
    hint: str
    why: str = ""


@dataclass(frozen=True)
class Found:
    """An object as the store described it.

    Attributes
    ----------
    size_bytes : int
        Its length. [bytes]
    etag : str or None
        Of the version; some stores give none.
    modified : str or None
        When it was written, which tells versions apart where there is no ETag.
    """

    size_bytes: int
    etag: str | None
    modified: str | None = field(default=None, compare=False)

    def is_other(self, meta: ObjectMeta) -> bool:
        """Say whether an object without an ETag was written again, or has another length."""
        written = meta["last_modified"].isoformat()
        return meta["size"] != self.size_bytes or (
            self.etag is None and self.modified not in (None, written)
        )


class LookUpFailed(Exception):
    """The store did not show the object."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def open_store(
    scheme: str, bucket: str, endpoint: str | None, *, request_timeout_s: float
) -> Store:
    """Make a client for one bucket.

    Parameters
    ----------
    scheme : str
        Which store: "s3", "gs" or "az"; "file" is a folder, "memory" is one of this process alone.
    bucket : str
        Name of the bucket or container, or full path of the folder.
    endpoint : str, optional
        Of S3, address of another store than Amazon's; absent, AWS_ENDPOINT_URL counts. The
        others take theirs from the environment alone.
    request_timeout_s : float
        Limit of one request, its body included. [s]
    """
    # Here, because most of what imports this module never reaches a store.
    from obstore.store import AzureStore, GCSStore, LocalStore, MemoryStore, S3Store

    if scheme == "file":
        return LocalStore(bucket, mkdir=True)
    if scheme == "memory":
        return _MEMORY.setdefault(bucket, MemoryStore())
    config: S3Config = {} if endpoint is None else {"endpoint": endpoint}
    client: ClientConfig = {
        "timeout": timedelta(seconds=request_timeout_s),
        "connect_timeout": timedelta(seconds=_CONNECT_TIMEOUT_S),
    }
    retries: RetryConfig = {
        "max_retries": 2,
        "retry_timeout": timedelta(seconds=request_timeout_s),
    }
    if not door.has_proxy():
        client["proxy_url"] = door.proxy_url(scheme, bucket, endpoint)
    # The operator who wrote such an address into the environment wants it.
    if os.environ.get(_ADDRESS_IN.get(scheme, ""), "").startswith("http://"):
        client["allow_http"] = True
    if scheme == "gs":
        return GCSStore(bucket, client_options=client, retry_config=retries)
    if scheme == "az":
        return AzureStore(bucket, client_options=client, retry_config=retries)
    if endpoint is not None and endpoint.startswith("http://"):
        client["allow_http"] = True
    return S3Store(bucket, config=config, client_options=client, retry_config=retries)


def failure_of(error: Exception, scheme: str, reader: Reader = SERVER) -> Failure:
    """Say what an error of the store means.

    The words of the library become `why` alone.
    """
    from obstore import exceptions

    text = str(error)
    first = text.splitlines()[0].strip() if text else type(error).__name__
    if _NO_CREDENTIALS.match(first):
        return _without_credentials(scheme, first, reader)
    code = found[1] if (found := _CODE.search(text)) else None
    if code == door.REDIRECT_CODE or (
        "TunnelUnsuccessful" in text and not door.has_proxy()
    ):
        return Failure(
            Fault.DENIED,
            "the store redirects to another address, which is not followed",
            f"Give the address at which the store itself answers ({_REACHED_BY[scheme]}).",
        )
    if code in ("NoSuchBucket", "ContainerNotFound"):
        return Failure(
            Fault.ABSENT,
            "the store has no such bucket",
            "Check the name of the bucket, and the endpoint and region of the store.",
        )
    if isinstance(error, FileNotFoundError | exceptions.NotFoundError):
        return Failure(
            Fault.ABSENT,
            "the bucket has no such object",
            "Check the key: it is case-sensitive.",
        )
    if isinstance(
        error,
        PermissionError
        | exceptions.PermissionDeniedError
        | exceptions.UnauthenticatedError,
    ):
        return Failure(
            Fault.DENIED,
            "the store refuses to show it" + (f" ({code})" if code else ""),
            _credentials(scheme, reader),
        )
    if isinstance(error, exceptions.PreconditionError):
        return Failure(
            Fault.CHANGED,
            reader.changed,
            reader.after_change,
        )
    return Failure(
        Fault.PASSING,
        "reading or writing it failed"
        if scheme == "file"
        else f"the store gave an unexpected answer: {_what_came(first)}",
        f"Check that the {reader.name} reaches the store ({_REACHED_BY[scheme]}), then "
        f"{reader.again}.",
        first,
    )


def failure_of_opening(
    error: Exception, scheme: str, reader: Reader = SERVER
) -> Failure:
    """Say what an error of `open_store` means: the environment is not right."""
    return _without_credentials(scheme, str(error), reader)


def _without_credentials(scheme: str, why: str, reader: Reader) -> Failure:
    return Failure(
        Fault.DENIED,
        f"the {reader.name} has no credentials for the store that work",
        _credentials(scheme, reader),
        why,
    )


def _credentials(scheme: str, reader: Reader) -> str:
    return _CREDENTIALS[scheme].format(reader=reader.name)


def unanswered_hint(reader: Reader) -> str:
    """Say what to do about a store that does not answer in time."""
    return (
        f"Check that the {reader.name} reaches it, and that it has credentials: without "
        "any it asks its machine for a role, which may not answer."
    )


def _what_came(text: str) -> str:
    """Shorten what the library says to what tells nothing of the server."""
    if found := _STATUS.search(text):
        return f"it answered with status {found[1] or found[2]}"
    return "the connection failed or broke"


def wait_s(failures: int) -> float:
    """Return how long to wait before the next try. [s]"""
    return float(min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2 ** (failures - 1)))


class RangeRefused(Exception):
    """The store gave other bytes than those that were asked for: what, in a sentence."""


def found_of(meta: ObjectMeta) -> Found:
    """Keep what tells this version of an object from others."""
    return Found(int(meta["size"]), meta["e_tag"], meta["last_modified"].isoformat())


def parts_of(
    store: Store, key: str, version: Found, start: int, end: int
) -> Iterator[memoryview]:
    """Read a range of one version of an object, in pieces of at least a mebibyte but the last.

    Parameters
    ----------
    store : Store
        What `open_store` returned.
    key : str
        Of the object.
    version : Found
        What is read, as it was looked up.
    start, end : int
        The range. [bytes]

    Raises
    ------
    RangeRefused
        The store gave another range, or the object has another length or was written again.
    BaseError, OSError
        Of the library: see `failure_of`.
    """
    import obstore

    options: GetOptions = {"range": (start, end)}
    if version.etag is not None:
        options["if_match"] = version.etag
    found = obstore.get(store, key, options=options)
    if version.is_other(found.meta) and found.meta["size"] == version.size_bytes:
        raise RangeRefused(
            f"it was written again at {found.meta['last_modified'].isoformat()}, while it was read"
        )
    if found.range != (start, end) or version.is_other(found.meta):
        raise RangeRefused(
            f"bytes {start} to {end} of {version.size_bytes} were requested, but the store "
            f"sent {found.range[0]} to {found.range[1]} of {found.meta['size']}"
        )
    for part in found.stream(min_chunk_size=_PART_BYTES):
        data = memoryview(part)[: end - start]
        start += len(data)
        yield data


class Sink(Protocol):
    """Where the bytes of an object go."""

    def write(self, data: memoryview) -> None:
        """Take the next bytes."""

    def range_done(self) -> None:
        """Hear that a range has come whole."""

    def broke(self, tries: int) -> None:
        """Hear that the connection broke, and that this is so many tries without a new byte."""


class FetchFailed(Exception):
    """The store gave no more: why, and how many bytes had come by then."""

    def __init__(self, failure: Failure, done_bytes: int) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.done_bytes = done_bytes


def fetch(
    address: Address,
    endpoint: str | None,
    found: Found,
    sink: Sink,
    *,
    start: int,
    retries: int,
    reader: Reader = SERVER,
) -> None:
    """Bring one version of an object here, range by range, over broken connections.

    Parameters
    ----------
    address : Address
        Of the object.
    endpoint : str or None
        As for `open_store`.
    found : Found
        The version, as `look_up` returned it.
    sink : Sink
        Takes the bytes; what it raises goes through.
    start : int
        Bytes that are there already. Ranges end at multiples of `RANGE_BYTES`. [bytes]
    retries : int
        Tries without a new byte before it is given up.
    reader : Reader
        As whom messages speak.

    Raises
    ------
    FetchFailed
        The store cannot be reached, or gave no more.
    RangeRefused
        It gave other bytes than those asked for.
    """
    from obstore.exceptions import BaseError

    try:
        store = open_store(
            address.scheme,
            address.bucket,
            endpoint,
            request_timeout_s=REQUEST_TIMEOUT_S,
        )
    except BaseError as error:
        failure = failure_of_opening(error, address.scheme, reader)
        raise FetchFailed(failure, start) from error
    done, size_bytes = start, found.size_bytes
    failed_at, failures = -1, 0
    while done < size_bytes:
        end = min(size_bytes, (done // RANGE_BYTES + 1) * RANGE_BYTES)
        try:
            for data in parts_of(store, address.key, found, done, end):
                sink.write(data)
                done += len(data)
            if done < end:
                raise ConnectionError("the answer ended early")
        except (BaseError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of the disk: those of the store carry no number
            failures = failures + 1 if done == failed_at else 1
            failed_at = done
            failure = failure_of(error, address.scheme, reader)
            if failure.fault is not Fault.PASSING or failures > retries:
                raise FetchFailed(failure, done) from error
            sink.broke(failures)
            time.sleep(wait_s(failures))
        else:
            sink.range_done()


async def look_up(
    address: Address, endpoint: str | None, timeout_s: float, reader: Reader = SERVER
) -> Found:
    """Ask for the size and the version of an object.

    Raises
    ------
    LookUpFailed
        The store does not show it, or does not answer.
    TimeoutError
        It took longer than `timeout_s`.
    """
    import obstore
    from obstore.exceptions import BaseError

    async with asyncio.timeout(timeout_s):
        try:
            store = open_store(
                address.scheme, address.bucket, endpoint, request_timeout_s=timeout_s
            )
        except BaseError as error:
            # Its environment lacks something, such as the name of the account.
            raise LookUpFailed(
                failure_of_opening(error, address.scheme, reader)
            ) from error
        try:
            meta = await obstore.head_async(store, address.key)
        except (BaseError, OSError) as error:
            failure = failure_of(error, address.scheme, reader)
        else:
            return found_of(meta)
        # The answer to a HEAD has no body, and only a body tells a missing bucket from a
        # missing object, or why access is denied.
        if failure.fault is not Fault.PASSING:
            try:
                await obstore.get_async(store, address.key, options={"range": (0, 1)})
            except (BaseError, OSError) as error:
                failure = failure_of(error, address.scheme, reader)
    raise LookUpFailed(failure)
