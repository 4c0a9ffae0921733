//! Binary files of `blktrace`: one a CPU (`sdb.blktrace.0`, `.1`, ...), merged by time.
//!
//! A record is 48 bytes and a payload: `u32 magic, u32 sequence, u64 time, u64 sector, u32 bytes,
//! u32 action, u32 pid, u32 device, u32 cpu, u16 error, u16 payload length`. The magic number
//! 0x65617400 has the version (7) in its last byte; time in nanoseconds, sector of 512 bytes.
//!
//! The low half of `action` says what happened, the high half what kind of request it was. As in the
//! text of blkparse one action stands for the requests: see [`super::blkparse`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::trace::TraceSpec;
use crate::trace::bytes::{u16_at, u32_at, u64_at};
use crate::trace::fields::SECTOR_BYTES;
use crate::trace::formats::blkparse::{Action, PassedOver, stacked};
use crate::trace::formats::{Format, Open, Score};
use crate::trace::open::{Head, Input, Packed};
use crate::trace::reader::{
    BATCH_REQUESTS, FieldUnit, PlacedRequest, Request, RequestReader, Skipped, Spaces,
    Understanding, Warning,
};
use crate::trace::streams::Compression;
use crate::trace::text::{Fault, ParseResult, fault, hex};
use crate::wording::counted;

const RECORD_BYTES: usize = 48;
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
/// The kernel's flag beside the action: a payload names a control group.
const CGROUP: u32 = 1 << 8;
/// A request that goes on to another device, in the low half of the action.
const REMAP: u32 = 15;
/// Kinds of requests, in the high half of the action.
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const COMMAND: u32 = 1 << 25;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
/// Most files of a recording in an archive: each is a stream with a file of its own.
const MOST_MEMBERS: usize = 512;

pub(crate) const FORMAT: Format = Format {
    name: "blktrace",
    description: "Linux blktrace, binary: NAME.blktrace.CPU, the files of all CPUs in the folder or archive merged by time",
    verified: "real recordings: seven CPUs of a Hadoop node (zzunny97/blktrace-hadoop), one CPU (takeoverjp/blktrace_viewer); the Q events of blkparse 1.2 agree",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect,
    open: Open::MergedRequests(open),
};

fn detect(head: &Head<'_>) -> Score {
    let records = Records(head.bytes);
    let (mut good, mut position) = (0_usize, 0);
    for record in records {
        good += 1;
        position += record.len() + usize::from(u16_at(record, 46));
    }
    if is_big_endian(head) {
        return Score::new(0.9, "big-endian records of blktrace");
    }
    let first = head.bytes.get(..4).map(|magic| u32_at(magic, 0));
    match first {
        Some(magic) if magic & !0xff == MAGIC && good == 0 => {
            Score::new(0.9, "the magic number of blktrace")
        }
        _ if good == 0 => Score::no("its first bytes are not the magic number of blktrace"),
        _ => {
            let whole = position + RECORD_BYTES > head.bytes.len();
            Score::new(
                if whole { 1.0 } else { 0.8 },
                format!(
                    "{} with the magic number of blktrace{}",
                    counted(good, "record", "records"),
                    if whole { "" } else { ", then other data" }
                ),
            )
        }
    }
}

fn is_big_endian(head: &Head<'_>) -> bool {
    head.bytes
        .get(..4)
        .is_some_and(|magic| u32_at(magic, 0).swap_bytes() == MAGIC | VERSION)
}

/// The records at the start of some bytes, each without its payload, up to the first that is none.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let record = self.0.get(..RECORD_BYTES)?;
        if u32_at(record, 0) != MAGIC | VERSION {
            return None;
        }
        let length = RECORD_BYTES + usize::from(u16_at(record, 46));
        self.0 = self.0.get(length..).unwrap_or_default();
        Some(record)
    }
}

/// Which of the three actions a record is of, if any.
fn action_of(record: &[u8]) -> Option<Action> {
    let action = u32_at(record, 28);
    if action & NOTIFY != 0 {
        return None;
    }
    match action & 0xffff & !CGROUP {
        1 => Some(Action::Queued),
        7 => Some(Action::Issued),
        8 => Some(Action::Completed),
        _ => None,
    }
}

