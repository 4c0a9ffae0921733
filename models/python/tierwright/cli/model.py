"""`tierwright profile`, `simulate`, `evaluate`, `conformance`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.books import book_of
from tierwright.cli.charge import charge
from tierwright.cli.flash_life import (
    RATE,
    RateOfReplay,
    check_rate_of_check,
    check_rate_of_replay,
    how_to_state_it,
    lives_of,
    options_at_rate,
    paces_of,
)
from tierwright.cli.in_production import RecordedProfile, Source, StandIn, recorded
from tierwright.cli.named import named_device
from tierwright.cli.options import (
    Assumptions,
    CacheOptions,
    FlashCaches,
    FlashMetadata,
    NewPages,
    Seed,
    Start,
    WarmUpOption,
    cache_options_of,
    flash_caches_of,
    preset_of,
    warm_up_of,
)
from tierwright.cli.output import (
    Json,
    pairs,
    print_cautions,
    print_check,
    print_facts,
    print_json,
    print_notes,
    print_table,
    print_warnings,
    progress,
)
from tierwright.cli.reads import (
    NamedTrace,
    as_profiled,
    may_read_trace,
    opened,
    reads_trace,
)
from tierwright.cli.scale import ProductionOption, print_scale, workload
from tierwright.cli.sizes import PageBytes as PageBytesOf
from tierwright.cli.sizes import RamPages, Size, page_bytes_of, parse_sizes, size_option
from tierwright.cli.workers import (
    DaskOption,
    check_has_replays,
    shared_place,
    spread_over,
    with_full_names,
    workers_of_parts,
)
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count, format_microseconds
from tierwright.common.wording import counted, sentences
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tierwright.advise.compare import Comparison
    from tierwright.evaluate.page_flow.dirty_range import DirtyRange
    from tierwright.evaluate.page_flow.results import Evaluation, OuterBar
    from tierwright.profile.document import Profile
    from tierwright.simulate.executors import Workers
    from tierwright.simulate.replay import Family, Replay
    from tierwright.simulate.stated_rate import RecordedRate
    from tierwright.simulate.warm_up import AskedWarmUp
    from tierwright.trace.reading import OnProgress

    Form = Callable[[float], str]


def _check_output(output: Path | None, *, json: bool) -> None:
    """Refuse a run that could not write what it makes."""
    if output is None and not json:
        raise BadInput(
            "there is nowhere to write the profile", "add -o PROFILE.json, or --json"
        )
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise BadInput(
            f"--output: `{output}` cannot be written: "
            + ("it is a folder" if output.is_dir() else "its folder does not exist"),
            "name a file in a folder that exists",
        )


def _check_parts(
    parts_in: str | None,
    workers: int | None,
    dask: str | None,
    sample_rate: float | None,
    *,
    hash_ranges: int | None,
    ranges_followed: int | None,
    summaries: bool | None,
) -> None:
    """Refuse options of parts that do not go together."""
    for option, given in (("--workers", workers), ("--dask", dask)):
        if parts_in is None and given is not None:
            raise BadInput(
                f"{option}: a trace that is read as a whole has no parts to share out",
                f"add --parts-in FOLDER, or leave {option} out",
            )
    if hash_ranges is not None and parts_in is None:
        raise BadInput(
            "--hash-ranges: the counts of the ranges need a place",
            "add --parts-in FOLDER, or use --sample-rate",
        )
    if hash_ranges is None and ranges_followed is not None:
        raise BadInput(
            "--ranges-followed: there are no ranges to follow",
            "add --hash-ranges N, or leave it out",
        )
    if hash_ranges is not None and summaries:
        raise BadInput(
            "--hash-ranges and --summaries cannot be combined: summaries are joined from the counts of all pages",
            "leave one of them out",
        )
    if parts_in is not None and sample_rate is not None:
        raise BadInput(
            "--parts-in and --sample-rate cannot be combined: the counts of parts are exact",
            "leave one of them out, or sample with --hash-ranges and --ranges-followed",
        )


def _of_parts(
    trace: Trace,
    place: str,
    workers: AbstractContextManager[Workers],
    sizes: tuple[int, ...],
    on_progress: OnProgress,
    *,
    summaries: bool,
    names: bool,
    hash_ranges: int | None,
    ranges_followed: int | None,
) -> Profile:
    """Count the files of a trace side by side."""
    from tierwright.profile.parts import profile_of_parts
    from tierwright.profile.ranges import profile_of_ranges

    shelf = shared_place(place, "--parts-in")
    with with_full_names(trace) as everywhere, workers as started:
        if hash_ranges is not None:
            return profile_of_ranges(
                everywhere,
                shelf,
                started.start,
                ranges=hash_ranges,
                followed=ranges_followed,
                sizes=sizes,
                on_progress=on_progress,
            )
        return profile_of_parts(
            everywhere,
            shelf,
            started.start,
            sizes=sizes,
            summaries=summaries,
            relation_names=names,
            on_progress=on_progress,
        )


def _summarised(made: Profile, trace: Trace, *, names: bool) -> Profile:
    """Add the summaries of a trace and the reuse of its relations, a pass each."""
    from tierwright.profile.summaries import summarise

    with progress("summaries") as on_progress:
        summaries = summarise(trace, on_progress=on_progress)
    made = replace(made, summaries=summaries)
    if summaries.devices is None:
        return made
    from tierwright.profile import relations

    with progress("relations") as on_progress:
        reuse = relations.measured(trace, names=names, on_progress=on_progress)
    return made.with_relations(reuse)


@reads_trace
def profile(
    trace: Trace,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PROFILE.json", help="File to write."),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N,N,...",
            help="Additional sizes to list. [pages, or bytes as 64MiB]",
        ),
    ] = None,
    sample_rate: Annotated[
        float | None,
        typer.Option(
            "--sample-rate",
            metavar="R",
            help="Share of the pages to follow, such as 0.01 [default: all, exact].",
        ),
    ] = None,
    seed: Seed = 0,
    parts_in: Annotated[
        str | None,
        typer.Option(
            "--parts-in",
            metavar="FOLDER",
            help="Count each FILE by itself, side by side, and join the counts: the same profile. "
            "FOLDER, or a prefix of a store such as s3://BUCKET/COUNTS, keeps the counts, so that interrupted work goes on.",
        ),
    ] = None,
    hash_ranges: Annotated[
        int | None,
        typer.Option(
            "--hash-ranges",
            min=1,
            max=4096,
            metavar="N",
            help="With --parts-in: divide the pages into N ranges of a hash and join each by itself, so that no process "
            "holds all pages. The curve is then an estimate with its 95 % interval [default: 1, exact].",
        ),
    ] = None,
    ranges_followed: Annotated[
        int | None,
        typer.Option(
            "--ranges-followed",
            min=1,
            max=4096,
            metavar="K",
            help="Follow K of the ranges, 16 or more: a sample of the pages [default: all].",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=1024,
            metavar="N",
            help="Processes that count parts [default: one per core].",
        ),
    ] = None,
    dask: DaskOption = None,
    summaries: Annotated[
        bool | None,
        typer.Option(
            "--summaries/--no-summaries",
            help="Also summarise the trace, and the reuse of each relation, which takes further passes over it; with "
            "--parts-in each FILE by itself, joined as the counts are [default: yes, with --parts-in no].",
            show_default=False,
        ),
    ] = None,
    relation_names: Annotated[
        bool,
        typer.Option(
            "--relation-names",
            help="Name the relations in the profile; by default they are numbered.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compute the LRU hit-ratio and write-back curves of a trace, exact or sampled; sum it up."""
    _check_output(output, json=json)
    _check_parts(
        parts_in,
        workers,
        dask,
        sample_rate,
        hash_ranges=hash_ranges,
        ranges_followed=ranges_followed,
        summaries=summaries,
    )
    listed = parse_sizes(sizes, "--sizes", 1)
    from tierwright.profile import measure
    from tierwright.trace.objects import on_this_machine

    @cache
    def page() -> int:
        with on_this_machine(replace(trace, others=())) as first:
            return page_bytes_of(first)()

    named = tuple(size.at(page) for size in listed)
    wanted = parts_in is None if summaries is None else summaries
    with progress("profile") as on_progress:
        if parts_in is not None:
            made = _of_parts(
                trace,
                parts_in,
                workers_of_parts(dask, workers),
                named,
                on_progress,
                summaries=wanted,
                names=relation_names,
                hash_ranges=hash_ranges,
                ranges_followed=ranges_followed,
            )
        elif sample_rate is None:
            made = measure.profile(trace, sizes=named, on_progress=on_progress)
        else:
            made = measure.sampled_profile(
                trace, sample_rate, sizes=named, seed=seed, on_progress=on_progress
            )
    if wanted and parts_in is None:
        made = _summarised(made, trace, names=relation_names)
    notes = made.curve.notes
    print_warnings([note.to_dict() for note in notes.warnings])
    if output is not None:
        made.write(output)
    if json:
        print_json(made.to_dict(), to_keep=True)
        return
    curve = made.curve
    size = curve.distinct_pages * curve.page_bytes
    print_facts(
        [
            ("page accesses", format_count(curve.accesses)),
            (
                "write accesses",
                format_count(curve.write_accesses)
                if notes.tells_writes
                else "unknown, counted as 0",
            ),
            (
                "distinct pages",
                f"{format_count(curve.distinct_pages)} ({format_bytes(size)})",
            ),
            ("page", f"{format_count(curve.page_bytes)} bytes"),
            ("listed sizes", format_count(len(curve.pages))),
            (
                "between sizes",
                "-"
                if made.thinned_error is None
                else f"off by at most {made.thinned_error:.2%} of the accesses",
            ),
            (
                "sample rate",
                "-" if curve.sample_rate is None else f"{curve.sample_rate:g}",
            ),
            ("written", str(output)),
        ]
    )
    import numpy as np

    shares = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)
    rows = []
    for part in shares:
        pages = max(1, round(curve.distinct_pages * part))
        misses, backs = float(curve.misses(pages)), float(curve.write_backs(pages))
        reach = ""
        if made.sampled is not None:
            ends = (made.sampled.misses_low, made.sampled.misses_high)
            low, high = (float(np.interp(pages, curve.pages, end)) for end in ends)
            reach = (
                f" ({1 - high / curve.accesses:.2%} to {1 - low / curve.accesses:.2%})"
            )
        rows.append(
            [
                format_count(pages),
                format_bytes(pages * curve.page_bytes),
                f"{1 - misses / curve.accesses:.2%}{reach}",
                format_count(misses),
                format_count(backs),
            ]
        )
    typer.echo("")
    print_table(
        "LRU, cold start"
        + ("" if made.sampled is None else ", estimate (95 % interval)"),
        [
            ("pages", True),
            ("size", True),
            ("hit ratio", True),
            ("misses", True),
            ("write-backs", True),
        ],
        rows,
    )


