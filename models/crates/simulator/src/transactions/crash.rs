//! At every step of small histories: nothing committed is lost, nothing else survives.

use std::collections::{BTreeMap, BTreeSet};

use super::wal::{Deed, Record, Says, Stable, Step, recover};
use super::*;
use crate::random::Random;

const PAGES: u64 = 8;

fn settings(ram_pages: u32, system: &str) -> Settings {
    Settings {
        systems: vec![system.to_owned()],
        ram_pages,
        database_pages: PAGES,
        record_bytes: 300,
        geometry: Geometry {
            blocks: 64,
            block_pages: 4,
            page_bytes: 2048,
        },
        device: None,
        durable: true,
        checkpoint_pages: 1,
        crash_after: None,
        most_steps: None,
        list: false,
    }
}

/// Events of up to four transactions at once; unless `shared`, one of them at a time updates a page.
fn history(random: &mut Random, length: u64, shared: bool) -> Vec<Event> {
    let mut events = Vec::new();
    let mut running: Vec<u64> = Vec::new();
    let mut writers: BTreeMap<u64, u64> = BTreeMap::new();
    let mut begun = 0;
    for at in 0..length {
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let time = at as f64;
        let event = |kind, transaction, page| Event {
            kind,
            transaction,
            page,
            time,
        };
        let step = random.below(12);
        if running.is_empty() || (step == 0 && running.len() < 4) {
            running.push(begun);
            events.push(event(Kind::Begin, begun, 0));
            begun += 1;
            continue;
        }
        let place = usize::try_from(random.below(running.len() as u64)).unwrap();
        let who = running[place];
        if step <= 2 {
            running.swap_remove(place);
            writers.retain(|_, writer| *writer != who);
            let kind = if step == 1 { Kind::Abort } else { Kind::Commit };
            events.push(event(kind, who, 0));
            continue;
        }
        let page = random.below(PAGES);
        let may = shared || *writers.get(&page).unwrap_or(&who) == who;
        if may && step > 4 {
            writers.insert(page, who);
            events.push(event(Kind::Update, who, page));
        } else {
            events.push(event(Kind::Read, who, page));
        }
    }
    events
}

/// The updates on every page, each by the number of its record.
type Contents = BTreeMap<u64, BTreeSet<u64>>;

fn apply(contents: &mut Contents, record: &Record) {
    match record.says {
        Says::Update(page) => {
            contents.entry(page).or_default().insert(record.lsn);
        }
        Says::Undone { page, update } => {
            contents.entry(page).or_default().remove(&update);
        }
        _ => {}
    }
}

/// Restarts after each step; panics where a page holds anything but the committed updates.
fn check(system: &str, ram_pages: u32, events: &[Event]) -> u64 {
    let settings = settings(ram_pages, system);
    let mut memory = memory(system, &settings).unwrap();
    memory.journal = Some(Vec::new());
    // Steps taken when a commit was acknowledged, and whose it was.
    let mut acknowledged = Vec::new();
    for &event in events {
        let begun = (event.kind == Kind::Begin).then(|| Rc::from(event.transaction.to_string()));
        memory.take(event, begun).unwrap();
        memory.audit();
        if event.kind == Kind::Commit {
            let steps = memory.journal.as_ref().unwrap().len();
            acknowledged.push((steps, event.transaction));
        }
    }
    let journal = memory.journal.take().unwrap();
    let mut stable = Stable::default();
    let mut records: Vec<Record> = Vec::new();
    let mut pages = Contents::new();
    let mut points = 0;
    for (at, &step) in journal.iter().enumerate() {
        stable.take(step);
        match step {
            Step::Logged(record) => {
                records.push(record);
                continue;
            }
            Step::Wrote { page, lsn } => {
                let mut all = Contents::new();
                for record in records.iter().filter(|record| record.lsn <= lsn) {
                    apply(&mut all, record);
                }
                pages.insert(page, all.remove(&page).unwrap_or_default());
            }
            Step::TakenOff { page, transaction } => {
                let theirs = |lsn: &u64| {
                    records
                        .iter()
                        .any(|record| record.lsn == *lsn && record.transaction == transaction)
                };
                pages.entry(page).or_default().retain(|lsn| !theirs(lsn));
            }
            Step::Forced(_) | Step::Checkpoint { .. } => {}
        }
        points += 1;
        let mut recovered = pages.clone();
        let found = recover(&stable, 2048, 300, |deed| match deed {
            Deed::Redo { lsn, .. } => {
                let record = records.iter().find(|record| record.lsn == lsn).unwrap();
                apply(&mut recovered, record);
            }
            Deed::Undo { page, lsn } => {
                recovered.entry(page).or_default().remove(&lsn);
            }
        });
        let committed: BTreeSet<u64> = records
            .iter()
            .filter(|record| record.says == Says::Commit && record.lsn <= stable.forced)
            .map(|record| record.transaction)
            .collect();
        let mut wanted = Contents::new();
        for record in &records {
            if let Says::Update(page) = record.says
                && committed.contains(&record.transaction)
            {
                wanted.entry(page).or_default().insert(record.lsn);
            }
        }
        recovered.retain(|_, updates| !updates.is_empty());
        assert_eq!(
            recovered, wanted,
            "{system} at {ram_pages}, step {at}: {events:?}"
        );
        assert!(found.pages_written <= found.pages_read && found.pages_read <= PAGES);
        for &(steps, transaction) in &acknowledged {
            let updated = records.iter().any(|record| {
                record.transaction == transaction && matches!(record.says, Says::Update(_))
            });
            assert!(
                steps > at + 1 || !updated || committed.contains(&transaction),
                "{system}: lost {transaction}"
            );
        }
    }
    points
}

