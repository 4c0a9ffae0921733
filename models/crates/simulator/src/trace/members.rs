//! The members of an archive as one trace: read one after another, in the order of the archive.
//!
//! The order is that of the archive, not that of the names or the times: a compressed tar archive
//! can only be read from front to back, and an order made up here would change the reuse without a
//! word. What does not look right is warned of: names out of order, times that go back, members that
//! were recorded at the same time.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::trace::TraceSpec;
use crate::trace::archive::natural_order;
use crate::trace::formats::{self, Format, Open, choose};
use crate::trace::open::{Input, Packed};
use crate::trace::reader::{PlacedRequest, Request, RequestReader, Understanding, Warning};
use crate::trace::streams::Compression;
use crate::wording::counted;

/// Refuses to keep apart or to merge members where there are none, or all are one recording.
pub(crate) fn check(spec: &TraceSpec, has_members: bool) -> Result<()> {
    let (name, done, use_of) = match (spec.members_apart, spec.members_merged) {
        _ if has_members => return Ok(()),
        (true, _) => (
            "members-apart",
            "kept apart",
            "archives and folders whose files come from separate devices",
        ),
        (_, true) => (
            MERGED,
            "merged",
            "archives and folders whose files were recorded at the same time",
        ),
        _ => return Ok(()),
    };
    Err(Error::BadParameter {
        name,
        value: "true".to_owned(),
        message: format!(
            "`{}` is a single recording, so no files can be {done}",
            spec.path.display()
        ),
        hint: format!("leave it out: it is for {use_of}"),
    })
}

/// The parameter that merges members by time.
pub(crate) const MERGED: &str = "members-merged";

/// What to do about a file that is no part of the trace, as a hint begins.
fn alone(packed: &Packed) -> &'static str {
    match packed.kind() {
        "folder" => "put the trace's files alone into a folder",
        "list" => "name the trace's files alone",
        _ => "pack the trace's files alone",
    }
}

/// Says of what was not recognised that it is the first of several files: a note to the reader of
/// the traces, perhaps, which the name puts in front.
pub(crate) fn of_first(input: &Input, error: Error) -> Error {
    let Some((packed, name)) = input.packed() else {
        return error;
    };
    let told = |message: String| {
        format!(
            "`{name}` is the first file of the {}, which decides the format of all: {message}",
            packed.kind()
        )
    };
    let next = |hint: String| {
        let alone = alone(packed);
        format!("if `{name}` is not a trace, {alone}, without it; if it is one, {hint}")
    };
    match error {
        Error::Unreadable {
            path,
            message,
            hint,
        } => Error::Unreadable {
            path,
            message: told(message),
            hint: next(hint),
        },
        Error::UndecidedFormat {
            path,
            message,
            hint,
            candidates,
        } if !formats::is_choice(&candidates) => Error::UndecidedFormat {
            path,
            message: told(message),
            hint: next(hint),
            candidates,
        },
        other => other,
    }
}

/// Names told in one message: of members, of devices.
const NAMES_TOLD: usize = 10;

/// The warnings of one name, of all members that have it.
#[derive(Debug, Clone)]
pub(crate) struct MemberWarning {
    /// As the first of them says it.
    first: Warning,
    /// The members that have it, at most [`NAMES_TOLD`].
    members: Vec<String>,
    count: u64,
}

impl MemberWarning {
    /// Adds the warnings of one member, each name once.
    pub(crate) fn add(all: &mut Vec<Self>, member: &str, warnings: Vec<Warning>) {
        for warning in warnings {
            match all.iter_mut().find(|one| one.first.name == warning.name) {
                Some(known) => {
                    known.count += 1;
                    if known.members.len() <= NAMES_TOLD {
                        known.members.push(member.to_owned());
                    }
                }
                None => all.push(Self {
                    first: warning,
                    members: vec![member.to_owned()],
                    count: 1,
                }),
            }
        }
    }

    pub(crate) fn told(&self) -> Warning {
        let more = match &self.members[1..] {
            [] => String::new(),
            others => format!(
                "; the same for {}: {}",
                counted(self.count - 1, "more member", "more members"),
                some_of(others, self.count - 1)
            ),
        };
        Warning {
            message: format!("member `{}`: {}{more}", self.members[0], self.first.message),
            ..self.first.clone()
        }
    }
}

/// The first of `count` names.
pub(crate) fn some_of(names: &[String], count: u64) -> String {
    let told = names.len().min(NAMES_TOLD);
    let more = count - told as u64;
    let first = names[..told].join(", ");
    if more > 0 {
        format!("{first} and {more} more")
    } else {
        first
    }
}

