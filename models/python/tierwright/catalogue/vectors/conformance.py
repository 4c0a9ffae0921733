"""Runs a file of test vectors against the formulas.

One table maps a formula's name to a function from a vector's inputs to its expected fields.
Formulas that the table lacks count as unknown, not as failed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tierwright.catalogue.vectors import face, sce
from tierwright.catalogue.vectors import fd as pool_split_vectors
from tierwright.catalogue.vectors import modern as modern_vectors
from tierwright.catalogue.vectors import transactions as transactions_vectors
from tierwright.common.documents import read_json
from tierwright.common.errors import BadInput, Problems
from tierwright.evaluate.page_flow import costs, counts, directory, evaluation
from tierwright.profile.curve import Curve
from tierwright.trace.tokens import token_trace

Inputs = Mapping[str, Any]
Outputs = dict[str, Any]

SUPPORTED_SCHEMA = 1
RELATIVE = 1e-9
ABSOLUTE = 1e-12
FIXED_POINT_RELATIVE = 1e-7
REFUSED_BY_THE_CORE = "domain"
_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a formula raises for inputs of the wrong shape; one vector must not end the run."""
FIXED_POINT_FIELDS = ("lazy",)
"""Fields that rest on the lazy fixed point, compared more loosely as the files say."""
SPELLINGS = {
    "p_d^d": "p_dd",
    "P_d^w": "P_dw",
    "|W|": "N",
    "δ": "delta",
    "Δ": "Delta",
}
"""Symbols as the models' text writes them, to the keys that vectors use for them."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A vector whose result differs.

    Attributes
    ----------
    id, formula : str
        As the vector names them.
    field : str
        Where the first difference is; empty when the formula refused the input.
    expected, actual : object
        Values there.
    message : str
        The difference in words.
    """

    id: str
    formula: str
    field: str
    expected: Any
    actual: Any
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "id": self.id,
            "formula": self.formula,
            "field": self.field,
            "expected": self.expected,
            "actual": self.actual,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Outcome of a vectors file."""

    passed: int
    failed: int
    unknown: int
    failures: tuple[Failure, ...]
    unknown_formulas: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "passed": self.passed,
            "failed": self.failed,
            "unknown": self.unknown,
            "failures": [failure.to_dict() for failure in self.failures],
            "unknown_formulas": list(self.unknown_formulas),
        }


def run_file(path: Path) -> Report:
    """Run every vector of a file.

    Raises
    ------
    BadInput
        If the file is absent, is no JSON, or does not follow the schema.
    """
    hint = "give a vectors file: {schema_version, tolerance, vectors: [...]}"
    document = read_json(path, hint)
    problems = Problems(str(path), hint)
    if not isinstance(document, Mapping):
        problems.add("document", type(document).__name__, "must be a JSON object")
        problems.raise_if_any()
    version = document.get("schema_version", SUPPORTED_SCHEMA)
    problems.check(
        version == SUPPORTED_SCHEMA,
        "schema_version",
        version,
        f"is not {SUPPORTED_SCHEMA}, the version that this program reads",
    )
    vectors = document.get("vectors")
    if problems.check(isinstance(vectors, list), "vectors", None, "must be a list"):
        for index, vector in enumerate(vectors):
            _check_vector(vector, f"vectors[{index}]", problems)
    tolerance = document.get("tolerance", {})
    relative = _tolerance(tolerance, "relative", RELATIVE, problems)
    absolute = _tolerance(tolerance, "absolute", ABSOLUTE, problems)
    problems.raise_if_any()
    return run_vectors(vectors, relative=relative, absolute=absolute)


def _tolerance(given: Any, name: str, usual: float, problems: Problems) -> float:
    """Tolerance of that name, or the usual one if the file states none."""
    if not isinstance(given, Mapping):
        if name == "relative":  # one message for both
            problems.add("tolerance", given, "must be an object {relative, absolute}")
        return usual
    value = given.get(name, usual)
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    good = good and math.isfinite(value) and value >= 0
    message = "must be a finite number of at least 0"
    return (
        float(value)
        if problems.check(good, f"tolerance.{name}", value, message)
        else usual
    )


def run_vectors(
    vectors: list[Mapping[str, Any]],
    *,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
) -> Report:
    """Run vectors: `{id, formula, inputs, expected}` each.

    Integers and strings must match exactly; other numbers within the tolerances. Where
    `expected` is ``{"error": class}`` the formula must refuse the input with that class.
    """
    passed, unknown, failures = 0, 0, []
    missing: dict[str, None] = {}
    for vector in vectors:
        formula = FORMULAS.get(vector["formula"])
        if formula is None:
            unknown += 1
            missing[vector["formula"]] = None
            continue
        failure = _run(vector, formula, relative, absolute)
        if failure is None:
            passed += 1
        else:
            failures.append(failure)
    return Report(passed, len(failures), unknown, tuple(failures), tuple(missing))


def _check_vector(vector: Any, where: str, problems: Problems) -> None:
    if not problems.check(
        isinstance(vector, Mapping), where, vector, "must be an object"
    ):
        return
    for key, wanted in (
        ("id", str),
        ("formula", str),
        ("inputs", dict),
        ("expected", dict),
    ):
        value = vector.get(key)
        what = "a text" if wanted is str else "an object"
        problems.check(
            isinstance(value, wanted), f"{where}.{key}", value, f"must be {what}"
        )


def _run(
    vector: Mapping[str, Any],
    formula: Callable[[Inputs], Outputs],
    relative: float,
    absolute: float,
) -> Failure | None:
    expected = vector["expected"]
    wanted_error = expected.get("error")
    head = (vector["id"], vector["formula"])
    from tierwright.common.core_errors import SimulatorError

    try:
        actual = formula(spelled(vector["inputs"]))
    except BadInput as error:
        return _refused(head, expected, error.kind, error.message)
    except SimulatorError as error:  # the core refuses what is outside its domain
        return _refused(head, expected, REFUSED_BY_THE_CORE, str(error.args[0]))
    except MissingInput as error:
        return Failure(*head, "", expected, None, error.message)
    except _MISFITS as error:
        message = (
            f"the inputs do not match the formula: {type(error).__name__}: {error}"
        )
        return Failure(*head, "", expected, None, message)
    if wanted_error is not None:
        message = f"accepted an input that must be refused ({wanted_error})"
        return Failure(*head, "error", wanted_error, actual, message)
    if not expected:
        message = "expects nothing, so any result would pass"
        return Failure(*head, "", expected, actual, message)
    actual = _under_their_name(expected, actual)
    for field, want, got in _differences(expected, actual, "", relative, absolute):
        return Failure(*head, field, want, got, f"{field}: expected {want}, got {got}")
    return None


def _under_their_name(expected: Mapping[str, Any], actual: Outputs) -> Outputs:
    """Name a formula's only output as the vector does: the catalogue leaves some names open."""
    values = list(actual.values())
    if len(expected) != 1 or expected.keys() & actual.keys() or not values:
        return actual
    if any(value != values[0] for value in values):
        return actual
    return dict.fromkeys(expected, values[0])


