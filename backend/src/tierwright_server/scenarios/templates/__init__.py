"""Templates of questions to the advisor."""
