"""An advice as a report: a file that those who decide can read."""

import asyncio
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import report as reports
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
        Of the file: the id of the advice is part of it.
    media_type : str
    content : bytes
    """

    name: str
    media_type: str
    content: bytes


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
    if title is not None and form not in reports.WITH_TITLE:
        raise BadInput.at(
            "query.title",
            title,
            f"a report as {form} has no heading",
            hint=f"Leave it out, or ask for one of {', '.join(reports.WITH_TITLE)}.",
        )
    question = await service.find(session, context, workload_id, body)
    replays = None
    if is_checked:
        replays = await check.made(session, context, question)
        if replays is None:
            raise BadInput.at(
                "query.checked",
                "true",
                "its finalists have not all been replayed",
                hint="Ask for the check of this advice first, or leave it out.",
            )

    found = await service.answered(
        session, context, question, replays, how_sure=body.how_sure
    )

    def written() -> Report:
        document = stated(found.to_dict(derivation=True))
        return Report(
            f"advice-{document['advice_id']}.{form}",
            reports.FORMS[form],
            reports.made(
                document, form, title=reports.TITLE if title is None else title
            ),
        )

    return await asyncio.to_thread(written)
