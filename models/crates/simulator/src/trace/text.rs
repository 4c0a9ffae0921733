//! Numbers and excerpts of text records.

use std::fmt::Write as _;

/// What is wrong with one record; the shared reader adds file, place and content.
/// Boxed, so that the parse of a good record returns few bytes.
#[derive(Debug)]
pub(crate) struct Fault(Box<FaultText>);

#[derive(Debug)]
pub(crate) struct FaultText {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl std::ops::Deref for Fault {
    type Target = FaultText;

    fn deref(&self) -> &FaultText {
        &self.0
    }
}

pub(crate) type ParseResult<T> = std::result::Result<T, Fault>;

#[cold]
pub(crate) fn fault(message: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault(Box::new(FaultText {
        message: message.into(),
        hint: hint.into(),
    }))
}

/// Without the spaces and tabs around it.
pub(crate) fn trim(mut field: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r', rest @ ..] = field {
        field = rest;
    }
    while let [rest @ .., b' ' | b'\t' | b'\r'] = field {
        field = rest;
    }
    field
}

/// An unsigned decimal integer; `name` is the field's name in messages.
#[inline]
pub(crate) fn parse_u64(field: &[u8], name: &str) -> ParseResult<u64> {
    // Up to 19 digits cannot overflow.
    if !field.is_empty() && field.len() <= 19 {
        let mut value = 0_u64;
        let mut good = true;
        for &byte in field {
            let digit = byte.wrapping_sub(b'0');
            good &= digit <= 9;
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        }
        if good {
            return Ok(value);
        }
    }
    parse_u64_slow(field, name)
}

#[cold]
fn parse_u64_slow(field: &[u8], name: &str) -> ParseResult<u64> {
    let trimmed = trim(field);
    let shown = excerpt(trimmed);
    if trimmed.is_empty() {
        return Err(fault(
            format!("{name} is empty"),
            "every record needs this field; check the columns",
        ));
    }
    let digits = trimmed.strip_prefix(b"+").unwrap_or(trimmed);
    if let Some(rest) = trimmed.strip_prefix(b"-")
        && !rest.is_empty()
        && rest
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.')
    {
        return Err(fault(
            format!("{name} `{shown}` is negative"),
            format!("{name} must be 0 or more; correct or remove the record"),
        ));
    }
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(fault(
            format!("{name} `{shown}` is not a whole number"),
            if check_float(trimmed, name).is_ok() {
                "write whole numbers without a decimal point or an exponent (1000000, not 1e6 or 1000000.0), as a spreadsheet or a data frame may have written them; otherwise check the order of the columns"
            } else {
                "check the format and the order of the columns"
            },
        ));
    }
    digits
        .iter()
        .try_fold(0_u64, |value, byte| {
            value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))
        })
        .ok_or_else(|| {
            fault(
                format!("{name} `{shown}` does not fit in 64 bits"),
                "check the unit and the order of the columns",
            )
        })
}

/// A decimal number with an optional fraction, times `scale`, exactly; digits below one are cut.
pub(crate) fn parse_scaled(field: &[u8], scale: u64, name: &str) -> ParseResult<i128> {
    let trimmed = trim(field);
    let (negative, magnitude) = match trimmed {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let (whole, fraction) = match memchr::memchr(b'.', magnitude) {
        Some(point) => (&magnitude[..point], &magnitude[point + 1..]),
        None => (magnitude, &magnitude[..0]),
    };
    let all_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    if (whole.is_empty() && fraction.is_empty())
        || whole.len() > 20
        || !all_digits(whole)
        || !all_digits(fraction)
    {
        return Err(fault(
            if trimmed.is_empty() {
                format!("{name} is empty")
            } else {
                format!("{name} `{}` is not a decimal number", excerpt(trimmed))
            },
            "write times as plain decimals such as 12.5; check the order of the columns",
        ));
    }
    let mut value = 0_i128;
    for byte in whole {
        value = value * 10 + i128::from(byte - b'0');
    }
    value *= i128::from(scale);
    let mut unit = i128::from(scale);
    for byte in fraction {
        // Exact as long as the scale is a power of ten; what lies below one unit is cut.
        unit /= 10;
        value += unit * i128::from(byte - b'0');
    }
    Ok(if negative { -value } else { value })
}

/// A decimal number that is not used, with an exponent or without: `0.5`, `1.85E-4`.
pub(crate) fn check_float(field: &[u8], name: &str) -> ParseResult<()> {
    let trimmed = trim(field);
    let (mantissa, exponent) = match memchr::memchr2(b'e', b'E', trimmed) {
        Some(at) => (&trimmed[..at], Some(&trimmed[at + 1..])),
        None => (trimmed, None),
    };
    if let Some(exponent) = exponent {
        let digits = match exponent {
            [b'-' | b'+', rest @ ..] | rest => rest,
        };
        if !(1..=3).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
            return Err(fault(
                format!("{name} `{}` is not a decimal number", excerpt(trimmed)),
                "check the order of the columns",
            ));
        }
    }
    parse_scaled(mantissa, 1, name).map(|_| ())
}

