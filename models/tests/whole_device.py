"""What a small flash device counts, as of a whole one: worked out here from its sizes alone."""

from __future__ import annotations

from tierwright.evaluate.modern.write_amplification import waf_greedy


def of_a_whole_device(
    waf: float,
    *,
    pages: int,
    block: int,
    spare_percent: int,
    meant: int | None = None,
    held: float = 2.0,
) -> float:
    """Return a write amplification that a small device counted under greedy collection as of a whole one.

    Parameters
    ----------
    waf : float
        Counted. [1]
    pages, block : int
        Logical pages of the small device, and of its blocks. [pages]
    spare_percent : int
        Of both. [%]
    meant : int, optional
        Pages of a block of the whole one; those of the small one unless given. [pages]
    held : float
        Blocks of the small one that are free or being filled.
    """
    blocks = -(-pages * (100 + spare_percent) // (100 * block))
    usable = (blocks - held) * block / pages - 1
    small = waf_greedy(usable, block).waf
    whole = waf_greedy(spare_percent / 100, meant or block).waf
    return 1 + (waf - 1) * (whole - 1) / (small - 1)