/// The device that the request of a remap event came from: the payload names it, big-endian.
fn mapped_from(record: &[u8], payload: &[u8]) -> Option<u32> {
    let action = u32_at(record, 28);
    if action & NOTIFY != 0 || action & 0xffff & !CGROUP != REMAP {
        return None;
    }
    payload
        .get(..4)
        .map(|device| u32_at(device, 0).swap_bytes())
}

/// `major,minor` of a device.
fn device_name(device: u32) -> String {
    format!("{},{}", device >> 20, device & 0xf_ffff)
}

/// One file of a recording.
struct Stream {
    input: Input,
    records: u64,
    next: Option<Placed>,
}

/// A request with its place and record.
struct Placed {
    request: Request,
    record_number: u64,
    offset: u64,
    /// Of requests to be shown.
    record: Option<Box<[u8; RECORD_BYTES]>>,
}

struct Blktrace {
    streams: Vec<Stream>,
    /// Next request of each stream, earliest first; of equal times the lower CPU's.
    order: BinaryHeap<Reverse<(i64, usize)>>,
    started: bool,
    /// Whether records are kept to be shown.
    shows: bool,
    chosen: Action,
    understanding: Understanding,
    spaces: Spaces,
    devices: FastMap<u32, u32>,
    /// Device of the last request and its number.
    last_device: Option<(u32, u32)>,
    passed: PassedOver,
    skipped: Skipped,
    requests: u64,
    cpus: Vec<u32>,
    missing_cpus: Vec<u32>,
    /// Devices whose requests were mapped to another one.
    mapped: Vec<u32>,
}

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    if is_big_endian(&input.head()) {
        return Err(Error::Unreadable {
            path: input.path().to_owned(),
            message: "the records of blktrace are big-endian, which is not supported".to_owned(),
            hint: "write them as text with `blkparse -i NAME` and read that".to_owned(),
        });
    }
    let (inputs, missing_cpus) = match input.packed().cloned() {
        Some((packed, _)) => members(&packed)?,
        None => beside(input)?,
    };
    // Each file may hold a part of the actions only: all heads together choose.
    let chosen = Action::best(
        inputs
            .iter()
            .flat_map(|input| Records(input.head().bytes).filter_map(action_of)),
    );
    let mut assumptions = vec![chosen.assumption()];
    if inputs.len() > 1 {
        let names: Vec<String> = inputs.iter().map(name_of).collect();
        assumptions.push(format!(
            "the files of one recording were merged by time: {}",
            names.join(", ")
        ));
    }
    let letter = chosen.letter();
    let units = vec![
        FieldUnit::new("time", "ns", "time since an unknown start"),
        FieldUnit::new("sector", "512-byte sectors", "first sector of the request"),
        FieldUnit::new("bytes", "bytes", "length of the request"),
        FieldUnit::new(
            "action",
            "number and flags",
            format!("only {letter} events are requests; flags tell reads, writes and discards"),
        ),
        FieldUnit::new("device", "major and minor number", "device"),
    ];
    Ok(Box::new(Blktrace {
        streams: inputs
            .into_iter()
            .map(|input| Stream {
                input,
                records: 0,
                next: None,
            })
            .collect(),
        order: BinaryHeap::new(),
        started: false,
        shows: false,
        chosen,
        understanding: Understanding::block(units, assumptions),
        spaces: Spaces::default(),
        devices: FastMap::default(),
        last_device: None,
        passed: PassedOver::default(),
        skipped: Skipped::default(),
        requests: 0,
        cpus: Vec::new(),
        missing_cpus,
        mapped: Vec::new(),
    }))
}

/// The files of a recording, by CPU, and the CPUs without a file.
type Recording = (Vec<Input>, Vec<u32>);

/// A file with the others that lie beside it.
fn beside(input: Input) -> Result<Recording> {
    let (before, after, missing_cpus) = other_cpus(input.path())?;
    // Limits and tolerance are those of the file that was named.
    let opening = input.opening().clone();
    let open_other = |path: &PathBuf| Input::open_with(path, opening.clone());
    let mut inputs = before.iter().map(open_other).collect::<Result<Vec<_>>>()?;
    inputs.push(input);
    for path in &after {
        inputs.push(open_other(path)?);
    }
    Ok((inputs, missing_cpus))
}

