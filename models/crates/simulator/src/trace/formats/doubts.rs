//! What makes a reading doubtful although the lines have its shape.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use crate::trace::fields::{SECTOR_BYTES, is_named};
use crate::trace::formats::{Score, head_lines};
use crate::trace::open::Head;
use crate::trace::text::{parse_u64, trim};
use crate::wording::counted;

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
            "{}, but {odd} of {} are not multiples of 512, so they may count sectors",
            score.reason,
            counted(lengths, "length", "lengths")
        ),
    )
}

/// The score of a table without a header, far lower if its device column does not look like one:
/// if most records name a device of their own, as if it were an address, or if the devices only
/// rise from record to record, as if it were a time. `column` is counted from 0, and a first line
/// of `names` proves what the columns are.
pub(super) fn doubt_devices(head: &Head<'_>, score: Score, column: usize, names: &str) -> Score {
    let lines = head_lines(head);
    if score.value <= 0.0 || lines.first().is_some_and(|line| is_named(line, names)) {
        return score;
    }
    let mut known = HashSet::with_hasher(FxBuildHasher);
    let (mut records, mut rising, mut last) = (0_usize, true, None);
    for line in lines {
        let Some(device) = line.split(|byte| *byte == b',').nth(column).map(trim) else {
            continue;
        };
        let number = parse_u64(device, "").ok();
        if number.is_none() && records == 0 {
            // A header of another table.
            continue;
        }
        records += 1;
        known.insert(device);
        rising &= number.is_some() && number >= last;
        last = number;
    }
    let devices = known.len();
    let why = if records < MANY {
        return score;
    } else if devices * 2 > records {
        "as addresses or times do, so that column may not be a device"
    } else if rising && devices >= MANY {
        "which only rise from record to record, as times do, so that column may not be a device"
    } else {
        return score;
    };
    Score::new(
        score.value.min(DOUBTED),
        format!(
            "{}, but {} name {}, {why}",
            score.reason,
            counted(records, "record", "records"),
            counted(devices, "device", "different devices")
        ),
    )
}

/// The score of a table that counts time in seconds with a fraction, far lower if no time has one:
/// they may count milliseconds or less. `column` is counted from 0.
pub(super) fn doubt_whole_times(head: &Head<'_>, score: Score, column: usize) -> Score {
    let mut whole = 0;
    for line in head_lines(head) {
        let time = line.split(|byte| *byte == b',').nth(column).map(trim);
        match time {
            Some(time) if parse_u64(time, "").is_ok() => whole += 1,
            Some(time) if memchr::memchr(b'.', time).is_some() => return score,
            _ => {}
        }
    }
    if score.value <= 0.0 || whole < MANY {
        return score;
    }
    Score::new(
        score.value.min(DOUBTED),
        format!(
            "{}, but all {whole} times are whole numbers, so they may not count seconds",
            score.reason
        ),
    )
}
