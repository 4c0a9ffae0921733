//! Writes drawn at random, as the formulas assume them, and mixes that no formula covers.

use super::buffer::{Buffered, Serves};
use super::device::{Any, with_device, with_target};
use super::{Ftl, FtlResult, Request, Settings};
use crate::error::{Error, Result};
use crate::progress::{OnProgress, Progress};
use crate::random::{Random, Zipf};

/// Requests drawn together, before any is served.
const TOGETHER: usize = 64;
/// Requests between two reports of progress.
const BETWEEN_REPORTS: u64 = 1 << 20;
/// What shares of writes may be off from 1 in all.
const WHOLE: f64 = 1e-9;

/// Which page of a part is written next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Order {
    /// Any, at random.
    Uniform,
    /// One after the other, from the first again after the last.
    Sequential,
    /// The k-th in proportion to `1 / k^exponent`.
    Zipf {
        /// Not negative.
        exponent: f64,
    },
}

/// Logical pages, one after the other, that are written in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Pages.
    pub pages: u32,
    /// Share of all writes.
    pub write_share: f64,
    /// Which page is next.
    pub order: Order,
    /// Stream of its writes.
    pub stream: u32,
    /// Writes that follow one another, before another part may be written: a region of a log.
    pub run_pages: u32,
}

/// A synthetic workload: the device is filled once in order, written until it is steady, then counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// The parts; together the logical pages of the device.
    pub parts: Vec<Part>,
    /// Share of the requests that trim a random page in use, below 0.5.
    pub trim_share: f64,
    /// Requests before those that count.
    pub warm_up: u64,
    /// Requests that count.
    pub requests: u64,
    /// Of all that is random.
    pub seed: u64,
}

struct Source {
    /// Chance that a run is of this source or one before.
    until: f64,
    run_pages: u32,
    first: u32,
    pages: u32,
    stream: u32,
    pick: Pick,
}

enum Pick {
    Uniform,
    Next(u32),
    Zipf(Zipf),
}

struct Draw {
    sources: Vec<Source>,
    trim_share: f64,
    logical_pages: u32,
    random: Random,
    /// The source that is written, and what is left of its run.
    at: usize,
    left: u32,
}

impl Draw {
    /// Page and stream of the next write.
    #[inline]
    fn write(&mut self) -> (u32, u32) {
        if self.left == 0 {
            if self.sources.len() > 1 {
                let draw = self.random.unit();
                let last = self.sources.len() - 1;
                let found = self.sources.iter().position(|source| draw < source.until);
                self.at = found.unwrap_or(last);
            }
            self.left = self.sources[self.at].run_pages;
        }
        self.left -= 1;
        let source = &mut self.sources[self.at];
        let within = match &mut source.pick {
            Pick::Uniform => below(&mut self.random, source.pages),
            Pick::Next(next) => {
                let page = *next;
                *next = if page + 1 == source.pages {
                    0
                } else {
                    page + 1
                };
                page
            }
            Pick::Zipf(zipf) => u32::try_from(zipf.draw(&mut self.random)).expect("a page"),
        };
        (source.first + within, source.stream)
    }

