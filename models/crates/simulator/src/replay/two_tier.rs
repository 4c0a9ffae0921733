//! RAM in front of a flash cache in front of the disk, under any page-flow scheme.

use serde::Serialize;

use super::{
    About, Machine, Totals, WarmedUp, counters_since, disagreement, page_count, replay_with,
    written_as_named,
};
use crate::access::AccessSource;
use crate::error::{Error, Result};
use crate::ftl::FtlResult;
use crate::progress::OnProgress;
use crate::replay::admission::{
    self, ADMISSION, ASSIGNMENT, Admission, BY_CATEGORY, CATEGORIES, LIFETIME,
};
use crate::replay::directory::{self, DirectoryResult};
use crate::replay::flash_blocks::{BlockCounters, BlockResult};
use crate::replay::flash_caches::Gate;
use crate::replay::policies::AnyPolicy;
use crate::replay::schemes::none::NoFlash;
use crate::replay::settings::{
    Need, Setting, Settings, Values, refuse_twice, spelled, unknown_option,
};
use crate::replay::tier::Victim;
use crate::replay::timed::{
    Contents, Replayed, Responses, SchemeCrash, Timed, TimedResult, Timing,
};
use crate::replay::translation::{self, Below};
use crate::wording::{counted, grouped};

/// What one replay through two tiers needs.
pub(crate) struct Run<'source, 'progress> {
    pub(crate) source: &'source mut dyn AccessSource,
    pub(crate) ram_pages: u64,
    pub(crate) flash_pages: u64,
    pub(crate) options: &'source [(String, String)],
    pub(crate) on_progress: OnProgress<'progress>,
}

/// What a scheme counts: accesses, and operations on pages, or on blocks where flash has blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SchemeCounters {
    /// Accesses found in RAM.
    pub ram_hits: u64,
    /// RAM misses found on flash; each is one flash read.
    pub flash_hits: u64,
    /// RAM misses not found on flash (all of them where there is no flash); each is one disk read.
    pub flash_misses: u64,
    /// Flash writes of pages that were not on flash: newcomers, or RAM victims.
    pub flash_fills: u64,
    /// Flash writes of dirty RAM victims over their flash copy.
    pub flash_write_backs: u64,
    /// Disk writes: dirty flash victims, or dirty RAM victims where there is no flash.
    pub hdd_writes: u64,
    /// RAM victims.
    pub ram_evictions: u64,
    /// RAM victims that were dirty.
    pub ram_dirty_evictions: u64,
    /// Flash victims.
    pub flash_evictions: u64,
    /// RAM victims that had a copy on flash.
    pub victims_found_on_flash: u64,
    /// RAM victims that the admission rule kept off flash.
    pub rejections: u64,
    /// Those of them that were dirty; each is one disk write.
    pub dirty_rejections: u64,
    /// Copies on flash that became old because a dirty RAM victim was kept off flash.
    pub flash_invalidations: u64,
    /// Disk reads that fetch the block of a RAM victim to flash, where flash has blocks.
    pub hdd_block_fetches: u64,
    /// Lookups in the flash directory.
    pub directory_lookups: u64,
    /// Updates of the flash directory.
    pub directory_updates: u64,
}

counters_since!(
    SchemeCounters,
    plus {
        ram_hits,
        flash_hits,
        flash_misses,
        flash_fills,
        flash_write_backs,
        hdd_writes,
        ram_evictions,
        ram_dirty_evictions,
        flash_evictions,
        victims_found_on_flash,
        rejections,
        dirty_rejections,
        flash_invalidations,
        hdd_block_fetches,
        directory_lookups,
        directory_updates,
    }
);

written_as_named!(SchemeCounters);

impl SchemeCounters {
    /// A RAM victim is kept off flash, and is on disk then.
    #[inline]
    pub(crate) fn refuse(&mut self, victim: Victim) {
        let dirty = u64::from(victim.dirty);
        self.ram_dirty_evictions += dirty;
        self.rejections += 1;
        self.dirty_rejections += dirty;
        self.hdd_writes += dirty;
    }

    /// Reads from flash.
    pub fn flash_reads(&self) -> u64 {
        self.flash_hits
    }

    /// Writes to flash.
    pub fn flash_writes(&self) -> u64 {
        self.flash_fills + self.flash_write_backs
    }

    /// Reads from disk.
    pub fn hdd_reads(&self) -> u64 {
        self.flash_misses + self.hdd_block_fetches
    }

