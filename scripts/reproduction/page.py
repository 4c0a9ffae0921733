"""The page of all experiments, from the outcomes that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from reproduction.charts import barred, drawn
from reproduction.frame import (
    INFERRED,
    MEASURED,
    Chart,
    Claim,
    Experiment,
    filled,
    outcome_of,
    reason,
)
from reproduction.rules import (
    AGREEMENT,
    AGREES,
    CROSSING_FACTOR,
    DIFFERS,
    EFFECT_AGREEMENT,
    EFFECT_FACTOR,
    SAME_SHAPE,
    VERDICTS,
    Judged,
    Verdict,
    worst,
)
from reproduction.table import EXPERIMENTS, PAPERS, Paper

NOTE = "<!-- Written by `make reproduce`; do not edit. -->"
PICTURES = "images/reproduction"


def pictures(documents: Mapping[str, Any]) -> dict[str, str]:
    """Return the pictures by their file's name."""
    return {
        f"{each.id}.svg": _picture(each, documents[each.id])
        for each in EXPERIMENTS
        if each.chart
    }


def _picture(each: Experiment, document: Mapping[str, Any]) -> str:
    if isinstance(each.chart, Chart):
        return drawn(each.chart, document["lines"], f"{each.shows}: {each.title}")
    return barred(each, each.chart or (), outcome_of(document))


def page(documents: Mapping[str, Any]) -> str:
    """Return the page."""
    parts = [
        "# The papers reproduced",
        NOTE,
        "What the papers behind the models published, beside what Tierwright computes: by the same formulas and replays "
        "as every answer, on the recordings of PostgreSQL in `fixtures/traces`, on the workloads that the papers "
        "define, and on generated traces of stated parameters. `make reproduce` computes everything again.",
        "A verdict is computed from the figures by the rule of its claim. **Agrees**: ours is within "
        f"{100 * AGREEMENT:g} % of each published number, or rounds to it where few digits were printed, and the distance of an effect from where nothing would be gained "
        f"within {100 * EFFECT_AGREEMENT:g} %, so that hits near 100 % are held against their misses; where a range or a bound was published, ours keeps "
        "it. **Same shape** asks for all that can be compared: a direction is the published one; lines are in the published order at every point; a rise, a fall, a peak, a "
        f"straight line is one; lines cross once, in that direction, within a factor of {CROSSING_FACTOR:g} of where they were published to cross; and a number, or an effect "
        f"(the distance of a ratio from 1, of a gain from 0), is in the published order, on the published side and within a factor of {EFFECT_FACTOR:g} of the published one. "
        "**Differs**: any of this does not hold, or a published bound (*at least*, *more than*) is not kept; the reason is stated. A table or figure has the worst verdict of its claims, and is said to differ in as many as do. Charts of lines show "
        "our figures, charts of bars show beside each what was published of it, as far as it is compared; where a published figure can be read only as a picture, what its text says of it is compared.",
        "Throughput of the papers' servers cannot be measured here. Where a claim is about transactions per second, "
        "the operations that replays count are priced with the figures of the paper's devices.",
        f"A reason is marked by what it rests on. *{MEASURED[1:-1].capitalize()}*: a replay, a count or a formula of this run "
        f"shows it. *{INFERRED[1:-1].capitalize()}*: it is our best explanation, which no figure of this run tests.",
        "A tuned constant is one that we chose because the paper does not state it or because our traces cannot have it. "
        "Several were chosen after outcomes had been seen, so that a claim that holds with them is weaker evidence than "
        "one that holds without. Each paper's section ends with a table of them.",
        _summary(documents),
    ]
    for paper in PAPERS:
        parts.append(f"## {paper.title}")
        parts.append(paper.note)
        parts.extend(
            _section(each, documents[each.id])
            for each in EXPERIMENTS
            if each.paper == paper.id
        )
        parts.append(_tuned_constants(paper, documents))
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(documents: Mapping[str, Any]) -> str:
    heads = ["", *VERDICTS, "claims"]
    rows = [_counts(paper, documents) for paper in PAPERS]
    every = claims(EXPERIMENTS, documents)
    said = f"{every[AGREES]} agree, {every[SAME_SHAPE]} have the same shape, {every[DIFFERS]} differ"
    total = f"Of {sum(every.values())} claims: {said}."
    return (
        f"{total} {_bases(documents)} {_by_choice(documents)} The last column of the table counts the claims that agree, have the same shape "
        f"and differ.\n\n{_table(heads, rows)}"
    )


