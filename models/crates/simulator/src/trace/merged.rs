//! The members of an archive as one trace, merged by time: disks that were recorded at once.
//!
//! All members are read side by side, each by a stream of its own with some requests in hand, so
//! memory is bounded by the number of members. Of equal times the earlier member's request comes
//! first. A member whose own times go back keeps its order: the request follows at once, as late as
//! it is.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};

use crate::error::{Error, Result};
use crate::trace::TraceSpec;
use crate::trace::formats::{Format, choose};
use crate::trace::members::{Devices, MERGED, MemberWarning, holes, other_format, some_of};
use crate::trace::open::{Input, Packed};
use crate::trace::reader::{
    BATCH_REQUESTS, PlacedRequest, Request, RequestReader, Understanding, Warning,
};
use crate::trace::streams::Compression;
use crate::wording::counted;

/// Most members that are merged: each is a stream with a file and buffers of its own.
const MOST_MEMBERS: usize = 256;

/// What opens a member.
type OpenReader = fn(Input, &TraceSpec) -> Result<Box<dyn RequestReader>>;

/// One member on its way.
struct Stream {
    reader: Box<dyn RequestReader>,
    name: String,
    /// Requests that were read with their place, in front of the batch.
    placed: VecDeque<PlacedRequest>,
    batch: Vec<Request>,
    at: usize,
    /// Numbers of its devices in all members, by its own; `None` before its first request.
    numbers: Vec<Option<u32>>,
}

impl Stream {
    /// Time of the next request; `None` at the end.
    fn next_time_ns(&mut self) -> Result<Option<i64>> {
        if let Some(first) = self.placed.front() {
            return Ok(Some(first.request.time_ns));
        }
        if self.at == self.batch.len() {
            self.at = 0;
            if !self.reader.read(&mut self.batch)? {
                self.batch.clear();
                return Ok(None);
            }
        }
        Ok(self.batch.get(self.at).map(|request| request.time_ns))
    }

    /// The next request, which there is, and its place and text if it was read with them.
    fn take(&mut self) -> (Request, Option<(String, String)>) {
        if let Some(placed) = self.placed.pop_front() {
            return (placed.request, Some((placed.place, placed.raw)));
        }
        self.at += 1;
        (self.batch[self.at - 1], None)
    }
}

/// A trace of one format in several members, merged by time.
pub(crate) struct Merged {
    packed: Packed,
    format: &'static Format,
    members_apart: bool,
    streams: Vec<Stream>,
    /// Next request of each stream, earliest first; of equal times the earlier member's.
    order: BinaryHeap<Reverse<(i64, usize)>>,
    started: bool,
    finished: bool,
    understanding: Understanding,
    empty: u64,
    devices: Devices,
}

impl Merged {
    /// Opens all members, which must have the format of the first.
    pub(crate) fn open(
        packed: Packed,
        format: &'static Format,
        open: OpenReader,
        spec: &TraceSpec,
    ) -> Result<Self> {
        let spec = TraceSpec {
            format: Some(format.name.to_owned()),
            ..spec.clone()
        };
        let hint = "merge them in groups, or read them without a merge; or write one file sorted by time, with the device in a column";
        let mut streams: Vec<Stream> = Vec::new();
        let mut empty = 0;
        for (name, input) in packed.side_by_side(MOST_MEMBERS, hint)? {
            let Some(input) = input else {
                empty += 1;
                continue;
            };
            let first = streams.first().map_or(name.as_str(), |first| &first.name);
            choose(&input, &spec)
                .map_err(|error| other_format(&packed, first, format, &name, &error))?;
            let reader = open(input, &spec)?;
            if !reader.understanding().has_time {
                return Err(without_time(&packed, format, &name));
            }
            streams.push(Stream {
                reader,
                name,
                placed: VecDeque::new(),
                batch: Vec::new(),
                at: 0,
                numbers: Vec::new(),
            });
        }
        let understanding = understanding(&packed, &streams, spec.members_apart)?;
        Ok(Self {
            packed,
            format,
            members_apart: spec.members_apart,
            streams,
            order: BinaryHeap::new(),
            started: false,
            finished: false,
            understanding,
            empty,
            devices: Devices::default(),
        })
    }

    /// Puts the first request of each stream in order.
    fn start(&mut self) -> Result<()> {
        if self.started {
            return Ok(());
        }
        self.started = true;
        for (index, stream) in self.streams.iter_mut().enumerate() {
            if let Some(time_ns) = stream.next_time_ns()? {
                self.order.push(Reverse((time_ns, index)));
            }
        }
        Ok(())
    }