    /// All counters with their names, in the order to show them.
    pub fn named(&self) -> [(&'static str, u64); 19] {
        [
            ("ram_hits", self.ram_hits),
            ("flash_hits", self.flash_hits),
            ("flash_misses", self.flash_misses),
            ("flash_reads", self.flash_reads()),
            ("flash_writes", self.flash_writes()),
            ("hdd_reads", self.hdd_reads()),
            ("hdd_writes", self.hdd_writes),
            ("ram_evictions", self.ram_evictions),
            ("ram_dirty_evictions", self.ram_dirty_evictions),
            ("flash_evictions", self.flash_evictions),
            ("flash_fills", self.flash_fills),
            ("flash_write_backs", self.flash_write_backs),
            ("victims_found_on_flash", self.victims_found_on_flash),
            ("rejections", self.rejections),
            ("dirty_rejections", self.dirty_rejections),
            ("flash_invalidations", self.flash_invalidations),
            ("hdd_block_fetches", self.hdd_block_fetches),
            ("directory_lookups", self.directory_lookups),
            ("directory_updates", self.directory_updates),
        ]
    }
}

/// Something the user should know about a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Stable name.
    pub name: &'static str,
    /// What is so, with the values.
    pub message: String,
    /// The next step.
    pub hint: String,
}

/// Result of one replay through RAM and flash.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SchemeResult {
    /// Name of the scheme in [`super::schemes`].
    pub scheme: &'static str,
    /// RAM capacity in pages.
    pub ram_pages: u32,
    /// Flash capacity in pages.
    pub flash_pages: u32,
    /// Replacement policy of RAM.
    pub ram_policy: &'static str,
    /// Replacement policy of flash.
    pub flash_policy: &'static str,
    /// Admission rule of flash; `all` where the scheme has none.
    pub admission: &'static str,
    /// Accesses counted, reads and writes.
    pub accesses: u64,
    /// Those that write.
    pub write_accesses: u64,
    /// What was replayed before them and not counted.
    #[serde(flatten)]
    pub warm_up: WarmedUp,
    /// Distinct pages of the whole trace.
    pub distinct_pages: u64,
    /// What was counted.
    #[serde(flatten)]
    pub counters: SchemeCounters,
    /// What was counted besides, where a flash page holds several RAM pages.
    pub blocks: Option<Box<BlockResult>>,
    /// What the flash device under the scheme did, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ftl: Option<Box<FtlResult>>,
    /// What the flash directory did, if it was put on flash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<Box<DirectoryResult>>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Option of a scheme whose RAM can have any policy.
pub(crate) const RAM_POLICY: Setting = Setting {
    name: "ram_policy",
    description: "Replacement policy of RAM; its options are given as `ram_` and their name.",
    default: "lru",
    values: Values::Policy,
};
/// Option of a scheme whose flash can have any policy.
pub(crate) const FLASH_POLICY: Setting = Setting {
    name: "flash_policy",
    description: "Replacement policy of flash; its options are given as `flash_` and their name.",
    default: "lru",
    values: Values::Policy,
};

/// A tier to be built: its capacity and its policy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cache<'run> {
    pub(crate) pages: u32,
    pub(crate) settings: &'run Settings,
}

