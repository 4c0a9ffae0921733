"""Joins the commands, and turns errors into messages and exit codes.

Exit codes: 0 success, 1 a check failed, 2 bad input, 70 a bug in Tierwright, 130
interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Annotated, cast

import typer

from tierwright.cli import (
    access_cost,
    advise,
    bill,
    break_even,
    cachesack,
    catalog,
    compose,
    configurations,
    cost,
    course,
    curve,
    describe,
    device,
    device_measure,
    export,
    flash_device,
    fragments,
    imports,
    inventory,
    model,
    place,
    planning,
    pool_split,
    prices,
    quotes,
    report,
    response,
    scale,
    sweep,
    trace,
    transactions,
    wear,
)
from tierwright.cli.money import shows_money
from tierwright.common.errors import Defect, TierwrightError, defect_of
from tierwright.common.parameters import Door, spelled

COMMANDS_GROUP = "tierwright.commands"
"""Entry points through which other packages add commands, such as `serve`."""

_PATH_HINT = "check the path, its permissions and the space left"

EXIT_BAD_INPUT = 2
EXIT_DEFECT = 70
"""As sysexits.h: an error of the software itself."""
EXIT_INTERRUPTED = 130

# typer carries its own copy of click and exports only this leaf of its errors.
_UsageError, _ClickError = cast(
    "tuple[type[Exception], ...]", typer.BadParameter.__mro__[1:3]
)


def _typer() -> typer.Typer:
    return typer.Typer(
        name="tierwright",
        help="Cost-model advisor for memory hierarchies: how much RAM and flash, which scheme.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )


app = _typer()
trace.app.command("generate")(describe.generate)
app.command("formats")(trace.formats)
app.add_typer(trace.app, name="trace")
app.command("profile")(model.profile)
app.command("describe")(describe.describe)
app.command("compose")(compose.compose)
app.command("scale")(scale.scale)
app.command("simulate")(model.simulate)
app.command("sweep")(sweep.sweep)
app.command("evaluate")(shows_money(model.evaluate))
app.command("pool-split")(pool_split.pool_split)
app.command("break-even")(shows_money(break_even.break_even))
app.command("pool-gain")(pool_split.pool_gain)
app.command("pool-advisor")(pool_split.pool_advisor)
app.command("scheme-map")(shows_money(planning.scheme_map))
app.command("throughput")(planning.throughput)
app.command("response")(response.response)
app.command("course")(course.course)
app.command("directories")(planning.directories)
app.command("choose-flash")(shows_money(planning.choose_flash))
app.command("cachesack")(shows_money(cachesack.cachesack))
app.command("transactions")(transactions.transactions)
app.command("transaction-order")(transactions.transaction_order)
app.command("transaction-writes")(transactions.transaction_writes)
app.command("wear")(shows_money(wear.wear))
app.command("flash-device")(flash_device.flash_device)
app.command("restart")(cost.restart)
app.command("metadata")(cost.metadata)
app.command("sce")(fragments.sce)
app.command("tier-cost")(shows_money(cost.tier_cost))
app.command("bill")(shows_money(bill.bill))
app.command("advise")(shows_money(advise.advise))
app.command("place")(shows_money(place.place))
app.command("report")(report.report)
app.command("configurations")(shows_money(configurations.configurations))
app.command("conformance")(model.conformance)
app.command("formula")(model.formula)
app.add_typer(curve.app, name="curve")
device.app.command("measure")(device_measure.measure)
device.app.command("access-cost")(shows_money(access_cost.access_cost))
app.add_typer(device.app, name="device")
app.add_typer(catalog.app, name="catalog")
app.add_typer(imports.app, name="import")
app.add_typer(quotes.app, name="quotes")
app.add_typer(prices.app, name="prices")
app.command("inventory")(inventory.inventory)
app.add_typer(export.app, name="export")

BUILT_IN = (
    "formats",
    "trace",
    "profile",
    "describe",
    "compose",
    "scale",
    "simulate",
    "sweep",
    "evaluate",
    "pool-split",
    "break-even",
    "pool-gain",
    "pool-advisor",
    "scheme-map",
    "throughput",
    "response",
    "course",
    "directories",
    "choose-flash",
    "cachesack",
    "transactions",
    "transaction-order",
    "transaction-writes",
    "wear",
    "flash-device",
    "restart",
    "metadata",
    "sce",
    "tier-cost",
    "bill",
    "advise",
    "place",
    "report",
    "configurations",
    "conformance",
    "formula",
    "curve",
    "device",
    "catalog",
    "import",
    "quotes",
    "prices",
    "export",
    "inventory",
)


def _show_version(value: bool) -> None:  # noqa: FBT001  # typer passes it by position
    if value:
        from importlib.metadata import version

        typer.echo(f"tierwright {version('tierwright')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Hold the options of the program itself."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : list of str, optional
        Without the program's name; those of the process by default.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = _asked(given)(given, prog_name="tierwright", standalone_mode=False)
    except TierwrightError as error:
        return _fail(error.message, error.hint)
    except _ClickError as error:
        return _fail_usage(error, given)
    except typer.Abort:
        return _interrupted()
    except BrokenPipeError:
        # The reader went away, as `head` does: nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        return _fail_core(error)
    return code if isinstance(code, int) else 0


def _asked(given: list[str]) -> Callable[..., object]:
    """Return what runs these words: the one command that is asked for, or all of them."""
    if given and given[0] in BUILT_IN:
        return _alone(given[0])
    _add_commands_of_other_packages()  # serve, --help, a mistyped name
    return typer.main.get_command(app)


@cache
def _alone(name: str) -> Callable[..., object]:
    """Build one command without the others: all of them take longer than most of them run."""
    only = _typer()
    only.registered_callback = app.registered_callback
    only.registered_commands = [
        each for each in app.registered_commands if each.name == name
    ]
    only.registered_groups = [
        each for each in app.registered_groups if each.name == name
    ]
    return typer.main.get_command(only)


def _add_commands_of_other_packages() -> None:
    from importlib.metadata import entry_points

    known = {command.name for command in app.registered_commands}
    for entry in entry_points(group=COMMANDS_GROUP):
        if entry.name not in known:
            app.command(entry.name)(entry.load())


def _fail_core(error: Exception) -> int:
    """Report an error of the Rust core; anything else is a defect and keeps its trace."""
    from tierwright.common.core_errors import Cancelled, SimulatorError

    if isinstance(error, Cancelled):
        return _interrupted()
    if isinstance(error, SimulatorError):
        message, hint = error.args
        return _fail(str(message), str(hint) or _PATH_HINT)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return _fail(f"{place}{error.strerror or error}", _PATH_HINT)
    return _fail_defect(error)


def _fail_defect(error: Exception) -> int:
    """Report what nobody foresaw, with its trace."""
    import traceback

    if isinstance(error, Defect):
        trace = error.trace
    else:
        trace = "".join(traceback.format_exception(error))
    typer.echo(trace.rstrip(), err=True)
    _fail(*defect_of(error))
    return EXIT_DEFECT


def _fail_usage(error: Exception, given: list[str]) -> int:
    format_message = getattr(error, "format_message", None)
    message = str(format_message() if callable(format_message) else error).rstrip(".")
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(message)
        return EXIT_BAD_INPUT
    value = _value_given(getattr(error, "param", None), given)
    if isinstance(error, typer.BadParameter) and value is not None:
        message += f", got `{value}`"
    context = getattr(error, "ctx", None)
    command = "tierwright" if context is None else context.command_path
    return _fail(message, f"run `{command} --help` to see what it accepts")


def _value_given(parameter: object, given: list[str]) -> str | None:
    """Return what the user wrote for an option, which its error does not repeat."""
    for name in getattr(parameter, "opts", ()):
        for at, text in enumerate(given):
            if text == name and at + 1 < len(given):
                return given[at + 1]
            if text.startswith(f"{name}="):
                return text.partition("=")[2]
    return None


def _fail(message: str, hint: str) -> int:
    typer.echo(f"error: {spelled(message, Door.COMMAND)}", err=True)
    if hint:
        typer.echo(f"hint: {spelled(hint, Door.COMMAND)}", err=True)
    return EXIT_BAD_INPUT


def _interrupted() -> int:
    typer.echo("interrupted", err=True)
    return EXIT_INTERRUPTED
