"""Addresses in object stores, taken letter by letter.

`s3://bucket/key`; `gs://bucket/key` of Google Cloud Storage; `az://container/key` of Azure
Blob Storage, whose account stands in the environment. An address is no URL here: nothing in
it is decoded, joined or normalised, so that the key that is compared with the open prefixes
is the very key that is asked for.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

_BUCKETS = {
    "s3": re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"),
    "gs": re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]"),
    "az": re.compile(r"[a-z0-9](-?[a-z0-9]){2,62}"),
}
"""What can be the name of a bucket or container, by scheme."""
SCHEMES = tuple(f"{scheme}://" for scheme in _BUCKETS)
_FOLDER = "file://"
_KEY_BYTES = 1024


@dataclass(frozen=True)
class Address:
    """A bucket, and a key or a prefix of keys in it; an empty one is the whole bucket."""

    bucket: str
    key: str
    scheme: str = "s3"

    def __str__(self) -> str:
        bucket = f"{self.scheme}://{self.bucket}"
        return f"{bucket}/{self.key}" if self.key else bucket

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.key.rsplit("/", 1)[-1]

    def holds(self, other: "Address") -> bool:
        """Say whether the other one is an object below this prefix.

        `s3://b/in` holds `s3://b/in/x` and neither `s3://b/in` nor `s3://b/input/x`.
        """
        if (self.scheme, self.bucket) != (other.scheme, other.bucket) or not other.key:
            return False
        return not self.key or other.key.startswith(f"{self.key}/")


def is_address(text: str) -> bool:
    """Say whether a text is meant as an address, of whatever scheme, and not as a path."""
    return "://" in text


_SIGNED = re.compile(
    r"\?.*(?:sig|signature|token|credential)[^=&]*=", re.IGNORECASE | re.DOTALL
)


def without_secrets(text: str) -> str:
    """Return an address as it may be shown: without a user and a password, and without what follows a `?`.

    A password may hold `/` and `@`. So where a `:` stands before the first `/`, all up to the last `@` is left out, and
    all there is where there is no `@`.
    """
    scheme, mark, rest = text.partition("://")
    if not mark:
        return text
    authority, slash, key = rest.partition("/")
    if ":" in authority:
        _, at, host = rest.rpartition("@")
        shown = f"{scheme}://***{f'@{host}' if at else ''}"
    else:
        _, at, host = authority.rpartition("@")
        shown = f"{scheme}://{'***@' if at else ''}{host}{slash}{key}"
    signed = _SIGNED.search(shown)
    return shown if signed is None else f"{shown[: signed.start()]}?***"


def without_password(text: str) -> str:
    """Return the address of a server, such as `tcp://host:1`, as it may be shown: without a user and a password."""
    scheme, mark, rest = text.partition("://")
    _, at, host = rest.rpartition("@")
    return f"{scheme}{mark}***@{host}" if at else text


def parse(text: str) -> Address:
    """Take an address apart; one slash at its end may stand for a prefix.

    Raises
    ------
    ValueError
        With the reason, to follow the text.
    """
    if not text.startswith(SCHEMES):
        raise ValueError(
            f"does not begin with a supported scheme; these are {', '.join(SCHEMES)}"
        )
    scheme, _, rest = text.partition("://")
    bucket, _, key = rest.partition("/")
    if _BUCKETS[scheme].fullmatch(bucket) is None:
        shown = "***" if any(mark in bucket for mark in "@:?") else bucket[:80]
        raise ValueError(f"has `{shown}` for a bucket, which is not a valid name")
    if _SIGNED.search(key):
        raise ValueError(
            "carries a signature or a token, which are read from the environment alone"
        )
    if len(key.encode("utf-8", "surrogatepass")) > _KEY_BYTES:
        raise ValueError(f"has a key of more than {_KEY_BYTES} bytes")
    if not key.isprintable():
        raise ValueError("has a character in its key that cannot be shown")
    key = key.removesuffix("/")
    # Some stores and many tools take such a key for another one.
    if key and any(part in ("", ".", "..") for part in key.split("/")):
        raise ValueError(
            "has an empty part, `.` or `..` between the slashes of its key"
        )
    return Address(bucket, key, scheme)


def parse_store(text: str) -> Address:
    """Take the address of a place for files apart: a prefix of a store, or `file:///folder`.

    Raises
    ------
    ValueError
        With the reason, to follow the text.
    """
    if not text.startswith(_FOLDER):
        return parse(text)
    host, slash, path = text.removeprefix(_FOLDER).partition("/")
    folder = "/" + unquote(path).strip("/")
    if not slash or host not in ("", "localhost") or folder == "/":
        raise ValueError("does not name a folder by its full path")
    return Address(folder, "", "file")
