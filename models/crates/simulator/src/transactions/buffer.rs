//! The frames of memory, which of them are given up, and what is written then.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::medium::{Content, Medium};
use super::wal::{
    CHECKPOINT_BYTES, END_BYTES, ROW_BYTES, Record, Says, Stable, Step, Wal, recover,
};
use super::{
    Answer, Counts, Event, Kind, MERGE_PAGES, Outcome, Rules, Settings, Steps, System, Victim,
};
use crate::hash::FastMap;

/// No frame, no transaction, no place.
const NONE: u32 = u32::MAX;
/// Whole numbers below are exact. [ticks]
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A clock with an order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Clock(f64);

impl Eq for Clock {}

impl PartialOrd for Clock {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Clock {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// When a transaction leaves, its id, its slot.
type Leaves = (Clock, Rc<str>, u32);

#[derive(Debug)]
struct Frame {
    page: u64,
    owner: u32,
    /// Where its owner lists it.
    at: u32,
    time: f64,
    /// Updates not written yet, by transaction, the last to update at the end.
    records: Vec<(u32, u32)>,
    /// Changed by what ended, beside the records.
    settled: bool,
    free: bool,
    /// Number of the last record that changed it, and of the first since it was clean; 0: none.
    lsn: u64,
    dirty_since: u64,
}

impl Frame {
    fn is_dirty(&self) -> bool {
        self.settled || !self.records.is_empty()
    }

    fn record_count(&self) -> u64 {
        self.records
            .iter()
            .map(|&(_, count)| u64::from(count))
            .sum()
    }
}

#[derive(Debug)]
struct Transaction {
    name: Rc<str>,
    number: u64,
    running: bool,
    commit: Option<f64>,
    owned: Vec<u32>,
    /// Sum of the clocks of its frames, and how many of them are no whole numbers, and missing in it.
    sum: i128,
    odd: u32,
    /// Its key among those ordered by average access time.
    average: Option<f64>,
    stale: bool,
    /// Programs that hold changes of it, each with its number.
    pushed: Vec<(Content, u64)>,
    changed: Vec<u64>,
    /// Pages and records of its updates, where there is a log proper.
    updates: Vec<(u64, u64)>,
    /// Frames that hold records of it.
    recorded: u32,
}

/// Frames in an order, from the one that goes first.
#[derive(Debug)]
struct Queue {
    links: Vec<(u32, u32)>,
    first: u32,
    last: u32,
}

impl Queue {
    fn new() -> Self {
        Self {
            links: Vec::new(),
            first: NONE,
            last: NONE,
        }
    }

    fn push(&mut self, frame: u32) {
        let at = frame as usize;
        if self.links.len() <= at {
            self.links.resize(at + 1, (NONE, NONE));
        }
        self.links[at] = (self.last, NONE);
        match self.last {
            NONE => self.first = frame,
            last => self.links[last as usize].1 = frame,
        }
        self.last = frame;
    }

    /// The one behind another.
    fn after(&self, frame: u32) -> u32 {
        self.links[frame as usize].1
    }

    /// All, from the first on.
    fn iter(&self) -> impl Iterator<Item = u32> {
        let some = |frame: u32| (frame != NONE).then_some(frame);
        std::iter::successors(some(self.first), move |&frame| some(self.after(frame)))
    }

