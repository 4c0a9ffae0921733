//! Goes on with a conversion whose process ended in the middle of it.
//!
//! Two files stand beside the trace to be: the chunks so far, and a checkpoint that says how far
//! they go and what the reader knew there. The numbers of the pages are those of the chunks. A bare
//! file is entered where the checkpoint was made; a compressed one is decompressed up to there,
//! because decoders do not give their state out.
//!
//! Readers of several streams at a time, and those that follow processes, do not write down what
//! they know. Their trace is read again up to the checkpoint, request by request the same or the
//! conversion begins anew; but no page is looked up, no access hashed, compressed or written twice.
//! It begins anew as well if a chunk is damaged or anything does not fit.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::progress::OnProgress;
use crate::trace::TraceSpec;
use crate::trace::canonical::{CanonicalReader, CanonicalWriter, KeptFiles, Written, crc32};
use crate::trace::identity::{ContentHash, SequenceHash};
use crate::trace::normalise::{Normaliser, State};

/// Of the checkpoint's fields and their meaning.
const VERSION: u32 = 2;

/// How a conversion can be gone on with by another process.
#[derive(Debug, Clone)]
pub struct Resume {
    /// What the file holds, as the caller knows it: only a conversion of the same is resumed.
    pub key: String,
    /// Accesses between two checkpoints, rounded up to whole chunks.
    pub every_accesses: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    version: u32,
    converter: String,
    /// What is converted and how.
    of: String,
    written: Written,
    source: State,
    sequence: Vec<u8>,
    content: Vec<u8>,
    content_space: Option<u32>,
}

/// What a conversion has made so far.
pub(crate) struct Conversion {
    pub(crate) writer: CanonicalWriter,
    pub(crate) sequence: SequenceHash,
    pub(crate) content: ContentHash,
    pub(crate) accesses: u64,
    /// Accesses that an earlier process had converted.
    pub(crate) resumed_at: Option<u64>,
    kept_at: u64,
    resume: Option<(Resume, String)>,
}

impl Conversion {
    /// One from the first access on.
    pub(crate) fn new(
        source: &mut Normaliser,
        spec: &TraceSpec,
        out: &Path,
        force: bool,
        resume: Option<&Resume>,
    ) -> Result<Self> {
        let writer = if resume.is_some() {
            source.keep_mark();
            CanonicalWriter::create_kept(out, force, KeptFiles::of(out))
        } else {
            CanonicalWriter::create(out, force)
        }?;
        Ok(Self {
            writer,
            sequence: SequenceHash::new(),
            content: ContentHash::new(source.page_bytes(), source.has_time()),
            accesses: 0,
            resumed_at: None,
            kept_at: 0,
            resume: resume.map(|resume| (resume.clone(), of(spec, source, resume))),
        })
    }

    /// One that goes on where another process ended, `source` read on to there; `None` if there is
    /// nothing to go on with. `source` must then be opened anew.
    pub(crate) fn go_on(
        source: &mut Normaliser,
        spec: &TraceSpec,
        out: &Path,
        force: bool,
        resume: &Resume,
        on_progress: OnProgress<'_>,
    ) -> Result<Option<Self>> {
        let kept = KeptFiles::of(out);
        let of = of(spec, source, resume);
        let Some(at) = read(&kept.checkpoint, &of) else {
            return Ok(None);
        };
        let (Some(sequence), Some(content)) = (
            SequenceHash::resumed(&at.sequence),
            ContentHash::resumed(&at.content, at.content_space),
        ) else {
            return Ok(None);
        };
        if number_pages(source, &kept.partial, &at.written).is_err() {
            return Ok(None);
        }
        source.keep_mark();
        let accesses = at.source.accesses();
        if !source.resume(at.source, on_progress)? {
            return Ok(None);
        }
        Ok(Some(Self {
            writer: CanonicalWriter::go_on(out, force, kept, &at.written)?,
            sequence,
            content,
            accesses,
            resumed_at: Some(accesses),
            kept_at: accesses,
            resume: Some((resume.clone(), of)),
        }))
    }

