"""An advice as a report: a file that those who decide can read."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Response
from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import report as reports
from tierwright.advise.advice.found import Advice
from tierwright.advise.placement import Placement
from tierwright.common.currency import stated
from tierwright_server.common.errors import BadInput
from tierwright_server.http.context import Context
from tierwright_server.questions.advice import check, service
from tierwright_server.questions.advice.schemas import AdviceIn


@dataclass(frozen=True, slots=True)
class Report:
    """A report as a file.

    Attributes
    ----------
    name : str
        Of the file: the id of the answer is part of it.
    media_type : str
    content : bytes
    """

    name: str
    media_type: str
    content: bytes

    def response(self) -> Response:
        """Send it as a file to save."""
        return Response(
            self.content,
            media_type=self.media_type,
            headers={"Content-Disposition": f'attachment; filename="{self.name}"'},
        )


def check_title(form: str, title: str | None) -> None:
    """Refuse a heading of a form that has none.

    Raises
    ------
    BadInput
        If one is given.
    """
    if title is not None and form not in reports.WITH_TITLE:
        raise BadInput.at(
            "query.title",
            title,
            f"a report as {form} has no heading",
            hint=f"Leave it out, or ask for one of {', '.join(reports.WITH_TITLE)}.",
        )


def file_response(
    media_types: Mapping[str, str], description: str, file_name: str
) -> dict[str, Any]:
    """Describe an answer that is a file to save, for the API document.

    Parameters
    ----------
    media_types : mapping of str to str
        By form.
    description : str
    file_name : str
        What the header with the name of the file is.
    """
    return {
        "description": description,
        "headers": {
            "Content-Disposition": {
                "description": file_name,
                "schema": {"type": "string"},
            }
        },
        "content": {
            media_type.partition(";")[0]: {
                "schema": {"type": "object"}
                if form == "json"
                else {"type": "string", "format": "binary"}
            }
            for form, media_type in media_types.items()
        },
    }


async def report(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: AdviceIn,
    form: str,
    title: str | None,
    *,
    is_checked: bool = False,
) -> Report:
    """Write the advice as a report; its formulas are always part of it.

    Raises
    ------
    BadInput
        If a form without heading is given one, or the replays of a checked advice have not all been made.
    """
    check_title(form, title)
    question = await service.find(session, context, workload_id, body)
    replayed = None
    if is_checked:
        replayed = await check.made(session, context, question)
        if replayed is None:
            raise BadInput.at(
                "query.checked",
                "true",
                "its finalists have not all been replayed",
                hint="Ask for the check of this advice first, or leave it out.",
            )

    found = await service.answered(
        session, context, question, replayed, how_sure=body.how_sure
    )

    return await asyncio.to_thread(file_of, found, form, title)


def file_of(found: Advice | Placement, form: str, title: str | None) -> Report:
    """Write an answer as a file.

    Parameters
    ----------
    found : Advice or Placement
    form : str
        Of `tierwright.advise.report.FORMS`.
    title : str or None
        Its heading; None: a general one.
    """
    document = stated(found.to_dict(derivation=True))
    return Report(
        f"{'-'.join(reports.identity_of(document))}.{form}",
        reports.FORMS[form],
        reports.made(document, form, title=title),
    )
