"""Objects of a store that may be fetched: which ones, how they are reached, what failed.

Off unless `TIERWRIGHT_TRACE_ROOTS` names prefixes such as `s3://bucket/traces`. Who asks
chooses a key below them and nothing else: neither the store nor the credentials, which come
from the environment of the server as for every tool of that store.
"""

import asyncio
import os
import re
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING

from tierwright_server.uploads.address import Address

if TYPE_CHECKING:
    from obstore.store import (
        AzureStore,
        ClientConfig,
        GCSStore,
        RetryConfig,
        S3Config,
        S3Store,
    )

    Store = S3Store | GCSStore | AzureStore

_CODE = re.compile(r"<Code>(\w{1,80})</Code>")
_CONNECT_TIMEOUT_S = 5
_CREDENTIALS = {
    "s3": "The server takes its credentials from AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY (AWS_SESSION_TOKEN), a web identity or the role of its machine; "
    "AWS_SKIP_SIGNATURE=true reads public objects.",
    "gs": "The server takes its credentials from GOOGLE_SERVICE_ACCOUNT or "
    "GOOGLE_APPLICATION_CREDENTIALS (a file), or the account of its machine; "
    "GOOGLE_SKIP_SIGNATURE=true reads public objects.",
    "az": "The server takes the account from AZURE_STORAGE_ACCOUNT_NAME and its credentials "
    "from AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_KEY or a managed identity; "
    "AZURE_SKIP_SIGNATURE=true reads public objects.",
}
_ADDRESS_IN = {"gs": "GOOGLE_BASE_URL", "az": "AZURE_STORAGE_ENDPOINT"}
_REACHED_BY = {
    "s3": "TIERWRIGHT_OBJECT_STORE_ENDPOINT, AWS_REGION, a proxy",
    "gs": "GOOGLE_BASE_URL, a proxy",
    "az": "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ENDPOINT, a proxy",
}


class Fault(Enum):
    """What kind of failure it was."""

    ABSENT = auto()
    DENIED = auto()
    CHANGED = auto()
    PASSING = auto()  # worth another try


@dataclass(frozen=True)
class Failure:
    """What went wrong, in words that follow the address."""

    fault: Fault
    message: str
    hint: str


@dataclass(frozen=True)
class Found:
    """An object as the store described it."""

    size_bytes: int
    etag: str | None


class LookUpFailed(Exception):
    """The store did not show the object."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def open_store(
    scheme: str, bucket: str, endpoint: str | None, *, request_timeout_s: float
) -> "Store":
    """Make a client for one bucket.

    Parameters
    ----------
    scheme : str
        Which store: "s3", "gs" or "az".
    bucket : str
        Name of the bucket or container.
    endpoint : str, optional
        Of S3, address of another store than Amazon's; absent, AWS_ENDPOINT_URL counts. The
        others take theirs from the environment alone.
    request_timeout_s : float
        Limit of one request, its body included. [s]
    """
    # Here, because most of what imports this module never reaches a store.
    from obstore.store import AzureStore, GCSStore, S3Store

    config: S3Config = {} if endpoint is None else {"endpoint": endpoint}
    client: ClientConfig = {
        "timeout": timedelta(seconds=request_timeout_s),
        "connect_timeout": timedelta(seconds=_CONNECT_TIMEOUT_S),
    }
    retries: RetryConfig = {
        "max_retries": 2,
        "retry_timeout": timedelta(seconds=request_timeout_s),
    }
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


def failure_of(error: Exception, scheme: str) -> Failure:
    """Say what an error of the store means.

    The words of the library are kept to their first line: what follows describes its
    inside.
    """
    from obstore import exceptions

    text = str(error)
    first = text.splitlines()[0].strip() if text else type(error).__name__
    code = found[1] if (found := _CODE.search(text)) else None
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
            "Check the key: capitals count.",
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
            _CREDENTIALS[scheme],
        )
    if isinstance(error, exceptions.PreconditionError):
        return Failure(
            Fault.CHANGED,
            "the object has changed since it was registered",
            "Register it again to fetch the new one, and discard this upload.",
        )
    return Failure(
        Fault.PASSING,
        f"the store does not answer as it should: {first}",
        f"Check that the server reaches the store ({_REACHED_BY[scheme]}), then register "
        "the object again; what has arrived is kept.",
    )


async def look_up(address: Address, endpoint: str | None, timeout_s: float) -> Found:
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
            raise LookUpFailed(failure_of(error, address.scheme)) from error
        try:
            meta = await obstore.head_async(store, address.key)
        except (BaseError, OSError) as error:
            failure = failure_of(error, address.scheme)
        else:
            return Found(int(meta["size"]), meta["e_tag"])
        # The answer to a HEAD has no body, and only a body tells a missing bucket from a
        # missing object, or why access is denied.
        if failure.fault is not Fault.PASSING:
            try:
                await obstore.get_async(store, address.key, options={"range": (0, 1)})
            except (BaseError, OSError) as error:
                failure = failure_of(error, address.scheme)
    raise LookUpFailed(failure)