    fn remove(&mut self, frame: u32) {
        let (before, after) = self.links[frame as usize];
        match before {
            NONE => self.first = after,
            before => self.links[before as usize].1 = after,
        }
        match after {
            NONE => self.last = before,
            after => self.links[after as usize].0 = before,
        }
    }
}

/// A program that holds changes of several transactions.
#[derive(Debug, Clone, Copy)]
struct Shared {
    /// How many of them run.
    running: u32,
    /// One of them aborted.
    is_garbage: bool,
}

/// One page of log records: the pages whose records lie on it, each with the transactions they are of.
type Users = Vec<(u64, Vec<u64>)>;

/// One system: its frames, and the device below.
#[derive(Debug)]
pub(super) struct Memory {
    name: &'static str,
    rules: Rules,
    capacity: usize,
    record_bytes: u64,
    page_bytes: u64,
    list: bool,
    pub(super) counts: Counts,
    medium: Medium,
    steps: Steps,
    resident: FastMap<u64, u32>,
    frames: Vec<Frame>,
    spare_frames: Vec<u32>,
    running: FastMap<u64, u32>,
    transactions: Vec<Transaction>,
    spare_slots: Vec<u32>,
    /// All frames, the least recently touched first; only where pages leave singly.
    recency: Queue,
    /// Written out, or nobody's: frames that may be taken.
    free: Queue,
    by_commit: BTreeSet<Leaves>,
    by_average: BTreeSet<Leaves>,
    /// Those whose average access time has to be computed again; each slot once.
    stale: Vec<u32>,
    /// Dirty frames where there is a log proper, by the first record since each was clean.
    dirty: Queue,
    dirty_frames: u64,
    /// Running transactions that updated something, by their first record.
    updating: Queue,
    /// By number, the programs that are shared and not settled.
    shared: FastMap<u64, Shared>,
    logs_of: FastMap<u64, Vec<u64>>,
    log_users: FastMap<u64, Users>,
    next_log: u64,
    wal: Option<Wal>,
    stable: Option<Stable>,
    pub(super) journal: Option<Vec<Step>>,
    victims: Vec<Victim>,
}

impl Memory {
    pub(super) fn new(system: &System, settings: &Settings, medium: Medium) -> Self {
        let page_bytes = settings.geometry.page_bytes;
        let interval = settings.checkpoint_pages * page_bytes;
        let wal = (settings.durable || system.rules.log).then(|| Wal::new(page_bytes, interval));
        let stable = (settings.crash_after.is_some() && wal.is_some()).then(Stable::default);
        Self {
            name: system.name,
            rules: system.rules,
            capacity: settings.ram_pages as usize,
            record_bytes: settings.record_bytes,
            page_bytes,
            list: settings.list,
            counts: Counts::default(),
            medium,
            steps: Steps {
                most: settings.most_steps,
                taken: 0,
            },
            resident: FastMap::default(),
            frames: Vec::new(),
            spare_frames: Vec::new(),
            running: FastMap::default(),
            transactions: Vec::new(),
            spare_slots: Vec::new(),
            recency: Queue::new(),
            free: Queue::new(),
            by_commit: BTreeSet::new(),
            by_average: BTreeSet::new(),
            stale: Vec::new(),
            dirty: Queue::new(),
            dirty_frames: 0,
            updating: Queue::new(),
            shared: FastMap::default(),
            logs_of: FastMap::default(),
            log_users: FastMap::default(),
            next_log: 0,
            wal,
            stable,
            journal: None,
            victims: Vec::new(),
        }
    }

