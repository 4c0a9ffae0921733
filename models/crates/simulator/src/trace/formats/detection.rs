//! Which format a file has: every format scores its head, and the winner must be clear.
//!
//! A score says how sure a format is that the head is its own: 0 means that it cannot be; 0.95 and
//! more, that nothing else looks so (a magic number, a header of its own, words of its own); 0.55
//! to 0.95, that its shape and its values fit. A format whose shape others share scores the shape
//! low and only what speaks for its own reading high. Where two stay close nothing is guessed:
//! [`Error::UndecidedFormat`] carries the candidates, and the user names one.

use serde::Serialize;

use super::{FORMATS, Format, Open, by_name, count_controls, csv, is_text, keys, names, parquet};
use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::archive::is_tar;
use crate::trace::open::{Head, Input};
use crate::trace::streams::Compression;
use crate::trace::text::trim;
use crate::wording::counted;

/// The score of one format for one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detection {
    /// Name of the format.
    pub format: &'static str,
    /// 0 (cannot be) to 1 (certain).
    pub score: f64,
    /// What speaks for or against it.
    pub reason: String,
}

/// How the format of a file was chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// `content`, `name` (the user named the format) or `columns` (the user gave a mapping).
    pub chosen_by: &'static str,
    /// Score of the chosen format minus the best score of any other; below 0 where the user
    /// overruled the content.
    pub margin: f64,
    /// Scores of all formats, best first.
    pub detection: Vec<Detection>,
}

impl Choice {
    fn new(chosen_by: &'static str, format: &Format, detection: Vec<Detection>) -> Self {
        let (mut own, mut best_other) = (0.0, 0.0_f64);
        for candidate in &detection {
            if candidate.format == format.name {
                own = candidate.score;
            } else {
                best_other = best_other.max(candidate.score);
            }
        }
        Self {
            chosen_by,
            margin: own - best_other,
            detection,
        }
    }
}

/// Least score of a detected format.
const CERTAIN_ENOUGH: f64 = 0.5;
/// Least distance to the runner-up.
const CLEAR_ENOUGH: f64 = 0.2;
/// Score of a format that nearly all of the head fits.
const NEARLY_ALL: f64 = 0.8;

/// Scores every format on the head of `input`, best first.
fn detect(input: &Input) -> Vec<Detection> {
    let head = input.head();
    let mut detections: Vec<Detection> = FORMATS
        .iter()
        .map(|format| {
            let score = (format.detect)(&head);
            Detection {
                format: format.name,
                score: score.value,
                reason: score.reason,
            }
        })
        .collect();
    // Stable: formats of equal score keep the order of the table.
    detections.sort_by(|a, b| b.score.total_cmp(&a.score));
    detections
}

/// Chooses the format of a file: the named one if it fits, else the clear winner of detection.
pub(crate) fn choose(input: &Input, spec: &TraceSpec) -> Result<(&'static Format, Choice)> {
    let detections = detect(input);
    let named = match &spec.format {
        Some(name) => Some(("name", by_name(name)?)),
        None if !spec.columns.is_empty() => {
            let table = if parquet::is_parquet(&input.head()) {
                &parquet::FORMAT
            } else {
                &csv::FORMAT
            };
            Some(("columns", by_name(table.name)?))
        }
        None => None,
    };
    let (chosen_by, format) = match named {
        Some((chosen_by, format)) => {
            refuse_mapping_elsewhere(format, spec)?;
            refuse_misfit(format, input, &detections)?;
            (chosen_by, format)
        }
        None => ("content", winner(input, &detections)?),
    };
    if matches!(format.open, Open::Canonical)
        && let Some((packed, _)) = input.packed()
        && packed.kind() != "archive"
    {
        return Err(Error::Unreadable {
            path: input.path().to_owned(),
            message: format!(
                "this is a canonical trace, which must be read alone and not as a file of a {}",
                packed.kind()
            ),
            hint: "name it alone; to join traces, convert their original files together".to_owned(),
        });
    }
    if matches!(format.open, Open::Canonical) && input.compression() != Compression::NONE {
        return Err(Error::Unreadable {
            path: input.path().to_owned(),
            message: format!(
                "this is a canonical trace inside a {} file",
                input.compression().name()
            ),
            hint: "unpack it first: a canonical trace is compressed inside".to_owned(),
        });
    }
    Ok((format, Choice::new(chosen_by, format, detections)))
}