/// At most 120 characters of a record for a message, non-printable bytes escaped.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 120;
    let mut out = String::new();
    let cut = &bytes[..bytes.len().min(SHOWN)];
    for part in cut.utf8_chunks() {
        for character in part.valid().chars() {
            if character.is_control() || character == '\u{feff}' {
                let _ = write!(out, "{}", character.escape_default());
            } else {
                out.push(character);
            }
        }
        for byte in part.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    if bytes.len() > SHOWN {
        out.push('…');
    }
    out
}

/// The bytes in hexadecimal, for the raw column of a preview.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{check_float, excerpt, parse_scaled, parse_u64};

    #[test]
    fn decimals_are_scaled_exactly() {
        const SECOND: u64 = 1_000_000_000;
        for (text, expected) in [
            ("0", 0),
            ("1456095145.133076000", 1_456_095_145_133_076_000),
            ("-0.5", -500_000_000),
            ("+2.", 2_000_000_000),
            (".25", 250_000_000),
            // Below a nanosecond is cut, not rounded.
            ("0.0000000019", 1),
            (
                "18446744073709551615",
                18_446_744_073_709_551_615_000_000_000,
            ),
        ] {
            assert_eq!(
                parse_scaled(text.as_bytes(), SECOND, "time").ok(),
                Some(expected),
                "{text}"
            );
        }
        for text in [
            "",
            ".",
            "-",
            "1e9",
            "1.2.3",
            "0x10",
            "nan",
            "123456789012345678901",
        ] {
            assert!(
                parse_scaled(text.as_bytes(), SECOND, "time").is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn unused_numbers_may_have_an_exponent() {
        for text in ["0.5", "1.85E-4", "1e9", "2.E+10", "-1.0e3"] {
            assert!(check_float(text.as_bytes(), "time").is_ok(), "{text}");
        }
        for text in [
            "", "E4", "1.5E", "1.5E-", "1.5E4.0", "1.5E1234", "1,5", "nan",
        ] {
            assert!(check_float(text.as_bytes(), "time").is_err(), "{text}");
        }
    }

    #[test]
    fn integers_up_to_64_bits_are_read_whole() {
        for (text, expected) in [
            ("0", 0),
            (" 7\t", 7),
            ("+7", 7),
            ("9999999999999999999", 9_999_999_999_999_999_999),
            ("18446744073709551615", u64::MAX),
            ("00000000000000000000000012", 12),
        ] {
            assert_eq!(
                parse_u64(text.as_bytes(), "size").ok(),
                Some(expected),
                "{text}"
            );
        }
        for (text, part) in [
            ("18446744073709551616", "does not fit in 64 bits"),
            ("-1", "size `-1` is negative"),
            ("--1", "not a whole number"),
            ("1_000", "not a whole number"),
            ("", "size is empty"),
        ] {
            let fault = parse_u64(text.as_bytes(), "size").err().unwrap();
            assert!(fault.message.contains(part), "{}", fault.message);
        }
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b"a\x00\tb\xff"), "a\\u{0}\\tb\\xff");
        assert_eq!(excerpt(&[b'x'; 500]).chars().count(), 121);
    }
}