    /// Takes one event; `begun` is the name of what begins.
    pub(super) fn take(&mut self, event: Event, begun: Option<Rc<str>>) -> Answer<()> {
        if let Some(name) = begun {
            self.begin(event.transaction, name);
            return Ok(());
        }
        let slot = match event.kind {
            Kind::Commit | Kind::Abort => self.running.remove(&event.transaction),
            _ => self.running.get(&event.transaction).copied(),
        };
        let slot = slot.expect("it runs");
        match event.kind {
            Kind::Commit => self.commit(slot, event.time)?,
            Kind::Abort => self.abort(slot, event.time)?,
            _ => self.touch(slot, event.page, event.time, event.kind == Kind::Update)?,
        }
        if let Some(wal) = &self.wal
            && wal.end - wal.last_checkpoint >= wal.interval_bytes
        {
            self.checkpoint()?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, list: bool) -> Answer<Outcome> {
        let device = self.medium.counts()?;
        self.counts.reads += device.copied_pages;
        self.counts.copied_pages = device.copied_pages;
        self.counts.writes = device.copied_pages
            + self.counts.data_pages_written
            + self.counts.log_pages_written
            + self.counts.undo_pages_written
            + self.counts.wal_pages_written;
        self.counts.erases = device.erases;
        self.counts.live_pages = device.live_pages;
        self.counts.resident_pages = self.resident.len() as u64;
        let residents = if list { self.residents() } else { Vec::new() };
        let recovery = self
            .stable
            .as_ref()
            .map(|stable| recover(stable, self.page_bytes, self.record_bytes, |_| ()));
        Ok(Outcome {
            system: self.name,
            counts: self.counts,
            victims: self.victims,
            residents,
            recovery,
        })
    }

    fn residents(&self) -> Vec<super::Resident> {
        let held = self.transactions.iter().filter_map(|transaction| {
            let frames = transaction.owned.iter();
            let frames = frames.map(|&frame| &self.frames[frame as usize]);
            let mut times: Vec<f64> = frames
                .filter(|frame| !frame.free)
                .map(|frame| frame.time)
                .collect();
            times.sort_by(f64::total_cmp);
            let name = transaction.name.to_string();
            (!times.is_empty()).then_some((name, times, transaction.commit))
        });
        held.collect()
    }

    fn transaction(&mut self, slot: u32) -> &mut Transaction {
        &mut self.transactions[slot as usize]
    }

    fn frame(&mut self, frame: u32) -> &mut Frame {
        &mut self.frames[frame as usize]
    }

    fn begin(&mut self, number: u64, name: Rc<str>) {
        let fresh = Transaction {
            name,
            number,
            running: true,
            commit: None,
            owned: Vec::new(),
            sum: 0,
            odd: 0,
            average: None,
            stale: false,
            pushed: Vec::new(),
            changed: Vec::new(),
            updates: Vec::new(),
            recorded: 0,
        };
        let slot = if let Some(slot) = self.spare_slots.pop() {
            // What is listed as stale is the slot.
            let stale = self.transactions[slot as usize].stale;
            self.transactions[slot as usize] = Transaction { stale, ..fresh };
            slot
        } else {
            self.transactions.push(fresh);
            u32::try_from(self.transactions.len() - 1)
                .expect("fewer transactions than frames and runners")
        };
        self.running.insert(number, slot);
    }

    /// Frees the slot of a transaction that ended and has nothing in memory.
    fn release(&mut self, slot: u32) {
        let transaction = &self.transactions[slot as usize];
        if !transaction.running && transaction.owned.is_empty() && transaction.recorded == 0 {
            // Marked, so that it is released once.
            self.transaction(slot).recorded = NONE;
            self.spare_slots.push(slot);
        }
    }

    /// Takes its updates from a transaction that ends.
    fn end_updates(&mut self, slot: u32) -> Vec<(u64, u64)> {
        let updates = std::mem::take(&mut self.transaction(slot).updates);
        if !updates.is_empty() {
            self.updating.remove(slot);
        }
        updates
    }

    /// A transaction ended whose changes these programs hold; each is garbage once at most.
    fn settle(&mut self, pushed: &[(Content, u64)], aborted: bool) {
        for &(_, program) in pushed {
            let is_news = match self.shared.get_mut(&program) {
                None => aborted,
                Some(shared) => {
                    let is_news = aborted && !shared.is_garbage;
                    shared.is_garbage |= aborted;
                    shared.running -= 1;
                    if shared.running == 0 {
                        self.shared.remove(&program);
                    }
                    is_news
                }
            };
            self.counts.garbage_pages += u64::from(is_news);
        }
    }

    fn commit(&mut self, slot: u32, time: f64) -> Answer<()> {
        if !self.transactions[slot as usize].updates.is_empty() {
            let number = self.transactions[slot as usize].number;
            let lsn = self.log(END_BYTES, number, Says::Commit)?;
            self.force(lsn)?;
        }
        self.forget_average(slot);
        let updates = self.end_updates(slot);
        drop(updates);
        let transaction = self.transaction(slot);
        transaction.running = false;
        transaction.commit = Some(time);
        transaction.changed = Vec::new();
        let pushed = std::mem::take(&mut transaction.pushed);
        self.settle(&pushed, false);
        let transaction = self.transaction(slot);
        if !transaction.owned.is_empty() {
            let leaves = (Clock(time), Rc::clone(&transaction.name), slot);
            self.by_commit.insert(leaves);
        }
        self.release(slot);
        Ok(())
    }

    fn abort(&mut self, slot: u32, time: f64) -> Answer<()> {
        self.forget_average(slot);
        let updates = self.end_updates(slot);
        let transaction = self.transaction(slot);
        transaction.running = false;
        let pushed = std::mem::take(&mut transaction.pushed);
        let changed = std::mem::take(&mut transaction.changed);
        let owned = std::mem::take(&mut transaction.owned);
        self.settle(&pushed, true);
        if self.rules.log {
            self.undo_in_memory(slot, &updates, time)?;
        } else {
            self.undo_on_device(slot, &updates, pushed)?;
        }
        for page in changed {
            if let Some(&frame) = self.resident.get(&page) {
                self.forget_records(frame, slot);
            }
        }
        // Nobody wants its pages any more; those that another changed before go back to that one.
        let mut owned: Vec<_> = owned
            .into_iter()
            .map(|frame| (self.frames[frame as usize].page, frame))
            .collect();
        owned.sort_unstable();
        for (_, frame) in owned {
            let entry = self.frame(frame);
            entry.owner = NONE;
            entry.at = NONE;
            if let Some(&(other, _)) = entry.records.last() {
                self.give(frame, other);
            } else if !std::mem::replace(&mut entry.free, true) {
                self.free.push(frame);
            }
        }
        self.release(slot);
        Ok(())
    }

    /// As ARIES: every update is undone on its page in memory, which is read first if it is not there.
    fn undo_in_memory(&mut self, slot: u32, updates: &[(u64, u64)], time: f64) -> Answer<()> {
        let number = self.transactions[slot as usize].number;
        for &(page, update) in updates.iter().rev() {
            let frame = if let Some(&frame) = self.resident.get(&page) {
                frame
            } else {
                self.counts.undo_reads += 1;
                self.fetch(page)?
            };
            let lsn = self.log(self.record_bytes, number, Says::Undone { page, update })?;
            self.forget_records(frame, slot);
            let entry = self.frame(frame);
            entry.time = time;
            entry.settled = true;
            entry.lsn = lsn;
            self.dirtied(frame, lsn);
            self.touched_last(frame);
        }
        if !updates.is_empty() {
            self.log(END_BYTES, number, Says::Abort)?;
        }
        Ok(())
    }

    /// As the paper: what had been pushed out is restored at once, or dropped.
    fn undo_on_device(
        &mut self,
        slot: u32,
        updates: &[(u64, u64)],
        pushed: Vec<(Content, u64)>,
    ) -> Answer<()> {
        let number = self.transactions[slot as usize].number;
        if self.wal.is_some() && !updates.is_empty() {
            for &(page, update) in updates.iter().rev() {
                let lsn = self.log(self.record_bytes, number, Says::Undone { page, update })?;
                if let Some(&frame) = self.resident.get(&page) {
                    self.frame(frame).lsn = lsn;
                }
            }
            let lsn = self.log(END_BYTES, number, Says::Abort)?;
            if !pushed.is_empty() {
                self.force(lsn)?;
            }
        }
        for (content, _) in pushed {
            if let Some(log) = content.as_records() {
                self.drop_records(number, log)?;
            } else {
                self.counts.undo_pages_written += 1;
                self.medium.write(content, &mut self.steps)?;
                if let Some(page) = content.as_page() {
                    let transaction = number;
                    self.step(Step::TakenOff { page, transaction });
                }
            }
        }
        Ok(())
    }

    fn drop_records(&mut self, number: u64, log: u64) -> Answer<()> {
        let Some(users) = self.log_users.get_mut(&log) else {
            return Ok(());
        };
        self.steps.spend(users.len() as u64)?;
        let mut gone = Vec::new();
        let mut taken = Vec::new();
        for (page, writers) in users {
            let before = writers.len();
            writers.retain(|&writer| writer != number);
            if writers.len() < before {
                taken.push(*page);
            }
            if writers.is_empty() {
                gone.push(*page);
            }
        }
        for page in taken {
            let transaction = number;
            self.step(Step::TakenOff { page, transaction });
        }
        for page in gone {
            if let Some(logs) = self.logs_of.get_mut(&page) {
                logs.retain(|&each| each != log);
            }
            self.leave_log(log, page);
        }
        Ok(())
    }

    fn touch(&mut self, slot: u32, page: u64, time: f64, update: bool) -> Answer<()> {
        let frame = if let Some(&frame) = self.resident.get(&page) {
            self.counts.hits += 1;
            frame
        } else {
            self.counts.misses += 1;
            self.fetch(page)?
        };
        let owns = self.rules.committed_first;
        let before = if owns {
            let entry = self.frame(frame);
            if std::mem::replace(&mut entry.free, false) {
                self.free.remove(frame);
            }
            self.disown(frame)
        } else {
            NONE
        };
        self.frame(frame).time = time;
        if update {
            self.record(slot, frame)?;
        }
        if owns {
            let entry = self.frame(frame);
            let mine = update || entry.records.is_empty();
            self.give(frame, if mine { slot } else { before });
            if before != NONE && before != slot {
                self.release(before);
            }
        }
        self.touched_last(frame);
        Ok(())
    }

    /// Puts a frame at the recent end, where pages leave singly.
    fn touched_last(&mut self, frame: u32) {
        if !self.rules.average {
            self.recency.remove(frame);
            self.recency.push(frame);
        }
    }

    /// Reads a page into a frame, for which another may have to leave.
    fn fetch(&mut self, page: u64) -> Answer<u32> {
        self.counts.reads += 1;
        let extra = self.logs_of.get(&page).map_or(0, |logs| logs.len() as u64);
        self.counts.reads += extra;
        self.counts.extra_log_reads += extra;
        if self.resident.len() >= self.capacity {
            self.make_room()?;
        }
        let frame = if let Some(frame) = self.spare_frames.pop() {
            self.frame(frame).page = page;
            frame
        } else {
            self.frames.push(Frame {
                page,
                owner: NONE,
                at: NONE,
                time: 0.0,
                records: Vec::new(),
                settled: false,
                free: false,
                lsn: 0,
                dirty_since: 0,
            });
            u32::try_from(self.frames.len() - 1).expect("as many as fit")
        };
        self.resident.insert(page, frame);
        if !self.rules.average {
            self.recency.push(frame);
        }
        Ok(frame)
    }

    /// Notes an update of a frame.
    fn record(&mut self, slot: u32, frame: u32) -> Answer<()> {
        let number = self.transactions[slot as usize].number;
        let page = self.frames[frame as usize].page;
        if self.wal.is_some() {
            let lsn = self.log(self.record_bytes, number, Says::Update(page))?;
            self.frame(frame).lsn = lsn;
            self.dirtied(frame, lsn);
            let updates = &mut self.transaction(slot).updates;
            updates.push((page, lsn));
            if updates.len() == 1 {
                self.updating.push(slot);
            }
        }
        let entry = &mut self.frames[frame as usize];
        let count = if let Some(at) = entry.records.iter().position(|&(each, _)| each == slot) {
            entry.records.remove(at).1
        } else {
            let transaction = &mut self.transactions[slot as usize];
            transaction.changed.push(page);
            transaction.recorded += 1;
            0
        };
        if !entry.records.is_empty() {
            self.merge_ended(frame);
        }
        self.frame(frame)
            .records
            .push((slot, count.saturating_add(1)));
        Ok(())
    }

    /// Of the records of transactions that committed, only the last one's name can matter.
    fn merge_ended(&mut self, frame: u32) {
        let Self {
            frames,
            transactions,
            ..
        } = self;
        let entry = &mut frames[frame as usize];
        let keeps = self.rules.committed_first;
        let runs = |slot: u32| transactions[slot as usize].running;
        let last = entry.records.iter().rposition(|&(slot, _)| !runs(slot));
        let Some(last) = last else { return };
        let mut ended = Vec::new();
        let mut sum = 0_u32;
        let mut at = 0;
        entry.records.retain_mut(|(slot, count)| {
            at += 1;
            if runs(*slot) {
                return true;
            }
            sum = sum.saturating_add(*count);
            *count = sum;
            let stays = keeps && at > last;
            if !stays {
                ended.push(*slot);
            }
            stays
        });
        if !keeps {
            entry.settled = true;
        }
        for slot in ended {
            self.transaction(slot).recorded -= 1;
            self.release(slot);
        }
    }

    /// Takes the records of a transaction off a frame.
    fn forget_records(&mut self, frame: u32, slot: u32) {
        let entry = &mut self.frames[frame as usize];
        let before = entry.records.len();
        entry.records.retain(|&(each, _)| each != slot);
        if entry.records.len() < before {
            if !entry.is_dirty() {
                self.undirtied(frame);
            }
            self.transaction(slot).recorded -= 1;
        }
    }

    /// Lists a frame as dirty since a record of the log, unless it is listed.
    fn dirtied(&mut self, frame: u32, lsn: u64) {
        let entry = &mut self.frames[frame as usize];
        if entry.dirty_since == 0 {
            entry.dirty_since = lsn;
            self.dirty.push(frame);
            self.dirty_frames += 1;
        }
    }

    fn undirtied(&mut self, frame: u32) {
        if std::mem::take(&mut self.frame(frame).dirty_since) > 0 {
            self.dirty.remove(frame);
            self.dirty_frames -= 1;
        }
    }

    /// Everything that changed a frame is on the device.
    fn cleaned(&mut self, frame: u32) {
        self.undirtied(frame);
        let entry = self.frame(frame);
        entry.settled = false;
        let records = std::mem::take(&mut entry.records);
        for &(slot, _) in &records {
            self.transaction(slot).recorded -= 1;
            self.release(slot);
        }
        let mut records = records;
        records.clear();
        self.frame(frame).records = records;
    }

    fn give(&mut self, frame: u32, slot: u32) {
        let entry = &mut self.frames[frame as usize];
        let transaction = &mut self.transactions[slot as usize];
        entry.owner = slot;
        entry.at = u32::try_from(transaction.owned.len()).expect("fewer than frames");
        if let Some(whole) = whole(entry.time) {
            transaction.sum += whole;
        } else {
            transaction.odd += 1;
        }
        if transaction.owned.is_empty()
            && let Some(time) = transaction.commit
        {
            let leaves = (Clock(time), Rc::clone(&transaction.name), slot);
            self.by_commit.insert(leaves);
        }
        transaction.owned.push(frame);
        self.forget_average(slot);
    }

    /// Takes a frame from its owner, which is returned.
    fn disown(&mut self, frame: u32) -> u32 {
        let Frame {
            owner, at, time, ..
        } = self.frames[frame as usize];
        if owner == NONE {
            return NONE;
        }
        self.forget_average(owner);
        let transaction = &mut self.transactions[owner as usize];
        transaction.owned.swap_remove(at as usize);
        if let Some(&moved) = transaction.owned.get(at as usize) {
            self.frames[moved as usize].at = at;
        }
        if let Some(whole) = whole(time) {
            transaction.sum -= whole;
        } else {
            transaction.odd -= 1;
        }
        if transaction.owned.is_empty()
            && let Some(commit) = transaction.commit
        {
            let leaves = (Clock(commit), Rc::clone(&transaction.name), owner);
            self.by_commit.remove(&leaves);
        }
        let entry = self.frame(frame);
        entry.owner = NONE;
        entry.at = NONE;
        owner
    }

    /// Its average access time has to be computed again.
    fn forget_average(&mut self, slot: u32) {
        if !self.rules.average {
            return;
        }
        let transaction = &mut self.transactions[slot as usize];
        if let Some(average) = transaction.average.take() {
            let leaves = (Clock(average), Rc::clone(&transaction.name), slot);
            self.by_average.remove(&leaves);
        }
        if !std::mem::replace(&mut transaction.stale, true) {
            self.stale.push(slot);
        }
    }

    fn make_room(&mut self) -> Answer<()> {
        if self.free.first == NONE && self.rules.committed_first {
            let leaving = match self.by_commit.first() {
                Some(&(_, _, slot)) => Some(slot),
                None if self.rules.average => Some(self.first_running()?),
                None => None,
            };
            if let Some(slot) = leaving {
                self.push_out(slot)?;
                if !self.rules.lazy {
                    return Ok(());
                }
            }
        }
        let frame = match self.free.first {
            NONE => {
                let frame = self.recency.first;
                if self.frames[frame as usize].is_dirty() {
                    self.write_page(frame)?;
                }
                frame
            }
            frame => frame,
        };
        self.evict(frame);
        Ok(())
    }

    /// Empties a frame whose content is on the device, or not wanted.
    fn evict(&mut self, frame: u32) {
        if std::mem::replace(&mut self.frame(frame).free, false) {
            self.free.remove(frame);
        }
        let owner = self.disown(frame);
        if owner != NONE {
            self.release(owner);
        }
        if !self.rules.average {
            self.recency.remove(frame);
        }
        let entry = self.frame(frame);
        entry.lsn = 0;
        let page = entry.page;
        self.resident.remove(&page);
        self.spare_frames.push(frame);
    }

    /// The running transaction with the lowest average access time.
    fn first_running(&mut self) -> Answer<u32> {
        for slot in std::mem::take(&mut self.stale) {
            let transaction = &mut self.transactions[slot as usize];
            transaction.stale = false;
            if !transaction.running || transaction.owned.is_empty() || transaction.average.is_some()
            {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "the sum is rounded once")]
            let sum = if transaction.odd == 0 {
                transaction.sum as f64
            } else {
                self.steps.spend(transaction.owned.len() as u64)?;
                let frames = transaction.owned.iter();
                exact_sum(frames.map(|&frame| self.frames[frame as usize].time))
            };
            #[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 frames")]
            let average = sum / transaction.owned.len() as f64;
            transaction.average = Some(average);
            let leaves = (Clock(average), Rc::clone(&transaction.name), slot);
            self.by_average.insert(leaves);
        }
        let first = self.by_average.first();
        Ok(first.expect("every frame has an owner that runs").2)
    }

