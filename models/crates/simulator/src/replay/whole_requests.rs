//! Chunks that end with a request, for what tells accesses apart by the size of theirs.

use crate::access::{AccessSource, Chunk, FIRST_OF_REQUEST};
use crate::error::Result;

/// A source whose chunks end with a request: one that goes on is kept for the next chunk, which may be larger for it.
pub(crate) struct WholeRequests<'a> {
    source: &'a mut dyn AccessSource,
    is_over: bool,
    keeps_addresses: bool,
    /// The accesses of a request whose end was not read yet.
    open: Located,
    /// What was read last, and of what was given last the places.
    read: Chunk,
    spaces: Vec<u32>,
    addresses: Vec<u64>,
}

/// Accesses, and where their pages are, if that is kept.
#[derive(Default)]
struct Located {
    chunk: Chunk,
    spaces: Vec<u32>,
    addresses: Vec<u64>,
}

impl<'a> WholeRequests<'a> {
    pub(crate) fn new(source: &'a mut dyn AccessSource) -> Self {
        Self {
            source,
            is_over: false,
            keeps_addresses: false,
            open: Located::default(),
            read: Chunk::default(),
            spaces: Vec::new(),
            addresses: Vec::new(),
        }
    }

    /// Reads on; whether there was more.
    fn read_on(&mut self, chunk: &mut Chunk) -> Result<bool> {
        if self.is_over || !self.source.next_chunk(&mut self.read)? {
            self.is_over = true;
            return Ok(false);
        }
        chunk.pages.extend_from_slice(&self.read.pages);
        chunk.flags.extend_from_slice(&self.read.flags);
        chunk.times_ns.extend_from_slice(&self.read.times_ns);
        chunk.warm_up += self.read.warm_up;
        if self.keeps_addresses {
            let (spaces, addresses) = self.source.addresses();
            self.spaces.extend_from_slice(spaces);
            self.addresses.extend_from_slice(addresses);
        }
        Ok(true)
    }

    /// Keeps what begins with access number `at` for the next chunk.
    fn hold_back(&mut self, chunk: &mut Chunk, at: usize) {
        let open = &mut self.open;
        open.chunk.pages = chunk.pages.split_off(at);
        open.chunk.flags = chunk.flags.split_off(at);
        open.chunk.times_ns = chunk.times_ns.split_off(at.min(chunk.times_ns.len()));
        open.chunk.warm_up = chunk.warm_up.saturating_sub(at);
        chunk.warm_up -= open.chunk.warm_up;
        open.spaces = self.spaces.split_off(at.min(self.spaces.len()));
        open.addresses = self.addresses.split_off(at.min(self.addresses.len()));
    }
}

