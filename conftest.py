"""Of all Python tests: how much Hypothesis tries, what a test costs, and signals as they are sent.

Profiles of Hypothesis, by `HYPOTHESIS_PROFILE`: `full` (unless another is named), `usual`, for
`make test`, and `quick`, for `make quick`; a property of which one example takes long names fewer by
`@pytest.mark.costly(examples)`. What they leave out is tried by `make test-long`, which runs all properties in full. Marks are set by what a test asks for, so that nobody has to remember them: `process`
where it starts programs, `db` where it needs PostgreSQL, `slow` where its last recorded time is long
(`scripts/test-times.txt`).
"""

from __future__ import annotations

import gc
import json
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

MOST_EXAMPLES = {"usual": 25, "quick": 10}
"""Of a property, by profile; `full` tries as many as each asks for."""
DATABASES = frozenset({"postgres_url", "make_database", "make_settings", "application"})
"""Fixtures behind which there is a PostgreSQL."""
STARTERS = frozenset({"subprocess", "multiprocessing", "run_application", "Popen"})
"""Names in a module of tests by which programs are started."""

TIMES = Path(__file__).parent / "scripts" / "test-times.txt"
"""Tests that took longer than `make quick` can wait for: seconds, how many, name."""

# No deadline: the machine may be busy.
settings.register_profile("full", deadline=None)
for _name, _most in MOST_EXAMPLES.items():
    settings.register_profile(_name, deadline=None, max_examples=_most)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


def pytest_configure() -> None:
    """Take Ctrl-C and a closed terminal as they are sent: shells and nohup may ignore them.

    Processes that a test starts inherit that, and would never hear the signal it sends them.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        # We go on without the terminal, as was asked; a handler of ours is not inherited.
        signal.signal(signal.SIGHUP, lambda *_: None)


def recorded() -> frozenset[str]:
    """Return the tests that were slow."""
    lines = TIMES.read_text(encoding="utf-8").splitlines() if TIMES.exists() else []
    return frozenset(
        line.split(maxsplit=2)[2] for line in lines if not line.startswith("#")
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts programs, what needs PostgreSQL, and what was slow when it was timed."""
    known = recorded()
    for item in items:
        needs = DATABASES.intersection(getattr(item, "fixturenames", ()))
        if needs:
            item.add_marker("db")
        starts = STARTERS.intersection(vars(getattr(item, "module", None) or item))
        if needs or starts:
            item.add_marker("process")
        if item.nodeid.partition("[")[0] in known:
            item.add_marker("slow")
        most = MOST_EXAMPLES.get(settings.get_current_profile_name())
        costly = item.get_closest_marker("costly")
        if most is not None:
            _cap_examples(item, min(most, costly.args[0]) if costly else most)


def pytest_collection_finish() -> None:
    """Let the collector pass over what now stays to the end: thousands of tests, and all modules."""
    gc.freeze()


_seconds: dict[str, float] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what each test takes, its fixtures included."""
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the times down for `python scripts/record_times.py`, in the process that has all of them."""
    wanted = os.environ.get("TIERWRIGHT_TEST_TIMES")
    if wanted and not hasattr(session.config, "workerinput"):
        Path(wanted).write_text(json.dumps(_seconds, indent=0), encoding="utf-8")


def _cap_examples(item: pytest.Item, most: int) -> None:
    """Let the profile bound those tests too that name a number of examples."""
    name = "_hypothesis_internal_use_settings"
    test = getattr(item, "obj", None)
    test = getattr(test, "__func__", test)
    own = getattr(test, name, None)
    if own is not None and own.max_examples > most:
        setattr(test, name, settings(own, max_examples=most))