/// Seconds, exact to the nanosecond.
fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The devices of all members, by name.
#[derive(Default)]
pub(crate) struct Devices {
    pub(crate) names: Vec<String>,
    numbers: FastMap<String, u32>,
    /// Whether a device is named by several members, of each device.
    shared: Vec<bool>,
}

impl Devices {
    /// The number of a device that a member names for the first time; `apart` has the member's
    /// name and number if its devices are its own.
    pub(crate) fn number(&mut self, name: &str, apart: Option<(&str, usize)>) -> u32 {
        let mut name = match apart {
            Some((member, _)) if name.is_empty() => member.to_owned(),
            Some((member, _)) => format!("{member}/{name}"),
            None => name.to_owned(),
        };
        if let Some((_, number)) = apart {
            // Two members of one name, or `x` with device `y/z` and `x/y` with device `z`.
            while self.numbers.contains_key(&name) {
                name = format!("{name}#{number}");
            }
        }
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
            self.shared.push(false);
        } else {
            // Within one member the names differ: an earlier member has this one.
            self.shared[number as usize] = true;
        }
        number
    }

    /// What of several members counts as one: devices, and of formats without devices all of it.
    pub(crate) fn joined(
        &self,
        members: usize,
        kind: &str,
        format: &'static Format,
    ) -> Option<Warning> {
        let shared: Vec<String> = self
            .names
            .iter()
            .zip(&self.shared)
            .filter(|(_, shared)| **shared)
            .map(|(device, _)| device.clone())
            .collect();
        let what = match (shared.as_slice(), format.page_native) {
            ([], _) => return None,
            ([only], true) if only.is_empty() => format!(
                "the format {} does not name devices, so the same page or key in several of the {kind}'s {} counts as one page",
                format.name,
                counted(members, "member", "members")
            ),
            ([only], false) if only.is_empty() => format!(
                "the format {} does not name devices, so the {kind}'s {} as one device",
                format.name,
                counted(members, "member counts", "members count")
            ),
            (names, _) => format!(
                "several of the {kind}'s {} name the same devices, each of which counts as one: {}",
                counted(members, "member", "members"),
                some_of(names, names.len() as u64)
            ),
        };
        Some(Warning::new(
            "members_joined",
            what,
            "read them with [[members_apart]] if each comes from a separate machine or disk; leave them together if they are parts of one recording",
        ))
    }
}

/// A trace of one format in several members.
pub(crate) struct Members {
    packed: Packed,
    format: &'static Format,
    /// How each member is read: the format that the first one has.
    spec: TraceSpec,
    current: Box<dyn RequestReader>,
    understanding: Understanding,
    names: Vec<String>,
    /// First and last time of each member's requests; `None` as long as none has a time [ns].
    times_ns: Vec<Option<(i64, i64)>>,
    /// Members behind one whose name comes later in the natural order.
    out_of_order: u64,
    /// Whether the natural order of the names is not that of their characters.
    two_orders: bool,
    empty: u64,
    skipped: u64,
    devices: Devices,
    /// Numbers of the current member's devices, by its own numbers.
    current_numbers: Vec<u32>,
    /// In order of first appearance, each name once.
    warnings: Vec<MemberWarning>,
    finished: bool,
}

impl Members {
    /// Takes over the reader of the first member, whose format all others must have.
    pub(crate) fn new(
        first: Box<dyn RequestReader>,
        packed: Packed,
        name: String,
        format: &'static Format,
        spec: &TraceSpec,
    ) -> Self {
        let mut members = Self {
            understanding: first.understanding().clone(),
            packed,
            format,
            spec: TraceSpec {
                format: Some(format.name.to_owned()),
                ..spec.clone()
            },
            current: first,
            names: vec![name],
            times_ns: vec![None],
            out_of_order: 0,
            two_orders: false,
            empty: 0,
            skipped: 0,
            devices: Devices::default(),
            current_numbers: Vec::new(),
            warnings: Vec::new(),
            finished: false,
        };
        members.tell_names();
        members.number_devices();
        members
    }

    fn tell_names(&mut self) {
        let (kind, count) = (self.packed.kind(), self.names.len());
        let names = some_of(&self.names, count as u64);
        let order = match kind {
            "folder" => "in the order of their names, with digits read as numbers",
            "list" => "in the order in which they were named",
            _ => "in the order of the archive",
        };
        let told = match (self.spec.members_apart, count) {
            (false, 1) => format!("the {kind}'s member `{names}` is the trace"),
            (false, _) => format!(
                "the {kind}'s {} are one trace, {order}: {names}",
                counted(count, "member", "members")
            ),
            (true, 1) => format!(
                "the {kind}'s member `{names}` has separate devices, which bear its name (and `#` with its number, where that name is taken)"
            ),
            (true, _) => format!(
                "each of the {kind}'s {} has separate devices, which bear its name (and `#` with its number, where that name is taken); the members are read one after another, {order}: {names}",
                counted(count, "member", "members")
            ),
        };
        let own = self.current.understanding().assumptions.clone();
        self.understanding.assumptions = own;
        self.understanding.assumptions.push(told);
    }

