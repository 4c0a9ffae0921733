//! The state of a device, and what a write and a TRIM do to it.

use super::bast::Bast;
use super::block_mapped::BlockMapped;
use super::buffer::{Buffer, Buffered, Serves};
use super::fast::Fast;
use super::victims::{ByValid, Choices, CostBenefit, Fifo, Greedy, Victims};
use super::zones::Zones;
use super::{Collection, Copies, FtlResult, Mapping, Merges, Settings, StreamCounters, Wear};
use crate::error::{Error, Result};

/// Place of a logical page that is not in use.
pub(super) const NOWHERE: u32 = u32::MAX;
/// Bits of a word of the validity map.
const WORD: u32 = u64::BITS;
/// Requests whose places are read together before any is served.
const TOGETHER: usize = 64;

/// What lies below a write buffer, if there is one.
pub(super) trait Layer: Serves {
    /// Makes the copy of a page invalid; whether there was one.
    fn forget(&mut self, page: u32) -> bool;
    fn result(&self) -> FtlResult;
    /// The logical pages valid on each block, in the order of its slots.
    fn contents(&self) -> Vec<Vec<u32>>;
    fn block_of(&self, page: u32) -> Option<u32>;
    /// Fails if it was given a write that it does not take.
    fn refused(&self) -> Result<()> {
        Ok(())
    }
}

impl<V: Victims> Layer for Device<V> {
    fn forget(&mut self, page: u32) -> bool {
        Device::forget(self, page)
    }

    fn result(&self) -> FtlResult {
        Device::result(self)
    }

    fn contents(&self) -> Vec<Vec<u32>> {
        Device::contents(self)
    }

    fn block_of(&self, page: u32) -> Option<u32> {
        Device::place(self, page)
    }
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Writes a page.
    Write,
    /// Declares a page unused.
    Trim,
}

/// One request of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Logical page.
    pub page: u32,
    /// What it does.
    pub op: Op,
    /// Stream of a write.
    pub stream: u32,
}

/// A block, or the end of a list of blocks: 16 bytes, so that it never spans two cache lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Valid pages.
    pub(super) valid: u32,
    /// The block before it in its list.
    pub(super) before: u32,
    /// The block after it.
    pub(super) after: u32,
    /// Erases, and whether it is closed in the lowest bit.
    erases_closed: u32,
}

impl Block {
    const FREE: Self = Self {
        valid: 0,
        before: 0,
        after: 0,
        erases_closed: 0,
    };

    pub(super) fn end(entry: u32) -> Self {
        Self {
            before: entry,
            after: entry,
            ..Self::FREE
        }
    }

    fn is_closed(&self) -> bool {
        self.erases_closed & 1 == 1
    }
}

/// Binary digits of a slot within its block: at least a word of the validity map.
pub(super) fn shift(block_pages: u32) -> u32 {
    block_pages.next_power_of_two().trailing_zeros().max(6)
}

/// An open block: its next slot, and the slot behind its last.
#[derive(Debug, Clone, Copy)]
struct Open {
    next: u32,
    end: u32,
}

/// A device with one rule of collection.
#[derive(Debug)]
pub(super) struct Device<V> {
    settings: Settings,
    shift: u32,
    /// Place of each logical page.
    places: Vec<u32>,
    /// Logical page written last to each slot.
    pages: Vec<u32>,
    /// Whether each slot holds a page in use.
    valid: Vec<u64>,
    blocks: Vec<Block>,
    /// Stream of each block that is not free.
    streams: Vec<u8>,
    /// Erased blocks; the one erased first is opened first. A ring.
    free: std::collections::VecDeque<u32>,
    /// One of each stream, and one for copies.
    open: Vec<Open>,
    victims: V,
    used: u64,
    /// Host writes since the beginning.
    now: u64,
    trims: u64,
    erases: u64,
    counters: Vec<StreamCounters>,
    before: Option<Vec<u32>>,
}

