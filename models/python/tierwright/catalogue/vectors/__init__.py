"""Test vectors of the formulas, and what runs them."""
