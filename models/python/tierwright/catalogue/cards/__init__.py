"""Cards of the formulas, one module a family."""