    /// Writes out all pages of a transaction; their frames may then be taken.
    fn push_out(&mut self, slot: u32) -> Answer<()> {
        self.counts.transactions_pushed_out += 1;
        if self.list {
            let others = self.by_commit.iter();
            let next = others
                .filter(|leaves| leaves.2 != slot)
                .map(|leaves| leaves.0.0);
            let next = next.take(1).next();
            let transaction = &self.transactions[slot as usize];
            let victim = (transaction.name.to_string(), transaction.commit, next);
            self.victims.push(victim);
        }
        let mut order: Vec<_> = self.transactions[slot as usize].owned.clone();
        order.sort_by(|&one, &other| {
            let key = |frame: u32| {
                let entry = &self.frames[frame as usize];
                (Clock(entry.time), entry.page)
            };
            key(one).cmp(&key(other))
        });
        let mut as_records = Vec::new();
        for &frame in &order {
            if !self.frames[frame as usize].is_dirty() {
                continue;
            }
            if self.is_worth_logging(frame) {
                as_records.push(frame);
            } else {
                self.write_page(frame)?;
            }
        }
        self.write_records(&as_records)?;
        for &frame in &order {
            self.cleaned(frame);
            if !std::mem::replace(&mut self.frame(frame).free, true) {
                self.free.push(frame);
            }
        }
        if !self.rules.lazy {
            for frame in order {
                self.evict(frame);
            }
        }
        Ok(())
    }

