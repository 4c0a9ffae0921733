"""Results that an older version of the models computed."""

from tierwright_server.common.schemas import WarningOut
from tierwright_server.common.version import VERSION


def about_version(computed_by: str) -> list[WarningOut]:
    """Warn of a kept result whose version of the models is not the present one."""
    if computed_by == VERSION:
        return []
    return [
        WarningOut(
            name="older_model_version",
            message=f"computed by version {computed_by} of the models; the current "
            f"version is {VERSION}",
            hint="Request it again to have it recomputed.",
        )
    ]
