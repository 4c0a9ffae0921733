"""Whether a transaction should leave memory as pages or as log records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tierwright.advise.transaction_effects import at_other_times
from tierwright.common.answer import Answer, Figure, steps
from tierwright.common.cautions import (
    Caution,
    Effect,
    Outcome,
    Weigh,
    anywhere,
    effect_of,
)
from tierwright.common.derivation import plain
from tierwright.common.wording import (
    counted,
    duration_us,
    percent,
    relative_change,
    three_digits,
)
from tierwright.evaluate.transactions.study import WriteStudy, write_study

WAY_WORDS = {"page": "pages", "log": "log records"}


@dataclass(frozen=True, slots=True)
class Written:
    """One way of writing a transaction out.

    Attributes
    ----------
    written_as : str
        `page` or `log`.
    pages_written : int
        [pages]
    write_us, reread_us, total_us : float
        Writing, reading again, and both. [µs]
    erase_us : float
        Erase time that the written pages use up; not in the total. [µs]
    """

    written_as: str
    pages_written: int
    write_us: float
    reread_us: float
    total_us: float
    erase_us: float


@dataclass(frozen=True, kw_only=True)
class TransactionWrites(Answer):
    """Pages or log records for one transaction.

    Attributes
    ----------
    sentence : str
        What the log spares, and how long that pays, in words.
    ways : tuple of Written
        As pages, and as log records.
    study : WriteStudy
        Every figure.
    """

    sentence: str
    ways: tuple[Written, ...]
    study: WriteStudy = field(repr=False)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Time of both ways, and the pages read again at which they are equal."""
        return (
            *(
                Figure(
                    f"{way.written_as}_us",
                    f"Evicting as {WAY_WORDS[way.written_as]}",
                    way.total_us,
                    "µs",
                )
                for way in self.ways
            ),
            Figure(
                "break_even_pages",
                "Pages read again at which both take equally long",
                self.study.break_even_pages,
                "pages",
            ),
        )

    def to_dict(self, *, derivation: bool = True) -> dict[str, Any]:
        """Return plain data for JSON."""
        found = {
            "finding": self.finding,
            "sentence": self.sentence,
            **self.study.to_dict(),
            "cautions": plain(list(self.cautions)),
        }
        if not derivation:
            del found["derivation"]
        return found


def _weigher(found: WriteStudy, asked: Mapping[str, Any]) -> Weigh:
    """Return what weighs the times of the chip, and log pages that cannot hold the records."""
    chosen = "page" if found.page_us <= found.log_us else "log"

    def weigh(caution: Caution) -> Effect:
        if caution.name == "chip_of_2006":
            reads = found.pages_reread
            return at_other_times(
                {
                    "page": {"page read": reads, "page write": found.dirty_pages},
                    "log": {
                        "page read": reads * (1 + found.log_pages_per_page),
                        "page write": found.written.log_pages,
                    },
                },
                chosen,
                WAY_WORDS,
            )
        if caution.name == "fewer_log_pages_than_records":
            more = write_study(**{**asked, "log_pages_per_page": None})
            us = {"page": more.page_us, "log": more.log_us}
            best = min(us, key=lambda name: us[name])
            now = {"page": found.page_us, "log": found.log_us}[chosen]
            return effect_of(
                [
                    Outcome(
                        "the records fill the fewest log pages that hold them",
                        relative_change(now, us[chosen]),
                        WAY_WORDS[best],
                        abs(relative_change(us[best], us[chosen])),
                    )
                ],
                figure="time",
                chosen=WAY_WORDS[chosen],
                kind="way",
            )
        return anywhere(caution)

    return weigh


def answer(**asked: Any) -> TransactionWrites:
    """Say whether a transaction should leave memory as pages or as log records.

    Parameters
    ----------
    **asked
        As `write_study` takes it.

    Raises
    ------
    BadInput
        As `write_study`.
    """
    found = write_study(**asked)
    written = found.written
    return TransactionWrites(
        finding=_finding(found),
        warnings=found.warnings,
        explain=lambda: steps(found.derivation),
        weigh=_weigher(found, asked),
        sentence=_sentence(found),
        ways=(
            Written(
                "page",
                found.dirty_pages,
                written.data_write_us,
                found.page_reread_us,
                found.page_us,
                found.page_erase_us,
            ),
            Written(
                "log",
                written.log_pages,
                written.log_write_us,
                found.log_reread_us,
                found.log_us,
                found.log_erase_us,
            ),
        ),
        study=found,
    )


def _finding(found: WriteStudy) -> str:
    if found.winner == "equal":
        return "Pages and log records take equally long"
    other = "log" if found.winner == "page" else "page"
    taken = {"page": found.page_us, "log": found.log_us}
    return (
        f"Evicting as {WAY_WORDS[found.winner]} takes {duration_us(taken[found.winner])}, as "
        f"{WAY_WORDS[other]} {duration_us(taken[other])}: {percent(found.saving)} less"
    )


def _sentence(found: WriteStudy) -> str:
    written = found.written
    first = (
        f"The log writes {counted(written.log_pages, 'page')} instead of {found.dirty_pages:,} "
        f"and saves {duration_us(written.write_saving_us)}, as long as "
        f"{three_digits(written.break_even_extra_reads)} page reads."
        if written.write_saving_us >= 0
        else f"The log writes {counted(written.log_pages, 'page')} instead of "
        f"{found.dirty_pages:,}: it takes {duration_us(-written.write_saving_us)} "
        "longer from the start."
    )
    if found.break_even_pages is None:
        return first
    return (
        f"{first} It pays until {three_digits(found.break_even_pages)} pages are "
        f"read again, each with {counted(f'{found.log_pages_per_page:g}', 'log page')}."
    )
