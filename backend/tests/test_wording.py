"""Words that sentences are made of."""

import pytest

from tierwright.common.wording import listed


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["A"], "A"),
        (["A", "B"], "A and B"),
        (["A", "B", "C"], "A, B and C"),
        (["A", "B, global"], "A and B, global"),
        (["A", "B", "B, global"], "A; B; and B, global"),
    ],
)
def test_names_with_commas_are_told_apart(names: list[str], said: str) -> None:
    assert listed(names) == said
