"""Refuses the words to avoid of ``docs/words.md`` in what users can read.

``python scripts/check_words.py [--root FOLDER]``. The list is the last table of that page: what
to avoid (phrases between commas, or a regular expression between slashes) and what to write
instead. Read are strings of Python, of the page and of the core, and documents in Markdown.
Comments, names and tests are not: nobody outside reads them.

A number that is put directly before a plural (``{count} records``) is refused too: it would read
*1 records*. Each language has a helper that knows the singular, ``counted``.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
"""Where Node is, too."""
LIST = "docs/words.md"
PYTHON = ("models/python/tierwright", "backend/src/tierwright_server")
CORE = ("models/crates/simulator/src", "models/crates/simulator-py/src")
DOCUMENTS = ("docs", "README.md", "CONTRIBUTING.md")
NOT_READ = (LIST, "docs/changes.md")
"""The list itself, and the history, which quotes."""

ALLOWED: dict[tuple[str, str], str] = {}
"""A file and a string in it that may stay as it is, and why."""

SHOWN_BY_TYPER = frozenset({"command", "callback"})
SHOWN_BY_FASTAPI = frozenset({"get", "post", "put", "patch", "delete", "head"})
SHAPE = re.compile(
    r"BaseModel|Base|Answer|Body|Reading|StrEnum|\w+(In|Out|Options|Question)"
)
"""What the shapes of the API are derived from."""
PATTERN = re.compile(
    r"\s*(?:/(?P<pattern>(?:[^/\\]|\\.)+)/|(?P<phrase>[^,]+))\s*(?:,|$)"
)
COUNT_NOUNS = (
    r"accesses|appends|assumptions|attempts|bays|blocks|caches|calls|cells|channels|"
    r"characters|clients|clusters|columns|configurations|contenders|copies|counters|"
    r"days|decimals|devices|directories|disks|drives|entries|epochs|events|evictions|"
    r"fields|figures|files|flushes|formats|frames|groups|hours|keys|lengths|lines|"
    r"members|minutes|misses|modules|months|notes|numbers|objects|offsets|options|"
    r"others|pages|parts|phases|places|problems|ratios|reads|recordings|records|"
    r"relations|replays|requests|rows|runs|samples|scenarios|schemes|sizes|slots|"
    r"splits|steps|switches|tables|terms|threads|transactions|values|victims|volumes|"
    r"waits|ways|windows|write-backs|writes|years"
)
"""What is counted in sentences. Units, as in *5 pages/s* and *5 accesses per second*, are not."""
BEFORE_NOUNS = (
    r"RAM|allocated|bad|blank|break-even|clean|consecutive|dead|different|dirty|disk|"
    r"distinct|estimated|first|flash|further|hit|inclusive|key|listed|live|local|log|"
    r"memory|more|new|newly|next|other|page|page-flow|processor|replayed|request|"
    r"shown|static|supported|trim|valid|whole|workload"
)
"""Words between a number and what it counts."""
COUNTED = re.compile(
    r"(?<!\} to )(?<!\d to )\{(?!name|title|letter|family|tier)[a-z0-9_]*(?::,?d?)?\} "
    rf"(?:(?:{BEFORE_NOUNS}) )*"
    rf"(?:{COUNT_NOUNS})\b(?! (?:per|least|most|`)|/|-)"
)
"""A number and a plural; the second number of a range, as in *1 to 5 pages*, is at least two.

Excluded are placeholders whose names say that they are words.
"""
PLAIN = "{.}"
"""What stands for a placeholder that is no count: a constant of the code, or a decimal."""
ROUNDED = frozenset({"three_digits", "percent", "format_number", "shown", "counted"})
"""Python functions whose text is no whole number."""
WORDS = frozenset({"name", "title", "word"})
"""What a Python value is called that is a word, whatever it is an attribute of."""
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
ERROR_OF_TEXT = re.compile(r"Err\(format!\(\s*$")
"""What the core finds wrong with its own counters: the text reports a bug, with its figures."""
IDENTIFIER = re.compile(r"[a-z0-9_./:{}%-]*")


@dataclass(frozen=True)
class Rule:
    """Words to avoid, and what to write instead."""

    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True)
class Text:
    """What users can read at a line of a file."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Hit:
    """A refused word, or a number before a plural."""

    text: Text
    word: str
    instead: str

    def __str__(self) -> str:
        """Say where it is and what to write."""
        return f"{self.text.path}:{self.text.line}: `{self.word}`: write {self.instead}"


