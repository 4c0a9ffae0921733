"""The error of everything that starts, supervises or locks."""

from tierwright.common.errors import TierwrightError


class RuntimeFailure(TierwrightError):
    """The application cannot start or go on; carries the next step as its hint."""
