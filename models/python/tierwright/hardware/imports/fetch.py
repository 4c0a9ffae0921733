"""Fetches published price lists: the only part of the models that opens the network, and only when it is asked to.

One host is spoken to, whose name is known before; a redirection or a next page elsewhere is refused.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlencode, urljoin, urlsplit

from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes
from tierwright.hardware.imports.ledger import shown

MOST_BYTES = 2**30
"""Largest file that is fetched unless another limit is stated. [bytes]"""
AWS = "https://pricing.us-east-1.amazonaws.com"
AZURE = "https://prices.azure.com"
TIMEOUT_S = 60.0
"""Longest that an answer, or a piece of it, may take. [s]"""
_PIECE_BYTES = 2**18
_MOST_PAGE_BYTES = 2**24
_MOST_NAME = 40
_OK = 200
_PORTS = {"https": 443, "http": 80}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_ITEMS = re.compile(rb'"Items"\s*:\s*(?=\[)')


@dataclass(frozen=True, slots=True)
class Wanted:
    """A price list that can be fetched.

    Attributes
    ----------
    url : str
        Of the list, or of its first page.
    is_paged : bool
        Whether it is pages of Azure, which are joined in one file.
    """

    url: str
    is_paged: bool

    @property
    def host(self) -> str:
        """Return the host that is spoken to, with its port where it is not the usual one."""
        return urlsplit(self.url).netloc


def aws(offer: str, region: str, *, is_csv: bool = False, base: str = AWS) -> Wanted:
    """Name the offer file of a region.

    Parameters
    ----------
    offer, region : str
        As AWS calls them: `AmazonEC2`, `us-east-1`.
    is_csv : bool
        Whether to take it as CSV.
    base : str
        Of a mirror.

    Raises
    ------
    BadInput
        If a name is not one, or the mirror cannot be spoken to.
    """
    for name, text in (("offer", offer), ("region", region)):
        if not _NAME.fullmatch(text):
            raise BadInput(
                f"{name}: `{shown(text)}` is not a name of letters, digits and `-`",
                "name it as AWS does, such as AmazonEC2 and us-east-1",
            )
    ending = "csv" if is_csv else "json"
    path = f"/offers/v1.0/aws/{quote(offer)}/current/{quote(region)}/index.{ending}"
    return Wanted(_base(base) + path, is_paged=False)


def azure(filter_: str, *, currency: str = "USD", base: str = AZURE) -> Wanted:
    """Name the prices that a filter of Azure Retail Prices selects.

    Parameters
    ----------
    filter_ : str
        In OData, as the service documents it: `armRegionName eq 'westeurope' and serviceName eq 'Virtual Machines'`.
    currency : str
        ISO 4217.
    base : str
        Of a mirror.

    Raises
    ------
    BadInput
        If there is no filter, or the mirror cannot be spoken to.
    """
    if not filter_.strip():
        raise BadInput(
            "filter: is empty, which selects all prices of all regions",
            "state a filter such as armRegionName eq 'westeurope'",
        )
    asked = {
        "api-version": "2023-01-01-preview",
        "currencyCode": f"'{currency}'",
        "$filter": filter_,
    }
    return Wanted(f"{_base(base)}/api/retail/prices?{urlencode(asked)}", is_paged=True)


def fetched(
    wanted: Wanted,
    output: Path,
    most_bytes: int = MOST_BYTES,
    on_bytes: Callable[[int], object] = lambda _: None,
) -> int:
    """Fetch a list into a file, which appears only once it is whole.

    Parameters
    ----------
    wanted : Wanted
    output : Path
        Must not exist.
    most_bytes : int
        Larger ones are refused. [bytes]
    on_bytes : callable
        Called with the bytes so far.

    Returns
    -------
    int
        Size of the file. [bytes]

    Raises
    ------
    BadInput
        If the file exists or cannot be written, the host cannot be reached or answers otherwise, or the list is too large.
    """
    if output.exists():
        raise BadInput(f"{output}: exists", "name a file that does not exist")
    size = 0
    draft: Path | None = None
    try:
        answer = (_pages if wanted.is_paged else _pieces)(wanted.url)
        handle, name = tempfile.mkstemp(
            prefix=f".{output.name[:_MOST_NAME]}.", suffix=".part", dir=output.parent
        )
        draft = Path(name)
        with closing(answer), os.fdopen(handle, "wb") as out:
            for piece in answer:
                size += len(piece)
                if size > most_bytes:
                    raise BadInput(
                        f"{wanted.host}: the list is larger than {format_bytes(most_bytes)}",
                        "ask for less of it, or state a larger limit",
                    )
                out.write(piece)
                on_bytes(size)
            _flush(out)
        _publish(draft, output)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise BadInput(
            f"{wanted.host}: the list could not be fetched: {shown(error) or type(error).__name__}",
            "check the network and the folder; or fetch the file by other means, and import that",
        ) from error
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)
    return size


def _publish(draft: Path, output: Path) -> None:
    """Give a whole file its name, unless there is one of this name by now.

    Raises
    ------
    BadInput
        If there is.
    """
    umask = os.umask(0)
    os.umask(umask)
    draft.chmod(0o666 & ~umask)
    try:
        # Unlike a renaming, a link never takes the place of a file.
        os.link(draft, output)
    except FileExistsError as error:
        raise BadInput(
            f"{output}: appeared while the list was fetched",
            "name a file that does not exist",
        ) from error
    except OSError:
        # A file system without links: the name is taken first, and by us alone.
        with output.open("xb"):
            pass
        draft.replace(output)


def _flush(out: BinaryIO) -> None:
    out.flush()
    os.fsync(out.fileno())


def _base(base: str) -> str:
    good = _spoken_to(base) is not None and "@" not in base
    if good:
        parts = urlsplit(base)
        is_here = parts.hostname == "localhost"
        with suppress(ValueError):
            is_here = is_here or ipaddress.ip_address(parts.hostname or "").is_loopback
        good = parts.scheme == "https" or is_here
        good = good and bool(parts.hostname) and not parts.query and not parts.fragment
        good = good and base.isascii() and base.isprintable() and " " not in base
    if not good:
        raise BadInput(
            f"from: `{shown(base)}` is not an address that begins with https://",
            "plain http is for this machine alone: http://127.0.0.1:8000",
        )
    return base.rstrip("/")


def _pieces(url: str) -> Generator[bytes, None, None]:
    """Yield the bytes of an answer.

    Raises
    ------
    BadInput
        If it is not 200, or ends before its length.
    """
    parts = urlsplit(url)
    kind = (
        http.client.HTTPSConnection
        if parts.scheme == "https"
        else http.client.HTTPConnection
    )
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    with ExitStack() as stack:
        connection = stack.enter_context(closing(kind(parts.netloc, timeout=TIMEOUT_S)))
        connection.request("GET", target, headers={"User-Agent": "tierwright"})
        answer = stack.enter_context(closing(connection.getresponse()))
        if answer.status != _OK:
            where = answer.getheader("Location")
            led = "" if where is None else f", and leads to `{shown(where)}`"
            raise BadInput(
                f"{parts.netloc}: answered {answer.status} {shown(answer.reason)}{led}",
                "check offer, region or filter; a redirection is not followed",
            )
        left = answer.length
        while piece := answer.read(_PIECE_BYTES):
            left = None if left is None else left - len(piece)
            yield piece
        if left:
            raise BadInput(
                f"{parts.netloc}: the answer ended {left:,} bytes early",
                "fetch it again",
            )


def _pages(url: str) -> Generator[bytes, None, None]:
    """Yield the pages of Azure Retail Prices joined in one object, each item as it was sent.

    Raises
    ------
    BadInput
        If a page is not one, or names a next one of another host.
    """
    first = urlsplit(url)
    seen: set[str] = set()
    following: str | None = url
    before = b""
    while following:
        if following in seen:
            raise BadInput(
                f"{first.netloc}: a page names itself as the next one", "fetch it again"
            )
        seen.add(following)
        page, items = _page(following, first.netloc)
        if not before:
            currency = json.dumps(page.get("BillingCurrency"))
            yield f'{{"BillingCurrency": {currency}, "Items": ['.encode()
        if items:
            yield before.lstrip() + items
            before = b",\n"
        before = before or b"\n"
        link = page.get("NextPageLink")
        following = _joined(url, link) if isinstance(link, str) and link else None
        if following is not None and _spoken_to(following) != _spoken_to(url):
            raise BadInput(
                f"{first.netloc}: names a next page of another host: `{shown(following)}`",
                "fetch the list by other means, and import that",
            )
    yield b'], "NextPageLink": null}\n'


def _joined(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:
        return link


def _spoken_to(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an address, which may name the usual port or not; None if it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return parts.scheme, parts.hostname or "", port


def _page(url: str, host: str) -> tuple[dict[str, Any], bytes]:
    """Return a page, and the text of its items without the brackets around them."""
    raw = b""
    with closing(_pieces(url)) as pieces:
        for piece in pieces:
            raw += piece
            if len(raw) > _MOST_PAGE_BYTES:
                raise BadInput(
                    f"{host}: a page is larger than {format_bytes(_MOST_PAGE_BYTES)}",
                    "fetch the list by other means, and import that",
                )
    try:
        page = json.loads(raw)
        items = page["Items"]
        found = _ITEMS.search(raw)
        assert found is not None
        text = raw[found.end() :].decode("utf-8")
        same, end = json.JSONDecoder().raw_decode(text)
        assert same == items
        assert isinstance(items, list)
    except (ValueError, KeyError, TypeError, AssertionError, RecursionError) as error:
        raise BadInput(
            f"{host}: answered with something other than a page of prices",
            "check the filter, or fetch the list by other means",
        ) from error
    return page, text[1 : end - 1].strip().encode()
