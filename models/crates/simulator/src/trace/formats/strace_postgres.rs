//! Output of `strace -f` on a `PostgreSQL` server: `pread64` and `pwrite64` of its relation files.
//!
//! The file behind a descriptor is read from strace itself (`-y` writes `12</path>`), else from the
//! `open` and `openat` calls of its process, which children inherit. Requests to files that hold no
//! relation (write-ahead log, `pg_xact` ...) are passed over. A relation is named as in the reference
//! CSV, `databaseOid/relfilenode` with `_fsm` and `_vm` for its other forks; a segment file `.N`
//! begins at byte N x 1 GiB of its relation. Pages are 8192 bytes.

use crate::error::Result;
use crate::hash::FastMap;
use crate::trace::TraceSpec;
use crate::trace::fields::{
    SECOND_NS, Words, count_time, decimal_time, time_out_of_range, wrong_columns,
};
use crate::trace::formats::postgres_csv::below_buffer_pool;
use crate::trace::formats::{Format, Open, head_lines, score_lines};
use crate::trace::open::{Head, Input};
use crate::trace::reader::{
    Addressing, FieldUnit, LineReader, LogFormat, Request, RequestReader, Spaces, Understanding,
    Warning,
};
use crate::trace::text::{Fault, ParseResult, excerpt, fault, parse_u64, trim};
use crate::wording::counted;

/// Block size of a standard build.
const PAGE_BYTES: u64 = 8192;
/// Bytes of a segment file of a standard build, as a power of two.
const SEGMENT_SHIFT: u32 = 30;
/// Times from here on count since 1970, below they are steps (`strace -r`) [s].
const ABSOLUTE_FROM_NS: i64 = 100_000_000 * 1_000_000_000;
const DAY_NS: i64 = 86_400 * 1_000_000_000;
/// Arguments looked at.
const ARGUMENTS: usize = 4;

pub(crate) const FORMAT: Format = Format {
    name: "strace_postgres",
    description: "strace of a PostgreSQL server: pread64 and pwrite64 of relation files (8 KiB pages)",
    verified: "recordings of our own: strace on PostgreSQL 15, counts of the server itself",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: true,
    below_page_cache: false,
    detect: |head| {
        score_lines(
            head,
            Strace::new(style(head)),
            "system calls as strace writes them",
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let style = style(&input.head());
    let (time_unit, time_meaning) = match style {
        TimeStyle::None => (
            "none",
            "the recording has no times (strace -ttt writes them)",
        ),
        TimeStyle::SinceEpoch => ("s", "time since 1970-01-01 UTC, when the call was written"),
        TimeStyle::Clock => ("h:m:s", "time of day; midnight is recognised"),
        TimeStyle::Steps => ("s", "time since the line before, added up"),
    };
    let units = vec![
        FieldUnit::new("time", time_unit, time_meaning),
        FieldUnit::new("descriptor", "file", "its relation is the device"),
        FieldUnit::new(
            "offset",
            "bytes",
            "first byte in the file; a segment .N adds N GiB",
        ),
        FieldUnit::new("result", "bytes", "what was read or written: the length"),
    ];
    let assumptions = vec![
        "a page is one PostgreSQL block of 8192 bytes, a segment file 1 GiB, as in a standard build"
            .to_owned(),
        "only calls on relation files count; a call counts when it has returned".to_owned(),
    ];
    let understanding = Understanding {
        addressing: Addressing::BytesOfPages {
            page_bytes: PAGE_BYTES,
        },
        has_time: style != TimeStyle::None,
        ..Understanding::block(units, assumptions)
    };
    LineReader::boxed(input, Strace::new(style), understanding, Spaces::default())
}

/// How the lines tell the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeStyle {
    None,
    /// `-ttt`
    SinceEpoch,
    /// `-t`, `-tt`
    Clock,
    /// `-r`
    Steps,
}

/// The style of the first line that is a system call.
fn style(head: &Head<'_>) -> TimeStyle {
    let Some(time) = head_lines(head)
        .into_iter()
        .find(|line| is_line_of_strace(parts(line).2))
        .map(|line| parts(line).1)
    else {
        return TimeStyle::None;
    };
    match time {
        None => TimeStyle::None,
        Some(time) if time.contains(&b':') => TimeStyle::Clock,
        Some(time) => match decimal_time(time, SECOND_NS, "time") {
            Ok(time) if time < ABSOLUTE_FROM_NS => TimeStyle::Steps,
            _ => TimeStyle::SinceEpoch,
        },
    }
}

/// Process, time and the rest of a line.
fn parts(line: &[u8]) -> (&[u8], Option<&[u8]>, &[u8]) {
    let mut words = Words::new(line);
    let mut process: &[u8] = b"";
    let mut before = words.clone();
    let mut word = words.next().unwrap_or_default();
    if word == b"[pid" {
        process = words.next().unwrap_or_default();
        process = process.strip_suffix(b"]").unwrap_or(process);
        before = words.clone();
        word = words.next().unwrap_or_default();
    } else if !word.is_empty() && word.iter().all(u8::is_ascii_digit) {
        process = word;
        before = words.clone();
        word = words.next().unwrap_or_default();
    }
    let is_time = word.first().is_some_and(u8::is_ascii_digit)
        && word
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':'));
    if is_time {
        (process, Some(word), words.rest())
    } else {
        (process, None, before.rest())
    }
}