@reads_trace
def simulate(
    trace: Trace,
    *,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy", metavar="P", help="Replacement policy or buffer of one cache."
        ),
    ] = None,
    pages: Annotated[Size | None, size_option("--pages", "N", "Its size.")] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            "--scheme",
            metavar="S",
            help="Page-flow scheme of RAM over flash, `online` to choose among them, or a flash cache.",
        ),
    ] = None,
    ram_pages: Annotated[Size | None, size_option("--ram-pages", "R", "RAM.")] = None,
    flash_pages: Annotated[
        Size | None, size_option("--flash-pages", "F", "Flash.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="K=V",
            help="Option of the policy, buffer or scheme; may be repeated.",
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            metavar="FILE",
            help="What enters flash: JSON of `tierwright cachesack --json` or `tierwright advise --json`, or lines CATEGORY=RULES, `*` for all others.",
        ),
    ] = None,
    warm_up: WarmUpOption = None,
    flash_metadata: FlashMetadata = None,
    flash_device: Annotated[
        str | None,
        typer.Option(
            "--flash-device",
            metavar="ID",
            help="Flash device that prices the counters.",
        ),
    ] = None,
    disk_device: Annotated[
        str | None,
        typer.Option(
            "--disk-device", metavar="ID", help="Device behind flash that prices them."
        ),
    ] = None,
    accesses_per_s: Annotated[float | None, RateOfReplay] = None,
    profile: RecordedProfile = None,
    production: ProductionOption = None,
    json: Json = False,
) -> None:
    """Replay a trace through one cache (--policy) or RAM over flash (--scheme).

    With --flash-metadata, --ram-pages is a budget: `ram_budget_pages`; `ram_pages` is what the
    memory of flash leaves.

    With --warm-up, the first accesses (`warm_up`) fill the caches and are not counted: `accesses` and all
    counts are of those that follow. `distinct_pages`, and what is left at the end, are of the whole trace. With
    `--warm-up full` they end with the access that fills flash, or the only cache; one that is never filled is an error.

    With --production, sizes are of one machine of production. FILE, the recording, is replayed at the sizes that
    correspond by the scale law, with its first half as warm-up unless --warm-up says otherwise; `production` of the
    answer has the sizes of production and what is counted, per second, and the rest is of the replay.
    """
    from tierwright.simulate.stated_rate import once

    _check_simulate(
        policy,
        scheme,
        {
            "--pages": pages,
            "--ram-pages": ram_pages,
            "--flash-pages": flash_pages,
            "--option": option,
            "--plan": plan,
            RATE: accesses_per_s,
        },
        flash_device,
        disk_device,
    )
    made = recorded(trace, profile, production)
    check_rate_of_replay(accesses_per_s, made)
    source = Source.of(trace, made)
    page = source.page_bytes
    asked: dict[str, Any] = {"policy": policy, "ram_pages": _at(pages, page)}
    if scheme is not None:
        sizes_of = (("ram_pages", ram_pages), ("flash_pages", flash_pages))
        asked = {"scheme": scheme, **{key: _at(size, page) for key, size in sizes_of}}
    wanted = _wanted(policy, scheme, asked["ram_pages"], asked.get("flash_pages", 0))
    options = _options_of(wanted, option or [], plan, source.trace)
    asked["options"] = options
    budget = charge(trace, [asked], flash_metadata, source.curve)[0]
    wanted = replace(wanted, ram_pages=asked["ram_pages"], options=options)
    recorded_rate = once(source.trace)
    at_rate = options_at_rate(
        wanted.family,
        wanted.name,
        wanted.flash_pages,
        options,
        accesses_per_s,
        recorded_rate,
    )
    stand_in = None
    if made is None:
        warm = warm_up_of(trace, warm_up)
        found = _simulated(trace, wanted, policy, scheme, at_rate, warm)
        if budget is not None:
            found["ram_budget_pages"] = budget
    else:
        warm = made.warm_up_of(warm_up)
        stand_in = StandIn.of(made, wanted, warm)
        there = stand_in.replay
        at_rate = there.options
        found = _simulated(made.trace, there, policy, scheme, at_rate, warm)
        found["production"] = stand_in.document(found, budget)
    if found["trace"]["skipped_records"]:
        found["skipped_records"] = found["trace"]["skipped_records"]
    if disk_device is not None:
        found |= _priced(found, flash_device, disk_device)
    found |= _ram_tax(found, wanted, budget, flash_metadata)
    found |= _flash_life(found, wanted, recorded_rate, flash_device, accesses_per_s)
    print_notes(found)
    if json:
        print_json(found)
        return
    if stand_in is not None:
        stand_in.say(found)
    _print_counters(found)
    if scheme is not None:
        _print_ram_tax(found, flash_metadata)
        _print_flash_life(found)
        stated = accesses_per_s if stand_in is None else stand_in.paced_per_s
        said = paces_of([(wanted.name, at_rate)], stated)
        if said:
            typer.echo("")
            typer.echo(said)
        # Units of production are said with its sizes.
        _print_fitted(found, wanted, at_rate)


