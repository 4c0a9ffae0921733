"""Links of the OpenAPI document: which answer names what another operation reads.

They follow from the document itself: an answer that holds `workload_id` leads to the operation
that reads `/workloads/{workload_id}`, and what was made, by its `id`, to the operation
that reads the same.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ID = re.compile(r"\{(\w+_id)\}")
_JSON = "application/json"


def add_links(document: dict[str, Any]) -> None:
    """Add the links to every answer of success."""
    schemas = document["components"]["schemas"]
    paths = document["paths"]
    readers = _readers(paths)
    for path, operations in paths.items():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                schema = answer.get("content", {}).get(_JSON, {}).get("schema")
                if not status.startswith("2") or schema is None:
                    continue
                links = {
                    reader: {
                        "operationId": reader,
                        "parameters": {parameter: f"$response.body#/{place}"},
                    }
                    for reader, parameter, place in _found(
                        schema, schemas, readers, path
                    )
                    if reader != operation["operationId"]
                }
                if links:
                    answer["links"] = links


@dataclass(frozen=True, slots=True)
class _Reader:
    collection: str
    operation_id: str
    parameter: str
    schema: Any


def _readers(paths: Mapping[str, Any]) -> list[_Reader]:
    """List the operations that read one of a collection by its id."""
    found = []
    for path, operations in paths.items():
        collection, _, last = path.rpartition("/")
        named = _ID.fullmatch(last)
        reader = operations.get("get")
        if named and reader and "{" not in collection:
            schema = reader["responses"]["200"].get("content", {}).get(_JSON, {})
            found.append(
                _Reader(
                    collection, reader["operationId"], named[1], schema.get("schema")
                )
            )
    return found


def _found(
    schema: Mapping[str, Any],
    schemas: Mapping[str, Any],
    readers: Sequence[_Reader],
    path: str,
) -> Iterator[tuple[str, str, str]]:
    """List operation, parameter and place in the answer of what it leads to."""
    by_parameter = {reader.parameter: reader.operation_id for reader in readers}
    properties = _properties(schema, schemas)
    made_in = {path, path.rpartition("/")[0]} if "{" not in path else set()
    for reader in readers:
        if schema == reader.schema or (
            "id" in properties and reader.collection in made_in
        ):
            yield reader.operation_id, reader.parameter, "id"
    for name, inside in properties.items():
        if name in by_parameter:
            yield by_parameter[name], name, name
        # An object under the name of what it is, such as `run`.
        elif f"{name}_id" in by_parameter and "id" in _properties(inside, schemas):
            yield by_parameter[f"{name}_id"], f"{name}_id", f"{name}/id"


def _properties(
    schema: Mapping[str, Any], schemas: Mapping[str, Any]
) -> Mapping[str, Any]:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[-1]]
    found: dict[str, Any] = dict(schema.get("properties", {}))
    for each in schema.get("anyOf", ()):  # null, or an object
        found |= _properties(each, schemas)
    return found
