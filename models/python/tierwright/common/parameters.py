"""Parameters in messages: named by a mark there, and spelled by whoever shows the message.

A message of the core or of the models reaches people by the command line, the API, the page and
notebooks, which call a parameter by different names. So the message holds a mark, and each door
spells it when it shows or sends the message; what is stored keeps the mark.

=========================  =================  ========================
mark                       command line       API, page, notebook
=========================  =================  ========================
``[[page_bytes]]``         ``--page-bytes``   ``page size``
``[[the page_bytes]]``     ``--page-bytes``   ``the page size``
``[[format=csv]]``         ``--format csv``   ``format csv``
=========================  =================  ========================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Door(StrEnum):
    """Where a message is shown."""

    COMMAND = "command"
    """The command line: options as they are typed."""
    API = "api"
    """The API and the page, which shows its texts: words, and settings of the server."""
    NOTEBOOK = "notebook"
    """Errors and answers in Python: words."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What messages may name.

    Attributes
    ----------
    typed : str
        On the command line: an option, or a command in backticks.
    words : str
        For people, without an article.
    field : str or None
        Field of the API that sets it; None where no request does.
    setting : str or None
        Environment variable of the server that sets it for all requests.
    with_value : str
        The words with a value in place of `{}`, where it does not simply follow them.
    """

    typed: str
    words: str
    field: str | None = None
    setting: str | None = None
    with_value: str = ""

    def said(self, value: str | None) -> str:
        """Return the words, with the value if there is one."""
        if value is None:
            return self.words
        return (self.with_value or f"{self.words} {{}}").format(value)


PARAMETERS: dict[str, Parameter] = {
    "allow_cached": Parameter("--allow-cached", "cached measurements allowed"),
    "column": Parameter("--column", "column mapping", "columns"),
    "force": Parameter("--force", "overwriting allowed"),
    "format": Parameter("--format", "format", "format"),
    "formats": Parameter("`tierwright formats`", "list of formats"),
    "max_content_bytes": Parameter(
        "--max-content-bytes",
        "limit on the decompressed size",
        setting="TIERWRIGHT_TRACE_MAX_CONTENT_BYTES",
    ),
    "max_expansion": Parameter(
        "--max-expansion",
        "limit on the expansion",
        setting="TIERWRIGHT_TRACE_MAX_EXPANSION",
    ),
    "import_column": Parameter("--column", "column of the import"),
    "import_format": Parameter("--as", "format of the import"),
    "joined_page_bytes": Parameter(
        "--joined-page-bytes",
        "size of joined pages",
        "joined_page_bytes",
        with_value="joined pages of {} bytes",
    ),
    "members_apart": Parameter(
        "--members-apart", "separate devices for each member", "members_apart"
    ),
    "members_merged": Parameter(
        "--members-merged", "the members merged by time", "members_merged"
    ),
    "page_bytes": Parameter(
        "--page-bytes", "page size", "page_bytes", with_value="page size of {} bytes"
    ),
    "queue_depth": Parameter("--queue-depth", "queue depth", "queue_depth"),
    "quote_column": Parameter("--quote-column", "column of the quotes", "columns"),
    "repair": Parameter("--repair", "repair", "repair"),
    "scheme": Parameter("--scheme", "scheme", "scheme"),
    "sizes": Parameter("--sizes", "list of sizes", with_value="{}"),
    "skip_bad_lines": Parameter(
        "--skip-bad-lines",
        "number of bad records to skip",
        "skip_bad_records",
        with_value="{} as the number of bad records to skip",
    ),
    "timeout_s": Parameter("--timeout-s", "time limit"),
    "trace_preview": Parameter("`tierwright trace preview`", "preview"),
    "trace_summary": Parameter("`tierwright trace summary`", "summary of the trace"),
    "uplift_source": Parameter(
        "--uplift-source", "source of growth and of the busiest hour", "uplift_source"
    ),
    "validity": Parameter("--validity", "validity of the quote", "validity"),
    "warm_up": Parameter("--warm-up", "warm-up", "warm_up"),
}
"""All that messages may name; `models/tests/test_parameters.py` holds every mark to it."""

MARK = re.compile(
    r"\[\[(?:(?P<article>an?|the) )?(?P<name>[a-z][a-z0-9_]*)(?:=(?P<value>[^\[\]]+))?\]\]"
)
"""A parameter in a message."""


def spelled(text: str, door: Door) -> str:
    """Spell the parameters of a message for whoever reads it.

    Parameters
    ----------
    text : str
        A message, a hint, an assumption; one without marks is returned as it is, and so is a
        mark of something unknown, which can only be quoted from an input.
    door : Door
        Where it is shown.

    Examples
    --------
    >>> spelled("use a larger [[page_bytes]], or [[format=csv]]", Door.COMMAND)
    'use a larger --page-bytes, or --format csv'
    >>> spelled("use a larger [[page_bytes]], or [[format=csv]]", Door.API)
    'use a larger page size, or format csv'
    >>> spelled("raise [[the max_expansion]]", Door.API)
    'raise the limit on the expansion (TIERWRIGHT_TRACE_MAX_EXPANSION)'
    >>> spelled("raise [[the max_expansion]]", Door.NOTEBOOK)
    'raise the limit on the expansion'
    """
    if "[[" not in text:
        return text

    def one(found: re.Match[str]) -> str:
        parameter = PARAMETERS.get(found["name"])
        if parameter is None:
            return found[0]
        value = found["value"]
        if door is Door.COMMAND:
            return parameter.typed if value is None else f"{parameter.typed} {value}"
        words = parameter.said(value)
        if door is Door.API and parameter.setting is not None:
            words = f"{words} ({parameter.setting})"
        return words if found["article"] is None else f"{found['article']} {words}"

    return MARK.sub(one, text)
