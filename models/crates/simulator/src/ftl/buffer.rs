//! The write buffer of a device: pages in RAM that the host wrote and flash has not yet.
//!
//! A write of a page that is written again, or trimmed, while it is in the buffer is absorbed. When the buffer is full, the page in it that was
//! written longest ago goes to flash. The copy on flash of a page in the buffer is invalid at once: the
//! mapping points to the buffer, which the device keeps over a loss of power. What is left in the buffer at
//! the end is not written.

use super::device::{Device, Layer};
use super::victims::Victims;
use crate::replay::recency::Recency;

/// What serves the requests of a host.
pub(super) trait Serves {
    fn write(&mut self, page: u32, stream: u32);
    /// Whether the page was in use.
    fn trim(&mut self, page: u32) -> bool;
    /// Reads the places of some pages, all at once.
    fn fetch(&self, pages: impl Iterator<Item = u32>);
    fn any_used(&self) -> bool;
    fn restart_counters(&mut self);
}

/// Pages of the host that are in RAM.
#[derive(Debug)]
pub(super) struct Buffer {
    pages: u32,
    order: Recency,
    /// Stream of the last write of each page.
    streams: Vec<u8>,
    pub(super) host_writes: u64,
    pub(super) absorbed: u64,
    pub(super) trims: u64,
}

impl Buffer {
    pub(super) fn new(pages: u32, logical_pages: u32) -> Self {
        let mut order = Recency::default();
        order.grow(logical_pages as usize);
        Self {
            pages,
            order,
            streams: vec![0; logical_pages as usize],
            host_writes: 0,
            absorbed: 0,
            trims: 0,
        }
    }

    /// Pages in it.
    pub(super) fn held(&self) -> u32 {
        self.order.len()
    }

    /// Forgets all pages.
    pub(super) fn clear(&mut self) {
        while self.order.len() > 0 {
            self.order.pop_least_recent();
        }
    }
}

/// A device behind its buffer.
pub(super) struct Buffered<'device, D> {
    pub(super) device: &'device mut D,
    pub(super) buffer: &'device mut Buffer,
}

impl<D: Layer> Serves for Buffered<'_, D> {
    #[inline]
    fn write(&mut self, page: u32, stream: u32) {
        let buffer = &mut *self.buffer;
        buffer.host_writes += 1;
        if buffer.order.contains(page) {
            buffer.absorbed += 1;
            buffer.order.touch(page);
        } else {
            self.device.forget(page);
            if buffer.order.len() == buffer.pages {
                let oldest = buffer.order.pop_least_recent();
                let stream = buffer.streams[oldest as usize];
                self.device.write(oldest, u32::from(stream));
            }
            buffer.order.insert(page);
        }
        buffer.streams[page as usize] = u8::try_from(stream).expect("at most 64 streams");
    }

    fn trim(&mut self, page: u32) -> bool {
        if !self.buffer.order.contains(page) {
            return self.device.trim(page);
        }
        self.buffer.order.remove(page);
        self.buffer.absorbed += 1;
        self.buffer.trims += 1;
        true
    }

    fn fetch(&self, pages: impl Iterator<Item = u32>) {
        self.device.fetch(pages);
    }

    fn any_used(&self) -> bool {
        self.buffer.held() > 0 || self.device.any_used()
    }

    fn restart_counters(&mut self) {
        self.buffer.host_writes = 0;
        self.buffer.absorbed = 0;
        self.buffer.trims = 0;
        self.device.restart_counters();
    }
}

impl<V: Victims> Serves for Device<V> {
    #[inline]
    fn write(&mut self, page: u32, stream: u32) {
        Device::write(self, page, stream);
    }

    fn trim(&mut self, page: u32) -> bool {
        Device::trim(self, page)
    }

    #[inline]
    fn fetch(&self, pages: impl Iterator<Item = u32>) {
        Device::fetch(self, pages);
    }

    #[inline]
    fn any_used(&self) -> bool {
        Device::any_used(self)
    }

    fn restart_counters(&mut self) {
        Device::restart_counters(self);
    }
}