impl<V: Victims> Device<V> {
    fn new(settings: Settings, victims: impl FnOnce(&mut Vec<Block>) -> V) -> Self {
        let shift = shift(settings.block_pages);
        let count = settings.blocks as usize;
        let mut blocks = vec![Block::FREE; count];
        let victims = victims(&mut blocks);
        let frontiers = settings.streams as usize + 1;
        Self {
            settings,
            shift,
            places: vec![NOWHERE; settings.logical_pages as usize],
            pages: vec![NOWHERE; count << shift],
            valid: vec![0; (count << shift) / WORD as usize],
            blocks,
            streams: vec![0; count],
            free: (0..settings.blocks).collect(),
            open: vec![Open { next: 0, end: 0 }; frontiers],
            victims,
            used: 0,
            now: 0,
            trims: 0,
            erases: 0,
            counters: vec![StreamCounters::default(); frontiers],
            before: None,
        }
    }

    #[inline]
    pub(super) fn any_used(&self) -> bool {
        self.used > 0
    }

    /// Reads the places of some pages, all at once.
    #[inline]
    pub(super) fn fetch(&self, pages: impl Iterator<Item = u32>) {
        let mixed = pages.fold(0, |mixed, page| mixed ^ self.places[page as usize]);
        std::hint::black_box(mixed);
    }

    #[inline]
    pub(super) fn write(&mut self, page: u32, stream: u32) {
        self.now += 1;
        let former = std::mem::replace(&mut self.places[page as usize], NOWHERE);
        if former == NOWHERE {
            self.used += 1;
        } else {
            self.invalidate(former);
        }
        self.counters[stream as usize].host_writes += 1;
        while self.open[stream as usize].next == self.open[stream as usize].end {
            self.open_block(stream);
            while self.free.len() < self.settings.reserve as usize {
                self.collect();
            }
        }
        self.append(page, stream);
    }

    /// Whether the page was in use.
    pub(super) fn trim(&mut self, page: u32) -> bool {
        let was_used = self.forget(page);
        self.trims += u64::from(was_used);
        was_used
    }

    /// Makes the copy of a page invalid; whether there was one.
    pub(super) fn forget(&mut self, page: u32) -> bool {
        let former = std::mem::replace(&mut self.places[page as usize], NOWHERE);
        if former == NOWHERE {
            return false;
        }
        self.invalidate(former);
        self.used -= 1;
        true
    }

    #[inline]
    fn invalidate(&mut self, place: u32) {
        self.valid[(place / WORD) as usize] &= !(1 << (place % WORD));
        let block = place >> self.shift;
        let entry = &mut self.blocks[block as usize];
        entry.valid -= 1;
        if V::WATCHES && entry.is_closed() {
            self.victims.lowered(&mut self.blocks, block, self.now);
        }
    }

    /// Writes a page to the open block of a stream, which has a free slot.
    #[inline]
    fn append(&mut self, page: u32, stream: u32) {
        let open = &mut self.open[stream as usize];
        let place = open.next;
        open.next += 1;
        self.pages[place as usize] = page;
        self.valid[(place / WORD) as usize] |= 1 << (place % WORD);
        self.blocks[(place >> self.shift) as usize].valid += 1;
        self.places[page as usize] = place;
    }

    /// Closes the full block of a stream, if it has one, and opens a free one.
    fn open_block(&mut self, stream: u32) {
        let Open { end, .. } = self.open[stream as usize];
        if end > 0 {
            let block = (end - 1) >> self.shift;
            self.blocks[block as usize].erases_closed |= 1;
            self.victims.closed(&mut self.blocks, block, self.now);
        }
        let block = self.free.pop_front().expect("a free block is held back");
        self.streams[block as usize] = u8::try_from(stream).expect("at most 64 streams");
        let next = block << self.shift;
        self.open[stream as usize] = Open {
            next,
            end: next + self.settings.block_pages,
        };
    }