/// The policies of both tiers and the scheme's own options.
#[derive(Debug)]
pub(crate) struct Policies {
    ram: Settings,
    flash: Settings,
    own: Settings,
    /// Own options that are texts, as given.
    texts: Vec<(&'static str, String)>,
}

impl Policies {
    /// What `options` choose for a scheme, which says why it `refuses` some of other schemes.
    pub(crate) fn parse(
        about: &'static About,
        refuses: &[(&str, &str)],
        options: &[(String, String)],
    ) -> Result<Self> {
        let mut ram = (RAM_POLICY.default, Vec::new());
        let mut flash = (FLASH_POLICY.default, Vec::new());
        let mut own = Settings::defaults(about.options);
        let mut texts = Vec::new();
        let has = |option: &Setting| about.options.contains(option);
        let owner = format!("scheme `{}`", about.name);
        refuse_twice(options)?;
        for (key, value) in options {
            let name = spelled(key);
            let place = about
                .options
                .iter()
                .position(|option| option.name == name && !matches!(option.values, Values::Policy));
            if let Some(place) = place {
                // A rule that there is, and that this scheme has no use for.
                if let Some((_, reason)) = refuses.iter().find(|(option, _)| *option == name)
                    && about.options[place].parse(value).is_none()
                    && ADMISSION.parse(value).is_some()
                {
                    return Err(Error::BadParameter {
                        name: "option",
                        value: format!("{key}={value}"),
                        message: format!("{owner} does not take it: {reason}"),
                        hint: format!(
                            "choose {key}={BY_CATEGORY}, or the scheme exclusive or lazy"
                        ),
                    });
                }
                own.set(place, key, value, &owner)?;
                if matches!(about.options[place].values, Values::Text(_)) {
                    texts.push((about.options[place].name, value.trim().to_owned()));
                }
            } else if let Some((_, reason)) = refuses.iter().find(|(option, _)| *option == name) {
                return Err(Error::BadParameter {
                    name: "option",
                    value: format!("{key}={value}"),
                    message: format!("{owner} does not take it: {reason}"),
                    hint: "leave it out, or choose exclusive or lazy".to_owned(),
                });
            } else if name == RAM_POLICY.name && has(&RAM_POLICY) {
                ram.0 = value;
            } else if name == FLASH_POLICY.name && has(&FLASH_POLICY) {
                flash.0 = value;
            } else if name.starts_with("ram_") && has(&RAM_POLICY) {
                ram.1.push((key.clone(), value.clone()));
            } else if name.starts_with("flash_") && has(&FLASH_POLICY) {
                flash.1.push((key.clone(), value.clone()));
            } else if let Some(tier) = ["ram", "flash"]
                .into_iter()
                .find(|tier| name.starts_with(&format!("{tier}_")))
            {
                return Err(Error::BadParameter {
                    name: "option",
                    value: format!("{key}={value}"),
                    message: format!("{owner} has no {tier} that could have a policy"),
                    hint: "leave it out, or choose a scheme with flash".to_owned(),
                });
            } else {
                return Err(unknown_option(key, &owner, "", about.options));
            }
        }
        Ok(Self {
            ram: Settings::parse("ram_policy", ram.0, "ram_", &ram.1)?,
            flash: Settings::parse("flash_policy", flash.0, "flash_", &flash.1)?,
            own,
            texts,
        })
    }

    /// The admission rule: the option's, or `all` where the scheme has none.
    pub(crate) fn admission(&self) -> &'static str {
        match self.own.name(ADMISSION.name) {
            "" => ADMISSION.default,
            chosen => chosen,
        }
    }

    /// The assignment that is asked for, if any.
    ///
    /// # Errors
    /// [`Error::BadParameter`] for one that has no meaning, or no effect.
    pub(crate) fn gate(&self, flash_pages: u32) -> Result<Option<Gate>> {
        let text = |option: &Setting| {
            let given = self.texts.iter().find(|(name, _)| *name == option.name);
            given.map(|(_, text)| text.as_str())
        };
        let refused = |name: &'static str, value: &str, message: String| Error::BadParameter {
            name: "option",
            value: format!("{name}={value}"),
            message,
            hint: if self.admission() == BY_CATEGORY {
                let option = [ASSIGNMENT, CATEGORIES]
                    .into_iter()
                    .find(|option| option.name == name);
                let range = option.map_or_else(String::new, |option| option.range());
                format!("give {name} as {range}")
            } else {
                format!("add {}={BY_CATEGORY}, or leave it out", ADMISSION.name)
            },
        };
        let (assignment, categories) = (text(&ASSIGNMENT), text(&CATEGORIES));
        if self.admission() != BY_CATEGORY {
            let lifetime = (!self.own.number(LIFETIME.name).is_nan()
                && self.own.whole(LIFETIME.name) > 0)
                .then_some("");
            // A default that is stated asks for nothing.
            let unused = [
                (
                    ASSIGNMENT.name,
                    assignment.filter(|given| *given != ASSIGNMENT.default),
                ),
                (
                    CATEGORIES.name,
                    categories.filter(|given| *given != CATEGORIES.default),
                ),
                (LIFETIME.name, lifetime),
            ];
            let unused = unused
                .into_iter()
                .find_map(|(name, given)| Some((name, given?)));
            return unused.map_or(Ok(None), |(name, value)| {
                let why = format!("has no effect without {}={BY_CATEGORY}", ADMISSION.name);
                Err(refused(name, value, why))
            });
        }
        let lifetime = self.own.whole(LIFETIME.name);
        Gate::of_scheme(
            assignment.unwrap_or(ASSIGNMENT.default),
            categories.unwrap_or(CATEGORIES.default),
            (lifetime > 0).then(|| lifetime.into()),
            flash_pages,
            refused,
        )
        .map(Some)
    }

    /// The scheme's own options.
    pub(crate) fn own(&self) -> &Settings {
        &self.own
    }

    /// The policies of RAM and flash.
    pub(crate) fn tiers(&self) -> (&Settings, &Settings) {
        (&self.ram, &self.flash)
    }

    /// Whether they ask for anything below flash, or beside it: a device, or a directory on flash.
    pub(crate) fn ask_below(&self) -> Result<bool> {
        Ok(translation::wanted(&self.own)?.is_some() || directory::asked(&self.own)?.is_some())
    }

    /// Whether both are the policy for which schemes are compiled by themselves.
    pub(crate) fn are_lru(&self) -> bool {
        self.ram.policy == "lru" && self.flash.policy == "lru"
    }
}

