"""Throughput: operational laws, exact MVA against a solved Markov chain, schemes."""

import doctest
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.metadata import preset
from tierwright.evaluate.throughput import schemes
from tierwright.evaluate.throughput.laws import asymptotic_bounds, open_utilisation
from tierwright.evaluate.throughput.mva import closed_network
from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput
from tierwright.hardware import catalog
from tierwright.profile.curve import Curve
from tierwright.profile.document import Profile

CURVE = Curve.from_lists(
    [100, 200, 300, 400],
    [400, 300, 250, 200],
    [80, 30, 15, 0],
    accesses=1000,
    distinct_pages=400,
    page_bytes=4096,
    write_accesses=200,
)
FLASH = catalog.device("kv2009-intel-x25e")
DISK = catalog.device("face2016-cheetah-15k6-single")


def markov(demands: list[float], clients: int, think: float) -> tuple[float, float]:
    """Throughput and response time by solving the balance equations of the whole chain.

    State: clients at each queue, the others think. A client visits the queues in turn, once
    each per cycle, and each serves at rate 1 / demand: slow, obvious, no product form used.
    """
    stations = len(demands)
    states = [
        state
        for state in itertools.product(range(clients + 1), repeat=stations)
        if sum(state) <= clients and (think > 0 or sum(state) == clients)
    ]
    index = {state: at for at, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))

    def move(state: tuple[int, ...], source: int | None, rate: float) -> None:
        target = 0 if source is None else source + 1
        after = list(state)
        if source is not None:
            after[source] -= 1
        if target == stations and think == 0:
            target = 0
        if target < stations:
            after[target] += 1
        if tuple(after) != state:
            rates[index[state], index[tuple(after)]] += rate

    for state in states:
        thinking = clients - sum(state)
        if think > 0 and thinking:
            move(state, None, thinking / think)
        for station, waiting in enumerate(state):
            if waiting:
                move(state, station, 1 / demands[station])
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[-1] = 1.0
    right = np.zeros(len(states))
    right[-1] = 1.0
    chance = np.linalg.solve(balance, right)
    busy = sum(p for state, p in zip(states, chance, strict=True) if state[0] > 0)
    rate = float(busy) / demands[0]
    return rate, clients / rate - think


@pytest.mark.oracle("evaluate.throughput.mva.closed_network")
@pytest.mark.parametrize("clients", [1, 2, 3, 5])
@pytest.mark.parametrize("think", [0.0, 0.7])
@pytest.mark.parametrize(
    "demands", [[1.0, 0.5], [0.3, 0.3, 1.2], [0.2, 0.9, 0.4], [2.0, 0.01]]
)
def test_mva_is_the_solved_markov_chain(
    demands: list[float], clients: int, think: float
) -> None:
    rate, response = markov(demands, clients, think)
    found = closed_network(demands, clients=clients, think_s=think)
    assert found.throughput_per_s[-1] == pytest.approx(rate, rel=1e-9)
    assert found.response_s[-1] == pytest.approx(response, rel=1e-9)


@pytest.mark.parametrize("disks", [2, 3])
def test_equal_devices_are_queues_of_their_own(disks: int) -> None:
    """n disks chosen with equal chance are n stations with a share of the demand each."""
    one_by_one = closed_network([0.4, *[1.2 / disks] * disks], clients=6, think_s=0.3)
    together = closed_network([0.4, 1.2], clients=6, think_s=0.3, devices=[1, disks])
    assert together.throughput_per_s == pytest.approx(one_by_one.throughput_per_s)
    assert together.utilisation[:, 1] == pytest.approx(one_by_one.utilisation[:, 1])
    assert together.queue[:, 1] == pytest.approx(one_by_one.queue[:, 2])


def test_the_balanced_network_in_closed_form() -> None:
    """K equal queues: X(N) = N / ((N + K - 1) D)."""
    found = closed_network([0.5] * 4, clients=20)
    n = found.clients
    assert found.throughput_per_s == pytest.approx(n / ((n + 3) * 0.5))
    assert found.response_s == pytest.approx((n + 3) * 0.5)