fn refuse_mapping_elsewhere(format: &Format, spec: &TraceSpec) -> Result<()> {
    match spec.columns.keys().next() {
        Some(first) if ![csv::FORMAT.name, parquet::FORMAT.name].contains(&format.name) => {
            Err(Error::BadParameter {
                name: "columns",
                value: first.clone(),
                message: format!(
                    "a column mapping belongs to the formats csv and parquet, not to {}",
                    format.name
                ),
                hint: "leave the mapping out, or name the format csv".to_owned(),
            })
        }
        _ => Ok(()),
    }
}

/// An explicit format that cannot be: says what the file looks like instead.
fn refuse_misfit(format: &Format, input: &Input, detections: &[Detection]) -> Result<()> {
    let own = detections
        .iter()
        .find(|detection| detection.format == format.name);
    let best = detections
        .iter()
        .find(|detection| detection.score >= CERTAIN_ENOUGH);
    // Keys may be numbers in part, so only what is nearly all of another format speaks against them.
    let strong_enough = if format.name == keys::FORMAT.name {
        NEARLY_ALL
    } else {
        CERTAIN_ENOUGH
    };
    let contradicted = |own: &&Detection| {
        own.score <= 0.0
            || own.score < CERTAIN_ENOUGH
                && best.is_some_and(|best| {
                    best.score >= strong_enough && best.score - own.score >= CLEAR_ENOUGH
                })
    };
    let Some(own) = own.filter(contradicted) else {
        return Ok(());
    };
    if format.name == csv::FORMAT.name && is_text(&input.head()) {
        return Ok(());
    }
    let (seems, hint) = if let Some(best) = best {
        (
            format!("it looks like {} ({})", best.format, best.reason),
            format!("use [[format={}]] or leave the format out", best.format),
        )
    } else {
        let (looks, step) = looks_like(&input.head());
        (
            format!("it looks like {looks}"),
            step.map_or_else(
                || format!("choose another format: {}", names()),
                str::to_owned,
            ),
        )
    };
    Err(Error::Unreadable {
        path: input.path().to_owned(),
        message: format!(
            "the file does not fit the format {} ({}); {seems}",
            format.name, own.reason
        ),
        hint,
    })
}

/// Whether several formats fit, so that the file is a trace and only its format is to be chosen.
pub(crate) fn is_choice(candidates: &[Detection]) -> bool {
    let fits = |one: &&Detection| one.score >= CERTAIN_ENOUGH;
    candidates.iter().filter(fits).count() > 1
}

fn winner(input: &Input, detections: &[Detection]) -> Result<&'static Format> {
    let best = &detections[0];
    let close: Vec<&Detection> = detections
        .iter()
        .filter(|one| one.score >= CERTAIN_ENOUGH && best.score - one.score < CLEAR_ENOUGH)
        .collect();
    // A runner-up below `CERTAIN_ENOUGH` is close too if it is nearly as good as the best.
    let unclear = detections
        .get(1)
        .is_some_and(|second| best.score - second.score < CLEAR_ENOUGH);
    if best.score >= CERTAIN_ENOUGH && !unclear {
        return by_name(best.format);
    }
    let undecided = |message: String, hint: String, candidates: Vec<Detection>| {
        Err(Error::UndecidedFormat {
            path: input.path().to_owned(),
            message,
            hint,
            candidates,
        })
    };
    let told = |candidates: &[Detection]| {
        candidates
            .iter()
            .map(|one| format!("{} {:.2} ({})", one.format, one.score, one.reason))
            .collect::<Vec<_>>()
            .join("; ")
    };
    let possible: Vec<Detection> = detections
        .iter()
        .filter(|one| one.score > 0.0)
        .cloned()
        .collect();
    if close.len() > 1 {
        let candidates: Vec<Detection> = close.into_iter().cloned().collect();
        let choices: Vec<String> = candidates
            .iter()
            .map(|one| format!("[[format={}]]", one.format))
            .collect();
        return undecided(
            format!(
                "the file fits more than one format, and they mean different things: {}",
                told(&candidates)
            ),
            format!(
                "choose one: {}; [[the trace_preview]] shows how each reads the first records",
                choices.join(" or ")
            ),
            candidates,
        );
    }
    let head = input.head();
    let (looks, step) = looks_like(&head);
    let message = if possible.is_empty() {
        format!("no trace format was recognised; the file looks like {looks}")
    } else {
        format!(
            "no trace format was recognised with confidence: {}; the file looks like {looks}",
            told(&possible)
        )
    };
    if let Some(step) = step.filter(|_| best.score < CERTAIN_ENOUGH) {
        return undecided(message, step.to_owned(), possible);
    }
    let columns = csv::column_names(&head);
    let mapping = if columns.is_empty() {
        String::new()
    } else {
        format!(
            "; read a table with [[format=csv]] and a column mapping such as {}, columns found: {}",
            csv::MAPPING_EXAMPLE,
            columns.join(", ")
        )
    };
    undecided(
        message,
        format!("give [[the format]]: {}{mapping}", names()),
        possible,
    )
}

