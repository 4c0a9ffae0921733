//! Options of policies and schemes: declared in constants, checked once, read as numbers.

use super::{known_names, policies};
use crate::error::{Error, Result};

/// What a policy or a scheme needs beyond the pages of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The next access to each page: the trace is read to its end before the replay starts.
    Future,
    /// Writes: a trace without any gives no meaningful result.
    Writes,
}

impl Need {
    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Future => "future",
            Self::Writes => "writes",
        }
    }
}

/// Values that an option takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// A number from `least` to `most`.
    Number {
        /// Smallest value.
        least: f64,
        /// Largest value.
        most: f64,
    },
    /// A whole number from `least` to `most`.
    Whole {
        /// Smallest value.
        least: u32,
        /// Largest value.
        most: u32,
    },
    /// A number of references to the cache, from `least` to `most`; none is 0. It does not shrink with the
    /// cache, so a cache with such a number has no miniature.
    References {
        /// Smallest value.
        least: u32,
        /// Largest value.
        most: u32,
    },
    /// One of some names.
    OneOf(&'static [&'static str]),
    /// A text that the one who reads it checks; what it may be, in words. No number is kept of it.
    Text(&'static str),
    /// The name of a replacement policy; its own options are given with the tier before their name.
    Policy,
}

/// One option of a policy or a scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The name by which it is given.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Value where it is not given.
    pub default: &'static str,
    /// Values it takes.
    pub values: Values,
}

impl Setting {
    /// The values it takes, in words.
    pub fn range(&self) -> String {
        match self.values {
            Values::Number { least, most } => format!("number from {least} to {most}"),
            Values::Whole { least, most } | Values::References { least, most } => {
                format!("whole number from {least} to {most}")
            }
            Values::OneOf(names) => format!("one of {}", names.join(", ")),
            Values::Text(words) => words.to_owned(),
            Values::Policy => "a replacement policy".to_owned(),
        }
    }

    /// The value as a number; of a name its place among the names.
    pub(crate) fn parse(&self, text: &str) -> Option<f64> {
        match self.values {
            Values::Number { least, most } => {
                let number: f64 = text.trim().parse().ok()?;
                (least..=most).contains(&number).then_some(number)
            }
            Values::Whole { least, most } | Values::References { least, most } => {
                let number: u32 = text.trim().parse().ok()?;
                (least..=most).contains(&number).then_some(number.into())
            }
            Values::OneOf(names) => {
                let wanted = spelled(text.trim());
                let place = names.iter().position(|&name| name == wanted)?;
                u32::try_from(place).ok().map(f64::from)
            }
            Values::Text(_) => Some(0.0),
            Values::Policy => None,
        }
    }
}

/// The values of all options of a policy, and which policy it is.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Name of the policy; empty where it is known by its type.
    pub(crate) policy: &'static str,
    options: &'static [Setting],
    values: Vec<f64>,
}

impl Settings {
    /// The defaults of a policy that is known by its type.
    pub(crate) fn defaults(options: &'static [Setting]) -> Self {
        let default = |option: &Setting| option.parse(option.default).unwrap_or(f64::NAN);
        Self {
            policy: "",
            options,
            values: options.iter().map(default).collect(),
        }
    }

    /// What the policy needs.
    pub(crate) fn needs_future(&self) -> bool {
        needs_future(self.policy)
    }

    /// The policy called `name`, with the options in `given` and the defaults of the others.
    ///
    /// `parameter` and `prefix` are how the caller named the policy and its options: `policy` and
    /// nothing, or `ram_policy` and `ram_`.
    pub(crate) fn parse(
        parameter: &'static str,
        name: &str,
        prefix: &str,
        given: &[(String, String)],
    ) -> Result<Self> {
        let wanted = spelled(name);
        let about = policies::TABLE
            .iter()
            .find(|about| about.name == wanted)
            .ok_or_else(|| Error::BadParameter {
                name: parameter,
                value: name.to_owned(),
                message: "no such replacement policy".to_owned(),
                hint: format!("choose one of {}", known_names(policies::TABLE)),
            })?;
        let mut settings = Self::defaults(about.options);
        settings.policy = about.name;
        refuse_twice(given)?;
        for (key, text) in given {
            let plain = spelled(key);
            let place = about
                .options
                .iter()
                .position(|option| plain.strip_prefix(prefix) == Some(option.name))
                .ok_or_else(|| {
                    unknown_option(
                        key,
                        &format!("policy `{}`", about.name),
                        prefix,
                        about.options,
                    )
                })?;
            settings.set(place, key, text, &format!("policy `{}`", about.name))?;
        }
        Ok(settings)
    }

    /// Sets the option at `place`, which was given to `owner` as `key=text`.
    pub(crate) fn set(&mut self, place: usize, key: &str, text: &str, owner: &str) -> Result<()> {
        let option = &self.options[place];
        self.values[place] = option.parse(text).ok_or_else(|| Error::BadParameter {
            name: "option",
            value: format!("{key}={text}"),
            message: match option.values {
                Values::OneOf(_) => format!("{owner} takes {} here", option.range()),
                _ => format!("{owner} takes a {} here", option.range()),
            },
            hint: if option.default.is_empty() {
                format!("{key} has no default: {}", option.description)
            } else {
                format!("leave it out for {}={}", key, option.default)
            },
        })?;
        Ok(())
    }

