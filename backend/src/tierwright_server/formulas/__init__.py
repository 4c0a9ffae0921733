"""Single formulas of the papers, by name."""
