//! Replays a trace through a replacement policy or a page-flow scheme.
