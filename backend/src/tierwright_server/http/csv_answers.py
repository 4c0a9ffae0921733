"""Answers as CSV: any table of any answer, for `Accept: text/csv`.

Where the tables of an answer are is read from its schema in the API's document: a list of objects
is a table of rows, an object of lists a table of columns, objects by name a table with their names.
Objects inside a row become columns with a dot; a list of objects inside a row is a table of its own.
An object with two axes `x` and `y` is a table of cells: one row for each point of its grids.
In a table of columns a list of pairs becomes two, `.low` and `.high`, and a list of lists that says by
which list it goes on (`x-by`) becomes a column for each value there, such as `misses.pages=100`.
Where a curve from counters is behind an answer, a last column names the class of its evidence.
Numbers and decimal strings stand as in the JSON. Text that a spreadsheet would run as a formula gets
an apostrophe before it, as in the exports of the page.
"""

import copy
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from fastapi import Request
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tierwright.profile.evidence import CLASSES, ENVELOPE
from tierwright_server.common.errors import BadInput, ServerError
from tierwright_server.http.problems import responses

MEDIA_TYPE = "text/csv"
JSON = "application/json"
KEY = "table"
_NAMED = "key"
"""Column of the names of objects by name."""
_CELLS_NAME = "cells"
_MAIN = (_CELLS_NAME, "items", "rows", "schemes", "columns")
"""Tables that are meant where none is named, the first that there is."""
_ECHO = "inputs"
"""What the request said is no table of the answer."""
_WINNERS = ("best", "best_by_price_times_time")
"""Grids of indexes into the schemes of the answer; a row has the name."""
_COSTS = "io_time_us_per_access"
"""Grids by scheme; a row has that of the winner beside them."""
_FIGURES = frozenset({"integer", "number"})
_ENDS = ("low", "high")
"""What the two ends of an interval are called."""
_EVIDENCE = "evidence of the curve"
"""Column of the class of a curve from counters, in every table of what was answered with it."""
_CAUTIONS = ("warnings", "cautions")
_FROM = "curve_from_"
"""How the cautions that name a class begin."""
_IDENTITY = ("id", "name", "scheme", "title", "currency")


class NotAcceptable(ServerError):
    """The answer is not available in the requested media type."""

    status = HTTPStatus.NOT_ACCEPTABLE
    name = "not-acceptable"
    title = "The answer is not available in this form"


@dataclass(frozen=True)
class Table:
    """A table of an answer: its keys from the top, and how its rows lie there."""

    path: tuple[str, ...]
    kind: Literal["rows", "columns", "named", "cells"]
    header: tuple[str, ...]
    pairs: tuple[str, ...] = ()
    """Columns of two ends each."""
    across: tuple[tuple[str, str], ...] = ()
    """Lists of lists by row, each with the list that its inner ones go by."""

    @property
    def name(self) -> str:
        """What the query calls it."""
        if self.kind == "cells":
            return ".".join((*self.path, _CELLS_NAME))
        return ".".join(self.path) or ("columns" if self.kind == "columns" else "rows")


class Number(str):
    """A number as the JSON writes it."""