    /// All options by name after `prefix`, with the texts that were `given` or their defaults.
    pub(crate) fn in_force(
        &self,
        prefix: &str,
        given: &[(String, String)],
    ) -> Vec<(String, String)> {
        let texts = self.options.iter().map(|option| {
            let name = format!("{prefix}{}", option.name);
            let text = given.iter().find(|(key, _)| spelled(key) == name);
            let text = text.map_or(option.default, |(_, text)| text.trim());
            (name, text.to_owned())
        });
        texts.collect()
    }

    /// The value of an option that the policy declares.
    pub(crate) fn number(&self, option: &str) -> f64 {
        let place = self.options.iter().position(|known| known.name == option);
        place.map_or(f64::NAN, |place| self.values[place])
    }

    /// The value of a whole-number option that the policy declares.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole option was parsed from a u32"
    )]
    pub(crate) fn whole(&self, option: &str) -> u32 {
        self.number(option) as u32
    }

    /// The name that an option of some names has; empty if the policy does not declare it.
    pub(crate) fn name(&self, option: &str) -> &'static str {
        let declared = self.options.iter().find(|known| known.name == option);
        match declared.map(|option| option.values) {
            Some(Values::OneOf(names)) => names[self.whole(option) as usize],
            _ => "",
        }
    }

    /// The option in force that counts references, and its value.
    pub(crate) fn counting(&self) -> Option<(&'static str, String)> {
        let mut all = self.options.iter().zip(&self.values);
        let found = all.find(|&(option, &value)| {
            matches!(option.values, Values::References { .. }) && value > 0.0
        });
        found.map(|(option, value)| (option.name, value.to_string()))
    }

    /// The policy itself, which `option` names.
    pub(crate) fn chosen(&self, option: &'static str) -> Chosen {
        let about = policies::TABLE
            .iter()
            .find(|about| about.name == self.policy);
        Chosen {
            option,
            title: about.map_or("", |about| about.title),
            smallest_part: policies::smallest_part(self),
        }
    }

    /// A share of `capacity` given by an option, rounded down, from `least` pages on.
    pub(crate) fn share(&self, option: &str, capacity: u32, least: u32) -> u32 {
        share_of(self.number(option), capacity).max(least)
    }
}

/// Whole pages in a share of `capacity`.
///
/// A decimal share is not exact in binary: 0.29 of 100 pages would be 28.999... and so 28.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a u32 of at most a few times it; the cast saturates"
)]
pub(crate) fn share_of(share: f64, capacity: u32) -> u32 {
    (f64::from(capacity) * share * (1.0 + 4.0 * f64::EPSILON)) as u32
}

/// The option in force that counts references, and its value: one of `options` or, under the name with the
/// tier before it, one of the policies that they choose. `given` holds the options given.
pub(crate) fn counting_references(
    options: &[Setting],
    given: &[(String, String)],
) -> Option<(String, String)> {
    let in_force = |name: &str, default: &str| {
        let text = given.iter().find(|(key, _)| spelled(key) == name);
        text.map_or(default, |(_, text)| text.trim()).to_owned()
    };
    let counting = |prefix: &str, option: &Setting| {
        let name = format!("{prefix}{}", option.name);
        let text = in_force(&name, option.default);
        let counts = matches!(option.values, Values::References { .. })
            && option
                .parse(&text)
                .is_some_and(|references| references > 0.0);
        counts.then_some((name, text))
    };
    options.iter().find_map(|option| match option.values {
        Values::Policy => {
            let policy = spelled(&in_force(option.name, option.default));
            let prefix = option.name.trim_end_matches("policy");
            let about = policies::TABLE.iter().find(|about| about.name == policy)?;
            about.options.iter().find_map(|own| counting(prefix, own))
        }
        _ => counting("", option),
    })
}

/// Why a configuration with such an option has no miniature: what falls into a period in references
/// would be another share of the references to a page.
pub(crate) fn counts_references(name: &str, text: &str) -> Error {
    Error::BadParameter {
        name: "option",
        value: format!("{name}={text}"),
        message: "counts references, and a miniature sees only some of them".to_owned(),
        hint: format!("replay it in full, without a sample, or with {name}=0"),
    }
}

/// A policy that a configuration chooses.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// What names it: `policy`, or the tier before that, as `ram_policy`.
    pub(crate) option: &'static str,
    /// Its title.
    pub(crate) title: &'static str,
    /// The smallest part of its cache, as a share, or why it has no miniature with an interval.
    pub(crate) smallest_part: std::result::Result<f64, &'static str>,
}

