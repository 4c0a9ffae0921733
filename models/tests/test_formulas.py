"""Cards of formulas: none lacks, all vectors pass through them, and what they say is so."""

import json
import math
import random
import re
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tierwright.catalogue import answer, limited, table
from tierwright.catalogue import answer as catalogue_answer
from tierwright.catalogue import card as catalogue_card
from tierwright.catalogue import limited as catalogue_limited
from tierwright.catalogue.vectors import conformance
from tierwright.cli.app import main
from tierwright.common.derivation import plain
from tierwright.common.errors import BadInput, Defect

ROOT = Path(__file__).resolve().parents[2]
OWN = sorted((ROOT / "fixtures" / "vectors").glob("*.json"))
LEAST_EQUATIONS = 105
"""Fields of results whose equation is worked out below."""


def vectors(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["vectors"]
    return found


@pytest.fixture(scope="module")
def all_vectors(shared: Path) -> list[dict[str, Any]]:
    paper = shared / "reference" / "paper-vectors.json"
    files = [*OWN, *([paper] if paper.is_file() else [])]
    return [vector for path in files for vector in vectors(path)]


def test_every_formula_has_its_card_in_the_order_of_the_table() -> None:
    assert list(table.CARDS) == list(conformance.FORMULAS)
    assert {card.family for card in table.CARDS.values()} == set(table.FAMILIES)


@pytest.mark.parametrize("card", table.CARDS.values(), ids=lambda card: card.name)
def test_a_card_says_what_a_reader_needs(card: catalogue_card.Card) -> None:
    for text in (card.title, card.says, card.formula, card.source, card.estimator):
        assert text.strip() == text != ""
    assert card.validity
    assert card.says.endswith(".")
    assert not card.title.endswith(".")
    for parameter in (*card.takes, *card.instead):
        assert parameter.meaning, parameter.name
        assert (
            parameter.required or parameter.default is not None or parameter.otherwise
        )
    for output in card.gives:
        assert output.meaning, output.name
    assert f"`{card.name}`" in table.page_text(card.name)
    example = table.example(card.name)
    found = catalogue_answer.ask(card.name, example.inputs)
    assert found.estimator == card.estimator
    given = {place: each.value for each in found.derivation for place in [each.result]}
    assert set(given) <= {
        place for place, *_ in answer._leaves("", "", found.result, {})
    }
    extra = {"estimator", "validity", "source", "warnings"}
    assert not extra & set(found.result)  # they stand beside it under --json


def test_every_vector_passes_through_its_card(
    all_vectors: list[dict[str, Any]],
) -> None:
    """Also those of the papers: what is refused is refused, the rest has the same result."""
    assert len(all_vectors) >= len(table.CARDS)
    for vector in all_vectors:
        name, expected = vector["formula"], vector["expected"]
        if "error" in expected:
            with pytest.raises(Exception, match=r"."):
                catalogue_answer.ask(name, vector["inputs"])
            continue
        found = catalogue_answer.ask(name, vector["inputs"]).result
        plainly = conformance.evaluate_formula(
            name, conformance.spelled(vector["inputs"])
        )
        assert found == json.loads(json.dumps(plain(plainly))), vector["id"]
        named = {output.name for output in table.CARDS[name].gives}
        leaves = {leaf for _, leaf, *_ in answer._leaves("", "", found, {})}
        distances = {leaf for leaf in leaves if leaf.isdigit() or leaf == "inf"}
        assert name == "zhou.aat" or leaves <= named | distances, vector["id"]


# --- equations as printed, worked out -----------------------------------------------------

TOKEN = re.compile(r"\s*(\d+(?:,\d{3})*(?:\.\d+)?|[A-Za-z_]\w*'?|[-+/^(),|])")
FUNCTIONS = {
    "ceil": math.ceil,
    "floor": math.floor,
    "max": max,
    "min": min,
    "ln": math.log,
}
WORDS = {"x": "*", "mod": "%"}


def to_python(text: str, known: Mapping[str, Any]) -> str | None:
    """Turn an equation as people write it into Python; None where it is a procedure."""
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    found: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        match = TOKEN.match(text, at)
        if match is None:
            return None
        token, at = match.group(1), match.end()
        if token[0].isdigit():
            token = token.replace(",", "")
        elif token in WORDS and token not in known:
            found.append(WORDS[token])
            continue
        elif (
            token[0].isalpha()
            and token not in known
            and token not in (*FUNCTIONS, "abs")
        ):
            return None
        operand = token[0].isalnum() or token == "("
        after_operand = bool(found) and (
            found[-1][-1].isalnum() or found[-1][-1] in ")_'"
        )
        calls = token == "(" and found and found[-1] in (*FUNCTIONS, "abs")
        if operand and after_operand and not calls:
            found.append("*")
        found.append("**" if token == "^" else token)
    return " ".join(found)


def cases(found: Mapping[str, Any], given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Each object within a result, with the numbers that stand around it."""
    flat = {key: value for key, value in found.items() if not isinstance(value, dict)}
    yield given | flat
    for value in found.values():
        if isinstance(value, dict):
            yield from cases(value, given | flat)


def derived(
    name: str, numbers: Mapping[str, Any], output: catalogue_card.Output
) -> Any:
    """Evaluate a printed equation on plain numbers; None where it is a procedure."""
    known = {
        key: entry
        for key, entry in numbers.items()
        if isinstance(entry, (int, float)) and not isinstance(entry, bool)
    }
    python = to_python(output.formula.replace("f'", "f_prime"), known)
    if python is None or (name, output.name) in PROCEDURES:
        return None
    try:
        return eval(python, FUNCTIONS | {"abs": abs}, known)
    except ZeroDivisionError:
        return None


PROCEDURES = {("kv.directory_in_ram", "r")}
"""Where words beside the equation say more: 0 if infeasible."""


def put_in(found: catalogue_answer.Answer) -> dict[str, Any]:
    """Inputs, and what the text beside the equations says of them."""
    given = dict(found.inputs)
    given.setdefault("p_dF", given.get("p_d"))
    if "h_f" in given:
        given["m_r"] = given["h_f"] + given["m_f"]
        given["q"] = given["h_f"] / given["m_r"] if given["m_r"] else 0.0
    return given


def test_the_equations_as_printed_give_the_results(
    all_vectors: list[dict[str, Any]],
) -> None:
    """A second way to every number: the text that a reader sees, evaluated by itself."""
    worked: set[tuple[str, str]] = set()
    good = [vector for vector in all_vectors if "error" not in vector["expected"]]
    for vector in good:
        name = vector["formula"]
        found = catalogue_answer.ask(name, vector["inputs"])
        given = put_in(found)
        fields = [output for output in table.CARDS[name].gives if output.formula]
        for numbers in cases(found.result, given):
            for output in fields:
                value = numbers.get(output.name)
                if not isinstance(value, (int, float)):
                    continue
                again = derived(name, numbers | given, output)
                if again is None or output.name not in numbers.keys() - given.keys():
                    continue
                place = f"{vector['id']}: {output.name} = {output.formula}"
                assert value == pytest.approx(again, rel=1e-9, abs=1e-9), place
                worked.add((name, output.name))
    assert len(worked) >= LEAST_EQUATIONS, sorted(worked)


def test_a_derivation_holds_what_its_equation_names() -> None:
    inputs = table.example("face.bottleneck").inputs
    steps = {
        step.result: step
        for step in catalogue_answer.ask("face.bottleneck", inputs).derivation
    }
    named = {
        result: [number.symbol for number in step.numbers]
        for result, step in steps.items()
    }
    assert named["disk_utilisation"] == ["disk_demand_s", "throughput"]
    assert named["flash_demand_s"] == [
        "flash_reads", "flash_writes", "flash_read_iops", "flash_write_iops",
    ]  # fmt: skip
    # m_r is neither put in nor a result: all inputs, from which it comes.
    costs = catalogue_answer.ask("kv.costs", table.example("kv.costs").inputs)
    c2 = next(step for step in costs.derivation if step.result == "C2")
    assert {"h_f", "m_f", "F_W"} <= {number.symbol for number in c2.numbers}
    assert "with h_f = 12,345 accesses" in c2.substituted


# --- refusals ----------------------------------------------------------------------------

ROW = {"M_c": 1, "P_c": 0.9, "P_d": 0.8, "P_dw": 0.7}
COST = {"m_r": 10, "D_R": 5, "D_W": 6, "p_d": 0.4}


@pytest.mark.parametrize(
    ("name", "inputs", "where", "part"),
    [
        ("kv.C0", {}, "m_r", "is missing"),
        ("kv.C0", COST | {"p_D": 1}, "p_D", "is not an input"),
        ("kv.C0", COST | {"D_R": "5"}, "D_R", "must be a number"),
        ("kv.C0", COST | {"D_R": True}, "D_R", "must be a number"),
        ("kv.C0", COST | {"D_R": math.nan}, "D_R", "must be finite"),
        ("kv.C0", COST | {"m_r": 10**5000}, "m_r", "must be at most"),
        ("kv.C0", COST | {"D_R": -1}, "D_R", "must not be negative"),
        ("kv.flash_saving", {"C_k": 1, "cost": 1, "C0": 2}, "cost", "repeats"),
        ("fd.group_distance", {"position": 1.5, "group_size": 2}, "position", "whole"),
        (
            "face.theta",
            {"C_disk": 2, "C_flash": 1, "delta": [1, None]},
            "delta[1]",
            "number",
        ),
        ("fd.mattson", {"trace": "R1 " * 20_001}, "trace", "must be at most 20,000"),
        ("fd.mattson", {"trace": ["R1"]}, "trace", "must be a text"),
        (
            "fd.argmin",
            {"rows": [{"M_c": "1"}], "R": 1, "w": 0},
            "rows[0].M_c",
            "number",
        ),
        (
            "kv.flash_directory_size",
            {"S_f": 1, "B_f": 1, "B_r": 1, "technique": "x"},
            "technique",
            "must be one of overwriting",
        ),
        (
            "kv.hits_from_curve",
            {"curve": [[0, 0], [1]], "r": 1, "f": 1, "N": 1},
            "curve[1]",
            "must be a pair",
        ),
        ("zhou.aat", {"transactions": 3}, "transactions", "must be an object"),
        ("zhou.aat", {"transactions": {"T": ["a"]}}, "transactions.T[0]", "number"),
        ("zhou.aat", {"transactions": {"T": 5}}, "transactions.T", "a list of times"),
        ("zhou.aat", {"transactions": {"T": [None]}}, "transactions.T[0]", "number"),
        ("zhou.aat", {"transactions": {"T": []}}, "transactions.T", "not be empty"),
        (
            "zhou.eviction_order",
            {"transactions": {"T": {"commit": 1}}},
            "transactions.T.access",
            "is missing",
        ),
        (
            "zhou.eviction_order",
            {"transactions": {"T": {"access": [1], "commit": [1]}}},
            "transactions.T.commit",
            "number",
        ),
        (
            "zhou.eviction_order",
            {"transactions": {"T": [1]}},
            "transactions.T",
            "must be an object with access, commit",
        ),
        (
            "fd.argmin",
            {"rows": [ROW, {"M_c": 2, "P_c": 0.5, "P_d": 1}], "R": 1, "w": 0},
            "rows[1].P_dw",
            "is missing",
        ),
        (
            "fd.argmin",
            {"rows": [ROW | {"M_c": 1.5}], "R": 1, "w": 0},
            "rows[0].M_c",
            "whole",
        ),
        (
            "fd.argmin",
            {"rows": [ROW | {"P_c": 9}], "R": 1, "w": 0},
            "rows.P_c",
            "exceed 1",
        ),
        (
            "fd.argmin",
            {"rows": [ROW, ROW | {"P_w": 0.5}], "R": 1, "w": 0},
            "rows[1].P_w",
            "not one of the keys here: M_c, P_c, P_d, P_dw",
        ),
        (
            "fd.argmin",
            {"rows": [ROW | {"P_d^w": 0.5}], "R": 1, "w": 0},
            "rows[0].P_d^w",
            "repeats `P_dw`",
        ),
        (
            "zhou.eviction_order",
            {"transactions": {"T1": {"access": [1], "comit": 3}}},
            "transactions.T1.comit",
            "not one of the keys here: access, commit",
        ),
        (
            "kv.hits_from_curve",
            {"curve": [[1, 0.5]], "r": 1, "f": 1, "N": 5, "|W|": 7},
            "|W|",
            "repeats `N`",
        ),
        (
            "face.restart_speedup",
            {"other": [1, 2, 3], "face": [1, 2]},
            "face",
            "do not match the other lists",
        ),
        (
            "sce.threads",
            {"read_miss_rate": [0.1, 0.2, 0.3], "free_fraction": [0, 1]},
            "free_fraction",
            "do not match the other lists",
        ),
        ("fd.mattson", {"trace": "  "}, "trace", "must hold at least one access"),
        (
            "kv.simulate",
            {"trace": "R1", "r": 0, "f": 1},
            "r",
            "a cache must have from 1 to",
        ),
        (
            "face.simulate_gsc",
            {"trace": "R1", "dram_pages": 1, "flash_slots": 2, "scan_depth": 3},
            "scan_depth",
            "not a whole number from 1 to 2",
        ),
        (
            "fd.table2",
            {"trace": "R1", "M": 2, "M_c": 1, "initial_clean": "A B C"},
            "initial_clean",
            "more than the 2",
        ),
        (
            "fd.table2",
            {"trace": "R1", "M": 2, "M_c": 1, "initial_clean": ["A", "A"]},
            "initial_clean",
            "more than once",
        ),
    ],
)
def test_refuses_by_the_name_of_the_input(
    name: str, inputs: dict[str, Any], where: str, part: str
) -> None:
    with pytest.raises(BadInput) as caught:
        catalogue_answer.ask(name, inputs)
    faults = [each for each in caught.value.problems if each.where == where]
    assert faults, caught.value.problems
    assert part in faults[0].message
    assert caught.value.hint


def test_ids_that_look_like_symbols_stay_as_they_are() -> None:
    given = {"δ": [4], "delta": [1, 2], "|W|": [3]}
    found = catalogue_answer.ask("zhou.aat", {"transactions": given}).result
    assert found["AAT"] == {"δ": 4, "delta": 1.5, "|W|": 3}
    assert found["eviction_order"] == ["delta", "|W|", "δ"]


def test_no_zero_has_a_sign() -> None:
    given = {"reads_a": 5, "writes_a": 1, "reads_b": 5, "writes_b": 3}
    for name, inputs in (
        ("fd.break_even_R", given),
        ("face.waf", {"physical_bytes": -0.0, "logical_bytes": 1}),
    ):
        found = catalogue_answer.ask(name, inputs)
        assert "-0" not in json.dumps([found.result, found.inputs])


# --- defects -----------------------------------------------------------------------------


def broken(_inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"C0": {}["inner"]}


def test_what_a_formula_raises_on_sound_inputs_is_told_as_a_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(conformance.FORMULAS, "kv.C0", broken)
    with pytest.raises(KeyError):
        catalogue_answer.ask("kv.C0", COST)
    said = catalogue_limited.document_of("kv.C0", COST)
    with pytest.raises(Defect, match="KeyError: 'inner'") as caught:
        catalogue_limited.answer_of(said)
    assert "in broken" in caught.value.trace
    # The command's child would be a sound one: its words are put in.
    ended = subprocess.CompletedProcess([], 0, json.dumps(said), "")
    monkeypatch.setattr(limited.subprocess, "run", lambda *_, **__: ended)
    assert main(["formula", "kv.C0", "--inputs", json.dumps(COST), "--json"]) == 70
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "in broken" in printed.err
    assert "formula `kv.C0` failed on valid inputs" in printed.err
    assert "this is a bug in Tierwright" in printed.err


def test_a_process_that_failed_is_a_defect_and_one_that_was_killed_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for code, error in ((1, Defect), (-signal.SIGSEGV, Defect), (-9, BadInput)):
        ended = subprocess.CompletedProcess([], code, "", "last words")
        monkeypatch.setattr(limited.subprocess, "run", lambda *_, e=ended, **__: e)
        with pytest.raises(error, match="kv\\.C0"):
            catalogue_limited.ask_within("kv.C0", COST)


NUMBERS = (
    *(0, -0.0, 1, -1, 0.5, 1.5, 3, 7, 0.1, 100, 2**53 + 1, 2**63 - 1, -(2**63) + 1),
    *(5e-324, 1e-300, 1e300, 1.7e308, -1e300),
)
COUNTS = (0, 1, 2, 3, -1, 5, 64, 4096, 3.0)
TOKENS = ("R1", "W1", "R2", "W3", "Rx", "W漢", "R\ud800")


def sound_by_kind(drawn: random.Random, parameter: catalogue_card.Parameter) -> Any:
    """Draw what the check of a kind lets pass, however little sense it makes."""

    def number() -> Any:
        return drawn.choice(NUMBERS)

    def some(make: Callable[[], Any]) -> list[Any]:
        return [make() for _ in range(drawn.randint(1, 3))]

    def times() -> Any:
        if not parameter.columns:
            return some(number)
        return {"access": some(number), "commit": drawn.choice((None, number()))}

    make: dict[str, Callable[[], Any]] = {
        "number": number,
        "integer": lambda: drawn.choice(COUNTS),
        "numbers": lambda: drawn.choice((number(), some(number))),
        "flag": lambda: drawn.random() < 0.5,
        "choice": lambda: drawn.choice(parameter.choices),
        "curve": lambda: some(lambda: [number(), number()]),
        "trace": lambda: " ".join(some(lambda: drawn.choice(TOKENS))),
        "names": lambda: drawn.choice(("A B A", "", " ", [1, "x"], [1, 1], ["\ud800"])),
        "rows": lambda: some(
            lambda: {c.name: sound_by_kind(drawn, c) for c in parameter.columns}
        ),
        "transactions": lambda: {drawn.choice(("T1", "δ", "")): times()},
    }
    return make[parameter.kind]()


@pytest.mark.parametrize("card", table.CARDS.values(), ids=lambda card: card.name)
def test_no_input_that_its_check_lets_pass_meets_a_defect(
    card: catalogue_card.Card,
) -> None:
    """A finite answer, or the models' own refusal, with a hint, by the name of an input."""
    drawn = random.Random(card.name)
    example = table.example(card.name).inputs
    form = card.form(example)
    names = {parameter.name for parameter in form}
    for _ in range(60):
        inputs = dict(example)
        for parameter in drawn.sample(form, drawn.randint(1, min(3, len(form)))):
            for key in parameter.also:
                inputs.pop(key, None)
            inputs[parameter.name] = sound_by_kind(drawn, parameter)
        said = catalogue_limited.document_of(card.name, inputs)
        assert "defect" not in said, (inputs, said)
        if "answer" in said:
            json.dumps(said, allow_nan=False)
            continue
        assert said["error"]["hint"], inputs
        for where, *_ in said["error"]["problems"]:
            assert re.split(r"[.\[]", where)[0] in names, (inputs, said)


def test_times_of_any_unit_are_said_to_need_the_same() -> None:
    for card in table.CARDS.values():
        units = {each.unit for each in (*card.takes, *card.instead, *card.gives)}
        assert ("all times in one unit" in card.validity) == ("time" in units), (
            card.name
        )


def test_so_many_unknown_keys_are_named() -> None:
    with pytest.raises(BadInput) as caught:
        catalogue_answer.ask("kv.C0", COST | {f"k{at}": 1 for at in range(5000)})
    assert len(caught.value.problems) == 21
    assert "4,980 more" in caught.value.problems[-1].message


def test_pages_at_the_start_are_a_text_or_a_list() -> None:
    """A form sends a text; its characters are no pages."""
    inputs = {"trace": "W1 R10 R3 R11 W1", "M": 2, "M_c": 1}
    listed = catalogue_answer.ask("fd.table2", inputs | {"initial_clean": ["10", "11"]})
    for given in ("10 11", [10, 11]):
        found = catalogue_answer.ask("fd.table2", inputs | {"initial_clean": given})
        assert found.result == listed.result
    assert listed.result["belady"]["hits"] > 1


def test_an_unknown_formula_names_those_there_are() -> None:
    with pytest.raises(BadInput, match="face\\.nothing") as caught:
        catalogue_answer.ask("face.nothing", {})
    assert "face.theta" in caught.value.hint


# --- warnings ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "inputs", "warning"),
    [
        (
            "face.writeback_chain",
            {"k": 1, "C_disk_write": 7, "C_flash_write": 1},
            "fewer_evictions_than_break_even",
        ),
        (
            "face.writeback_chain",
            {"k": 1, "C_disk_write": 7, "C_flash_write": 8},
            "write_back_never_pays",
        ),
        ("face.waf", {"physical_bytes": 1, "logical_bytes": 2}, "waf_below_one"),
        (
            "fd.break_even_R",
            {"reads_a": 1, "writes_a": 1, "reads_b": 2, "writes_b": 1},
            "equal_writes",
        ),
        ("kv.simulate", {"trace": "R1", "r": 2, "f": 1}, "flash_not_larger_than_ram"),
        ("fd.dynamics", {"i": 500, "w0": 0.5, "R0": 2}, "write_share_capped"),
        (
            "zhou.implied_read_share",
            {"read_slowdown": 0.1, "write_saving": 0.2, "total_saving": 0.9},
            "changes_do_not_fit",
        ),
        (
            "face.theta_curve",
            {
                "curve": [[1, 0.1], [2, 0.2]],
                "B": 1,
                "delta": 1,
                "C_disk": 2,
                "C_flash": 1,
            },
            "unreachable",
        ),
    ],
)
def test_warns_outside_what_it_is_good_for(
    name: str, inputs: dict[str, Any], warning: str
) -> None:
    found = catalogue_answer.ask(name, inputs)
    assert warning in {each.name for each in found.warnings}


# --- bounds of time ----------------------------------------------------------------------


def test_the_command_says_how_far_its_number_holds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = json.dumps({"k": 1, "C_disk_write": 7, "C_flash_write": 1})
    arguments = ["formula", "face.writeback_chain", "--inputs", given]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    for part in ("write_back", "estimator", "validity", "Kang"):
        assert part in printed.out
    assert "break-even" not in printed.out
    assert "hint:" in printed.err
    assert main([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["warnings"][0]["name"] == "fewer_evictions_than_break_even"
    assert (document["write_back"], document["estimator"]) == (8, answer_estimator())


def answer_estimator() -> str:
    return table.CARDS["face.writeback_chain"].estimator


def test_a_computation_ends_when_its_time_is_over(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pages = " ".join(f"R{page % 7000}" for page in range(20_000))
    given = json.dumps({"trace": pages, "M": 6000})
    arguments = ["formula", "fd.simulate", "--inputs", given, "--timeout-s"]
    assert main([*arguments, "1"]) == 2
    assert "took more than 1 s and was stopped" in capsys.readouterr().err
    assert main([*arguments, "0"]) == 2
    assert "--timeout-s" in capsys.readouterr().err
