//! The one hash map of the crate: fixed seed, so results never depend on the process.

/// A map with a fixed seed. Its iteration order must never reach a result.
#[expect(
    clippy::disallowed_types,
    reason = "the one place that names the standard map, with a fixed hasher"
)]
pub type FastMap<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;

/// A set with a fixed seed; the same holds of it.
pub(crate) type FastSet<T> = std::collections::HashSet<T, rustc_hash::FxBuildHasher>;