def test_one_queue_with_think_time_is_the_machine_repairman() -> None:
    """Erlang: 1 station, N clients; X = (1 - p0) / D with p0 from the finite sum."""
    clients, demand, think = 6, 0.5, 2.0
    terms = [1.0]
    for k in range(clients):
        terms.append(terms[-1] * (clients - k) * demand / think)
    p0 = 1 / sum(terms)
    found = closed_network([demand], clients=clients, think_s=think)
    assert found.throughput_per_s[-1] == pytest.approx((1 - p0) / demand)


demand_lists = st.lists(st.floats(0.001, 5.0), min_size=1, max_size=4)


@pytest.mark.parametrize("clients", [1, 2, 3, 4])
@pytest.mark.parametrize("think", [0.0, 0.4])
def test_a_delay_is_a_station_with_a_server_for_everybody(
    clients: int, think: float
) -> None:
    """Against the chain in which clients in the delay think a little longer, and wait for it."""
    demands, delay = [0.5, 0.2], 0.9
    rate, _ = markov(demands, clients, think + delay)
    found = closed_network(demands, clients=clients, think_s=think, delay_s=delay)
    assert found.throughput_per_s[-1] == pytest.approx(rate, rel=1e-9)
    assert found.response_s[-1] == pytest.approx(clients / rate - think, rel=1e-9)


@pytest.mark.oracle("evaluate.throughput.schemes.beyond_busy")
def test_a_volume_answers_no_faster_than_its_latency() -> None:
    volume = catalog.device("aws-ebs-io2-bx")
    # 500 µs, whatever its 256,000 IOPS; page writes and reads alike
    waits = schemes.beyond_busy(FLASH, volume, 4096)
    assert waits.flash_read == 0
    assert waits.disk_read == pytest.approx(500 - 1e6 / 256_000)
    found = study(
        disk=volume, setting=Setting(clients=1, accesses_per_transaction=10)
    ).schemes["none"]
    # none: 400 reads and 80 writes over 1000 accesses, 10 accesses a transaction
    assert found.response_s[0] == pytest.approx(4.8 * 500e-6)
    assert found.delay_s[0] == pytest.approx(4.8 * (500e-6 - 1 / 256_000))
    assert found.bounds.response_s[0] == pytest.approx(4.8 * 500e-6)


@pytest.mark.formula("evaluate.throughput.schemes.beyond_busy")
@given(
    st.sampled_from(["aws-ebs-io2-bx", "wd-ultrastar-hc310", DISK.id]),
    st.sampled_from(["intel-s4500-7.68tb", "optane-p4800x-375gb", FLASH.id]),
    st.integers(1, 200),
    st.floats(0, 0.01),
)
def test_a_response_is_never_below_its_latencies_and_saturation_stays(
    disk: str, flash: str, clients: int, think: float
) -> None:
    devices = {"flash": catalog.device(flash), "disk": catalog.device(disk)}
    setting = Setting(clients=clients, accesses_per_transaction=7, think_s=think)
    waits = schemes.beyond_busy(devices["flash"], devices["disk"], 4096)
    assert min(waits.flash_read, waits.flash_write, waits.disk_read) >= 0
    schemes_found = study(**devices, setting=setting, points=[clients]).schemes.values()
    demands = np.stack([found.demands_s[0] for found in schemes_found])
    delays = np.asarray([found.delay_s[0] for found in schemes_found])
    alone = demands.sum(axis=1) + delays
    fastest = 1 / demands.max(axis=1)
    many = np.minimum(20 * (alone + think) * fastest, 20_000).astype(int) + 1
    without = closed_network(demands, clients=clients, think_s=think)
    # A network that would take more clients than these is not solved; the others at once.
    solved = many < 20_000
    crowded = {}
    if solved.any():
        crowd = closed_network(
            demands[solved],
            clients=int(many[solved].max()),
            think_s=think,
            delay_s=delays[solved],
        )
        crowded = dict(zip(np.flatnonzero(solved), crowd.throughput_per_s, strict=True))
    for at, found in enumerate(schemes_found):
        assert found.response_s[0] >= alone[at] * (1 - 1e-12)
        most = without.throughput_per_s[at, -1] * (1 + 1e-12)
        assert found.throughput_per_s[0] <= most
        # what the devices do at most is the same, and is reached with clients enough
        assert found.bounds.max_throughput_per_s[0] == pytest.approx(fastest[at])
        if many[at] < 20_000:
            assert crowded[at][many[at] - 1] >= 0.9 * fastest[at]