class MissingInput(LookupError):
    """An input that a formula asked for and a vector lacks."""

    def __init__(self, place: str) -> None:
        self.message = f"the input `{place}` is missing: add it to the vector's inputs"
        super().__init__(self.message)


class _Stated(dict[str, Any]):
    """Inputs of a vector, which name the one that is asked for and absent."""

    def __init__(self, given: Mapping[str, Any], place: str) -> None:
        super().__init__(given)
        self._place = place

    def __missing__(self, key: str) -> Any:
        raise MissingInput(_inner(self._place, key))


def _inner(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def spelled(value: Any, place: str = "") -> Any:
    """Return inputs with every symbol of `SPELLINGS` under its plain key.

    The keys of `transactions` are ids, which stay as they are. An input that is asked for and
    absent raises `MissingInput`, which names it.
    """
    if isinstance(value, Mapping):
        ids = place == "transactions"
        stated: dict[str, Any] = {}
        for key, inner in value.items():
            name = str(key) if ids else SPELLINGS.get(str(key), str(key))
            stated[name] = spelled(inner, _inner(place, name))
        return _Stated(stated, place)
    if isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        return [
            spelled(entry, f"{place}[{index}]") for index, entry in enumerate(value)
        ]
    return value


def _refused(
    head: tuple[str, str], expected: Mapping[str, Any], kind: str, message: str
) -> Failure | None:
    """Outcome of an input that the formula refuses."""
    if expected.get("error") == kind:
        return None
    return Failure(*head, "", expected, {"error": kind}, message)


def _differences(
    expected: Any, actual: Any, place: str, relative: float, absolute: float
) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(expected, Mapping):
        if not isinstance(actual, Mapping):
            yield place, expected, actual
            return
        for key, want in expected.items():
            inner = f"{place}.{key}" if place else key
            if key not in actual:
                yield inner, want, "absent"
            else:
                yield from _differences(want, actual[key], inner, relative, absolute)
    elif isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            yield place, expected, actual
            return
        for index, (want, got) in enumerate(zip(expected, actual, strict=True)):
            yield from _differences(want, got, f"{place}[{index}]", relative, absolute)
    elif not _same(expected, actual, place, relative, absolute):
        yield place, expected, actual


def _same(
    expected: Any, actual: Any, place: str, relative: float, absolute: float
) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int) and isinstance(actual, int):
        return expected == actual
    if isinstance(expected, (int, float)) and isinstance(actual, (int, float)):
        # A whole float is written as an integer, so a float result is compared as one.
        loose = place.split(".")[0] in FIXED_POINT_FIELDS
        tolerance = max(relative, FIXED_POINT_RELATIVE) if loose else relative
        return math.isclose(expected, actual, rel_tol=tolerance, abs_tol=absolute)
    return type(expected) is type(actual) and bool(expected == actual)