COUNT_RULE = Rule(
    COUNTED, "the number with its noun by `counted`, which knows the singular"
)


def rules(page: str) -> list[Rule]:
    """Read the last table of the page."""
    tables = re.findall(r"(?:^\|.*\|\n?)+", page, re.MULTILINE)
    if not tables:
        raise ValueError(f"{LIST} has no table of words to avoid")
    found = []
    for row in tables[-1].splitlines()[2:]:
        cells = re.split(r"(?<!\\)\|", row.strip().strip("|"))
        avoid, instead = (cell.strip().replace(r"\|", "|") for cell in cells)
        found += [Rule(_pattern(each), instead) for each in PATTERN.finditer(avoid)]
    return found


def _pattern(found: re.Match[str]) -> re.Pattern[str]:
    if found["pattern"]:
        return re.compile(found["pattern"], re.IGNORECASE)
    words = r"\s+".join(map(re.escape, found["phrase"].split()))
    return re.compile(rf"(?<![\w-]){words}(?![\w-])", re.IGNORECASE)


def python_strings(source: str) -> Iterator[tuple[int, str]]:
    """Return the strings of a module that are not comments in a string's form."""
    unseen: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        unseen.update(map(id, _comments(node)))
        if isinstance(node, ast.JoinedStr):
            unseen.update(map(id, node.values))
            yield node.lineno, "".join(map(_part_of_text, node.values))
        elif id(node) in unseen:
            continue
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _part_of_text(part: ast.expr) -> str:
    """Return the text, or a mark for what is put there: whether it may be a count."""
    if not isinstance(part, ast.FormattedValue):
        return str(part.value) if isinstance(part, ast.Constant) else "{}"
    value = part.value.func if isinstance(part.value, ast.Call) else part.value
    name = getattr(value, "attr", None) or getattr(value, "id", "")
    spec = ast.unparse(part.format_spec)[2:-1] if part.format_spec else ""
    is_word = name in WORDS or isinstance(value, ast.IfExp)
    decimal = spec.endswith(("g", "e", "f", "%")) and not spec.endswith(".0f")
    rounded = name in ROUNDED and value is not part.value
    return PLAIN if is_word or decimal or rounded or CONSTANT.fullmatch(name) else "{}"


def _comments(node: ast.AST) -> Iterator[ast.AST]:
    """Return the bare strings in a body, docstrings among them, that nobody outside sees."""
    body = getattr(node, "body", None)
    for at, child in enumerate(body if isinstance(body, list) else []):
        bare = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if bare and not (at == 0 and _shows_its_docstring(node)):
            yield child.value


def _shows_its_docstring(node: ast.AST) -> bool:
    """Tell whether Typer or FastAPI shows it: a command, an endpoint, a shape of the API."""
    if isinstance(node, ast.ClassDef):
        names = {base.id for base in node.bases if isinstance(base, ast.Name)}
        return any(SHAPE.fullmatch(name) for name in names)
    calls = (
        each.func if isinstance(each, ast.Call) else each
        for each in getattr(node, "decorator_list", [])
    )
    shown = SHOWN_BY_TYPER | SHOWN_BY_FASTAPI
    return any(isinstance(call, ast.Attribute) and call.attr in shown for call in calls)


RUST = re.compile(
    r"""(?P<comment>//[^\n]*)|(?P<block>/\*)|(?P<raw>b?r(?P<fence>\#*)"(?P<inside>.*?)"(?P=fence))
    |b?"(?P<plain>(?:[^"\\]|\\.)*)"|(?P<char>b?'(?:[^'\\\n]|\\[^\n]{1,10}?)')
    |(?P<test>\#\[cfg\(test\)\])|(?P<open>\{)|(?P<close>\})|(?P<end>;)""",
    re.VERBOSE | re.DOTALL,
)
"""What decides where a string begins and ends."""


