"""Prints the rooms of the packages, their floors and arrows, and holds the core's only doors.

``python scripts/check_rooms.py [--arrows] [--root FOLDER]``. Which room may use which is held by
the contracts in ``pyproject.toml`` (``lint-imports``); they cannot see the compiled core, so who
imports it is held here. A room is a folder or module right below a package, an arrow a pair of
rooms of which one imports the other, a floor a step of the longest way down the arrows.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "tierwright": "models/python/tierwright",
    "tierwright_server": "backend/src/tierwright_server",
}
CORE = "tierwright._simulator"
DOORS = (
    "tierwright.trace.",
    "tierwright.profile.",
    "tierwright.simulate.",
    "tierwright.common.core_errors",
)
"""What may import the core: reading, counting, replaying, and its exceptions."""
TESTS = ("models/tests", "backend/tests")


@dataclass(frozen=True)
class Module:
    """A module: its name, how many lines it has, and what it imports."""

    name: str
    lines: int
    imports: frozenset[str]


def modules(package: str, folder: Path) -> Iterator[Module]:
    """Read every module of a package."""
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join((package, *(part for part in parts if part != "__init__")))
        text = path.read_text(encoding="utf-8")
        yield Module(name, text.count("\n"), frozenset(imports(ast.parse(text))))


def imports(tree: ast.Module) -> Iterator[str]:
    """Name what a module imports: of ``from a import b`` both ``a`` and ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(package: str, name: str) -> str | None:
    """Return the room that a module lies in; None outside the package and for its root."""
    head, _, rest = name.partition(".")
    return rest.partition(".")[0] if head == package and rest else None


def arrows_of(package: str, found: list[Module]) -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports the second."""
    rooms = {room_of(package, module.name) for module in found} - {None}
    pairs = {
        (room_of(package, module.name), room_of(package, target))
        for module in found
        for target in module.imports
    }
    return {
        (one, other)
        for one, other in pairs
        if one and other and one != other and other in rooms
    }


def below(room: str, arrows: set[tuple[str, str]]) -> set[str]:
    """Return every room that can be reached from one."""
    seen: set[str] = set()
    left = [room]
    while left:
        at = left.pop()
        fresh = {to for start, to in arrows if start == at} - seen
        seen |= fresh
        left += fresh
    return seen


def floors_of(rooms: set[str], arrows: set[tuple[str, str]]) -> dict[str, int]:
    """Return the floor of each room, 1 for those that import no other; a circle has one floor."""
    reach = {room: below(room, arrows) for room in rooms}
    floors: dict[str, int] = {}
    # Whoever reaches another room in one direction only reaches more rooms than that one.
    for room in sorted(rooms, key=lambda each: len(reach[each] - {each})):
        lower = (floors[to] for to in reach[room] if room not in reach[to])
        floors[room] = 1 + max(lower, default=0)
    return floors


def strangers(found: list[Module]) -> Iterator[str]:
    """Name the modules that import the core and may not."""
    for module in found:
        if CORE in module.imports and not module.name.startswith(DOORS):
            yield module.name


def ambiguous(root: Path) -> Iterator[tuple[str, str]]:
    """Name the tests that import a module of which each folder of tests has one, and that module."""
    own = [{path.stem for path in (root / each).glob("*.py")} for each in TESTS]
    twice = set.intersection(*own) - {"conftest"}
    for folder in TESTS:
        for path in sorted((root / folder).rglob("*.py")):
            found = set(imports(ast.parse(path.read_text(encoding="utf-8"))))
            for name in sorted(found & twice):
                yield str(path.relative_to(root)), name


def main() -> int:
    """Print the rooms; return 1 if somebody reaches around the doors to the core, or a test gets another's module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arrows", action="store_true", help="name every arrow")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    args = parser.parse_args()
    wrong: list[str] = []
    for package, folder in PACKAGES.items():
        found = list(modules(package, args.root / folder))
        named = {module: room_of(package, module.name) for module in found}
        rooms = {room for room in named.values() if room}
        arrows = arrows_of(package, found)
        floors = floors_of(rooms, arrows)
        lines = sum(module.lines for module in found)
        print(
            f"{package}: {len(rooms)} rooms on {max(floors.values())} floors, "
            f"{len(arrows)} arrows, {len(found)} modules, {lines:,} lines"
        )
        for room in sorted(rooms, key=lambda each: (-floors[each], each)):
            size = sum(each.lines for each, at in named.items() if at == room)
            print(f"  {floors[room]:>2}  {room:<18} {size:>6,} lines", end="")
            uses = sorted(to for at, to in arrows if at == room)
            print(f"  uses {', '.join(uses)}" if args.arrows and uses else "")
        wrong += strangers(found)
    for name in wrong:
        print(f"error: `{name}` imports the core")
    if wrong:
        print(f"hint: only {', '.join(DOORS)} may; ask them")
    doubles = list(ambiguous(args.root))
    for test, name in doubles:
        print(f"error: {test} imports `{name}`, of which there are two")
    if doubles:
        print("hint: move what is shared into a module with a name of its own")
    return 1 if wrong or doubles else 0


if __name__ == "__main__":
    sys.exit(main())