def test_delays_that_differ_by_flash_size_are_solved_apart() -> None:
    """As one network a size."""
    volume = catalog.device("aws-ebs-io2-bx")
    sizes = [50, 100, 200]
    together = study(disk=volume, vary="flash_pages", points=sizes).schemes["lazy"]
    assert len(set(together.delay_s.tolist())) == len(sizes)
    for at, size in enumerate(sizes):
        alone = study(disk=volume, flash_pages=size, points=[40]).schemes["lazy"]
        assert together.response_s[at] == pytest.approx(alone.response_s[0])


@pytest.mark.oracle("evaluate.throughput.schemes.delay_terms")
@pytest.mark.formula("evaluate.throughput.schemes.delay_terms")
@given(st.floats(0.1, 1000), st.integers(1, 300))
def test_the_numbers_behind_a_delay_give_it(accesses: float, flash_pages: int) -> None:
    volume = catalog.device("aws-ebs-io2-bx")
    drive = catalog.device("intel-s4500-7.68tb")
    waits = schemes.beyond_busy(drive, volume, 4096)
    found = study(
        flash=drive,
        disk=volume,
        points=[3],
        flash_pages=flash_pages,
        setting=Setting(clients=3, accesses_per_transaction=accesses),
    ).schemes["lazy"]
    formula, numbers = schemes.delay_terms(found, 0, accesses, waits)
    named = {number.symbol: number.value for number in numbers}
    text = formula.replace("A (", "A * (")
    for pair in ("h_f f_R", "w_f f_W", "m_f d_R", "w_d d_W"):
        text = text.replace(pair, pair.replace(" ", " * "))
    assert eval(text, {}, named) / 1e6 == pytest.approx(float(found.delay_s[0]))


@pytest.mark.formula(
    "evaluate.throughput.mva.closed_network",
    "evaluate.throughput.laws.asymptotic_bounds",
)
@given(demand_lists, st.floats(0, 10), st.integers(1, 30))
def test_mva_keeps_the_operational_laws(
    demands: list[float], think: float, clients: int
) -> None:
    found = closed_network(demands, clients=clients, think_s=think)
    n = found.clients
    # Little's law and the utilisation law; clients are somewhere
    assert found.throughput_per_s * (found.response_s + think) == pytest.approx(n)
    assert found.utilisation == pytest.approx(
        found.throughput_per_s[:, None] * np.asarray(demands)
    )
    assert found.queue.sum(axis=1) + found.throughput_per_s * think == pytest.approx(n)
    assert np.all(found.utilisation <= 1 + 1e-12)
    # more clients never lower the throughput, nor shorten the response
    assert np.all(np.diff(found.throughput_per_s) >= -1e-12)
    assert np.all(np.diff(found.response_s) >= -1e-12)
    for at in (0, clients - 1):
        bound = asymptotic_bounds(demands, clients=int(n[at]), think_s=think)
        assert found.throughput_per_s[at] <= float(bound.throughput_per_s) * (1 + 1e-12)
        assert found.response_s[at] >= float(bound.response_s) * (1 - 1e-12)


@given(demand_lists, st.floats(0, 10), st.integers(1, 20), st.integers(1, 8))
def test_more_devices_never_lower_the_throughput(
    demands: list[float], think: float, clients: int, devices: int
) -> None:
    rates = [
        closed_network(
            demands,
            clients=clients,
            think_s=think,
            devices=[count, *[1] * (len(demands) - 1)],
        ).throughput_per_s[-1]
        for count in (devices, devices + 1)
    ]
    assert rates[1] >= rates[0] * (1 - 1e-12)


