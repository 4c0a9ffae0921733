"""Options of a sweep: who takes them, and what nobody has."""

import json

import pytest
import recordings

from tierwright import _simulator
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.simulate import replay
from tierwright.simulate.contenders import assign, option_names, parse_option

CUT = recordings.TPCB
TABLES = {
    "policy": replay.contenders("policy"),
    "buffer": replay.contenders("buffer"),
    "scheme": replay.contenders("scheme"),
    "chooser": replay.contenders("chooser"),
    "flash_cache": replay.contenders("flash_cache"),
}
SIZES = {
    "policy": {"pages": 100},
    "buffer": {"pages": 100},
    **{
        kind: {"ram_pages": 100, "flash_pages": 900}
        for kind in ("scheme", "chooser", "flash_cache")
    },
}


def row(name):
    return next(
        one for table in TABLES.values() for one in table if one["name"] == name
    )


def given(*texts):
    return [parse_option(text, "--option") for text in texts]


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, one["name"]) for kind, table in TABLES.items() for one in table],
)
def test_the_core_knows_every_option_that_is_listed_and_no_other(kind, name):
    """A value that no option takes: the core names the value, or says there is no such option."""
    choice = {
        option["name"]: "2q"
        for option in row(name)["options"]
        if option["name"].endswith("_policy")
    }
    listed = option_names(row(name), choice)
    assert listed or not row(name)["options"]
    for option in [*listed, "no_such_option"]:
        asked = {
            kind: name,
            **SIZES[kind],
            "options": {**choice, option: "@"},
        }
        with pytest.raises(_simulator.ParameterError) as refused:
            _simulator.sweep(CUT, [asked], on_progress=lambda *_: False)
        unknown = any(
            says in refused.value.args[0]
            for says in ("no such option", "has no option")
        )
        assert unknown is (option == "no_such_option"), refused.value.args


def test_an_option_goes_to_all_that_have_it_and_a_named_one_to_its_contender():
    rows = [row(name) for name in ("2q", "lru", "lazy", "exclusive", "face")]
    assert assign(
        rows,
        given(
            "k_in=0.5",
            "ram-policy=2Q",
            "ram_k_in=0.3",
            "lazy:flash_policy=arc",
            "exclusive:ram_policy=sieve",
        ),
        "--option",
    ) == [
        {"k_in": "0.5"},
        {},
        {"ram_policy": "2Q", "ram_k_in": "0.3", "flash_policy": "arc"},
        {"ram_policy": "sieve"},  # whose policy has no k_in
        {"ram_policy": "2Q", "ram_k_in": "0.3"},
    ]


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (("k_out=1", "threshold=2"), "no contender has the option `threshold`"),
        (("lru:k_in=1",), "no contender has the option `k_in`"),
        (("arc:k_in=1",), "`arc` is not a contender here"),
        (("k_in=1", "k-in=2"), "`k_in` is given twice"),
        (("k_in=0.5", "2q:k_in=0.3"), "`k_in=0.5` has no effect"),
        (("k_in",), "neither KEY=VALUE nor"),
        ((":k_in=1",), "neither KEY=VALUE nor"),
        (("2q:=1",), "neither KEY=VALUE nor"),
        (("k_in=",), "neither KEY=VALUE nor"),
    ],
)
def test_what_nobody_takes_is_refused(texts, says):
    with pytest.raises(BadInput) as refused:
        assign([row("2q"), row("lru")], given(*texts), "--option")
    assert says in refused.value.message
    assert refused.value.hint


def test_a_sweep_says_who_took_an_option(capsys):
    arguments = ["sweep", str(CUT), "--policy", "lru", "--policy", "2Q"]
    arguments += ["--pages", "100", "--scheme", "lazy", "--ram-pages", "100"]
    arguments += ["--flash-pages", "900", "--option", "k_in=0.5"]
    arguments += ["--option", "lazy:admission=clean-only", "--json"]
    assert main(arguments) == 0
    printed = capsys.readouterr()
    rows = json.loads(printed.out)
    assert [one.get("options") for one in rows] == [
        None,
        {"k_in": "0.5"},
        {"admission": "clean-only"},
    ]
    assert "option k_in=0.5: taken by 2q; not by lru, lazy" in printed.err
    own = _simulator.replay(CUT, "policy", "2q", 100, options={"k_in": "0.5"})
    assert rows[1]["misses"] == own["misses"]
    own = _simulator.replay(
        CUT, "scheme", "lazy", 100, 900, options={"admission": "clean_only"}
    )
    assert rows[2]["flash_writes"] == own["flash_writes"]
    assert main([*arguments[:-3], "--option", "lru:k_in=1"]) == 2
    refused = capsys.readouterr().err
    assert "no contender has the option `k_in`" in refused
    assert "2q has k_in, k_out" in refused
