"""Single formulas of the papers: what each says, and its answer for any inputs."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from tierwright_server.http.context import ContextDep
from tierwright_server.http.listening import while_listening
from tierwright_server.http.paging import Page, Search, holds, paged
from tierwright_server.http.problems import responses
from tierwright_server.questions.formulas import service
from tierwright_server.questions.formulas.schemas import (
    FormulaAnswerOut,
    FormulaCardOut,
    FormulaIn,
    FormulaPageOut,
    FormulasOut,
)

router = APIRouter(prefix="/formulas", tags=["formulas"])

FormulaName = Annotated[
    str, Path(description="Name of the formula, such as `face.writeback_chain`.")
]


@router.get("", operation_id="list_formulas", responses=responses())
async def list_formulas(
    page: Annotated[Page, paged("name", "title")],
    name: Search = None,
    family: Annotated[
        str | None,
        Query(pattern=r"^[a-z0-9_]{1,40}$", description="Only of this paper."),
    ] = None,
) -> FormulasOut:
    """List every formula with its inputs, results, source and an example."""
    found = service.catalogue()
    formulas, _ = page.cut(
        each
        for each in found.formulas
        if holds(each.name, name) and family in (None, each.family)
    )
    return FormulasOut(families=found.families, formulas=formulas)


@router.get("/{name}", operation_id="get_formula", responses=responses(404))
async def get_formula(name: FormulaName) -> FormulaCardOut:
    """Describe one formula."""
    return service.one(name)


@router.get("/{name}/page", operation_id="get_formula_page", responses=responses(404))
async def get_formula_page(name: FormulaName) -> FormulaPageOut:
    """Return the page of the documentation that explains a formula, in Markdown."""
    return service.page(name)


@router.post("/{name}", operation_id="ask_formula", responses=responses(404))
async def ask_formula(
    name: FormulaName, body: FormulaIn, context: ContextDep, request: Request
) -> FormulaAnswerOut:
    """Evaluate one formula on any inputs, within bounds of size, memory and time."""
    work = service.ask(context.settings, name, body)
    return await while_listening(request, work)
