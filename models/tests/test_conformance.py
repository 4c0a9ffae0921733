"""The vectors runner: it finds differences, and the shared vectors pass."""

import json
from pathlib import Path
from typing import Any

import pytest

from tierwright.catalogue.vectors import conformance
from tierwright.common.errors import BadInput


@pytest.fixture
def shared_vectors(shared_traces: Path) -> Path:
    path = shared_traces.parent / "reference" / "paper-vectors.json"
    if not path.is_file():
        pytest.skip("no paper vectors beside the recorded traces")
    return path


def vector(**changes: Any) -> dict[str, Any]:
    return {
        "id": "v",
        "formula": "kv.C0",
        "inputs": {"m_r": 1000, "D_R": 9, "D_W": 9, "p_d": 1.0},
        "expected": {"C0": 18000},
        **changes,
    }


def test_every_shared_page_flow_vector_passes(shared_vectors: Path) -> None:
    path = shared_vectors
    document = json.loads(path.read_text(encoding="utf-8"))
    ours = [v for v in document["vectors"] if v["formula"].startswith("kv.")]
    report = conformance.run_vectors(ours)
    assert report.failures == ()
    assert (report.passed, report.unknown) == (len(ours), 0)
    assert report.passed >= 56
    whole = conformance.run_file(path)
    assert whole.failed == 0
    assert whole.passed + whole.unknown == len(document["vectors"])
    assert not any(name.startswith("kv.") for name in whole.unknown_formulas)


def test_an_unknown_formula_is_counted_and_named() -> None:
    report = conformance.run_vectors([vector(formula="zz.new"), vector()])
    assert (report.passed, report.failed, report.unknown) == (1, 0, 1)
    assert report.unknown_formulas == ("zz.new",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"expected": {"C0": 18000.1}}, "C0: expected 18000.1, got 18000.0"),
        ({"expected": {"C0": None}}, "C0: expected None, got 18000.0"),
        ({"expected": {"C0": 18000, "C9": 1}}, "C9: expected 1, got absent"),
        ({"expected": {}}, "expects nothing, so any result would pass"),
        ({"expected": {"cost": 18001}}, "cost: expected 18001, got 18000.0"),
        (
            {"expected": {"error": "domain"}},
            "accepted an input that must be refused (domain)",
        ),
        (
            {"inputs": {"m_r": 1000, "D_R": 9, "D_W": 9, "p_d": 7}},
            "C0: p_d: `7` must not exceed 1",
        ),
        (
            {"inputs": {"m_r": 1000}},
            "the input `p_d` is missing: add it to the vector's inputs",
        ),
    ],
)
def test_a_difference_fails_and_is_named(changes: dict[str, Any], message: str) -> None:
    report = conformance.run_vectors([vector(**changes)])
    assert (report.passed, report.failed) == (0, 1)
    assert report.failures[0].message == message
    assert report.to_dict()["failures"][0]["id"] == "v"


@pytest.mark.parametrize("formula", sorted(conformance.FORMULAS))
def test_a_missing_input_is_named_whatever_the_formula(formula: str) -> None:
    report = conformance.run_vectors(
        [vector(formula=formula, inputs={}, expected={"x": 1})]
    )
    message = report.failures[0].message
    assert "KeyError" not in message
    assert "do not fit" not in message


def test_a_missing_input_within_another_is_named_by_its_place() -> None:
    inputs = {"transactions": {"T1": {"commit": 3}}}
    report = conformance.run_vectors(
        [vector(formula="zhou.eviction_order", inputs=inputs, expected={"order": []})]
    )
    assert "`transactions.T1.access`" in report.failures[0].message


def test_the_only_output_may_go_by_another_name() -> None:
    report = conformance.run_vectors([vector(expected={"cost": 18000})])
    assert (report.passed, report.failed) == (1, 0)


def test_gsc_follows_the_admission_and_the_mode_that_a_vector_names() -> None:
    trace = "W1 R2 W3 R4 W5 R1 W2 R3 W4 R5 W1 R6"
    inputs = {"trace": trace, "dram_pages": 1, "flash_slots": 3, "scan_depth": 2}
    run = conformance.FORMULAS["face.simulate_gsc"]
    plain = run(inputs)
    through = run(inputs | {"sync": "write-through"})
    dirty = [run(inputs | {"admission": name}) for name in ("dirty", "dirty-only")]
    assert through["write_reduction"] == 0 < plain["write_reduction"]
    assert dirty[0] == dirty[1] != plain