def rust_strings(source: str) -> Iterator[tuple[int, str]]:
    """Return the strings of a module outside its tests."""
    depth = 0
    test_depth: int | None = None
    """How deep the braces were where the tests began."""
    for found in _rust_marks(source):
        text = found["plain"] if found["plain"] is not None else found["inside"]
        if found["open"]:
            depth += 1
        elif found["close"] or found["end"]:
            depth -= bool(found["close"])
            test_depth = None if depth == test_depth else test_depth
        elif found["test"]:
            test_depth = depth if test_depth is None else test_depth
        elif text and test_depth is None:
            line = source.count("\n", 0, found.start()) + 1
            shown = re.sub(r"\\\n\s*", "", text)
            if ERROR_OF_TEXT.search(source, max(0, found.start() - 80), found.start()):
                shown = re.sub(r"\{\w*\}", PLAIN, shown)
            yield line, shown


def _rust_marks(source: str) -> Iterator[re.Match[str]]:
    at = 0
    while found := RUST.search(source, at):
        at = found.end()
        if found["block"]:
            at = _end_of_comment(source, at)
        else:
            yield found


def _end_of_comment(source: str, at: int) -> int:
    depth = 1
    for mark in re.finditer(r"/\*|\*/", source[at:]):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return at + mark.end()
    return len(source)


def markdown_lines(source: str) -> Iterator[tuple[int, str]]:
    """Return the lines of a document, joined by paragraph, without code and comments."""
    start, fence = 1, ""
    paragraph: list[str] = []
    source = re.sub(
        r"<!--.*?-->", lambda each: "\n" * each[0].count("\n"), source, flags=re.S
    )
    for number, line in enumerate([*source.splitlines(), ""], 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence or mark or not line.strip() or line.lstrip().startswith("|"):
            if paragraph:
                yield start, " ".join(paragraph)
            paragraph = []
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            continue
        elif line.lstrip().startswith("|"):
            yield number, _without_code(line)
        elif line.strip():
            start = start if paragraph else number
            paragraph.append(_without_code(line.strip()))


def _without_code(line: str) -> str:
    return re.sub(r"(`+).*?\1", "``", line)


def page_strings(root: Path) -> Iterator[Text]:
    """Return the strings of the page, read by TypeScript's own parser."""
    script = ROOT / "scripts" / "page_strings.mjs"
    done = subprocess.run(
        ["node", str(script), str(root / "frontend")],
        env=os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the page could not be read: {done.stderr.strip()}")
    for line in done.stdout.splitlines():
        path, number, text = json.loads(line)
        yield Text(f"frontend/{path}", number, text)


def _files(root: Path, names: tuple[str, ...], ending: str) -> Iterator[Path]:
    for name in names:
        path = root / name
        found = sorted(path.rglob(f"*{ending}")) if path.is_dir() else [path]
        yield from (each for each in found if each.stem != "tests")


def texts(root: Path) -> Iterator[Text]:
    """Return everything that users can read."""
    readers = (
        (PYTHON, ".py", python_strings),
        (CORE, ".rs", rust_strings),
        (DOCUMENTS, ".md", markdown_lines),
    )
    for names, ending, reader in readers:
        for file in _files(root, names, ending):
            path = file.relative_to(root).as_posix()
            if path in NOT_READ or not file.is_file():
                continue
            for line, text in reader(file.read_text(encoding="utf-8")):
                yield Text(path, line, text)
    if (root / "frontend" / "src").is_dir():
        yield from page_strings(root)


def hits(found: list[Rule], read: Iterator[Text]) -> Iterator[Hit]:
    """Return the refused words."""
    for text in read:
        if IDENTIFIER.fullmatch(text.text) or (text.path, text.text) in ALLOWED:
            continue
        for rule in [*found, COUNT_RULE]:
            for word in rule.pattern.finditer(text.text):
                yield Hit(text, word[0], rule.instead)


def main() -> int:
    """Print the refused words; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    root: Path = parser.parse_args().root.resolve()
    refused = rules((root / LIST).read_text(encoding="utf-8"))
    wrong = list(hits(refused, texts(root)))
    for hit in wrong:
        print(hit)
    if wrong:
        print(f"error: {len(wrong)} {'word' if len(wrong) == 1 else 'words'} to avoid")
        print("hint: write what stands beside each of them, or rewrite the sentence")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
