"""The list of what can be simulated: whatever it offers, the core takes."""

import pytest
from live_app import EXAMPLE_TRACE

from tierwright import _simulator
from tierwright._simulator import ParameterError
from tierwright_server.common.errors import BadInput
from tierwright_server.replays.simulator import registry
from tierwright_server.replays.simulator.schemas import Family

TABLES = {
    "policies": "policy",
    "buffers": "buffer",
    "schemes": "scheme",
    "flash_caches": "flash_cache",
    "choosers": "chooser",
}
ITEMS = [item for family in Family for item in registry.items(family).values()]


CONDITIONAL = {
    ("face", "mode"),
}
"""Options of which some choices need other options beside them."""
DRAWN = {"ftl_spare_percent": "28", "ftl_block_pages": "16"}
COMPANIONS = {
    "group_distance": {"group_pages": "10"},
    "block_technique": {"block_pages": "2"},
    "ftl_gc": {"ftl_spare_percent": "28", "ftl_block_pages": "16"},
    "ftl_choices": {**DRAWN, "ftl_gc": "choices"},
    "ftl_seed": {**DRAWN, "ftl_gc": "random"},
    "ftl_block_pages": {"ftl_spare_percent": "28"},
    "ftl_buffer_pages": {"ftl_spare_percent": "28", "ftl_block_pages": "16"},
    "ftl_mapping": {"ftl_spare_percent": "28", "ftl_block_pages": "16"},
    "ftl_trim": {"ftl_spare_percent": "28", "ftl_block_pages": "16"},
    "streams": {"ftl_spare_percent": "28", "ftl_block_pages": "16"},
    "checkpoint_to": {"checkpoint_accesses": "10"},
    "categories": {"admission": "cachesack"},
    "lifetime_requests": {"admission": "cachesack"},
}
"""Options that mean something only beside another one."""
WITH_SMALL = {"small": "0", "small_percent": "10"}
CHOICE_COMPANIONS = {
    ("cachelib", "admission", "dynamic_random"): {"target_pages_per_s": "10"},
    ("cachelib", "small_by", "size"): WITH_SMALL,
    ("cachelib", "small_by", "relation"): WITH_SMALL,
    ("cachelib", "streams", "1"): WITH_SMALL,
    ("cachelib", "streams", "2"): WITH_SMALL,
}
"""Choices that mean something only beside another option."""


def replay(item, options):
    """Let the core check a configuration, without replaying it."""
    required = {option.name: "10" for option in item.options if option.default == ""}
    registry.check(
        EXAMPLE_TRACE,
        [
            (
                "here",
                {
                    "family": item.family,
                    "name": item.name,
                    "options": {**required, **options},
                    "ram_pages": 100,
                    "flash_pages": None if item.tiers == 1 else 1000,
                },
            )
        ],
    )


def refusal(item, options):
    """Return the error of a configuration, None where the core takes it."""
    try:
        replay(item, options)
    except BadInput as error:
        return error
    return None


def test_the_list_holds_every_table_in_order(application):
    found = application.get("/simulator")
    for name, family in TABLES.items():
        assert [item["name"] for item in found[name]] == [
            r["name"] for r in _simulator.contenders(family)
        ]
        for item, row in zip(found[name], _simulator.contenders(family), strict=True):
            assert [option["name"] for option in item["options"]] == [
                option["name"] for option in row["options"]
            ]
            assert [option["name"] for option in item["device_options"]] == [
                option["name"] for option in row.get("device_options", ())
            ]
            assert bool(item["device_options"]) == (item["tiers"] == 1)
            assert item["title"]
            assert item["description"]
            assert set(item["needs"]) <= set(found["needs"])


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.family}-{item.name}")
def test_the_core_takes_every_choice_offered_and_refuses_others(item):
    replay(item, {})
    for option in [*item.options, *item.device_options]:
        for choice in option.choices or ():
            companions = {
                **COMPANIONS.get(option.name, {}),
                **CHOICE_COMPANIONS.get((item.name, option.name, choice), {}),
            }
            refused = refusal(item, {**companions, option.name: choice})
            if refused is not None:
                # Goes only with certain other options: the core says which.
                assert (item.name, option.name) in CONDITIONAL, refused
                assert choice != option.default
                assert refused.hint
        with pytest.raises(Exception, match=option.name):
            replay(item, {option.name: "no-such-value"})


def test_every_policy_of_a_tier_or_pool_can_be_chosen_from_the_list():
    """However the core's tables word it."""
    names = [row["name"] for row in _simulator.contenders("policy")]
    for item in ITEMS:
        for option in item.options:
            if "replacement policy" in option.values:
                assert option.choices == names, (item.name, option.name)
                assert option.policy_of_tier


@pytest.mark.parametrize(
    ("values", "choices"),
    [
        ("lru, fifo or clock", ["lru", "fifo", "clock"]),
        ("true or false", ["true", "false"]),
        ("one of global, relation", ["global", "relation"]),
        ("printed or conservative, with group_pages", ["printed", "conservative"]),
        ("whole number from 1 to 255", None),
        ("a number above 0, with comp", None),
        ("0 to the number of accesses of the trace", None),
    ],
)
def test_choices_are_told_from_ranges(values, choices):
    assert registry.choices_in(values) == choices


def test_the_core_checks_before_it_calls_progress():
    """`registry.check` rests on this: a cancel at the first call comes after all checks."""
    for name, pages, options in (
        ("no-such", 10, {}),
        ("2q", 10, {"k_in": "7"}),
        ("lru", 0, {}),
    ):
        called = []
        with pytest.raises(ParameterError):
            _simulator.replay(
                EXAMPLE_TRACE,
                "policy",
                name,
                pages,
                options=options,
                on_progress=lambda *_, called=called: called.append(1) or False,
            )
        assert called == []