/// A page-flow scheme between RAM and flash.
pub(crate) trait Scheme: Flow {
    /// Whether flash must be larger than RAM to be of use.
    const NEEDS_FLASH_ABOVE_RAM: bool = false;
    /// Options of the scheme: the tiers whose policy can be chosen, and its own.
    const OPTIONS: &'static [Setting];
    /// Options of other schemes that make no sense here, and why.
    const REFUSES: &'static [(&'static str, &'static str)] = &[];
    /// Cold caches.
    fn new(ram: &Cache<'_>, flash: &Cache<'_>) -> Self;
}

/// What moves pages between RAM and flash, under a scheme: single ones, or blocks of them.
pub(crate) trait Flow: Machine {
    /// What it is compiled to have below its flash, and beside it.
    type Below: Below;
    /// By which pages enter its flash.
    type Rule: Admission;
    fn below(&mut self) -> &mut Self::Below;
    fn counters(&self) -> SchemeCounters;
    /// What is counted besides where flash has blocks.
    fn blocks(&self) -> BlockCounters {
        BlockCounters::default()
    }
    /// Pages of a frame of flash.
    fn frame_pages(&self) -> u32 {
        1
    }
    /// How many pages RAM and flash hold.
    fn contents(&self) -> Contents;
    /// Whether RAM or flash holds a copy of a page that is newer than the disk's, as far as [`Self::contents`] tells.
    fn is_newer_than_disk(&self, page: u32) -> bool;
    /// The rule by which pages enter its flash, if there is one.
    fn admission(&mut self) -> Option<&mut Self::Rule> {
        None
    }
    /// Gives its admission what the options assign to categories; a scheme without one is never asked to.
    fn assign(&mut self, gate: Gate) {
        if let Some(rule) = self.admission() {
            rule.assign(gate);
        }
    }
    /// Things to know about what it was given, once the trace was seen.
    fn notes(&mut self) -> Vec<Warning> {
        self.admission().map_or_else(Vec::new, |rule| rule.notes())
    }
    /// Takes over from a machine that crashed what its rule was told of the accesses to come, and the device, on which
    /// nothing is found.
    fn take_over(&mut self, crashed: &mut Self) {
        if let (Some(rule), Some(before)) = (self.admission(), crashed.admission()) {
            rule.keep_places(before);
        }
        self.below().come_back(crashed.below());
    }
    /// Takes over from a machine that crashed all that a crash leaves.
    fn come_back(&mut self, crashed: &mut Self) {
        self.take_over(crashed);
    }
}

/// Replays through scheme `S`, or through `N`, RAM alone, where the scheme has no usable flash.
///
/// An inclusive scheme needs more flash than RAM. With as much flash as RAM its rules still hold,
/// flash mirrors RAM and is written but never hit. With less flash than RAM the rules have no
/// answer (not every RAM page can be on flash): it is counted as RAM alone, without flash traffic.
/// Both results carry a warning.
pub(crate) fn simulate<S: Scheme, N: Scheme>(
    about: &'static About,
    policies: &Policies,
    run: Run<'_, '_>,
) -> Result<SchemeResult> {
    let tiers = Tiers::of::<S>(about, policies, &run)?;
    let counted = if tiers.without_flash {
        let cold = || tiers.cold::<N>(policies);
        count(&Replay::without_flash(about, policies), &cold, run)?
    } else {
        let cold = || tiers.cold::<S>(policies);
        count(&tiers.replay(about, policies), &cold, run)?
    };
    Ok(tiers.result(about, policies, counted))
}

