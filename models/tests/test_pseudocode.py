"""Every algorithm of the replay says its steps beside its code."""

from pathlib import Path

import pytest

REPLAY = Path(__file__).parents[1] / "crates" / "simulator" / "src" / "replay"
NO_ALGORITHMS = frozenset({"mod.rs", "guarded.rs"})
FILES = [
    *(
        path
        for room in ("admission", "policies", "schemes")
        for path in sorted((REPLAY / room).glob("*.rs"))
        if path.name not in NO_ALGORITHMS
    ),
    *(
        REPLAY / "flash_caches" / f"{name}.rs"
        for name in (
            "face",
            "lazy_cleaning",
            "sets",
            "tac",
            "exadata",
            "cac",
            "bcache",
            "sce",
            "larc",
            "cachesack",
            "ram_filter",
            "dm_writecache",
            "open_cas",
            "dm_cache",
            "l2arc",
            "cachelib",
            "cachelib_small",
            "kangaroo",
        )
    ),
    REPLAY / "flash_caches" / "lru2.rs",
]


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_every_algorithm_states_its_steps(path: Path) -> None:
    assert " ```text\n" in path.read_text(encoding="utf-8")
