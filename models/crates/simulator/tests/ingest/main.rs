//! Traces from bytes on disk to accesses: formats, streams, the canonical file.

mod formats;
mod streams;
mod support;