    fn is_worth_logging(&self, frame: u32) -> bool {
        let entry = &self.frames[frame as usize];
        self.rules.records
            && entry.record_count() * self.record_bytes < self.page_bytes
            && self.logs_of.get(&entry.page).map_or(0, Vec::len) < MERGE_PAGES
    }

    /// Writes a frame as a page, and forgets its log records.
    fn write_page(&mut self, frame: u32) -> Answer<()> {
        let Frame { page, lsn, .. } = self.frames[frame as usize];
        self.force(lsn)?;
        self.counts.data_pages_written += 1;
        let records = std::mem::take(&mut self.frame(frame).records);
        let slots = records.iter().map(|&(slot, _)| slot);
        self.write(Content::page(page), slots)?;
        self.frame(frame).records = records;
        self.step(Step::Wrote { page, lsn });
        self.cleaned(frame);
        for log in self.logs_of.remove(&page).unwrap_or_default() {
            self.leave_log(log, page);
        }
        Ok(())
    }

    fn write(&mut self, content: Content, writers: impl Iterator<Item = u32>) -> Answer<()> {
        self.medium.write(content, &mut self.steps)?;
        let program = self.counts.uncommitted_pages_written;
        let mut running = 0;
        for slot in writers {
            let transaction = &mut self.transactions[slot as usize];
            if transaction.running {
                transaction.pushed.push((content, program));
                running += 1;
            }
        }
        self.counts.uncommitted_pages_written += u64::from(running > 0);
        if running > 1 {
            let is_garbage = false;
            self.shared.insert(
                program,
                Shared {
                    running,
                    is_garbage,
                },
            );
        }
        Ok(())
    }

