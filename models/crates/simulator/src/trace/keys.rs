//! Keys of cache traces as page numbers.

/// The page number of a key: of a whole number itself (negative ones as two's complement), of any
/// other text its 64-bit FNV-1a hash.
///
/// Numbers stay as they are so that one trace written as numbers by several tools stays one trace.
/// Two of n different texts collide with a probability of about n^2 / 2^65: 3 in 10,000 for 100
/// million keys.
#[inline]
pub(crate) fn key_number(key: &[u8]) -> u64 {
    whole_number(key).unwrap_or_else(|| fnv_1a(key))
}

#[inline]
fn whole_number(key: &[u8]) -> Option<u64> {
    let (negative, digits) = match key {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    // A number with leading zeros is a text: `007` and `7` are different keys.
    let plain = match digits {
        [b'0'] => !negative,
        [] | [b'0', ..] => false,
        _ => digits.len() <= 20,
    };
    if !plain {
        return None;
    }
    let value = digits.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then_some(())?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })?;
    if negative {
        (value <= 1 << 63).then(|| value.wrapping_neg())
    } else {
        Some(value)
    }
}

fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::key_number;

    #[test]
    fn numbers_are_themselves_and_texts_are_hashed() {
        assert_eq!(key_number(b"0"), 0);
        assert_eq!(key_number(b"18446744073709551615"), u64::MAX);
        assert_eq!(key_number(b"-1"), u64::MAX);
        assert_eq!(key_number(b"-9223372036854775808"), 1 << 63);
        // Published vectors of FNV-1a: the empty text, `a` and `foobar`.
        assert_eq!(key_number(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(key_number(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(key_number(b"foobar"), 0x8594_4171_f739_67e8);
        for text in [
            "007",
            "-0",
            "+7",
            "1e3",
            "18446744073709551616",
            "-9223372036854775809",
        ] {
            assert!(key_number(text.as_bytes()) > 1 << 32, "{text}");
        }
    }
}