def _times(inputs: Inputs) -> dict[str, Any]:
    return {
        "flash_read": inputs["F_R"],
        "flash_write": inputs["F_W"],
        "disk_read": inputs["D_R"],
        "disk_write": inputs["D_W"],
    }


def _replacement(inputs: Inputs) -> dict[str, Any]:
    return {
        "ram_replacement": inputs.get("R_RAM", 0.0),
        "flash_replacement": inputs.get("R_FLASH", 0.0),
    }


def _c0(inputs: Inputs) -> Outputs:
    cost = costs.no_flash_cost(
        inputs["m_r"],
        p_d=inputs["p_d"],
        disk_read=inputs["D_R"],
        disk_write=inputs["D_W"],
        ram_replacement=inputs.get("R_RAM", 0.0),
    )
    return {"C0": float(cost)}


def _check_misses(inputs: Inputs) -> None:
    """Refuse an m_r that is not h_f + m_f, where all three are given."""
    if "m_r" not in inputs:
        return
    total = inputs["h_f"] + inputs["m_f"]
    if not math.isclose(total, inputs["m_r"], rel_tol=RELATIVE):
        raise BadInput(
            f"m_r: `{inputs['m_r']}` is not h_f + m_f = {total}",
            "check the counts: every RAM miss is a flash hit or a flash miss",
        )


def _costs(inputs: Inputs) -> Outputs:
    _check_misses(inputs)
    found = costs.io_costs(
        inputs["h_f"],
        inputs["m_f"],
        p_d=inputs["p_d"],
        p_d_flash=inputs.get("p_dF"),
        **_times(inputs),
        **_replacement(inputs),
    )
    return {
        "C1": float(found.inclusive),
        "C2": float(found.exclusive),
        "C3": float(found.lazy),
        "q": float(found.q),
        "C3V": float(found.lazy_victim),
    }


def _clean_only(inputs: Inputs) -> Outputs:
    _check_misses(inputs)
    cost = costs.clean_only_cost(
        inputs["h_f"],
        inputs["m_f"],
        p_d=inputs["p_d"],
        **_times(inputs),
        **_replacement(inputs),
    )
    return {"C3_clean": float(cost)}


def _directory_costs(inputs: Inputs) -> Outputs:
    _check_misses(inputs)
    found = costs.directory_costs(
        inputs["h_f"],
        inputs["m_f"],
        p_d=inputs["p_d"],
        lookup=inputs["L"],
        update=inputs["U"],
        exclusive_hit_updates=inputs.get("exclusive_hit_updates", 1),
    )
    return {
        "C1d": float(found.inclusive),
        "C2d": float(found.exclusive),
        "C3d": float(found.lazy),
        "C3Vd": float(found.lazy_victim),
    }


def _curve(inputs: Inputs) -> Curve:
    points = [(size, ratio) for size, ratio in inputs["curve"]]
    accesses = inputs["N"]
    if isinstance(accesses, float) and accesses.is_integer():
        accesses = int(accesses)
    return Curve.from_hit_ratios(points, accesses=accesses)


