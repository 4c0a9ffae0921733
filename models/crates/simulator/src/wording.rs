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
/// assert_eq!(counted(8_000, "page", "pages"), "8,000 pages");
/// ```
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    let text = if count == N::from(1) { one } else { many };
    format!("{} {text}", grouped(count))
}

/// A number from 0 on, its whole digits in groups of three.
///
/// ```
/// use tierwright_simulator::wording::grouped;
/// assert_eq!(grouped(1_365), "1,365");
/// assert_eq!(grouped(1_365.25), "1,365.25");
/// assert_eq!(grouped(format_args!("{:.0}", 1e6)), "1,000,000");
/// ```
pub fn grouped(count: impl Display) -> String {
    let number = count.to_string();
    let whole = number.find('.').unwrap_or(number.len());
    let mut text = String::with_capacity(number.len() + whole / 3);
    for (at, sign) in number.char_indices() {
        if 0 < at && at < whole && (whole - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(sign);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        let said = |count: u64| counted(count, "access", "accesses");
        assert_eq!(
            [0, 1, 2, 21, 999, 1000, 1_234_567].map(said),
            [
                "0 accesses",
                "1 access",
                "2 accesses",
                "21 accesses",
                "999 accesses",
                "1,000 accesses",
                "1,234,567 accesses"
            ]
        );
    }
}