/// Whether what follows process and time is a call, the end of one, or a note of strace.
fn is_line_of_strace(text: &[u8]) -> bool {
    const NOTES: [&[u8]; 4] = [b"+++ ", b"--- ", b"strace: ", b"<... "];
    NOTES.iter().any(|start| text.starts_with(start))
        || call_name(text).is_some_and(|(_, rest)| {
            rest.ends_with(b"<unfinished ...>") || memchr::memmem::find(rest, b" = ").is_some()
        })
}

/// The name of a system call and what follows its parenthesis.
fn call_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'(', text)?;
    let name = &text[..end];
    let good = name.first().is_some_and(u8::is_ascii_lowercase)
        && name
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_');
    good.then_some((name, &text[end + 1..]))
}

/// What a call is for this reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Read,
    Write,
    /// Path is the argument of that index.
    Open(usize),
    Close,
    Fork,
    Other,
}

impl Call {
    fn of(name: &[u8]) -> Self {
        match name {
            b"pread64" | b"pread" | b"preadv" | b"preadv2" => Self::Read,
            b"pwrite64" | b"pwrite" | b"pwritev" | b"pwritev2" => Self::Write,
            b"open" | b"creat" => Self::Open(0),
            b"openat" | b"openat2" => Self::Open(1),
            b"close" => Self::Close,
            b"fork" | b"vfork" | b"clone" | b"clone3" => Self::Fork,
            _ => Self::Other,
        }
    }
}

/// A file as a place for pages.
#[derive(Debug)]
struct File {
    /// Name of the relation; `None` if the file holds none.
    relation: Option<Box<[u8]>>,
    segment: u64,
}

struct Strace {
    style: TimeStyle,
    /// Of the last line [ns].
    time_ns: i64,
    days_ns: i64,
    files: Vec<File>,
    /// Index into `files` by path.
    by_path: FastMap<Box<[u8]>, usize>,
    /// Index into `files` by process and descriptor.
    descriptors: FastMap<(u64, u64), usize>,
    /// Calls that have begun and not returned, by process.
    unfinished: FastMap<u64, Vec<u8>>,
    joined: Vec<u8>,
    requests: u64,
    failed: u64,
    not_relations: u64,
    unknown_files: u64,
    unknown_beginnings: u64,
}

impl Strace {
    fn new(style: TimeStyle) -> Self {
        Self {
            style,
            time_ns: 0,
            days_ns: 0,
            files: Vec::new(),
            by_path: FastMap::default(),
            descriptors: FastMap::default(),
            unfinished: FastMap::default(),
            joined: Vec::new(),
            requests: 0,
            failed: 0,
            not_relations: 0,
            unknown_files: 0,
            unknown_beginnings: 0,
        }
    }

    fn take_time(&mut self, time: Option<&[u8]>) -> ParseResult<()> {
        let time = match (self.style, time) {
            (TimeStyle::None, None) => return Ok(()),
            (TimeStyle::None, Some(_)) | (_, None) => return Err(changed_times()),
            (_, Some(time)) => time,
        };
        self.time_ns = match self.style {
            TimeStyle::Clock => {
                let clock = time_of_day(time)?;
                // Half a day back is midnight, less is a line out of order.
                if self.days_ns + clock < self.time_ns - DAY_NS / 2 {
                    self.days_ns += DAY_NS;
                }
                self.days_ns + clock
            }
            TimeStyle::Steps => {
                let step = decimal_time(time, SECOND_NS, "time")?;
                self.time_ns
                    .checked_add(step)
                    .ok_or_else(|| time_out_of_range(time, "time"))?
            }
            TimeStyle::SinceEpoch | TimeStyle::None => decimal_time(time, SECOND_NS, "time")?,
        };
        Ok(())
    }

