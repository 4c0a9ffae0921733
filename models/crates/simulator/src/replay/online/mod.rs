//! The online chooser: it measures what the formulas need, period after period, and runs the scheme
//! that they say costs least.
//!
//! Koltsidas and Viglas, sections 3.5 and 4.3: flash hits and misses and the rate at which pages are
//! dirtied are watched, the cost formula of each page flow is evaluated periodically, and the one with
//! the least cost is adopted; with management by file or relation, for each by itself.
//!
//! ```text
//! at the end of each period, for each relation:
//!   M(C)          misses of one LRU cache of C pages in the period, from stack distances
//!   h_f, m_f      M(r) - M(r + e_f) and M(r + e_f) under each scheme: `sizes`
//!   p_d           RAM victims that were written in RAM / RAM misses
//!   p_dF          disk writes / flash misses; p_d where nothing missed flash
//!   cost          of each scheme: `costs`; inclusive only where f > r
//!   contender     the cheapest one, in doubt lazy, then exclusive, then inclusive
//!   gain          cost(running) - cost(contender); it counts if it exceeds both
//!                 hysteresis · cost(running) and switch_cost_us
//!   the contender is adopted when its gain counted in `patience` periods in succession
//! ```
//!
//! Where the paper is silent, chosen here:
//!
//! | point | chosen |
//! |---|---|
//! | how a scheme not running is judged | by the LRU curve of the period, as everywhere in the product; the running one too, so that both sides have the same error |
//! | what a switch does | nothing at once: *a page is governed, until RAM evicts it, by the scheme that ran when it entered RAM*. Pages on flash stay. So nothing is written out, no page is lost, and each page keeps the invariant of its scheme: with RAM turned over once the hierarchy is that of the new scheme |
//! | `p_d` under a running exclusive scheme, whose pages bring dirt from flash | only pages written in RAM count, which is `p_d` of the other schemes |
//! | `p_dF` of schemes not running | that of the running one |
//! | relations share RAM and flash | `e_f` is that of all together; each counts its own accesses within it |
//! | a share above 1, where victims of a relation outnumber its misses | 1 |
//! | the last period, if it is not whole | reported, without a choice |
//! | a period without RAM misses | no choice: nothing flowed |
//! | pages that flash does not admit | the admission is asked as a page misses RAM, whatever scheme runs; a dirty one that leaves RAM goes to disk, and counts in `p_dF`. The formulas are used as they are: they suppose that flash admits every page |
//! | policies other than LRU | the tiers run them; the schemes are still judged by LRU, which no one of them favours: `p_d`, `p_dF` and what is reported as seen are those of the policies that run |
//! | what a switch does to the policies | nothing: both go on with all that they know. Flash guards what RAM holds under the inclusive scheme and only that, a page that exclusive takes off flash leaves its policy without a trace, and every flash policy sees the traffic of whatever scheme governs the page |

use serde::Serialize;

use crate::access::AccessSource;
use crate::error::{Error, Result};
use crate::progress::OnProgress;
use crate::replay::admission::all::All;
use crate::replay::admission::{
    self, ADMISSION, ADMISSION_AT_MISS, ASSIGNMENT, Admission, CATEGORIES, ForAdmission, LIFETIME,
};
use crate::replay::flash_caches::{Gate, by_request, in_whole_requests};
use crate::replay::policies::lru::Lru;
use crate::replay::policies::{AnyGuarded, AnyPolicy, Guarding, Policy};
use crate::replay::settings::{Setting, Settings, Values, spelled};
use crate::replay::two_tier::{Cache, FLASH_POLICY, Policies, RAM_POLICY, SchemeCounters, Warning};
use crate::replay::{About, Machine, WarmedUp, disagreement, page_count, replay_with};
use crate::wording::{counted, grouped};

mod costs;
mod flow;
mod sizes;

use costs::Times;
use flow::OnlineFlow;

/// Most rows of the history; afterwards only rows with a switch are kept.
const MOST_ROWS: usize = 100_000;
/// Most relations with a choice of their own.
const MOST_RELATIONS: usize = 4096;

/// The schemes to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Inclusive,
    Exclusive,
    Lazy,
}

impl Scheme {
    const ALL: [Self; 3] = [Self::Inclusive, Self::Exclusive, Self::Lazy];
    /// Which is taken among equals.
    const TIE_ORDER: [Self; 3] = [Self::Lazy, Self::Exclusive, Self::Inclusive];

    fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// Names of the schemes, as declared.
const NAMES: &[&str] = &["inclusive", "exclusive", "lazy"];

const fn time(name: &'static str, description: &'static str, default: &'static str) -> Setting {
    Setting {
        name,
        description,
        default,
        values: Values::Number {
            least: 0.0,
            most: 1e12,
        },
    }
}

const OPTIONS: &[Setting] = &[
    time(
        "flash_read_us",
        "Time to read a page from flash; required. [µs]",
        "",
    ),
    time(
        "flash_write_us",
        "Time to write a page to flash; required. [µs]",
        "",
    ),
    time(
        "disk_read_us",
        "Time to read a page from disk; required. [µs]",
        "",
    ),
    time(
        "disk_write_us",
        "Time to write a page to disk; required. [µs]",
        "",
    ),
    time(
        "lookup_us",
        "Time of a lookup in the flash directory. [µs]",
        "0",
    ),
    time(
        "update_us",
        "Time of an update of the flash directory. [µs]",
        "0",
    ),
    Setting {
        name: "period",
        description: "Accesses between two choices.",
        default: "100000",
        values: Values::References {
            least: 1,
            most: u32::MAX,
        },
    },
    Setting {
        name: "scope",
        description: "One choice for all pages, or one for each relation (device or file of the trace).",
        default: "global",
        values: Values::OneOf(&["global", "relation"]),
    },
    Setting {
        name: "initial",
        description: "The initial scheme.",
        default: "lazy",
        values: Values::OneOf(NAMES),
    },
    Setting {
        name: "hysteresis",
        description: "Share of the running scheme's cost that a gain must exceed to count.",
        default: "0.05",
        values: Values::Number {
            least: 0.0,
            most: 1e6,
        },
    },
    time(
        "switch_cost_us",
        "Time that a gain within one period must exceed to count. [µs]",
        "0",
    ),
    Setting {
        name: "patience",
        description: "Consecutive periods in which a gain must count before the switch.",
        default: "2",
        values: Values::Whole {
            least: 1,
            most: u32::MAX,
        },
    },
    RAM_POLICY,
    FLASH_POLICY,
    ADMISSION_AT_MISS,
    ASSIGNMENT,
    CATEGORIES,
    LIFETIME,
];
/// Why other admissions make no sense here.
const REFUSES: &[(&str, &str)] = &[(
    ADMISSION.name,
    "under inclusive, which it may choose, what enters flash is decided as it comes from disk, and this rule looks at RAM victims",
)];

/// Every chooser: the one table that all lists are read from.
pub(crate) const TABLE: &[About] = &[About {
    name: "online",
    title: "Online chooser",
    description: "Evaluates the cost formulas every period and runs the page flow with the lowest cost.",
    paper: "Koltsidas, Viglas 2009, sections 3.5 and 4.3",
    needs: &[],
    options: OPTIONS,
}];

/// What the formulas say of one scheme in a period.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Name of the scheme.
    pub scheme: &'static str,
    /// Effective size of flash, in pages.
    pub effective_flash_pages: f64,
    /// Flash hits.
    pub flash_hits: f64,
    /// Flash misses.
    pub flash_misses: f64,
    /// Cost of devices and directory. [µs]
    pub cost_us: f64,
}

/// What was measured in one period of one relation, and what was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The period, from 0.
    pub period: u64,
    /// Number of the relation in the trace; `None` for all pages together.
    pub relation: Option<u32>,
    /// The scheme that ran.
    pub running: &'static str,
    /// The scheme that runs in the next period.
    pub chosen: &'static str,
    /// Accesses.
    pub accesses: u64,
    /// RAM misses.
    pub ram_misses: u64,
    /// Flash hits, as they were.
    pub flash_hits: u64,
    /// Share of RAM misses whose victim had been written in RAM, `p_d`.
    pub dirty_share: f64,
    /// Share of flash misses with a disk write, `p_dF`.
    pub flash_dirty_share: f64,
    /// What the formulas say, in the order inclusive, exclusive, lazy; inclusive only if flash is
    /// larger than RAM.
    pub estimates: Vec<Estimate>,
}

/// Result of a replay under the chooser.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnlineResult {
    /// Name of the chooser in [`super::choosers`].
    pub scheme: &'static str,
    /// RAM capacity in pages.
    pub ram_pages: u32,
    /// Flash capacity in pages.
    pub flash_pages: u32,
    /// Replacement policy of RAM.
    pub ram_policy: &'static str,
    /// Replacement policy of flash.
    pub flash_policy: &'static str,
    /// Admission rule of flash.
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
    /// Choices after the warm-up that changed the scheme.
    pub switches: u64,
    /// All periods in order, relations in order of appearance, those without RAM misses left out. Periods of the
    /// warm-up are among them: they are part of how the chooser came to its choices.
    #[serde(skip)]
    pub history: Vec<Choice>,
    /// Names of the relations by their numbers, if the trace has names.
    #[serde(skip)]
    pub relation_names: Vec<String>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// How to choose.
