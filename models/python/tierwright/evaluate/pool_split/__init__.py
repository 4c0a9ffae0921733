"""Clean and dirty parts of a buffer pool (the FD-Buffer papers)."""
