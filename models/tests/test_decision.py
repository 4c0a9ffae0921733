"""Close calls: who contends, what a replay decides, which trace is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import recordings
from command import run
from hypothesis import given
from hypothesis import strategies as st

from tierwright.advise import compare, decide
from tierwright.advise.point import scheme_titles
from tierwright.cli.reads import OPTIONS, ReadingOption
from tierwright.common.errors import BadInput
from tierwright.common.wording import percent
from tierwright.evaluate.page_flow import decision, evaluation, results
from tierwright.evaluate.page_flow import decision as page_flow_decision
from tierwright.evaluate.page_flow.schemes import SCHEMES
from tierwright.hardware import catalog
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile
from tierwright.profile.measure import profile
from tierwright.simulate.replay import replay
from tierwright.trace.reading import Trace

TPCB = recordings.TPCB
TEXT = Path(__file__).resolve().parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
TPCC = recordings.TPCC
FLASH = catalog.device("samsung-pm9a3-7.68tb-u2")
SLOW = catalog.device("kv2009-intel-x25e")
DISK = catalog.device("face2016-cheetah-15k6-raid0-16")


@pytest.fixture(scope="module")
def made() -> Profile:
    return profile(Trace(TPCB), sizes=(1000, 3000, 4000, 6000, 7000))


def evaluated(curve: Curve, ram: int = 1000, flash: int = 6000) -> results.Evaluation:
    return evaluation.evaluate(
        curve, ram_pages=ram, flash_pages=flash, flash=FLASH, disk=DISK
    )


def in_words(
    made: Profile,
    found: results.Evaluation,
    flash: Device = FLASH,
    disk: Device = DISK,
) -> str:
    return compare.of_evaluation(found, made.curve, flash=flash, disk=disk).finding


def oracle(ram: int, flash: int, scheme: str) -> float:
    """Price one replay of the shipped trace from its counters. [µs per access]"""
    row = replay(Trace(TPCB), "scheme", scheme, ram, 0 if scheme == "none" else flash)
    times = (
        ("flash_reads", service_us(FLASH, "read", row["page_bytes"])),
        ("flash_writes", service_us(FLASH, "write", row["page_bytes"])),
        ("hdd_reads", service_us(DISK, "read", row["page_bytes"])),
        ("hdd_writes", service_us(DISK, "write", row["page_bytes"])),
    )
    return sum(row[name] * (time or 0.0) for name, time in times) / row["accesses"]


def test_a_close_call_is_decided_by_the_replay(made: Profile) -> None:
    by_model = evaluated(made.curve)
    assert by_model.decided_by == "model"
    assert {"exclusive", "lazy"} <= set(by_model.contenders)
    assert "none" not in by_model.contenders
    found = decide.decide(by_model, made.curve, Trace(TPCB))
    assert found.decided_by == "replay"
    truth = {name: oracle(1000, 6000, name) for name in SCHEMES}
    for name, result in found.schemes.items():
        assert result.replayed is not None
        assert result.replayed.io_time_us_per_access == pytest.approx(truth[name])
        assert sum(result.replayed.cost_terms_us_per_access.values()) == pytest.approx(
            truth[name]
        )
        # the model's own figures stay beside
        assert (
            result.io_time_us_per_access == by_model.schemes[name].io_time_us_per_access
        )
    order = sorted(truth, key=lambda name: truth[name])
    assert [found.best, found.runner_up] == order[:2]
    assert found.margin == pytest.approx(1 - truth[order[0]] / truth[order[1]])
    assert found.gain_over_none == pytest.approx(1 - truth[order[0]] / truth["none"])
    names = {caution.name for caution in found.warnings}
    assert "lead_within_model_error" not in names


def test_the_steady_state_is_decided_by_warmed_caches(made: Profile) -> None:
    """The second half is counted, and the first one warms."""
    curve = made.curve.steady()
    found = decide.decide(evaluated(curve), curve, Trace(TPCB))
    assert (found.decided_by, found.start) == ("replay", "steady")
    half = made.curve.accesses // 2
    for name, result in found.schemes.items():
        flash = 0 if name == "none" else 6000
        whole = replay(Trace(TPCB), "scheme", name, 1000, flash)
        warm = replay(Trace(TPCB), "scheme", name, 1000, flash, warm_up=half)
        assert result.replayed is not None
        assert result.replayed.accesses == made.curve.accesses - half
        assert result.replayed.hdd_reads == warm["hdd_reads"] < whole["hdd_reads"]
        assert result.replayed.flash_writes == warm["flash_writes"]


def test_what_is_held_makes_the_steady_state_less_sure(made: Profile) -> None:
    """Caches that hold most pages seen are decided by the replay, whatever the lead."""
    devices = {"flash": SLOW, "disk": FLASH}  # flash that costs more than the disk
    for start, ram, flash, sure in (
        ("cold", 1000, 300, True),
        ("steady", 1000, 300, True),
        ("steady", 1000, 29_000, False),
    ):
        curve = made.curve.from_start(start)
        found = evaluation.evaluate(curve, ram_pages=ram, flash_pages=flash, **devices)
        assert (found.contenders == ()) == sure, (start, flash)


def test_without_flash_there_is_nothing_for_a_replay_to_decide(made: Profile) -> None:
    curve = made.curve.from_start("steady")
    # Most of the pages that were seen: a replay has first touches in place of misses.
    found = evaluation.evaluate(
        curve,
        ram_pages=curve.distinct_pages - 1,
        flash_pages=0,
        flash=SLOW,
        disk=FLASH,
    )
    costs = {each.io_time_us_per_access for each in found.schemes.values()}
    assert len(costs) == 1
    assert found.contenders == ()
    assert decide.decide(found, made.curve, Trace(TPCB)).decided_by == "model"


def test_a_clear_lead_needs_no_replay(made: Profile) -> None:
    by_model = evaluation.evaluate(
        made.curve, ram_pages=1000, flash_pages=300, flash=SLOW, disk=FLASH
    )
    assert by_model.best == "none"
    assert by_model.contenders == ()
    said = in_words(made, by_model, SLOW, FLASH)
    assert said.startswith(
        "Flash does not reduce I/O time here: without flash an access costs"
    )
    assert f"{percent(by_model.margin)} less than" in said
    assert decide.decide(by_model, made.curve, Trace(TPCB)) == by_model


def test_a_lead_below_one_percent_is_equal_and_names_the_least_writes(
    made: Profile,
) -> None:
    found = decide.decide(evaluated(made.curve), made.curve, Trace(TPCB))
    assert found.margin < decision.EQUAL_SHARE
    assert set(found.equal) == {"exclusive", "lazy"}
    written = {
        name: replay(Trace(TPCB), "scheme", name, 1000, 6000)["flash_writes"]
        for name in found.equal
    }
    assert found.writes_least == min(written, key=lambda name: written[name])
    said = in_words(made, found)
    assert f"{scheme_titles()[found.writes_least]} writes least to flash" in said
    assert "decided by replay" in said
    clear = evaluation.evaluate(
        made.curve, ram_pages=1000, flash_pages=6000, flash=SLOW, disk=FLASH
    )
    assert clear.equal == ()
    assert clear.writes_least is None
    assert "equal" not in in_words(made, clear, SLOW, FLASH)
    led = in_words(made, replace(found, equal=()))
    assert led.startswith(f"{scheme_titles()[found.best]} costs")
    assert f"{percent(found.margin)} less than" in led
    assert f"{percent(found.gain_over_none)} less than without flash" in led


def test_a_replay_may_turn_the_model_over(made: Profile) -> None:
    by_model = evaluated(made.curve)
    counters = {
        name: dict(replay(Trace(TPCB), "scheme", name, 1000, 6000 * (name != "none")))
        for name in SCHEMES
    }
    other = next(name for name in by_model.contenders if name != by_model.best)
    counters[other]["hdd_reads"] = 0
    found = page_flow_decision.decided(by_model, counters, made.curve)
    assert found.best == other
    assert by_model.best != other
    assert found.margin_us_per_access > 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"accesses": 420_001}, "accesses 420,000 and 420,001"),
        ({"distinct_pages": 30_686}, "distinct pages 30,687 and 30,686"),
        ({"write_accesses": 127_822}, "write accesses 127,823 and 127,822"),
    ],
)
def test_a_trace_of_another_profile_is_refused(
    made: Profile, change: dict[str, Any], said: str
) -> None:
    curve = replace(made.curve, **change)
    row = replay(Trace(TPCB), "scheme", "none", 10, 0)
    with pytest.raises(BadInput, match=said):
        decision.check_belongs(curve, row, "x")
    decision.check_belongs(made.curve, row, "x")


costs = st.floats(1.0, 100.0)
errors = st.floats(0.0, 20.0)


@given(
    st.dictionaries(
        st.sampled_from(SCHEMES), st.tuples(costs, errors, errors), min_size=2
    )
)
def test_whoever_is_best_within_the_errors_contends(
    given_: dict[str, tuple[float, float, float]],
) -> None:
    """Of every true cost within the errors the least one is a contender's, or the leader's."""
    able = decision.contenders(given_)
    leader = min(given_, key=lambda name: given_[name][0])
    for name, (cost, lower, _) in given_.items():
        rivals = [c + h for other, (c, _, h) in given_.items() if other != name]
        if cost - lower < min(rivals):
            assert name in able or (able == () and name == leader)
    assert len(able) != 1


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, made: Profile) -> Path:
    folder = tmp_path_factory.mktemp("decision")
    made.write(folder / "p.json")
    assert run("trace", "convert", TEXT, folder / "t.twt").returncode == 0
    return folder


def asked(files: Path, *more: object) -> list[object]:
    return [
        "evaluate",
        files / "p.json",
        *("--ram-pages", "1000", "--flash-pages", "6000"),
        *("--flash-device", FLASH.id, "--disk-device", DISK.id),
        *more,
    ]


@pytest.mark.parametrize("canonical", [False, True])
def test_the_command_decides_by_a_trace(files: Path, canonical: bool) -> None:
    source = files / "t.twt" if canonical else TEXT
    plain = json.loads(run(*asked(files, "--json")).stdout)
    assert plain["decided_by"] == "model"
    assert plain["schemes"]["lazy"]["replayed"] is None
    done = run(*asked(files, "--trace", source, "--json"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["decided_by"] == "replay"
    times = {
        name: entry["replayed"]["io_time_us_per_access"]
        for name, entry in found["schemes"].items()
    }
    assert found["best"] == min(times, key=lambda name: times[name])
    assert set(found["schemes"]["lazy"]) == set(plain["schemes"]["lazy"])
    text = run(*asked(files, "--trace", source)).stdout
    assert "decided by replay" in text


def test_the_command_refuses_another_trace(files: Path) -> None:
    done = run(*asked(files, "--trace", TPCC))
    assert done.returncode == 2
    assert "is not the trace of the profile" in done.stderr
    assert "accesses 500,000 and 420,000" in done.stderr
    assert "hint: name the trace that was profiled" in done.stderr


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.flag)
def test_options_of_reading_need_a_trace(files: Path, option: ReadingOption) -> None:
    value = {"--column": "time=ts", "--device-size": "1TiB"}.get(option.flag, "7")
    done = run(
        *asked(files, option.flag, *([] if option.default is False else [value]))
    )
    assert done.returncode == 2
    assert f"{option.flag} says how to read a trace" in done.stderr