def test_many_networks_at_once_equal_one_by_one() -> None:
    demands = np.array([[[1.0, 0.2]], [[0.3, 0.4]]])
    think = np.array([0.0, 1.0])
    found = closed_network(demands, clients=5, think_s=think)
    assert found.throughput_per_s.shape == (2, 2, 5)
    for i, j in np.ndindex(2, 2):
        single = closed_network(demands[i, 0], clients=5, think_s=think[j])
        assert found.throughput_per_s[i, j] == pytest.approx(single.throughput_per_s)
        assert found.queue[i, j] == pytest.approx(single.queue)


@pytest.mark.oracle(
    "evaluate.throughput.laws.asymptotic_bounds",
    "evaluate.throughput.laws.open_utilisation",
)
def test_bounds_by_hand() -> None:
    # D = 0.005 + 0.02, the two disks need 0.01 each: X <= 100/s, N* = 0.125 / 0.01
    found = asymptotic_bounds(
        [0.005, 0.02], clients=[1, 10, 50], think_s=0.1, devices=[1, 2]
    )
    assert found.max_throughput_per_s.tolist() == pytest.approx([100] * 3)
    assert found.bottleneck.tolist() == [1] * 3
    assert found.knee_clients.tolist() == pytest.approx([12.5] * 3)
    assert found.throughput_per_s.tolist() == pytest.approx([8, 80, 100])
    assert found.response_s.tolist() == pytest.approx([0.025, 0.025, 0.4])
    assert open_utilisation(
        [0.005, 0.02], arrivals_per_s=100, devices=[1, 2]
    ).tolist() == pytest.approx([0.5, 1.0])


def test_nothing_demanded_has_no_bound() -> None:
    found = asymptotic_bounds([0.0, 0.0], clients=3)
    assert np.isinf(found.max_throughput_per_s)
    assert np.isnan(found.knee_clients)
    network = closed_network([0.0], clients=3)
    assert np.all(np.isinf(network.throughput_per_s))
    assert np.all(network.utilisation == 0)


# --- schemes ------------------------------------------------------------------------------


def study(**more: Any) -> schemes.ThroughputStudy:
    given_: dict[str, Any] = {
        "ram_pages": 100,
        "flash_pages": 200,
        "flash": FLASH,
        "disk": DISK,
        "setting": Setting(clients=40, accesses_per_transaction=10),
        **more,
    }
    return scheme_throughput(CURVE, **given_)


@pytest.mark.oracle("evaluate.throughput.schemes.scheme_throughput")
def test_demands_are_the_cost_formula() -> None:
    # none: 400 D_R + 80 D_W over 1000 accesses, 10 accesses a transaction; IOPS 409 and 343
    found = study().schemes["none"]
    disk = (400 / 409 + 80 / 343) / 1000 * 10
    assert found.demands_s[0].tolist() == pytest.approx([0, 0, disk])
    assert float(found.bounds.max_throughput_per_s[0]) == pytest.approx(1 / disk)
    assert found.throughput_per_s[-1] == pytest.approx(
        1 / disk
    )  # one queue: always busy
    # exclusive: 150 F_R + 400 F_W; 250 D_R + 15 D_W
    found = study().schemes["exclusive"]
    flash = (150 / 35000 + 400 / 3300) / 1000 * 10
    assert found.demands_s[0, 1] == pytest.approx(flash)
    assert found.demands_s[0, 2] == pytest.approx((250 / 409 + 15 / 343) / 1000 * 10)


def test_the_bottleneck_moves_from_disk_to_flash_with_more_disks() -> None:
    """The shape of FaCE section 5: disks first, then the flash cache, limit the rate."""
    found = study(vary="disks", points=[1, 2, 4, 8, 16, 64])
    exclusive = found.schemes["exclusive"]
    kinds = exclusive.bounds.bottleneck.tolist()
    assert kinds[0] == 2
    assert kinds[-1] == 1
    assert np.all(np.diff(exclusive.throughput_per_s) >= 0)
    assert np.all(exclusive.utilisation <= 1)
    knee = found.knee_disks["exclusive"]
    assert knee is not None
    demands = exclusive.demands_s[0]
    assert knee == pytest.approx(demands[2] / demands[1])
    assert found.knee_disks["none"] is None


