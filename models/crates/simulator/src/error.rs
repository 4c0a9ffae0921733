//! Every way in which a trace or a request can be wrong, each with place, value and next step.

use std::path::PathBuf;

use crate::trace::formats::Detection;

/// Result of the crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. `Display` gives one line that names place and value; [`Error::hint`] gives the
/// next step.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused to read or write.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`, `create`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A record of a trace cannot be understood.
    #[error("`{}`, {place}: {message}", path.display())]
    BadTrace {
        /// The file.
        path: PathBuf,
        /// `line 17` or `record 3 at byte 96`.
        place: String,
        /// What is wrong, with the offending value in backticks.
        message: String,
        /// The next step.
        hint: String,
    },
    /// The file as a whole cannot be understood: empty, unknown or ambiguous format, truncated stream.
    #[error("`{}`: {message}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
        /// The next step.
        hint: String,
    },
    /// No format, or more than one, fits the file: nothing is guessed, the user names one.
    #[error("`{}`: {message}", path.display())]
    UndecidedFormat {
        /// The file.
        path: PathBuf,
        /// What each candidate sees in the file.
        message: String,
        /// The next step: the names to choose from.
        hint: String,
        /// The formats that are possible, best first; all close to the best if more than one fits.
        candidates: Vec<Detection>,
    },
    /// A parameter is out of range or unknown.
    #[error("{name} `{value}`: {message}")]
    BadParameter {
        /// Name as on the command line, without dashes: `page-bytes`.
        name: &'static str,
        /// The offending value.
        value: String,
        /// What is wrong.
        message: String,
        /// The next step.
        hint: String,
    },
    /// A result disagrees with itself, or there was a panic: a defect of this program.
    #[error("internal error: {message}")]
    Internal {
        /// What disagrees, or what the panic said and where.
        message: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// The next step for the user; empty where there is none.
    pub fn hint(&self) -> &str {
        match self {
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => {
                    "check that the path is right and its folder exists"
                }
                std::io::ErrorKind::PermissionDenied => {
                    "check the permissions of the file and its folder"
                }
                std::io::ErrorKind::StorageFull => "free space on the disk, or write elsewhere",
                _ => "check the disk and the file, then try again",
            },
            Self::Cancelled => "",
            Self::Internal { .. } => {
                "this is a bug in Tierwright: report it with these lines and the inputs"
            }
            Self::BadTrace { hint, .. }
            | Self::Unreadable { hint, .. }
            | Self::UndecidedFormat { hint, .. }
            | Self::BadParameter { hint, .. } => hint,
        }
    }
}
