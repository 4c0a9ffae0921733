"""Whatever a JSON body holds, the answer is a result or a problem that names what is wrong.

Bodies are made from the OpenAPI document: one that fits, then changed in one to three places to
numbers at all edges, other types, text that is none, deep nests and keys that stand twice. Text is
written by hand, as no JSON library writes most of it.
"""

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
from live_app import PATIENCE_S, REPOSITORY

DOCUMENT = json.loads((REPOSITORY / "backend" / "openapi.json").read_text())
BUDGET_S = 10.0
"""Of all operations; `make test-long` goes on with the same bodies and sends more."""
LONG_BUDGET_S = 40.0
LEAST_EACH = 5
SEED = 13
METHODS = ("post", "put", "patch")
HEADERS = {"Content-Type": "application/json"}
KNOWN: dict[str, Any] = {
    "workload_id": "example",
    "flash_device_id": "face2016-samsung-840pro-256",
    "disk_device_id": "face2016-cheetah-15k6-single",
    "dram_device_id": "ddr4-rdimm-32gb",
    "device_ids": ["face2016-samsung-840pro-256"],
    "ram_pages": 1000,
    "flash_pages": 4000,
    "pages": 100,
    "state": {},
}
MOST_NEST = 100
"""Of a body that a reader can still hold."""


class Raw(str):
    """Written into a body as it is."""


NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 7, 1000, -(2**31), 2**31, 2**32, 2**53 - 1, 2**53, 2**63 - 1, 2**63),
    *(2**64, 2**128, -(2**63) - 1, 10**30, 10**400),
    *(0.5, 0.1, -0.5, 1.0000000001, 1e-9, 1e-300, 5e-324, 1e15, 1e18, 1e300, 1.7e308),
    *map(Raw, ("-0", "-0.0", "1000.0", "1e3", "1e-400", "1e999", "-1e999", "1E400")),
    *map(Raw, ("NaN", "Infinity", "-Infinity", "0x10", "1_0", "01", "1.", ".5", "+1")),
]
TEXTS: list[Any] = [
    *("", " ", "a", "1", "1_0", " 5 ", "\u0663", "true", "null", "NaN", "-1", "1e999"),
    *(
        "\x00",
        "a\nb",
        "\u202e",
        "\ufeff",
        "\u0130",
        "x" * 300,
        "y" * 20_000,
        "2026-02-30",
    ),
    *("../../etc/passwd", "example", "%00", "'; DROP TABLE runs; --", "\U0001f600"),
    *map(Raw, ('"\\ud800"', '"\\udfff a"', '"\\u0000"', '"\\ud83d\\ude00"')),
]
OTHERS: list[Any] = [
    *(
        None,
        True,
        False,
        [],
        {},
        [[]],
        [None],
        {"": None},
        {"a": {"b": []}},
        [0] * 3000,
    ),
    Raw("[" * MOST_NEST + "]" * MOST_NEST),
    Raw('{"a":' * MOST_NEST + "1" + "}" * MOST_NEST),
    Raw("[" * 100_000),
    Raw('{"a":1,"a":2}'),
    Raw('{"\\ud800":1}'),
]


def written(value: Any) -> str:
    """Write a body; lists of pairs are not needed, as `Raw` writes what JSON cannot hold."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)}:{written(each)}" for key, each in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = DOCUMENT
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def fitting(schema: dict[str, Any], name: str = "", *, full: bool = False) -> Any:
    """Make a value that fits a schema, with all its keys or only those that it needs."""
    if name in KNOWN:
        return KNOWN[name]
    schema = resolved(schema)
    if "examples" in schema:
        return schema["examples"][0]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return fitting(schema[key][0], name, full=full)
    if schema.get("type") == "object":
        asked = schema.get("properties", {})
        needed = asked if full else schema.get("required", ())
        return {key: fitting(asked[key], key, full=full) for key in needed}
    if schema.get("type") == "array":
        count = max(1, schema.get("minItems", 0))
        return [fitting(schema.get("items", {}), name, full=full)] * count
    return _leaf(schema)


def _leaf(schema: dict[str, Any]) -> Any:
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    money = "\\d" in schema.get("pattern", "")
    return schema.get("default") or {
        "integer": max(1, least),
        "number": max(1, least),
        "boolean": False,
        "string": "1.50" if money else "a1",
    }.get(schema.get("type", ""))


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*at, key))
    elif isinstance(value, list):
        for index, each in enumerate(value[:3]):
            yield from places(each, (*at, index))


def changed(value: Any, at: tuple[Any, ...], fresh: Any) -> Any:
    if not at:
        return fresh
    copy = value.copy()
    copy[at[0]] = changed(value[at[0]], at[1:], fresh)
    return copy


def hostile(chance: random.Random, body: Any) -> str:
    """Change a body in a place or some, or add what it does not take."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        found = list(places(body))
        # The whole body now and then: leaves are many.
        at = chance.choice(found[1:] or found) if chance.random() < 0.95 else ()
        kind = chance.random()
        values = NUMBERS if kind < 0.6 else TEXTS if kind < 0.8 else OTHERS
        body = changed(body, at, chance.choice(values))
    text = written(body)
    if chance.random() < 0.05 and text.startswith('{"'):
        # The first key twice.
        key = text[: text.index(":") + 1]
        text = f"{key}0,{text[1:]}"
    return text


