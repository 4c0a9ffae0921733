//! FIU (`SyLab`) block traces: `ts pid process lba size op major minor md5`, separated by blanks.
//!
//! ts in nanoseconds, lba and size in sectors of 512 bytes, op `R` or `W`; the device is major and
//! minor number together. The hashes of the content (none, one, or one a block) are not used.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{Words, sectors, whole_time, wrong_columns};
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::open::Input;
use crate::trace::reader::{
    FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding, resumable,
};
use crate::trace::text::{Fault, ParseResult, parse_u64};

pub(crate) const FORMAT: Format = Format {
    name: "fiu",
    description: "FIU block trace, text: ts pid process lba size op major minor md5 (ns, sectors)",
    verified: "published lines of the data set; no complete file was available",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        score_lines(
            head,
            Fiu::default(),
            "nanoseconds, process, sector, sectors, R or W, major and minor number",
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("ts", "ns", "time since an unknown start"),
        FieldUnit::new("pid, process", "name", "not used"),
        FieldUnit::new("lba", "512-byte sectors", "first sector of the request"),
        FieldUnit::new("size", "512-byte sectors", "length of the request"),
        FieldUnit::new("op", "R or W", "operation"),
        FieldUnit::new("major, minor", "numbers", "together: the device"),
        FieldUnit::new("md5", "hash", "not used"),
    ];
    let assumptions = vec!["lba and size both count sectors of 512 bytes".to_owned()];
    LineReader::boxed(
        input,
        Fiu::default(),
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}

#[derive(Default, Serialize, Deserialize)]
struct Fiu {
    device: Vec<u8>,
}

impl LineFormat for Fiu {
    #[inline]
    fn parse(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Request> {
        let mut words = Words::new(line);
        let (Some(time), Some(pid), Some(_process)) = (words.next(), words.next(), words.next())
        else {
            return Err(not_the_columns());
        };
        let time_ns = whole_time(time, 1, "ts")?;
        parse_u64(pid, "pid")?;
        // The name of a process may hold blanks: the operation stands where two numbers lie on
        // either side of it.
        let (mut lba, mut size) = (words.next(), words.next());
        loop {
            let (Some(first), Some(second), Some(op)) = (lba, size, words.next()) else {
                return Err(not_the_columns());
            };
            if let Some(write) = operation(op)
                && is_number(first)
                && is_number(second)
            {
                let mut after = words.clone();
                if let (Some(major), Some(minor)) = (after.next(), after.next())
                    && is_number(major)
                    && is_number(minor)
                {
                    self.device.clear();
                    self.device.extend_from_slice(major);
                    self.device.push(b',');
                    self.device.extend_from_slice(minor);
                    return Ok(Request {
                        time_ns,
                        offset: sectors(first, "lba")?,
                        size: sectors(second, "size")?,
                        space: spaces.number(&self.device)?,
                        write,
                    });
                }
            }
            (lba, size) = (Some(second), Some(op));
        }
    }

    resumable!();
}

fn operation(word: &[u8]) -> Option<bool> {
    match word {
        b"R" | b"r" => Some(false),
        b"W" | b"w" => Some(true),
        _ => None,
    }
}

fn is_number(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit)
}

#[cold]
fn not_the_columns() -> Fault {
    wrong_columns(
        "ts pid process lba size op major minor [md5], with op R or W",
        "blanks",
    )
}