def _bases(documents: Mapping[str, Any]) -> str:
    """Say on what the reasons rest."""
    found = Counter(
        (bool(claim.measured), bool(claim.inferred))
        for each in EXPERIMENTS
        for claim, judged in _judged(each, documents)
        if judged.verdict == DIFFERS
    )
    return (
        f"Of the reasons why they differ, {found[True, False]} were measured in full, {found[True, True]} in part, and "
        f"{found[False, True]} were inferred alone."
    )


def _by_choice(documents: Mapping[str, Any]) -> str:
    """Say how many claims hold where a constant was tuned."""
    tuned = claims([each for each in EXPERIMENTS if each.tuned], documents)
    return (
        f"Tables and figures with a tuned constant have {tuned[AGREES]} of the claims that agree and {tuned[SAME_SHAPE]} of "
        "those that have the same shape."
    )


def _judged(
    each: Experiment, documents: Mapping[str, Any]
) -> list[tuple[Claim, Judged]]:
    judged = each.judge(outcome_of(documents[each.id]))
    return list(zip(each.claims, judged, strict=True))


def _tuned_constants(paper: Paper, documents: Mapping[str, Any]) -> str:
    """Return the table of a paper's tuned constants, each with the experiments that it is of."""
    of: dict[str, list[str]] = {}
    said: dict[str, list[str]] = {}
    for each in EXPERIMENTS:
        if each.paper == paper.id:
            outcome = outcome_of(documents[each.id])
            for tuned in each.tuned:
                of.setdefault(tuned.what, []).append(f"[{each.shows}](#{each.id})")
                if tuned.tried:
                    said[tuned.what] = [
                        filled(text, outcome) for text in (tuned.tried, tuned.changes)
                    ]
    if not of:
        return ""
    rows = [[what, ", ".join(at), *said[what]] for what, at in of.items()]
    heads = [
        "constant",
        "experiments",
        "how it was chosen",
        "what another choice changes",
    ]
    return f"### Tuned constants: {paper.short}\n\n{_table(heads, rows)}"


def claims(
    experiments: Sequence[Experiment], documents: Mapping[str, Any]
) -> Counter[Verdict]:
    """Count the claims of some experiments by their verdict."""
    return Counter(
        judged.verdict
        for each in experiments
        for judged in each.judge(outcome_of(documents[each.id]))
    )


def _counts(paper: Paper, documents: Mapping[str, Any]) -> list[str]:
    here: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    for each in EXPERIMENTS:
        if each.paper == paper.id:
            verdict = each.verdict(outcome_of(documents[each.id]))
            judged = each.judge(outcome_of(documents[each.id]))
            share = (
                f" ({_differing(judged)} of {len(judged)})"
                if verdict == DIFFERS
                else ""
            )
            here[verdict].append(f"[{each.shows}](#{each.id}){share}")
    counted = claims([e for e in EXPERIMENTS if e.paper == paper.id], documents)
    return [
        paper.short,
        *(", ".join(here[verdict]) or "-" for verdict in VERDICTS),
        " / ".join(str(counted[verdict]) for verdict in VERDICTS),
    ]


def _differing(judged: Sequence[Judged]) -> int:
    return sum(each.verdict == DIFFERS for each in judged)


def _headline(judged: Sequence[Judged]) -> str:
    """Return the verdict of an experiment in words."""
    verdict = worst([each.verdict for each in judged])
    if verdict != DIFFERS or len(judged) == 1:
        return verdict.capitalize()
    return f"Differs in {_differing(judged)} of {len(judged)} claims"


def _section(each: Experiment, document: Mapping[str, Any]) -> str:
    outcome = outcome_of(document)
    judged = each.judge(outcome)
    parts = [
        f'<a id="{each.id}"></a>\n\n### {each.shows}: {each.title}',
        f"**{_headline(judged)}.** {filled(each.setting, outcome)}",
    ]
    if each.tuned:
        parts.append(f"Tuned constants: {'; '.join(t.what for t in each.tuned)}.")
    if each.chart:
        parts.append(f"![{each.title}]({PICTURES}/{each.id}.svg)")
    rows = []
    for claim, found in zip(each.claims, judged, strict=True):
        verdict: str = found.verdict
        if found.verdict == DIFFERS:
            verdict = f"differs because {reason(claim, outcome)}"
        rows.append([f"{claim.says} ({claim.where})", found.ours, verdict])
    parts.append(_table(["published", "ours", "verdict"], rows))
    return "\n\n".join(parts)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
