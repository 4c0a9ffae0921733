//! What the reader of a trace noticed, handed on with every number that is computed from it.

use serde::Serialize;

use crate::access::AccessSource;
use crate::trace::canonical::CanonicalReader;
use crate::trace::reader::Warning;
use crate::trace::{OpenTrace, Source};

/// What to know before trusting numbers of a trace; complete after a whole pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReaderNotes {
    /// Format of the original file.
    pub source_format: String,
    /// Whether the trace tells writes from reads. Otherwise all accesses count as reads.
    pub tells_writes: bool,
    /// Bad records passed over as allowed; unknown of canonical traces.
    pub skipped_records: Option<u64>,
    /// What was found to doubt or to keep in mind.
    pub warnings: Vec<Warning>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
}

impl OpenTrace {
    /// What the reader has noticed so far; of the whole trace once `next_chunk` has returned
    /// `false`.
    pub fn notes(&self) -> ReaderNotes {
        match &self.source {
            Source::Raw(source) => ReaderNotes {
                source_format: source.format().name.to_owned(),
                tells_writes: self.tells_writes(),
                skipped_records: Some(source.skipped()),
                warnings: source.warnings(),
                assumptions: source.assumptions(),
            },
            Source::Canonical(source) => {
                let foot = source.foot();
                self.notes_of_canonical(source, foot.warnings.clone(), foot.assumptions.clone())
            }
            Source::Joined(source) => {
                self.notes_of_canonical(source.recorded(), source.warnings(), source.assumptions())
            }
        }
    }

    fn notes_of_canonical(
        &self,
        source: &CanonicalReader,
        mut warnings: Vec<Warning>,
        assumptions: Vec<String>,
    ) -> ReaderNotes {
        warnings.extend(self.warnings.iter().cloned());
        ReaderNotes {
            source_format: source.head().source_format.clone(),
            tells_writes: self.tells_writes(),
            skipped_records: None,
            warnings,
            assumptions,
        }
    }
}
