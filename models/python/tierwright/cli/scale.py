"""`tierwright scale`: the profile of a recording on the scale of production; `--production` of other commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tierwright.cli.options import NewPages
from tierwright.cli.output import (
    Json,
    check_output,
    pairs,
    print_cautions,
    print_facts,
    print_json,
    print_table,
    progress,
    say,
)
from tierwright.cli.reads import NamedTrace, may_read_trace, opened
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count, parse_bytes
from tierwright.common.wording import off
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.advise.scale import ScaledWorkload
    from tierwright.profile.curve import Curve
    from tierwright.profile.document import Profile
    from tierwright.profile.production import Production

ProductionOption = Annotated[
    str | None,
    typer.Option(
        "--production",
        metavar="DATA@RATE|FILE.toml",
        help="Scale the profile first: data and page accesses per second of production, such as "
        "4TiB@80000, or a file that says more.",
    ),
]


def workload(
    profile: Path,
    production: str | None,
    *,
    new_pages: int = 0,
    trace: NamedTrace | Trace | None = None,
) -> Profile:
    """Read a profile, and scale it where production is stated.

    Parameters
    ----------
    profile : Path
        The file.
    production : str or None
        Data and rate, such as ``4TiB@80000``, or the name of a production file.
    new_pages : int
        Of the recording; 0 leaves what its profile states. [pages]
    trace : NamedTrace, Trace or None
        The recording: profiled again where the production file states larger pages.

    Raises
    ------
    BadInput
        If either cannot be read, the workload cannot be scaled so, or it cannot have so many new pages.
    """
    from tierwright.profile.document import read_profile

    found = read_profile(profile)
    if new_pages:
        found = replace(found, curve=found.curve.with_new_pages(new_pages))
    if production is None:
        return found
    from tierwright.advise import scale
    from tierwright.advise.scale.request import read_production
    from tierwright.profile.production import Production

    data, at, rate = production.rpartition("@")
    if not at or production.endswith(".toml"):
        asked = read_production(Path(production))
        recorded_page_bytes = found.curve.page_bytes
        larger = asked["production"].page_bytes not in (None, recorded_page_bytes)
        if trace is not None and larger:
            found = _with_pages_of(found, asked["production"], trace)
        return scale.answer(
            found, **asked, recorded_page_bytes=recorded_page_bytes
        ).profile
    hint = "write data and rate, such as 4TiB@80000, or name a file"
    try:
        per_s = float(rate)
    except ValueError:
        raise BadInput(
            f"--production: `{rate}` is not a number of accesses per second", hint
        ) from None
    return scale.answer(
        found, Production(_bytes(data, "--production", hint), per_s)
    ).profile


def check_recording(name: str, profile: Profile) -> None:
    """Refuse a replay of what is no recording at its own scale."""
    if profile.curve.scaled is not None or profile.curve.given is not None:
        raise BadInput(
            f"`{name}` is not the profile of a recording at its own scale, so a replay of the "
            "trace cannot check it",
            "leave out --trace, or use the profile of the recording",
        )


def print_scale(curve: Curve | None) -> None:
    """Say of which system the sizes and rates of an answer are; nothing where there is no workload."""
    from tierwright.advise.point import scale_sentence

    if curve is not None:
        say(scale_sentence(curve))


def _bytes(text: str, option: str, hint: str = "write a size such as 4TiB") -> int:
    try:
        return parse_bytes(text)
    except BadInput as error:
        raise BadInput(f"{option}: {error.message}", hint) from error


@may_read_trace
def scale(
    profile: Annotated[
        Path, typer.Argument(metavar="PROFILE", help="Profile of the recording.")
    ],
    *,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="B", help="Data in production, such as 4TiB."),
    ] = None,
    accesses_per_second: Annotated[
        float | None,
        typer.Option(
            "--accesses-per-second",
            metavar="X",
            help="Page accesses per second in production, mean.",
        ),
    ] = None,
    production: Annotated[
        Path | None,
        typer.Option(
            "--production", metavar="FILE.toml", help="Instead: a file with all of it."
        ),
    ] = None,
    units_per_second: Annotated[
        float | None,
        typer.Option(
            "--units-per-second",
            metavar="X",
            help="Instead of accesses: transactions or requests per second; needs --accesses-per-unit.",
        ),
    ] = None,
    peak_accesses_per_second: Annotated[
        float | None,
        typer.Option(
            "--peak-accesses-per-second",
            metavar="X",
            help="The same in the busiest hour.",
        ),
    ] = None,
    rates: Annotated[
        Path | None,
        typer.Option(
            "--rates",
            metavar="FILE.csv",
            help="Instead of mean and peak: a table `time,accesses_per_s` of equal steps.",
        ),
    ] = None,
    law: Annotated[
        str | None,
        typer.Option(
            "--law",
            metavar="L",
            help="relations, stretch, tenants or cold_growth [default: relations where the profile "
            "lists several, else stretch].",
        ),
    ] = None,
    recorded_data: Annotated[
        str | None,
        typer.Option(
            "--recorded-data",
            metavar="B",
            help="Data of the recorded system [default: the pages that the recording touches].",
        ),
    ] = None,
    clients: Annotated[
        int | None,
        typer.Option("--clients", metavar="N", help="Clients of the recorded system."),
    ] = None,
    accesses_per_unit: Annotated[
        float | None,
        typer.Option(
            "--accesses-per-unit",
            metavar="X",
            help="Page accesses of one transaction or request in the recording.",
        ),
    ] = None,
    tau: Annotated[
        float | None,
        typer.Option(
            "--tau",
            metavar="N",
            help="Reuse up to so many accesses is not stretched [default: clients x accesses per unit].",
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(
            "--fixed",
            metavar="RELATION",
            help="A relation that does not grow, by name or number; may be repeated.",
        ),
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option(
            "--relation",
            metavar="RELATION=K",
            help="A relation that grows K times; may be repeated.",
        ),
    ] = None,
    exponent: Annotated[
        float | None,
        typer.Option(
            "--exponent",
            metavar="A",
            help="Exponent of the popularity, for the law cold_growth [default: as profiled].",
        ),
    ] = None,
    write_share: Annotated[
        float | None,
        typer.Option(
            "--write-share",
            metavar="S",
            help="Share of the accesses that write in production [default: as recorded].",
        ),
    ] = None,
    growth_per_year: Annotated[
        float | None,
        typer.Option(
            "--growth-per-year",
            metavar="S",
            help="Growth of the data, 0.3 for 30 % a year.",
        ),
    ] = None,
    machines: Annotated[
        int | None,
        typer.Option(
            "--machines",
            metavar="N",
            help="Equal machines that share the pages [default: 1].",
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            "--replicas",
            metavar="N",
            help="Copies of each page, all of which take its writes [default: 1].",
        ),
    ] = None,
    production_page_bytes: Annotated[
        int | None,
        typer.Option(
            "--production-page-bytes",
            metavar="N",
            help="Page size of production [default: as recorded]; a larger one needs --trace, which is "
            "profiled again.",
        ),
    ] = None,
    new_pages: NewPages = 0,
    trace: NamedTrace | None = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PROFILE.json", help="File to write."),
    ] = None,
    json: Json = False,
) -> None:
    """Scale the profile of a recording to the data and the rate of production.

    The profile written is of one machine of production; every command that takes a profile takes it.
    With --trace, the recording is profiled again with the larger pages of production.
    """
    from tierwright.advise import scale as question
    from tierwright.advise.scale.request import (
        factor_of,
        mean_and_peak,
        read_production,
    )
    from tierwright.profile.document import read_profile
    from tierwright.profile.production import Production
    from tierwright.profile.rates import read_rates

    check_output(output)
    found = read_profile(profile)
    if new_pages:  # else those that the profile states stay
        found = replace(found, curve=found.curve.with_new_pages(new_pages))
    if production is not None:
        beside = [
            name
            for name, value in {
                "--data": data,
                "--accesses-per-second": accesses_per_second,
                "--units-per-second": units_per_second,
                "--peak-accesses-per-second": peak_accesses_per_second,
                "--rates": rates,
                "--law": law,
                "--recorded-data": recorded_data,
                "--clients": clients,
                "--accesses-per-unit": accesses_per_unit,
                "--tau": tau,
                "--fixed": fixed or None,
                "--relation": relation or None,
                "--exponent": exponent,
                "--write-share": write_share,
                "--growth-per-year": growth_per_year,
                "--machines": machines,
                "--replicas": replicas,
                "--production-page-bytes": production_page_bytes,
            }.items()
            if value is not None
        ]
        if beside:
            raise BadInput(
                f"--production: {', '.join(beside)} cannot be stated besides",
                "state all of production in the file, or all as options",
            )
        asked = read_production(production)
    else:
        rate = mean_and_peak(
            None if rates is None else read_rates(rates),
            accesses_per_second,
            units_per_second,
            accesses_per_unit,
            peak_accesses_per_second,
        )
        if data is None:
            raise BadInput(
                "--data is missing", "state the data of production, such as --data 4TiB"
            )
        asked = {
            "production": Production(
                data_bytes=_bytes(data, "--data"),
                **rate,
                write_share=write_share,
                growth_per_year=0.0 if growth_per_year is None else growth_per_year,
                machines=1 if machines is None else machines,
                replicas=1 if replicas is None else replicas,
                page_bytes=production_page_bytes,
            ),
            "per_unit": units_per_second is not None,
            "law": law,
            "recorded_data_bytes": None
            if recorded_data is None
            else _bytes(recorded_data, "--recorded-data"),
            "clients": clients,
            "accesses_per_unit": accesses_per_unit,
            "tau_accesses": tau,
            "fixed": tuple(fixed or ()),
            "relation_factors": {
                name: factor_of(name, text)
                for name, text in pairs(relation or (), "--relation").items()
            },
            "exponent": exponent,
        }
    recorded_page_bytes = found.curve.page_bytes
    if trace is not None:
        found = _with_pages_of(found, asked["production"], trace)
    made = question.answer(found, **asked, recorded_page_bytes=recorded_page_bytes)
    if output is not None:
        made.profile.write(output)
    if json:
        print_json(made.to_dict())
        return
    print_cautions(made.cautions)
    typer.echo(made.finding)
    _print(made, output)


def _with_pages_of(
    found: Profile, production: Production, trace: NamedTrace | Trace
) -> Profile:
    """Profile the recording again, where production has larger pages."""
    from tierwright.advise.scale.pages import with_pages_of

    page_bytes = production.page_bytes
    if page_bytes is None or page_bytes == found.curve.page_bytes:
        raise BadInput(
            "--trace is named, but production has the pages of the recording, so nothing is profiled again",
            "leave --trace out, or state --production-page-bytes",
        )
    if isinstance(trace, Trace):
        return with_pages_of(found, trace, page_bytes, watch=progress)
    files, reading = trace
    with opened(files, reading) as read:
        return with_pages_of(found, read, page_bytes, watch=progress)


def _print(made: ScaledWorkload, output: Path | None) -> None:
    scaled = made.scaled
    known = scaled.known_error
    print_facts(
        [
            ("law", scaled.law),
            ("factor", f"{scaled.factor:,.4g}"),
            (
                "error known",
                "never measured"
                if known is None
                else f"misses per {known.per}: {off(known.mean)} on average, {off(known.worst)} at worst"
                + (
                    f", extrapolated from at most {known.measured_up_to:.3g} times"
                    if known.extrapolated
                    else ""
                ),
            ),
            ("written", "-" if output is None else str(output)),
        ]
    )
    typer.echo("")
    print_table(
        "one machine of production, steady state",
        [
            ("share of data", True),
            ("cache", True),
            ("misses", True),
            ("at least", True),
            ("at most", True),
            ("misses per second", True),
            ("pages when recorded", True),
        ],
        [
            [
                f"{one.share:.1%}",
                format_bytes(one.cache_bytes),
                f"{one.miss_ratio:.2%}",
                "-" if one.miss_ratio_low is None else f"{one.miss_ratio_low:.2%}",
                "-" if one.miss_ratio_high is None else f"{one.miss_ratio_high:.2%}",
                format_count(one.misses_per_s),
                format_count(one.recorded_pages),
            ]
            for one in made.sizes
        ],
    )