    /// Copies the valid pages of a victim to an open block, and erases it.
    fn collect(&mut self) {
        let victim = self.victims.take(&mut self.blocks, self.now);
        let stream = u32::from(self.streams[victim as usize]);
        let to = match self.settings.copies {
            Copies::Stream => stream,
            Copies::Apart => self.settings.streams,
        };
        let first = victim << self.shift;
        let words = self.settings.block_pages.div_ceil(WORD);
        // Nothing is invalidated meanwhile, so what the copies occupy is noted once a block.
        let mut from = self.open[to as usize].next;
        let Open { mut next, mut end } = self.open[to as usize];
        for word in first / WORD..first / WORD + words {
            let mut valid = std::mem::take(&mut self.valid[word as usize]);
            while valid != 0 {
                let slot = word * WORD + valid.trailing_zeros();
                valid &= valid - 1;
                if next == end {
                    self.occupy(from, next);
                    self.open_block(to);
                    Open { next, end } = self.open[to as usize];
                    from = next;
                }
                let page = self.pages[slot as usize];
                self.pages[next as usize] = page;
                self.places[page as usize] = next;
                next += 1;
            }
        }
        self.occupy(from, next);
        self.open[to as usize].next = next;
        let entry = &mut self.blocks[victim as usize];
        self.counters[stream as usize].moved += u64::from(entry.valid);
        entry.valid = 0;
        // One erase more, and no longer closed.
        entry.erases_closed += 1;
        self.erases += 1;
        self.free.push_back(victim);
    }

    /// Notes that the slots of an open block from one up to another hold valid pages.
    fn occupy(&mut self, from: u32, to: u32) {
        if from == to {
            return;
        }
        self.blocks[(from >> self.shift) as usize].valid += to - from;
        let mut at = from;
        while at < to {
            let until = (at / WORD + 1).saturating_mul(WORD).min(to);
            let ones = u64::MAX >> (WORD - (until - at));
            self.valid[(at / WORD) as usize] |= ones << (at % WORD);
            at = until;
        }
    }

    pub(super) fn restart_counters(&mut self) {
        self.counters.fill(StreamCounters::default());
        self.trims = 0;
        self.erases = 0;
        self.before = Some(self.erases_each().collect());
    }

    fn erases_each(&self) -> impl Iterator<Item = u32> {
        let blocks = &self.blocks[..self.settings.blocks as usize];
        blocks.iter().map(|block| block.erases_closed >> 1)
    }

    pub(super) fn result(&self) -> FtlResult {
        let host_writes: u64 = self.counters.iter().map(|each| each.host_writes).sum();
        let moved: u64 = self.counters.iter().map(|each| each.moved).sum();
        FtlResult {
            host_writes,
            absorbed: 0,
            trims: self.trims,
            moved,
            erases: self.erases,
            merges: Merges::default(),
            waf: waf(host_writes + moved, host_writes),
            waf_without_trim: None,
            erases_without_trim: None,
            waf_one_stream: None,
            erases_one_stream: None,
            metadata_pages: None,
            metadata_writes: None,
            metadata_layout: None,
            used_pages: self.used,
            streams: self.counters[..self.settings.streams as usize].to_vec(),
            wear: wear(self.erases_each(), self.before.as_deref()),
        }
    }

    /// The logical pages valid on each block, in the order of its slots.
    fn contents(&self) -> Vec<Vec<u32>> {
        (0..self.settings.blocks)
            .map(|block| {
                let first = block << self.shift;
                (first..first + self.settings.block_pages)
                    .filter(|slot| self.valid[(slot / WORD) as usize] >> (slot % WORD) & 1 == 1)
                    .map(|slot| self.pages[slot as usize])
                    .collect()
            })
            .collect()
    }

    fn place(&self, page: u32) -> Option<u32> {
        let place = self.places[page as usize];
        (place != NOWHERE).then(|| place >> self.shift)
    }
}

