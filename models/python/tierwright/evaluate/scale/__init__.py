"""Scale laws: the curve of a large system from that of a small one that was recorded."""
