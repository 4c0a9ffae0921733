//! `FlashSim` ASCII traces: `time_ms device start_sector n_pages op`, separated by blanks.
//!
//! The start is in sectors of 512 bytes but the size in pages of 4 KiB; op 1 reads and 0 writes.
//! `DiskSim` writes lines of the same shape with the size in sectors: see [`super::disksim`].

use crate::error::Result;
use crate::trace::TraceSpec;
use crate::trace::formats::disksim::{Ascii, PAGE_BYTES, score_shape};
use crate::trace::formats::{Format, Open};
use crate::trace::open::Input;
use crate::trace::reader::{FieldUnit, LineReader, RequestReader, Spaces, Understanding};

pub(crate) const FORMAT: Format = Format {
    name: "flashsim",
    description: "FlashSim block trace, text: time device sector pages op (ms, size in 4 KiB pages, 1 reads, 0 writes)",
    verified: "a published trace (desktop.trace of a FlashSim fork)",
    has_writes: true,
    has_time: true,
    has_device: true,
    page_native: false,
    below_page_cache: true,
    detect: |head| {
        score_shape(
            head,
            Ascii::new(PAGE_BYTES),
            "milliseconds, device, sector, count in pages of 4 KiB, flags",
        )
    },
    open: Open::Requests(open),
};

fn open(input: Input, _spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    let units = vec![
        FieldUnit::new("time", "ms", "time since the start of the recording"),
        FieldUnit::new("device", "number", "device"),
        FieldUnit::new(
            "start_sector",
            "512-byte sectors",
            "first sector of the request",
        ),
        FieldUnit::new("n_pages", "4096-byte pages", "length of the request"),
        FieldUnit::new("op", "0 or 1", "1 reads, 0 writes"),
    ];
    let assumptions = vec![
        "the size is in pages of 4 KiB (FlashSim), not in sectors of 512 bytes (DiskSim), although the start is in sectors".to_owned(),
        "op 1 reads and 0 writes".to_owned(),
    ];
    LineReader::boxed(
        input,
        Ascii::new(PAGE_BYTES),
        Understanding::block(units, assumptions),
        Spaces::default(),
    )
}