/// The members of an archive, which must be the files of one recording and nothing else. Several
/// devices may have been recorded at once (`sda.blktrace.0`, `sdb.blktrace.0`): one clock timed them.
fn members(packed: &Packed) -> Result<Recording> {
    let wrong = |message: String, hint: &str| Error::Unreadable {
        path: packed.path().to_owned(),
        message,
        hint: hint.to_owned(),
    };
    let kind = packed.kind();
    let all = packed.side_by_side(
        MOST_MEMBERS,
        "put them into a folder and name one of its files",
    )?;
    let alone = all.iter().filter(|(_, input)| input.is_some()).count() == 1;
    let mut found: Vec<(String, u32, Option<Input>)> = Vec::new();
    for (name, input) in all {
        if let Some(input) = &input
            && Records(input.head().bytes).next().is_none()
        {
            return Err(wrong(
                format!(
                    "the {kind}'s members have different formats: `{name}` is not a file of blktrace"
                ),
                "keep the files NAME.blktrace.CPU of one recording alone",
            ));
        }
        match cpu_of(&name) {
            Some((base, cpu, _)) => found.push((base.to_owned(), cpu, input)),
            None if alone => found.extend(input.map(|input| (String::new(), 0, Some(input)))),
            None => {
                return Err(wrong(
                    format!(
                        "the {kind}'s member `{name}` is not named NAME.blktrace.CPU, so its recording is unknown"
                    ),
                    "keep the files of one recording under the names that blktrace gave them",
                ));
            }
        }
    }
    found.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    let folder = |base: &str| base.rfind('/').map(|end| base[..end].to_owned());
    for (one, other) in found.iter().zip(found.iter().skip(1)) {
        if (&one.0, one.1) == (&other.0, other.1) || folder(&one.0) != folder(&other.0) {
            return Err(wrong(
                format!(
                    "the {kind} holds several recordings: `{}.blktrace.{}` and `{}.blktrace.{}`",
                    one.0, one.1, other.0, other.1
                ),
                "keep each recording in a separate archive or folder",
            ));
        }
    }
    let mut missing = Vec::new();
    for (index, (base, cpu, _)) in found.iter().enumerate() {
        let follows = index > 0 && found[index - 1].0 == *base;
        let first = if follows { found[index - 1].1 + 1 } else { 0 };
        missing.extend(first..*cpu);
    }
    let inputs = found
        .into_iter()
        .filter_map(|(_, _, input)| input)
        .collect();
    Ok((inputs, missing))
}

/// Name of a file, or of a member in its archive.
fn name_of(input: &Input) -> String {
    match input.packed() {
        Some((_, name)) => name.clone(),
        None => input
            .path()
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
    }
}

/// The other files of a recording: of lower CPUs, of higher ones, and CPUs without a file.
/// Files without content (CPUs without events) are left out. Nobody named them, so they must lie in
/// the folder themselves: a link could lead to a file that was never meant to be read.
fn other_cpus(path: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>, Vec<u32>)> {
    let nothing = Ok((Vec::new(), Vec::new(), Vec::new()));
    let name = path.file_name().map(|name| name.to_string_lossy());
    let Some((base, own, suffix)) = name.as_deref().and_then(cpu_of) else {
        return nothing;
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let cannot_read = |source| Error::Io {
        action: "read",
        path: folder.to_owned(),
        source,
    };
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot_read)? {
        let entry = entry.map_err(cannot_read)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if let Some((other_base, cpu, other_suffix)) = cpu_of(&name)
            && (other_base, other_suffix) == (base, suffix)
        {
            let kind = entry.file_type().map_err(cannot_read)?;
            if cpu != own && !kind.is_file() {
                return Err(no_file_of_its_own(&entry.path(), kind.is_symlink()));
            }
            found.push((cpu, entry.path()));
        }
    }
    found.sort();
    let last = found.last().map_or(own, |(cpu, _)| *cpu);
    let missing = (0..last)
        .filter(|cpu| found.iter().all(|(known, _)| known != cpu))
        .collect();
    let has_content =
        |path: &PathBuf| std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0);
    let of = |wanted: &dyn Fn(u32) -> bool| -> Vec<PathBuf> {
        found
            .iter()
            .filter(|(cpu, path)| wanted(*cpu) && has_content(path))
            .map(|(_, path)| path.clone())
            .collect()
    };
    Ok((of(&|cpu| cpu < own), of(&|cpu| cpu > own), missing))
}

