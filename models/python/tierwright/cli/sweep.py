"""`tierwright sweep`: many configurations over one read of a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from tierwright.cli.charge import charge
from tierwright.cli.flash_life import (
    RateOfReplay,
    check_rate_of_replay,
    how_to_state_it,
    lives_of,
    options_at_rate,
    paces_of,
)
from tierwright.cli.in_production import (
    Recorded,
    RecordedProfile,
    Source,
    document,
    recorded,
)
from tierwright.cli.options import WarmUpOption, preset_of, warm_up_of
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
from tierwright.cli.scale import ProductionOption
from tierwright.cli.sizes import PageBytes, parse_sizes
from tierwright.cli.workers import DaskOption, spread_over
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import counted, percent, three_digits
from tierwright.simulate.contenders import GivenOption, parse_option, spelled
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.advise.in_production import Corresponding
    from tierwright.evaluate.scale.replays import ReplaySizes
    from tierwright.simulate.replay import Family, Replay
    from tierwright.simulate.warm_up import AskedWarmUp


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
    profile: RecordedProfile = None,
    production: ProductionOption = None,
    flash_device: Annotated[
        str | None,
        typer.Option(
            "--flash-device",
            metavar="ID",
            help="Flash device: how long it lasts stands in each row with flash.",
        ),
    ] = None,
    accesses_per_s: Annotated[float | None, RateOfReplay] = None,
    dask: DaskOption = None,
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
    with its own share of them. With `--warm-up full` each row has its own, and one whose cache is never full fails.

    With --flash-metadata, --ram-pages are budgets: `ram_budget_pages` of a row, whose `ram_pages`
    are what the memory of flash leaves.

    With --production, sizes are of one machine of production. FILE, the recording, is replayed at the sizes that
    correspond by the scale law, with its first half as warm-up unless --warm-up says otherwise; `production` of
    each row has the sizes of production and what is counted, per second. A row for which the recording is too
    small says so in place of counts.

    With --accesses-per-s, flash wears at this rate, and flash caches that work by the clock are replayed at it: over
    a trace without times so many accesses make a second, else its times are multiplied (`stretch` in `options`).

    With --dask, the configurations are replayed by the workers of a cluster, with the same rows; --threads is of this
    process alone.
    """
    from tierwright.simulate import replay as core
    from tierwright.simulate.stated_rate import once

    made = recorded(trace, profile, production)
    check_rate_of_replay(accesses_per_s, made)
    source = Source.of(trace, made)

    def listed(text: str | None, option: str, least: int) -> list[int]:
        return [size.at(source.page_bytes) for size in parse_sizes(text, option, least)]

    configurations = _configurations(
        policy or [],
        listed(pages, "--pages", 1),
        scheme or [],
        listed(ram_pages, "--ram-pages", 1),
        listed(flash_pages, "--flash-pages", 0),
        [parse_option(text, "--option") for text in option or []],
    )
    _print_takers(option or [], configurations)
    recorded_rate = once(source.trace)
    configurations = [
        {
            **each,
            "options": options_at_rate(
                *_family_and_name(each),
                each.get("flash_pages", 0),
                each["options"],
                accesses_per_s,
                recorded_rate,
            ),
        }
        for each in configurations
    ]
    budgets = charge(trace, configurations, flash_metadata, source.curve)
    warm = warm_up_of(trace, warm_up) if made is None else made.warm_up_of(warm_up)
    stand_ins = None if made is None else StandIns.of(made, configurations, warm)
    replays = configurations if stand_ins is None else stand_ins.replays
    interrupted = False
    rows: list[dict[str, Any]] = []
    try:
        with (
            spread_over(dask, source.trace) as everywhere,
            progress("sweep") as on_progress,
        ):
            found = (
                core.sweep(
                    everywhere,
                    replays,
                    warm_up=warm,
                    threads=threads,
                    on_progress=on_progress,
                )
                if miniature is None
                else core.miniatures(
                    everywhere,
                    replays,
                    miniature,
                    seed=seed,
                    warm_up=warm,
                    threads=threads,
                    on_progress=on_progress,
                )
            )
            interrupted = found["cancelled"]
            rows = (
                _with_budgets(found["rows"], budgets)
                if stand_ins is None
                else stand_ins.rows(found["rows"], budgets)
            )
        print_notes(found)
    except KeyboardInterrupt:
        if not rows:
            raise
        interrupted = True
    # A sweep that was interrupted has fewer rows; flash caches tell all that was in force.
    for row, asked in zip(rows, configurations, strict=False):
        if asked["options"]:
            row.setdefault("options", asked["options"])
    _add_ram_taxes(rows, configurations, budgets, source.page_bytes, flash_metadata)
    _add_lives(
        rows,
        configurations,
        source.page_bytes,
        partial(
            lives_of,
            recorded=recorded_rate,
            flash_device=flash_device,
            accesses_per_s=accesses_per_s,
            is_sampled=miniature is not None,
        ),
    )
    if json:
        print_json(rows)
    else:
        _print(rows, stand_ins)
        said = paces_of(
            ((_contender(each), each["options"]) for each in replays),
            accesses_per_s if stand_ins is None else stand_ins.paced_per_s,
        )
        if said:
            typer.echo("")
            typer.echo(said)
        _print_fitted(rows, configurations, stand_ins)
    if interrupted:
        all_of = counted(len(configurations), "configuration")
        done = counted(
            sum(row.get("complete", False) for row in rows),
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


def _family_and_name(configuration: dict[str, Any]) -> tuple[str, str]:
    kind = next(kind for kind in _TITLES if kind in configuration)
    return kind, str(configuration[kind])


def _contender(configuration: dict[str, Any]) -> str:
    return _family_and_name(configuration)[1]


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
        # A sweep that was interrupted has fewer rows.
        for row, budget in zip(rows, budgets, strict=False)
    ]


