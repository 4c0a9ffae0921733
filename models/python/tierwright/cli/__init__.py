"""The command line `tierwright`."""

from __future__ import annotations

import sys

EXIT_NO_CORE = 70
"""As sysexits.h: an error of the software itself."""


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code; say plainly where the core does not load."""
    try:
        import tierwright.common.core_errors  # noqa: F401  (loads it)
    except ImportError as error:
        sys.stderr.write(
            f"error: the compiled core cannot be loaded: {error}\nhint: in a checkout "
            "run `make setup`; otherwise reinstall the wheel\n"
        )
        return EXIT_NO_CORE
    from tierwright.cli.app import main as run

    return run(arguments)


__all__ = ["main"]
