//! The members of an archive as one trace: read one after another, in the order of the archive.
//!
//! The order is that of the archive, not that of the names or the times: a compressed tar archive
//! can only be read from front to back, and an order made up here would change the reuse without a
//! word. What does not look right is warned of: names out of order, times that go back.

use crate::error::{Error, Result};
use crate::hash::FastMap;
use crate::trace::TraceSpec;
use crate::trace::formats::{Format, Open, choose};
use crate::trace::open::Packed;
use crate::trace::reader::{PlacedRequest, Request, RequestReader, Understanding, Warning};
use crate::trace::streams::Compression;

/// Names of members told in an assumption.
const NAMES_TOLD: usize = 10;
/// Members whose own warnings are kept; those of more are counted.
const WARNING_MEMBERS: usize = 20;

/// A trace of one format in several members.
pub(crate) struct Members {
    packed: Packed,
    format: &'static Format,
    /// How each member is read: the format that the first one has.
    spec: TraceSpec,
    current: Box<dyn RequestReader>,
    understanding: Understanding,
    names: Vec<String>,
    out_of_order: u64,
    empty: u64,
    skipped: u64,
    /// Devices of all members, by name; of the current member by its own number.
    devices: Vec<String>,
    numbers: FastMap<String, u32>,
    current_numbers: Vec<u32>,
    warnings: Vec<Warning>,
    finished: bool,
}

impl Members {
    /// Takes over the reader of the first member, whose format all others must have.
    pub(crate) fn new(
        first: Box<dyn RequestReader>,
        packed: Packed,
        name: String,
        format: &'static Format,
        spec: &TraceSpec,
    ) -> Self {
        let mut members = Self {
            understanding: first.understanding().clone(),
            packed,
            format,
            spec: TraceSpec {
                format: Some(format.name.to_owned()),
                ..spec.clone()
            },
            current: first,
            names: vec![name],
            out_of_order: 0,
            empty: 0,
            skipped: 0,
            devices: Vec::new(),
            numbers: FastMap::default(),
            current_numbers: Vec::new(),
            warnings: Vec::new(),
            finished: false,
        };
        members.tell_names();
        members.number_devices();
        members
    }

    fn tell_names(&mut self) {
        let told = match self.names.as_slice() {
            [only] => format!("the archive's member `{only}` is the trace"),
            names => {
                let first: Vec<&str> = names.iter().take(NAMES_TOLD).map(String::as_str).collect();
                let more = names.len().saturating_sub(NAMES_TOLD);
                format!(
                    "the archive's {} members are one trace, in the order of the archive: {}{}",
                    names.len(),
                    first.join(", "),
                    if more > 0 {
                        format!(" and {more} more")
                    } else {
                        String::new()
                    }
                )
            }
        };
        let own = self.current.understanding().assumptions.clone();
        self.understanding.assumptions = own;
        self.understanding.assumptions.push(told);
    }

    /// Numbers the devices that the current member has named so far.
    fn number_devices(&mut self) {
        let names = self.current.spaces();
        for name in &names[self.current_numbers.len()..] {
            let next = u32::try_from(self.devices.len()).unwrap_or(u32::MAX);
            let number = *self.numbers.entry(name.clone()).or_insert(next);
            if number == next {
                self.devices.push(name.clone());
            }
            self.current_numbers.push(number);
        }
    }

    fn renumber(&mut self, requests: &mut [Request]) {
        self.number_devices();
        for request in requests {
            request.space = self.current_numbers[request.space as usize];
        }
    }

    fn keep_warnings(&mut self) {
        self.skipped += self.current.skipped();
        let name = self.names.last().cloned().unwrap_or_default();
        if self.names.len() <= WARNING_MEMBERS {
            self.warnings
                .extend(self.current.warnings().into_iter().map(|warning| Warning {
                    message: format!("member `{name}`: {}", warning.message),
                    ..warning
                }));
        }
    }

    /// Goes to the next member; `false` at the end of the archive.
    fn advance(&mut self) -> Result<bool> {
        if self.finished {
            return Ok(false);
        }
        let (input, empty) = self.packed.next_input()?;
        self.empty += empty;
        let Some(input) = input else {
            self.finished = true;
            return Ok(false);
        };
        let name = input
            .packed()
            .map(|(_, name)| name.clone())
            .unwrap_or_default();
        choose(&input, &self.spec).map_err(|error| self.other_format(&name, &error))?;
        let Open::Requests(open) = self.format.open else {
            return Err(Error::Internal {
                message: "a canonical trace was taken for the member of an archive".to_owned(),
            });
        };
        let reader = open(input, &self.spec)?;
        self.keep_warnings();
        self.out_of_order += u64::from(self.names.last().is_some_and(|last| *last > name));
        self.names.push(name);
        self.current = reader;
        self.current_numbers.clear();
        self.tell_names();
        Ok(true)
    }

    fn other_format(&self, name: &str, error: &Error) -> Error {
        Error::Unreadable {
            path: self.packed.path().to_owned(),
            message: format!(
                "the archive's members are not of one format: `{}` is {}, but {error}",
                self.names[0], self.format.name
            ),
            hint: format!("pack the trace's files alone, without `{name}`"),
        }
    }
}

impl RequestReader for Members {
    fn read(&mut self, batch: &mut Vec<Request>) -> Result<bool> {
        loop {
            if self.current.read(batch)? {
                self.renumber(batch);
                return Ok(true);
            }
            if !self.advance()? {
                return Ok(false);
            }
        }
    }

    fn preview(&mut self, rows: usize) -> Result<Vec<PlacedRequest>> {
        let mut records = self.current.preview(rows)?;
        self.number_devices();
        for record in &mut records {
            record.request.space = self.current_numbers[record.request.space as usize];
        }
        Ok(records)
    }

    fn understanding(&self) -> &Understanding {
        &self.understanding
    }

    fn spaces(&self) -> &[String] {
        &self.devices
    }

    fn warnings(&self) -> Vec<Warning> {
        if self.names.len() == 1 && self.empty == 0 {
            return self.current.warnings();
        }
        let mut warnings = self.warnings.clone();
        warnings.extend(self.current.warnings());
        if self.names.len() > 1 && !self.format.has_device && !self.format.page_native {
            warnings.push(Warning::new(
                "members_joined",
                format!(
                    "the format {} does not name devices, so the archive's {} members count as one device",
                    self.format.name,
                    self.names.len()
                ),
                "if each member is a disk of its own, convert them one by one",
            ));
        }
        if self.out_of_order > 0 {
            warnings.push(Warning::new(
                "members_out_of_order",
                format!(
                    "{} of the archive's {} members come behind one whose name sorts later; the order of the archive is kept",
                    self.out_of_order,
                    self.names.len()
                ),
                "pack them anew in the order of time if the trace was cut by time",
            ));
        }
        if self.empty > 0 {
            warnings.push(Warning::new(
                "empty_members",
                format!("{} members of the archive are empty", self.empty),
                "check that nothing was lost when the archive was packed",
            ));
        }
        warnings
    }

    fn skipped(&self) -> u64 {
        self.skipped + self.current.skipped()
    }

    fn position(&self) -> (u64, u64) {
        self.current.position()
    }

    fn compression(&self) -> Compression {
        self.current.compression()
    }
}
