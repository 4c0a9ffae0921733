//! Counts in sentences.

use std::fmt::Display;

/// A count with what it counts: `one` after 1, `many` after any other number.
///
/// Either may be all of the sentence that changes with the number.
///
/// ```
/// use tierwright_simulator::wording::counted;
/// assert_eq!(counted(1, "bad record was", "bad records were"), "1 bad record was");
/// assert_eq!(counted(0, "bad record was", "bad records were"), "0 bad records were");
/// ```
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    let text = if count == N::from(1) { one } else { many };
    format!("{count} {text}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        let said = |count: u64| counted(count, "access", "accesses");
        assert_eq!(
            [0, 1, 2, 21, 1000].map(said),
            [
                "0 accesses",
                "1 access",
                "2 accesses",
                "21 accesses",
                "1000 accesses"
            ]
        );
    }
}