def _add_ram_taxes(
    rows: list[dict[str, Any]],
    configurations: list[dict[str, Any]],
    budgets: list[int | None],
    page_bytes: PageBytes,
    flash_metadata: str | None,
) -> None:
    """Say of each flash cache what RAM its directory takes at the sizes asked for."""
    from tierwright.evaluate.ram_tax import tax_of_replay
    from tierwright.simulate.contenders import with_default_units

    charged = preset_of(flash_metadata)
    # A sweep that was interrupted has fewer rows.
    for row, asked, budget in zip(rows, configurations, budgets, strict=False):
        if "flash_cache" not in asked or "error" in row:
            continue
        tax = tax_of_replay(
            # A sample names no page size.
            row if "page_bytes" in row else {**row, "page_bytes": page_bytes()},
            ram_pages=budget or asked["ram_pages"],
            flash_pages=asked["flash_pages"],
            options=with_default_units(
                asked["flash_cache"],
                asked["options"],
                flash_pages=asked["flash_pages"],
                page_bytes=page_bytes(),
            ),
            charged=charged,
        )
        row["ram_tax_bytes"] = None if tax is None else tax.bytes
        row["ram_tax_share"] = None if tax is None else tax.share


def _add_lives(
    rows: list[dict[str, Any]],
    configurations: list[dict[str, Any]],
    page_bytes: PageBytes,
    lives_of_replays: Callable[..., list[dict[str, Any] | None]],
) -> None:
    """Say of each replay with flash what it writes there, and how long the device lasts."""
    # A sweep that was interrupted has fewer rows.
    with_flash = [
        (row, asked["flash_pages"])
        for row, asked in zip(rows, configurations, strict=False)
        if "error" not in row and "flash_pages" in asked
    ]
    lives = lives_of_replays(
        [
            # A sample names no page size.
            (row if "page_bytes" in row else {**row, "page_bytes": page_bytes()}, pages)
            for row, pages in with_flash
        ]
    )
    for (row, _), life in zip(with_flash, lives, strict=True):
        row["flash_life"] = life


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


