//! Traces of described workloads: accesses drawn at random from a mix of components, by a seed.

use std::path::Path;

use serde::Deserialize;

use crate::curve::spread;
use crate::error::{Error, Result};
use crate::progress::OnProgress;
use crate::random::{Random, Zipf};
use crate::trace::formats::{Choice, Detection, Format, Open, Score};
use crate::trace::normalise::Normaliser;
use crate::trace::open::Input;
use crate::trace::reader::{
    Addressing, BATCH_REQUESTS, FieldUnit, PlacedRequest, Request, RequestReader, Understanding,
    Warning,
};
use crate::trace::report::{TraceReport, convert_source};
use crate::trace::streams::Compression;
use crate::trace::{TraceSpec, normalise};

/// What a generated trace calls its source; no file has it, so it is not among the formats read.
static DESCRIBED: Format = Format {
    name: "described",
    description: "accesses drawn at random from a described workload",
    verified: "replays agree with the curve computed from the description by formula",
    has_writes: true,
    has_time: true,
    has_device: false,
    page_native: true,
    below_page_cache: false,
    detect: |_| Score::no("a generated trace is not a file"),
    open: Open::Requests(not_a_file),
};

fn not_a_file(_input: Input, spec: &TraceSpec) -> Result<Box<dyn RequestReader>> {
    Err(Error::Unreadable {
        path: spec.path.clone(),
        message: "a described workload is generated, not read".to_owned(),
        hint: "generate its trace first, then read that".to_owned(),
    })
}

/// A workload as its description says, laid out in pages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    /// What the description calls it.
    pub name: String,
    /// Page size [bytes].
    pub page_bytes: u64,
    /// Page accesses [1/s].
    pub accesses_per_s: f64,
    /// The mix; each access is of one part, at random.
    pub parts: Vec<DescribedPart>,
}

/// One component of the mix and its pages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedPart {
    /// Chance that an access is of this part.
    pub access_share: f64,
    /// Its first page among those of the data.
    pub first_page: u64,
    /// Its pages, at least 1.
    pub pages: u64,
    /// Chance that one of its accesses writes.
    pub write_share: f64,
    /// Which of its pages is next.
    pub draw: Draw,
}

/// Which page of a part is next.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Draw {
    /// Rank k in proportion to `1 / k^exponent`.
    Zipf {
        /// Not negative.
        exponent: f64,
    },
    /// The hot pages take this share of the accesses; within each, all pages are equal.
    HotCold {
        /// From 1 to one less than the pages, or all of a single page.
        hot_pages: u64,
        /// Chance that an access is hot.
        hot_access_share: f64,
    },
    /// All pages equally likely.
    Uniform {},
    /// First to last, and again.
    Scan {},
}

/// Writes a canonical trace of `accesses` of the workload; the same seed gives the same trace.
///
/// # Errors
/// [`Error::BadParameter`] for a value out of range, or if `out` exists and `force` is not given;
/// [`Error::Io`]; [`Error::Cancelled`].
pub fn generate(
    workload: &Described,
    accesses: u64,
    seed: u64,
    out: &Path,
    force: bool,
    on_progress: OnProgress<'_>,
) -> Result<TraceReport> {
    if accesses == 0 {
        return Err(bad("accesses", accesses, "must be at least 1"));
    }
    normalise::check_page_bytes(workload.page_bytes)?;
    let mut spec = TraceSpec::new(workload.name.as_str());
    spec.page_bytes = workload.page_bytes;
    let reader = Box::new(Generated::new(workload, accesses, seed)?);
    let source = Normaliser::new(reader, &DESCRIBED, &spec)?;
    let choice = Choice {
        chosen_by: "description",
        margin: 1.0,
        detection: vec![Detection {
            format: DESCRIBED.name,
            score: 1.0,
            reason: "generated, not read".to_owned(),
        }],
    };
    convert_source(source, choice, &spec, out, force, on_progress)
}

fn bad(name: &'static str, value: impl std::fmt::Display, message: &str) -> Error {
    Error::BadParameter {
        name,
        value: value.to_string(),
        message: message.to_owned(),
        hint: "see docs/models/described.md".to_owned(),
    }
}

/// A part as it is drawn from.
struct Part {
    /// Chance that an access is of this part or one before.
    until: f64,
    first_page: u64,
    pages: u64,
    write_share: f64,
    pick: Pick,
    /// Popular pages lie all over the part: rank times this, modulo its pages.
    stride: u64,
}