#[cold]
fn no_file_of_its_own(path: &Path, link: bool) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        message: format!(
            "its name says that it belongs to the recording, but it is {}",
            if link {
                "a link, which is not followed"
            } else {
                "not a regular file"
            }
        ),
        hint: "copy the files NAME.blktrace.* of the recording into a separate folder".to_owned(),
    }
}

/// Base, CPU and what follows of a name `base.blktrace.CPU` or `base.blktrace.CPU.gz`.
fn cpu_of(name: &str) -> Option<(&str, u32, &str)> {
    let (base, rest) = name.rsplit_once(".blktrace.")?;
    let digits = rest
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(rest.len());
    let (cpu, suffix) = rest.split_at(digits);
    // More CPUs than any machine has: not a CPU, and nothing to list as missing.
    let cpu = cpu.parse().ok().filter(|cpu| *cpu < 65_536)?;
    (suffix.is_empty() || suffix.starts_with('.')).then_some((base, cpu, suffix))
}

impl Blktrace {
    /// Moves one stream on to its next request.
    fn advance(&mut self, index: usize) -> Result<()> {
        loop {
            let stream = &mut self.streams[index];
            let offset = stream.input.offset();
            let available = stream.input.fill(RECORD_BYTES)?;
            if available == 0 {
                stream.next = None;
                return Ok(());
            }
            let number = stream.records + 1;
            if available < RECORD_BYTES {
                let error = cut(&stream.input, number, available, RECORD_BYTES);
                return self.end_cut_off(index, available, error);
            }
            let mut record = [0; RECORD_BYTES];
            record.copy_from_slice(&stream.input.available()[..RECORD_BYTES]);
            let parsed = match self.request(&record) {
                Ok(parsed) => parsed,
                Err(fault) => {
                    let stream = &mut self.streams[index];
                    let error = bad_record(&stream.input, number, &fault, &record);
                    self.skipped.take(&stream.input, error)?;
                    if u32_at(&record, 0) != MAGIC | VERSION {
                        // Nothing of it can be relied on, its length neither.
                        to_next_record(&mut stream.input)?;
                        stream.records = number;
                        continue;
                    }
                    None
                }
            };
            let stream = &mut self.streams[index];
            let length = RECORD_BYTES + usize::from(u16_at(&record, 46));
            let available = stream.input.fill(length)?;
            if available < length {
                let error = cut(&stream.input, number, available, length);
                return self.end_cut_off(index, available, error);
            }
            let mapped = mapped_from(&record, &stream.input.available()[RECORD_BYTES..length]);
            stream.input.consume(length);
            stream.records = number;
            if let Some(device) = mapped
                && !self.mapped.contains(&device)
            {
                self.mapped.push(device);
            }
            let stream = &mut self.streams[index];
            if let Some(request) = parsed {
                self.order.push(Reverse((request.time_ns, index)));
                stream.next = Some(Placed {
                    request,
                    record_number: number,
                    offset,
                    record: self.shows.then(|| Box::new(record)),
                });
                return Ok(());
            }
        }
    }

    /// Ends a stream in the middle of a record, if that may be passed over.
    #[cold]
    fn end_cut_off(&mut self, index: usize, available: usize, error: Error) -> Result<()> {
        let stream = &mut self.streams[index];
        self.skipped.take(&stream.input, error)?;
        stream.input.consume(available);
        stream.next = None;
        Ok(())
    }

