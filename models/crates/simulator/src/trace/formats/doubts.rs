//! What makes a reading doubtful although the lines have its shape.

use crate::trace::fields::SECTOR_BYTES;
use crate::trace::formats::{Score, head_lines};
use crate::trace::open::Head;
use crate::trace::text::parse_u64;

/// Score of a doubted reading: never chosen without being named.
pub(super) const DOUBTED: f64 = 0.4;
/// Records from which on numbers that all look alike are no accident.
pub(super) const MANY: usize = 8;

/// The score of a table that counts lengths in bytes, far lower if most lengths are no multiples
/// of 512, as transfers of a device are: they may count sectors. `column` is counted from 0.
pub(super) fn doubt_lengths(head: &Head<'_>, score: Score, column: usize) -> Score {
    let (mut lengths, mut odd) = (0, 0);
    for line in head_lines(head) {
        let length = line
            .split(|byte| *byte == b',')
            .nth(column)
            .and_then(|field| parse_u64(field, "").ok());
        if let Some(length) = length {
            lengths += 1;
            odd += usize::from(!length.is_multiple_of(SECTOR_BYTES));
        }
    }
    if score.value <= 0.0 || lengths < MANY || odd * 2 <= lengths {
        return score;
    }
    Score::new(
        score.value.min(DOUBTED),
        format!(
            "{}, but {odd} of {lengths} lengths are no multiples of 512, so they may count sectors",
            score.reason
        ),
    )
}
