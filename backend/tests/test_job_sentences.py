"""What runs say when they end, in numbers of one and of several."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest

from tierwright_server.jobs.execute import give_back
from tierwright_server.storage.tables import Run
from tierwright_server.traces.workloads.jobs import read_text


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ({"requests": 1, "accesses": 1}, "1 request, 1 access"),
        (
            {"requests": 1, "accesses": 2, "skipped_records": 1},
            "1 request, 2 accesses; 1 bad record was skipped",
        ),
        (
            {"requests": 1200, "accesses": 1, "skipped_records": 2},
            "1,200 requests, 1 access; 2 bad records were skipped",
        ),
        (
            {"requests": 0, "accesses": 0, "skipped_records": 0},
            "0 requests, 0 accesses",
        ),
    ],
)
def test_an_import_says_what_it_read(summary, said):
    assert read_text(summary) == said


@pytest.mark.parametrize(
    ("attempts", "said"),
    [
        (1, "failed after 1 attempt; in the last one, its worker died"),
        (3, "failed after 3 attempts; in the last one, its worker died"),
    ],
)
def test_a_run_that_is_given_up_says_after_how_many_attempts(attempts, said):
    run = Run(status="running", attempts=attempts, cancel_requested=False)
    settings = SimpleNamespace(max_attempts=attempts)
    session = SimpleNamespace(execute=AsyncMock())
    asyncio.run(give_back(session, settings, run, "its worker died"))
    assert (run.status, run.error) == ("failed", said)