impl AccessSource for WholeRequests<'_> {
    fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
        let Located {
            chunk: open,
            spaces,
            addresses,
        } = std::mem::take(&mut self.open);
        *chunk = open;
        (self.spaces, self.addresses) = (spaces, addresses);
        loop {
            let before = chunk.len();
            if !self.read_on(chunk)? {
                return Ok(!chunk.is_empty());
            }
            let read = chunk.flags[before..].iter();
            let last = read.rev().position(|&flags| flags & FIRST_OF_REQUEST != 0);
            let last = last.map_or(0, |behind| chunk.len() - 1 - behind);
            if last > 0 {
                self.hold_back(chunk, last);
                return Ok(true);
            }
        }
    }

    fn distinct_pages_known(&self) -> Option<u32> {
        self.source.distinct_pages_known()
    }

    fn distinct_pages_hint(&self) -> Option<u32> {
        self.source.distinct_pages_hint()
    }

    fn file_name(&self) -> Option<&str> {
        self.source.file_name()
    }

    fn page_bytes(&self) -> Option<u64> {
        self.source.page_bytes()
    }

    fn tells_writes(&self) -> bool {
        self.source.tells_writes()
    }

    fn keep_addresses(&mut self) {
        self.keeps_addresses = true;
        self.source.keep_addresses();
    }

    fn addresses(&self) -> (&[u32], &[u64]) {
        (&self.spaces, &self.addresses)
    }

    fn requests_read(&self) -> Option<u64> {
        self.source.requests_read()
    }

    fn space_names(&self) -> &[String] {
        self.source.space_names()
    }

    fn position(&self) -> (u64, u64) {
        self.source.position()
    }

    fn warms_up_until_full(&self) -> bool {
        self.source.warms_up_until_full()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::access::MemorySource;
    use crate::replay::{category_counts, simulate_flash_cache, simulate_online, simulate_scheme};

    /// Accesses in chunks, of requests that begin where it is said.
    #[derive(Clone)]
    struct Requests {
        source: MemorySource,
        begins: Vec<bool>,
        done: usize,
    }

    impl AccessSource for Requests {
        fn next_chunk(&mut self, chunk: &mut Chunk) -> Result<bool> {
            let more = self.source.next_chunk(chunk)?;
            for flags in &mut chunk.flags {
                if !self.begins[self.done] {
                    *flags &= !FIRST_OF_REQUEST;
                }
                chunk.times_ns.push(i64::try_from(self.done).unwrap());
                self.done += 1;
            }
            Ok(more)
        }

        fn addresses(&self) -> (&[u32], &[u64]) {
            self.source.addresses()
        }
    }

    #[derive(Debug, Default, PartialEq)]
    struct All {
        pages: Vec<u32>,
        flags: Vec<u8>,
        times_ns: Vec<i64>,
        spaces: Vec<u32>,
        addresses: Vec<u64>,
        warm_up: usize,
    }

    /// All accesses of a source, and what each chunk begins with.
    fn all(source: &mut dyn AccessSource) -> (All, Vec<u8>) {
        source.keep_addresses();
        let (mut all, mut begin) = (All::default(), Vec::new());
        let mut chunk = Chunk::default();
        while source.next_chunk(&mut chunk).unwrap() {
            // What warms up is at the head of the trace.
            assert!(chunk.warm_up == 0 || all.warm_up == all.pages.len());
            begin.push(chunk.flags[0]);
            all.pages.extend(&chunk.pages);
            all.flags.extend(&chunk.flags);
            all.times_ns.extend(&chunk.times_ns);
            all.warm_up += chunk.warm_up;
            let (spaces, addresses) = source.addresses();
            assert_eq!((spaces.len(), addresses.len()), (chunk.len(), chunk.len()));
            all.spaces.extend(spaces);
            all.addresses.extend(addresses);
        }
        assert!(chunk.is_empty());
        (all, begin)
    }

    proptest! {
        #[test]
        fn all_accesses_come_and_no_chunk_begins_inside_a_request(
            accesses in prop::collection::vec((0_u64..30, any::<bool>(), prop::bool::weighted(0.2)), 1..200),
            chunk_accesses in 1_usize..40,
            warm_up in 0_usize..200,
        ) {
            let warm_up = warm_up.min(accesses.len() - 1) as u64;
            let mut begins: Vec<bool> = accesses.iter().map(|access| access.2).collect();
            begins[0] = true;
            let source = || Requests {
                source: MemorySource::new(accesses.iter().map(|&(page, write, _)| (page, write)))
                    .with_spaces(|page| (page % 3) as u32)
                    .with_chunk_accesses(chunk_accesses)
                    .with_warm_up(warm_up),
                begins: begins.clone(),
                done: 0,
            };
            let (given, _) = all(&mut source());
            let (found, begin) = all(&mut WholeRequests::new(&mut source()));
            prop_assert_eq!(found, given);
            prop_assert!(begin.iter().all(|flags| flags & FIRST_OF_REQUEST != 0));
        }

        #[test]
        fn what_goes_by_the_size_of_requests_does_not_depend_on_chunks(
            accesses in prop::collection::vec((0_u64..60, any::<bool>(), prop::bool::weighted(0.4)), 1..300),
            chunk_accesses in 1_usize..40,
        ) {
            let mut begins: Vec<bool> = accesses.iter().map(|access| access.2).collect();
            begins[0] = true;
            let source = |chunk_accesses| Requests {
                source: MemorySource::new(accesses.iter().map(|&(page, write, _)| (page, write)))
                    .with_chunk_accesses(chunk_accesses),
                begins: begins.clone(),
                done: 0,
            };
            let options = |given: &[(&str, &str)]| -> Vec<(String, String)> {
                given.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
            };
            let by_size = [("categories", "size"), ("assignment", "never+0:miss+2:second_miss")];
            let asked = options(&[by_size[0], by_size[1], ("admission", "cachesack")]);
            let small = options(&[("small", "0+2"), ("small_percent", "20"), ("region_pages", "4")]);
            let times = ["flash_read_us", "flash_write_us", "disk_read_us", "disk_write_us"]
                .map(|name| (name, "1"));
            let online = options(&[&times[..], &[by_size[0], by_size[1], ("admission", "cachesack")]].concat());
            let found = |chunk_accesses| {
                let go = &mut |_: crate::progress::Progress| true;
                [
                    format!("{:?}", simulate_flash_cache(&mut source(chunk_accesses), "larc", 5, 20, &asked, go).unwrap()),
                    format!("{:?}", simulate_flash_cache(&mut source(chunk_accesses), "cachesack", 5, 20, &options(&by_size), go).unwrap()),
                    format!("{:?}", simulate_flash_cache(&mut source(chunk_accesses), "cachelib", 5, 20, &small, go).unwrap()),
                    format!("{:?}", simulate_scheme(&mut source(chunk_accesses), "lazy", 5, 20, &asked, go).unwrap()),
                    format!("{:?}", simulate_online(&mut source(chunk_accesses), "online", 5, 20, &online, go).unwrap()),
                    format!("{:?}", category_counts(&mut source(chunk_accesses), "size", 5, go).unwrap()),
                ]
            };
            prop_assert_eq!(found(chunk_accesses), found(accesses.len()));
        }
    }
}
