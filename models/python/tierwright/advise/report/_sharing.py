"""The sections of a report of a placement: which of several workloads share a system, and what each system is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from tierwright.advise.placement.found import left_out, not_counted, placed_together
from tierwright.advise.report import _answer, _basis
from tierwright.advise.report import _figures as show
from tierwright.advise.report._answer import Document, named
from tierwright.advise.report._formulas import SYMBOLS, Formula, of_option
from tierwright.advise.report._markup import Markup, facts, joined, table, tag
from tierwright.advise.report._options import HEADINGS, Cell, cells_of
from tierwright.common.wording import counted, rate_text

TITLE = "Which workloads share a system, and what each system is"
NOTHING = "There is nothing to buy: no choice of systems keeps every limit."
SYSTEM, ANOTHER = "system", "another way to share"
"""Roles of the rows of the table."""
WAYS = (
    "workloads of each system",
    "systems",
    "per month [USD]",
    "more than recommended [USD]",
    "I/O time per access",
)
MACHINES = "price of the machines"
"""Heading of what the cost lacks, in tables whose costs are numbers, where some cost lacks it."""
HELD = (
    "workload",
    "system",
    "page accesses per second",
    "RAM that it holds",
    "accesses that hit RAM",
)
PARTS = ("part of the RAM of least misses", "accesses that would hit there")
"""Behind `HELD` where some cache that workloads share could be divided."""

DIVIDED = (
    "RAM divided",
    "parts on all machines [bytes]",
    "parts on each machine [bytes]",
)
"""Headings behind those of an option, of what each workload has of a system whose RAM is divided."""
_COST = "cost [USD/month]"


def carried(system: Document) -> str:
    """Name the workloads of a system."""
    return ", ".join(held["name"] for held in system["workloads"])


def as_advice(document: Document, system: Document) -> Document:
    """Return a system as what an advice recommends, for the parts that describe an option."""
    return {
        "recommendation": system["option"],
        "option_zero": None,
        "saving_usd_per_month": None,
        "when": None,
        "versions": document["versions"],
        "constraints": document["constraints"],
        "horizon_months": document["horizon_months"],
    }


def without_machines(machines: int) -> str:
    """Say behind the cost of systems that some are RAM and devices, without the price of so many machines; empty of 0.

    Parameters
    ----------
    machines : int
        That the systems need whose price lacks theirs.
    """
    what = "machine" if machines == 1 else "machines"
    return f", without the {what} that RAM and devices need" if machines else ""


def summary(document: Document) -> Markup:
    """Return the key figures under the title."""
    if not document["systems"]:
        return Markup("")
    but = without_machines(sum(_left_out(document["systems"])))
    rows = (
        ("Systems", str(len(document["systems"]))),
        ("Cost per month", f"{show.usd(document['usd_per_month'])} USD{but}"),
        ("Paid at purchase", f"{show.usd(document['purchase_usd'])} USD{but}"),
        (
            "I/O time per access",
            show.figure(document, "io_time_us_per_access", show.time),
        ),
    )
    return tag(
        "dl",
        joined(tag("div", tag("dt", name), tag("dd", value)) for name, value in rows),
        class_="key",
    )


def questions(document: Document) -> list[tuple[str, str]]:
    """Return what was asked: names and values."""
    workloads = [
        f"{held['name']}, {rate_text(held['accesses_per_s'])} page accesses per second"
        for system in document["systems"]
        for held in system["workloads"]
    ]
    rows = [("Workloads", "; ".join(workloads))] if workloads else []
    rows += _answer.wanted(document)
    if document["evaluated"] is not None and document["groups"] is not None:
        rows.append(
            (
                "Candidates",
                f"{counted(document['evaluated'], 'option was', 'options were')} evaluated for "
                f"{counted(document['groups'], 'group')} of workloads",
            )
        )
    rows.append(_answer.price_book(document))
    return rows


def question(document: Document) -> Iterator[Markup]:
    """Say what was asked."""
    yield facts(questions(document))


def answer(document: Document) -> Iterator[Markup]:
    """Say which workloads share a system, and what must be known with it."""
    yield tag("p", document["finding"], class_="lead")
    for each in _answer.currency(document):
        yield tag("p", each, class_="note")
    if document["systems"]:
        yield from _answer.open_cautions(document)


def systems(document: Document) -> Iterator[Markup]:
    """Return the systems, and the bill of each."""
    found = document["systems"]
    if not found:
        yield tag("p", NOTHING)
        return
    yield table(
        "Systems, each with all of its machines",
        [
            ("workloads", False),
            ("system", False),
            ("page accesses per second", True),
            ("data to hold", True),
            ("at purchase [USD]", True),
            ("per month [USD]", True),
        ],
        [
            [
                carried(each),
                named(each["option"]),
                f"{rate_text(each['accesses_per_s'])}, {rate_text(each['peak_accesses_per_s'])} in the busiest hour",
                show.size(each["data_bytes"]),
                show.usd(each["option"]["purchase_usd"]),
                show.usd(each["option"]["usd_per_month"]),
            ]
            for each in found
        ],
        [
            "total",
            "",
            "",
            "",
            show.usd(document["purchase_usd"]),
            show.usd(document["usd_per_month"]),
        ],
    )
    for each in found:
        yield tag("h3", f"Bill of the system of {carried(each)}")
        yield from _answer.bill(as_advice(document, each))


def held_table(document: Document) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return what each workload holds of the RAM of its system: headings and rows."""
    every = [(each, held) for each in document["systems"] for held in each["workloads"]]
    has_parts = any(held["part_bytes"] is not None for _, held in every)
    rows = [
        [
            held["name"],
            each["option"]["name"],
            rate_text(held["accesses_per_s"]),
            _ram(held["ram_bytes"], each if each["in_parts"] else None),
            show.share(held["hit_share"]),
            *(_part(held, each) if has_parts else ()),
        ]
        for each, held in every
    ]
    return (*HELD, *(PARTS if has_parts else ())), rows


