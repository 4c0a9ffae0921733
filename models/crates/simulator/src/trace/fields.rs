//! Fields of text records and the units that block traces measure in.

use crate::trace::text::{Fault, ParseResult, excerpt, fault, parse_scaled, parse_u64, trim};

/// Sector of all block traces read here [bytes].
pub(crate) const SECTOR_BYTES: u64 = 512;
pub(crate) const SECOND_NS: u64 = 1_000_000_000;
pub(crate) const MILLISECOND_NS: u64 = 1_000_000;
pub(crate) const MICROSECOND_NS: u64 = 1000;

/// The fields between commas, if there are exactly `N`.
#[inline]
pub(crate) fn commas<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields: [&[u8]; N] = [&[]; N];
    let mut start = 0;
    let mut count = 0;
    for position in memchr::memchr_iter(b',', line) {
        // The last field has no comma behind it.
        if count + 1 >= N {
            return None;
        }
        fields[count] = &line[start..position];
        start = position + 1;
        count += 1;
    }
    if count + 1 != N {
        return None;
    }
    fields[count] = &line[start..];
    Some(fields)
}

/// The first `N` fields between commas, if there are at least as many.
#[inline]
pub(crate) fn first_commas<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields: [&[u8]; N] = [&[]; N];
    let mut start = 0;
    let mut count = 0;
    for position in memchr::memchr_iter(b',', line).take(N) {
        fields[count] = &line[start..position];
        start = position + 1;
        count += 1;
    }
    if count < N {
        if count + 1 != N {
            return None;
        }
        fields[count] = &line[start..];
    }
    Some(fields)
}

/// The words between runs of spaces and tabs.
#[derive(Debug, Clone)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// What follows the words taken so far, without the blanks before it.
    pub(crate) fn rest(&self) -> &'a [u8] {
        trim(self.rest)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let start = self.rest.iter().position(|byte| !blank(byte))?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(blank).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }
}

/// The words of a line, if there are exactly `N`.
#[inline]
pub(crate) fn words<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields: [&[u8]; N] = [&[]; N];
    let mut words = Words::new(line);
    for field in &mut fields {
        *field = words.next()?;
    }
    words.next().is_none().then_some(fields)
}

/// The fault of a line without the columns of its format.
#[cold]
pub(crate) fn wrong_columns(columns: &str, separator: &str) -> Fault {
    fault(
        format!("the line does not have the columns {columns}"),
        format!("check that the line is whole and the columns are separated by {separator}"),
    )
}

/// A whole number of sectors in bytes.
#[inline]
pub(crate) fn sectors(field: &[u8], name: &str) -> ParseResult<u64> {
    in_bytes(parse_u64(field, name)?, SECTOR_BYTES, name)
}

/// A count of units of `unit_bytes` in bytes.
#[inline]
pub(crate) fn in_bytes(value: u64, unit_bytes: u64, name: &str) -> ParseResult<u64> {
    value
        .checked_mul(unit_bytes)
        .ok_or_else(|| too_far(value, unit_bytes, name))
}

#[cold]
fn too_far(value: u64, unit_bytes: u64, name: &str) -> Fault {
    fault(
        format!("{name} `{value}` in units of {unit_bytes} bytes exceeds 64 bits"),
        "check the order of the columns; the record may be damaged",
    )
}

/// A whole number of units of `unit_ns` in nanoseconds.
#[inline]
pub(crate) fn whole_time(field: &[u8], unit_ns: u64, name: &str) -> ParseResult<i64> {
    let value = parse_u64(field, name)?;
    count_time(value, unit_ns).ok_or_else(|| time_out_of_range(field, name))
}

/// A count of units of `unit_ns` in nanoseconds, if it fits.
#[inline]
pub(crate) fn count_time(value: u64, unit_ns: u64) -> Option<i64> {
    value
        .checked_mul(unit_ns)
        .and_then(|time| i64::try_from(time).ok())
}

/// A decimal number of units of `unit_ns` (a power of ten) in nanoseconds; digits below one
/// nanosecond are cut.
#[inline]
pub(crate) fn decimal_time(field: &[u8], unit_ns: u64, name: &str) -> ParseResult<i64> {
    match quick_decimal(field, unit_ns) {
        Some(time) => Ok(time),
        None => slow_decimal_time(field, unit_ns, name),
    }
}

