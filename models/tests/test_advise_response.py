"""The answer about response time: words that follow from the figures, cautions, the check, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import recordings
from command import run

from tierwright.advise import response as question
from tierwright.advise import scale
from tierwright.advise.checks import response as replayed
from tierwright.advise.response import rates_of, words
from tierwright.advise.response.rows import Jump, NamedRate
from tierwright.common.cautions import first_and_rest
from tierwright.common.errors import BadInput
from tierwright.common.wording import duration_us, percent, three_digits
from tierwright.evaluate.response.schemes import Hierarchy, scheme_response
from tierwright.hardware import catalog
from tierwright.hardware.device import Device, Figure
from tierwright.profile.curve import Curve, Given
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.simulate.timed import TimedReplay
from tierwright.trace.reading import Trace

TPCB = Trace(recordings.TPCB)
FLASH = catalog.device("intel-s4500-7.68tb")
DISK = catalog.device("face2016-cheetah-15k6-single")
TIERS = Hierarchy(FLASH, DISK, disks=8)


@pytest.fixture(scope="module")
def curve() -> Curve:
    return profile(TPCB).curve.from_start("steady")


def ask(curve: Curve, rate: float, peak: float | None = None, **other: Any) -> Any:
    hierarchy = other.pop("hierarchy", TIERS)
    return question.answer(
        curve,
        hierarchy=hierarchy,
        rates=rates_of(curve, accesses_per_s=rate, peak_accesses_per_s=peak),
        **{"ram_pages": 1000, "flash_pages": 6000, **other},
    )


def row(found: Any, scheme: str, rate: str = "mean") -> Any:
    [one] = [each for each in found.rows if (each.scheme, each.rate) == (scheme, rate)]
    return one


class TestFinding:
    @pytest.mark.oracle("advise.response.answer")
    def test_the_rows_are_those_of_the_schemes_at_the_rates(self, curve: Curve) -> None:
        found = ask(curve, 3000.0, 12_000.0)
        alone = scheme_response(
            curve,
            ram_pages=1000,
            flash_pages=6000,
            hierarchy=TIERS,
            accesses_per_s=[3000.0, 12_000.0],
        )
        for name, each in alone.items():
            for at, rate in enumerate(("mean", "peak")):
                one = row(found, name, rate)
                assert one.mean_us == pytest.approx(1e6 * each.mean_s[at])
                assert one.p99_us == pytest.approx(1e6 * each.quantile_s[0.99][at])
                assert (
                    one.ram_share + one.flash_share + one.disk_share == pytest.approx(1)
                )

    def test_a_close_call_names_all_that_are_in_it(self, curve: Curve) -> None:
        found = ask(curve, 5000.0)
        assert found.contenders == ("exclusive", "lazy", "inclusive")
        assert "Exclusive, Lazy and Inclusive are too close to call" in found.finding

    def test_a_clear_lead_names_one_and_its_times(self, curve: Curve) -> None:
        """Flash of a disk's speed, whose writes are waited for: any scheme with it is slower."""
        slow = Hierarchy(DISK, DISK, flash_devices=8, disks=8, writes="waited_for")
        found = ask(curve, 2000.0, hierarchy=slow)
        assert found.best == "none"
        assert found.contenders == ()
        best = row(found, "none")
        assert found.finding.startswith(
            "At 2,000 accesses per second (as stated), No flash answers a page access fastest: "
        )
        assert f"{duration_us(best.mean_us)} on average" in found.finding
        assert "the disk tier is busiest" in found.finding

    def test_beyond_all_devices_the_largest_rate_is_named_and_no_time(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 50_000.0)
        most = row(found, "exclusive").largest_accesses_per_s
        assert found.best is None
        assert found.finding == (
            "No scheme carries 50,000 accesses per second (as stated): Exclusive carries the "
            f"most, up to {most:,.0f} accesses per second, at which the disk tier is busy all "
            "the time."
        ).replace(f"{most:,.0f}", f"{float(f'{most:.3g}'):,.0f}")
        assert all(each.mean_us is None and each.unbounded for each in found.rows)
        assert "does not carry" not in found.sentence

    def test_schemes_that_fall_behind_alone_are_named(self, curve: Curve) -> None:
        between = row(ask(curve, 1.0), "none").largest_accesses_per_s * 1.02
        found = ask(curve, between)
        assert row(found, "none").unbounded == ("disk",)
        assert found.best is not None
        assert (
            "No flash does not carry this rate: the disk tier would have to be busy for 102 % "
            "of the time"
        ) in found.sentence

    def test_several_that_fall_behind_share_a_sentence(self, curve: Curve) -> None:
        first = ask(curve, 1.0)
        rate = row(first, "inclusive").largest_accesses_per_s * 1.001
        assert ask(curve, rate).sentence.startswith(
            "No flash; Inclusive; and Inclusive, global recency do not carry this rate"
        )

    def test_a_lower_rate_is_told_beside_the_one_that_decides(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 3000.0, 15_000.0)
        assert found.finding.startswith("At 15,000 accesses per second")
        assert (
            "At 3,000 accesses per second (as stated), Exclusive takes"
            in found.sentence
        )
        assert "At 3,000" not in ask(curve, 3000.0).sentence

    def test_ram_for_everything_needs_no_device(self) -> None:
        every = Curve.from_lists(
            [1, 10],
            [50, 0],
            [0, 0],
            accesses=100,
            distinct_pages=10,
            page_bytes=4096,
            write_accesses=0,
        )
        found = ask(every, 1e6, ram_pages=10, flash_pages=10)
        assert "no access needs a device" in found.finding
        assert row(found, "none").largest_accesses_per_s is None
        assert row(found, "none").mean_us == 0.0