def _part(held: Document, system: Document) -> tuple[str, str]:
    if held["part_bytes"] is None:
        return show.NOTHING, show.NOTHING
    return _ram(held["part_bytes"], system), show.share(held["part_hit_share"])


def _ram(ram_bytes: float, divided: Document | None) -> str:
    """Write RAM of all machines of a system and, where it is divided, what of it is to be configured on each of several."""
    machines = 1 if divided is None else divided["option"]["machines"]
    whole = show.size(ram_bytes)
    if machines == 1 or not ram_bytes:
        return whole
    return (
        f"{whole}, {show.size(ram_bytes / machines)} on each of {machines:,} machines"
    )


def held(document: Document) -> Iterator[Markup]:
    """Return what each workload holds of the RAM of its system."""
    if not document["systems"]:
        yield tag("p", NOTHING)
        return
    headings, rows = held_table(document)
    yield table(
        "Who holds what",
        [(heading, at > 1) for at, heading in enumerate(headings)],
        rows,
    )
    for note in _how_held(document):
        yield tag("p", note, class_="note")


def _how_held(document: Document) -> Iterator[str]:
    """Say how the workloads of a system use its RAM."""
    several = [each for each in document["systems"] if len(each["workloads"]) > 1]
    if any(not each["in_parts"] for each in several):
        yield (
            "Workloads that share the cache of a system hold what is stated on average; it follows from how often they access "
            "pages."
        )
    for each in several:
        if each["in_parts"]:
            yield f"The RAM of the system of {carried(each)} is divided: each of these workloads has the part that is stated."


def figures(document: Document) -> Iterator[Markup]:
    """Return what is expected of each system."""
    shown = titled(document)
    if not shown:
        yield tag("p", NOTHING)
        return
    yield from _answer.figures_of(shown)


def titled(document: Document) -> list[tuple[str, Document]]:
    """Return the option of each system under the workloads that it carries."""
    return [(carried(each), each["option"]) for each in document["systems"]]


def _left_out(found: Sequence[Document]) -> tuple[int, ...]:
    """Return the machines that the cost of systems lacks, by system; empty where it lacks none."""
    return left_out(
        (int(each["option"]["machines"]), bool(each["option"]["without_machine"]))
        for each in found
    )


def way_cells(
    document: Document,
) -> Iterator[tuple[str, int, Decimal, Decimal | None, str]]:
    """Yield the cells of `WAYS` of each way to share, the recommended one first where there is one.

    A difference is None of what is recommended, and where both costs do not lack equally many machines.
    """
    own = document["usd_per_month"]
    found = document["systems"]
    lacks = sum(_left_out(found))
    if own is not None:
        groups = [[held["name"] for held in each["workloads"]] for each in found]
        parts = [each["in_parts"] for each in found]
        time = show.figure(document, "io_time_us_per_access", show.time)
        yield f"{_groups(groups, parts)} (recommended)", len(groups), own, None, time
    for each in document["alternatives"]:
        yield (
            _groups(each["groups"], each["in_parts"]),
            len(each["groups"]),
            each["usd_per_month"],
            None
            if own is None or sum(each["machines_left_out"]) != lacks
            else each["usd_per_month"] - own,
            show.figure(each, "io_time_us_per_access", show.time),
        )


def way_lacks(document: Document) -> list[str]:
    """Say of each row of `way_cells`, behind its cost, which machines that lacks; empty where none."""
    own = [] if document["usd_per_month"] is None else [_left_out(document["systems"])]
    others = [each["machines_left_out"] for each in document["alternatives"]]
    return [not_counted(each) for each in (*own, *others)]


def way_table(document: Document) -> tuple[list[str], list[list[Cell]]]:
    """Return headings and rows of the ways to share for a spreadsheet, behind the cost what that lacks."""
    cells: list[list[Cell]] = [list(each) for each in way_cells(document)]
    return with_machines(WAYS, cells, WAYS[2], way_lacks(document))


