//! Twitter cache traces: `timestamp,key,key size,value size,client id,operation,TTL`.
//!
//! Seconds; bytes; the words of memcached; the time to live is 0 for requests that do not write. The
//! value size is 0 after a miss, so it is never taken for the object's size. The original has no
//! header line; copies have one.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::fields::{SECOND_NS, commas, whole_time, wrong_columns};
use crate::trace::formats::cache_op::{CacheCounts, CacheOp};
use crate::trace::formats::keys::check_key;
use crate::trace::formats::{Format, Open, score_lines};
use crate::trace::keys::key_number;
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, FieldUnit, LineFormat, LineReader, Request, RequestReader, Spaces, Understanding,
    Warning, resumable,
};
use crate::trace::text::{ParseResult, excerpt, fault, parse_u64, trim};

const COLUMNS: &str = "timestamp,key,key size,value size,client id,operation,TTL";
/// Commas behind the key, which may hold some itself.
const COMMAS_BEHIND_KEY: usize = 5;

pub(crate) const FORMAT: Format = Format {
    name: "twitter",
    description: "Twitter cache trace, CSV: timestamp,key,key size,value size,client id,operation,TTL (each key one page)",
    verified: "official description and published lines of two clusters; no complete file was available",
    has_writes: true,
    has_time: true,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect: |head| {
        score_lines(
            head,
            Twitter::default(),
            "seconds, key, key size, value size, client, cache operation, TTL",
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let understanding = Understanding {
        addressing: Addressing::Pages { page_bytes: None },
        has_time: true,
        has_writes: true,
        units: vec![
            FieldUnit::new("timestamp", "s", "time since the start of the recording"),
            FieldUnit::new("key", "key", "each key is one page"),
            FieldUnit::new("key size", "bytes", "not used"),
            FieldUnit::new(
                "value size",
                "bytes",
                "not used: a key is one page regardless of its size; 0 after a miss",
            ),
            FieldUnit::new("client id", "number", "not used"),
            FieldUnit::new(
                "operation",
                "word",
                "get and gets read, delete makes no access, all others write",
            ),
            FieldUnit::new("TTL", "s", "not used"),
        ],
        assumptions: vec![
            "each key is one page (a whole number its own, any other key the 64-bit FNV-1a hash of its text); value sizes and times to live are not used".to_owned(),
            "a miss adds no write: the set that fills the cache is in the trace if the client made one".to_owned(),
        ],
        columns: Vec::new(),
    };
    LineReader::boxed(input, Twitter::default(), understanding, Spaces::single())
}

#[derive(Default, Serialize, Deserialize)]
struct Twitter(CacheCounts);

impl LineFormat for Twitter {
    #[inline]
    fn parse(&mut self, line: &[u8], _spaces: &mut Spaces) -> ParseResult<Request> {
        let wrong = || wrong_columns(COLUMNS, "commas");
        let time_end = memchr::memchr(b',', line).ok_or_else(wrong)?;
        let mut commas = [0; COMMAS_BEHIND_KEY];
        let mut found = COMMAS_BEHIND_KEY;
        for position in memchr::memrchr_iter(b',', line).take(COMMAS_BEHIND_KEY) {
            found -= 1;
            commas[found] = position;
        }
        if found > 0 || commas[0] <= time_end {
            return Err(wrong());
        }
        let [key_end, key_size_end, value_size_end, client_end, op_end] = commas;
        let key = trim(&line[time_end + 1..key_end]);
        check_key(key)?;
        let word = trim(&line[client_end + 1..op_end]);
        let op = CacheOp::of_word(word).ok_or_else(|| {
            fault(
                format!("operation `{}` is not one of memcached's", excerpt(word)),
                "use get, gets, set, add, replace, cas, append, prepend, delete, incr or decr",
            )
        })?;
        let time_ns = whole_time(trim(&line[..time_end]), SECOND_NS, "timestamp")?;
        parse_u64(trim(&line[key_end + 1..key_size_end]), "key size")?;
        let size = parse_u64(trim(&line[key_size_end + 1..value_size_end]), "value size")?;
        parse_u64(trim(&line[op_end + 1..]), "TTL")?;
        self.0.op(op);
        self.0.size(size);
        Ok(Request {
            time_ns,
            offset: key_number(key),
            size: op.pages(),
            space: 0,
            write: op == CacheOp::Write,
        })
    }

    fn is_header(&self, line: &[u8]) -> bool {
        // Copies spell the names in their own ways; what counts is their order.
        let Some(names) = commas::<7>(line) else {
            return false;
        };
        let names = names.map(|name| -> Vec<u8> {
            name.iter()
                .filter(|byte| byte.is_ascii_alphanumeric())
                .map(u8::to_ascii_lowercase)
                .collect()
        });
        let has = |index: usize, part: &str| {
            memchr::memmem::find(&names[index], part.as_bytes()).is_some()
        };
        has(0, "time")
            && has(1, "key")
            && !has(1, "size")
            && has(2, "keysize")
            && has(3, "val")
            && has(3, "size")
            && has(4, "client")
            && names[5].starts_with(b"op")
            && names[6] == b"ttl"
    }

    fn warnings(&self) -> Vec<Warning> {
        self.0.warnings()
    }

    resumable!();
}
