//! A crash under a page-flow scheme: its directory is in RAM, or what is new in it where it lies on flash, so that
//! nothing on flash is found afterwards.

use serde::Serialize;

use super::refused;
use crate::error::Result;
use crate::replay::settings::{refuse_twice, spelled};
use crate::wording::counted;

/// The accesses before a crash.
const CRASH_AT: &str = "crash_at";
/// What survives it: for a scheme, nothing does.
const RESTART: &str = "restart";
const COLD: &str = "cold";

/// An option, and its value as it was given.
type Given = (String, String);

/// How many pages RAM and flash hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) ram: u64,
    /// Of these, changed since they came from flash or disk, or were written there.
    pub(crate) ram_dirty: u64,
    pub(crate) flash: u64,
    /// Of these, newer than the disk's copy.
    pub(crate) flash_dirty: u64,
}

/// What a crash destroyed under a page-flow scheme: all that RAM and flash held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SchemeCrash {
    /// Accesses before it.
    pub at_access: u64,
    /// Always `cold`.
    pub restart: &'static str,
    /// Pages that were in RAM.
    pub ram_pages_lost: u64,
    /// Of these, changed since they came into RAM; the log must redo them.
    pub ram_dirty_pages_lost: u64,
    /// Copies on flash.
    pub flash_pages_lost: u64,
    /// Of these, newer than the disk's; the log must redo them.
    pub flash_dirty_pages_lost: u64,
}

impl SchemeCrash {
    pub(super) fn of(at_access: u64, held: Contents) -> Self {
        Self {
            at_access,
            restart: COLD,
            ram_pages_lost: held.ram,
            ram_dirty_pages_lost: held.ram_dirty,
            flash_pages_lost: held.flash,
            flash_dirty_pages_lost: held.flash_dirty,
        }
    }
}

/// The accesses before a crash, where the options of a scheme ask for one, and its other options.
///
/// # Errors
/// [`Error::BadParameter`](crate::error::Error::BadParameter) for a warm restart.
pub(crate) fn crash_of(scheme: &str, options: &[Given]) -> Result<(Option<u64>, Vec<Given>)> {
    refuse_twice(options)?;
    let mut crash_at = None;
    let mut others = Vec::new();
    for (option, value) in options {
        let stated = format!("{option}={value}");
        match spelled(option).as_str() {
            CRASH_AT => {
                let accesses = value.trim().parse().ok().filter(|&at| at < u64::MAX);
                if accesses.is_none() {
                    let hint = "give the accesses before the crash";
                    return Err(refused("option", &stated, "is not a whole number", hint));
                }
                crash_at = accesses;
            }
            RESTART if spelled(value) == COLD => {}
            RESTART => {
                let why = format!(
                    "scheme `{scheme}` keeps its directory in RAM, or what is new in it, so that a crash loses what is on flash: there is no warm restart"
                );
                let hint = "use restart=cold, or a flash cache that keeps its directory on flash";
                return Err(refused("option", &stated, &why, hint));
            }
            _ => others.push((option.clone(), value.clone())),
        }
    }
    Ok((crash_at, others))
}

/// Refuses a crash behind the end of the trace.
pub(crate) fn beyond(crash_at: u64, accesses: u64) -> crate::error::Error {
    refused(
        "option",
        &format!("{CRASH_AT}={crash_at}"),
        &format!(
            "the trace ends after {}",
            counted(accesses, "access", "accesses")
        ),
        &format!("{CRASH_AT} counts the accesses before the crash"),
    )
}