/// The same, or on simulated time, which looks at each access by itself.
pub(crate) fn simulate_either<S: Scheme, N: Scheme>(
    about: &'static About,
    policies: &Policies,
    run: Run<'_, '_>,
    clocking: Option<Clocking>,
) -> Result<(SchemeResult, Option<Took>)> {
    let Some(clocking) = clocking else {
        return Ok((simulate::<S, N>(about, policies, run)?, None));
    };
    let tiers = Tiers::of::<S>(about, policies, &run)?;
    let (counted, took) = if tiers.without_flash {
        let cold = || tiers.cold::<N>(policies);
        let replay = Replay::without_flash(about, policies);
        count_timed(&replay, &cold, run, clocking)?
    } else {
        let cold = || tiers.cold::<S>(policies);
        count_timed(&tiers.replay(about, policies), &cold, run, clocking)?
    };
    Ok((tiers.result(about, policies, counted), Some(took)))
}

/// Sizes as they were asked for, and whether flash is of use.
struct Tiers {
    ram_pages: u32,
    flash_pages: u32,
    without_flash: bool,
    warnings: Vec<Warning>,
}

impl Tiers {
    fn of<S: Scheme>(about: &About, policies: &Policies, run: &Run<'_, '_>) -> Result<Self> {
        let ram_pages = page_count("ram-pages", run.ram_pages, 1)?;
        let flash_pages = page_count("flash-pages", run.flash_pages, 0)?;
        let (warnings, unusable) = if S::NEEDS_FLASH_ABOVE_RAM {
            inclusion(about, policies, ram_pages, flash_pages)
        } else {
            (Vec::new(), false)
        };
        Ok(Self {
            ram_pages,
            flash_pages,
            without_flash: unusable || flash_pages == 0,
            warnings,
        })
    }

    /// Empty caches of these sizes.
    fn cold<S: Scheme>(&self, policies: &Policies) -> S {
        let ram = Cache {
            pages: self.ram_pages,
            settings: &policies.ram,
        };
        let flash = Cache {
            pages: if self.without_flash {
                0
            } else {
                self.flash_pages
            },
            settings: &policies.flash,
        };
        S::new(&ram, &flash)
    }

    /// A replay with flash, whose frames are single pages.
    fn replay<'run>(&self, about: &'static About, policies: &'run Policies) -> Replay<'run> {
        Replay {
            about,
            policies,
            flash_pages: self.flash_pages,
            frames: self.flash_pages,
            frame_pages: 1,
            needs_future: policies.ram.needs_future() || policies.flash.needs_future(),
        }
    }

    fn result(
        mut self,
        about: &'static About,
        policies: &Policies,
        counted: Counted,
    ) -> SchemeResult {
        self.warnings.extend(counted.notes);
        self.warnings
            .extend(without_writes(policies.admission(), counted.totals));
        SchemeResult {
            scheme: about.name,
            ram_pages: self.ram_pages,
            flash_pages: self.flash_pages,
            ram_policy: policies.ram.policy,
            flash_policy: policies.flash.policy,
            admission: policies.admission(),
            accesses: counted.totals.counted_accesses(),
            write_accesses: counted.totals.counted_writes(),
            warm_up: counted.totals.warm_up,
            distinct_pages: counted.totals.distinct_pages as u64,
            counters: counted.counters,
            blocks: None,
            ftl: counted.ftl.map(Box::new),
            directory: counted.directory.map(Box::new),
            warnings: self.warnings,
        }
    }
}

/// What to say of an inclusive flash that is not larger than RAM, and whether it is of no use.
pub(crate) fn inclusion(
    about: &About,
    policies: &Policies,
    ram_pages: u32,
    flash_pages: u32,
) -> (Vec<Warning>, bool) {
    if flash_pages == 0 || ram_pages < flash_pages {
        return (Vec::new(), false);
    }
    let unusable = ram_pages > flash_pages;
    let by_category = policies.admission() == BY_CATEGORY;
    if by_category && !unusable {
        // Of a page that passes flash it has no copy, so others fit there.
        return (Vec::new(), false);
    }
    let kept = if by_category {
        "may admit every RAM page, and keeps those that it admits on flash too"
    } else {
        "keeps every RAM page on flash too"
    };
    let consequence = if unusable {
        "flash cannot hold them, so it is counted as RAM alone, with no flash hits and no flash traffic"
    } else {
        "flash holds no other pages, so it is written but never hit"
    };
    let warning = Warning {
        name: "flash_not_larger_than_ram",
        message: format!(
            "{} {kept}: with ram_pages {} >= flash_pages {} {consequence}",
            about.title,
            grouped(ram_pages),
            grouped(flash_pages)
        ),
        hint: "give flash more pages than RAM, or choose exclusive or lazy".to_owned(),
    };
    (vec![warning], unusable)
}