def _hits_from_curve(inputs: Inputs) -> Outputs:
    found = counts.hits_from_curve(_curve(inputs), inputs["r"], inputs["f"])
    ram = found["none"]
    return {
        "h_r": float(ram.ram_hits),
        "m_r": float(ram.ram_misses),
        **{
            scheme: {
                "e_f": float(found[scheme].effective_flash_pages),
                "h_f": float(found[scheme].flash_hits),
                "m_f": float(found[scheme].flash_misses),
            }
            for scheme in ("inclusive", "exclusive", "lazy")
        },
    }


def _choose_scheme(inputs: Inputs) -> Outputs:
    totals, best = evaluation.choose_scheme(
        _curve(inputs),
        inputs["r"],
        inputs["f"],
        p_d=inputs["p_d"],
        **_times(inputs),
        lookup=inputs.get("L", 0.0),
        update=inputs.get("U", 0.0),
    )
    return {**totals, "best": best}


def _advantage(inputs: Inputs) -> Outputs:
    found = costs.exclusive_minus_lazy_advantage(
        inputs["h3"],
        inputs["Delta"],
        p_d=inputs["p_d"],
        **_times(inputs),
        flash_replacement=inputs.get("R_FLASH", 0.0),
    )
    return {"advantage": float(found)}


def _iops_to_ms(inputs: Inputs) -> Outputs:
    problems = Problems("iops_to_ms", "use IOPS above 0")
    for name in ("read_iops", "write_iops"):
        problems.check(inputs[name] > 0, name, inputs[name], "must be above 0")
    problems.raise_if_any()
    return {
        "F_R": float(costs.iops_to_ms(inputs["read_iops"])),
        "F_W": float(costs.iops_to_ms(inputs["write_iops"])),
    }


def _flash_directory_size(inputs: Inputs) -> Outputs:
    found = directory.flash_directory_size(
        flash_bytes=inputs["S_f"],
        flash_page_bytes=inputs["B_f"],
        ram_page_bytes=inputs["B_r"],
        technique=inputs["technique"],
    )
    if found is None:
        return {"entry_bits": None, "MiB": None}
    return {"entry_bits": found.entry_bits, "MiB": found.mib}


def _block_map(inputs: Inputs) -> Outputs:
    place = directory.block_map(
        page=inputs["page"],
        ram_page_bytes=inputs["B_r"],
        flash_page_bytes=inputs["B_f"],
    )
    return {
        "block": place.block,
        "offset_in_block": place.offset_in_block,
        "index_in_block": place.index_in_block,
    }


def _sizes(inputs: Inputs) -> dict[str, Any]:
    return {
        "ram_bytes": inputs["S_r"],
        "flash_bytes": inputs["S_f"],
        "ram_page_bytes": inputs["B_r"],
        "flash_page_bytes": inputs["B_f"],
        "ram_entry_bytes": inputs["b_r"],
        "flash_entry_bytes": inputs["b_f"],
    }


def _directory_in_ram(inputs: Inputs) -> Outputs:
    found = directory.directory_in_ram(**_sizes(inputs))
    return {
        "f": found.flash_pages,
        "flash_dir_bytes": found.directory_bytes,
        "r_no_flash": found.ram_pages_no_flash,
        "r": found.ram_pages,
        "feasible": found.feasible,
    }


def _directory_on_flash(inputs: Inputs) -> Outputs:
    found = directory.directory_on_flash(**_sizes(inputs), buffered_bytes=inputs["n"])
    return {
        "f_prime": found.flash_pages,
        "dir_bytes": found.directory_bytes,
        "r_prime": found.ram_pages,
        "lost_flash_pages": found.lost_flash_pages,
    }


def _directory_access(inputs: Inputs) -> Outputs:
    found: Outputs = {}
    for name, consistent in (("printed", False), ("write_on_eviction", True)):
        lookup, update = directory.directory_access_costs(
            lookup_pages=inputs["l"],
            update_pages=inputs["u"],
            hit_ratio=inputs["H_d"],
            p_d_directory=inputs["p_dd"],
            flash_read=inputs["F_R"],
            flash_write=inputs["F_W"],
            write_on_eviction=consistent,
        )
        found[name] = {"L": lookup, "U": update}
    return found


def _flash_saving(inputs: Inputs) -> Outputs:
    # The catalogue writes C_k, and names no key.
    key = next((name for name in ("C_k", "Ck", "cost") if name in inputs), "C_k")
    try:
        return {"saving": costs.flash_saving(inputs[key], inputs["C0"])}
    except BadInput as error:
        raise _under_given_keys(error, {"cost": key, "no_flash": "C0"}) from error