/// The policy called `name` with those of the options in `given` that are its own under `prefix`.
///
/// # Errors
/// [`Error::BadParameter`] for an unknown policy, and for a value that an option does not take.
pub(crate) fn chosen(
    option: &'static str,
    name: &str,
    prefix: &str,
    given: &[(String, String)],
) -> Result<Chosen> {
    let wanted = spelled(name);
    let about = policies::TABLE.iter().find(|about| about.name == wanted);
    let is_own = |key: &str| {
        let key = spelled(key);
        about.is_some_and(|about| {
            let mut options = about.options.iter();
            options.any(|own| key.strip_prefix(prefix) == Some(own.name))
        })
    };
    let own: Vec<_> = given
        .iter()
        .filter(|given| is_own(&given.0))
        .cloned()
        .collect();
    Ok(Settings::parse(option, name, prefix, &own)?.chosen(option))
}

/// The policies that the options of a scheme choose.
///
/// # Errors
/// As [`chosen`].
pub(crate) fn chosen_by(options: &[Setting], given: &[(String, String)]) -> Result<Vec<Chosen>> {
    let tiers = options
        .iter()
        .filter(|option| matches!(option.values, Values::Policy));
    tiers
        .map(|option| {
            let text = given.iter().find(|(key, _)| spelled(key) == option.name);
            let name = text.map_or(option.default, |(_, text)| text.trim());
            chosen(
                option.name,
                name,
                option.name.trim_end_matches("policy"),
                given,
            )
        })
        .collect()
}

/// Whether the policy called `name`, if there is one, needs the future.
pub(crate) fn needs_future(name: &str) -> bool {
    let name = spelled(name);
    policies::TABLE
        .iter()
        .any(|about| about.name == name && about.needs.contains(&Need::Future))
}

/// A name as the tables spell it.
pub(crate) fn spelled(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

/// The name among `known` that is meant by one in upper case or with `-`, where names are taken as they are.
pub(crate) fn meant<'a>(name: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = spelled(name);
    known.find(|known| *known == wanted && *known != name)
}

/// Refuses an option that is given twice, in whatever spelling: one of the two would be passed over.
pub(crate) fn refuse_twice(given: &[(String, String)]) -> Result<()> {
    for (index, (option, value)) in given.iter().enumerate() {
        let mut before = given[..index].iter();
        if before.any(|(other, _)| spelled(other) == spelled(option)) {
            return Err(Error::BadParameter {
                name: "option",
                value: format!("{option}={value}"),
                message: format!("`{option}` is given twice"),
                hint: "give it once".to_owned(),
            });
        }
    }
    Ok(())
}

/// The error for an option that `owner` does not have.
pub(crate) fn unknown_option(key: &str, owner: &str, prefix: &str, known: &[Setting]) -> Error {
    let names: Vec<String> = known
        .iter()
        .map(|option| format!("{prefix}{}", option.name))
        .collect();
    let (message, hint) = if names.is_empty() {
        (
            format!("{owner} has no options"),
            "leave the option out".to_owned(),
        )
    } else {
        (
            format!("{owner} has no such option"),
            format!("choose one of {}", names.join(", ")),
        )
    };
    Error::BadParameter {
        name: "option",
        value: key.to_owned(),
        message,
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{choosers, schemes};

    #[test]
    fn a_decimal_share_has_the_pages_that_it_says() {
        for hundredths in 0..=100_u32 {
            let share: f64 = format!("{}.{:02}", hundredths / 100, hundredths % 100)
                .parse()
                .unwrap_or(f64::NAN);
            for capacity in [1, 7, 100, 1000, 12_345] {
                assert_eq!(share_of(share, capacity), hundredths * capacity / 100);
            }
        }
        assert_eq!(share_of(1.0, u32::MAX), u32::MAX);
    }

    #[test]
    fn options_that_count_references_are_found_by_the_tables() {
        let find = |options: &[Setting], given: &[(&str, &str)]| {
            let own = |&(key, text): &(&str, &str)| (key.to_owned(), text.to_owned());
            let given: Vec<_> = given.iter().map(own).collect();
            counting_references(options, &given).map(|(name, text)| format!("{name}={text}"))
        };
        let of = |table: &[crate::replay::About], name: &str| {
            let about = table.iter().find(|about| about.name == name);
            about.map_or(&[][..], |about| about.options)
        };
        let lru_2 = of(policies::TABLE, "lru_2");
        assert_eq!(find(lru_2, &[]), None);
        assert_eq!(find(lru_2, &[("period", " 0 ")]), None);
        assert_eq!(find(lru_2, &[("Period", "7")]).as_deref(), Some("period=7"));
        // What is no number is refused by the replay itself.
        assert_eq!(find(lru_2, &[("period", "x")]), None);
        let lazy = of(schemes(), "lazy");
        let tiers = [
            ("ram_policy", "LRU-2"),
            ("flash_policy", "lru_2"),
            ("flash-period", "9"),
        ];
        assert_eq!(find(lazy, &tiers).as_deref(), Some("flash_period=9"));
        assert_eq!(find(lazy, &tiers[..2]), None);
        // Of a policy that is not chosen.
        assert_eq!(find(lazy, &[("flash_period", "9")]), None);
        // By default.
        assert_eq!(
            find(of(choosers(), "online"), &[]).as_deref(),
            Some("period=100000")
        );
    }
}