EDGES = (2**53 - 1, 5e-324, 0, 10**400)


def at_an_edge(chance: random.Random, body: Any) -> list[str]:
    """Set each number of a body to each edge, in a random order."""
    numbers = [at for at in places(body) if isinstance(value_at(body, at), int | float)]
    found = [written(changed(body, at, edge)) for at in numbers for edge in EDGES]
    chance.shuffle(found)
    return found


def value_at(value: Any, at: tuple[Any, ...]) -> Any:
    for key in at:
        value = value[key]
    return value


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    found = []
    for path, methods in DOCUMENT["paths"].items():
        for method in METHODS:
            content = methods.get(method, {}).get("requestBody", {}).get("content", {})
            if "application/json" in content:
                found.append((method, path, content["application/json"]["schema"]))
    return found


def paths(path: str) -> str:
    path = path.removeprefix("/api/v1")
    for name, value in (
        ("{name}", "face.writeback_chain"),
        ("{workload_id}", "example"),
    ):
        path = path.replace(name, value)
    while "{" in path:
        start, end = path.index("{"), path.index("}")
        path = path[:start] + "example" + path[end + 1 :]
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "budget_s", [BUDGET_S, pytest.param(LONG_BUDGET_S, marks=pytest.mark.long)]
)
def test_no_body_brings_the_server_down(fuzzed, budget_s):
    asked = operations()
    assert len(asked) > 30
    share_s = budget_s / len(asked)
    wrong = []
    for method, path, schema in asked:
        # Of each operation the same bodies, whatever the others have.
        chance = random.Random(f"{SEED} {method} {path}")
        bodies = [fitting(schema), fitting(schema, full=True)]
        edges = at_an_edge(chance, bodies[1]) + at_an_edge(chance, bodies[0])
        until = time.monotonic() + share_s
        sent = 0
        while sent < LEAST_EACH or time.monotonic() < until:
            # Half of them only one step from a body that fits.
            text = (
                edges.pop()
                if edges and sent % 2
                else hostile(chance, chance.choice(bodies))
            )
            answer = fuzzed.client.request(
                method,
                paths(path),
                content=text.encode(),
                headers=HEADERS,
                timeout=PATIENCE_S,
            )
            sent += 1
            refused = answer.status_code >= 400
            problem = answer.headers.get("content-type") == "application/problem+json"
            if answer.status_code >= 500 or refused != problem:
                wrong.append(
                    (method, path, answer.status_code, text[:600], answer.text[:600])
                )
                break
    assert not wrong, "\n\n".join(map(str, wrong))
    assert fuzzed.get("/health")["status"] == "ok"


@pytest.mark.long
def test_the_bodies_that_are_changed_mostly_fit(fuzzed):
    """Otherwise only the first look at a body would be under test."""
    fit = 0
    for method, path, schema in operations():
        answer = fuzzed.client.request(method, paths(path), json=fitting(schema))
        assert answer.status_code < 500, (path, answer.text)
        fit += answer.status_code < 400
    assert fit >= 15


POINT = {
    "workload_id": "example",
    "flash_device_id": "face2016-samsung-840pro-256",
    "disk_device_id": "face2016-cheetah-15k6-single",
}
LARGEST = 2**53 - 1


@pytest.mark.parametrize("pages", [10**12, 2**51, LARGEST])
@pytest.mark.parametrize(
    "path", ["/recovery", "/wear", "/evaluations", "/throughputs", "/break-evens"]
)
def test_sizes_up_to_the_largest_are_answered_or_refused(fuzzed, path, pages):
    body = POINT | {"ram_pages": 1000, "flash_pages": pages}
    answer = fuzzed.client.post(path, json=body)
    assert answer.status_code in (200, 409, 422), answer.text


@pytest.mark.parametrize("interest", ["5e-324", "1e-300", "1e-30", "1e-20", "1e-9"])
def test_hardly_any_interest_costs_hardly_anything(fuzzed, interest):
    def month(rate):
        body = (
            '{"device_ids": ["samsung-pm9a3-7.68tb-u2"], "held_bytes": 1000000000, '
            f'"price_book_id": "street-2026-q3", "interest_per_year": {rate}}}'
        )
        answer = fuzzed.client.post("/tier-costs", content=body, headers=HEADERS)
        assert answer.status_code == 200, answer.text
        return float(answer.json()["rows"][0]["usd_per_month"])

    assert month(interest) == pytest.approx(month("0"), rel=1e-7)