    /// Packs the records of frames into pages, records straddling them.
    fn write_records(&mut self, frames: &[u32]) -> Answer<()> {
        let newest = frames.iter().map(|&frame| self.frames[frame as usize].lsn);
        self.force(newest.max().unwrap_or(0))?;
        let mut at = 0;
        // By page of records: the frames on it, and of those the ones that end there.
        let mut pages: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        for &frame in frames {
            let end = at + self.frames[frame as usize].record_count() * self.record_bytes;
            let range = at / self.page_bytes..=(end - 1) / self.page_bytes;
            let page = self.frames[frame as usize].page;
            let logs = self.logs_of.entry(page).or_default();
            for log in range.clone() {
                logs.push(self.next_log + log);
                let log = usize::try_from(log).expect("as many as there are frames");
                if pages.len() <= log {
                    pages.resize_with(log + 1, Default::default);
                }
                pages[log].0.push(frame);
            }
            pages.last_mut().expect("at least one").1.push(frame);
            at = end;
        }
        let first = self.next_log;
        self.next_log += pages.len() as u64;
        for (log, (on_it, _)) in (first..).zip(&pages) {
            let users = on_it.iter().map(|&frame| {
                let entry = &self.frames[frame as usize];
                let writers = entry.records.iter();
                let numbers = writers.map(|&(slot, _)| self.transactions[slot as usize].number);
                (entry.page, numbers.collect())
            });
            let users: Users = users.collect();
            self.log_users.insert(log, users);
        }
        for (log, (on_it, ending)) in (first..).zip(pages) {
            let mut writers: Vec<u32> = on_it
                .iter()
                .flat_map(|&frame| &self.frames[frame as usize].records)
                .map(|&(slot, _)| slot)
                .collect();
            writers.sort_unstable();
            writers.dedup();
            self.counts.log_pages_written += 1;
            self.write(Content::records(log), writers.into_iter())?;
            for frame in ending {
                let Frame { page, lsn, .. } = self.frames[frame as usize];
                self.step(Step::Wrote { page, lsn });
            }
        }
        Ok(())
    }

