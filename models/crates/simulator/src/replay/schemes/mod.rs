//! Page-flow schemes between RAM and flash: one file each, and one line each in the table below.
//!
//! Common to all: an access that misses RAM brings its page in before a write soils it, so a write
//! miss fetches like a read; a victim is taken only from a full tier; whether the page is on flash
//! is decided before anything is evicted; a dirty flash victim is one disk write and no flash read;
//! dirty pages left at the end are not flushed.

use crate::error::{Error, Result};
use crate::replay::admission::{self, ADMISSION, Admission, ForAdmission};
use crate::replay::policies::lru::Lru;
use crate::replay::policies::{AnyGuarded, AnyPolicy, Policy};
use crate::replay::settings::spelled;
use crate::replay::timed::{TimedResult, Timing, crash_of};
use crate::replay::translation::PerhapsPlaced;
use crate::replay::two_tier::{self, Clocking, Policies, Run, Scheme, SchemeResult, Took};
use crate::replay::{About, disagreement, flash_blocks, flash_caches, known_names, online};

mod exclusive;
mod exclusive_lru;
mod inclusive;
mod inclusive_global;
mod inclusive_global_lru;
mod lazy;
mod lazy_lru;
pub(crate) mod none;

/// LRU as flash below the RAM that it must hold.
type LruGuarded = <Lru as Policy>::Guarded;

macro_rules! schemes {
    ($($lru:ty, $any:ty, $admitting:ty => $name:literal, $title:literal, $description:literal, $paper:literal;)+) => {
        /// Every scheme: the one table that all lists are read from.
        pub(crate) const TABLE: &[About] = &[
            $(About {
                name: $name,
                title: $title,
                description: $description,
                paper: $paper,
                needs: &[],
                options: <$lru as Scheme>::OPTIONS,
            },)+
        ];

        impl ForAdmission for Choosy<'_, '_, '_> {
            type Output = (SchemeResult, Option<Took>);

            fn run<A: Admission>(self) -> Result<Self::Output> {
                let Self { about, policies, run, clocking } = self;
                match about.name {
                    $($name => {
                        two_tier::simulate_either::<$admitting, none::NoFlash<AnyPolicy>>(about, policies, run, clocking)
                    })+
                    other => Err(unknown(other)),
                }
            }
        }

        /// The scheme called `name`, and what the options choose for it.
        fn parsed(name: &str, options: &[(String, String)]) -> Result<(&'static About, Policies)> {
            let about = called(name)?;
            let refuses = match about.name {
                $($name => <$lru as Scheme>::REFUSES,)+
                _ => &[],
            };
            Ok((about, Policies::parse(about, refuses, options)?))
        }

        /// Compiled by itself for LRU in both tiers, once for all other combinations of policies, and once for each
        /// admission rule that can refuse a page; with a device under flash, or a directory on it, as with such a
        /// rule, and so on simulated time with other policies.
        fn replayed(
            about: &'static About,
            policies: &Policies,
            run: Run<'_, '_>,
            clocking: Option<Clocking>,
        ) -> Result<(SchemeResult, Option<Took>)> {
            if flash_blocks::are_wanted(policies)? {
                return flash_blocks::simulate(about, policies, run, clocking);
            }
            if policies.admission() != ADMISSION.default
                || policies.ask_below()?
                || clocking.is_some() && !policies.are_lru()
            {
                return admission::with(policies.admission(), Choosy { about, policies, run, clocking });
            }
            match (about.name, policies.are_lru()) {
                $(
                    ($name, true) => {
                        two_tier::simulate_either::<$lru, none::NoFlash<Lru>>(about, policies, run, clocking)
                    }
                    ($name, false) => {
                        Ok((two_tier::simulate::<$any, none::NoFlash<AnyPolicy>>(about, policies, run)?, None))
                    }
                )+
                _ => Err(unknown(about.name)),
            }
        }
    };
}

