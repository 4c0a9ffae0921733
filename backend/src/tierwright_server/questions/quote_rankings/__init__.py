"""Which quote to take."""