/// Up to 18 digits with at most one point, all of them needed: the usual case, in one loop.
#[inline]
fn quick_decimal(field: &[u8], unit_ns: u64) -> Option<i64> {
    if field.is_empty() || field.len() > 19 {
        return None;
    }
    let mut value = 0_u64;
    let mut point = None;
    for (index, &byte) in field.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value * 10 + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(index);
        } else {
            return None;
        }
    }
    let digits = field.len() - usize::from(point.is_some());
    if digits == 0 || digits > 18 {
        return None;
    }
    let decimals = point.map_or(0, |point| field.len() - 1 - point);
    let mut scale = unit_ns;
    for _ in 0..decimals {
        if !scale.is_multiple_of(10) {
            return None;
        }
        scale /= 10;
    }
    count_time(value, scale)
}

#[cold]
fn slow_decimal_time(field: &[u8], unit_ns: u64, name: &str) -> ParseResult<i64> {
    i64::try_from(parse_scaled(field, unit_ns, name)?).map_err(|_| time_out_of_range(field, name))
}

#[cold]
pub(crate) fn time_out_of_range(field: &[u8], name: &str) -> Fault {
    fault(
        format!(
            "{name} `{}` is out of range (more than 292 years)",
            excerpt(trim(field))
        ),
        "check the unit of the time and the order of the columns",
    )
}

/// `R` or `W` in any case.
#[inline]
pub(crate) fn letter(field: &[u8], name: &str) -> ParseResult<bool> {
    match trim(field) {
        b"R" | b"r" => Ok(false),
        b"W" | b"w" => Ok(true),
        other => Err(neither(other, name, "R nor W")),
    }
}

/// The fault of an operation that has no meaning in its format.
#[cold]
pub(crate) fn neither(field: &[u8], name: &str, known: &str) -> Fault {
    fault(
        format!("{name} `{}` is neither {known}", excerpt(field)),
        "check the format and the order of the columns",
    )
}

/// Whether `line` is the header `names`, in any case and with blanks around it.
pub(crate) fn is_named(line: &[u8], names: &str) -> bool {
    trim(line).eq_ignore_ascii_case(names.as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_counted_exactly() {
        assert_eq!(commas::<3>(b"a,,c"), Some([&b"a"[..], b"", b"c"]));
        assert_eq!(commas::<3>(b"a,b"), None);
        assert_eq!(commas::<3>(b"a,b,c,d"), None);
        assert_eq!(first_commas::<2>(b"a,b"), Some([&b"a"[..], b"b"]));
        assert_eq!(first_commas::<2>(b"a,b,c"), Some([&b"a"[..], b"b"]));
        assert_eq!(first_commas::<2>(b"a"), None);
        assert_eq!(words::<2>(b" a \t b "), Some([&b"a"[..], b"b"]));
        assert_eq!(words::<2>(b"a"), None);
        assert_eq!(words::<2>(b"a b c"), None);
        assert_eq!(words::<1>(b"  "), None);
    }

    #[test]
    fn times_out_of_range_are_refused() {
        for text in ["9223372036.854775808", "99999999999", "-99999999999"] {
            assert!(
                decimal_time(text.as_bytes(), SECOND_NS, "time").is_err(),
                "{text}"
            );
        }
        assert!(whole_time(b"9223372036854775808", 1, "time").is_err());
        assert!(whole_time(b"9223372036854775807", 1, "time").is_ok());
    }

    proptest! {
        #[test]
        fn quick_decimals_are_the_exact_ones(
            text in "[0-9]{0,10}(\\.[0-9]{0,10})?",
            unit in prop::sample::select(vec![1, MICROSECOND_NS, MILLISECOND_NS, SECOND_NS]),
        ) {
            if let Some(quick) = quick_decimal(text.as_bytes(), unit) {
                let exact = parse_scaled(text.as_bytes(), unit, "time").ok();
                prop_assert_eq!(Some(i128::from(quick)), exact);
            }
        }
    }
}