class TestJumps:
    def test_the_tail_is_a_read_of_the_disk_until_few_are(self, curve: Curve) -> None:
        found = ask(curve, 3000.0)
        median, tail = found.jumps
        assert (median.tier, tail.tier) == ("ram", "disk")
        assert tail.share == pytest.approx(row(found, "exclusive").disk_share)
        assert (
            "The 99th percentile is a read of the disk, because 9.05 % of"
            in found.sentence
        )
        assert "The median is a RAM hit, because 89.7 % of" in found.sentence

    def test_at_the_size_that_is_named_the_percentile_has_jumped(self) -> None:
        small = Curve.from_lists(
            [1, 100, 1000, 2000],
            [9000, 3000, 90, 40],
            [0, 0, 0, 0],
            accesses=10_000,
            distinct_pages=2000,
            page_bytes=4096,
            write_accesses=0,
        )
        before = ask(small, 100.0, ram_pages=100, flash_pages=500)
        tail = before.jumps[1]
        assert tail.tier == "disk"
        assert tail.pages is not None
        at, below = (
            ask(small, 100.0, ram_pages=100, flash_pages=pages).jumps[1]
            for pages in (tail.pages, tail.pages - 1)
        )
        assert (at.tier, below.tier) == ("flash", "disk")
        assert at.is_near
        said = ask(small, 100.0, ram_pages=100, flash_pages=tail.pages)
        assert "percentile_near_jump" in [each.code for each in said.cautions]
        assert "it jumps to a read of the disk" in said.sentence
        assert f"below {tail.pages:,} pages" in said.sentence
        assert "percentile_near_jump" not in [each.code for each in before.cautions]

    @pytest.mark.parametrize(
        ("jump", "said"),
        [
            (
                Jump(0.5, "flash", "ram", 0.4, 0.5, "ram", None, "ram", 0.0),
                "The median is a read of flash, because only 40.0 % of the accesses hit RAM; it "
                "drops to a RAM hit where at least 50.0 % do, which no size of RAM reaches.",
            ),
            (
                Jump(0.99, "flash", "disk", 0.004, 0.01, "flash", 1, "disk", 4000.0),
                "The 99th percentile is a read of flash, because only 0.400 % of the accesses "
                "read the disk; it jumps to a read of the disk, 4.00 ms alone, where more than "
                "1.00 % do: below 1 page (4 KiB) of flash.",
            ),
            (
                Jump(0.99, "disk", "disk", 0.04, 0.01, "flash", 2, "flash", 90.0),
                "The 99th percentile is a read of the disk, because 4.00 % of the accesses read "
                "it; it drops to a read of flash, 90.0 µs alone, where at most 1.00 % do: from 2 "
                "pages (8 KiB) of flash on.",
            ),
        ],
    )
    def test_the_sentence_follows_the_side(self, jump: Jump, said: str) -> None:
        assert words.jump_sentence(jump, 4096) == said