def test_a_curve_of_theta_may_have_sizes_in_any_unit() -> None:
    run = conformance.FORMULAS["face.theta_curve"]
    curve = [[0, 0], [1000, 0.5], [4000, 0.8], [16000, 0.95]]
    costs = {"C_disk": 10, "C_flash": 0.5, "delta": 0.5}
    pages = pytest.approx(run({"curve": curve, "B": 1000, **costs}))
    thousands = [[size / 1000, hits] for size, hits in curve]
    assert run({"curve": thousands, "B": 1, **costs}) == pages
    eighths = [[size / 8000, hits] for size, hits in curve]
    assert run({"curve": eighths, "B": 0.125, **costs}) == pages
    thirds = [[size / 3000, hits] for size, hits in curve]
    with pytest.raises(BadInput, match="decimals"):
        run({"curve": thirds, "B": 1 / 3, **costs})


def test_a_refusal_of_the_right_class_passes() -> None:
    bad = vector(
        inputs={"m_r": -1, "D_R": 9, "D_W": 9, "p_d": 1.0},
        expected={"error": "domain"},
    )
    assert conformance.run_vectors([bad]).passed == 1
    other = {**bad, "expected": {"error": "range"}}
    assert conformance.run_vectors([other]).failed == 1


@pytest.mark.parametrize(
    ("formula", "inputs"),
    [
        # FaCE: scan_depth lies in 1 to the flash slots, DRAM has a page.
        ("face.simulate_gsc", {"dram_pages": 1, "flash_slots": 3, "scan_depth": 4}),
        ("face.simulate_gsc", {"dram_pages": 1, "flash_slots": 3, "scan_depth": 0}),
        ("face.simulate_gsc", {"dram_pages": 0, "flash_slots": 3, "scan_depth": 1}),
        ("kv.simulate", {"r": 0, "f": 3}),
    ],
)
def test_a_replay_that_is_refused_ends_no_run(
    formula: str, inputs: dict[str, int]
) -> None:
    refused = vector(
        formula=formula,
        inputs={"trace": "R1 W2", **inputs},
        expected={"error": "domain"},
    )
    wanted = {**refused, "expected": {"flash_hits": 0}}
    shapeless = vector(inputs={"m_r": 1000, "D_R": {}, "D_W": [], "p_d": 1.0})
    report = conformance.run_vectors([refused, wanted, shapeless, vector()])
    assert (report.passed, report.failed) == (2, 2)


def test_the_clear_option_of_face_is_passed_on() -> None:
    # 1 is read back from flash while its slot is pushed out and written to disk; literally it
    # stays dirty in DRAM and is written once more.
    inputs = {"trace": "W1 R2 R1 R3 R4", "dram_pages": 1, "flash_slots": 1}
    mode = {"admission": "mixed", "sync": "write_back"}
    run = conformance.FORMULAS["face.simulate_mvfifo"]
    literal = run({**inputs, **mode})
    cleared = run({**inputs, **mode, "clear_dram_dirty_on_stage_out": True})
    assert (literal["disk_writes"], cleared["disk_writes"]) == (2, 1)


def test_whole_numbers_are_compared_exactly() -> None:
    block = vector(
        formula="kv.block_map",
        inputs={"page": 10**15, "B_r": 4096, "B_f": 16384},
        expected={"block": 25 * 10**13},
    )
    assert conformance.run_vectors([block]).passed == 1
    off = {**block, "expected": {"block": 25 * 10**13 + 1}}
    assert conformance.run_vectors([off]).failed == 1


def test_simulate_vector_by_hand() -> None:
    # r = 2, f = 3; the worked example whose totals the semantics page lists for exclusive
    # and lazy: 1R 2R 1R 3R 1R 4W 2R 1R 3R.
    found = conformance.FORMULAS["kv.simulate"](
        {"trace": "R1 R2 R1 R3 R1 W4 R2 R1 R3", "r": 2, "f": 3}
    )
    assert found["exclusive"] == {
        "h_r": 2,
        "h_f": 3,
        "m_f": 4,
        "flash_writes": 5,
        "hdd_writes": 0,
    }
    assert found["lazy"] == {
        "h_r": 2,
        "h_f": 2,
        "m_f": 5,
        "flash_writes": 4,
        "hdd_writes": 0,
    }


