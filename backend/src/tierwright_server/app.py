"""The application: routes, errors, guard, page, and what lives as long as it."""

import asyncio
import contextlib
import importlib
import re
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from sqlalchemy.ext.asyncio import async_sessionmaker
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from tierwright_server import api
from tierwright_server.common.settings import Settings
from tierwright_server.common.version import VERSION
from tierwright_server.hardware.catalog.shipped import load_shipped
from tierwright_server.http import openapi, problems
from tierwright_server.http.context import Context
from tierwright_server.http.csv_answers import CsvAnswers
from tierwright_server.http.guard import Guard
from tierwright_server.http.idempotency import Idempotency
from tierwright_server.http.page import Page
from tierwright_server.http.strict_json import StrictJson
from tierwright_server.jobs.events import RunEvents
from tierwright_server.replays.analyses.cache import AnalysisCache
from tierwright_server.runtime.database_watch import DatabaseGate, DatabaseWatch
from tierwright_server.storage import installation
from tierwright_server.storage.db import make_engine, psycopg_dsn
from tierwright_server.storage.quick_reads import QuickReads
from tierwright_server.traces.curves import CurveCache
from tierwright_server.traces.workloads.composing import KeptProfiles
from tierwright_server.traces.workloads.example import ensure_example
from tierwright_server.traces.workloads.kept import KeptWorkloads
from tierwright_server.traces.workloads.scaling import KeptRelations

_LEAST_COMPRESSED = 65_536
"""Bytes of an answer."""


def make_app(settings: Settings) -> FastAPI:
    """Make the routes, without the guard around them.

    Parameters
    ----------
    settings : Settings
        The database's address is needed only when the app starts.
    """
    app = FastAPI(
        title="Tierwright",
        version=VERSION,
        description="Sizing of memory hierarchies: workload x hardware x question "
        "-> answer.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        strict_content_type=True,
    )
    app.state.settings = settings
    app.state.watch = DatabaseWatch(
        settings.database_url and psycopg_dsn(settings.database_url)
    )
    problems.install(app)
    app.include_router(api.router)
    _add_page(app, settings)
    app.add_middleware(CsvAnswers)
    # Event streams are left alone by the middleware itself. We listen on loopback only: what
    # is smaller arrives sooner than it is compressed.
    app.add_middleware(GZipMiddleware, minimum_size=_LEAST_COMPRESSED, compresslevel=5)

    def describe() -> dict[str, Any]:
        if not _DOCUMENT:
            _DOCUMENT.update(openapi.describe(app))
        return _DOCUMENT

    app.openapi = describe  # type: ignore[method-assign]
    return app


_DOCUMENT: dict[str, Any] = {}
"""The OpenAPI document of every application: no setting changes a route."""


def create_app(settings: Settings) -> Guard:
    """Make the whole ASGI application."""
    app = make_app(settings)
    strict = StrictJson(Idempotency(app))
    gate = DatabaseGate(strict, app.state.watch, settings.data_dir)
    return Guard(gate, settings)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    if settings.database_url is None:
        raise RuntimeError("the server needs TIERWRIGHT_DATABASE_URL")
    settings.make_folders()
    await asyncio.to_thread(installation.state, settings)
    engine = make_engine(
        settings.database_url, statement_timeout_s=settings.statement_timeout_s
    )
    events = RunEvents(psycopg_dsn(settings.database_url))
    reads = QuickReads(
        settings.database_url, statement_timeout_s=settings.statement_timeout_s
    )
    sessions = async_sessionmaker(engine, expire_on_commit=False)
    app.state.context = Context(
        settings=settings,
        engine=engine,
        reading=engine.sync_engine.execution_options(isolation_level="AUTOCOMMIT"),
        sessions=sessions,
        reads=reads,
        watch=app.state.watch,
        stopping=asyncio.Event(),
        kept={
            type(each): each
            for each in (
                KeptWorkloads(reads, sessions),
                load_shipped(),
                CurveCache(settings.curve_cache_bytes),
                KeptRelations(settings.curve_cache_bytes // 16),
                KeptProfiles(settings.curve_cache_bytes // 16),
                AnalysisCache(settings.analysis_cache_bytes),
                events,
            )
        },
    )
    await events.start()
    await reads.start()
    await app.state.watch.start()
    warming = asyncio.create_task(asyncio.to_thread(_warm_up))
    try:
        await ensure_example(sessions, settings)
        yield
    finally:
        await warming
        app.state.context.stopping.set()
        await app.state.watch.stop()
        await events.stop()
        await reads.stop()
        await engine.dispose()


def _warm_up() -> None:
    """Import what the first answer would wait for: `numpy.unique` asks for `numpy.ma`."""
    importlib.import_module("numpy.ma")


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_NOT_THE_PAGE = re.compile(r"/(api|metrics)(/.*)?")


def _add_page(app: FastAPI, settings: Settings) -> None:
    page = Page(settings.page_dir)
    of_api = list(app.routes)

    async def serve_page(request: Request) -> Response:
        """Answer what no route of the API took: the page, or why not."""
        if not _NOT_THE_PAGE.fullmatch(request.url.path):
            if request.method == "GET":
                return await page.serve(request)
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        allowed = [
            method
            for method in _METHODS
            if any(
                route.matches({**request.scope, "method": method})[0] == Match.FULL
                for route in of_api
            )
        ]
        if not allowed:
            raise HTTPException(404)
        if "GET" in allowed:
            allowed.append("HEAD")
        raise HTTPException(405, headers={"Allow": ", ".join(allowed)})

    app.add_route("/{path:path}", serve_page, [*_METHODS], include_in_schema=False)