    #[inline]
    fn is_trim(&mut self) -> bool {
        self.trim_share > 0.0 && self.random.unit() < self.trim_share
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below a u32")]
fn below(random: &mut Random, end: u32) -> u32 {
    random.below(u64::from(end)) as u32
}

/// Runs a synthetic workload on a device.
///
/// # Errors
///
/// [`Error::BadParameter`] if the device could not work or the workload is none of it, and
/// [`Error::Cancelled`] if progress asked to stop.
pub fn simulate(
    settings: Settings,
    workload: &Synthetic,
    on_progress: OnProgress<'_>,
) -> Result<FtlResult> {
    let mut draw = checked(&settings, workload)?;
    let mut ftl = Ftl::new(settings)?;
    let filling = draw.sources.iter().flat_map(|source| {
        (source.first..source.first + source.pages).map(|page| Request {
            page,
            op: super::Op::Write,
            stream: source.stream,
        })
    });
    ftl.serve(filling)?;
    let total = workload.warm_up + workload.requests;
    with_target!(ftl, target => {
        run(target, &mut draw, (workload.warm_up, 0, total), on_progress)?;
        target.restart_counters();
        run(target, &mut draw, (workload.requests, workload.warm_up, total), on_progress)?;
    });
    ftl.refused()?;
    Ok(ftl.result())
}

/// Serves requests, of which some were served before.
fn run(
    device: &mut impl Serves,
    draw: &mut Draw,
    (requests, before, total): (u64, u64, u64),
    on_progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<()> {
    /// Page of a request that trims: it is drawn when it is served.
    const TRIM: u32 = u32::MAX;
    let mut together = [(0, 0); TOGETHER];
    let mut done = 0;
    let mut reported = 0;
    while done < requests {
        let left = usize::try_from(requests - done).unwrap_or(TOGETHER);
        let together = &mut together[..left.min(TOGETHER)];
        for request in &mut *together {
            *request = if draw.is_trim() {
                (TRIM, 0)
            } else {
                draw.write()
            };
        }
        device.fetch(
            together
                .iter()
                .map(|request| request.0)
                .filter(|&page| page != TRIM),
        );
        for &mut (page, stream) in &mut *together {
            if page != TRIM {
                device.write(page, stream);
            } else if device.any_used() {
                // Half of the pages are in use at a share of 1/3, one in a hundred at 0.4975.
                loop {
                    let page = below(&mut draw.random, draw.logical_pages);
                    if device.trim(page) {
                        break;
                    }
                }
            }
        }
        done += together.len() as u64;
        if done - reported >= BETWEEN_REPORTS {
            reported = done;
            let go_on = on_progress(Progress {
                done: before + done,
                total,
                accesses: before + done,
                requests: None,
            });
            if !go_on {
                return Err(Error::Cancelled);
            }
        }
    }
    Ok(())
}

fn checked(settings: &Settings, workload: &Synthetic) -> Result<Draw> {
    let bad = |name, value: String, message: &str, hint: &str| Error::BadParameter {
        name,
        value,
        message: message.to_owned(),
        hint: hint.to_owned(),
    };
    let trim_share = workload.trim_share;
    if !(0.0..0.5).contains(&trim_share) {
        let hint = "give a share of requests below 0.5: at one half nothing stays in use";
        let message = "is not at least 0 and below 0.5";
        return Err(bad("trim-share", trim_share.to_string(), message, hint));
    }
    let mut sources = Vec::with_capacity(workload.parts.len());
    let (mut until, mut first) = (0.0, 0_u32);
    for part in &workload.parts {
        let share = part.write_share;
        if !(0.0..=1.0).contains(&share) {
            let hint = "give the share of all writes";
            return Err(bad(
                "write-share",
                share.to_string(),
                "is not from 0 to 1",
                hint,
            ));
        }
        until += share;
        if part.run_pages == 0 {
            let hint = "give the pages that are written at once, 1 for single pages";
            return Err(bad(
                "run-pages",
                part.run_pages.to_string(),
                "is not at least 1",
                hint,
            ));
        }
        let end = first.checked_add(part.pages);
        let end = end.filter(|&end| part.pages > 0 && end <= settings.logical_pages);
        let Some(end) = end else {
            let message = "do not fit in the logical pages";
            let hint = "give parts of at least 1 page, together all pages of the device";
            return Err(bad("pages", part.pages.to_string(), message, hint));
        };
        let pick = match part.order {
            Order::Uniform => Pick::Uniform,
            Order::Sequential => Pick::Next(0),
            Order::Zipf { exponent } if (0.0..=10.0).contains(&exponent) => {
                Pick::Zipf(Zipf::new(u64::from(part.pages), exponent))
            }
            Order::Zipf { exponent } => {
                let hint = "give the Zipf exponent, such as 0.9";
                let value = exponent.to_string();
                return Err(bad("exponent", value, "is not from 0 to 10", hint));
            }
        };
        if part.stream >= settings.streams {
            let hint = "number the streams of a device from 0";
            let message = format!("is not below {}", settings.streams);
            return Err(bad("stream", part.stream.to_string(), &message, hint));
        }
        sources.push(Source {
            until: share / f64::from(part.run_pages),
            run_pages: part.run_pages,
            first,
            pages: part.pages,
            stream: part.stream,
            pick,
        });
        first = end;
    }
    if first != settings.logical_pages {
        let hint = "give parts that are together all pages of the device";
        let message = format!("are in parts, of {} logical pages", settings.logical_pages);
        return Err(bad("pages", first.to_string(), &message, hint));
    }
    if (until - 1.0).abs() > WHOLE {
        let hint = "give shares of all writes that add up to 1";
        return Err(bad(
            "write-share",
            until.to_string(),
            "is not 1 in all",
            hint,
        ));
    }
    // A longer run begins less often.
    let runs: f64 = sources.iter().map(|source| source.until).sum();
    let mut before = 0.0;
    for source in &mut sources {
        before += source.until / runs;
        source.until = before;
    }
    Ok(Draw {
        sources,
        trim_share,
        logical_pages: settings.logical_pages,
        random: Random(workload.seed),
        at: 0,
        left: 0,
    })
}
