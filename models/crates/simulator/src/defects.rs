//! Panics are defects of this program: whoever asked is given the place, and everything else goes on.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

use crate::error::{Error, Result};

thread_local! {
    /// How many calls of [`watched`] this thread is in.
    static WATCHED: Cell<u32> = const { Cell::new(0) };
    /// What the last panic of this thread said, and where.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Calls `work`; what a panic in it said and where, be it caught inside.
///
/// Such a panic is not printed: it is the caller's to tell.
pub fn watched<T>(work: impl FnOnce() -> T) -> (T, Option<String>) {
    /// Counts down also where `work` unwinds.
    struct Watch;
    impl Drop for Watch {
        fn drop(&mut self) {
            WATCHED.set(WATCHED.get() - 1);
        }
    }
    install();
    if WATCHED.get() == 0 {
        LAST.set(None);
    }
    WATCHED.set(WATCHED.get() + 1);
    let watch = Watch;
    let done = work();
    drop(watch);
    (done, LAST.take())
}

/// The result of `work`, or [`Error::Internal`] with the place where it panicked.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let (done, said) = watched(|| catch_unwind(AssertUnwindSafe(work)));
    done.unwrap_or_else(|_| {
        Err(Error::Internal {
            message: said.unwrap_or_else(|| "a panic without a message".to_owned()),
        })
    })
}

fn install() {
    HOOK.call_once(|| {
        let printed = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if WATCHED.get() == 0 {
                printed(panic);
            } else {
                // The first one: others may follow from it.
                LAST.with_borrow_mut(|last| {
                    last.get_or_insert_with(|| said(panic));
                });
            }
        }));
    });
}

fn said(panic: &PanicHookInfo<'_>) -> String {
    let words = words(panic.payload());
    panic.location().map_or_else(
        || words.to_owned(),
        |place| {
            // Of another crate: without the folder where it was unpacked.
            let file = place.file();
            let file = file
                .split_once("/registry/src/")
                .and_then(|(_, rest)| rest.split_once('/'))
                .map_or(file, |(_, rest)| rest);
            format!("{file}:{}: {words}", place.line())
        },
    )
}

fn words(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_place_and_the_next_call_is_none() {
        let index = std::hint::black_box(7);
        let error = caught(|| Ok([1, 2, 3][index])).unwrap_err().to_string();
        assert!(error.contains("defects.rs:"), "{error}");
        assert!(error.contains("the index is 7"), "{error}");
        assert_eq!(caught(|| Ok(5)).unwrap(), 5);
    }

    #[test]
    fn what_is_caught_inside_is_told_to_who_watches_only() {
        let (done, said) = watched(|| catch_unwind(|| panic!("inside")).is_err());
        assert!(done && said.unwrap().ends_with(": inside"));
        let (done, said) = watched(|| 3);
        assert_eq!((done, said), (3, None));
        // One inside another: the inner one has told it already.
        let (inner, said) = watched(|| caught::<u32>(|| panic!("deep")));
        assert!(inner.unwrap_err().to_string().contains("deep") && said.is_none());
    }
}