/// Replays through RAM alone, for a scheme whose flash is none or of no use.
pub(crate) fn count_without_flash(
    about: &'static About,
    policies: &Policies,
    run: Run<'_, '_>,
    clocking: Option<Clocking>,
) -> Result<(Counted, Option<Took>)> {
    let ram_pages = page_count("ram-pages", run.ram_pages, 1)?;
    let ram = Cache {
        pages: ram_pages,
        settings: &policies.ram,
    };
    let flash = Cache {
        pages: 0,
        settings: &policies.flash,
    };
    let cold = || NoFlash::<AnyPolicy>::new(&ram, &flash);
    let replay = Replay::without_flash(about, policies);
    count_either(&replay, &cold, run, clocking)
}

/// What to say of an admission rule that looks at writes and saw none.
pub(crate) fn without_writes(rule: &str, totals: Totals) -> Option<Warning> {
    let about = admission::TABLE.iter().find(|about| about.name == rule)?;
    let blind = about.needs.contains(&Need::Writes) && totals.write_accesses == 0;
    blind.then(|| Warning {
        name: "no_writes",
        message: format!(
            "admission `{rule}` depends on writes, and the trace has no writes among its {}",
            counted(totals.accesses, "access", "accesses")
        ),
        hint: "use a trace that records writes, or another admission rule".to_owned(),
    })
}

/// What a replay counted.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) counters: SchemeCounters,
    pub(crate) blocks: BlockCounters,
    pub(crate) totals: Totals,
    /// What the device under flash did.
    pub(crate) ftl: Option<FtlResult>,
    /// What the directory on flash did.
    pub(crate) directory: Option<DirectoryResult>,
    pub(crate) notes: Vec<Warning>,
}

/// What is replayed: a scheme with its options, and how its flash is divided.
#[derive(Debug)]
pub(crate) struct Replay<'run> {
    pub(crate) about: &'static About,
    pub(crate) policies: &'run Policies,
    pub(crate) flash_pages: u32,
    /// Frames of flash, and the pages of each.
    pub(crate) frames: u32,
    pub(crate) frame_pages: u32,
    pub(crate) needs_future: bool,
}

impl<'run> Replay<'run> {
    /// Of RAM alone.
    fn without_flash(about: &'static About, policies: &'run Policies) -> Self {
        Self {
            about,
            policies,
            flash_pages: 0,
            frames: 0,
            frame_pages: 1,
            needs_future: policies.ram.needs_future(),
        }
    }

    /// What the options put below flash and beside it.
    fn put_below(&self, below: &mut impl Below) -> Result<()> {
        let own = self.policies.own();
        if let Some(device) = translation::asked(own, self.frames, self.frame_pages)? {
            below.put_on(device);
        }
        if self.flash_pages > 0
            && let Some(directory) = directory::asked(own)?
        {
            below.keep(directory);
        }
        Ok(())
    }
}

/// Replays through the machine that `cold` makes.
pub(crate) fn count<F: Flow>(
    replay: &Replay<'_>,
    cold: &dyn Fn() -> F,
    Run {
        source,
        on_progress,
        ..
    }: Run<'_, '_>,
) -> Result<Counted> {
    let mut flow = cold();
    replay.put_below(flow.below())?;
    if let Some(gate) = replay.policies.gate(replay.flash_pages)? {
        flow.assign(gate);
    }
    let mut before = (SchemeCounters::default(), BlockCounters::default());
    let totals = replay_with(
        replay.needs_future,
        source,
        &mut flow,
        &mut |flow| {
            before = (flow.counters(), flow.blocks());
            flow.below().restart_counters();
        },
        on_progress,
    )?;
    flow.finished(totals)
        .map_err(|text| disagreement(replay.about.name, &text))?;
    Ok(Counted {
        counters: flow.counters().since(before.0),
        blocks: flow.blocks().since(before.1),
        totals,
        ftl: flow.below().translated()?,
        directory: flow.below().looked_up(),
        notes: flow.notes(),
    })
}

