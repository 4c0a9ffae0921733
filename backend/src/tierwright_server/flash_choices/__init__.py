"""Which flash device, and where its directory goes."""
