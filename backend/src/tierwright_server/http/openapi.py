"""The OpenAPI document, made without a database."""

from dataclasses import asdict
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from tierwright.advise.advice import LIMIT_WORDS
from tierwright.common.cautions import BEST_OF_OTHERS, MISREAD
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright_server.common.schemas import Problem
from tierwright_server.http import idempotency
from tierwright_server.http.csv_answers import add_tables
from tierwright_server.http.examples import add_examples
from tierwright_server.http.links import add_links
from tierwright_server.http.meanings import add_descriptions


def describe(app: FastAPI) -> dict[str, Any]:
    """Make the document: every error is a Problem, not FastAPI's default."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        servers=[{"url": "/", "description": "This server."}],
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    problem = Problem.model_json_schema(
        mode="serialization", ref_template="#/components/schemas/{model}"
    )
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    add_descriptions(schemas)
    add_tables(document)
    idempotency.describe(document)
    add_examples(document)
    add_links(document)
    document["x-page-flow-schemes"] = [
        {"name": scheme.name, "title": scheme.title, "mark": asdict(scheme.mark)}
        for scheme in BY_NAME.values()
    ]
    document["x-limits"] = [
        {"name": name, "title": title} for name, title in LIMIT_WORDS.items()
    ]
    document["x-folded-cautions"] = {
        "never": sorted(MISREAD),
        "effect_ends": BEST_OF_OTHERS,
    }
    return document