def with_machines(
    headings: Sequence[str], rows: list[list[Cell]], cost: str, lacks: Sequence[str]
) -> tuple[list[str], list[list[Cell]]]:
    """Put what each cost lacks into a column behind the costs, where one lacks anything.

    Parameters
    ----------
    headings, rows
        The table.
    cost : str
        Heading of the costs.
    lacks : sequence of str
        Of each row, as `not_counted` says it.
    """
    if not any(lacks):
        return list(headings), rows
    at = headings.index(cost) + 1
    return [*headings[:at], MACHINES, *headings[at:]], [
        [*row[:at], said.removeprefix(", ") or None, *row[at:]]
        for row, said in zip(rows, lacks, strict=True)
    ]


def _groups(groups: list[list[str]], in_parts: list[bool]) -> str:
    return "; ".join(map(placed_together, groups, in_parts or [False] * len(groups)))


def ways(document: Document) -> Iterator[Markup]:
    """Return the best other ways to share."""
    if not document["alternatives"]:
        yield tag("p", "No other way to share keeps every limit.")
        return
    yield table(
        "The best systems for each way to share",
        [(heading, at > 0) for at, heading in enumerate(WAYS)],
        [
            [name, str(count), f"{show.usd(usd)}{lacks}", show.signed_usd(more), time]
            for (name, count, usd, more, time), lacks in zip(
                way_cells(document), way_lacks(document), strict=True
            )
        ],
    )


def appendix(document: Document) -> Iterator[Markup]:
    """Return the formulas of the choice and of each system, the derivation, and what repeats the answer."""
    yield _basis.formula_table("Formulas of the choice", list(_of_choice(document)))
    for each in document["systems"]:
        yield _basis.formula_table(
            f"Formulas of the system of {carried(each)}",
            list(of_option(as_advice(document, each), each["option"])),
        )
    if document["systems"]:
        yield tag("p", SYMBOLS, class_="note")
    yield from _basis.derived(document)
    yield from _basis.repeats("placement", document["placement_id"], document)


def formulas(document: Document) -> Iterator[Formula]:
    """Return the formulas of the choice, and those of each system under its workloads."""
    yield from _of_choice(document)
    for each in document["systems"]:
        for one in of_option(as_advice(document, each), each["option"]):
            yield Formula(
                f"{carried(each)}: {one.figure}", one.formula, one.value, one.source
            )


def _of_choice(document: Document) -> Iterator[Formula]:
    yield Formula(
        "RAM that a workload holds of a shared cache",
        "C_i(T), pages of workload i referenced in the last T seconds; T so that the sum of C_i(T) is the size of the cache",
        show.NOTHING,
        "Denning and Schwartz (1972)",
    )
    yield Formula(
        "Part of the RAM of each workload",
        "along the lower convex hulls of the misses per second, the next page to the workload whose misses fall most",
        show.NOTHING,
        "Stone, Turek and Wolf (1992)",
    )
    gap = document["optimality_gap"]
    yield Formula(
        "Choice of the systems",
        "minimise the sum of c_s x_s, x_s 0 or 1, so that each workload is carried by one system and no total exceeds its "
        "limit; c_s: cost of system s, or its I/O time times its rate",
        show.NOTHING if gap is None else f"certified to {show.share(gap)} of the best",
        "set partitioning: Garfinkel and Nemhauser (1969); HiGHS: Huangfu and Hall (2018)",
    )
    if document["systems"]:
        yield Formula(
            "Cost of all systems",
            "sum of the rows of all bills",
            f"{show.usd(document['usd_per_month'])} USD per month",
            "derived",
        )
        yield Formula(
            "I/O time per access, all workloads",
            "sum over the systems of rate x I/O time of an access / sum of the rates",
            show.figure(document, "io_time_us_per_access", show.time),
            "derived",
        )


def options_table(document: Document) -> tuple[list[str], list[list[Cell]]]:
    """Return headings and one row for each system, behind them the other ways to share with what they cost."""
    headings = ["role", "workloads", *HEADINGS, *DIVIDED]
    rows: list[list[Cell]] = [
        [SYSTEM, carried(each), *cells_of(each["option"]), *_divided(each)]
        for each in document["systems"]
    ]
    lacks = [not_counted(_left_out([each])) for each in document["systems"]]
    cost, time = map(HEADINGS.index, (_COST, "I/O time [µs/access]"))
    for each in document["alternatives"]:
        cells: list[Cell] = [None] * len(HEADINGS)
        cells[cost], cells[time] = each["usd_per_month"], each["io_time_us_per_access"]
        groups = _groups(each["groups"], each["in_parts"])
        divided = "yes" if any(each["in_parts"] or ()) else "no"
        rows.append([ANOTHER, groups, *cells, divided, None, None])
        lacks.append(not_counted(each["machines_left_out"]))
    return with_machines(headings, rows, _COST, lacks)


def _divided(system: Document) -> list[Cell]:
    """Return the cells of `DIVIDED` of a system."""
    if not system["in_parts"]:
        return ["no", None, None]
    return [
        "yes",
        *(
            "; ".join(
                f"{held['name']}: {round(held['ram_bytes'] / machines)}"
                for held in system["workloads"]
            )
            for machines in (1, system["option"]["machines"])
        ),
    ]
