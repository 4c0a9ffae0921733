//! Where the metadata of a flash cache lie on the device under it.

/// Pages of metadata on a device, behind those of the data: a table, then two logs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MetadataLayout {
    /// Pages that are written in their place.
    pub(crate) table: u64,
    /// Pages to which segments are appended, the first again behind the last.
    pub(crate) log: u64,
    /// Pages to which single pages are appended in the same way.
    pub(crate) tree: u64,
    /// Whether segments and data share one log: each is written behind what was written last.
    pub(crate) between_data: bool,
    /// The same in words, as the result of a replay says it.
    pub(crate) words: &'static str,
}

impl MetadataLayout {
    /// A table of so many pages.
    pub(crate) fn table(pages: u64, words: &'static str) -> Self {
        Self {
            table: pages,
            words,
            ..Self::default()
        }
    }
}

/// Logical pages that are written one after the other, the first again behind the last.
#[derive(Debug, Clone, Copy)]
struct Ring {
    first: u32,
    pages: u32,
    /// Those written since the first.
    written: u32,
}

impl Ring {
    /// The place of the next page.
    fn next(&mut self) -> u32 {
        let place = self.first + self.written;
        self.written += 1;
        if self.written == self.pages {
            self.written = 0;
        }
        place
    }
}

/// The metadata of a flash cache on its device.
#[derive(Debug)]
pub(crate) struct Metadata {
    words: &'static str,
    /// Bytes of a page, into which segments are rounded up.
    page_bytes: u64,
    /// The first page of the table.
    first: u32,
    pages: u32,
    log: Ring,
    tree: Ring,
    /// Where data and segments share a log: the latest place of each data page.
    places: Vec<u32>,
    written: u64,
}

impl Metadata {
    /// Lays metadata out behind `data_pages` pages of data, each part from a multiple of `aligned_to` pages on, or between
    /// them: the answer is that, and how many pages there are in all.
    pub(crate) fn beside(
        data_pages: u32,
        layout: MetadataLayout,
        page_bytes: u64,
        aligned_to: u32,
    ) -> (Self, u32) {
        // A device of too many pages is refused by its size.
        let whole = |pages: u64| u32::try_from(pages).unwrap_or(u32::MAX);
        let aligned = |pages: u64| pages.next_multiple_of(u64::from(aligned_to));
        let data = u64::from(data_pages);
        if layout.between_data {
            let all = whole(data + layout.log);
            let ring = Ring {
                first: 0,
                pages: all,
                written: 0,
            };
            let metadata = Self {
                words: layout.words,
                page_bytes,
                first: data_pages,
                pages: whole(layout.log),
                log: ring,
                tree: ring,
                places: vec![0; data_pages as usize],
                written: 0,
            };
            return (metadata, all);
        }
        let table = aligned(data);
        let log = match layout.table {
            0 => table,
            pages => aligned(table + pages),
        };
        let tree = aligned(log + layout.log);
        let ring = |first, pages| Ring {
            first: whole(first),
            pages: whole(pages),
            written: 0,
        };
        let end = match layout.tree {
            0 => log + layout.log,
            pages => tree + pages,
        };
        let metadata = Self {
            words: layout.words,
            page_bytes,
            first: whole(table),
            pages: whole(layout.table + layout.log + layout.tree),
            log: ring(log, layout.log),
            tree: ring(tree, layout.tree),
            places: Vec::new(),
            written: 0,
        };
        (metadata, whole(end))
    }

    /// The place of a page that is written in place, counted from the first page of metadata.
    pub(crate) fn in_place(&mut self, page: u32) -> u32 {
        self.written += 1;
        self.first + page
    }

    /// The place of a page that is appended to the tree.
    pub(crate) fn append_page(&mut self) -> u32 {
        self.written += 1;
        self.tree.next()
    }

    /// Pages of a segment of so many bytes.
    pub(crate) fn pages_of(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.page_bytes)
    }

    /// The place of the next page of a segment.
    pub(crate) fn append(&mut self) -> u32 {
        self.written += 1;
        self.log.next()
    }

    /// Whether data and segments share one log.
    pub(crate) fn shares_log(&self) -> bool {
        !self.places.is_empty()
    }

    /// The place in the log that they share where a data page is written.
    pub(crate) fn append_data(&mut self, page: u32) -> u32 {
        let place = self.log.next();
        self.places[page as usize] = place;
        place
    }

    /// Where a data page lies in that log.
    pub(crate) fn place_of(&self, page: u32) -> u32 {
        self.places[page as usize]
    }

    /// Logs begin anew.
    pub(crate) fn give_up(&mut self) {
        self.log.written = 0;
        self.tree.written = 0;
    }

    pub(crate) fn restart_counters(&mut self) {
        self.written = 0;
    }

    /// Pages written.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    pub(crate) fn pages(&self) -> u32 {
        self.pages
    }

    pub(crate) fn words(&self) -> &'static str {
        self.words
    }
}