enum Pick {
    Zipf(Zipf),
    HotCold(u64, f64),
    Uniform,
    Scan(u64),
}

impl Part {
    fn new(part: &DescribedPart, before: f64) -> Result<Self> {
        let share = |name, value: f64| {
            if (0.0..=1.0).contains(&value) {
                Ok(())
            } else {
                Err(bad(name, value, "must lie in [0, 1]"))
            }
        };
        share("access_share", part.access_share)?;
        share("write_share", part.write_share)?;
        if part.pages == 0 || part.first_page.checked_add(part.pages).is_none() {
            return Err(bad(
                "pages",
                part.pages,
                "must be a positive number of pages",
            ));
        }
        let pick = match part.draw {
            Draw::Zipf { exponent } if exponent.is_finite() && exponent >= 0.0 => {
                Pick::Zipf(Zipf::new(part.pages, exponent))
            }
            Draw::Zipf { exponent } => {
                return Err(bad("exponent", exponent, "must be a number, not negative"));
            }
            Draw::HotCold { .. } if part.pages == 1 => Pick::Uniform,
            Draw::HotCold {
                hot_pages,
                hot_access_share,
            } => {
                share("hot_access_share", hot_access_share)?;
                if !(1..part.pages).contains(&hot_pages) {
                    let message = "must leave a hot page and a cold one";
                    return Err(bad("hot_pages", hot_pages, message));
                }
                Pick::HotCold(hot_pages, hot_access_share)
            }
            Draw::Uniform {} => Pick::Uniform,
            Draw::Scan {} => Pick::Scan(0),
        };
        Ok(Self {
            until: before + part.access_share,
            first_page: part.first_page,
            pages: part.pages,
            write_share: part.write_share,
            pick,
            stride: stride(part.pages),
        })
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "less than `pages`")]
    fn draw(&mut self, random: &mut Random) -> u64 {
        let rank = match &mut self.pick {
            Pick::Zipf(zipf) => zipf.draw(random),
            Pick::HotCold(hot, share) => {
                if random.unit() < *share {
                    random.below(*hot)
                } else {
                    *hot + random.below(self.pages - *hot)
                }
            }
            Pick::Uniform => random.below(self.pages),
            Pick::Scan(next) => {
                let page = *next;
                *next = if page + 1 == self.pages { 0 } else { page + 1 };
                return self.first_page + page;
            }
        };
        let page = u128::from(rank) * u128::from(self.stride) % u128::from(self.pages);
        self.first_page + page as u64
    }
}

/// A number near the golden section of `pages` that shares no factor with it, so that its multiples
/// visit each page once.
fn stride(pages: u64) -> u64 {
    let divides = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let start = pages / 1_000 * 618 + pages % 1_000 * 618 / 1_000;
    (start.max(1)..=pages)
        .find(|step| divides(*step, pages) == 1)
        .unwrap_or(1)
}

/// The accesses of a description, as if they were read.
struct Generated {
    understanding: Understanding,
    warning: Warning,
    spaces: [String; 1],
    parts: Vec<Part>,
    random: Random,
    interval_ns: f64,
    done: u64,
    accesses: u64,
}

