"""Every check by replay: adding one is its file and a line here."""

from tierwright_server.questions.replay_checks import (
    compare,
    directories,
    flash_choice,
    fragment_cache,
    recovery,
    response,
    scheme_map,
    throughput,
    wear,
    what_to_cache,
)
from tierwright_server.questions.replay_checks.check import Check

CHECKS: tuple[Check, ...] = (
    compare.CHECK,
    scheme_map.CHECK,
    throughput.CHECK,
    response.CHECK,
    wear.CHECK,
    flash_choice.CHECK,
    directories.CHECK,
    recovery.CHECK,
    fragment_cache.CHECK,
    what_to_cache.CHECK,
)