def _options_of(
    wanted: Replay, given: list[str], plan: Path | None, trace: Trace
) -> dict[str, str]:
    """Return the options that were given, and those of a plan."""
    options = pairs(given, "--option")
    if plan is None:
        return options
    from tierwright.cli.caching_plan import plan_options

    return plan_options(
        plan,
        scheme=wanted.name,
        given=options,
        trace=trace,
        ram_pages=wanted.ram_pages,
    )


def _ram_tax(
    found: dict[str, Any],
    wanted: Replay,
    budget: int | None,
    flash_metadata: str | None,
) -> dict[str, Any]:
    """Return the RAM that the directory of a flash cache takes, None without flash; nothing of the others."""
    if wanted.family != "flash_cache":
        return {}
    from tierwright.common.derivation import plain
    from tierwright.evaluate.ram_tax import tax_of_replay
    from tierwright.simulate.contenders import with_default_units

    tax = tax_of_replay(
        found,
        ram_pages=budget or wanted.ram_pages,
        flash_pages=wanted.flash_pages,
        options=with_default_units(
            wanted.name,
            wanted.options,
            flash_pages=wanted.flash_pages,
            page_bytes=found["page_bytes"],
        ),
        charged=preset_of(flash_metadata),
    )
    return {"ram_tax": plain(tax)}