class TestRates:
    def test_of_production_mean_and_busiest_hour_of_one_machine(
        self, curve: Curve
    ) -> None:
        made = scale.answer(
            profile(TPCB),
            Production(2**40, 80_000.0, peak_accesses_per_s=120_000.0, machines=4),
            clients=4,
            accesses_per_unit=20,
        ).profile
        mean, peak = rates_of(made.curve, made.duration_s)
        assert (mean.accesses_per_s, peak.accesses_per_s) == (20_000.0, 30_000.0)
        assert "4 machines" in peak.basis
        [stated] = rates_of(made.curve, accesses_per_s=5.0)
        assert stated == NamedRate("mean", 5.0, "as stated")

    def test_of_a_recording_its_own(self, curve: Curve) -> None:
        [mean] = rates_of(curve, 10.0)
        assert mean.accesses_per_s == curve.accesses / 10

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({}, "no rate of accesses is known"),
            ({"accesses_per_s": 0.0}, "above 0"),
            ({"accesses_per_s": -3.0}, "above 0"),
            ({"peak_accesses_per_s": 5.0}, "but not the mean rate"),
            ({"accesses_per_s": 5.0, "peak_accesses_per_s": 4.0}, "below the mean"),
        ],
    )
    def test_what_is_no_rate_is_refused(
        self, curve: Curve, given: dict[str, float], why: str
    ) -> None:
        with pytest.raises(BadInput, match=why) as refused:
            rates_of(curve, None, **given)
        assert refused.value.hint