    /// Numbers the devices that the current member has named so far.
    fn number_devices(&mut self) {
        let names = self.current.spaces();
        let member = self.names.last().map_or("", String::as_str);
        let apart = self
            .spec
            .members_apart
            .then_some((member, self.names.len()));
        for name in &names[self.current_numbers.len()..] {
            let number = self.devices.number(name, apart);
            self.current_numbers.push(number);
        }
    }

    fn keep_times(&mut self, requests: impl Iterator<Item = i64>) {
        if !self.current.understanding().has_time {
            return;
        }
        if let Some(times) = self.times_ns.last_mut() {
            for time_ns in requests {
                let (first, last) = times.unwrap_or((time_ns, time_ns));
                *times = Some((first.min(time_ns), last.max(time_ns)));
            }
        }
    }

    fn renumber(&mut self, requests: &mut [Request]) {
        self.number_devices();
        self.keep_times(requests.iter().map(|request| request.time_ns));
        for request in requests {
            request.space = self.current_numbers[request.space as usize];
        }
    }

    fn keep_warnings(&mut self) {
        self.skipped += self.current.skipped();
        self.warnings = self.member_warnings();
    }

    /// The warnings of all members so far, each name once.
    fn member_warnings(&self) -> Vec<MemberWarning> {
        let mut all = self.warnings.clone();
        let member = self.names.last().cloned().unwrap_or_default();
        MemberWarning::add(&mut all, &member, self.current.warnings());
        all
    }

    /// A folder whose files have two orders by name, with no time to tell which is right.
    fn order_assumed(&self) -> Option<Warning> {
        let is_folder = self.packed.kind() == "folder";
        if !is_folder || !self.two_orders || self.understanding.has_time {
            return None;
        }
        let count = self.names.len() as u64;
        let mut others = self.names.clone();
        others.sort_unstable();
        Some(Warning::new(
            "members_order_assumed",
            format!(
                "the folder's {} carry no times, and their names have two orders: the one used, digits as numbers ({}), and character by character ({})",
                counted(count, "member", "members"),
                some_of(&self.names, count),
                some_of(&others, count),
            ),
            "if the order used is wrong, give the files numbers of equal length in the order of time (day01, day02, ... day10)",
        ))
    }

    /// Members whose times overlap: read one after another, they are not in the order of time.
    fn overlapping(&self) -> Option<Warning> {
        let mut spans: Vec<(i64, i64, usize)> = self
            .times_ns
            .iter()
            .enumerate()
            .filter_map(|(member, times)| times.map(|(first, last)| (first, last, member)))
            .collect();
        spans.sort_unstable();
        let mut members = BTreeSet::new();
        let mut most: Option<(u64, usize, usize)> = None;
        // Of all that began before, the one that ends last overlaps what any of them overlaps.
        let mut open = *spans.first()?;
        for &(first, last, member) in &spans[1..] {
            if first < open.1 && open.0 < last {
                members.extend([open.2, member]);
                let shared_ns = last.min(open.1).abs_diff(first);
                if most.is_none_or(|(longest_ns, ..)| shared_ns > longest_ns) {
                    most = Some((shared_ns, open.2.min(member), open.2.max(member)));
                }
            }
            if last > open.1 {
                open = (first, last, member);
            }
        }
        let (shared_ns, one, other) = most?;
        let names: Vec<String> = members
            .iter()
            .take(NAMES_TOLD)
            .map(|&member| self.names[member].clone())
            .collect();
        Some(Warning::new(
            "members_overlap",
            format!(
                "the times of {} of the {}'s {} overlap, but the members are read one after another: {}; `{}` and `{}` share {} s. If they were recorded at the same time, the accesses are not in the order in which they happened, and every hit, miss and reuse counted here belongs to another workload",
                members.len(),
                self.packed.kind(),
                counted(self.names.len(), "member", "members"),
                some_of(&names, members.len() as u64),
                self.names[one],
                self.names[other],
                seconds(shared_ns),
            ),
            "read them with [[members_merged]] if one clock timed them; or read each alone if they do not share a cache; the order is right only if each counts its time from its own start and they ran one after another",
        ))
    }