    /// Writes down how far it is, if it is time for that.
    pub(crate) fn keep(&mut self, source: &Normaliser) -> Result<()> {
        let Some((resume, of)) = &self.resume else {
            return Ok(());
        };
        if self.accesses - self.kept_at < resume.every_accesses {
            return Ok(());
        }
        self.kept_at = self.accesses;
        let sequence = self.sequence.state();
        let (content, content_space) = self.content.state();
        let source = source.state();
        self.writer.keep(|written| {
            let json = serde_json::to_vec(&Checkpoint {
                version: VERSION,
                converter: CONVERTER.to_owned(),
                of: of.clone(),
                written,
                source,
                sequence,
                content,
                content_space,
            })
            .map_err(|error| Error::Internal {
                message: format!("a checkpoint cannot be written: {error}"),
            })?;
            Ok(sealed(json))
        })
    }
}

/// Length of the line of the checksum, with the line ends around it.
const SEAL_BYTES: usize = "\ncrc32 01234567\n".len();
const CONVERTER: &str = concat!("tierwright ", env!("CARGO_PKG_VERSION"));

/// Everything that the accesses depend on.
fn of(spec: &TraceSpec, source: &Normaliser, resume: &Resume) -> String {
    let TraceSpec {
        // The caller's key tells the files.
        path: _,
        others: _,
        format: _,
        page_bytes: _,
        joined_page_bytes: _,
        columns,
        skip_bad_records,
        limits,
        members_apart,
        members_merged,
        device_bytes,
    } = spec;
    format!(
        "{}; {}; {} bytes a page; {columns:?}; {skip_bad_records} bad; {limits:?}; {device_bytes:?}; {members_apart}; {members_merged}",
        resume.key,
        source.format().name,
        source.page_bytes(),
    )
}

/// A checkpoint with its checksum as a line behind it.
fn sealed(mut json: Vec<u8>) -> Vec<u8> {
    let seal = seal_of(&json);
    json.extend_from_slice(seal.as_bytes());
    json
}

fn seal_of(json: &[u8]) -> String {
    format!("\ncrc32 {:08x}\n", crc32(&[json]))
}

/// What [`sealed`] was given; `None` if any byte is another one.
fn opened(bytes: &[u8]) -> Option<&[u8]> {
    let (json, seal) = bytes.split_at_checked(bytes.len().checked_sub(SEAL_BYTES)?)?;
    (seal == seal_of(json).as_bytes()).then_some(json)
}

/// The checkpoint, if it is a whole and undamaged one of the same conversion.
fn read(path: &Path, of: &str) -> Option<Checkpoint> {
    let bytes = std::fs::read(path).ok()?;
    let checkpoint: Checkpoint = serde_json::from_slice(opened(&bytes)?).ok()?;
    (checkpoint.version == VERSION
        && checkpoint.converter == CONVERTER
        && checkpoint.of == of
        && checkpoint.source.accesses() > 0)
        .then_some(checkpoint)
}

/// Numbers the pages as they were numbered before, from the chunks that hold them.
fn number_pages(source: &mut Normaliser, partial: &Path, written: &Written) -> Result<()> {
    let mut reader = CanonicalReader::open_unfinished(partial, written)?;
    let mut right = true;
    while reader.next_new_pages(|space, page| right &= source.number_again(space, page))? {}
    if right {
        return Ok(());
    }
    Err(Error::Internal {
        message: format!("`{}` has a page twice", partial.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::{opened, sealed};

    #[test]
    fn no_other_byte_and_no_other_length_is_opened() {
        let json = br#"{"version":2,"accesses":65536}"#;
        let whole = sealed(json.to_vec());
        assert_eq!(opened(&whole), Some(&json[..]));
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                assert_eq!(opened(&damaged), None, "bit {bit} of byte {at}");
            }
            assert_eq!(opened(&whole[..at]), None, "cut at {at}");
        }
    }
}