class TestCautions:
    def timed(self, device: Device, us: int) -> Device:
        """Return a device that states how long a read alone takes."""
        latency = Figure(Decimal(us), "µs", "measured here")
        return replace(device, figures={**device.figures, "read_latency_us": latency})

    def effects(self, found: Any) -> dict[str, Any]:
        return {each.code: each for each in found.cautions}

    def test_waits_for_writes_are_computed_at_the_other_end(self, curve: Curve) -> None:
        background = ask(curve, 3000.0)
        waited = ask(curve, 3000.0, hierarchy=replace(TIERS, writes="waited_for"))
        best = background.best
        more = row(waited, best).mean_us / row(background, best).mean_us - 1
        effect = self.effects(background)["writes_in_background"].effect
        assert f"+{100 * more:,.0f} % mean response time" in effect
        assert "writes_are_waited_for" in self.effects(waited)

    def test_a_device_without_latency_may_serve_its_whole_depth_at_once(
        self, curve: Curve
    ) -> None:
        rated = catalog.device("samsung-pm9a3-7.68tb-u2")
        unknown = Hierarchy(rated, DISK, disks=8)
        found = ask(curve, 3000.0, hierarchy=unknown)
        caution = self.effects(found)["latency_unknown"]
        assert rated.id in caution.about
        stated = ask(curve, 3000.0, hierarchy=replace(unknown, at_once={"flash": 64}))
        assert rated.id not in [
            one
            for each in stated.cautions
            if each.code == "latency_unknown"
            for one in each.about
        ]

    def test_times_without_a_latency_are_lower_bounds_and_say_so(
        self, curve: Curve
    ) -> None:
        """A device that states IOPS alone: its reads take 1/IOPS at least, which no answer may call the response time."""
        rated = catalog.device("samsung-pm9a3-7.68tb-u2")
        assert "read_latency_us" not in rated.figures
        timed = self.timed
        disk = timed(DISK, 8000)
        found = ask(curve, 3000.0, 4000.0, hierarchy=Hierarchy(rated, disk, disks=8))
        best = row(found, found.best or found.contenders[0], "peak")
        assert best.without_latency == ("flash",)
        assert f"at least {duration_us(best.mean_us)}" in found.finding
        assert f"No latency of a read of `{rated.id}` is stated" in found.finding
        assert "1/IOPS" in found.finding
        assert "at least" in found.sentence.split(".")[0]
        named = {each.name: each.title for each in found.figures}
        assert named["peak_mean_us"].endswith(", at least")
        # A RAM hit takes no time, whatever a read takes.
        assert "at least 0 µs" not in found.finding + found.sentence
        # It stands first, though the scheme stays the best at the other end.
        assert found.cautions[0].code == "latency_unknown"
        assert first_and_rest(found.cautions)[0][0].code == "latency_unknown"
        # With its latency stated the same words are those of response times.
        known = Hierarchy(timed(rated, 85), disk, disks=8)
        stated = ask(curve, 3000.0, hierarchy=known)
        assert all(not each.without_latency for each in stated.rows)
        assert "at least" not in stated.finding
        # What the same reads take alone is more than 1/IOPS, so the bounds were none of the times.
        for each in stated.rows:
            least = row(found, each.scheme).mean_us
            assert least is not None
            assert each.mean_us is not None
            assert each.mean_us >= least

    def test_only_a_busy_device_is_near_saturation(self, curve: Curve) -> None:
        busy = ask(curve, 20_000.0)
        assert (
            "unlimited mean response time"
            in self.effects(busy)["near_saturation"].effect
        )
        assert "near_saturation" not in self.effects(ask(curve, 3000.0))

    def test_varying_times_wait_longer(self, curve: Curve) -> None:
        constant = ask(curve, 15_000.0)
        varying = ask(curve, 15_000.0, hierarchy=replace(TIERS, service="exponential"))
        best = constant.best
        more = row(varying, best).mean_us / row(constant, best).mean_us - 1
        assert more > 0.1
        assert (
            f"+{100 * more:,.0f} % mean response time"
            in self.effects(constant)["service_times_constant"].effect
        )
        assert "service_times_constant" not in self.effects(varying)

    def test_an_unknown_dirty_share_is_at_its_maximum_and_says_what_none_gives(
        self, curve: Curve
    ) -> None:
        given = Curve.from_lists(
            [1, 100, 1000],
            [900, 500, 200],
            None,
            accesses=1000,
            distinct_pages=1000,
            page_bytes=4096,
            write_accesses=0,
            given=Given("a list", "table"),
        )
        found = ask(given, 3000.0, ram_pages=100, flash_pages=500)
        effect = self.effects(found)["dirty_share_unknown"].effect
        assert "no evicted page is dirty" in effect
        assert "-" in effect


