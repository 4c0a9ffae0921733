//! Little-endian integers inside records whose length is already checked.

#[inline]
pub(crate) fn u16_at(record: &[u8], at: usize) -> u16 {
    let mut bytes = [0; 2];
    bytes.copy_from_slice(&record[at..at + 2]);
    u16::from_le_bytes(bytes)
}

#[inline]
pub(crate) fn u32_at(record: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&record[at..at + 4]);
    u32::from_le_bytes(bytes)
}

#[inline]
pub(crate) fn u64_at(record: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&record[at..at + 8]);
    u64::from_le_bytes(bytes)
}
