"""The paper for approval of a ranking: the advice on its quotes as a file, and what a committee would send back."""

import asyncio
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise import exports, quote_ranking
from tierwright.advise import report as reports
from tierwright_server.common.errors import NeedsTrace
from tierwright_server.http.context import Context
from tierwright_server.questions.advice import check
from tierwright_server.questions.advice.report import Report, check_title
from tierwright_server.questions.advice.schemas import AdviceCheckOut
from tierwright_server.questions.point_schemas import class_of
from tierwright_server.questions.quote_rankings.schemas import (
    PaperCheckOut,
    QuotePaperIn,
    QuoteRankingIn,
    SentBackOut,
    StatementsIn,
    SwitchOut,
)
from tierwright_server.questions.quote_rankings.service import Compared, compared

EXPORTS = {"focus": "csv", "opencost": "csv", "purchases": "csv"}
"""Forms beside those of a report, and how their files end."""
MEDIA_TYPES = {**reports.FORMS, **dict.fromkeys(EXPORTS, reports.FORMS["csv"])}
MONTHS_A_YEAR = 12


async def replay(
    session: AsyncSession, context: Context, body: QuoteRankingIn
) -> AdviceCheckOut | None:
    """Queue the replays of what was close; None where all of them have been made.

    Raises
    ------
    NeedsTrace
        If the workload has nothing to replay.
    """
    asked = await compared(session, context, body)
    return await check.queued(session, context, asked.question)


async def written(
    session: AsyncSession,
    context: Context,
    body: QuotePaperIn,
    form: str,
    title: str | None,
) -> Report:
    """Write the paper, or the bill of the chosen quote in the format of another tool.

    Raises
    ------
    BadInput
        If a form without heading is given one, or nothing that can be exported is recommended.
    """
    check_title(form, title)
    asked = await compared(session, context, body)
    document = await _document(session, context, asked, body.statements)

    def made() -> Report:
        ending = EXPORTS.get(form, form)
        kind = f"{form}-" if form in EXPORTS else ""
        return Report(
            f"quotes-{kind}{document['quotes']['ranking_id']}.{ending}",
            MEDIA_TYPES[form],
            _exported(document, form)
            if form in EXPORTS
            else reports.made(
                document, form, title=reports.TITLE if title is None else title
            ),
        )

    return await asyncio.to_thread(made)


def _exported(document: dict[str, Any], form: str) -> bytes:
    if form == "focus":
        text = exports.focus_csv(
            document,
            exports.month_after(document["quotes"]["day"]),
            months=min(MONTHS_A_YEAR, document["horizon_months"]),
        )
    elif form == "opencost":
        text = exports.opencost_csv(document)
    else:
        text = exports.purchases_csv(document)
    return text.encode()


async def checked(
    session: AsyncSession, context: Context, body: QuotePaperIn
) -> PaperCheckOut:
    """Name what a committee would send the paper back for."""
    asked = await compared(session, context, body)
    document = await _document(session, context, asked, body.statements)
    day = document["quotes"]["day"]
    found = await asyncio.to_thread(reports.sent_back, document, day=day)
    return PaperCheckOut(
        advice_id=document["advice_id"],
        ranking_id=document["quotes"]["ranking_id"],
        finding=document["finding"],
        status=document["status"],
        day=day,
        passes=not found,
        sent_back=[SentBackOut.model_validate(each) for each in found],
        switching=[
            SwitchOut.model_validate(each) for each in document["quotes"]["switching"]
        ],
        open_assumptions=[
            each["code"]
            for each in document["cautions"]
            if each["could_change_choice"] is True
        ],
        without_validity=reports.without_validity(document),
        evidence=class_of(asked.question.curve),
    )


async def _document(
    session: AsyncSession, context: Context, asked: Compared, statements: StatementsIn
) -> dict[str, Any]:
    """Return the advice on the quotes with what the paper states, by replays where all of them have been made."""
    try:
        replayed = await check.made(session, context, asked.question)
    except NeedsTrace:
        replayed = None

    def made() -> dict[str, Any]:
        found: quote_ranking.QuotedAdvice = asked.answer(replayed, how_sure=True)
        return reports.with_statements(
            found.to_dict(derivation=True),
            reports.Statements(**statements.model_dump()),
        )

    return await asyncio.to_thread(made)
