"""Traces: how they are read, what the reader noticed, where their files lie."""
