"""`tierwright sweep`: many configurations over one read of a trace."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tierwright.cli.charge import charge
from tierwright.cli.options import WarmUpOption, warm_up_of
from tierwright.cli.output import (
    Json,
    as_typed,
    print_json,
    print_notes,
    print_table,
    print_warnings,
    progress,
)
from tierwright.cli.reads import reads_trace
from tierwright.cli.sizes import page_bytes_of, parse_sizes
from tierwright.common.errors import BadInput
from tierwright.common.units import format_count
from tierwright.common.wording import counted
from tierwright.simulate.contenders import GivenOption, parse_option, spelled
from tierwright.trace.reading import Trace


@reads_trace
def sweep(
    trace: Trace,
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="P",
            help="Replacement policy or buffer; may be repeated.",
        ),
    ] = None,
    pages: Annotated[
        str | None,
        typer.Option(
            "--pages",
            metavar="N,N,...",
            help="Sizes of each policy. [pages, or bytes as 64MiB]",
        ),
    ] = None,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            "--scheme",
            metavar="S",
            help="Page-flow scheme or flash cache; may be repeated.",
        ),
    ] = None,
    ram_pages: Annotated[
        str | None,
        typer.Option(
            "--ram-pages",
            metavar="R,R,...",
            help="RAM of each scheme. [pages, or bytes as 64MiB]",
        ),
    ] = None,
    flash_pages: Annotated[
        str | None,
        typer.Option(
            "--flash-pages",
            metavar="F,F,...",
            help="Flash of each scheme. [pages, or bytes as 64MiB]",
        ),
    ] = None,
    flash_metadata: Annotated[
        str | None,
        typer.Option(
            "--flash-metadata",
            metavar="NAME",
            help="Replay schemes with flash in the RAM left by the flash metadata; "
            "`tierwright metadata` lists the presets.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="[NAME:]K=V",
            help="Option of the contender NAME, or of all that have it; may be repeated.",
        ),
    ] = None,
    miniature: Annotated[
        float | None,
        typer.Option(
            "--miniature",
            metavar="R",
            help="Estimate from this share of the pages instead of replaying all.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", min=0, max=2**64 - 1, help="Which pages a miniature follows."
        ),
    ] = 0,
    warm_up: WarmUpOption = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", min=1, max=1024, help="Replays at a time [default: cores]."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Replay every policy at every size, and every scheme at all sizes, in one read.

    Cost-aware buffers are named like policies, choosers and flash caches like schemes.

    `--option k_in=0.5` goes to every contender that has it, `--option 2q:k_in=0.5` to one; who took
    it is said on stderr, and in `options` of each row. What nobody has is refused.

    Prints one row a configuration. Interrupted, it prints the rows it has: `complete` says
    whether a row is of the whole trace, `accesses` how much it has seen. A row that failed says
    why; the exit code is then 1.

    With --warm-up, the first accesses (`warm_up`) fill the caches and are not counted; a miniature warms up
    with its own share of them.

    With --flash-metadata, --ram-pages are budgets: `ram_budget_pages` of a row, whose `ram_pages`
    are what the memory of flash leaves.
    """
    from tierwright.simulate import replay as core

    page = page_bytes_of(trace)

    def listed(text: str | None, option: str, least: int) -> list[int]:
        return [size.at(page) for size in parse_sizes(text, option, least)]

    configurations = _configurations(
        policy or [],
        listed(pages, "--pages", 1),
        scheme or [],
        listed(ram_pages, "--ram-pages", 1),
        listed(flash_pages, "--flash-pages", 0),
        [parse_option(text, "--option") for text in option or []],
    )
    _print_takers(option or [], configurations)
    budgets = charge(trace, configurations, flash_metadata)
    warm = warm_up_of(trace, warm_up)
    interrupted = False
    rows: list[dict[str, Any]] = []
    try:
        with progress("sweep") as on_progress:
            if miniature is not None:
                found = core.miniatures(
                    trace,
                    configurations,
                    miniature,
                    seed=seed,
                    warm_up=warm,
                    threads=threads,
                    on_progress=on_progress,
                )
            else:
                found = core.sweep(
                    trace,
                    configurations,
                    warm_up=warm,
                    threads=threads,
                    on_progress=on_progress,
                )
            rows = _with_budgets(found["rows"], budgets)
            interrupted = found["cancelled"]
        print_notes(found)
    except KeyboardInterrupt:
        if not rows:
            raise
        interrupted = True
    # A sweep that was interrupted has fewer rows; flash caches tell all that was in force.
    for row, asked in zip(rows, configurations, strict=False):
        if asked["options"]:
            row.setdefault("options", asked["options"])
    if json:
        print_json(rows)
    else:
        _print_rows(rows)
        _print_hints(rows)
        _print_warnings(rows)
    if interrupted:
        all_of = counted(len(configurations), "configuration")
        done = counted(
            sum(row["complete"] for row in rows),
            f"of {all_of} was",
            f"of {all_of} were",
        )
        typer.echo(f"interrupted: {done} replayed on the whole trace", err=True)
        raise typer.Exit(130)
    if any("error" in row for row in rows):
        raise typer.Exit(1)


