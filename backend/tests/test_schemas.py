"""Words of the shared shapes."""

import pytest

from tierwright_server.common.schemas import WarningOut


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("a smaller --page-bytes shows more", "a smaller page size shows more"),
        ("name the format with --format: msr, csv", "name the format: msr, csv"),
        ("use --format msr", "use the format msr"),
        ("cut the trace", "cut the trace"),
        (None, None),
    ],
)
def test_hints_speak_of_the_page_not_of_the_command_line(hint, shown):
    assert WarningOut(name="n", message="m", hint=hint).hint == shown