impl Generated {
    fn new(workload: &Described, accesses: u64, seed: u64) -> Result<Self> {
        let rate = workload.accesses_per_s;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(bad("accesses_per_s", rate, "must be positive"));
        }
        let interval_ns = 1e9 / rate;
        #[expect(clippy::cast_precision_loss, reason = "compared with a bound far off")]
        if interval_ns * accesses as f64 >= LONGEST_NS {
            let message = "at this rate the trace would last longer than 290 years";
            return Err(bad("accesses", accesses, message));
        }
        let mut parts = Vec::with_capacity(workload.parts.len());
        let mut until = 0.0;
        for part in &workload.parts {
            parts.push(Part::new(part, until)?);
            until += part.access_share;
        }
        if until.is_nan() || (until - 1.0).abs() >= SUM_TOLERANCE {
            return Err(bad("access_share", until, "the parts must sum to 1"));
        }
        let name = &workload.name;
        Ok(Self {
            understanding: Understanding {
                addressing: Addressing::Pages {
                    page_bytes: Some(workload.page_bytes),
                },
                has_time: true,
                has_writes: true,
                units: vec![
                    FieldUnit::new("time", "ns", "since the first access"),
                    FieldUnit::new("page", "pages", "page of the data, from 0"),
                ],
                assumptions: vec![
                    "accesses are evenly spaced in time".to_owned(),
                    "each access is of one component, at random by weight; popular pages lie all over its part of the data".to_owned(),
                ],
                columns: Vec::new(),
            },
            warning: Warning::new(
                "generated_trace",
                format!("the trace was generated from the description `{name}` with seed {seed}, not recorded"),
                "record a trace of the workload to check what is computed from this one",
            ),
            spaces: [String::new()],
            parts,
            random: Random(spread(seed)),
            interval_ns,
            done: 0,
            accesses,
        })
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "bounded by LONGEST_NS"
    )]
    fn next(&mut self) -> Request {
        let at = self.random.unit();
        let last = self.parts.len() - 1;
        let index = self.parts[..last]
            .iter()
            .position(|part| at < part.until)
            .unwrap_or(last);
        let part = &mut self.parts[index];
        let offset = part.draw(&mut self.random);
        let write = self.random.unit() < part.write_share;
        let time_ns = (self.done as f64 * self.interval_ns) as i64;
        self.done += 1;
        Request {
            time_ns,
            offset,
            size: 1,
            space: 0,
            write,
        }
    }
}

/// Times are counted in an i64 [ns].
const LONGEST_NS: f64 = 9.15e18;
const SUM_TOLERANCE: f64 = 1e-6;

impl RequestReader for Generated {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        batch.clear();
        let count = (self.accesses - self.done).min(BATCH_REQUESTS as u64);
        batch.extend((0..count).map(|_| self.next()));
        Ok(count > 0)
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let count = (self.accesses - self.done).min(rows as u64);
        Ok((0..count)
            .map(|_| {
                let request = self.next();
                PlacedRequest {
                    place: format!("access {}", self.done),
                    raw: String::new(),
                    request,
                }
            })
            .collect())
    }

    fn understanding(&self) -> &Understanding {
        &self.understanding
    }

    fn spaces(&self) -> &[String] {
        &self.spaces
    }

    fn warnings(&self) -> Vec<Warning> {
        vec![self.warning.clone()]
    }

    fn position(&self) -> (u64, u64) {
        (self.done, self.accesses)
    }

    fn compression(&self) -> Compression {
        Compression::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(exponent: f64, pages: u64, draws: u32) -> Vec<f64> {
        let zipf = Zipf::new(pages, exponent);
        let mut random = Random(spread(3));
        let mut counts = vec![0.0; usize::try_from(pages).expect("few pages")];
        for _ in 0..draws {
            counts[usize::try_from(zipf.draw(&mut random)).expect("few pages")] += 1.0;
        }
        counts
    }

    #[test]
    fn ranks_are_as_likely_as_their_weights() {
        let draws = 400_000;
        for exponent in [0.0, 0.5, 1.0, 1.2, 3.0] {
            let weights: Vec<f64> = (1..=50).map(|k| f64::from(k).powf(-exponent)).collect();
            let sum: f64 = weights.iter().sum();
            let mut squares = 0.0;
            let mut cells = 0.0;
            for (count, weight) in counts(exponent, 50, draws).iter().zip(&weights) {
                let expected = f64::from(draws) * weight / sum;
                if expected >= 20.0 {
                    squares += (count - expected).powi(2) / expected;
                    cells += 1.0;
                }
            }
            // Chi-square: mean `cells`, variance twice that.
            let most = cells + 5.0 * (2.0_f64 * cells).sqrt();
            assert!(squares < most, "{exponent}: {squares} of {cells} ranks");
        }
    }

    #[test]
    fn strides_visit_each_page_once() {
        for pages in [1, 2, 3, 12, 1000, 1618, 4096] {
            let mut seen: Vec<u64> = (0..pages).map(|k| k * stride(pages) % pages).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..pages), "{pages}");
        }
    }

    #[test]
    fn a_trillion_pages_need_no_table() {
        let zipf = Zipf::new(1_000_000_000_000, 0.9);
        let mut random = Random(1);
        let largest = (0..10_000).map(|_| zipf.draw(&mut random)).max();
        assert!(largest.is_some_and(|rank| (1_000_000_000..1_000_000_000_000).contains(&rank)));
    }
}