#[test]
fn nothing_committed_is_lost_and_nothing_else_survives() {
    let mut random = Random(18);
    for system in SYSTEMS {
        let mut points = 0;
        for round in 0..30 {
            let ram_pages = u32::try_from(1 + random.below(6)).unwrap();
            // Pages of which several transactions are changing records: as ARIES locks.
            let shared = system.rules.log && round % 2 == 1;
            let events = history(&mut random, 80, shared);
            points += check(system.name, ram_pages, &events);
        }
        assert!(points > 300, "{}: {points} points", system.name);
    }
}

/// What a restart finds and takes, by hand.
#[test]
fn a_restart_redoes_what_is_committed_and_undoes_the_rest() {
    let events = "B A\nU A 0\nB B\nU B 1\nC B\nR A 2";
    let written = events
        .lines()
        .map(|line| parse_line(line.as_bytes()).unwrap().unwrap());
    let mut settings = settings(1, "aries");
    settings.crash_after = Some(6);
    settings.checkpoint_pages = 100;
    let found = replay(Source::Events(&mut { written }), &settings, &mut |_| true).unwrap();
    // Page 0 was stolen to read page 1, page 1 to read page 2; each with its record. A is undone; B is on
    // its page already.
    let recovery = found.systems[0].recovery.unwrap();
    assert_eq!(
        (recovery.redone, recovery.undone, recovery.losers),
        (0, 1, 1)
    );
    assert_eq!((recovery.pages_read, recovery.pages_written), (2, 1));
    assert_eq!(recovery.log_pages_read, 1);
    settings.ram_pages = 4;
    let written = events
        .lines()
        .map(|line| parse_line(line.as_bytes()).unwrap().unwrap());
    let found = replay(Source::Events(&mut { written }), &settings, &mut |_| true).unwrap();
    // Nothing was stolen: both are redone, for the log was forced with B's commit, and A is undone.
    let recovery = found.systems[0].recovery.unwrap();
    assert_eq!(
        (recovery.redone, recovery.undone, recovery.losers),
        (2, 1, 1)
    );
}

/// A long history keeps no more than what runs and what is in memory.
#[test]
fn lists_stay_within_the_frames_and_what_runs() {
    let mut random = Random(7);
    for system in SYSTEMS {
        for durable in [false, true] {
            let settings = Settings {
                durable,
                ..settings(5, system.name)
            };
            let mut memory = memory(system.name, &settings).unwrap();
            for event in history(&mut random, 3_000, true) {
                let begun =
                    (event.kind == Kind::Begin).then(|| Rc::from(event.transaction.to_string()));
                memory.take(event, begun).unwrap();
                assert!(memory.audit() < 64, "{}", system.name);
            }
        }
    }
}

/// A page that two transactions changed and both gave up was written once.
#[test]
fn a_program_is_garbage_once() {
    let events = "B A\nU A 0\nB B\nU B 0\nR A 1\nA A\nA B\nB C\nU C 0\nB D\nU D 0\nR D 1\nC C\nA D";
    let written = events
        .lines()
        .map(|line| parse_line(line.as_bytes()).unwrap().unwrap());
    let settings = Settings {
        durable: false,
        ..settings(1, "page_lru")
    };
    let found = replay(Source::Events(&mut { written }), &settings, &mut |_| true).unwrap();
    let counts = &found.systems[0].counts;
    assert_eq!(counts.uncommitted_pages_written, 2);
    assert_eq!(counts.garbage_pages, 2);
}

#[test]
fn a_crash_behind_the_last_event_is_refused() {
    for (after, wrong) in [(6, false), (7, true)] {
        let events = "B A\nU A 0\nB B\nU B 1\nC B\nR A 2";
        let written = events
            .lines()
            .map(|line| parse_line(line.as_bytes()).unwrap().unwrap());
        let mut settings = settings(2, "aries");
        settings.crash_after = Some(after);
        let found = replay(Source::Events(&mut { written }), &settings, &mut |_| true);
        match found {
            Ok(_) => assert!(!wrong),
            Err(Stopped::Refused(refusal)) => {
                assert!(wrong);
                assert_eq!(refusal.part, "crash_after");
                assert_eq!(refusal.message, "is beyond the end: there are 6 events");
            }
            Err(Stopped::Failed(error)) => panic!("{error}"),
        }
    }
}