def _flash_life(
    found: dict[str, Any],
    wanted: Replay,
    recorded_rate: RecordedRate,
    flash_device: str | None,
    accesses_per_s: float | None,
) -> dict[str, Any]:
    """Return what a replay writes to flash, and how long a device lasts; nothing of one cache."""
    if wanted.family not in ("scheme", "flash_cache"):
        return {}
    [life] = lives_of(
        [(found, wanted.flash_pages)], recorded_rate, flash_device, accesses_per_s
    )
    return {"flash_life": life}


def _print_flash_life(found: dict[str, Any]) -> None:
    """Say what a replay with flash writes there, and how long that lasts."""
    if found.get("flash_life") is not None:
        life = found["flash_life"]
        typer.echo("")
        typer.echo(sentences(life["sentence"], how_to_state_it(life["reason"])))


def _print_ram_tax(found: dict[str, Any], flash_metadata: str | None) -> None:
    """Say what RAM the directory of a flash cache takes, and whether the replay lacks it."""
    if found.get("ram_tax") is None:
        return
    from tierwright.evaluate.ram_tax import RamTax, words
    from tierwright.simulate.contenders import flash_cache_titles

    tax = RamTax(**found["ram_tax"])
    replayed = found.get("production", found)
    if "ram_budget_pages" in replayed:
        of = counted(replayed["ram_budget_pages"], "page")
        had = f"The replay had the {replayed['ram_pages']:,} of {of} of RAM that --flash-metadata={flash_metadata} leaves."
    elif tax.bytes is None:
        had = ""
    else:
        had = "The replay had all of the RAM: --flash-metadata takes it away."
    typer.echo("")
    typer.echo(sentences(words([tax], flash_cache_titles()), had))


def _print_fitted(found: dict[str, Any], wanted: Replay, given: dict[str, str]) -> None:
    """Say which defaults the sizes or the page changed."""
    from tierwright.simulate import replay as core
    from tierwright.simulate.contenders import (
        fitted_defaults,
        fitted_sentence,
        options_in_force,
    )

    row = next(
        each for each in core.contenders(wanted.family) if each["name"] == wanted.name
    )
    said = fitted_sentence(
        row["title"],
        fitted_defaults(
            row,
            given=given,
            in_force=options_in_force(found),
            page_bytes=found["page_bytes"],
        ),
    )
    if said:
        typer.echo("")
        typer.echo(said)


def _check_simulate(
    policy: str | None,
    scheme: str | None,
    given: dict[str, Any],
    flash_device: str | None,
    disk_device: str | None,
) -> None:
    if (policy is None) == (scheme is None):
        raise BadInput(
            "give either --policy or --scheme",
            "use --policy lru --pages N, or --scheme lazy --ram-pages R --flash-pages "
            "F",
        )
    if policy is not None:
        _need("--policy", given, needed=("--pages",), allowed=("--pages", "--option"))
    else:
        sizes = ("--ram-pages", "--flash-pages")
        _need(
            "--scheme",
            given,
            needed=sizes,
            allowed=(*sizes, "--option", "--plan", RATE),
        )
    if flash_device is not None and disk_device is None:
        raise BadInput(
            "--flash-device alone cannot price the counters: misses reach the device "
            "behind it",
            "add --disk-device ID",
        )


def _simulated(
    trace: Trace,
    wanted: Replay,
    policy: str | None,
    scheme: str | None,
    options: dict[str, str],
    warm_up: AskedWarmUp,
) -> dict[str, Any]:
    """Replay through the contender that was named, at the sizes that are wanted."""
    with progress("simulate") as on_progress:
        if policy is not None:
            return _simulate_one_cache(
                trace, policy, wanted.ram_pages, options, warm_up, on_progress
            )
        return _simulate_two_tiers(
            trace,
            scheme or "",
            (wanted.ram_pages, wanted.flash_pages),
            options,
            warm_up,
            on_progress,
        )


def _print_counters(found: dict[str, Any]) -> None:
    print_facts(
        [
            (name.replace("_", " "), _cell(value))
            for name, value in found.items()
            if not isinstance(value, (list, dict)) and name != "blocks"
        ]
    )
    if found.get("clean_only"):
        beside = found["clean_only"]
        part = beside["derivation"]
        typer.echo(
            f"formula of clean-only admission: {part['substituted']} "
            f"({beside['gap']:+.1%} of the replay)"
        )
        part = beside["measured_derivation"]
        typer.echo(
            f"with the measured share: {part['substituted']} "
            f"({beside['measured_gap']:+.1%} of the replay)"
        )
    if found.get("blocks"):
        typer.echo("")
        print_facts(
            [(name.replace("_", " "), _cell(v)) for name, v in found["blocks"].items()]
        )
    if found.get("ftl"):
        typer.echo("")
        typer.echo("flash device under it")
        print_facts(_device_facts(found["ftl"]))
    _print_history(found)
    print_warnings(found.get("warnings", []))


