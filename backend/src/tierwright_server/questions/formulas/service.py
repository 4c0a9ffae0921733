"""Single formulas: the models' cards as they are; answers from a process of its own.

Some formulas replay a trace or loop over a count, so none is evaluated in the server: each has
a process with a limit of memory, which is killed when its time is over.
"""

import asyncio
import json
import shutil
import tempfile
from dataclasses import asdict
from functools import cache
from typing import Any

import structlog

from tierwright.catalogue import card as catalogue_card
from tierwright.catalogue import limited, table
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright_server.common.errors import (
    NotFound,
    Unavailable,
    Unprocessable,
    of_model,
)
from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.settings import Settings
from tierwright_server.http.steps import derivation_row
from tierwright_server.jobs.brief import Said, ask_child
from tierwright_server.jobs.limits import describe_exit, ran_out_of_memory
from tierwright_server.questions.formulas.schemas import (
    FormulaAnswerOut,
    FormulaCardOut,
    FormulaExampleOut,
    FormulaFamilyOut,
    FormulaIn,
    FormulaOutputOut,
    FormulaPageOut,
    FormulaParameterOut,
    FormulasOut,
)

log = structlog.get_logger(__name__)

CHILD = "tierwright_server.questions.formulas.child"
MOST_ANSWER_BYTES = 4 * 2**20
SMALLER = "Give shorter lists or a shorter trace, or smaller numbers; the command `tierwright formula` takes more time with --timeout-s."
_AT_ONCE = 2
_slots = asyncio.Semaphore(_AT_ONCE)
_STDERR_KEPT = 2000


class TooMuch(Unprocessable):
    """A formula asks for more than one answer may take."""

    name = "too-much"
    title = "The computation was stopped"


@cache
def catalogue() -> FormulasOut:
    """Describe every formula, in the order of the families."""
    return FormulasOut(
        families=[
            FormulaFamilyOut.model_validate(family)
            for family in table.FAMILIES.values()
        ],
        formulas=[_described(card) for card in table.CARDS.values()],
    )


def one(name: str) -> FormulaCardOut:
    """Describe one formula."""
    return _described(_card(name))


def page(name: str) -> FormulaPageOut:
    """Return the page that explains a formula."""
    card = _card(name)
    try:
        text = table.page_text(name)
    except ModelBadInput as error:
        raise NotFound(error.message, hint=error.hint) from error
    return FormulaPageOut(name=name, page_file=card.page_file, text=text)


async def ask(settings: Settings, name: str, body: FormulaIn) -> FormulaAnswerOut:
    """Evaluate a formula in a process of its own."""
    card = _card(name)
    try:
        card.read(body.inputs)  # what is wrong at sight needs no process
        found = limited.answer_of(await _document(settings, name, body.inputs))
    except ModelBadInput as error:
        raise of_model(error, "body.inputs.{}".format) from error
    return FormulaAnswerOut(
        name=found["name"],
        inputs=found["inputs"],
        result=found["result"],
        estimator=found["estimator"],
        validity=found["validity"],
        source=found["source"],
        formula=found["formula"],
        warnings=[WarningOut.model_validate(each) for each in found["warnings"]],
        derivation=[derivation_row(step) for step in found["derivation"]],
    )


def _card(name: str) -> catalogue_card.Card:
    try:
        return table.card_of(name)
    except ModelBadInput as error:
        raise NotFound(error.message, hint=error.hint) from error


def _described(card: catalogue_card.Card) -> FormulaCardOut:
    example = table.example(card.name)
    return FormulaCardOut(
        name=card.name,
        family=card.family,
        title=card.title,
        says=card.says,
        formula=card.formula,
        source=card.source,
        estimator=card.estimator,
        validity=card.validity,
        parameters=[FormulaParameterOut(**_parameter(each)) for each in card.takes],
        instead=[FormulaParameterOut(**_parameter(each)) for each in card.instead],
        outputs=[FormulaOutputOut(**asdict(each)) for each in card.gives],
        example=FormulaExampleOut.model_validate(example),
        page_file=card.page_file,
        command=card.command,
        address=card.address,
        page=card.page,
    )


def _parameter(parameter: catalogue_card.Parameter) -> dict[str, Any]:
    found = asdict(parameter)
    del found["argument"], found["columns"]  # what the kernel calls it, and its checks
    return found


async def _document(
    settings: Settings, name: str, inputs: dict[str, Any]
) -> dict[str, Any]:
    limit_s = settings.formula_timeout_s
    try:
        async with asyncio.timeout(limit_s):
            await _slots.acquire()
    except TimeoutError:
        raise Unavailable(
            f"formula `{name}`: {_AT_ONCE} others are still computed",
            hint="Send the request again in a few seconds.",
        ) from None
    # Of its own, so that nothing stays of a process that is killed.
    folder = tempfile.mkdtemp(prefix="tierwright-formula-")
    try:
        async with asyncio.timeout(limit_s):
            said = await ask_child(
                CHILD,
                {
                    "name": name,
                    "inputs": inputs,
                    "memory_bytes": settings.formula_memory_bytes,
                },
                {"TMPDIR": folder, "OPENBLAS_NUM_THREADS": "1"},
            )
    except TimeoutError:
        raise TooMuch(
            f"formula `{name}` took more than {limit_s:g} s and was stopped",
            hint=SMALLER,
        ) from None
    finally:
        _slots.release()
        shutil.rmtree(folder, ignore_errors=True)
    return _read(settings, name, said)


def _read(settings: Settings, name: str, said: Said) -> dict[str, Any]:
    if said.exit_code != 0:
        if ran_out_of_memory(said.exit_code, said.stderr):
            raise TooMuch(
                f"formula `{name}` needs more than the "
                f"{settings.formula_memory_bytes / 2**20:,.0f} MiB that one may use",
                hint=SMALLER,
            )
        how = describe_exit(said.exit_code)
        if said.exit_code not in limited.KILLED:
            raise limited.failed(name, how, said.stderr[-_STDERR_KEPT:])
        log.warning(
            "a formula ended early", how=how, stderr=said.stderr[-_STDERR_KEPT:]
        )
        raise TooMuch(
            f"formula `{name}`: the process that computed it {how}", hint=SMALLER
        )
    if len(said.stdout) > MOST_ANSWER_BYTES:
        raise TooMuch(
            f"formula `{name}`: the result has {len(said.stdout):,} bytes, more than the "
            f"{MOST_ANSWER_BYTES:,} of one answer",
            hint=SMALLER,
        )
    found: dict[str, Any] = json.loads(said.stdout)
    return found