#[derive(Debug, Clone, Copy)]
struct Rules {
    times: Times,
    period: u32,
    initial: Scheme,
    hysteresis: f64,
    switch_cost: f64,
    patience: u32,
}

/// Replays all accesses of `source` under the chooser called `name`.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown name or option, a missing cost or an impossible size,
/// [`Error::Cancelled`], and whatever `source` reports.
pub fn simulate_online(
    source: &mut dyn AccessSource,
    name: &str,
    ram_pages: u64,
    flash_pages: u64,
    options: &[(String, String)],
    on_progress: OnProgress<'_>,
) -> Result<OnlineResult> {
    in_whole_requests(by_request(options), source, |source| {
        choose(source, name, ram_pages, flash_pages, options, on_progress)
    })
}

fn choose(
    source: &mut dyn AccessSource,
    name: &str,
    ram_pages: u64,
    flash_pages: u64,
    options: &[(String, String)],
    on_progress: OnProgress<'_>,
) -> Result<OnlineResult> {
    let about = &TABLE[0];
    if spelled(name) != about.name {
        return Err(Error::BadParameter {
            name: "scheme",
            value: name.to_owned(),
            message: "no such page-flow chooser".to_owned(),
            hint: format!("choose {}", about.name),
        });
    }
    let policies = &Policies::parse(about, REFUSES, options)?;
    let settings = policies.own();
    no_time_lacks(about, settings)?;
    let ram_pages = page_count("ram-pages", ram_pages, 1)?;
    let flash_pages = page_count("flash-pages", flash_pages, 1)?;
    let rules = Rules {
        times: Times {
            flash_read: settings.number("flash_read_us"),
            flash_write: settings.number("flash_write_us"),
            disk_read: settings.number("disk_read_us"),
            disk_write: settings.number("disk_write_us"),
            lookup: settings.number("lookup_us"),
            update: settings.number("update_us"),
        },
        period: settings.whole("period"),
        initial: Scheme::ALL[settings.whole("initial") as usize],
        hysteresis: settings.number("hysteresis"),
        switch_cost: settings.number("switch_cost_us"),
        patience: settings.whole("patience"),
    };
    if rules.initial == Scheme::Inclusive && flash_pages <= ram_pages {
        return Err(Error::BadParameter {
            name: "option",
            value: "initial=inclusive".to_owned(),
            message: format!(
                "inclusive needs more flash than RAM: flash has {} and RAM {ram_pages}",
                counted(flash_pages, "page", "pages")
            ),
            hint: "give flash more pages than RAM, or use initial=lazy".to_owned(),
        });
    }
    let (ram, flash) = policies.tiers();
    let run = Run {
        about,
        ram: Cache {
            pages: ram_pages,
            settings: ram,
        },
        flash: Cache {
            pages: flash_pages,
            settings: flash,
        },
        rules,
        admission: policies.admission(),
        gate: policies.gate(flash_pages)?,
        by_relation: settings.name("scope") == "relation",
        source,
        on_progress,
    };
    if run.admission != ADMISSION.default {
        return admission::with(run.admission, run);
    }
    if policies.are_lru() {
        run.count_in_scope::<Lru, <Lru as Policy>::Guarded, All>()
    } else {
        run.count_in_scope::<AnyPolicy, AnyGuarded, All>()
    }
}

/// The chooser weighs device times: all must be given.
fn no_time_lacks(about: &About, settings: &Settings) -> Result<()> {
    let missing: Vec<&str> = about
        .options
        .iter()
        .filter(|option| option.default.is_empty() && settings.number(option.name).is_nan())
        .map(|option| option.name)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::BadParameter {
        name: "option",
        value: missing.join(", "),
        message: format!(
            "scheme `{}` compares device times, but not all of them are given",
            about.name
        ),
        hint: format!(
            "give {}=T in microseconds per operation, and likewise the other times",
            missing[0]
        ),
    })
}

/// The error for the first relation that is one too many; `pages` came before its first page.
fn too_many_relations(pages: usize) -> Error {
    Error::BadParameter {
        name: "option",
        value: "scope=relation".to_owned(),
        message: format!(
            "the trace has more than {}: number {} comes after {}, and at most {} can have a separate choice",
            counted(MOST_RELATIONS, "relation", "relations"),
            grouped(MOST_RELATIONS + 1),
            counted(pages, "distinct page", "distinct pages"),
            grouped(MOST_RELATIONS)
        ),
        hint: "use scope=global, or reduce the trace to the relations of interest".to_owned(),
    }
}

