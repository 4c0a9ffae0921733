//! Exact LRU hit-ratio and write-back curves for all sizes in one pass.
