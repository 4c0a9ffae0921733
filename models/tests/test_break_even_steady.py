"""What the next money buys beyond what a recording tells is said, and only then."""

from decimal import Decimal

import recordings

from tierwright.advise.dram_or_flash.break_even import analyse
from tierwright.hardware import catalog
from tierwright.profile import measure
from tierwright.profile.steady_state import Start
from tierwright.trace.reading import Trace

TRACE = recordings.TPCB


def test_a_sum_that_buys_more_than_was_seen_says_so() -> None:
    curve = measure.profile(Trace(TRACE)).curve

    def names(start: Start, usd: str) -> set[str]:
        found = analyse(
            catalog.device("samsung-pm9a3-7.68tb-u2"),
            catalog.device("face2016-cheetah-15k6-raid0-16"),
            curve=curve.from_start(start),
            ram_pages=1000,
            prices=catalog.price_book("street-2026-q3"),
            usd=Decimal(usd),
        )
        return {caution.name for caution in found.warnings}

    assert "steady_state_uncertain" in names("steady", "5")
    assert "steady_state_uncertain" not in names("steady", "0.01")
    assert "steady_state_uncertain" not in names("cold", "5")
