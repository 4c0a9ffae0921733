"""Questions: each module puts formulas, curves and replays together into an answer."""
