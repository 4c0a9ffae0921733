//! Traces: formats, detection, normalisation to dense page numbers, the canonical file.

pub mod formats;
