//! The codecs of a chunk's columns: integers in byte planes, flags in bit sets.

use crate::access::{FIRST_OF_REQUEST, WRITE};

fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)).cast_unsigned()
}

fn unzigzag(code: u64) -> i64 {
    (code >> 1).cast_signed() ^ -((code & 1).cast_signed())
}

fn width_of(largest: u64) -> usize {
    (64 - largest.leading_zeros() as usize).div_ceil(8)
}

/// Encodes integers as differences or plainly, whichever has less to say, in byte planes.
pub(super) fn encode_column(values: &[u64], codes: &mut Vec<u64>, out: &mut Vec<u8>) {
    codes.clear();
    let mut last = 0_u64;
    let mut largest = (0_u64, 0_u64);
    let mut steps = 0_usize;
    for &value in values {
        let code = zigzag(value.wrapping_sub(last).cast_signed());
        last = value;
        steps += usize::from(code <= 2);
        largest = (largest.0 | value, largest.1 | code);
        codes.push(code);
    }
    let widths = (width_of(largest.0), width_of(largest.1));
    let differences = widths.1 < widths.0 || steps * 2 > values.len();
    let (source, width) = if differences {
        (codes.as_slice(), widths.1)
    } else {
        (values, widths.0)
    };
    out.clear();
    out.push(u8::from(differences));
    out.push(u8::try_from(width).unwrap_or(8));
    for plane in 0..width {
        let shift = 8 * plane;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "one byte of the value is wanted"
        )]
        out.extend(source.iter().map(|value| (value >> shift) as u8));
    }
}

/// What is wrong with bytes read from a canonical file.
pub(super) type Check<T> = std::result::Result<T, String>;

/// Splits an encoded column into mode and planes, for exactly `count` values of at most
/// `max_width` bytes.
fn column_planes(bytes: &[u8], count: usize, max_width: usize) -> Check<(bool, Vec<&[u8]>)> {
    let [mode, width, planes @ ..] = bytes else {
        return Err("a column has no head".to_owned());
    };
    let width = usize::from(*width);
    if *mode > 1 || width > max_width || planes.len() != width * count {
        return Err(format!(
            "a column of {count} values has mode {mode}, width {width} and {} bytes",
            planes.len()
        ));
    }
    Ok((*mode == 1, planes.chunks_exact(count.max(1)).collect()))
}

/// The 64-bit values of a column.
pub(super) fn decode_column(bytes: &[u8], count: usize, out: &mut Vec<u64>) -> Check<()> {
    let (differences, planes) = column_planes(bytes, count, 8)?;
    out.clear();
    out.resize(count, 0);
    for (index, plane) in planes.iter().enumerate() {
        for (value, byte) in out.iter_mut().zip(*plane) {
            *value |= u64::from(*byte) << (8 * index);
        }
    }
    if differences {
        let mut last = 0_u64;
        for value in out.iter_mut() {
            last = last.wrapping_add(unzigzag(*value).cast_unsigned());
            *value = last;
        }
    }
    Ok(())
}

/// The page numbers of a chunk. Differences of 32-bit numbers need up to 33 bits: those go through
/// the general decoder.
pub(super) fn decode_pages(
    bytes: &[u8],
    count: usize,
    wide: &mut Vec<u64>,
    out: &mut Vec<u32>,
) -> Check<()> {
    let (differences, planes) = column_planes(bytes, count, 5)?;
    out.clear();
    if differences || planes.len() > 4 {
        decode_column(bytes, count, wide)?;
        for value in wide.iter() {
            out.push(u32::try_from(*value).map_err(|_| format!("page number {value}"))?);
        }
        return Ok(());
    }
    match planes[..] {
        [a] => out.extend(a.iter().map(|a| u32::from(*a))),
        [a, b] => out.extend(
            a.iter()
                .zip(b)
                .map(|(a, b)| u32::from_le_bytes([*a, *b, 0, 0])),
        ),
        [a, b, c] => out.extend(
            a.iter()
                .zip(b)
                .zip(c)
                .map(|((a, b), c)| u32::from_le_bytes([*a, *b, *c, 0])),
        ),
        [a, b, c, d] => out.extend(
            a.iter()
                .zip(b)
                .zip(c)
                .zip(d)
                .map(|(((a, b), c), d)| u32::from_le_bytes([*a, *b, *c, *d])),
        ),
        _ => out.resize(count, 0),
    }
    Ok(())
}

/// One bit of each flag, eight to a byte.
pub(super) fn pack_bits(flags: &[u8], mask: u8, out: &mut Vec<u8>) {
    for group in flags.chunks(8) {
        out.push(group.iter().enumerate().fold(0, |byte, (bit, flag)| {
            byte | u8::from(flag & mask != 0) << bit
        }));
    }
}

/// Eight flag bytes for each byte of a bit set.
const fn spread_table(flag: u8) -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = flag;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
}

static SPREAD_WRITE: [[u8; 8]; 256] = spread_table(WRITE);
static SPREAD_FIRST: [[u8; 8]; 256] = spread_table(FIRST_OF_REQUEST);

pub(super) fn unpack_flags(bytes: &[u8], count: usize, out: &mut Vec<u8>) -> Check<()> {
    let set_bytes = count.div_ceil(8);
    if bytes.len() != 2 * set_bytes {
        return Err(format!(
            "{} bytes of flags for {count} accesses",
            bytes.len()
        ));
    }
    let (writes, firsts) = bytes.split_at(set_bytes);
    out.resize(8 * set_bytes, 0);
    for ((write, first), group) in writes.iter().zip(firsts).zip(out.as_chunks_mut().0) {
        let flags = u64::from_le_bytes(SPREAD_WRITE[usize::from(*write)])
            | u64::from_le_bytes(SPREAD_FIRST[usize::from(*first)]);
        *group = flags.to_le_bytes();
    }
    if out[count..].iter().any(|flag| *flag != 0) {
        return Err("flags beyond the last access".to_owned());
    }
    out.truncate(count);
    Ok(())
}