def _configurations(
    policies: list[str],
    pages: list[int],
    schemes: list[str],
    ram_pages: list[int],
    flash_pages: list[int],
    options: list[GivenOption],
) -> list[dict[str, Any]]:
    if not policies and not schemes:
        raise BadInput(
            "there is nothing to sweep",
            "use --policy lru --pages 100,1000, or --scheme lazy --ram-pages 100 "
            "--flash-pages 1000",
        )
    for chosen, name, sizes in (
        (policies, "--pages", pages),
        (schemes, "--ram-pages", ram_pages),
        (schemes, "--flash-pages", flash_pages),
    ):
        needs = "--policy" if name == "--pages" else "--scheme"
        if chosen and not sizes:
            raise BadInput(f"{needs} needs {name}", f"add {name} N,N,...")
        if sizes and not chosen:
            raise BadInput(f"{name} has no {needs}", f"add {needs}, or leave it out")
    from tierwright.simulate import replay as core
    from tierwright.simulate.contenders import assign

    one_tier = [
        _find(name, policy=core.contenders("policy"), buffer=core.contenders("buffer"))
        for name in policies
    ]
    two_tier = [
        _find(
            name,
            scheme=core.contenders("scheme"),
            chooser=core.contenders("chooser"),
            flash_cache=core.contenders("flash_cache"),
        )
        for name in schemes
    ]
    contenders = [*one_tier, *two_tier]
    own = assign([row for _, row in contenders], options, "--option")
    found: list[dict[str, Any]] = []
    for at, (kind, row) in enumerate(contenders):
        points: list[dict[str, int]] = (
            [{"pages": size} for size in pages]
            if at < len(one_tier)
            else [
                {"ram_pages": ram, "flash_pages": flash}
                for ram in ram_pages
                for flash in flash_pages
            ]
        )
        found += [{kind: row["name"], **point, "options": own[at]} for point in points]
    return found


def _print_takers(given: list[str], configurations: list[dict[str, Any]]) -> None:
    """Say on stderr who took each option, where not everybody did."""
    for text in given:
        option = parse_option(text, "--option")
        takers, others = (
            list(
                dict.fromkeys(
                    _contender(one)
                    for one in configurations
                    if _takes(one, option) is wanted
                )
            )
            for wanted in (True, False)
        )
        if others:
            typer.echo(
                f"option {text}: taken by {', '.join(takers)}; not by {', '.join(others)}",
                err=True,
            )


def _contender(configuration: dict[str, Any]) -> str:
    return next(str(configuration[kind]) for kind in _TITLES if kind in configuration)


def _takes(configuration: dict[str, Any], option: GivenOption) -> bool:
    return (
        option.owner in (None, _contender(configuration))
        and configuration["options"].get(option.name) == option.value
    )


def _with_budgets(
    rows: list[dict[str, Any]], budgets: list[int | None]
) -> list[dict[str, Any]]:
    return [
        {**row, "ram_budget_pages": budget} if budget is not None else row
        for row, budget in zip(rows, budgets, strict=True)
    ]


def _find(name: str, **tables: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Find a name: in which table it is, and its entry.

    Raises
    ------
    BadInput
        If it is in none; the hint lists all names.
    """
    for kind, table in tables.items():
        for row in table:
            if row["name"] == spelled(name):
                return kind, row
    known = ", ".join(row["name"] for table in tables.values() for row in table)
    kinds = " or ".join(_TITLES[kind] for kind in tables)
    raise BadInput(f"no such {kinds}: `{name}`", f"known: {known}")


_TITLES = {
    "policy": "replacement policy",
    "buffer": "buffer",
    "scheme": "page-flow scheme",
    "chooser": "chooser",
    "flash_cache": "flash cache",
}

_COUNTERS = ("misses", "disk_writes", "flash_hits", "flash_misses", "flash_writes")


def _print_rows(rows: list[dict[str, Any]]) -> None:
    shown = [name for name in _COUNTERS if any(name in row for row in rows)]
    table = []
    for row in rows:
        line = [_name(row), _sizes(row)]
        line.append("-" if "error" in row else format_count(row["accesses"]))
        line += [_count(row, name) for name in shown]
        line.append(
            as_typed(row.get("error", ""))
            or ("" if row.get("complete", True) else "partial")
        )
        table.append(line)
    columns = [("configuration", False), ("pages", True), ("accesses", True)]
    columns += [(name.replace("_", " "), True) for name in shown]
    print_table("", [*columns, ("", False)], table)


def _print_hints(rows: list[dict[str, Any]]) -> None:
    """Say what to do about the failures in the table, each once, with whose they are."""
    of: dict[str, list[str]] = {}
    for row in rows:
        if "error" in row and row.get("hint"):
            of.setdefault(row["hint"], []).append(f"{_name(row)} {_sizes(row)}")
    for hint, whose in of.items():
        typer.echo(f"hint: {', '.join(whose)}: {as_typed(hint)}", err=True)


def _print_warnings(rows: list[dict[str, Any]]) -> None:
    """Print each warning once, with the configurations that it is of."""
    of: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        for warning in row.get("warnings", []):
            key = (warning["name"], warning["message"], warning["hint"])
            of.setdefault(key, []).append(f"{_name(row)} {_sizes(row)}")
    print_warnings(
        [
            {"name": name, "message": f"{', '.join(whose)}: {message}", "hint": hint}
            for (name, message, hint), whose in of.items()
        ]
    )


def _name(row: dict[str, Any]) -> str:
    return str(row.get("policy") or row.get("scheme") or "-")


def _sizes(row: dict[str, Any]) -> str:
    sizes = [row.get(name) for name in ("pages", "ram_pages", "flash_pages")]
    texts = [format_count(size) for size in sizes if size is not None]
    if "ram_budget_pages" in row:
        texts[0] += f" of {format_count(row['ram_budget_pages'])}"
    return " + ".join(texts)


def _count(row: dict[str, Any], name: str) -> str:
    if name not in row:
        return "-"
    count = format_count(round(row[name]))
    if "interval95" not in row:
        return count
    if row["interval95"] is None:
        return f"{count} (no interval)"
    low, high = row["interval95"][name]
    return f"{count} ({format_count(round(low))} to {format_count(round(high))})"