@dataclass(frozen=True)
class StandIns:
    """The configurations of a sweep at sizes of production, and those of the recording that stand for them.

    Attributes
    ----------
    made : Recorded
        For which production.
    asked : list of dict
        At sizes of production, as a sweep takes them.
    wanted : list of Replay
        The same.
    there : list of Corresponding
        Where the recording is replayed for each.
    """

    made: Recorded
    asked: list[dict[str, Any]]
    wanted: list[Replay]
    there: list[Corresponding]

    @classmethod
    def of(
        cls, made: Recorded, asked: list[dict[str, Any]], warm_up: AskedWarmUp
    ) -> StandIns:
        """Find where the recording is replayed.

        Raises
        ------
        BadInput
            If the recording is too small for every configuration.
        """
        from tierwright.advise.in_production import check_large_enough
        from tierwright.simulate.replay import Replay

        wanted = []
        for each in asked:
            family = next(kind for kind in _TITLES if kind in each)
            ram = each["pages"] if "pages" in each else each["ram_pages"]
            wanted.append(
                Replay(
                    cast("Family", family),
                    each[family],
                    ram,
                    each.get("flash_pages", 0),
                    0,
                    each["options"],
                )
            )
        there = made.corresponding(wanted, warm_up)
        if all(each.refused is not None for each in there):
            check_large_enough(there[0])
        return cls(made, asked, wanted, there)

    @property
    def paced_per_s(self) -> float | None:
        """The rate to which what works by the clock is brought; None where nothing is. [1/s]"""
        is_paced = any(each.pace for each in self.there)
        return self.made.machine_accesses_per_s if is_paced else None

    @property
    def replays(self) -> list[dict[str, Any]]:
        """Those that the recording is large enough for, at its sizes."""
        return [
            {
                **each,
                **(
                    {"pages": there.ram_pages}
                    if "pages" in each
                    else {
                        "ram_pages": there.ram_pages,
                        "flash_pages": there.flash_pages,
                    }
                ),
                "options": each["options"] | there.options,
            }
            for each, there in zip(self.asked, self.there, strict=True)
            if there.refused is None
        ]

    @property
    def sizes(self) -> ReplaySizes | None:
        """Of all replays; None where they are those of production."""
        from tierwright.advise.in_production import merged_sizes

        return merged_sizes(
            self.made.curve,
            [
                (wanted, there)
                for wanted, there in zip(self.wanted, self.there, strict=True)
                if there.refused is None
            ],
        )

    def rows(
        self, found: list[dict[str, Any]], budgets: list[int | None]
    ) -> list[dict[str, Any]]:
        """Return a row of each configuration, with what it is in production; fewer where the sweep was interrupted."""
        results = iter(found)
        rows: list[dict[str, Any]] = []
        for asked, wanted, there, budget in zip(
            self.asked, self.wanted, self.there, budgets, strict=True
        ):
            if there.refused is not None:
                rows.append(
                    {
                        key: asked[key]
                        for key in (*_TITLES, "pages", "ram_pages", "flash_pages")
                        if key in asked
                    }
                    | there.refused
                )
                continue
            row = next(results, None)
            if row is None:
                break
            rows.append(
                row if "error" in row else self._row(row, wanted, there, budget)
            )
        return rows

    def _row(
        self,
        row: dict[str, Any],
        wanted: Replay,
        there: Corresponding,
        budget: int | None,
    ) -> dict[str, Any]:
        from tierwright.advise.in_production import in_production

        if row["complete"]:
            # A sample names no page size; the trace was read with that of the profile.
            self.made.check({"page_bytes": self.made.curve.page_bytes, **row})
        found = in_production(self.made.curve, wanted, there, row)
        return {**row, "production": document(found, there.sizes, budget)}


_TITLES = {
    "policy": "replacement policy",
    "buffer": "buffer",
    "scheme": "page-flow scheme",
    "chooser": "chooser",
    "flash_cache": "flash cache",
}

_COUNTERS = ("misses", "disk_writes", "flash_hits", "flash_misses", "flash_writes")


def _print(rows: list[dict[str, Any]], stand_ins: StandIns | None) -> None:
    if stand_ins is not None:
        stand_ins.made.say(stand_ins.sizes)
        typer.echo("")
    _print_rows(rows, rates=stand_ins is not None)
    _print_lives(rows)
    _print_hints(rows)
    _print_warnings(rows)


def _print_lives(rows: list[dict[str, Any]]) -> None:
    """Say what a life rests on, or why there is none: each once, with the configurations that it is of where not all share it."""
    from tierwright.advise.checks.flash_life import NO_DEVICE

    lives = [(row, row["flash_life"]) for row in rows if row.get("flash_life")]
    of: dict[str, list[str]] = {}
    for row, life in lives:
        for what, said in (
            ("Life of flash", life["basis"]),
            ("Life of flash is not known", life["reason"]),
            ("Write amplification", life["waf_note"]),
        ):
            if said is not None:
                of.setdefault(f"{what}: {said}.", []).append(
                    f"{_name(row)} {_sizes(row)}"
                )
    if not of:
        return
    typer.echo("")
    if all(life["reason"] == NO_DEVICE and life["waf"] is None for _, life in lives):
        # Nobody asked for it: what to do is enough.
        typer.echo(
            "How long flash lasts: name a device with --flash-device; --option ftl_spare_percent=N counts its write amplification."
        )
        return
    for said, whose in of.items():
        subject = "" if len(whose) == len(lives) else f"{', '.join(whose)}: "
        typer.echo(f"{subject}{said}")
    for how in dict.fromkeys(how_to_state_it(life["reason"]) for _, life in lives):
        if how:
            typer.echo(how)