    /// The request of a call with its arguments and result: `name(arguments) = result`.
    fn call(
        &mut self,
        process: u64,
        text: &[u8],
        spaces: &mut Spaces,
    ) -> ParseResult<Option<Request>> {
        let Some((name, rest)) = call_name(text) else {
            return Err(not_strace());
        };
        let call = Call::of(name);
        if call == Call::Other {
            return if is_line_of_strace(text) {
                Ok(None)
            } else {
                Err(not_strace())
            };
        }
        let (arguments, result) = split_call(rest).ok_or_else(cut_call)?;
        // Failed calls and those that never returned (`?`) moved nothing.
        let Some((value, path)) = result_of(result) else {
            if matches!(call, Call::Read | Call::Write) {
                self.failed += 1;
            }
            return Ok(None);
        };
        match call {
            Call::Open(index) => {
                let named = path.or_else(|| unquoted(arguments[index]));
                if let Some(named) = named {
                    let file = self.file(named);
                    self.descriptors.insert((process, value), file);
                }
                Ok(None)
            }
            Call::Close => {
                if let Some((descriptor, _)) = descriptor_of(arguments[0]) {
                    self.descriptors.remove(&(process, descriptor));
                }
                Ok(None)
            }
            Call::Fork => {
                self.inherit(process, value);
                Ok(None)
            }
            Call::Read | Call::Write => {
                let offset = parse_u64(arguments[3], "offset")?;
                self.request(
                    process,
                    arguments[0],
                    (offset, value),
                    call == Call::Write,
                    spaces,
                )
            }
            Call::Other => Ok(None),
        }
    }

    fn request(
        &mut self,
        process: u64,
        descriptor: &[u8],
        (offset, size): (u64, u64),
        write: bool,
        spaces: &mut Spaces,
    ) -> ParseResult<Option<Request>> {
        let Some((descriptor, path)) = descriptor_of(descriptor) else {
            return Err(fault(
                format!("`{}` is not a file descriptor", excerpt(descriptor)),
                "record with strace -f -y -e trace=pread64,pwrite64 and keep its lines whole",
            ));
        };
        let file = match path {
            Some(path) => Some(self.file(path)),
            None => self.descriptors.get(&(process, descriptor)).copied(),
        };
        let Some(file) = file else {
            self.unknown_files += 1;
            return Ok(None);
        };
        let File { relation, segment } = &self.files[file];
        let Some(relation) = relation else {
            self.not_relations += 1;
            return Ok(None);
        };
        let offset = (segment << SEGMENT_SHIFT)
            .checked_add(offset)
            .ok_or_else(|| {
                fault(
                    format!("offset `{offset}` in segment {segment} exceeds 64 bits"),
                    "check that the line is whole",
                )
            })?;
        self.requests += 1;
        Ok(Some(Request {
            time_ns: self.time_ns,
            offset,
            size,
            space: spaces.number(relation)?,
            write,
        }))
    }

    /// The number of a file by its path.
    fn file(&mut self, path: &[u8]) -> usize {
        if let Some(&file) = self.by_path.get(path) {
            return file;
        }
        let file = self.files.len();
        self.files.push(classify(path));
        self.by_path.insert(path.into(), file);
        file
    }

    /// Gives a new process the open files of its parent.
    fn inherit(&mut self, parent: u64, child: u64) {
        let copied: Vec<(u64, usize)> = self
            .descriptors
            .iter()
            .filter(|((process, _), _)| *process == parent)
            .map(|((_, descriptor), file)| (*descriptor, *file))
            .collect();
        for (descriptor, file) in copied {
            // The child may have been seen before the call of its parent returned.
            self.descriptors.entry((child, descriptor)).or_insert(file);
        }
    }

    fn forget(&mut self, process: u64) {
        self.descriptors.retain(|(owner, _), _| *owner != process);
        self.unfinished.remove(&process);
    }
}

