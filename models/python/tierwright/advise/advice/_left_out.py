"""What is said of options that could be better than the answer, and are left out for what nobody states of them."""

from __future__ import annotations

from tierwright.advise.advice._machine import behind_price, costing_less
from tierwright.advise.advice._table import Table
from tierwright.advise.advice.found import Option
from tierwright.common.currency import money
from tierwright.common.wording import counted
from tierwright.evaluate.advice.rows import IntArray


def price(table: Table, at: int, best: Option | None, *, at_least: bool = False) -> str:
    """Say what an option costs, and whether its machines are counted where those of the choice are not, or are.

    Parameters
    ----------
    table : Table
    at : int
        Row of the option.
    best : Option or None
        The choice.
    at_least : bool
        Whether it may need more devices than it lists.
    """
    more = " or more" if at_least else ""
    but = behind_price(table, at, own=None if best is None else best.without_machine)
    return f"{money(int(table.options.month_cents[at]) / 100)} per month{more}{but}"


def sentence(
    table: Table,
    rows: IntArray,
    best: Option | None,
    reason: str,
    *,
    first: str,
    title: str,
    amount: str,
    faster: str = "",
) -> str:
    """Say how many options could be better than the choice, why they are left out, and which of them is the first.

    Parameters
    ----------
    table : Table
    rows : int array
        The options; one or more. They keep every limit whose value is known.
    best : Option or None
        The choice.
    reason : str
        What is not known of them.
    first : str
        What the first of several is, and of which: `cheapest of them`.
    title : str
        The first, in words.
    amount : str
        What it costs, and takes where that is known, as a verb and its object.
    faster : str
        Verb before *less I/O time*, where that is the objective; empty: they cost less.
    """
    one = len(rows) == 1
    better = ""
    if best is not None:
        does = f"{faster} less I/O time" if faster else costing_less(table, rows, best)
        better = f"{does} and "
    # Where bounds left options out, those that are listed are not all.
    options = "option" if table.left_out is None else "listed option"
    which = f"it is {title}, and {amount}" if one else f"the {first}, {title}, {amount}"
    return (
        f"of {counted(len(rows), options)} that {better}{'keeps' if one else 'keep'} every limit whose value is known, "
        f"{reason}; {which}"
    )