/// What one replay under the chooser needs.
struct Run<'run, 'progress> {
    about: &'static About,
    ram: Cache<'run>,
    flash: Cache<'run>,
    rules: Rules,
    admission: &'static str,
    gate: Option<Gate>,
    /// Each relation has its own scheme.
    by_relation: bool,
    source: &'run mut dyn AccessSource,
    on_progress: OnProgress<'progress>,
}

impl ForAdmission for Run<'_, '_> {
    type Output = OnlineResult;

    fn run<A: Admission>(self) -> Result<OnlineResult> {
        self.count_in_scope::<AnyPolicy, AnyGuarded, A::AtMiss>()
    }
}

impl Run<'_, '_> {
    fn count_in_scope<R: Policy, F: Guarding, A: Admission>(self) -> Result<OnlineResult> {
        if self.by_relation {
            self.count::<R, F, A, true>()
        } else {
            self.count::<R, F, A, false>()
        }
    }

    fn count<R: Policy, F: Guarding, A: Admission, const RELATIONS: bool>(
        self,
    ) -> Result<OnlineResult> {
        let Self {
            about,
            ram,
            flash,
            rules,
            admission,
            gate,
            source,
            on_progress,
            ..
        } = self;
        let mut flow = OnlineFlow::<R, F, A, RELATIONS>::new(&ram, &flash, rules);
        if let Some(gate) = gate {
            flow.assign(gate);
        }
        let mut before = (SchemeCounters::default(), 0);
        let totals = replay_with(
            ram.settings.needs_future() || flash.settings.needs_future(),
            source,
            &mut flow,
            &mut |flow| before = (flow.counters(), flow.switches()),
            on_progress,
        )?;
        flow.end();
        flow.finished(totals)
            .map_err(|text| disagreement(about.name, &text))?;
        let mut warnings = Vec::new();
        warnings.extend(judged_by_lru(ram.settings.policy, flash.settings.policy));
        warnings.extend(judged_as_if_all_entered(flow.counters()));
        warnings.extend(flow.notes());
        let counters = flow.counters().since(before.0);
        let (history, switches, left_out) = flow.into_history();
        if left_out > 0 {
            warnings.push(Warning {
                name: "history_cut",
                message: format!(
                    "{} left out after the first {MOST_ROWS}",
                    counted(
                        left_out,
                        "row of the history without a switch is",
                        "rows of the history without a switch are"
                    )
                ),
                hint: "choose a longer period".to_owned(),
            });
        }
        Ok(OnlineResult {
            scheme: about.name,
            ram_pages: ram.pages,
            flash_pages: flash.pages,
            ram_policy: ram.settings.policy,
            flash_policy: flash.settings.policy,
            admission,
            accesses: totals.counted_accesses(),
            write_accesses: totals.counted_writes(),
            warm_up: totals.warm_up,
            distinct_pages: totals.distinct_pages as u64,
            counters,
            switches: switches - before.1,
            history,
            relation_names: source.space_names().to_vec(),
            warnings,
        })
    }
}

/// What to say where a tier is not LRU, as the formulas take it.
fn judged_by_lru(ram_policy: &str, flash_policy: &str) -> Option<Warning> {
    let others: Vec<String> = [("RAM", ram_policy), ("flash", flash_policy)]
        .into_iter()
        .filter(|(_, policy)| *policy != "lru")
        .map(|(tier, policy)| format!("{tier} runs `{policy}`"))
        .collect();
    (!others.is_empty()).then(|| Warning {
        name: "judged_by_lru",
        message: format!(
            "{}, while the schemes are chosen by hits and misses of LRU in both tiers",
            others.join(" and ")
        ),
        hint: "compare with replays of each scheme alone under these policies".to_owned(),
    })
}

/// What to say where flash refused pages, of which the formulas know nothing.
fn judged_as_if_all_entered(counters: SchemeCounters) -> Option<Warning> {
    let SchemeCounters {
        rejections,
        ram_evictions,
        ..
    } = counters;
    (rejections > 0).then(|| Warning {
        name: "judged_as_if_all_entered",
        message: format!(
            "flash did not admit {} of {}, while the schemes are chosen by estimates that suppose that flash admits every page",
            grouped(rejections),
            counted(ram_evictions, "RAM victim", "RAM victims")
        ),
        hint: "compare with replays of each scheme alone behind the same assignment".to_owned(),
    })
}