    /// Goes to the next member; `false` at the end of the archive.
    fn advance(&mut self) -> Result<bool> {
        if self.finished {
            return Ok(false);
        }
        let (input, empty) = self.packed.next_input()?;
        self.empty += empty;
        let Some(input) = input else {
            self.finished = true;
            return Ok(false);
        };
        let name = input
            .packed()
            .map(|(_, name)| name.clone())
            .unwrap_or_default();
        choose(&input, &self.spec).map_err(|error| {
            other_format(&self.packed, &self.names[0], self.format, &name, &error)
        })?;
        let Open::Requests(open) = self.format.open else {
            return Err(Error::Internal {
                message: "a canonical trace was taken for the member of an archive".to_owned(),
            });
        };
        let reader = open(input, &self.spec)?;
        self.keep_warnings();
        if let Some(last) = self.names.last() {
            let natural = natural_order(last.as_bytes(), name.as_bytes());
            self.out_of_order += u64::from(natural.is_gt());
            self.two_orders |= natural.is_gt() != (*last > name);
        }
        self.names.push(name);
        self.times_ns.push(None);
        self.current = reader;
        self.current_numbers.clear();
        self.tell_names();
        Ok(true)
    }
}

/// A member that has not the format of the first.
pub(crate) fn other_format(
    packed: &Packed,
    first: &str,
    format: &'static Format,
    name: &str,
    error: &Error,
) -> Error {
    Error::Unreadable {
        path: packed.path().to_owned(),
        message: format!(
            "the {}'s members have different formats: `{first}` is {}, but {error}",
            packed.kind(),
            format.name
        ),
        hint: format!("{}, without `{name}`", alone(packed)),
    }
}

/// Warns of an archive whose end may be missing, and of members without content.
pub(crate) fn holes(packed: &Packed, members: usize, empty: u64) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if packed.end_missing() {
        warnings.push(Warning::new(
            "archive_end_missing",
            format!(
                "the tar archive ends after its member {members} without an end mark, so further members may be missing"
            ),
            "compare the file's size with the original, or the members with `tar -tf`",
        ));
    }
    if empty > 0 {
        warnings.push(Warning::new(
            "empty_members",
            counted(
                empty,
                &format!("member of the {} is empty", packed.kind()),
                &format!("members of the {} are empty", packed.kind()),
            ),
            "check that nothing was lost when the files were packed or copied",
        ));
    }
    warnings
}

impl RequestReader for Members {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        loop {
            if self.current.read(batch)? {
                self.renumber(batch);
                return Ok(true);
            }
            if !self.advance()? {
                return Ok(false);
            }
        }
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let mut records = self.current.preview(rows)?;
        self.number_devices();
        self.keep_times(records.iter().map(|record| record.request.time_ns));
        for record in &mut records {
            record.request.space = self.current_numbers[record.request.space as usize];
        }
        Ok(records)
    }

    fn understanding(&self) -> &Understanding {
        &self.understanding
    }

    fn spaces(&self) -> &[String] {
        &self.devices.names
    }

    fn warnings(&self) -> Vec<Warning> {
        let end_missing = self.packed.end_missing();
        if self.names.len() == 1 && self.empty == 0 && !end_missing {
            return self.current.warnings();
        }
        let mut warnings: Vec<Warning> = self
            .member_warnings()
            .iter()
            .map(MemberWarning::told)
            .collect();
        warnings.extend(
            self.devices
                .joined(self.names.len(), self.packed.kind(), self.format),
        );
        warnings.extend(self.overlapping());
        warnings.extend(self.order_assumed());
        if self.out_of_order > 0 {
            let members = format!(
                "the {}'s {}",
                self.packed.kind(),
                counted(self.names.len(), "member", "members")
            );
            warnings.push(Warning::new(
                "members_out_of_order",
                format!(
                    "{} after one whose name sorts later; the order of the {} is kept",
                    counted(
                        self.out_of_order,
                        &format!("of {members} comes"),
                        &format!("of {members} come"),
                    ),
                    self.packed.kind()
                ),
                if self.packed.kind() == "list" {
                    "name them in time order if the trace was split by time"
                } else {
                    "pack them again in time order if the trace was split by time"
                },
            ));
        }
        warnings.extend(holes(&self.packed, self.names.len(), self.empty));
        warnings
    }

    fn skipped(&self) -> u64 {
        self.skipped + self.current.skipped()
    }

    fn position(&self) -> (u64, u64) {
        let (done, all) = self.current.position();
        // The directory of a ZIP archive stands behind its members and is not streamed.
        (if self.finished { all } else { done }, all)
    }

    fn compression(&self) -> Compression {
        self.current.compression()
    }
}
