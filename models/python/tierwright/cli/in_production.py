"""Commands that replay a trace at sizes of production: `--profile` and `--production`, and what they print of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tierwright.cli.options import warm_up_of
from tierwright.cli.output import as_typed, print_table
from tierwright.cli.reads import trace_as_profiled
from tierwright.cli.scale import print_scale, workload
from tierwright.cli.sizes import PageBytes, page_bytes_of
from tierwright.common.errors import BadInput
from tierwright.common.units import format_bytes, format_count
from tierwright.common.wording import three_digits
from tierwright.trace.reading import Trace

if TYPE_CHECKING:
    from tierwright.advise.in_production import Corresponding, InProduction
    from tierwright.evaluate.scale.replays import ReplaySizes
    from tierwright.profile.curve import Curve
    from tierwright.simulate.replay import Replay
    from tierwright.simulate.warm_up import AskedWarmUp

RecordedProfile = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        metavar="PROFILE",
        help="Profile of FILE, for --production, or one that was scaled already: sizes are then of one "
        "machine of production, and FILE is replayed at those that correspond.",
    ),
]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that is replayed for production.

    Attributes
    ----------
    curve : Curve
        Of one machine of production.
    trace : Trace
        The recording, read with the pages of production.
    """

    curve: Curve
    trace: Trace

    def page_bytes(self) -> int:
        """Return the page size of production. [bytes]"""
        return self.curve.page_bytes

    @property
    def machine_accesses_per_s(self) -> float | None:
        """Mean rate of one machine of production. [1/s]"""
        from tierwright.advise.in_production import scaled_of

        return scaled_of(self.curve).machine_accesses_per_s

    def warm_up_of(self, text: str | None) -> AskedWarmUp:
        """Return the accesses that `--warm-up` names; unless given the first half, as production has run for long.

        Raises
        ------
        BadInput
            As `options.warm_up_of`.
        """
        if text is not None:
            return warm_up_of(self.trace, text)
        from tierwright.advise.in_production import scaled_of
        from tierwright.evaluate.page_flow import decision
        from tierwright.evaluate.scale.replays import recorded_accesses

        return decision.warm_up_of("steady", recorded_accesses(scaled_of(self.curve)))

    def corresponding(
        self, wanted: Sequence[Replay], warm_up: AskedWarmUp
    ) -> list[Corresponding]:
        """Return where the recording is replayed for each choice of sizes of production."""
        from tierwright.advise.in_production import corresponding

        return corresponding(self.curve, wanted, steady=warm_up != 0)

    def check(self, counters: Mapping[str, Any]) -> None:
        """Refuse a trace that is not the recording of the profile.

        Raises
        ------
        BadInput
            With what differs.
        """
        from tierwright.evaluate.page_flow.decision import check_belongs

        check_belongs(self.curve, counters, as_typed(str(self.trace.path)))

    def say(self, sizes: ReplaySizes | None, *, rates: bool = True) -> None:
        """Print of which system sizes and rates are, and at which sizes the recording was replayed."""
        from tierwright.advise.in_production import rate_sentence

        print_scale(self.curve)
        if rates:
            typer.echo(rate_sentence(self.curve))
        if sizes is not None:
            typer.echo(sizes.sentence)


def recorded(
    trace: Trace, profile: Path | None, production: str | None
) -> Recorded | None:
    """Read for which production a trace is replayed; None where sizes are those of the trace itself.

    Parameters
    ----------
    trace : Trace
        The recording.
    profile : Path or None
        Its profile, or one that was scaled from it.
    production : str or None
        Data and rate, or the name of a file, as of `workload`.

    Raises
    ------
    BadInput
        If one is stated without what it needs, or the workload cannot be scaled so.
    """
    if profile is None:
        if production is not None:
            raise BadInput(
                "--production needs the profile of the trace",
                "run `tierwright profile` once, and name its file with --profile",
            )
        return None
    from tierwright.advise.in_production import scaled_of

    curve = workload(profile, production, trace=trace).curve
    if curve.scaled is None:
        raise BadInput(
            f"--profile: `{profile}` is of the recording itself, so there is no production to replay for",
            "add --production DATA@RATE, or leave --profile out",
        )
    scaled_of(curve)
    return Recorded(curve, trace_as_profiled(trace, curve))