/// How a replay goes by simulated time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clocking {
    pub(crate) timing: Timing,
    /// Accesses before a crash.
    pub(crate) crash_at: Option<u64>,
}

/// How long all took, and what a crash destroyed.
#[derive(Debug)]
pub(crate) struct Took {
    response: Responses,
    crash: Option<SchemeCrash>,
}

impl Took {
    pub(crate) fn with(self, replay: SchemeResult) -> TimedResult {
        TimedResult {
            replay: Replayed::Scheme(Box::new(replay)),
            response: self.response,
            crash: self.crash,
        }
    }
}

/// The same on simulated time.
pub(crate) fn count_timed<F: Flow>(
    replay: &Replay<'_>,
    cold: &dyn Fn() -> F,
    Run {
        source,
        on_progress,
        ..
    }: Run<'_, '_>,
    Clocking { timing, crash_at }: Clocking,
) -> Result<(Counted, Took)> {
    let gate = replay.policies.gate(replay.flash_pages)?;
    let cold = || {
        let mut flow = cold();
        if let Some(gate) = &gate {
            flow.assign(gate.clone());
        }
        flow
    };
    let mut machine = Timed::<F>::new(&cold, timing, crash_at);
    replay.put_below(machine.flow().below())?;
    let mut before = (SchemeCounters::default(), BlockCounters::default());
    let totals = replay_with(
        replay.needs_future,
        source,
        &mut machine,
        &mut |machine| {
            before = machine.counters();
            machine.warmed_up();
        },
        on_progress,
    )?;
    machine.end()?;
    machine
        .finished(totals)
        .map_err(|text| disagreement(replay.about.name, &text))?;
    let (response, crash) = machine.finish()?;
    let (counters, blocks) = machine.counters();
    let flow = machine.flow();
    let counted = Counted {
        counters: counters.since(before.0),
        blocks: blocks.since(before.1),
        totals,
        ftl: flow.below().translated()?,
        directory: flow.below().looked_up(),
        notes: flow.notes(),
    };
    Ok((counted, Took { response, crash }))
}

/// With or without simulated time.
pub(crate) fn count_either<F: Flow>(
    replay: &Replay<'_>,
    cold: &dyn Fn() -> F,
    run: Run<'_, '_>,
    clocking: Option<Clocking>,
) -> Result<(Counted, Option<Took>)> {
    match clocking {
        None => Ok((count(replay, cold, run)?, None)),
        Some(clocking) => {
            let (counted, took) = count_timed(replay, cold, run, clocking)?;
            Ok((counted, Some(took)))
        }
    }
}

/// What must hold of every scheme's counters when `ram_left` and `flash_left` pages are left.
pub(crate) fn add_up(
    counters: &SchemeCounters,
    totals: Totals,
    ram_left: u32,
    flash_left: u32,
    removals: u64,
) -> std::result::Result<(), String> {
    let ram_misses = counters.flash_hits + counters.flash_misses;
    let sums = [
        (
            "hits and misses, accesses",
            counters.ram_hits + ram_misses,
            totals.accesses,
        ),
        (
            "RAM misses, RAM evictions and pages left",
            ram_misses,
            counters.ram_evictions + u64::from(ram_left),
        ),
        (
            "flash fills, flash evictions, removals and pages left",
            counters.flash_fills,
            counters.flash_evictions + removals + u64::from(flash_left),
        ),
    ];
    for (what, left, right) in sums {
        if left != right {
            return Err(format!("{what} do not add up: {left} and {right}"));
        }
    }
    let limits = [
        (
            "dirty RAM evictions",
            counters.ram_dirty_evictions,
            counters.ram_evictions,
        ),
        (
            "RAM victims found on flash",
            counters.victims_found_on_flash,
            counters.ram_evictions,
        ),
        (
            "flash write-backs",
            counters.flash_write_backs,
            counters.ram_dirty_evictions,
        ),
        ("disk writes", counters.hdd_writes, totals.write_accesses),
        (
            "dirty rejections",
            counters.dirty_rejections,
            counters.rejections,
        ),
        (
            "flash invalidations",
            counters.flash_invalidations,
            counters.dirty_rejections,
        ),
    ];
    for (what, count, limit) in limits {
        if count > limit {
            return Err(format!("{count} {what}, at most {limit} are possible"));
        }
    }
    Ok(())
}
