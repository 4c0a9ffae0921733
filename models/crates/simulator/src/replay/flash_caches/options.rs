//! Options of a flash cache as the user gives them: names and texts, checked and turned into values.

use std::cell::RefCell;
use std::fmt::Display;

use crate::error::{Error, Result};
use crate::replay::settings::{Settings, meant};

/// An option of a flash cache, for lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionAbout {
    /// The name by which it is given.
    pub name: &'static str,
    /// What may be given: names separated by `, `, or a range.
    pub values: &'static str,
    /// What holds when it is not given.
    pub default: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Whether its value is a place in the trace, which a trace that is too short does not have.
    pub is_place: bool,
}

/// The options given to one flash cache.
#[derive(Debug)]
pub(crate) struct Options<'given> {
    of: &'static str,
    known: Vec<OptionAbout>,
    given: &'given [(String, String)],
    taken: RefCell<Vec<(String, String)>>,
}

/// What can be given at all, in words.
fn all_options<'a>(names: impl Iterator<Item = &'a str>, of_dram: &str) -> String {
    let names: Vec<_> = names.collect();
    format!("use one of its options, {}; {of_dram}", names.join(", "))
}

impl<'given> Options<'given> {
    /// Refuses options that nobody knows or that come twice; `of_dram` says what options the policy of DRAM adds.
    pub(crate) fn new(
        of: &'static str,
        known: Vec<OptionAbout>,
        given: &'given [(String, String)],
        of_dram: &str,
    ) -> Result<Self> {
        for (index, (name, value)) in given.iter().enumerate() {
            let names = || known.iter().map(|option| option.name);
            let (problem, hint) = if !names().any(|known| known == name) {
                let hint = match meant(name, names()) {
                    Some(right) => format!("write `{right}`"),
                    None => all_options(names(), of_dram),
                };
                (format!("flash cache `{of}` has no option `{name}`"), hint)
            } else if given[..index].iter().any(|(other, _)| other == name) {
                (
                    format!("`{name}` is given twice"),
                    all_options(names(), of_dram),
                )
            } else {
                continue;
            };
            return Err(Error::BadParameter {
                name: "option",
                value: format!("{name}={value}"),
                message: problem,
                hint,
            });
        }
        Ok(Self {
            of,
            known,
            given,
            taken: RefCell::default(),
        })
    }

    /// What was in force for each option that was asked for.
    pub(crate) fn in_force(self) -> Vec<(String, String)> {
        self.taken.into_inner()
    }

    fn about(&self, name: &'static str) -> &OptionAbout {
        self.known
            .iter()
            .find(|option| option.name == name)
            .unwrap_or_else(|| panic!("option `{name}` is listed in the table of `{}`", self.of))
    }

    fn text(&self, name: &'static str) -> Option<&'given str> {
        self.given
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// Whether an option is among those given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| given == name)
    }

    fn note(&self, name: &'static str, value: &impl Display) {
        let taken = (name.to_owned(), value.to_string());
        self.taken.borrow_mut().push(taken);
    }

    /// Puts another value in force than was read.
    pub(crate) fn hold(&self, name: &'static str, value: &str) {
        self.taken.borrow_mut().retain(|(taken, _)| taken != name);
        self.note(name, &value);
    }

    fn refuse(&self, name: &'static str, value: &str, message: &str) -> Error {
        let about = self.about(name);
        Error::BadParameter {
            name: "option",
            value: format!("{name}={value}"),
            message: message.to_owned(),
            hint: format!(
                "give {name} as {}; default: {}",
                about.values, about.default
            ),
        }
    }

    /// One of the named values; `-` stands for `_`, and case does not matter.
    pub(crate) fn choice<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&'static str, T)],
    ) -> Result<T> {
        let text = self.text(name).unwrap_or(self.about(name).default);
        let wanted = text.to_ascii_lowercase().replace('-', "_");
        match choices.iter().find(|(choice, _)| *choice == wanted) {
            Some(&(choice, value)) => {
                self.note(name, &choice);
                Ok(value)
            }
            None => Err(self.refuse(name, text, "is not one of its values")),
        }
    }