def tables_of(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> list[Table]:
    """Return the tables that the answer of an operation may hold, by its schema."""
    found: dict[str, Table] = {}
    for status, answer in operation["responses"].items():
        schema = answer.get("content", {}).get(JSON, {}).get("schema")
        if status < "300" and schema is not None:
            for table in _tables(schema, schemas, (), ()):
                found.setdefault(table.name, table)
    return list(found.values())


def _tables(
    schema: Any,
    schemas: Mapping[str, Any],
    path: tuple[str, ...],
    seen: tuple[str, ...],
) -> Iterator[Table]:
    schema, seen = _resolved(schema, schemas, seen)
    if schema is None or path[-1:] == (_ECHO,):
        return
    for each in schema.get("anyOf", ()):
        yield from _tables(each, schemas, path, seen)
    items, _ = _resolved(schema.get("items", {}), schemas, seen)
    inside, _ = _resolved(schema.get("additionalProperties", {}), schemas, seen)
    if items is not None and "properties" in items:
        yield Table(path, "rows", tuple(items["properties"]))
        yield from _tables(schema["items"], schemas, path, seen)
    elif isinstance(inside, dict) and "properties" in inside:
        yield Table(path, "named", (_NAMED, *inside["properties"]))
    properties = schema.get("properties", {})
    if all(_is_axis(properties.get(axis), schemas) for axis in ("x", "y")):
        yield Table(path, "cells", ("x", "y"))
    kinds = {name: _kinds(each, schemas, seen) for name, each in properties.items()}
    if sum(not kind.isdisjoint(_FIGURES) for kind in kinds.values()) > 1:
        across = {
            name: each["x-by"] for name, each in properties.items() if "x-by" in each
        }
        columns = [
            name for name, kind in kinds.items() if kind and name not in across.values()
        ]
        pairs = [name for name, each in properties.items() if _is_pairs(each)]
        yield Table(
            path, "columns", tuple(columns), tuple(pairs), tuple(across.items())
        )
    for name, each in properties.items():
        yield from _tables(each, schemas, (*path, name), seen)


def _is_pairs(schema: Any) -> bool:
    ends = schema.get("items", {}).get("prefixItems", ())
    return len(ends) == len(_ENDS) and all(end.get("type") in _FIGURES for end in ends)


def _is_axis(schema: Any, schemas: Mapping[str, Any]) -> bool:
    axis, _ = _resolved(schema, schemas, ())
    return axis is not None and {"name", "values"} <= axis.get("properties", {}).keys()


def _resolved(
    schema: Any, schemas: Mapping[str, Any], seen: tuple[str, ...]
) -> tuple[Any, tuple[str, ...]]:
    if not isinstance(schema, dict) or "$ref" not in schema:
        return schema, seen
    name = schema["$ref"].rpartition("/")[-1]
    return (None, seen) if name in seen else (schemas[name], (*seen, name))


_CELLS = _FIGURES | {"string", "boolean", "null"}


def _kinds(
    schema: Any, schemas: Mapping[str, Any], seen: tuple[str, ...]
) -> frozenset[str]:
    """Return what a list holds that may be a column; nothing for all else."""
    resolved, _ = _resolved(schema, schemas, seen)
    if resolved is None:
        return frozenset()
    if "anyOf" in resolved:
        return frozenset().union(
            *(_kinds(each, schemas, seen) for each in resolved["anyOf"])
        )
    items, _ = _resolved(resolved.get("items"), schemas, seen)
    each = items.get("anyOf", [items]) if isinstance(items, dict) else []
    kinds = frozenset(str(kind.get("type")) for kind in each)
    return kinds if kinds <= _CELLS else frozenset()


def usual(tables: Sequence[Table]) -> Table | None:
    """Return the table that is meant where none is named; None: one must be."""
    if len(tables) == 1:
        return tables[0]
    by_name = {table.name: table for table in tables}
    return next((by_name[name] for name in _MAIN if name in by_name), None)


def rows_of(answer: Any, table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table; empty where the answer holds nothing there."""
    return list(_rows(answer, table, table.path, {}))


def _rows(
    value: Any, table: Table, path: tuple[str, ...], outer: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Go down to the table, keeping in `outer` which row it was inside of."""
    if isinstance(value, list) and (path or table.kind == "columns"):
        at = table.path[: len(table.path) - len(path)]
        for index, each in enumerate(value):
            yield from _rows(each, table, path, {**outer, **_identity(at, index, each)})
    elif path and isinstance(value, dict):
        yield from _rows(value.get(path[0]), table, path[1:], outer)
    elif not path:
        yield from ({**outer, **row} for row in _own_rows(value, table))


def _own_rows(value: Any, table: Table) -> Iterator[dict[str, Any]]:
    if table.kind == "rows" and isinstance(value, list):
        yield from (dict(_flat(each)) for each in value)
    elif table.kind == "named" and isinstance(value, dict):
        yield from ({_NAMED: name, **dict(_flat(each))} for name, each in value.items())
    elif table.kind == "columns" and isinstance(value, dict):
        yield from _columns(value, table)
    elif table.kind == "cells" and isinstance(value, dict):
        yield from _cells(value)


def _cells(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return a row for every point of a map, by y and then by x, as its grids are.

    Each has its place under the axes' names, which hold their units, and what every grid says of
    it; the winners by name, empty where no scheme fits, with what the winner costs.
    """
    x, y = answer["x"], answer["y"]
    grids = dict(_grids(answer, len(y["values"]), len(x["values"])))
    for j, at_y in enumerate(y["values"]):
        for i, at_x in enumerate(x["values"]):
            row = {x["name"]: at_x, y["name"]: at_y}
            for path, grid in grids.items():
                if path[-1] not in _WINNERS:
                    row[".".join(path)] = grid[j][i]
                    continue
                index = int(grid[j][i])
                winner: str | None = None if index < 0 else answer["schemes"][index]
                row[".".join(path)] = winner
                costs = (
                    None if winner is None else grids.get((*path[:-1], _COSTS, winner))
                )
                if path[-1] == "best":
                    name = ".".join((*path[:-1], f"best_{_COSTS}"))
                    row[name] = None if costs is None else costs[j][i]
            yield row


def _grids(
    value: dict[str, Any], rows: int, columns: int, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[list[Any]]]]:
    """Return every list of as many rows as y has values, each with a value for every x."""
    for name, each in value.items():
        if isinstance(each, dict):
            yield from _grids(each, rows, columns, (*path, name))
        elif (
            isinstance(each, list)
            and len(each) == rows
            and all(isinstance(row, list) and len(row) == columns for row in each)
        ):
            yield (*path, name), each


def _columns(value: dict[str, Any], table: Table) -> Iterator[dict[str, Any]]:
    """Return the rows of lists that stand side by side: the longest, and those as long."""
    axes = {axis for _, axis in table.across}
    apart = {*table.pairs, *(name for name, _ in table.across), *axes}
    lists = {
        name: each
        for name, each in value.items()
        if isinstance(each, list)
        and name not in apart
        and not any(isinstance(cell, dict) for cell in each)
    }
    length = max((len(lists.get(name, ())) for name in table.header), default=0)
    columns = {name: each for name, each in lists.items() if len(each) == length}
    for name in table.pairs:
        for at, end in enumerate(_ENDS):
            columns[f"{name}.{end}"] = [pair[at] for pair in value[name]]
    for name, axis in table.across:
        for at, along in enumerate(value[axis]):
            columns[f"{name}.{axis}={along}"] = [row[at] for row in value[name]]
    for at in range(length):
        yield {name: each[at] for name, each in columns.items()}


def _identity(path: tuple[str, ...], index: int, row: Any) -> dict[str, Any]:
    """Return the columns that say to which row an inner table belongs."""
    name = next(
        (key for key in _IDENTITY if isinstance(row, dict) and key in row), None
    )
    where = ".".join(path) or "rows"
    return (
        {f"{where}[]": Number(index)}
        if name is None
        else {f"{where}[].{name}": row[name]}
    )


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield prefix or "value", value
        return
    for key, each in value.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(each, dict):
            yield from _flat(each, name)
        elif not (
            isinstance(each, list) and any(isinstance(one, dict) for one in each)
        ):
            yield name, each


def classed(rows: list[dict[str, Any]], answer: Any) -> list[dict[str, Any]]:
    """Add the class of the evidence to every row, where a curve from counters is behind the answer.

    Cautions are a table of their own, and a file of another table would drop the class.
    """
    named = dict.fromkeys(_classes_in(answer))
    # What names the class alone says no more than what names its envelope as well.
    found = [each for each in named if f"{each}, {ENVELOPE}" not in named]
    if not found:
        return rows
    return [{**row, _EVIDENCE: "; ".join(found)} for row in rows]


def _classes_in(value: Any) -> Iterator[str]:
    """Name the classes in what an answer says beside its rows."""
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if key in _CAUTIONS and isinstance(each, list):
            for one in each:
                code = str(one.get("code", one.get("name", "")))
                if code.startswith(_FROM):
                    yield _with_envelope(code.removeprefix(_FROM), one.get("message"))
        elif key == "evidence" and isinstance(each, dict):
            yield _with_envelope(str(each.get("evidence", "")), each.get("title"))
        elif key == "evidence" and _is_class(each):
            yield str(each)
        else:
            yield from _classes_in(each)


def _is_class(value: Any) -> bool:
    return str(value).removesuffix(f", {ENVELOPE}") in CLASSES


def _with_envelope(name: str, said: Any) -> str:
    """Name a class, with the envelope where what is said beside it names one."""
    return f"{name}, {ENVELOPE}" if ENVELOPE in str(said) else name


def written(rows: list[dict[str, Any]], table: Table) -> str:
    """Write rows as CSV (RFC 4180)."""
    header = list(dict.fromkeys(key for row in rows for key in row)) or table.header
    if _EVIDENCE in header:  # behind what later rows alone have
        header = [*(key for key in header if key != _EVIDENCE), _EVIDENCE]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_guarded(name) for name in header])
    writer.writerows([_cell(row.get(name)) for name in header] for row in rows)
    return out.getvalue()


_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"^[{_SIGNS}\t\r\n]")
_FORMULA_INSIDE = re.compile(rf'([;\t\r\n]\s*"?)(?=[{_SIGNS}])')
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def _guarded(text: str) -> str:
    """Keep a spreadsheet from running a text as a formula; an amount stays as it is."""
    if _DECIMAL.fullmatch(text):
        return text
    inside = _FORMULA_INSIDE.sub(r"\1'", text)
    return f"'{inside}" if _FORMULA.match(inside) else inside


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return value
    return _guarded(value if isinstance(value, str) else _json(value))


def _json(value: Any) -> str:
    """Write a list inside a cell, its numbers as they came."""
    if isinstance(value, list):
        return "[" + ",".join(_json(each) for each in value) + "]"
    return value if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def wants_csv(accept: str) -> bool:
    """Say whether CSV is named by a header `Accept`, and liked no less than JSON."""
    liked: dict[str, float] = {}
    for part in accept.split(","):
        media, _, options = part.partition(";")
        weight = re.search(r"q\s*=\s*([01](?:\.\d{0,3})?)", options)
        liked[media.strip().lower()] = float(weight.group(1)) if weight else 1.0
    csv_weight = liked.get(MEDIA_TYPE, 0.0)
    return csv_weight > 0 and csv_weight >= liked.get(JSON, 0.0)


def add_tables(document: dict[str, Any]) -> None:
    """Say in the document which operations answer with tables, and how they are called."""
    schemas = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            tables = tables_of(operation, schemas)
            if not tables:
                refused = int(NotAcceptable.status)
                operation["responses"][str(refused)] = responses(refused)[refused]
                continue
            meant = usual(tables)
            rule = (
                "; required, because there are several"
                if meant is None
                else f"; absent: `{meant.name}`"
            )
            operation.setdefault("parameters", []).append(
                {
                    "name": KEY,
                    "in": "query",
                    "required": False,
                    "description": f"With `Accept: text/csv`: the table to answer with{rule}.",
                    "schema": {
                        "type": "string",
                        "enum": [table.name for table in tables],
                    },
                }
            )
            for status, answer in operation["responses"].items():
                if status < "300" and JSON in answer.get("content", {}):
                    answer["content"][MEDIA_TYPE] = {"schema": {"type": "string"}}


async def check_accept(request: Request) -> None:
    """Choose the table of an answer before anything is computed.

    Raises
    ------
    NotAcceptable
        If CSV is asked for, and the answer holds no table.
    BadInput
        If it holds several and none is named, or another is named.
    """
    named = request.query_params.get(KEY)
    asked = wants_csv(request.headers.get("accept", ""))
    route = request.scope.get("route")
    if not isinstance(route, APIRoute) or (named is None and not asked):
        return
    tables = tables_of_route(route)
    names = ", ".join(f"`{table.name}`" for table in tables)
    if not tables:
        if asked:
            raise NotAcceptable(
                f"{request.method} {request.url.path} has no table for CSV",
                hint="Ask for application/json.",
            )
        return  # the key is refused as unknown
    if not asked:
        raise BadInput.at(
            f"query.{KEY}", named, "chooses a table of CSV", "Send `Accept: text/csv`."
        )
    found = (
        usual(tables)
        if named is None
        else next((table for table in tables if table.name == named), None)
    )
    if found is None:
        raise BadInput.at(
            f"query.{KEY}",
            named,
            "must name a table of this answer",
            hint=f"The answer holds {names}.",
        )
    request.state.csv_table = found


_OF_ROUTES: dict[str, tuple[Table, ...]] = {}
"""Tables of routes that were asked for CSV, by the id of the route."""


def tables_of_route(route: APIRoute) -> tuple[Table, ...]:
    """Return the tables of a route's answer.

    They are read from the part of the document that is about this route: to make all of it takes
    seconds, in which the process would answer nobody.
    """
    if route.unique_id not in _OF_ROUTES:
        # An address that the document leaves out, such as one with a slash behind it, answers as its twin does.
        shown = copy.copy(route)
        shown.include_in_schema = True
        document = get_openapi(title="", version="", routes=[shown])
        schemas = document.get("components", {}).get("schemas", {})
        _OF_ROUTES[route.unique_id] = tuple(
            table
            for operations in document["paths"].values()
            for operation in operations.values()
            for table in tables_of(operation, schemas)
        )
    return _OF_ROUTES[route.unique_id]


class CsvAnswers:
    """Turns a JSON answer into the table that `check_accept` chose."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; hold an answer back only where CSV was asked for."""
        if scope["type"] != "http" or not wants_csv(
            Headers(scope=scope).get("accept", "")
        ):
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        start: Message = {}
        body = bytearray()

        async def turn(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and not start:
                kind = Headers(raw=message["headers"]).get("content-type", "")
                made = message["status"] < HTTPStatus.MULTIPLE_CHOICES
                if made and kind.startswith(JSON) and "csv_table" in state:
                    start = message
                    return
            if not start:
                await send(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                await _send_csv(start, bytes(body), state["csv_table"], send)

        await self._app(scope, receive, turn)


async def _send_csv(start: Message, body: bytes, table: Table, send: Send) -> None:
    answer = json.loads(body, parse_float=Number, parse_int=Number)
    text = written(classed(rows_of(answer, table), answer), table).encode()
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["Content-Type"] = "text/csv; charset=utf-8; header=present"
    headers["Content-Length"] = str(len(text))
    headers.add_vary_header("Accept")
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": text})