def test_points_are_the_same_whatever_is_varied() -> None:
    by_clients = study(points=[7, 40])
    by_disks = study(vary="disks", points=[1])
    by_flash = study(vary="flash_pages", points=[200, 0])
    for name in by_clients.schemes:
        rate = by_clients.schemes[name].throughput_per_s[1]
        assert by_disks.schemes[name].throughput_per_s[0] == pytest.approx(rate)
        assert by_flash.schemes[name].throughput_per_s[0] == pytest.approx(rate)
    none = by_flash.schemes["none"].throughput_per_s[1]
    for scheme in by_flash.schemes.values():
        assert scheme.throughput_per_s[1] == pytest.approx(none)
    assert by_flash.best[1] == "none"


def test_the_answer_names_estimator_validity_warnings_and_derivation() -> None:
    found = study(setting=Setting(clients=3, cpu_s_per_transaction=0.001)).to_dict()
    assert "exact mean-value analysis" in found["estimator"]
    assert "each device serves one request at a time" in found["validity"]
    names = {warning["name"] for warning in found["warnings"]}
    assert {"writes_are_waited_for", "latency_unknown"} <= names
    lazy = next(d for d in found["derivation"] if d["scheme"] == "lazy")
    assert {number["symbol"] for number in lazy["numbers"]} == {
        "N",
        "W",
        "Z",
        "D_cpu",
        "D_flash",
        "D_disk",
    }
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_approximations_inside_the_demands_are_named_with_their_error() -> None:
    found = study(setting=Setting(clients=3))
    assert "lazy by the LRU curve at r + e_f" in found.estimator
    assert "off by up to" in found.estimator
    assert "hits off by their known error" in found.validity.replace("\n", " ")
    for name, scheme in found.schemes.items():
        near = scheme.throughput_range_per_s
        assert (near is not None) == (name in ("inclusive", "lazy"))
        assert scheme.exact == (name not in ("inclusive", "lazy"))
        if near is None:
            continue
        assert "approximation" in scheme.exactness
        low, high = near
        assert np.all(low <= scheme.throughput_per_s)
        assert np.all(scheme.throughput_per_s <= high)
        assert np.all(low < high)


def test_the_range_is_that_of_hits_off_by_their_error() -> None:
    sizes = {"ram_pages": 100, "flash_pages": 200}
    devices = {"flash": FLASH, "disk": DISK}
    found = scheme_throughput(
        CURVE, **sizes, **devices, setting=Setting(clients=1), points=[1]
    ).schemes["lazy"]
    # One client alone: X = 1 / (D_flash + D_disk). 7 % of the 400 RAM misses more or less,
    # each hit F_R + p_d F_W in place of F_W + D_R + p_dF D_W.
    costs = found.costs
    times = costs.times
    p_df = costs.disk_writes_per_access / costs.flash_misses * CURVE.accesses
    hit = times.flash_read + 0.2 * times.flash_write
    miss = times.flash_write + times.disk_read + float(p_df[0]) * times.disk_write
    per_access = float(costs.io_time_us_per_access[0])
    ends = sorted(
        1e6 / (per_access + sign * 0.07 * 400 / 1000 * (miss - hit)) for sign in (-1, 1)
    )
    assert found.throughput_range_per_s is not None
    assert [float(end[0]) for end in found.throughput_range_per_s] == pytest.approx(
        ends
    )


def test_the_demands_are_the_terms_of_the_cost_formula() -> None:
    setting = Setting(clients=2, accesses_per_transaction=7)
    found = study(setting=setting)
    for scheme in found.schemes.values():
        for kind, (_, numbers) in schemes.demand_terms(scheme, -1, 7).items():
            a, h, read, w, write = (number.value for number in numbers)
            demand = scheme.demands_s[-1, schemes.STATIONS.index(kind)]
            assert a * (h * read + w * write) / 1e6 == pytest.approx(demand)


