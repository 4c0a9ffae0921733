//! Options `key=value` of a buffer.

use super::fd_buffer::{CLEAN_POLICY, POOL_PREFIXES};
use super::{AboutBuffer, BufferOption};
use crate::error::{Error, Result};
use crate::replay::settings::meant;

/// Digits behind the point of a share: enough for one page in the largest buffer.
const MOST_DECIMALS: usize = 18;

/// The options given for one buffer, all of them known.
pub(super) struct Options<'a> {
    about: &'static AboutBuffer,
    given: &'a [(String, String)],
}

/// An exact decimal fraction in [0, 1], so that a share of 0.29 of 100 pages is 29 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    numerator: u64,
    denominator: u64,
}

impl Share {
    /// The whole pages in this share of `pages`.
    #[expect(clippy::cast_possible_truncation, reason = "a share of a u32 is a u32")]
    pub(super) fn of(self, pages: u32) -> u32 {
        (u128::from(pages) * u128::from(self.numerator) / u128::from(self.denominator)) as u32
    }

    fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|digit| digit.is_ascii_digit());
        if !digits(whole)
            || !digits(decimals)
            || whole.is_empty() && decimals.is_empty()
            || whole.len() > 1
            || decimals.len() > MOST_DECIMALS
        {
            return None;
        }
        let denominator = 10_u64.pow(u32::try_from(decimals.len()).ok()?);
        let numerator = format!("0{whole}{decimals}").parse().ok()?;
        (numerator <= denominator).then_some(Self {
            numerator,
            denominator,
        })
    }
}

impl<'a> Options<'a> {
    pub(super) fn new(about: &'static AboutBuffer, given: &'a [(String, String)]) -> Result<Self> {
        let options = Self { about, given };
        for (index, (name, value)) in given.iter().enumerate() {
            // What a pool's policy has for options is checked where that policy is known.
            let of_pool = about.options.contains(&CLEAN_POLICY)
                && POOL_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
            if !of_pool && !about.options.iter().any(|option| option.name == name) {
                return Err(options.unknown(name, value));
            }
            if given[..index].iter().any(|(other, _)| other == name) {
                return Err(options.wrong(name, value, "is given twice"));
            }
        }
        Ok(options)
    }

    fn unknown(&self, name: &str, value: &str) -> Error {
        let known = self.about.options.iter().map(|option| option.name);
        let known = known.collect::<Vec<_>>().join(", ");
        Error::BadParameter {
            name: "option",
            value: format!("{name}={value}"),
            message: format!("`{}` has no such option", self.about.name),
            hint: if let Some(right) = meant(name, self.about.options.iter().map(|one| one.name)) {
                format!("write `{right}`")
            } else if known.is_empty() {
                format!("`{}` has no options", self.about.name)
            } else {
                format!("use an option of `{}`: {known}", self.about.name)
            },
        }
    }

    /// The error for a value that an option cannot have.
    pub(super) fn wrong(&self, name: &str, value: &str, message: &str) -> Error {
        let option = self.about.options.iter().find(|option| option.name == name);
        Error::BadParameter {
            name: "option",
            value: format!("{name}={value}"),
            message: message.to_owned(),
            hint: option.map_or_else(
                || format!("give {name} once, with one value"),
                |option| {
                    let BufferOption {
                        name,
                        values,
                        default,
                        ..
                    } = option;
                    format!("give {name} as {values}; default: {default}")
                },
            ),
        }
    }

    /// The value given.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        debug_assert!(self.about.options.iter().any(|option| option.name == name));
        self.given
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// The options given that begin with `prefix` and are none of the buffer's own.
    pub(super) fn beginning_with(&self, prefix: &str) -> Vec<(String, String)> {
        let own = |name: &str| self.about.options.iter().any(|option| option.name == name);
        let given = self.given.iter();
        given
            .filter(|(name, _)| name.starts_with(prefix) && !own(name))
            .cloned()
            .collect()
    }

    fn parsed<T>(
        &self,
        name: &str,
        default: T,
        message: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => parse(text).ok_or_else(|| self.wrong(name, text, message)),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        self.parsed(name, default, "is neither true nor false", |text| {
            text.parse().ok()
        })
    }

    /// A whole number from `least` to `most`.
    pub(super) fn whole(&self, name: &str, default: u64, least: u64, most: u64) -> Result<u64> {
        let message = format!("is not a whole number from {least} to {most}");
        self.parsed(name, default, &message, |text| {
            let number = text.parse().ok()?;
            (least..=most).contains(&number).then_some(number)
        })
    }

    /// A number above 0.
    pub(super) fn positive(&self, name: &str) -> Result<Option<f64>> {
        self.parsed(name, None, "is not a finite number above 0", |text| {
            let number: f64 = text.parse().ok()?;
            (number.is_finite() && number > 0.0).then_some(Some(number))
        })
    }

    /// A decimal number from 0 to 1.
    pub(super) fn share(&self, name: &str, default: Share) -> Result<Share> {
        self.parsed(
            name,
            default,
            "is not a decimal number from 0 to 1",
            Share::parse,
        )
    }

    /// One of some names.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        default: T,
        choices: &[(&str, T)],
    ) -> Result<T> {
        self.parsed(name, default, "is not one of its values", |text| {
            let wanted = text.to_ascii_lowercase();
            let found = choices.iter().find(|(choice, _)| *choice == wanted);
            found.map(|&(_, value)| value)
        })
    }
}

/// One half.
pub(super) const HALF: Share = Share {
    numerator: 1,
    denominator: 2,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact() {
        let of = |text: &str, pages| Share::parse(text).map(|share| share.of(pages));
        assert_eq!(of("0.29", 100), Some(29));
        assert_eq!(of(".5", 7), Some(3));
        assert_eq!(of("1", u32::MAX), Some(u32::MAX));
        assert_eq!(of("1.000", 9), Some(9));
        assert_eq!(of("0.", 9), Some(0));
        for text in ["", ".", "1.1", "-0.5", "0.5e0", "2", "0,5", "NaN", "00.5"] {
            assert_eq!(of(text, 9), None, "{text}");
        }
    }
}