    /// The earliest request of all streams, and which one it is of.
    #[expect(
        clippy::type_complexity,
        reason = "a request, with its place and text if known"
    )]
    fn next(&mut self) -> Result<Option<(usize, Request, Option<(String, String)>)>> {
        self.start()?;
        let Some(&Reverse((_, index))) = self.order.peek() else {
            self.finished = true;
            return Ok(None);
        };
        let (mut request, shown) = self.streams[index].take();
        request.space = self.device(index, request.space);
        let next_ns = self.streams[index].next_time_ns()?;
        if let Some(mut first) = self.order.peek_mut() {
            match next_ns {
                Some(time_ns) => *first = Reverse((time_ns, index)),
                None => {
                    PeekMut::pop(first);
                }
            }
        }
        Ok(Some((index, request, shown)))
    }

    /// The number of a device in all members, in the order of their first requests.
    fn device(&mut self, index: usize, own: u32) -> u32 {
        let stream = &mut self.streams[index];
        let place = own as usize;
        if let Some(Some(number)) = stream.numbers.get(place) {
            return *number;
        }
        if stream.numbers.len() <= place {
            stream.numbers.resize(place + 1, None);
        }
        let apart = self
            .members_apart
            .then_some((stream.name.as_str(), index + 1));
        let number = self.devices.number(&stream.reader.spaces()[place], apart);
        stream.numbers[place] = Some(number);
        number
    }
}

#[cold]
fn without_time(packed: &Packed, format: &'static Format, name: &str) -> Error {
    Error::BadParameter {
        name: MERGED,
        value: "true".to_owned(),
        message: format!(
            "`{}`: the requests of its members cannot be ordered, because `{name}`, read as {}, has no times",
            packed.path().display(),
            format.name
        ),
        hint: if format.has_time {
            "name the time column, or leave it out: the members are then read one after another"
        } else {
            "leave it out: the members are then read one after another"
        }
        .to_owned(),
    }
}

/// How all members are understood: as the first, with what they are to each other.
fn understanding(packed: &Packed, streams: &[Stream], apart: bool) -> Result<Understanding> {
    let Some(first) = streams.first() else {
        return Err(Error::Internal {
            message: "members without content were taken for a trace".to_owned(),
        });
    };
    let names: Vec<String> = streams.iter().map(|stream| stream.name.clone()).collect();
    let (kind, count) = (packed.kind(), names.len());
    let mut understanding = first.reader.understanding().clone();
    for stream in streams {
        if stream.reader.understanding().addressing != understanding.addressing {
            return Err(Error::Unreadable {
                path: packed.path().to_owned(),
                message: format!(
                    "the {kind}'s members `{}` and `{}` count addresses in different units",
                    first.name, stream.name
                ),
                hint: "read each alone".to_owned(),
            });
        }
    }
    let devices = if apart {
        ", each with separate devices, which bear its name (and `#` with its number, where that name is taken)"
    } else {
        ""
    };
    understanding.assumptions.push(format!(
        "the {kind}'s {} are one trace{devices}, merged by time as if one clock timed them all; at equal times the request of the earlier member comes first: {}",
counted(count, "member", "members"),
        some_of(&names, count as u64)
    ));
    Ok(understanding)
}

impl RequestReader for Merged {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        batch.clear();
        while batch.len() < BATCH_REQUESTS {
            let Some((_, request, _)) = self.next()? else {
                break;
            };
            batch.push(request);
        }
        Ok(!batch.is_empty())
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        if !self.started {
            for stream in &mut self.streams {
                stream.placed = stream.reader.preview(rows)?.into();
            }
        }
        let mut records = Vec::new();
        while records.len() < rows {
            let Some((index, request, shown)) = self.next()? else {
                break;
            };
            let (place, raw) = shown.unwrap_or_default();
            records.push(PlacedRequest {
                place: format!("{place} of {}", self.streams[index].name),
                raw,
                request,
            });
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
        let mut all = Vec::new();
        for stream in &self.streams {
            MemberWarning::add(&mut all, &stream.name, stream.reader.warnings());
        }
        let mut warnings: Vec<Warning> = all.iter().map(MemberWarning::told).collect();
        let members = self.streams.len();
        warnings.extend(
            self.devices
                .joined(members, self.packed.kind(), self.format),
        );
        warnings.extend(holes(&self.packed, members, self.empty));
        warnings
    }

    fn skipped(&self) -> u64 {
        let streams = self.streams.iter();
        streams.map(|stream| stream.reader.skipped()).sum()
    }

    fn position(&self) -> (u64, u64) {
        let all = self.streams[0].reader.position().1;
        if self.finished {
            return (all, all);
        }
        let streams = self.streams.iter();
        let done: u64 = streams.map(|stream| stream.reader.position().0).sum();
        if self.packed.has_streams_apart() {
            (done.min(all), all)
        } else {
            // Each stream reads the archive from its beginning: on average they are here.
            (done / self.streams.len() as u64, all)
        }
    }

    fn compression(&self) -> Compression {
        self.streams[0].reader.compression()
    }
}