    /// The policy that `name` chooses, with those of its options that are `given` under `prefix`.
    pub(crate) fn policy(
        &self,
        name: &'static str,
        prefix: &str,
        given: &[(String, String)],
    ) -> Result<Settings> {
        let text = self.text(name).unwrap_or(self.about(name).default);
        let settings = Settings::parse(name, text, prefix, given)?;
        self.note(name, &settings.policy);
        let in_force = settings.in_force(prefix, given);
        self.taken.borrow_mut().extend(in_force);
        Ok(settings)
    }

    /// Yes or no.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool> {
        self.choice(name, &[("true", true), ("false", false)])
    }

    /// A whole number in a range, or `otherwise` where none is given.
    pub(crate) fn number_or(
        &self,
        name: &'static str,
        range: std::ops::RangeInclusive<u64>,
        otherwise: u64,
    ) -> Result<u64> {
        let number = match self.text(name) {
            None => otherwise,
            Some(text) => match text.parse() {
                Ok(number) if range.contains(&number) => number,
                _ => {
                    let (least, most) = (range.start(), range.end());
                    let message = format!("is not a whole number from {least} to {most}");
                    return Err(self.refuse(name, text, &message));
                }
            },
        };
        self.note(name, &number);
        Ok(number)
    }

    /// A whole number in a range; the table's default is one.
    pub(crate) fn number(
        &self,
        name: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64> {
        let default = self.about(name).default;
        let otherwise = default
            .parse()
            .unwrap_or_else(|_| panic!("the default of `{name}` is a whole number"));
        self.number_or(name, range, otherwise)
    }

    /// A whole number that holds only if given.
    pub(crate) fn number_if_given(
        &self,
        name: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<Option<u64>> {
        match self.text(name) {
            None => Ok(None),
            Some(_) => self.number_or(name, range, 0).map(Some),
        }
    }

    /// A share from 0 to 1; the table's default is one.
    pub(crate) fn share(&self, name: &'static str) -> Result<f64> {
        self.share_up_to(name, 1.0)
    }

    /// The same; the table's default holds up to `most`.
    pub(crate) fn share_up_to(&self, name: &'static str, most: f64) -> Result<f64> {
        let text = self.text(name).unwrap_or(self.about(name).default);
        match text.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => {
                let share = if self.is_given(name) {
                    share
                } else {
                    share.min(most)
                };
                self.note(name, &share);
                Ok(share)
            }
            _ => Err(self.refuse(name, text, "is not a number from 0 to 1")),
        }
    }

    /// Numbers with `+` between them, sorted; `none` is no number.
    pub(crate) fn numbers(&self, name: &'static str) -> Result<Vec<u32>> {
        let text = self.text(name).unwrap_or(self.about(name).default);
        if text == "none" {
            self.note(name, &text);
            return Ok(Vec::new());
        }
        let numbers: std::result::Result<Vec<u32>, _> = text.split('+').map(str::parse).collect();
        let Ok(mut numbers) = numbers else {
            return Err(self.refuse(name, text, "is not a list of whole numbers"));
        };
        numbers.sort_unstable();
        numbers.dedup();
        self.note(name, &text);
        Ok(numbers)
    }

    /// What a rule reads from the text of an option; what it refuses it says.
    pub(crate) fn parsed<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> std::result::Result<T, String>,
    ) -> Result<T> {
        let text = self.text(name).unwrap_or(self.about(name).default);
        let value = parse(text).map_err(|message| self.refuse(name, text, &message))?;
        self.note(name, &text);
        Ok(value)
    }

    /// Refuses a value that is well formed but cannot be used here.
    pub(crate) fn impossible(&self, name: &'static str, why: &str) -> Error {
        let value = self.text(name).unwrap_or(self.about(name).default);
        self.refuse(name, value, why)
    }
}