/// So many pages from one on, the first again behind the last.
fn run(first: u32, pages: u32, logical_pages: u32) -> impl Iterator<Item = u32> {
    let mut page = first;
    (0..pages).map(move |_| {
        let next = if page + 1 == logical_pages {
            0
        } else {
            page + 1
        };
        std::mem::replace(&mut page, next)
    })
}

fn too_large(name: &'static str, value: u32, count: u32) -> Error {
    Error::BadParameter {
        name,
        value: value.to_string(),
        message: format!("is not below {count}"),
        hint: "number the pages and streams of a device from 0".to_owned(),
    }
}

/// What blocks were erased since `before`.
pub(super) fn wear(erases_each: impl Iterator<Item = u32>, before: Option<&[u32]>) -> Wear {
    let (mut least, mut most, mut sum, mut squares) = (u32::MAX, 0, 0.0, 0.0);
    let mut count = 0.0;
    for (block, erases) in erases_each.enumerate() {
        let erases = erases - before.map_or(0, |before| before[block]);
        least = least.min(erases);
        most = most.max(erases);
        sum += f64::from(erases);
        squares += f64::from(erases) * f64::from(erases);
        count += 1.0;
    }
    let mean = sum / count;
    Wear {
        least,
        mean,
        most,
        deviation: (squares / count - mean * mean).max(0.0).sqrt(),
    }
}

/// Pages written to flash per page of the host; none without a write.
pub(super) fn waf(written: u64, host_writes: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    (host_writes > 0).then(|| written as f64 / host_writes as f64)
}

/// Serves requests in their order, those before one that is none of the device's.
fn serve(
    target: &mut impl Serves,
    settings: &Settings,
    requests: impl Iterator<Item = Request>,
) -> Result<()> {
    let mut requests = requests.peekable();
    let mut together = Vec::with_capacity(TOGETHER);
    while requests.peek().is_some() {
        together.clear();
        together.extend(requests.by_ref().take(TOGETHER));
        for request in &together {
            if request.page >= settings.logical_pages {
                return Err(too_large("page", request.page, settings.logical_pages));
            }
            if request.stream >= settings.streams {
                return Err(too_large("stream", request.stream, settings.streams));
            }
        }
        target.fetch(together.iter().map(|request| request.page));
        for &Request { page, op, stream } in &together {
            match op {
                Op::Write => target.write(page, stream),
                Op::Trim => {
                    target.trim(page);
                }
            }
        }
    }
    Ok(())
}

/// A flash device with any rule of collection, behind a write buffer if it has one.
#[derive(Debug)]
pub struct Ftl {
    settings: Settings,
    pub(super) device: Any,
    pub(super) buffer: Option<Box<Buffer>>,
}

#[derive(Debug)]
pub(super) enum Any {
    Greedy(Device<Greedy>),
    Fifo(Device<Fifo>),
    Choices(Device<Choices>),
    CostBenefit(Device<CostBenefit>),
    Block(BlockMapped),
    Bast(Bast),
    Fast(Fast),
    Zones(Zones),
}

/// Does the same with the device of any rule.
macro_rules! with_device {
    ($any:expr, $device:ident => $body:expr) => {
        match $any {
            Any::Greedy($device) => $body,
            Any::Fifo($device) => $body,
            Any::Choices($device) => $body,
            Any::CostBenefit($device) => $body,
            Any::Block($device) => $body,
            Any::Bast($device) => $body,
            Any::Fast($device) => $body,
            Any::Zones($device) => $body,
        }
    };
}
pub(super) use with_device;

/// Does the same with what serves the requests of a host: the device, or its buffer before it.
macro_rules! with_target {
    ($ftl:expr, $target:ident => $body:expr) => {
        match &mut $ftl.buffer {
            None => with_device!(&mut $ftl.device, device => {
                let $target = &mut *device;
                $body
            }),
            Some(buffer) => with_device!(&mut $ftl.device, device => {
                let $target = &mut Buffered { device, buffer };
                $body
            }),
        }
    };
}
pub(super) use with_target;