    fn request(&mut self, record: &[u8]) -> ParseResult<Option<Request>> {
        let magic = u32_at(record, 0);
        if magic != MAGIC | VERSION {
            return Err(wrong_magic(magic));
        }
        let Some(action) = action_of(record) else {
            return Ok(None);
        };
        if action != self.chosen {
            self.passed.count(action);
            return Ok(None);
        }
        let kind = u32_at(record, 28);
        if kind & DISCARD != 0 {
            self.passed.discards += 1;
            return Ok(None);
        }
        let size = u64::from(u32_at(record, 24));
        // Commands to the device (identify, sense ...) have bytes, but of no sector.
        if kind & (READ | WRITE) == 0 || kind & COMMAND != 0 || size == 0 {
            self.passed.without_data += 1;
            return Ok(None);
        }
        let sector = u64_at(record, 16);
        let offset = sector.checked_mul(SECTOR_BYTES).ok_or_else(|| {
            fault(
                format!("sector `{sector}` of 512 bytes exceeds 64 bits"),
                "the file is damaged before this record",
            )
        })?;
        let time = u64_at(record, 8);
        let time_ns = i64::try_from(time).map_err(|_| {
            fault(
                format!("time `{time}` ns is more than 292 years"),
                "the file is damaged before this record",
            )
        })?;
        if offset.checked_add(size).is_none() {
            return Err(fault(
                format!("sector `{sector}` and {size} bytes exceed 64 bits"),
                "the file is damaged before this record",
            ));
        }
        let cpu = u32_at(record, 40);
        if self.cpus.last() != Some(&cpu) && !self.cpus.contains(&cpu) {
            self.cpus.push(cpu);
        }
        Ok(Some(Request {
            time_ns,
            offset,
            size,
            space: self.space(u32_at(record, 36))?,
            write: kind & WRITE != 0,
        }))
    }

    /// The number of a device, named `major,minor`.
    fn space(&mut self, device: u32) -> ParseResult<u32> {
        if let Some((last, space)) = self.last_device
            && last == device
        {
            return Ok(space);
        }
        let space = match self.devices.get(&device) {
            Some(&space) => space,
            None => self.spaces.number(device_name(device).as_bytes())?,
        };
        self.devices.insert(device, space);
        self.last_device = Some((device, space));
        Ok(space)
    }

    /// The earliest request of all streams.
    fn next(&mut self) -> Result<Option<(usize, Placed)>> {
        if !self.started {
            self.started = true;
            for index in 0..self.streams.len() {
                self.advance(index)?;
            }
        }
        let Some(Reverse((_, index))) = self.order.pop() else {
            if self.requests == 0 {
                return Err(self.no_request());
            }
            self.check_lengths()?;
            return Ok(None);
        };
        let placed = self.streams[index].next.take();
        self.advance(index)?;
        self.requests += 1;
        Ok(placed.map(|placed| (index, placed)))
    }

