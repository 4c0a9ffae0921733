"""How long a page access takes at a rate."""
