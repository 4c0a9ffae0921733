"""The preset of flash metadata that a request names."""

from __future__ import annotations

from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.evaluate.metadata import PRESETS, STATED, MetadataPreset
from tierwright.evaluate.metadata import preset as preset_of
from tierwright_server.common.errors import BadInput


def metadata_preset(name: str | None) -> MetadataPreset | None:
    """Return the preset of that name, none for none.

    Raises
    ------
    BadInput
        If no preset has the name, it takes no size, or what is stated is no size.
    """
    if name is None:
        return None
    if name.partition(":")[0] not in (*PRESETS, STATED):
        raise BadInput.at(
            "body.flash_metadata",
            name,
            f"is not one of {', '.join(PRESETS)}, nor {STATED}:BYTES/UNIT",
            hint="Leave it out to charge no metadata.",
        )
    try:
        return preset_of(name)
    except ModelBadInput as error:
        raise BadInput.at(
            "body.flash_metadata",
            name,
            f"cannot be charged: {error.message}",
            hint=f"{error.hint}. Leave it out to charge no metadata.",
        ) from error