    /// That no file has grown or shrunk while it was read: a recording that is still running.
    fn check_lengths(&self) -> Result<()> {
        for stream in &self.streams {
            // Of a member the archive is what lies on the disk.
            let (path, now) = if let Some((packed, _)) = stream.input.packed() {
                (packed.path(), packed.bytes_now()?)
            } else {
                let path = stream.input.path();
                let metadata = std::fs::metadata(path).map_err(|source| Error::Io {
                    action: "read",
                    path: path.to_owned(),
                    source,
                })?;
                (path, metadata.len())
            };
            if now != stream.input.file_bytes() {
                return Err(Error::Unreadable {
                    path: path.to_owned(),
                    message: format!(
                        "the file changed while it was read: it had {} bytes and now has {}",
                        stream.input.file_bytes(),
                        now
                    ),
                    hint: "stop the recording, then read its files".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn no_request(&self) -> Error {
        Error::Unreadable {
            path: self.streams[0].input.path().to_owned(),
            message: format!(
                "the recording holds no {} event that reads or writes data",
                self.chosen.letter()
            ),
            hint: "check that the device was in use while it was recorded, and on which CPU's file the events are".to_owned(),
        }
    }
}

/// Passes over a damaged record and what follows it up to the next magic number.
#[cold]
fn to_next_record(input: &mut Input) -> Result<()> {
    let magic = (MAGIC | VERSION).to_le_bytes();
    input.consume(1);
    loop {
        let available = input.fill(RECORD_BYTES)?;
        let found = memchr::memmem::find(input.available(), &magic);
        match found {
            Some(at) => {
                input.consume(at);
                return Ok(());
            }
            None if available < RECORD_BYTES => {
                input.consume(available);
                return Ok(());
            }
            // The number may begin in the last bytes.
            None => input.consume(available - (magic.len() - 1)),
        }
    }
}

#[cold]
fn wrong_magic(magic: u32) -> Fault {
    if magic & !0xff == MAGIC {
        return fault(
            format!("the record has version {} of blktrace, not 7", magic & 0xff),
            "write the recording as text with `blkparse -i NAME` and read that",
        );
    }
    fault(
        format!("`{magic:#010x}` is not the magic number of blktrace"),
        "the file is damaged before this record",
    )
}

#[cold]
fn cut(input: &Input, record: u64, available: usize, length: usize) -> Error {
    Error::BadTrace {
        path: input.path().to_owned(),
        place: place(record, input.offset()),
        message: format!("the file ends in the middle of a record: {available} of {length} bytes"),
        hint: "copy or upload the file again; its end is missing".to_owned(),
    }
}

#[cold]
fn bad_record(input: &Input, record: u64, fault: &Fault, bytes: &[u8]) -> Error {
    Error::BadTrace {
        path: input.path().to_owned(),
        place: place(record, input.offset()),
        message: format!("{}, in `{}`", fault.message, hex(bytes)),
        hint: fault.hint.clone(),
    }
}

fn place(record: u64, offset: u64) -> String {
    format!("record {record} at byte {offset}")
}

impl RequestReader for Blktrace {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        batch.clear();
        while batch.len() < BATCH_REQUESTS {
            match self.next()? {
                Some((_, placed)) => batch.push(placed.request),
                None => break,
            }
        }
        Ok(!batch.is_empty())
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        self.shows = true;
        let mut records = Vec::new();
        while records.len() < rows {
            let Some((index, placed)) = self.next()? else {
                break;
            };
            let place = place(placed.record_number, placed.offset);
            records.push(PlacedRequest {
                place: if self.streams.len() > 1 {
                    format!("{place} of {}", name_of(&self.streams[index].input))
                } else {
                    place
                },
                raw: placed
                    .record
                    .map_or_else(String::new, |record| hex(&record[..])),
                request: placed.request,
            });
        }
        self.shows = false;
        Ok(records)
    }

    fn understanding(&self) -> &Understanding {
        &self.understanding
    }

    fn spaces(&self) -> &[String] {
        self.spaces.names()
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.passed.warnings(self.chosen);
        warnings.extend(self.skipped.warning());
        warnings.extend(stacked(
            self.mapped
                .iter()
                .filter(|device| self.devices.contains_key(device))
                .map(|device| device_name(*device)),
        ));
        if !self.missing_cpus.is_empty() {
            let missing: Vec<String> = self
                .missing_cpus
                .iter()
                .take(16)
                .map(ToString::to_string)
                .collect();
            warnings.push(Warning::new(
                "missing_cpu_files",
                format!(
                    "the recording has no file for {} CPUs ({}): requests made there are missing",
                    self.missing_cpus.len(),
                    missing.join(", ")
                ),
                "copy all files NAME.blktrace.* of the recording into one folder or archive",
            ));
        }
        if let ([_], [cpu]) = (&self.streams[..], &self.cpus[..]) {
            warnings.push(Warning::new(
                "one_cpu_only",
                format!("all requests were made on CPU {cpu}: blktrace writes one file per CPU, and this may be one of several"),
                "read it together with the other files NAME.blktrace.*, or merge them first: blkparse -i NAME -d merged.bin",
            ));
        }
        warnings
    }

    fn skipped(&self) -> u64 {
        self.skipped.count()
    }

    fn position(&self) -> (u64, u64) {
        let all = self
            .streams
            .iter()
            .map(|stream| stream.input.position())
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        match self.streams[0].input.packed() {
            // Each stream reads the archive from its beginning: on average they are here.
            Some(_) => {
                let streams = self.streams.len() as u64;
                (all.0 / streams, all.1 / streams)
            }
            None => all,
        }
    }

    fn compression(&self) -> Compression {
        self.streams[0].input.compression()
    }
}