    /// A page does not need a page of log records any more.
    fn leave_log(&mut self, log: u64, page: u64) {
        let Some(users) = self.log_users.get_mut(&log) else {
            return;
        };
        users.retain(|&(each, _)| each != page);
        if users.is_empty() {
            self.log_users.remove(&log);
            self.medium.forget(Content::records(log));
        }
    }

    fn step(&mut self, step: Step) {
        if let Some(stable) = &mut self.stable {
            stable.take(step);
        }
        if let Some(journal) = &mut self.journal {
            journal.push(step);
        }
    }

    /// Adds a record to the log proper; its number.
    fn log(&mut self, bytes: u64, transaction: u64, says: Says) -> Answer<u64> {
        let Some(wal) = &mut self.wal else {
            return Ok(0);
        };
        let lsn = wal.add(bytes);
        let full = wal.is_full();
        self.step(Step::Logged(Record {
            lsn,
            transaction,
            says,
        }));
        if full {
            self.write_log()?;
        }
        Ok(lsn)
    }

    /// Writes the log proper up to a record, if it is not yet on the device.
    fn force(&mut self, lsn: u64) -> Answer<()> {
        match &self.wal {
            Some(wal) if lsn > wal.forced => {
                self.counts.wal_forces += 1;
                self.write_log()
            }
            _ => Ok(()),
        }
    }