def _print_rows(rows: list[dict[str, Any]], *, rates: bool = False) -> None:
    """Print a line of each row: counts, or per second at the sizes of production."""
    shown = [name for name in _COUNTERS if any(name in row for row in rows)]
    taxed = any(row.get("ram_tax_bytes") is not None for row in rows)
    amplified = any((row.get("flash_life") or {}).get("waf") for row in rows)
    lasting = any((row.get("flash_life") or {}).get("tb_per_day") for row in rows)
    table = []
    for row in rows:
        line = [_name(row), _sizes(row)]
        line.append("-" if "error" in row else format_count(row["accesses"]))
        line += [_rate(row, name) if rates else _count(row, name) for name in shown]
        if taxed:
            line.append(_ram_tax(row))
        if amplified:
            line.append(_waf(row))
        if lasting:
            line.append(_years(row))
        line.append(
            as_typed(row.get("error", ""))
            or ("" if row.get("complete", True) else "partial")
        )
        table.append(line)
    columns = [("configuration", False), ("pages", True), ("accesses", True)]
    unit = " per second" if rates else ""
    columns += [(name.replace("_", " ") + unit, True) for name in shown]
    if taxed:
        columns.append(("RAM of its directory", True))
    if amplified:
        columns.append(("write amplification", True))
    if lasting:
        columns.append(("life of flash [years]", True))
    print_table("", [*columns, ("", False)], table)


def _print_fitted(
    rows: list[dict[str, Any]],
    configurations: list[dict[str, Any]],
    stand_ins: StandIns | None,
) -> None:
    """Say of each contender with flash which defaults the sizes or the page changed: a line of all its rows.

    Units of production are said with its sizes.
    """
    from tierwright.simulate import replay as core
    from tierwright.simulate.contenders import (
        FittedDefault,
        fitted_defaults,
        fitted_sentence,
        options_in_force,
    )

    families: tuple[core.Family, ...] = ("flash_cache", "scheme")
    table = {
        each["name"]: each for family in families for each in core.contenders(family)
    }
    units: list[dict[str, str]] = [{} for _ in configurations]
    if stand_ins is not None:
        units = [each.options for each in stand_ins.there]
    fitted: dict[str, list[FittedDefault]] = {}
    # A sweep that was interrupted has fewer rows.
    for row, asked, own in zip(rows, configurations, units, strict=False):
        # A sample names no page size.
        named = [asked[family] for family in families if family in asked]
        if named and "page_bytes" in row:
            [name] = named
            fitted.setdefault(name, []).extend(
                fitted_defaults(
                    table[name],
                    given=asked["options"] | own,
                    in_force=options_in_force(row),
                    page_bytes=row["page_bytes"],
                )
            )
    said = [
        fitted_sentence(table[name]["title"], each) for name, each in fitted.items()
    ]
    if any(said):
        typer.echo("")
    for sentence in filter(None, said):
        typer.echo(sentence)


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
    row = row.get("production", row)
    sizes = [row.get(name) for name in ("pages", "ram_pages", "flash_pages")]
    texts = [format_count(size) for size in sizes if size is not None]
    if "ram_budget_pages" in row:
        texts[0] += f" of {format_count(row['ram_budget_pages'])}"
    return " + ".join(texts)


def _ram_tax(row: dict[str, Any]) -> str:
    if row.get("ram_tax_bytes") is None:
        return "-"
    return (
        f"{format_bytes(row['ram_tax_bytes'])} ({percent(row['ram_tax_share'])} of RAM)"
    )


def _waf(row: dict[str, Any]) -> str:
    waf = (row.get("flash_life") or {}).get("waf")
    return "-" if waf is None else three_digits(waf)


def _years(row: dict[str, Any]) -> str:
    life = row.get("flash_life") or {}
    if life.get("never_worn_out"):
        return "never worn out"
    return "-" if life.get("years") is None else three_digits(life["years"])


def _rate(row: dict[str, Any], name: str) -> str:
    rate = row.get("production", {}).get("per_s", {}).get(name)
    if rate is None:
        return "-"
    if not row.get("interval95"):
        return three_digits(rate)
    each = row["production"]["accesses_per_s"] / row["accesses"]
    low, high = (three_digits(end * each) for end in row["interval95"][name])
    return f"{three_digits(rate)} ({low} to {high})"


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
