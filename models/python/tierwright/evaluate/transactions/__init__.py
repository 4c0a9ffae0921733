"""How a transaction leaves memory on raw flash (Zhou et al., 2009)."""
