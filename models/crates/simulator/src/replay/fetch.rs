//! Entries of tables by page, brought near before they are used one by one.

use std::ops::BitXor;

/// Reads the entries of some pages, all at once: the processor waits for them together.
#[inline]
pub(crate) fn fetch<T: Copy + Default + BitXor<Output = T>>(of_pages: &[T], pages: &[u32]) {
    let mixed = pages
        .iter()
        .fold(T::default(), |mixed, &page| mixed ^ of_pages[page as usize]);
    std::hint::black_box(mixed);
}