    fn write_log(&mut self) -> Answer<()> {
        let Some(wal) = &mut self.wal else {
            return Ok(());
        };
        let pages = wal.force();
        let forced = wal.forced;
        for page in pages {
            self.counts.wal_pages_written += 1;
            self.medium.write(Content::log(page), &mut self.steps)?;
        }
        self.step(Step::Forced(forced));
        Ok(())
    }

    fn checkpoint(&mut self) -> Answer<()> {
        let Some(wal) = &self.wal else {
            return Ok(());
        };
        let before = wal.last_checkpoint;
        let since = |frame: u32| self.frames[frame as usize].dirty_since;
        let dirty = self.dirty.iter();
        let mut old: Vec<_> = dirty
            .take_while(|&frame| since(frame) <= before)
            .map(|frame| (self.frames[frame as usize].page, frame))
            .collect();
        old.sort_unstable();
        for (_, frame) in old {
            self.write_page(frame)?;
            self.counts.checkpoint_pages_written += 1;
        }
        let first = self.dirty.iter().next();
        let first = first.map(|frame| self.frames[frame as usize].dirty_since);
        let oldest = self.updating.iter().next();
        let oldest = oldest.map(|slot| self.transactions[slot as usize].updates[0].1);
        let rows = self.dirty_frames + self.running.len() as u64;
        let bytes = CHECKPOINT_BYTES + ROW_BYTES * rows;
        let lsn = self.log(bytes, u64::MAX, Says::Checkpoint)?;
        self.force(lsn)?;
        let redo = first.map_or(lsn, |first| first - 1);
        let keep = oldest.map_or(redo, |oldest| redo.min(oldest - 1));
        self.counts.checkpoints += 1;
        let needed = keep.saturating_sub(self.record_bytes);
        let gone = self.wal.as_mut().map_or(0..0, |wal| {
            wal.last_checkpoint = lsn;
            wal.reclaim(needed)
        });
        self.step(Step::Checkpoint { redo, keep });
        for page in gone {
            self.medium.forget(Content::log(page));
        }
        Ok(())
    }
}

#[cfg(test)]
impl Memory {
    /// Compares the lists with what they are short for; how many slots of transactions there are.
    pub(super) fn audit(&self) -> usize {
        let mut dirty: Vec<_> = (0..)
            .zip(&self.frames)
            .filter(|(_, entry)| entry.dirty_since > 0)
            .map(|(frame, entry)| (entry.dirty_since, frame))
            .collect();
        dirty.sort_unstable();
        let frames = dirty.iter().map(|&(_, frame)| frame);
        assert!(self.dirty.iter().eq(frames), "dirty frames, in order");
        assert_eq!(self.dirty_frames, dirty.len() as u64);
        let mut updating: Vec<_> = (0..)
            .zip(&self.transactions)
            .filter_map(|(slot, each)| each.updates.first().map(|&(_, lsn)| (lsn, slot)))
            .collect();
        updating.sort_unstable();
        let slots = updating.iter().map(|&(_, slot)| slot);
        assert!(self.updating.iter().eq(slots), "updating, in order");
        assert!(self.stale.len() <= self.transactions.len());
        assert!(self.counts.garbage_pages <= self.counts.uncommitted_pages_written);
        let running = |shared: &Shared| u64::from(shared.running);
        let pushed = self
            .transactions
            .iter()
            .map(|each| each.pushed.len() as u64);
        assert!(self.shared.values().map(running).sum::<u64>() <= pushed.sum());
        self.transactions.len()
    }
}

/// A clock that is a whole number, as one.
#[expect(clippy::cast_possible_truncation, reason = "exact: below 2^53")]
fn whole(time: f64) -> Option<i128> {
    #[expect(clippy::float_cmp, reason = "whole or not")]
    (time.abs() < EXACT && time.trunc() == time).then_some(time as i128)
}

/// The sum of numbers, rounded once (Shewchuk 1997): as Python's `math.fsum`.
fn exact_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut parts: Vec<f64> = Vec::new();
    for mut x in numbers {
        let mut kept = 0;
        for at in 0..parts.len() {
            let mut y = parts[at];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            x = high;
        }
        parts.truncate(kept);
        parts.push(x);
    }
    let Some(mut high) = parts.pop() else {
        return 0.0;
    };
    let mut low = 0.0;
    while let Some(y) = parts.pop() {
        let x = high;
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    // Half-way cases are rounded by what is left.
    if let Some(&next) = parts.last()
        && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
    {
        let y = low * 2.0;
        let x = high + y;
        #[expect(clippy::float_cmp, reason = "exact or not")]
        if y == x - high {
            high = x;
        }
    }
    high
}
