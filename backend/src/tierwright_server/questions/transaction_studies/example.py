"""The worked example of studies of transactions: a recording that is shipped."""

from pathlib import Path

from tierwright.hardware.catalog import fixtures_folder


def example_path() -> Path:
    """Return the file of its events."""
    return fixtures_folder() / "events" / "pgbench.txt.zst"