@dataclass(frozen=True, slots=True)
class Source:
    """What a command replays, and of whose pages its sizes are.

    Attributes
    ----------
    trace : Trace
        The trace that was named, or the recording of production.
    page_bytes : callable
        Tells the page size. [bytes]
    curve : Curve or None
        Of production; None where sizes are those of the trace itself.
    """

    trace: Trace
    page_bytes: PageBytes
    curve: Curve | None

    @classmethod
    def of(cls, trace: Trace, made: Recorded | None) -> Source:
        """Choose between a trace and the recording of production."""
        if made is None:
            return cls(trace, page_bytes_of(trace), None)
        return cls(made.trace, made.page_bytes, made.curve)


@dataclass(frozen=True, slots=True)
class StandIn:
    """A replay that is asked for in production, and the one of the recording that stands for it.

    Attributes
    ----------
    made : Recorded
        For which production.
    wanted : Replay
        At sizes of production.
    there : Corresponding
        Where the recording is replayed.
    """

    made: Recorded
    wanted: Replay
    there: Corresponding

    @classmethod
    def of(cls, made: Recorded, wanted: Replay, warm_up: AskedWarmUp) -> StandIn:
        """Find where the recording is replayed.

        Raises
        ------
        BadInput
            If the recording is too small.
        """
        from tierwright.advise.in_production import check_large_enough

        [there] = made.corresponding([wanted], warm_up)
        check_large_enough(there)
        return cls(made, wanted, there)

    @property
    def paced_per_s(self) -> float | None:
        """The rate to which what works by the clock is brought; None where nothing is. [1/s]"""
        return self.made.machine_accesses_per_s if self.there.pace else None

    @property
    def replay(self) -> Replay:
        """The replay of the recording."""
        return replace(
            self.wanted,
            ram_pages=self.there.ram_pages,
            flash_pages=self.there.flash_pages,
            options=self.wanted.options | self.there.options,
        )

    def document(
        self, counters: Mapping[str, Any], budget: int | None
    ) -> dict[str, Any]:
        """Return what the replay is in production, for `--json`.

        Parameters
        ----------
        counters : mapping
            Of the replay.
        budget : int or None
            RAM of production that was asked for, where metadata were charged. [pages]

        Raises
        ------
        BadInput
            If the trace is not the recording of the profile.
        """
        self.made.check(counters)
        return document(self._found(counters), self.there.sizes, budget)

    def say(self, counters: Mapping[str, Any]) -> None:
        """Print sizes and rates of production, and what stands behind them."""
        self.made.say(self.there.sizes)
        typer.echo("")
        print_rates(self._found(counters))
        typer.echo("the replay of the recording:")

    def _found(self, counters: Mapping[str, Any]) -> InProduction:
        from tierwright.advise.in_production import in_production

        return in_production(self.made.curve, self.wanted, self.there, counters)


def document(
    found: InProduction,
    sizes: ReplaySizes | None,
    budget: int | None,
) -> dict[str, Any]:
    """Return what a replay is in production, for `--json`: named as the sizes of the replay are.

    Parameters
    ----------
    found : InProduction
        Sizes and rates.
    sizes : ReplaySizes or None
        Those of the replay; None where they are those of production.
    budget : int or None
        RAM that was asked for, where metadata of flash were charged. [pages]
    """
    one = found.flash_pages is None
    return {
        **({"pages": found.ram_pages} if one else {"ram_pages": found.ram_pages}),
        **({} if one else {"flash_pages": found.flash_pages}),
        **({} if budget is None else {"ram_budget_pages": budget}),
        "page_bytes": found.page_bytes,
        "accesses_per_s": found.accesses_per_s,
        "per_s": found.per_s,
        "law": None if sizes is None else sizes.law,
        "divided_by": None if sizes is None else sizes.divided_by,
        "sentence": None if sizes is None else sizes.sentence,
    }


def print_rates(found: InProduction) -> None:
    """Print sizes and rates of one machine of production."""
    sizes = {"cache" if found.flash_pages is None else "RAM": found.ram_pages}
    if found.flash_pages is not None:
        sizes["flash"] = found.flash_pages
    print_table(
        "one machine of production",
        [("", False), ("pages", True), ("size", True)],
        [
            [name, format_count(pages), format_bytes(pages * found.page_bytes)]
            for name, pages in sizes.items()
        ],
    )
    typer.echo("")
    print_table(
        "",
        [("", False), ("per second", True), ("of the accesses", True)],
        [
            [
                name.replace("_", " "),
                three_digits(rate),
                f"{rate / found.accesses_per_s:.2%}",
            ]
            for name, rate in {
                "accesses": found.accesses_per_s,
                **found.per_s,
            }.items()
        ],
    )
    typer.echo("")
