//! Memory of every flash cache for each page of a trace, measured: each replay in a process of its own.

use std::process::Command;

use tierwright_simulator::access::{AccessSource, Chunk, WRITE};
use tierwright_simulator::error::Result;
use tierwright_simulator::replay::{flash_caches, simulate_flash_cache};

const PAGES: u32 = 1 << 18;
const RAM_PAGES: u64 = 1 << 14;
const CHUNK: u32 = 1 << 14;
/// Most bytes for each page where flash holds all of them; `docs/performance.md` has what was measured, 4 less.
const MOST: [(&str, u64); 18] = [
    ("face", 26),
    ("lazy_cleaning", 58),
    ("flashcache", 41),
    ("enhanceio", 41),
    ("tac", 40),
    ("exadata", 30),
    ("cac", 49),
    ("bcache", 41),
    ("sce", 25),
    ("larc", 30),
    ("cachesack", 39),
    ("ram_filter", 34),
    ("dm_writecache", 42),
    ("open_cas", 46),
    ("dm_cache", 27),
    ("l2arc", 34),
    ("cachelib", 27),
    ("kangaroo", 46),
];
/// Bytes for each page that an assignment with the rule of the second miss adds.
const ASSIGNED: u64 = 9;
/// Bytes for each page that sets of two small objects on half of flash add.
const SMALL: u64 = 27;
/// Bytes for each page that lines of two pages add.
const LINES: u64 = 15;
/// In which environment variable a process finds what it is to replay.
const WANTED: &str = "TIERWRIGHT_MEMORY_OF";

/// Memory of this process that is resident now and no part of a file, such as its own code, where the system tells [bytes].
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Every page twice, one access in three a write; at the end it notes the memory.
#[derive(Default)]
struct Twice {
    done: u32,
    /// Whether every other page is of a second relation.
    two_relations: bool,
    spaces: Vec<u32>,
    addresses: Vec<u64>,
    at_end: Option<u64>,
}

impl AccessSource for Twice {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.clear();
        let end = (self.done + CHUNK).min(2 * PAGES);
        chunk.pages.extend((self.done..end).map(|at| at % PAGES));
        let write = |at: u32| if at.is_multiple_of(3) { WRITE } else { 0 };
        chunk.flags.extend((self.done..end).map(write));
        let space = |&page: &u32| if self.two_relations { page % 2 } else { 0 };
        self.spaces.clear();
        self.spaces.extend(chunk.pages.iter().map(space));
        self.addresses.clear();
        self.addresses
            .extend(chunk.pages.iter().map(|&page| u64::from(page)));
        self.done = end;
        if chunk.is_empty() {
            self.at_end = resident();
        }
        Ok(!chunk.is_empty())
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        (&self.spaces, &self.addresses)
    }
}

/// Bytes for each page, in a process that replays nothing else.
fn measure(wanted: &str) -> Option<u64> {
    let mut parts = wanted.split('/');
    let (name, mode, assignment) = (parts.next()?, parts.next()?, parts.next()?);
    let (small, lines) = (parts.next()?, parts.next()?);
    let mut options = vec![("ram_policy".to_owned(), "lru".to_owned())];
    let about = flash_caches()
        .iter()
        .find(|cache| cache.about.name == name)?;
    let known = about.options();
    let stated = [
        ("mode", mode),
        ("accesses_per_second", "40"),
        ("assignment", assignment),
        ("line_pages", lines),
        ("small", small),
        ("small_by", if small.is_empty() { "" } else { "relation" }),
        ("small_percent", if small.is_empty() { "" } else { "50" }),
        ("set_objects", if small.is_empty() { "" } else { "2" }),
    ];
    for (option, value) in stated {
        if known.iter().any(|about| about.name == option) && !value.is_empty() {
            options.push((option.to_owned(), value.to_owned()));
        }
    }
    let mut source = Twice {
        two_relations: !small.is_empty(),
        ..Twice::default()
    };
    let before = resident()?;
    let flash = u64::from(PAGES);
    simulate_flash_cache(&mut source, name, RAM_PAGES, flash, &options, &mut |_| true).ok()?;
    Some(source.at_end?.saturating_sub(before) / u64::from(PAGES))
}

#[test]
fn the_memory_of_each_flash_cache_is_bounded() {
    if let Ok(wanted) = std::env::var(WANTED) {
        if let Some(bytes) = measure(&wanted) {
            std::fs::write(
                std::env::var("TIERWRIGHT_MEMORY_TO").unwrap(),
                bytes.to_string(),
            )
            .unwrap();
        }
        return;
    }
    if resident().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let of_caches = flash_caches().iter().map(|cache| {
        let known = cache.options();
        let back = known.iter().any(|option| {
            option.name == "mode" && option.values.split(", ").any(|mode| mode == "write_back")
        });
        (
            cache.about.name,
            if back { "write_back" } else { "" },
            "",
            "",
            "",
            0,
        )
    });
    // Behind an assignment that asks when a page was requested last.
    let admitted = ("larc", "write_back", "second_miss", "", "", ASSIGNED);
    let shared = ("cachelib", "", "", "1", "", SMALL);
    let in_lines = [("2", LINES), ("16", 0)]
        .map(|(pages, more)| ("open_cas", "write_back", "", "", pages, more));
    let beside = [admitted, shared].into_iter().chain(in_lines);
    for (name, mode, assignment, small, lines, more) in of_caches.chain(beside) {
        let wanted = format!("{name}/{mode}/{assignment}/{small}/{lines}");
        let to = folder.path().join(wanted.replace('/', "-"));
        let done = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_memory_of_each_flash_cache_is_bounded"])
            .env(WANTED, &wanted)
            .env("TIERWRIGHT_MEMORY_TO", &to)
            .output()
            .unwrap();
        assert!(done.status.success(), "{wanted}");
        let bytes: u64 = std::fs::read_to_string(&to).unwrap().parse().unwrap();
        let most = MOST.iter().find(|(known, _)| *known == name);
        let most = most.map_or(0, |(_, most)| *most) + more;
        // A bound that nothing comes near would bound nothing.
        assert!(
            (most / 2..=most).contains(&bytes),
            "{wanted}: {bytes} bytes for each page, most {most}"
        );
    }
}