def _device_facts(ftl: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what a flash device under a replay did, and what TRIM saved or added."""
    merges, wear = ftl["merges"], ftl["wear"]
    facts = [
        (name.replace("_", " "), _cell(value))
        for name, value in ftl.items()
        if not isinstance(value, (list, dict))
    ]
    if any(merges.values()):
        facts += [(f"{name} merges", _cell(value)) for name, value in merges.items()]
    facts += [
        (f"erases per block, {name}", _cell(value)) for name, value in wear.items()
    ]
    if ftl.get("waf_without_trim"):
        saved = 1 - ftl["waf"] / ftl["waf_without_trim"]
        verb = "saved" if saved >= 0 else "added"
        facts.append((f"flash writes {verb} by TRIM", f"{abs(saved):.1%}"))
    return facts


def _priced(
    found: dict[str, Any], flash_device: str | None, disk_device: str
) -> dict[str, Any]:
    """Price the counters; beside clean-only admission stands its formula."""
    from tierwright.advise import clean_only
    from tierwright.common.derivation import plain
    from tierwright.simulate import priced as simulate_priced

    flash = None if flash_device is None else named_device(flash_device)
    disk = named_device(disk_device)
    cost = simulate_priced.price(found, flash=flash, disk=disk)
    beside = clean_only.clean_only(found, flash=flash, disk=disk)
    return {
        "io_time_us_per_access": cost.io_time_us_per_access,
        "io_time_terms_us_per_access": cost.terms_us_per_access,
        "io_time_reason": cost.reason or None,
        "clean_only": plain(beside),
        "warnings": [
            *found.get("warnings", []),
            *(plain(each) for each in (beside.warnings if beside else ())),
            *(plain(each) for each in simulate_priced.about_batches(flash, [found])),
        ],
    }


def _print_history(found: dict[str, Any]) -> None:
    if "switches" in found:  # of a chooser
        _print_choices(found["history"])
    elif found.get("history"):  # of the policy advisor
        _print_windows(found["history"])


def _print_windows(history: list[dict[str, Any]]) -> None:
    """Print the policy advisor's windows that moved the border of the pools."""
    moved = [
        (number, row)
        for number, row in enumerate(history)
        if number == 0 or row["next_clean_pages"] != row["clean_pages"]
    ]
    typer.echo("")
    print_table(
        f"windows: {len(moved)} of {len(history)}, those that moved the border; all with --json",
        [
            ("window", True),
            ("accesses", True),
            ("writes among them", True),
            ("disk reads", True),
            ("disk writes", True),
            ("clean pages", True),
            ("next", True),
        ],
        [
            [
                format_count(count)
                for count in (
                    number,
                    row["accesses"],
                    row["write_accesses"],
                    row["reads"],
                    row["writes"],
                    row["clean_pages"],
                    row["next_clean_pages"],
                )
            ]
            for number, row in moved
        ],
    )


def _print_choices(history: list[dict[str, Any]]) -> None:
    """Print every switch, before them the first period of all pages."""
    shown = [
        row
        for place, row in enumerate(history)
        if row["running"] != row["chosen"] or (place == 0 and row["relation"] is None)
    ]
    schemes = list(dict.fromkeys(name for row in shown for name in row["estimates"]))
    typer.echo("")
    print_table(
        f"choices: {len(shown)} of {counted(len(history), 'row')}, those with a switch; all with --json",
        [
            ("period", True),
            ("relation", False),
            ("running", False),
            ("chosen", False),
            *((f"{name} [µs/access]", True) for name in schemes),
        ],
        [
            [
                format_count(row["period"]),
                "all"
                if row["relation"] is None
                else row["relation_name"] or str(row["relation"]),
                row["running"],
                row["chosen"],
                *(
                    f"{row['estimates'][name]['cost_us'] / row['accesses']:,.3f}"
                    if name in row["estimates"]
                    else "-"
                    for name in schemes
                ),
            ]
            for row in shown
        ],
    )


def _simulate_two_tiers(
    trace: Trace,
    name: str,
    sizes: tuple[int, int],
    options: dict[str, str],
    warm_up: AskedWarmUp,
    on_progress: OnProgress,
) -> dict[str, Any]:
    """Replay through a page-flow scheme, a chooser among them, or a flash cache."""
    from tierwright.simulate import replay as core

    return core.replay(
        trace,
        _two_tier_family(name),
        name,
        *sizes,
        options=options,
        warm_up=warm_up,
        on_progress=on_progress,
    )


def _two_tier_family(name: str) -> Family:
    """Return the family of a contender with flash: that of page-flow schemes unless it is of another."""
    from tierwright.simulate import replay as core

    if core.is_of("flash_cache", name):
        return "flash_cache"
    return "chooser" if core.is_of("chooser", name) else "scheme"


def _wanted(
    policy: str | None, scheme: str | None, ram_pages: int, flash_pages: int
) -> Replay:
    """Return the replay that is asked for."""
    from tierwright.simulate.contenders import spelled
    from tierwright.simulate.replay import Replay

    if policy is not None:
        return Replay("policy", policy, ram_pages, 0, 0)
    name = spelled(scheme or "")
    return Replay(_two_tier_family(name), name, ram_pages, flash_pages, 0)


def _simulate_one_cache(
    trace: Trace,
    policy: str,
    pages: int,
    given: dict[str, str],
    warm_up: AskedWarmUp,
    on_progress: OnProgress,
) -> dict[str, Any]:
    """Replay through a replacement policy, or through a cost-aware buffer of that name."""
    from tierwright.simulate import replay as core

    wanted = policy.lower().replace("-", "_")
    policies = {entry["name"] for entry in core.contenders("policy")}
    buffers = {entry["name"] for entry in core.contenders("buffer")} - policies
    if wanted in buffers:
        return core.replay(
            trace,
            "buffer",
            wanted,
            pages,
            options=given,
            warm_up=warm_up,
            on_progress=on_progress,
        )
    if wanted not in policies:
        raise BadInput(
            f"policy `{policy}`: no such replacement policy or buffer",
            f"choose one of {', '.join([*sorted(policies), *sorted(buffers)])}",
        )
    return core.replay(
        trace,
        "policy",
        policy,
        pages,
        options=given,
        warm_up=warm_up,
        on_progress=on_progress,
    )


@may_read_trace
def evaluate(
    profile: Annotated[
        Path,
        typer.Argument(metavar="PROFILE", help="Profile file of `tierwright profile`."),
    ],
    *,
    ram_pages: RamPages,
    flash_pages: Annotated[Size, size_option("--flash-pages", "F", "Flash; 0: none.")],
    flash_device: Annotated[
        str | None,
        typer.Option(
            "--flash-device",
            metavar="ID",
            help="Device of flash [default: as the system measured it, where counters of its tiers have times].",
        ),
    ] = None,
    disk_device: Annotated[
        str | None,
        typer.Option(
            "--disk-device",
            metavar="ID",
            help="Device behind flash [default: as for flash].",
        ),
    ] = None,
    ram_device: Annotated[
        str | None,
        typer.Option(
            "--ram-device", metavar="ID", help="Device of RAM, for its price."
        ),
    ] = None,
    price_book: Annotated[
        str | None,
        typer.Option(
            "--price-book", metavar="ID|FILE", help="Prices; without it no costs."
        ),
    ] = None,
    amortisation_months: Annotated[
        int,
        typer.Option(
            "--amortisation-months",
            metavar="M",
            help="Months over which a purchase is spread. [months]",
        ),
    ] = 36,
    flash_metadata: FlashMetadata = None,
    dirty_share: Annotated[
        float | None,
        typer.Option(
            "--dirty-share",
            metavar="P",
            help="Dirty share of the evicted pages, for a given curve [default: as "
            "stated in the profile; if unknown, costs are ranges].",
        ),
    ] = None,
    trace: NamedTrace | None = None,
    flash_cache: FlashCaches = None,
    option: CacheOptions = None,
    accesses_per_s: Annotated[float | None, RateOfReplay] = None,
    start: Start = "steady",
    production: ProductionOption = None,
    new_pages: NewPages = 0,
    dask: DaskOption = None,
    assumptions: Assumptions = False,
    json: Json = False,
) -> None:
    """Compare the page-flow schemes at one choice of sizes and devices.

    With --trace, a lead that lies within the error of the model is decided by a replay:
    `decided_by`. For a profile that was scaled to production, TRACE is its recording, which is
    replayed at the sizes that correspond: `replayed_at`. Where production has larger pages, TRACE is profiled
    again with them, and replayed so. Each --flash-cache is replayed beside all schemes: `check`. With --dask, the workers
    of a cluster replay.
    """
    from tierwright.advise import compare
    from tierwright.hardware.running_tiers import DISK, FLASH, device_for

    check_has_replays(dask, trace)
    read_from = workload(profile, production, new_pages=new_pages, trace=trace)
    curve = read_from.curve
    if dirty_share is not None:
        curve = curve.with_dirty_share(dirty_share)
    curve = curve.from_start(start)
    choices: dict[str, Any] = {
        "ram_pages": ram_pages.at(lambda: curve.page_bytes),
        "flash_pages": flash_pages.at(lambda: curve.page_bytes),
        "flash": device_for(curve, flash_device or FLASH, named_device),
        "disk": device_for(curve, disk_device or DISK, named_device),
        "ram": None if ram_device is None else named_device(ram_device),
        "prices": None if price_book is None else book_of(price_book),
        "amortisation_months": amortisation_months,
        "flash_metadata": preset_of(flash_metadata),
    }
    if trace is not None and curve.given is not None:
        raise BadInput(
            f"`{profile}` holds a given curve, without a trace",
            "profile the trace and evaluate that profile",
        )
    choices["duration_s"] = read_from.duration_s
    caches = flash_caches_of(flash_cache, has_trace=trace is not None)
    options = cache_options_of(caches, option, has_device=True)
    check_rate_of_check(accesses_per_s, curve, has_caches=bool(caches))
    checked = None
    if trace is None:
        found = compare.answer(curve, **choices)
    else:
        files, reading = as_profiled(trace, curve)
        with (
            opened(files, reading) as here,
            spread_over(dask, here) as read,
            progress("replay") as on_progress,
        ):
            found = compare.answer(
                curve, **choices, trace=read, on_progress=on_progress
            )
            if caches:
                from tierwright.advise.checks import flash_caches
                from tierwright.evaluate.scale.replays import recorded_rate

                checked = flash_caches.replayed(
                    found.evaluation,
                    curve,
                    read,
                    caches,
                    flash=choices["flash"],
                    disk=choices["disk"],
                    options=options,
                    recorded_per_s=recorded_rate(curve, read_from.duration_s),
                    accesses_per_s=accesses_per_s,
                    on_progress=on_progress,
                )
    if json:
        check = None if checked is None else checked.to_dict()
        print_json({**found.to_dict(), "check": check})
        return
    print_cautions(found.cautions, every=assumptions)
    typer.echo(found.finding)
    print_scale(curve)
    if found.range is not None:
        _print_range(found.range)
        _print_outer(found, priced=price_book is not None)
        _print_load(found, priced=price_book is not None)
        return
    _print_evaluation(found.evaluation, priced=price_book is not None)
    _print_outer(found, priced=price_book is not None)
    _print_load(found, priced=price_book is not None)
    if checked is not None:
        print_check(checked, "Schemes and flash caches, replayed")
        how = how_to_state_it(checked.basis)
        if how:
            typer.echo(how)


def conformance(
    vectors: Annotated[
        Path, typer.Argument(metavar="VECTORS.json", help="File of test vectors.")
    ],
    *,
    json: Json = False,
) -> None:
    """Run test vectors against the formulas; exit 1 if any failed."""
    from tierwright.catalogue.vectors.conformance import run_file

    report = run_file(vectors)
    if json:
        print_json(report.to_dict())
    else:
        for failure in report.failures:
            typer.echo(f"failed: {failure.id} ({failure.formula}): {failure.message}")
        typer.echo(
            f"{report.passed} passed, {report.failed} failed, {report.unknown} unknown"
        )
        if report.unknown_formulas:
            typer.echo(f"unknown: {', '.join(report.unknown_formulas)}")
    if report.failed:
        raise typer.Exit(1)


MOST_SHOWN = 200
"""Characters of inputs that a message repeats."""


def formula(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Formula, such as face.writeback_chain."),
    ] = None,
    inputs: Annotated[
        str,
        typer.Option(
            "--inputs",
            metavar="JSON",
            help="Its inputs as one JSON object, named as in test vectors.",
        ),
    ] = "{}",
    *,
    timeout_s: Annotated[
        float,
        typer.Option(
            "--timeout-s",
            metavar="S",
            help="Stop the computation after this many seconds.",
        ),
    ] = 60.0,
    json: Json = False,
) -> None:
    """Evaluate one formula of the papers on inputs of your own; without a name list them."""
    import json as reader

    from tierwright.catalogue import limited, table

    if name is None:
        if json:
            print_json(sorted(table.CARDS))
        else:
            for known in sorted(table.CARDS):
                typer.echo(known)
        return
    try:
        given = reader.loads(inputs)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"--inputs: `{inputs[:MOST_SHOWN]}` is not JSON: {error}",
            """give an object, such as '{"reads": 10, "writes": 5, "erases": 1}'""",
        ) from error
    if not isinstance(given, dict):
        raise BadInput(
            f"--inputs: `{inputs[:MOST_SHOWN]}` is not a JSON object",
            """give an object, such as '{"reads": 10, "writes": 5, "erases": 1}'""",
        )
    table.card_of(name).read(given)  # what is wrong at sight needs no process
    found = limited.ask_within(name, given, timeout_s)
    said = {key: found[key] for key in ("estimator", "validity", "source", "warnings")}
    if json:
        print_json(found["result"] | said)
        return
    print_facts([(field, str(value)) for field, value in found["result"].items()])
    typer.echo()
    print_facts([(key, said[key]) for key in ("estimator", "validity", "source")])
    print_warnings(found["warnings"])