/// What a head is, in words, and what to do about it where that is clear, for messages.
fn looks_like(head: &Head<'_>) -> (String, Option<&'static str>) {
    const TWICE: &str = "unpack it once, so that one layer of compression is left";
    const UNPACK: &str = "unpack it first, or pack the trace as .gz, .zst, .xz, .bz2, .tar or .zip";
    const ARCHIVE: &str =
        "unpack the outer file first: an archive inside an archive is not supported";
    const EXPORT: &str =
        "export the records as CSV or Parquet, and read that with a column mapping";
    const NO_TRACE: &str = "choose the file that holds the trace";
    const KNOWN: &[(&[u8], &str, &str)] = &[
        (
            &[0x1f, 0x8b],
            "gzip data inside the compressed file: it was compressed twice",
            TWICE,
        ),
        (
            &[0x28, 0xb5, 0x2f, 0xfd],
            "zstd data inside the compressed file: it was compressed twice",
            TWICE,
        ),
        (b"PK\x03\x04", "a ZIP archive inside another file", ARCHIVE),
        (
            b"\xfd7zXZ\x00",
            "xz data inside the compressed file: it was compressed twice",
            TWICE,
        ),
        (
            b"BZh",
            "bzip2 data inside the compressed file: it was compressed twice",
            TWICE,
        ),
        (b"\x04\x22\x4d\x18", "lz4 data", UNPACK),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
        (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
        (b"\x1f\x9d", "data of compress (.Z)", UNPACK),
        (b"LZIP", "lzip data", UNPACK),
        (b"\x89LZO\x00", "lzop data", UNPACK),
        (b"\x5d\x00\x00", "lzma data in the old format", UNPACK),
        (
            b"PAR1",
            "a Parquet table",
            "read it with [[format=parquet]] and a column mapping",
        ),
        (b"ARROW1", "an Arrow (Feather) table", EXPORT),
        (b"ORC", "an ORC table", EXPORT),
        (b"Obj\x01", "an Avro table", EXPORT),
        (b"\x89HDF", "an HDF5 file", EXPORT),
        (b"SQLite format 3\x00", "an SQLite database", EXPORT),
        (
            b"PERFILE2",
            "a recording of perf",
            "write it as text with `perf script`, see docs/capture",
        ),
        (
            b"version https://git-lfs",
            "a pointer of Git LFS, not the file itself",
            "fetch the file: git lfs pull",
        ),
        (b"\x7fELF", "a program", NO_TRACE),
        (b"%PDF", "a PDF document", NO_TRACE),
        (b"\x89PNG", "a PNG picture", NO_TRACE),
        (b"\xff\xfe", "UTF-16 text", UTF_8),
        (b"\xfe\xff", "UTF-16 text", UTF_8),
    ];
    for (magic, name, step) in KNOWN {
        if head.bytes.starts_with(magic) {
            return ((*name).to_owned(), Some(step));
        }
    }
    if is_tar(head.bytes) {
        return (
            "a tar archive inside another file".to_owned(),
            Some(ARCHIVE),
        );
    }
    if is_text(head) {
        let start = trim(&head.bytes[..head.bytes.len().min(100)]).to_ascii_lowercase();
        if start.starts_with(b"<!doctype") || start.starts_with(b"<html") {
            return (
                "a web page, perhaps an error page instead of the file".to_owned(),
                Some("download the file again, and open it to check"),
            );
        }
        if memchr::memchr(b'\r', head.bytes).is_some()
            && memchr::memchr(b'\n', head.bytes).is_none()
        {
            return (
                "text whose lines end in CR alone".to_owned(),
                Some("use Unix or Windows line ends: tr '\\r' '\\n' < FILE"),
            );
        }
        let columns = csv::column_names(head);
        let text = match columns.len() {
            0 | 1 => "text without columns".to_owned(),
            count => format!("a text table of {}", counted(count, "column", "columns")),
        };
        return (text, None);
    }
    if is_utf_16(head.bytes) {
        return ("UTF-16 text".to_owned(), Some(UTF_8));
    }
    if count_controls(head.bytes) > 0 {
        ("binary data".to_owned(), None)
    } else {
        (
            "text in an encoding that is not UTF-8".to_owned(),
            Some(UTF_8),
        )
    }
}

const UTF_8: &str = "save it as UTF-8 (iconv -f ENCODING -t UTF-8)";

/// Whether every other byte is zero and the ones between are text: UTF-16 without its mark.
fn is_utf_16(bytes: &[u8]) -> bool {
    let pairs = &bytes[..bytes.len() / 2 * 2];
    let of = |first: usize| {
        let text = pairs.iter().skip(first).step_by(2);
        let zeros = pairs.iter().skip(1 - first).step_by(2);
        text.clone()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n'))
            && zeros.clone().all(|byte| *byte == 0)
    };
    !pairs.is_empty() && (of(0) || of(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(scores: &[(&'static str, f64)]) -> Vec<Detection> {
        scores
            .iter()
            .map(|(format, score)| Detection {
                format,
                score: *score,
                reason: "a reason".to_owned(),
            })
            .collect()
    }

    fn input(content: &str) -> (tempfile::TempDir, Input) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, content).unwrap();
        let input = Input::open(&path).unwrap();
        (folder, input)
    }

    #[test]
    fn only_a_clear_winner_wins() {
        let (_folder, input) = input("1 2 3\n");
        for (scores, expected) in [
            (vec![("msr", 0.9), ("vscsi", 0.69)], Some("msr")),
            (vec![("msr", 0.5), ("vscsi", 0.0)], Some("msr")),
            (vec![("msr", 0.9)], Some("msr")),
            (vec![("msr", 0.49), ("vscsi", 0.0)], None),
            (vec![("msr", 0.9), ("vscsi", 0.71)], None),
            // Close to a runner-up that nobody would choose: still not clear.
            (vec![("msr", 0.6), ("vscsi", 0.45)], None),
        ] {
            let found = winner(&input, &scored(&scores)).ok().map(|one| one.name);
            assert_eq!(found, expected, "{scores:?}");
        }
    }

    #[test]
    fn close_readings_are_asked_for_with_their_names_as_data() {
        let (_folder, input) = input("1 2 3\n");
        let scores = scored(&[
            ("msr", 0.95),
            ("vscsi", 0.8),
            ("csv", 0.1),
            ("canonical", 0.0),
        ]);
        let Err(Error::UndecidedFormat {
            candidates, hint, ..
        }) = winner(&input, &scores)
        else {
            panic!("was decided");
        };
        let names: Vec<&str> = candidates.iter().map(|one| one.format).collect();
        assert_eq!(names, ["msr", "vscsi"]);
        assert!(
            hint.contains("[[format=msr]] or [[format=vscsi]]"),
            "{hint}"
        );
    }

    #[test]
    fn the_margin_is_over_the_best_of_the_others() {
        let scores = || scored(&[("msr", 0.9), ("vscsi", 0.25)]);
        let of = |name| Choice::new("name", by_name(name).unwrap(), scores()).margin;
        assert!((of("msr") - 0.65).abs() < 1e-12);
        assert!((of("vscsi") + 0.65).abs() < 1e-12);
    }
}
