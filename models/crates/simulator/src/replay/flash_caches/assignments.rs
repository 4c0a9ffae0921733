//! Assignments of categories to admissions: what enters flash, as an option states it.

use super::categories::{MOST, NAMES};
use super::{OptionAbout, Warning};

/// When a page of a category enters flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Never,
    SecondMiss,
    Miss,
    Write,
}

/// Names of the rules, from the one that admits least.
const RULES: [(&str, Rule); 4] = [
    ("never", Rule::Never),
    ("second_miss", Rule::SecondMiss),
    ("miss", Rule::Miss),
    ("write", Rule::Write),
];

/// The rules of one category: `first` for pages whose number is below `below`, spread evenly, else `rest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mixture {
    first: Rule,
    below: u64,
    rest: Rule,
}

/// What the numbers of pages are multiplied by to spread them evenly: 2^64 over the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

impl Mixture {
    const fn whole(rule: Rule) -> Self {
        Self {
            first: rule,
            below: 0,
            rest: rule,
        }
    }

    /// `RULE`, or `RULE*SHARE*RULE`: the first for a share of the pages, else the second.
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let rule = |text: &str| {
            let name = text.to_ascii_lowercase().replace('-', "_");
            let found = RULES.iter().find(|(known, _)| *known == name);
            found
                .map(|&(_, rule)| rule)
                .ok_or_else(|| format!("`{text}` is not one of never, second_miss, miss and write"))
        };
        let parts: Vec<&str> = text.split('*').collect();
        match parts[..] {
            [only] => rule(only).map(Self::whole),
            [first, share, rest] => {
                let given = share.parse::<f64>().ok();
                let share = given
                    .filter(|share| (0.0..=1.0).contains(share))
                    .ok_or_else(|| format!("`{share}` is not a share from 0 to 1"))?;
                let (first, rest) = (rule(first)?, rule(rest)?);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "below 2^64, and saturating at a share of 1"
                )]
                let below = (share * TWO_TO_64) as u64;
                Ok(Self { first, below, rest })
            }
            _ => Err(format!("`{text}` is not RULE or RULE*SHARE*RULE")),
        }
    }

    /// Whether any page is under the rule.
    pub(super) fn uses(self, rule: Rule) -> bool {
        self.rest == rule || self.below > 0 && self.first == rule
    }

    #[inline]
    pub(super) fn of(self, page: u32) -> Rule {
        if u64::from(page).wrapping_mul(SPREAD) < self.below {
            self.first
        } else {
            self.rest
        }
    }
}

/// The option that chooses what is told apart.
pub(super) const CATEGORIES: OptionAbout = OptionAbout {
    name: "categories",
    values: NAMES,
    default: "relation",
    description: "What tells accesses apart: relations, files or volumes; sizes of requests, by powers of two; hours since the first request, modulo 24.",
    is_place: false,
};

/// The option that states what enters flash.
pub(super) const ASSIGNMENT: OptionAbout = OptionAbout {
    name: "assignment",
    values: "RULES+NUMBER:RULES+..., RULES being never, second_miss, miss, write or RULE*SHARE*RULE",
    default: "miss",
    description: "What enters flash: the rules of all categories, then those of single ones by their number; miss*0.3*never takes 30 % of the pages at a miss and the others never.",
    is_place: false,
};

/// The rules of every category.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    /// By the number of the category; the last one is of all that are not told apart.
    mixtures: Vec<Mixture>,
    /// The highest number that is named by itself.
    highest_named: Option<u16>,
}

impl Assignment {
    #[inline]
    pub(super) fn of(&self, category: u16, page: u32) -> Rule {
        self.mixtures[usize::from(category)].of(page)
    }

    /// Whether any page of any category is under the rule.
    pub(super) fn uses(&self, rule: Rule) -> bool {
        self.mixtures.iter().any(|mixture| mixture.uses(rule))
    }

    /// What to say where it names a category that the trace, whose highest is given, does not have.
    pub(super) fn notes(&self, highest_seen: Option<u16>) -> Vec<Warning> {
        let named = self.highest_named.filter(|&named| named < MOST);
        let (Some(named), Some(seen)) = (named, highest_seen) else {
            return Vec::new();
        };
        if named <= seen {
            return Vec::new();
        }
        vec![Warning {
            name: "unknown_category",
            message: format!(
                "assignment names category {named}, and the highest number in the trace is {seen}"
            ),
            hint: "`tierwright cachesack` lists the numbers of the categories of a trace, as does its JSON"
                .to_owned(),
        }]
    }
}

/// Reads `RULES+NUMBER:RULES+...`: of all categories, then of single ones.
pub(super) fn parse(text: &str) -> std::result::Result<Assignment, String> {
    let mut items = text.split('+');
    let all = Mixture::parse(items.next().unwrap_or_default())?;
    let mut mixtures = vec![all; usize::from(MOST) + 1];
    let mut highest_named = None;
    for item in items {
        let (number, rules) = item
            .split_once(':')
            .ok_or_else(|| format!("`{item}` is not NUMBER:RULES"))?;
        let named = number.parse::<u16>().ok();
        let named = named
            .filter(|&named| named <= MOST)
            .ok_or_else(|| format!("`{number}` is not a category from 0 to {MOST}"))?;
        mixtures[usize::from(named)] = Mixture::parse(rules)?;
        highest_named = highest_named.max(Some(named));
    }
    Ok(Assignment {
        mixtures,
        highest_named,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assignment_names_all_categories_and_then_single_ones() {
        let found = parse("miss+3:never+5000:Second-Miss*0.25*write").expect("well formed");
        assert!(found.uses(Rule::Write) && found.notes(Some(2)).is_empty());
        let found = found.mixtures;
        assert_eq!(found[0], Mixture::whole(Rule::Miss));
        assert_eq!(found[3], Mixture::whole(Rule::Never));
        let last = found[usize::from(MOST)];
        assert_eq!((last.first, last.rest), (Rule::SecondMiss, Rule::Write));
        let first = (0..1000).filter(|&page| last.of(page) == Rule::SecondMiss);
        assert!((245..=255).contains(&first.count()));
    }

    #[test]
    fn a_category_that_the_trace_lacks_is_named() {
        let found = parse("miss+3:never+1:never").expect("well formed");
        let noted = |seen| found.notes(seen).len();
        assert_eq!(
            [noted(Some(2)), noted(Some(3)), noted(Some(9)), noted(None)],
            [1, 0, 0, 0]
        );
        assert!(found.notes(Some(2))[0].message.contains("category 3"));
    }

    #[test]
    fn what_is_no_assignment_is_refused_by_its_part() {
        for (text, part) in [
            ("", "``"),
            ("mis", "`mis`"),
            ("miss+never", "`never`"),
            ("miss+5001:never", "`5001`"),
            ("miss*2*never", "`2`"),
            ("miss*0.5", "`miss*0.5`"),
        ] {
            let message = parse(text).expect_err("malformed");
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn all_of_a_share_of_one_and_nothing_of_a_share_of_zero() {
        let all = Mixture::parse("never*1*miss").expect("well formed");
        let nothing = Mixture::parse("never*0*miss").expect("well formed");
        assert!((0..5000).all(|page| all.of(page) == Rule::Never));
        assert!((0..5000).all(|page| nothing.of(page) == Rule::Miss));
    }
}