def _under_given_keys(error: BadInput, keys: Mapping[str, str]) -> BadInput:
    """Name the keys of the vector in place of the arguments of the formula."""
    message = error.message
    for argument, key in keys.items():
        message = re.sub(rf"(: ){argument}(?=: )", rf"\g<1>{key}", message)
    return BadInput(message, error.hint)


def _price_performance(inputs: Inputs) -> Outputs:
    each, weighted = costs.price_performance(
        inputs["cost"], inputs["references"], inputs["price"]
    )
    return {"ms_per_reference": each, "price_times_ms": weighted}


def _simulate(inputs: Inputs) -> Outputs:
    from tierwright.simulate.replay import replay

    schemes = ("exclusive", "inclusive_global", "lazy")
    with token_trace(inputs["trace"]) as trace:
        counters = {
            scheme: replay(trace, "scheme", scheme, inputs["r"], inputs["f"])
            for scheme in schemes
        }
    return {
        scheme: {
            "h_r": found["ram_hits"],
            "h_f": found["flash_hits"],
            "m_f": found["flash_misses"],
            "flash_writes": found["flash_writes"],
            "hdd_writes": found["hdd_writes"],
        }
        for scheme, found in counters.items()
    }


FORMULAS: dict[str, Callable[[Inputs], Outputs]] = {
    "kv.C0": _c0,
    "kv.costs": _costs,
    "kv.C3_clean_only": _clean_only,
    "kv.directory_costs": _directory_costs,
    "kv.hits_from_curve": _hits_from_curve,
    "kv.choose_scheme": _choose_scheme,
    "kv.exclusive_minus_lazy_advantage": _advantage,
    "kv.iops_to_ms": _iops_to_ms,
    "kv.flash_directory_size": _flash_directory_size,
    "kv.block_map": _block_map,
    "kv.directory_in_ram": _directory_in_ram,
    "kv.directory_on_flash": _directory_on_flash,
    "kv.directory_LU": _directory_access,
    "kv.flash_saving": _flash_saving,
    "kv.price_performance": _price_performance,
    "kv.simulate": _simulate,
    **face.FORMULAS,
    **sce.FORMULAS,
    **pool_split_vectors.FORMULAS,
    **transactions_vectors.FORMULAS,
    **modern_vectors.FORMULAS,
}
"""Formula name to function; one line a formula."""


def evaluate_formula(name: str, inputs: Inputs) -> Outputs:
    """Evaluate one formula on sound inputs, as `Card.read` returns them.

    What is wrong with an input is found before: by `tierwright.catalogue.answer.ask`, or here by the
    formula's own checks. Whatever else leaves this function is a defect.

    Parameters
    ----------
    name : str
        Key of `FORMULAS`.
    inputs : mapping
        Named as on the formula's card, each of its kind.

    Returns
    -------
    dict
        The fields that a vector expects.

    Raises
    ------
    BadInput
        If there is no such formula or an input is out of its domain; if the result does not
        fit into memory or is no finite number.

    Examples
    --------
    >>> round(
    ...     evaluate_formula("fd.window_io_time", {"Comp": 0.9, "g": 0.03})["io_time"],
    ...     6,
    ... )
    30.0
    """
    function = FORMULAS.get(name)
    if function is None:
        family = name.split(".", maxsplit=1)[0]
        near = [known for known in FORMULAS if known.split(".")[0] == family]
        raise BadInput(
            f"formula `{name}` is unknown", f"one of {', '.join(near or FORMULAS)}"
        )
    try:
        with np.errstate(all="ignore"):  # what comes of it is refused below
            found = function(inputs)
    except OverflowError as error:
        raise BadInput(
            f"formula `{name}`: a step to the result would not be finite",
            "use smaller numbers, or larger ones where the formula divides",
        ) from error
    except (MemoryError, RecursionError) as error:
        raise BadInput(
            f"formula `{name}`: the inputs need more memory than is available",
            "give smaller numbers",
        ) from error
    unbounded = [field for field, value in found.items() if not _finite(value)]
    if unbounded:
        raise BadInput(
            f"formula `{name}`: {' and '.join(unbounded)} would not be finite",
            "use smaller numbers, or larger ones where the formula divides",
        )
    return found


def _finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_finite(entry) for entry in value.values())
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isfinite(value).all())
    if isinstance(value, (list, tuple, np.ndarray)):
        return all(_finite(entry) for entry in value)
    return not isinstance(value, (float, np.floating)) or math.isfinite(value)
