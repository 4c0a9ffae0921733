"""Warm-ups of replays as they are asked for, in accesses of a workload."""

from tierwright.common import errors
from tierwright.simulate import warm_up
from tierwright.simulate.warm_up import AskedWarmUp, WarmUp
from tierwright_server.common.errors import BadInput


def warm_up_of(asked: WarmUp, accesses: int) -> AskedWarmUp:
    """Return the accesses of a warm-up of a trace of so many, or `full`, which each replay counts for itself.

    Raises
    ------
    BadInput
        It leaves no access of the trace to count, or is less than one.
    """
    try:
        return warm_up.accesses_of(asked, accesses)
    except errors.BadInput as error:
        raise BadInput.at(
            "body.warm_up", asked, error.message, hint=error.hint
        ) from error