fn called(name: &str) -> Result<&'static About> {
    let wanted = spelled(name);
    let about = TABLE.iter().find(|about| about.name == wanted);
    about.ok_or_else(|| unknown(name))
}

/// Replays the run through the scheme called `name`.
pub(crate) fn simulate(name: &str, run: Run<'_, '_>) -> Result<SchemeResult> {
    let (about, policies) = parsed(name, run.options)?;
    Ok(replayed(about, &policies, run, None)?.0)
}

/// Replays the run through the scheme called `name`, or through the flash cache of that name, on simulated time.
pub(crate) fn simulate_timed(name: &str, run: Run<'_, '_>, timing: Timing) -> Result<TimedResult> {
    if flash_caches::is_one(name) {
        return flash_caches::simulate_flash_cache_timed(run, name, timing);
    }
    let (crash_at, own) = crash_of(called(name)?.name, run.options)?;
    let (about, policies) = parsed(name, &own)?;
    let clocking = Clocking { timing, crash_at };
    let (replay, took) = replayed(about, &policies, run, Some(clocking))?;
    let took = took.ok_or_else(|| disagreement(about.name, "its replay took no simulated time"))?;
    Ok(took.with(replay))
}

/// A replay whose flash does not take every page, or lies on a device, or that goes by simulated time with other
/// policies than LRU.
struct Choosy<'run, 'source, 'progress> {
    about: &'static About,
    policies: &'run Policies,
    run: Run<'source, 'progress>,
    clocking: Option<Clocking>,
}

fn unknown(name: &str) -> Error {
    Error::BadParameter {
        name: "scheme",
        value: name.to_owned(),
        message: "no such page-flow scheme".to_owned(),
        hint: format!(
            "choose one of {}, or a chooser among them: {}, or a flash cache: {}",
            known_names(TABLE),
            known_names(online::TABLE),
            flash_caches::known_names()
        ),
    }
}

schemes! {
    none::NoFlash<Lru>, none::NoFlash<AnyPolicy>, none::NoFlash<AnyPolicy> => "none", "No flash", "RAM alone in front of the disk.", "Koltsidas, Viglas 2009, cost C0";
    inclusive::Inclusive<Lru, LruGuarded>, inclusive::Inclusive<AnyPolicy, AnyGuarded>, inclusive::Inclusive<AnyPolicy, AnyGuarded, PerhapsPlaced, A::AtMiss> => "inclusive", "Inclusive", "Every RAM page is on flash too; flash sees only RAM misses.", "Koltsidas, Viglas 2009, section 3.2, Figure 2";
    inclusive_global_lru::InclusiveGlobalLru, inclusive_global::InclusiveGlobal<AnyPolicy, AnyGuarded>, inclusive_global::InclusiveGlobal<AnyPolicy, AnyGuarded, PerhapsPlaced, A::AtMiss> => "inclusive_global", "Inclusive, global recency", "Every RAM page is on flash too; every reference refreshes its flash recency, so with LRU in both tiers the hit-ratio curve predicts it exactly.", "Koltsidas, Viglas 2009, section 3.2, with the recency its formula assumes";
    exclusive_lru::ExclusiveLru, exclusive::Exclusive<AnyPolicy, AnyPolicy>, exclusive::Exclusive<AnyPolicy, AnyPolicy, A, PerhapsPlaced> => "exclusive", "Exclusive", "A page is in RAM or on flash, never in both; every RAM victim is written to flash.", "Koltsidas, Viglas 2009, section 3.3, Figure 3";
    lazy_lru::LazyLru, lazy::Lazy<AnyPolicy, AnyPolicy>, lazy::Lazy<AnyPolicy, AnyPolicy, A, PerhapsPlaced> => "lazy", "Lazy", "A page may be in both; a RAM victim is written to flash unless a clean copy is there.", "Koltsidas, Viglas 2009, section 3.4, Figure 4";
}
