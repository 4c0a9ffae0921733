"""Measures a device with fio: what is run, when a rate counts as steady, and the run itself."""