def test_all_in_ram_has_no_bound_and_says_so() -> None:
    curve = Curve.from_lists(
        [10],
        [0],
        [0],
        accesses=10,
        distinct_pages=10,
        page_bytes=4096,
        write_accesses=0,
    )
    found = scheme_throughput(
        curve,
        ram_pages=10,
        flash_pages=0,
        flash=FLASH,
        disk=DISK,
        setting=Setting(clients=2),
    )
    assert "nothing_demanded" in {warning.name for warning in found.warnings}
    plain = found.to_dict()["schemes"]["none"]
    assert plain["throughput_per_s"] == [None, None]
    assert plain["bottleneck"] == [None, None]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: closed_network([], clients=1), "holds no station"),
        (lambda: closed_network(1.0, clients=1), "holds no station"),
        (lambda: closed_network([1], clients=0), "clients: `0`"),
        (lambda: closed_network([1], clients=10**6), "clients: `1000000`"),
        (lambda: closed_network([-1], clients=1), "must not be negative"),
        (lambda: closed_network([float("nan")], clients=1), "must be finite"),
        (lambda: closed_network([1], clients=1, devices=0), "devices: `0`"),
        (lambda: closed_network([1], clients=1, devices=1.5), "devices: `1.5`"),
        (lambda: closed_network([1], clients=1, think_s=-1), "think_s: `-1`"),
        (lambda: asymptotic_bounds([1], clients=0), "clients: `0`"),
        (lambda: study(vary="ram"), "vary: `ram` cannot be varied"),
        (lambda: study(points=[]), "holds no value"),
        (lambda: study(points=[0]), "points of clients: `0`"),
        (lambda: study(setting=Setting(clients=1, disks=0)), "disks: `0`"),
        (lambda: study(setting=Setting(clients=1, think_s=-1)), "think_s: `-1`"),
    ],
)
def test_bad_numbers_are_refused(call: Any, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        call()
    assert message in caught.value.message
    assert caught.value.hint


def test_the_command_prints_one_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "profile.json"
    Profile(CURVE, None).write(path)
    command = [
        "throughput",
        str(path),
        "--ram-pages=100",
        "--flash-pages=200",
        f"--flash-device={FLASH.id}",
        f"--disk-device={DISK.id}",
        "--clients=4",
        "--think-ms=5",
    ]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["points"] == [1, 2, 3, 4]
    assert found["inputs"]["think_s"] == 0.005
    assert main([*command, "--vary=disks", "--points=1,8"]) == 0
    assert "At disks = 8" in capsys.readouterr().out
    assert main([*command, "--vary=disks", "--points=1,x"]) == 2
    assert "`x` is not a number" in capsys.readouterr().err


def test_worked_numbers_of_the_page() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "models" / "throughput.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0
    assert result.attempted >= 10


def test_metadata_are_charged_to_every_scheme_with_flash() -> None:
    free = study(vary="flash_pages", points=[0, 100, 200])
    charged = study(
        vary="flash_pages", points=[0, 100, 200], flash_metadata=preset("l2arc")
    )
    assert charged.inputs["ram_pages_left"] == [100, 97, 95]
    for name, found in charged.schemes.items():
        more = found.demands_s.sum(axis=-1) - free.schemes[name].demands_s.sum(axis=-1)
        assert more[0] == 0
        assert (more[1] > 0) == (name != "none")
    with pytest.raises(BadInput, match="`1` hold less than the metadata of `200`"):
        study(ram_pages=1, flash_metadata=preset("l2arc"))


def test_clients_limit_until_a_device_is_nearly_saturated() -> None:
    setting = Setting(clients=40, accesses_per_transaction=10, think_s=0.1)
    found = study(setting=setting)
    for scheme in found.schemes.values():
        for at, limit in enumerate(scheme.limit):
            kind = int(scheme.bounds.bottleneck[at])
            busy = float(scheme.utilisation[at, kind])
            assert busy == max(scheme.utilisation[at])
            expected = schemes.STATIONS[kind]
            assert limit == (expected if busy >= 0.9 else schemes.CLIENTS)
            more = float(scheme.bounds.max_throughput_per_s[at])
            if limit == schemes.CLIENTS:
                assert more > 1.1 * float(scheme.throughput_per_s[at])
        assert scheme.limit[0] == schemes.CLIENTS  # one client alone
        assert scheme.limit[-1] in schemes.STATIONS