def test_a_bad_trace_token_is_refused() -> None:
    with pytest.raises(BadInput, match="trace token 2: `X5` is neither"):
        conformance.FORMULAS["kv.simulate"]({"trace": "R1 X5", "r": 1, "f": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: not JSON"),
        ("[]", "document: `list` must be a JSON object"),
        ("{}", "vectors: must be a list"),
        ('{"schema_version": 2, "vectors": []}', "schema_version: `2` is not 1"),
        ('{"vectors": [3]}', r"vectors\[0\]: `3` must be an object"),
        (
            '{"vectors": [{"id": "a", "formula": "kv.C0", "inputs": {}}]}',
            r"vectors\[0\]\.expected: must be an object",
        ),
        ('{"vectors": [], "tolerance": null}', "tolerance: must be an object"),
        (
            '{"vectors": [], "tolerance": {"relative": "wide"}}',
            r"tolerance\.relative: `wide` must be a finite number",
        ),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "v.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        conformance.run_file(path)


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        conformance.run_file(tmp_path / "absent.json")


def test_formulas_without_a_shared_vector_by_hand() -> None:
    saving = conformance.FORMULAS["kv.flash_saving"]
    assert saving({"C_k": 25, "C0": 100}) == {"saving": 0.75}
    assert saving({"C_k": 0, "C0": 0}) == {"saving": None}
    for key in ("C_k", "Ck", "cost"):
        with pytest.raises(BadInput, match=f": {key}: `a` must be a number"):
            saving({key: "a", "C0": 100})
    with pytest.raises(BadInput, match=": C0: `a` must be a number"):
        saving({"C_k": 25, "C0": "a"})
    worth = conformance.FORMULAS["kv.price_performance"]
    assert worth({"cost": 500, "references": 100, "price": 20}) == {
        "ms_per_reference": 5.0,
        "price_times_ms": 100.0,
    }


@pytest.mark.parametrize(
    ("formula", "plain", "spelled"),
    [
        ("kv.directory_LU", {"p_dd": 0.3}, {"p_d^d": 0.3}),
        ("fd.cost_variants", {"P_dw": 0.2}, {"P_d^w": 0.2}),
        ("kv.hits_from_curve", {"N": 1000}, {"|W|": 1000}),
        ("face.theta", {"delta": [1]}, {"δ": [1]}),
        ("face.theta_mixed", {"read_fraction": 0.4}, {"x": 0.4}),
        (
            "face.theta",
            {"disk_iops": 8, "flash_iops": 16},
            {"C_disk": 0.125, "C_flash": 0.0625},
        ),
        ("face.simulate_mvfifo", {"sync": "write_back"}, {"sync": "write-back"}),
        ("face.simulate_mvfifo", {"admission": "clean"}, {"admission": "clean-only"}),
    ],
)
def test_symbols_may_be_spelled_as_the_text_writes_them(
    formula: str, plain: dict[str, Any], spelled: dict[str, Any]
) -> None:
    rest: dict[str, dict[str, Any]] = {
        "kv.directory_LU": {"l": 1, "u": 2, "H_d": 0.9, "F_R": 0.1, "F_W": 0.5},
        "fd.cost_variants": {"P_c": 0.5, "P_d": 0.6, "R": 32, "w": 0.15},
        "kv.hits_from_curve": {"curve": [[0, 0], [9, 0.5]], "r": 2, "f": 5},
        "face.theta": {"delta": [1], "disk_iops": 8, "flash_iops": 16},
        "face.theta_mixed": {
            "disk_read_iops": 8,
            "disk_write_iops": 4,
            "flash_read_iops": 80,
            "flash_write_iops": 40,
            "delta": 2,
        },
        "face.simulate_mvfifo": {
            "trace": "W1 R2 R1 R3 W4 R1 R2",
            "dram_pages": 1,
            "flash_slots": 2,
            "admission": "mixed",
            "sync": "write_back",
        },
    }
    others = {key: v for key, v in rest[formula].items() if key not in plain}
    expected = conformance.FORMULAS[formula]({**others, **plain})
    other_key = {key: v for key, v in others.items() if key not in spelled}
    run = {"formula": formula, "inputs": {**other_key, **spelled}, "expected": expected}
    assert conformance.run_vectors([vector(**run)]).failures == ()


@pytest.mark.parametrize(
    ("name", "inputs", "part"),
    [
        (
            "zhou.io_time_us",
            {"reads": 1e308, "writes": 1, "erases": 1},
            "not be finite",
        ),
        ("kv.block_map", {"page": 1e308, "B_r": 4096, "B_f": 16384}, "not be finite"),
        ("fd.zipf_pmf", {"alpha": 1.2, "n": 10**16, "rank": 1}, "memory"),
    ],
)
def test_a_formula_is_refused_where_its_result_is_no_number(
    name: str, inputs: dict[str, float], part: str
) -> None:
    with pytest.raises(BadInput, match=part):
        conformance.evaluate_formula(name, inputs)
