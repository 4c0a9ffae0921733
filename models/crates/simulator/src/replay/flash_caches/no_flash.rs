//! No flash: changed DRAM victims go to disk. What every flash cache of no pages is.

use super::checkpoints::Target;
use super::options::Options;
use super::{
    Conditions, CrashReport, Exit, FlashCache, FlashCacheCounters, Frames, Host, OptionAbout,
    Sampled, Unsampled,
};
use crate::error::Result;

pub(crate) struct NoFlash;

impl FlashCache for NoFlash {
    type Settings = ();
    type Image = ();
    type Device = Frames;

    const OPTIONS: &'static [OptionAbout] = &[];

    fn settings(_options: &Options<'_>, _run: Conditions) -> Result<()> {
        Ok(())
    }

    fn sampled(_settings: &()) -> std::result::Result<Sampled, Unsampled> {
        Ok(Sampled::appended(1.0))
    }

    fn new(_flash_pages: u32, _settings: &()) -> Self {
        Self
    }

    fn grow(&mut self, _pages: usize) {}

    #[inline]
    fn lookup(&mut self, _page: u32, _host: &mut impl Host) -> bool {
        false
    }

    fn holds(&self, _page: u32) -> bool {
        false
    }

    #[inline]
    fn on_exit(&mut self, exit: Exit, host: &mut impl Host) {
        host.counters().disk_writes_on_exit += u64::from(exit.changed);
    }

    fn checkpoint(&mut self, _target: Target, host: &mut impl Host) {
        let mut next = 0;
        while let Some(page) = host.take_changed(next) {
            next = page + 1;
            host.counters().disk_writes_by_checkpoint += 1;
        }
    }

    fn image(self) {}

    fn load(&mut self, _image: (), _counters: &mut FlashCacheCounters) {}

    fn valid_copies(&self) -> u64 {
        0
    }

    fn recount(
        &self,
        counters: &FlashCacheCounters,
        _crash: Option<&CrashReport>,
    ) -> std::result::Result<(), String> {
        if counters.disk_writes_on_exit == counters.dirty_evictions {
            Ok(())
        } else {
            Err(format!(
                "{} dirty victims but {} disk writes",
                counters.dirty_evictions, counters.disk_writes_on_exit
            ))
        }
    }
}