def _at(size: Size | None, page_bytes: PageBytesOf) -> int:
    return 0 if size is None else size.at(page_bytes)


def _need(
    chosen: str,
    given: dict[str, Any],
    *,
    needed: tuple[str, ...],
    allowed: tuple[str, ...],
) -> None:
    lacking = [name for name in needed if given[name] is None]
    if lacking:
        raise BadInput(
            f"{chosen} needs {' and '.join(lacking)}",
            f"add {' '.join(f'{name} N' for name in lacking)}",
        )
    extra = [
        name
        for name, value in given.items()
        if value is not None and name not in allowed
    ]
    if extra:
        raise BadInput(
            f"{chosen} does not take {' and '.join(extra)}",
            "use --pages, --option with --policy, and --ram-pages, --flash-pages, "
            "--option with --scheme",
        )
    for name in needed:
        if (given[name].pages or 0) < 0:
            raise BadInput(
                f"{name}: `{given[name].text}` is negative", "sizes are whole pages"
            )


def _cell(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "-" if value is None else str(value)
    if isinstance(value, int):
        return format_count(value)
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def _print_range(found: DirtyRange) -> None:
    """Print what the schemes cost at both ends of the dirty share."""
    inputs = found.most.inputs
    print_table(
        f"RAM {format_bytes(inputs['ram_bytes'])}, flash "
        f"{format_bytes(inputs['flash_bytes'])}, {inputs['flash_device_id']} over "
        f"{inputs['disk_device_id']}; the dirty share is unknown",
        [
            ("scheme", False),
            ("RAM hits", True),
            ("flash hits", True),
            ("flash misses", True),
            ("I/O time / access, no victim dirty", True),
            ("as many dirty as possible", True),
        ],
        [
            [
                name,
                format_count(most.ram_hits),
                format_count(most.flash_hits),
                format_count(most.flash_misses),
                format_microseconds(found.least.schemes[name].io_time_us_per_access),
                format_microseconds(most.io_time_us_per_access),
            ]
            for name, most in found.most.schemes.items()
        ],
    )
    typer.echo("")
    typer.echo("state --dirty-share P for one number instead of a range")


def _growth_text(found: Evaluation) -> str:
    """Say what newly allocated pages are counted as."""
    part = f"{found.growth_per_access:.2%} of the accesses touch a newly allocated page"
    if found.start == "cold":
        return f"{part}; from a cold start these are counted among the misses"
    return f"{part}, which is neither a hit nor a miss: it reads nothing, and evicts a page"


_START_WORDS = {
    "steady": "steady state, every cache full; --start cold begins with empty caches",
    "cold": "cold, with empty caches; --start steady is a system that runs",
}
"""What a start means, beside an answer."""


def _print_outer(found: Comparison, *, priced: bool) -> None:
    """Print what surrounds the schemes, and where the best one stands."""
    from tierwright.common.currency import amount, shown_in

    def ends(name: str, of: Callable[[OuterBar], float], form: Form) -> str:
        most = form(of(found.outer.bars[name]))
        if found.outer_least is None:
            return most
        least = form(of(found.outer_least.bars[name]))
        return most if least == most else f"{least} to {most}"

    rows = []
    for name, bar in found.outer.bars.items():
        row = [
            bar.title,
            format_count(bar.ram_pages),
            format_count(bar.flash_pages),
            ends(name, lambda bar: bar.io_time_us_per_access, format_microseconds),
            ends(name, lambda bar: bar.flash_writes_per_access, "{:.4f}".format),
        ]
        if priced:
            cost = bar.cost_usd_per_month
            row.append("-" if cost is None else amount(cost))
        rows.append(row)
    typer.echo("")
    print_table(
        "for comparison, not to choose",
        [
            ("", False),
            ("RAM pages", True),
            ("flash pages", True),
            ("I/O time / access", True),
            ("flash writes / access", True),
            *([(f"{shown_in().currency} / month", True)] if priced else []),
        ],
        rows,
    )
    typer.echo(found.standing)
    for bar in found.outer.bars.values():
        typer.echo(f"{bar.title}: {bar.note}")
        if priced and bar.cost_reason:
            typer.echo(f"no cost: {bar.cost_reason}")


def _print_load(found: Comparison, *, priced: bool) -> None:
    """Print how many devices carry the rate of production; nothing without one."""
    from tierwright.common.currency import amount, shown_in
    from tierwright.evaluate.page_flow.outer import WITHOUT

    load = found.at_load
    if load is None:
        return
    titles = {name: name for name in load.schemes} | {
        name: found.outer.bars[name].title for name in load.outer
    }
    rows = []
    for name, needed in (load.schemes | load.outer).items():
        if name == WITHOUT:  # it is the scheme `none`
            continue
        cost = needed.cost_usd_per_month
        rows.append(
            [
                titles[name],
                format_count(needed.flash_devices),
                format_count(needed.disks),
                *(["-" if cost is None else amount(cost)] if priced else []),
            ]
        )
    typer.echo("")
    print_table(
        f"devices that carry {format_count(float(f'{load.accesses_per_s:.3g}'))} accesses per second, at least",
        [
            ("", False),
            ("flash devices", True),
            ("disks", True),
            *([(f"{shown_in().currency} / month", True)] if priced else []),
        ],
        rows,
    )
    typer.echo(found.load_sentence)
    if found.load_verdict:
        typer.echo(found.load_verdict)


def _print_evaluation(found: Evaluation, *, priced: bool) -> None:
    from tierwright.common.currency import amount, shown_in

    inputs = found.inputs
    rows = []
    # Without flash every scheme is the same.
    shown = ("none",) if inputs["flash_bytes"] == 0 else tuple(found.schemes)
    for scheme in shown:
        result = found.schemes[scheme]
        row = [
            scheme + (" *" if scheme == found.best else ""),
            format_count(result.ram_hits),
            format_count(result.flash_hits),
            format_count(result.flash_misses),
            format_microseconds(result.io_time_us_per_access),
            f"{result.flash_writes_per_access:.4f}",
        ]
        if result.replayed is not None:
            row.insert(5, format_microseconds(result.replayed.io_time_us_per_access))
        if priced:
            cost = result.cost_usd_per_month
            row.append("-" if cost is None else amount(cost))
        rows.append(row)
    columns = [
        ("scheme", False),
        ("RAM hits", True),
        ("flash hits", True),
        ("flash misses", True),
        ("I/O time / access", True),
        *([("replayed", True)] if found.decided_by == "replay" else []),
        ("flash writes / access", True),
    ]
    print_table(
        f"RAM {format_bytes(inputs['ram_bytes'])}, flash "
        f"{format_bytes(inputs['flash_bytes'])}, {inputs['flash_device_id']} over "
        f"{inputs['disk_device_id']}",
        columns + ([(f"{shown_in().currency} / month", True)] if priced else []),
        rows,
    )
    typer.echo("* least I/O time")
    reasons = {
        result.cost_reason for result in found.schemes.values() if result.cost_reason
    }
    if priced:
        for reason in sorted(reasons):
            typer.echo(f"no cost: {reason}")
    if inputs["flash_metadata_bytes"]:
        typer.echo(
            f"metadata of flash ({inputs['flash_metadata']}): "
            f"{format_bytes(inputs['flash_metadata_bytes'])} of RAM, which leaves "
            f"{counted(inputs['ram_pages_with_flash'], 'page')} to schemes with flash"
        )
    typer.echo(f"start: {_START_WORDS[found.start]}")
    if found.new_pages:
        typer.echo(f"growth: {_growth_text(found)}")
    typer.echo(f"time: {inputs['time_basis']}")
    if priced:
        typer.echo(f"cost: {inputs['cost_basis']}")
