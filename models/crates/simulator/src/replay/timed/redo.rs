//! What the log of a database redoes after a crash: the pages that were written since the latest checkpoint, and where
//! flash did not survive those that the crash took.

use serde::Serialize;

/// What was read again after a crash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Redo {
    /// Distinct pages.
    pub pages: u64,
    /// Of these, read from flash; the others were read from the disk.
    pub flash_pages: u64,
    /// Of all, last written before the latest checkpoint: the crash took flash, and with it their latest version.
    pub older_pages: u64,
    /// How long that took, one page after the other. [s]
    pub seconds: f64,
    /// Whether a checkpoint came between the first access and the crash.
    pub after_checkpoint: bool,
}

/// Which pages were written since the latest checkpoint: of each, the interval of its latest write.
///
/// Where the replay takes checkpoints itself, intervals are those between them, else lengths of time.
#[derive(Debug)]
pub(super) struct Written {
    /// 0: nothing is noted. Without checkpoints of the replay, the time between two. [ns]
    interval_ns: f64,
    /// By page, counted from 1; or [`NEVER`].
    intervals: Vec<u32>,
}

const NEVER: u32 = 0;

impl Written {
    pub(super) fn new(interval_ns: f64) -> Self {
        Self {
            interval_ns,
            intervals: Vec::new(),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times from 0 on; what is beyond the last number stays there"
    )]
    fn interval(&self, since_ns: f64, taken: Option<u32>) -> u32 {
        let before = taken.unwrap_or((since_ns / self.interval_ns) as u32);
        before.saturating_add(1)
    }

    /// A page is written, so long after the first access, behind the checkpoints that the replay has `taken`, where it
    /// takes any. [ns]
    #[inline]
    pub(super) fn note(&mut self, page: u32, since_ns: f64, taken: Option<u32>) {
        if self.interval_ns <= 0.0 {
            return;
        }
        let at = page as usize;
        if at >= self.intervals.len() {
            self.intervals.resize(at + 1, NEVER);
        }
        self.intervals[at] = self.interval(since_ns, taken);
    }

    /// Whether a checkpoint came, besides that at the first access, so long after it. [ns]
    pub(super) fn is_after_checkpoint(&self, since_ns: f64, taken: Option<u32>) -> bool {
        self.interval_ns > 0.0 && self.interval(since_ns, taken) > 1
    }

    /// Pages that were ever written, and of each whether that was since the latest checkpoint, so long after the first
    /// access. [ns]
    pub(super) fn pages(
        &self,
        since_ns: f64,
        taken: Option<u32>,
    ) -> impl Iterator<Item = (u32, bool)> + '_ {
        let open = self.interval(since_ns, taken);
        (0..)
            .zip(&self.intervals)
            .filter(|&(_, &interval)| interval != NEVER)
            .map(move |(page, &interval)| (page, interval == open))
    }

    /// There is no further crash.
    pub(super) fn stop(&mut self) {
        *self = Self::new(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::Written;

    fn pages(written: &Written, at_ns: f64, taken: Option<u32>) -> Vec<u32> {
        let all = written.pages(at_ns, taken);
        all.filter_map(|(page, is_since)| is_since.then_some(page))
            .collect()
    }

    #[test]
    fn a_checkpoint_forgets_what_was_written_before() {
        let mut written = Written::new(100.0);
        written.note(7, 0.0, None);
        written.note(2, 99.0, None);
        assert_eq!(pages(&written, 99.5, None), [2, 7]);
        assert!(!written.is_after_checkpoint(99.5, None));
        // The checkpoint is at 100: what is written then is behind it.
        assert!(pages(&written, 100.0, None).is_empty());
        assert!(written.is_after_checkpoint(100.0, None));
        written.note(2, 100.0, None);
        written.note(5, 150.0, None);
        written.note(5, 160.0, None);
        let all: Vec<_> = written.pages(199.0, None).collect();
        assert_eq!(all, [(2, true), (5, true), (7, false)]);
        assert_eq!(pages(&written, 199.0, None), [2, 5]);
        assert!(pages(&written, 350.0, None).is_empty());
        written.stop();
        written.note(1, 360.0, None);
        assert!(pages(&written, 361.0, None).is_empty());
        assert!(!written.is_after_checkpoint(361.0, None));
    }

    #[test]
    fn checkpoints_of_the_replay_count_in_place_of_time() {
        let mut written = Written::new(100.0);
        written.note(7, 0.0, Some(0));
        written.note(2, 250.0, Some(0));
        // None was taken, however much time is over.
        assert_eq!(pages(&written, 900.0, Some(0)), [2, 7]);
        assert!(!written.is_after_checkpoint(900.0, Some(0)));
        written.note(2, 910.0, Some(1));
        assert_eq!(pages(&written, 920.0, Some(1)), [2]);
        assert!(written.is_after_checkpoint(920.0, Some(1)));
        assert!(pages(&written, 930.0, Some(2)).is_empty());
    }
}
