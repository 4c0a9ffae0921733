"""Every formula by its name: what it says, its answer, its test vectors."""