impl Ftl {
    /// An empty device.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if it could not work: a size out of range, or too little spare space.
    pub fn new(settings: Settings) -> Result<Self> {
        settings.checked()?;
        let pages = settings.block_pages;
        let drawn = |choices| {
            Any::Choices(Device::new(settings, |_| {
                Choices::new(choices, settings.seed)
            }))
        };
        let of_pages = || match settings.collection {
            Collection::Greedy => Any::Greedy(Device::new(settings, |blocks| {
                Greedy(ByValid::new(blocks, pages))
            })),
            Collection::CostBenefit => Any::CostBenefit(Device::new(settings, |blocks| {
                CostBenefit::new(ByValid::new(blocks, pages))
            })),
            Collection::Fifo => Any::Fifo(Device::new(settings, |_| Fifo::default())),
            Collection::Random => drawn(1),
            Collection::Choices(choices) => drawn(choices),
        };
        let device = match settings.mapping {
            Mapping::Page => of_pages(),
            Mapping::Block => Any::Block(BlockMapped::new(&settings)),
            Mapping::Bast => Any::Bast(Bast::new(&settings)),
            Mapping::Fast => Any::Fast(Fast::new(&settings)),
            Mapping::Zones => Any::Zones(Zones::new(&settings)),
        };
        let buffer = (settings.buffer_pages > 0)
            .then(|| Box::new(Buffer::new(settings.buffer_pages, settings.logical_pages)));
        Ok(Self {
            settings,
            device,
            buffer,
        })
    }

    /// Serves requests in their order.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if a page or a stream is none of the device's; those before are served. Also for
    /// a write that it does not take.
    pub fn serve(&mut self, requests: impl IntoIterator<Item = Request>) -> Result<()> {
        let settings = self.settings;
        with_target!(self, target => serve(target, &settings, requests.into_iter()))?;
        self.refused()
    }

    /// Whether all writes were of a kind that the device takes.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for the first one that was not.
    pub fn refused(&self) -> Result<()> {
        with_device!(&self.device, device => device.refused())
    }

    /// Writes pages one after the other, the first again behind the last, as one of the streams.
    pub(crate) fn write_run(&mut self, first: u32, pages: u32, stream: u32) {
        let logical_pages = self.settings.logical_pages;
        with_target!(self, target => {
            for page in run(first, pages, logical_pages) {
                target.write(page, stream);
            }
        });
    }

    /// Trims pages one after the other, the first again behind the last.
    pub(crate) fn trim_run(&mut self, first: u32, pages: u32) {
        let logical_pages = self.settings.logical_pages;
        with_target!(self, target => {
            for page in run(first, pages, logical_pages) {
                target.trim(page);
            }
        });
    }

    /// Declares all pages unused; not counted.
    pub(crate) fn trim_all(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            buffer.clear();
        }
        for page in 0..self.settings.logical_pages {
            with_device!(&mut self.device, device => device.forget(page));
        }
    }

    /// Sets all counters to 0; the pages stay where they are.
    pub fn restart_counters(&mut self) {
        with_target!(self, target => target.restart_counters());
    }

    /// What was counted.
    pub fn result(&self) -> FtlResult {
        let found = with_device!(&self.device, device => device.result());
        let Some(buffer) = &self.buffer else {
            return found;
        };
        let host_writes = buffer.host_writes;
        FtlResult {
            host_writes,
            absorbed: buffer.absorbed,
            trims: found.trims + buffer.trims,
            waf: waf(found.host_writes + found.moved, host_writes),
            used_pages: found.used_pages + u64::from(buffer.held()),
            ..found
        }
    }

    /// The logical pages valid on each block, in the order of its slots.
    pub fn contents(&self) -> Vec<Vec<u32>> {
        with_device!(&self.device, device => device.contents())
    }

    /// The block that holds a logical page; none where it is not in use.
    pub fn block_of(&self, page: u32) -> Option<u32> {
        with_device!(&self.device, device => device.block_of(page))
    }
}