impl LogFormat for Strace {
    fn parse_line(&mut self, line: &[u8], spaces: &mut Spaces) -> ParseResult<Option<Request>> {
        let (process, time, text) = parts(line);
        if text.starts_with(b"strace: ") {
            return Ok(None);
        }
        let process = match process {
            b"" => 0,
            digits => parse_u64(digits, "pid")?,
        };
        if !is_line_of_strace(text) {
            return Err(match call_name(text) {
                Some((name, _)) if Call::of(name) != Call::Other => cut_call(),
                _ => not_strace(),
            });
        }
        self.take_time(time)?;
        if text.starts_with(b"+++ ") {
            self.forget(process);
            return Ok(None);
        }
        if text.starts_with(b"--- ") {
            return Ok(None);
        }
        if let Some(begun) = text.strip_suffix(b"<unfinished ...>") {
            let of_interest =
                call_name(begun).is_some_and(|(name, _)| Call::of(name) != Call::Other);
            if of_interest {
                self.unfinished.insert(process, trim(begun).to_vec());
            }
            return Ok(None);
        }
        if let Some(resumed) = text.strip_prefix(b"<... ") {
            let name = resumed
                .split(|byte| *byte == b' ')
                .next()
                .unwrap_or_default();
            let Some(end) = memchr::memmem::find(resumed, b"resumed>") else {
                return Err(not_strace());
            };
            if Call::of(name) == Call::Other {
                return Ok(None);
            }
            let Some(begun) = self.unfinished.remove(&process) else {
                self.unknown_beginnings += 1;
                return Ok(None);
            };
            let mut joined = std::mem::take(&mut self.joined);
            joined.clear();
            joined.extend_from_slice(&begun);
            joined.extend_from_slice(&resumed[end + b"resumed>".len()..]);
            let request = self.call(process, &joined, spaces);
            self.joined = joined;
            return request;
        }
        self.call(process, text, spaces)
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.unknown_files > 0 {
            warnings.push(Warning::new(
                "unknown_files",
                counted(
                    self.unknown_files,
                    "read or write was skipped: its file was opened before the recording",
                    "reads and writes were skipped: their files were opened before the recording",
                ),
                "record with strace -y, which names the file of each descriptor",
            ));
        }
        if self.not_relations > 0 {
            warnings.push(Warning::new(
                "files_without_relation",
                counted(
self.not_relations,
"read or write of a file that holds no relation (write-ahead log or other) was skipped",
"reads and writes of files that hold no relation (write-ahead log and others) were skipped",
),
                "no action is needed if the server is PostgreSQL: they do not go through its buffer pool",
            ));
        }
        if self.failed > 0 {
            warnings.push(Warning::new(
                "failed_calls",
                counted(
                    self.failed,
                    "read or write failed or never returned",
                    "reads and writes failed or never returned",
                ),
                "look for errors in the server's log",
            ));
        }
        if self.unknown_beginnings > 0 {
            warnings.push(Warning::new(
                "calls_without_beginning",
                counted(
                    self.unknown_beginnings,
                    "call returns in the recording but does not begin in it; it was skipped",
                    "calls return in the recording but do not begin in it; they were skipped",
                ),
                "a few at the start of a recording are normal",
            ));
        }
        if self.requests > 0 {
            warnings.push(below_buffer_pool());
        }
        warnings
    }
}

/// `h:m:s` with an optional fraction [ns].
fn time_of_day(time: &[u8]) -> ParseResult<i64> {
    let mut fields = time.split(|byte| *byte == b':');
    let (Some(hours), Some(minutes), Some(seconds), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(changed_times());
    };
    let whole = (parse_u64(hours, "hours")?, parse_u64(minutes, "minutes")?);
    if whole.0 > 23 || whole.1 > 59 {
        return Err(time_out_of_range(time, "time of day"));
    }
    count_time(whole.0 * 3600 + whole.1 * 60, SECOND_NS)
        .zip(Some(decimal_time(seconds, SECOND_NS, "seconds")?))
        .and_then(|(minutes, seconds)| minutes.checked_add(seconds))
        .ok_or_else(|| time_out_of_range(time, "time of day"))
}

/// The first arguments of a call and what follows its closing parenthesis.
fn split_call(text: &[u8]) -> Option<([&[u8]; ARGUMENTS], &[u8])> {
    let mut arguments: [&[u8]; ARGUMENTS] = [b""; ARGUMENTS];
    let (mut count, mut start, mut depth) = (0, 0, 0_u32);
    let mut position = 0;
    while position < text.len() {
        match text[position] {
            b'"' => position = end_of_string(text, position)?,
            // A descriptor's path: a `>` inside it is escaped by strace.
            b'<' if depth == 0 => position += memchr::memchr(b'>', &text[position..])?,
            b'(' | b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b')' if depth > 0 => depth -= 1,
            byte @ (b',' | b')') if depth == 0 => {
                if let Some(argument) = arguments.get_mut(count) {
                    *argument = trim(&text[start..position]);
                }
                count += 1;
                start = position + 1;
                if byte == b')' {
                    return Some((arguments, &text[start..]));
                }
            }
            _ => {}
        }
        position += 1;
    }
    None
}