class TestCheck:
    def test_the_replay_agrees_where_the_model_holds(self, curve: Curve) -> None:
        found = ask(curve, 5000.0)
        checked = replayed.check(found, curve, hierarchy=TIERS, trace=TPCB)
        gaps = {
            (each.of, each.figure): each.gap_relative
            for each in checked.rows
            if each.gap_relative is not None
        }
        for scheme in ("none", "inclusive", "exclusive", "lazy"):
            assert abs(gaps[scheme, "mean response time at the mean rate"]) < 0.03
            assert abs(gaps[scheme, "99th percentile at the mean rate"]) < 0.12
            assert abs(gaps[scheme, "busy share of disk at the mean rate"]) < 0.02
        assert "Poisson" in checked.basis
        assert "210,000 accesses are counted, behind 210,000 accesses" in checked.basis
        assert "drawn with seed 0." in checked.basis

    def test_each_tier_has_its_queueing_and_the_percentiles_of_its_reads(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 5000.0)
        check = replayed.ResponseCheck(
            answer=found, curve=curve, hierarchy=TIERS, flash_caches=("face",)
        )
        results = {name: each.run(TPCB) for name, each in check.replays()[0].items()}
        said = check.check(results)
        taken = 32 * found.flash_pages / (curve.page_bytes * found.ram_pages)
        assert (
            f"({percent(taken)}) of the RAM. The replay had all of the RAM."
            in said.basis
        )
        figures = {(each.of, each.figure): each for each in said.rows}
        at = "at the mean rate"
        for scheme in ("none", "lazy", "face"):
            own = results[f"{scheme} {at}"]
            for tier in ("flash", "disk"):
                wait = figures[scheme, f"mean wait at {tier} {at}"]
                reads = [
                    figures[scheme, f"{figure} of reads of {tier} {at}"].simulated
                    for figure in ("median", "99th percentile")
                ]
                if (scheme, tier) == ("none", "flash"):
                    # Nothing is asked of it, so nothing waits and nothing has a time.
                    assert (wait.model, wait.simulated, reads) == (
                        None,
                        None,
                        [None] * 2,
                    )
                    continue
                assert wait.simulated == own[tier]["wait_us"] > 0
                times = own[tier]["reads"]
                assert reads == [times["p50_us"], times["p99_us"]]
                assert times["p99_us"] > times["p50_us"]
        # Nearly all that waits waits at the disks, where the model holds.
        model = figures["lazy", f"mean wait at disk {at}"]
        assert model.model == row(found, "lazy").stations[1].wait_us
        assert abs(model.gap_relative or 1.0) < 0.1
        assert figures["face", f"mean wait at disk {at}"].model is None

    def test_queueing_grows_with_the_rate_and_ends_where_a_device_cannot_keep_up(
        self, curve: Curve
    ) -> None:
        name = "mean wait at disk at the mean rate"

        def waits(rate: float) -> float | None:
            checked = replayed.check(
                ask(curve, rate), curve, hierarchy=TIERS, trace=TPCB
            )
            return next(
                each.simulated
                for each in checked.rows
                if (each.of, each.figure) == ("lazy", name)
            )

        slow, fast = waits(1000.0), waits(10_000.0)
        assert slow is not None
        assert fast is not None
        assert fast > 5 * slow
        assert waits(60_000.0) is None

    def test_clients_think_so_long_that_they_ask_at_the_rate(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 5000.0)
        asked = {"arrivals": "clients", "hierarchy": TIERS, "seed": 5}
        checked = replayed.check(found, curve, trace=TPCB, clients=64, **asked)
        for each in checked.rows:
            if each.figure.startswith("accesses per second"):
                assert each.simulated == pytest.approx(5000.0, rel=0.02)
        assert "64 clients think so long" in checked.basis
        assert "seed 5" in checked.basis
        assert "not reach the rate" not in checked.basis

    def test_one_client_does_not_reach_a_rate_that_waits_too_long(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 5000.0)
        check = replayed.ResponseCheck(
            answer=found, curve=curve, hierarchy=TIERS, arrivals="clients"
        )
        assert check.replays() == ({}, None)
        checked = check.check({})
        assert "1 client does not reach the rate even without thinking" in checked.basis
        assert "No flash at the mean rate" in checked.basis
        assert all(each.simulated is None for each in checked.rows)

    def test_devices_that_fall_behind_in_the_replay_are_named(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 5000.0)
        check = replayed.ResponseCheck(answer=found, curve=curve, hierarchy=TIERS)
        replays, _ = check.replays()
        assert set(replays) == {f"{row.scheme} at the mean rate" for row in found.rows}
        results = {name: {"behind": True} for name in replays}
        checked = check.check(results)
        assert "devices did not keep up" in checked.basis
        assert "are counted" not in checked.basis

    def test_a_replay_whose_queue_grows_states_both_rates_and_no_response_times(
        self, curve: Curve
    ) -> None:
        found = ask(curve, 60_000.0)
        check = replayed.ResponseCheck(
            answer=found, curve=curve, hierarchy=TIERS, flash_caches=("face",)
        )
        [(name, replay)] = check.replays()[0].items()
        result = replay.run(TPCB)
        checked = check.check({name: result})
        assert result["accesses_per_s"] < 0.8 * result["arrivals_per_s"]
        said = (
            f"({three_digits(result['arrivals_per_s'])} arrivals and "
            f"{three_digits(result['accesses_per_s'])} answers per second)"
        )
        assert (
            f"accesses arrived faster than the devices answered: FaCE at the mean rate {said}"
            in checked.basis
        )
        figures = {
            row.figure: row.simulated for row in checked.rows if row.of == "face"
        }
        assert figures["99th percentile at the mean rate"] is None
        assert (
            figures["accesses per second at the mean rate"] == result["accesses_per_s"]
        )
        easy = ask(curve, 5000.0)
        check = replace(check, answer=easy)
        replays, _ = check.replays()
        name = "face at the mean rate"
        assert (
            "arrived faster" not in check.check({name: replays[name].run(TPCB)}).basis
        )

    def test_recorded_arrivals_need_times(self, curve: Curve) -> None:
        with pytest.raises(BadInput, match="no times"):
            replayed.ResponseCheck(
                answer=ask(curve, 5000.0),
                curve=curve,
                hierarchy=TIERS,
                arrivals="trace",
            )

    def test_a_replay_is_the_same_from_its_document(self, curve: Curve) -> None:
        check = replayed.ResponseCheck(
            answer=ask(curve, 5000.0), curve=curve, hierarchy=TIERS
        )
        replays, _ = check.replays()
        each = replays["lazy at the mean rate"]
        again = TimedReplay.of(json.loads(json.dumps(each.to_dict())))
        assert again == each
        assert again.run(TPCB)["accesses_per_s"] == pytest.approx(5000.0, rel=0.01)

    def test_what_cannot_keep_up_is_unbounded_on_both_sides(self, curve: Curve) -> None:
        found = ask(curve, 60_000.0)
        checked = replayed.check(found, curve, hierarchy=TIERS, trace=TPCB)
        for each in checked.rows:
            if each.unit == "µs":
                assert (each.model, each.simulated) == (None, None)
        assert checked.finding.startswith("Neither the model nor the replay")
        assert checked.basis == (
            "Nothing was replayed. A scheme whose devices cannot carry the rate is not replayed."
        )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("response") / "tpcb.json"
    profile(TPCB).write(path)
    return path


