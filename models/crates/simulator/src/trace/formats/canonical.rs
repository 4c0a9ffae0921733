//! Tierwright's own canonical trace, see [`crate::trace::canonical`].

use crate::trace::canonical::MAGIC;
use crate::trace::formats::{Format, Open, Score};

pub(crate) const FORMAT: Format = Format {
    name: "canonical",
    description: "Tierwright canonical trace (.twt): densely numbered pages in compressed columns",
    verified: "our own format; every other format is converted to it and back",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: true,
    below_page_cache: false,
    detect: |head| {
        if head.bytes.starts_with(&MAGIC) {
            Score::new(1.0, "its first bytes")
        } else {
            Score::no("its first bytes are not those of a canonical trace")
        }
    },
    open: Open::Canonical,
};