/// Position of the quote that ends the string begun at `start`.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut position = start + 1;
    loop {
        let found = memchr::memchr2(b'"', b'\\', text.get(position..)?)?;
        position += found;
        if text[position] == b'"' {
            return Some(position);
        }
        position += 2;
    }
}

/// The value of ` = 12` and the path of ` = 12</path>`; `None` of a call that failed.
fn result_of(text: &[u8]) -> Option<(u64, Option<&[u8]>)> {
    let value = Words::new(trim(text).strip_prefix(b"=")?).next()?;
    let (digits, _) = value.split_at(
        value
            .iter()
            .position(|byte| *byte == b'<')
            .unwrap_or(value.len()),
    );
    let number = parse_u64(digits, "").ok()?;
    // The path may hold blanks, so it is looked for in the whole text.
    Some((number, path_in(text)))
}

/// Number and path of a descriptor `12` or `12</path>`.
fn descriptor_of(argument: &[u8]) -> Option<(u64, Option<&[u8]>)> {
    let end = argument
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(argument.len());
    let number = parse_u64(&argument[..end], "").ok()?;
    Some((number, path_in(&argument[end..])))
}

/// What stands between `<` and `>` if it is a path.
fn path_in(text: &[u8]) -> Option<&[u8]> {
    let start = memchr::memchr(b'<', text)? + 1;
    let end = start + memchr::memchr(b'>', &text[start..])?;
    let path = &text[start..end];
    path.starts_with(b"/")
        .then(|| path.strip_suffix(b" (deleted)").unwrap_or(path))
}

fn unquoted(argument: &[u8]) -> Option<&[u8]> {
    argument.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

/// The relation and segment of a file of a data folder.
fn classify(path: &[u8]) -> File {
    let none = File {
        relation: None,
        segment: 0,
    };
    let mut parts = path.rsplit(|byte| *byte == b'/');
    let (Some(file), Some(folder)) = (parts.next(), parts.next()) else {
        return none;
    };
    let (name, segment) = match memchr::memchr(b'.', file) {
        None => (file, 0),
        Some(point) => match parse_u64(&file[point + 1..], "") {
            // Segments are counted in 32-bit block numbers: at most 2^32 x 8 KiB in all.
            Ok(segment) if segment < 1 << 15 => (&file[..point], segment),
            _ => return none,
        },
    };
    if !is_relation(name) {
        return none;
    }
    let is_oid = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let mut relation = Vec::new();
    match (folder, parts.next(), parts.next()) {
        (b"global", ..) => relation.extend_from_slice(b"0/"),
        (database, Some(b"base"), _) if is_oid(database) => {
            relation.extend_from_slice(database);
            relation.push(b'/');
        }
        // A tablespace: numbers of relations are unique only within one.
        (database, Some(version), Some(tablespace))
            if is_oid(database) && version.starts_with(b"PG_") =>
        {
            relation.extend_from_slice(tablespace);
            relation.push(b'/');
            relation.extend_from_slice(database);
            relation.push(b'/');
        }
        _ => return none,
    }
    relation.extend_from_slice(name);
    File {
        relation: Some(relation.into()),
        segment,
    }
}

/// Whether a name is `16384`, `16384_fsm` or, of a temporary table, `t3_16384`.
fn is_relation(name: &[u8]) -> bool {
    const FORKS: [&[u8]; 3] = [b"_fsm", b"_vm", b"_init"];
    let main = FORKS
        .iter()
        .find_map(|fork| name.strip_suffix(*fork))
        .unwrap_or(name);
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    match main.strip_prefix(b"t") {
        None => digits(main),
        Some(temporary) => memchr::memchr(b'_', temporary)
            .is_some_and(|at| digits(&temporary[..at]) && digits(&temporary[at + 1..])),
    }
}

#[cold]
fn not_strace() -> Fault {
    wrong_columns("[pid] [time] call(arguments) = result of strace", "blanks")
}

#[cold]
fn cut_call() -> Fault {
    fault(
        "the call has no end: its closing parenthesis or result is missing",
        "check that the line is whole",
    )
}

#[cold]
fn changed_times() -> Fault {
    fault(
        "the line gives the time in another form than the first lines",
        "read recordings made with different options of strace (-t, -tt, -ttt, -r) separately",
    )
}
