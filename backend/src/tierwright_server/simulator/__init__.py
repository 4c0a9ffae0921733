"""Everything that can be simulated, read from the tables of the core."""