class TestCommand:
    POINT = (
        "--ram-pages",
        "1000",
        "--flash-pages",
        "6000",
        "--flash-device",
        FLASH.id,
        "--disk-device",
        DISK.id,
    )

    def test_it_prints_the_finding_and_a_table_a_rate(self, file: Path) -> None:
        code, out, err = run(
            "response",
            file,
            *self.POINT,
            "--disks",
            "8",
            "--accesses-per-second",
            "3000",
            "--peak-accesses-per-second",
            "25000",
        )
        assert code == 0, err
        assert "No scheme carries 25,000 accesses per second" in out
        assert "At the mean rate, 3,000 accesses per second" in out
        assert "unbounded" in out
        assert "0 µs" in out

    def test_its_document_is_the_answer_and_the_check(self, file: Path) -> None:
        code, out, err = run(
            "response",
            file,
            *self.POINT,
            "--disks",
            "8",
            "--accesses-per-second",
            "5000",
            "--trace",
            TPCB.path,
            "--arrivals",
            "trace",
            "--json",
        )
        assert code == 0, err
        found = json.loads(out)
        assert found["rates"] == [
            {"name": "mean", "accesses_per_s": 5000.0, "basis": "as stated"}
        ]
        assert len(found["rows"]) == 5
        assert "as recorded, stretched" in found["check"]["basis"]
        assert found["cautions"]

    def test_production_gives_its_rates(self, file: Path) -> None:
        code, out, err = run(
            "response", file, *self.POINT, "--production", "20GiB@400", "--json"
        )
        assert code == 0, err
        [rate] = json.loads(out)["rates"]
        assert rate["accesses_per_s"] == 400.0
        assert rate["basis"] == "production as stated"

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (("--accesses-per-second", "0"), "must be a finite number above 0"),
            (("--accesses-per-second", "-5"), "must be a finite number above 0"),
            (("--disks", "0"), "must be a whole number"),
            (("--writes", "never"), "must be one of background, waited_for"),
            (("--service", "slow"), "must be one of constant, exponential"),
            (("--arrivals", "daily"), "`daily` is unknown"),
            (
                ("--production", "20GiB@400", "--trace", str(TPCB.path)),
                "at its own scale",
            ),
        ],
    )
    def test_bad_input_is_named(
        self, file: Path, options: tuple[str, ...], why: str
    ) -> None:
        code, _, err = run("response", file, *self.POINT, *options)
        assert code == 2
        assert why in err
        assert "hint: " in err
