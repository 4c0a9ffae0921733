"""Words that a reader sees: plain English, whatever module they stand in."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tierwright.advise import since
from tierwright.common.wording import counted

ROOT = Path(__file__).parents[2]
PAGE = "frontend/src"

PATHS = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) /|(?<!href={`)/api/v1\b")


COMMENT = re.compile(
    r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL
)  # not the // of an address


def said_on_the_page(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a module without its comments, from which no identifier was removed."""
    text = COMMENT.sub(
        lambda found: "\n" * found[0].count("\n"), path.read_text(encoding="utf-8")
    )
    yield from enumerate(text.split("\n"), start=1)


def page_modules() -> list[Path]:
    return sorted(
        path
        for path in (ROOT / PAGE).rglob("*.ts*")
        if ".test." not in path.name and "gen" not in path.parts
    )


WORDS = """# Words

| term | use |
|---|---|
| wanted | not a word to avoid |

| avoid | write |
|---|---|
| mend, gone on with | repair |
| /tell(s\\|ing)? figures/ | *show* figures |
"""
REFUSED = {
    "models/python/tierwright/a.py": """raise ValueError(
    f"{path} is damaged: "
    "Mend the file"
)""",
    "models/python/tierwright/b.py": """@app.command()
def show():
    'Mend a file.'""",
    "backend/src/tierwright_server/schemas.py": """class Shape(Base):
    'It is gone  on with.'""",
    "models/crates/simulator/src/a.rs": """fn a() { say("gone on \\
    with"); }""",
    "models/crates/simulator-py/src/b.rs": """fn a<'a>(b: &'a str) -> char { say(r#"a "mend""#); '"' }""",
    "docs/a.md": "A text that is gone\non with.",
    "README.md": "| a | telling figures |",
    "frontend/e2e/a.spec.ts": "test('a', () => seen('Mend it'));",
    "frontend/src/a.tsx": "export const A = () => <p>Don't mend it</p>;",
    "frontend/src/b.ts": "export const b = (c: string) => `Mend ${c} first`;",
}
ACCEPTED = {
    "models/python/tierwright/a.py": """def mend():
    'Mend a file.'
    # Mend a file.
    return {"mend": "amendments, mend-ish, and a retold story"}""",
    "models/crates/simulator/src/a.rs": """// mend /* mend
/* "mend" */ fn mend() {}
#[cfg(test)]
mod tests { fn a() { say("Mend it"); } }""",
    "docs/a.md": "```\nMend it\n```\n`mend`\n<!-- mend it -->",
    "docs/words.md": WORDS,
    "frontend/e2e/a.spec.ts": "test('Mend it', () => {});",
    "frontend/src/a.test.ts": "expect('Mend it')",
    "frontend/src/api/gen/a.ts": "export const a = 'Mend it';",
    "frontend/src/b.ts": "// Mend it\nimport { mend } from './Mend it';",
}


COUNTS_REFUSED = {
    "models/python/tierwright/a.py": """print(f"{count:,} bad records were skipped")""",
    "models/python/tierwright/b.py": """SAID = "the best of {tried} splits\"""",
    "models/crates/simulator/src/a.rs": """fn a() { say(format!("{} requests have length 0", n)); }""",
    "models/crates/simulator-py/src/b.rs": """fn a() { say(format!("it has {columns} columns")); }""",
    "frontend/src/a.tsx": "export const A = () => <p>{formatCount(n)} devices or relations</p>;",
    "frontend/src/b.ts": "export const b = (n: number) => `${n} more notes`;",
}
COUNTS_ACCEPTED = {
    "models/python/tierwright/a.py": """print(f"{counted(count, 'bad record')} were skipped")
print(f"{rate:,.0f} accesses per second, {share:.3g} pages, from 1 to {count:,} pages")
print(f"at most {MOST_PAGES:,} pages, {limits.MOST_RUNS:,} runs; {title} writes most")""",
    "models/crates/simulator/src/a.rs": """fn a() -> Result<(), String> {
say(format!("{} have length 0; at most {MOST} members", counted(n, "request", "requests")));
return Err(format!("{} pages in a cache of {}", held, size)); }""",
    "frontend/src/a.tsx": 'export const A = () => <p>{counted(n, "device")}, at most {MOST} devices</p>;',
    "frontend/src/b.ts": "export const b = (n: number) => `${n} accesses per second; ${name} windows`;",
}


def checked(root: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    for name, text in {"docs/words.md": WORDS, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    command = [sys.executable, str(ROOT / "scripts" / "check_words.py"), "--root", root]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_words_to_avoid_are_refused_with_their_place(tmp_path: Path) -> None:
    done = checked(tmp_path, REFUSED)
    assert done.returncode == 1, done.stderr
    lines = [
        re.match(r"(.+):\d+: `.+`: write ", line) for line in done.stdout.split("\n")
    ]
    assert [found[1] for found in lines if found] == list(REFUSED), done.stdout
    assert "README.md:1: `telling figures`: write *show* figures\n" in done.stdout


def test_names_comments_tests_and_code_are_accepted(tmp_path: Path) -> None:
    done = checked(tmp_path, ACCEPTED)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_a_number_before_a_plural_is_refused_with_its_place(tmp_path: Path) -> None:
    done = checked(tmp_path, COUNTS_REFUSED)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.split("\n")
    found = [
        re.match(r"(.+):\d+: `\{.*\} .+s`: write .+ `counted`", each) for each in lines
    ]
    assert [each[1] for each in found if each] == list(COUNTS_REFUSED), done.stdout


def test_counts_by_the_helper_units_ranges_and_constants_are_accepted(
    tmp_path: Path,
) -> None:
    done = checked(tmp_path, COUNTS_ACCEPTED)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    ("count", "given", "said"),
    [
        (0, ("bad record",), "0 bad records"),
        (1, ("bad record",), "1 bad record"),
        (21, ("access",), "21 accesses"),
        (1200.0, ("entry",), "1,200 entries"),
        (2, ("day",), "2 days"),
        (1.0, ("miss",), "1 miss"),
        (1, ("run is", "runs are"), "1 run is"),
        (0, ("run is", "runs are"), "0 runs are"),
        ("1", ("year",), "1 year"),
        ("1.5", ("year",), "1.5 years"),
    ],
)
def test_counts_are_in_the_singular_for_one_alone(
    count: float | str, given: tuple[str, ...], said: str
) -> None:
    assert counted(count, *given) == said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (1, "1 of 3 key figures differs from the saved one."),
        (2, "2 of 3 key figures differ from the saved ones."),
    ],
)
def test_verbs_agree_with_the_number_before_them(changed: int, said: str) -> None:
    figures = [
        since.FigureSince(
            "compare", name, name, None, "1", 1.0, 2.0 if at < changed else 1.0
        )
        for at, name in enumerate("abc")
    ]
    assert since.finding(figures, (), None) == said


def test_the_page_names_no_path_of_the_api() -> None:
    # One module translates what the server says of them; formulas may be asked by command; the
    # page about the API is about its paths.
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip()}"
        for path in page_modules()
        if path.name != "problem-words.ts"
        and not {"api", "api-docs", "formulas"}
        & set(path.relative_to(ROOT / PAGE).parts)
        for line, text in said_on_the_page(path)
        if PATHS.search(text)
    ]
    assert not found, "\n".join(found)
