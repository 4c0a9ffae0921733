"""The command line `tierwright`."""

from __future__ import annotations

import sys

EXIT_NO_CORE = 70
"""As sysexits.h: an error of the software itself."""


def main() -> None:
    """Run the command line; say it plainly where the compiled core cannot be loaded."""
    try:
        import tierwright.common.core_errors  # noqa: F401  (loads it)
    except ImportError as error:
        sys.stderr.write(
            f"error: the compiled core does not load: {error}\n"
            "hint: in a checkout run `make setup`; else install the wheel again\n"
        )
        raise SystemExit(EXIT_NO_CORE) from None
    from tierwright.cli.app import main as run

    run()


__all__ = ["main"]
