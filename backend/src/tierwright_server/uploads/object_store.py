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

    The words of the library become `why` alone.
    """
    from obstore import exceptions

    text = str(error)
    first = text.splitlines()[0].strip() if text else type(error).__name__
    if _NO_CREDENTIALS.match(first):
        return _without_credentials(scheme, first)
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
        f"the store does not answer as it should: {_what_came(first)}",
        f"Check that the server reaches the store ({_REACHED_BY[scheme]}), then register "
        "the object again; what has arrived is kept.",
        first,
    )


def failure_of_opening(error: Exception, scheme: str) -> Failure:
    """Say what an error of `open_store` means: the environment of the server is not right."""
    return _without_credentials(scheme, str(error))


def _without_credentials(scheme: str, why: str) -> Failure:
    return Failure(
        Fault.DENIED,
        "the server has no credentials for the store that work",
        _CREDENTIALS[scheme],
        why,
    )


def _what_came(text: str) -> str:
    """Shorten what the library says to what tells nothing of the server."""
    if found := _STATUS.search(text):
        return f"it answered with status {found[1] or found[2]}"
    return "the connection failed or broke"


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
            raise LookUpFailed(failure_of_opening(error, address.scheme)) from error
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
