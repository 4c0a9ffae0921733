//! Requests recorded several times: queued, issued and completed, or on several layers.

use serde::{Deserialize, Serialize};

use crate::trace::reader::Request;

/// How far back a request is looked for: queues of devices are seldom deeper [requests].
pub(crate) const WINDOW: u64 = 64;
/// Equal requests this close are one request recorded several times, not reuse [ns].
const WITHIN_NS: u64 = 1_000_000;
/// Slots of the table, a power of two well above [`WINDOW`], so that few requests of a window share one.
const SLOTS: usize = 256;

/// Counts requests equal to one of the [`WINDOW`] before them in device, place, length and
/// operation, and hardly later.
///
/// Each request stands in one slot of a small table, where the next one of that slot replaces it:
/// a repeat may be missed, about one in six where 64 different requests lie between the two, but none is made up.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "Kept", try_from = "Kept")]
pub(crate) struct Repeats {
    slots: Box<[Option<Seen>; SLOTS]>,
    requests: u64,
    repeated: u64,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Seen {
    number: u64,
    request: Request,
}

/// Slots, requests and repeats as they are written down.
type Kept = (Vec<Option<Seen>>, u64, u64);

impl From<Repeats> for Kept {
    fn from(repeats: Repeats) -> Self {
        (repeats.slots.to_vec(), repeats.requests, repeats.repeated)
    }
}

impl TryFrom<Kept> for Repeats {
    type Error = String;

    fn try_from((slots, requests, repeated): Kept) -> Result<Self, String> {
        let slots = slots.into_boxed_slice().try_into();
        Ok(Self {
            slots: slots.map_err(|_| format!("not {SLOTS} slots"))?,
            requests,
            repeated,
        })
    }
}

impl Default for Repeats {
    fn default() -> Self {
        Self {
            slots: Box::new([None; SLOTS]),
            requests: 0,
            repeated: 0,
        }
    }
}

impl Repeats {
    #[inline]
    pub(crate) fn add(&mut self, request: &Request) {
        self.requests += 1;
        let slot = &mut self.slots[slot_of(request)];
        self.repeated += u64::from(slot.is_some_and(|seen| {
            let before = &seen.request;
            (before.offset, before.size, before.space, before.write)
                == (request.offset, request.size, request.space, request.write)
                && self.requests - seen.number <= WINDOW
                && request.time_ns.abs_diff(before.time_ns) <= WITHIN_NS
        }));
        *slot = Some(Seen {
            number: self.requests,
            request: *request,
        });
    }

    /// Requests that repeat another one.
    pub(crate) fn count(&self) -> u64 {
        self.repeated
    }
}

/// The upper bits of a product: offsets that differ in any digit spread over the table.
#[inline]
fn slot_of(request: &Request) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (request.offset ^ (u64::from(request.space) << 40) ^ u64::from(request.write))
        .wrapping_mul(ODD);
    // Eight bits fit.
    usize::try_from(mixed >> (u64::BITS - SLOTS.trailing_zeros())).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(page: u64, write: bool, time_ns: i64) -> Request {
        Request {
            time_ns,
            offset: page * 4096,
            size: 4096,
            space: 0,
            write,
        }
    }

    fn count(requests: &[Request]) -> u64 {
        let mut repeats = Repeats::default();
        for request in requests {
            repeats.add(request);
        }
        repeats.count()
    }

    /// Compares with all requests of the window.
    fn slow_count(requests: &[Request]) -> u64 {
        let repeats = (0..requests.len()).filter(|&index| {
            let first = index.saturating_sub(64);
            let one = requests[index];
            requests[first..index].iter().any(|before| {
                (before.offset, before.write) == (one.offset, one.write)
                    && one.time_ns.abs_diff(before.time_ns) <= 1_000_000
            })
        });
        repeats.count() as u64
    }

    #[test]
    fn a_repeat_is_equal_near_and_soon() {
        let one = request(7, false, 0);
        assert_eq!(count(&[one, one]), 1);
        assert_eq!(count(&[one, request(7, true, 0)]), 0);
        assert_eq!(count(&[one, request(7, false, 1_000_000)]), 1);
        assert_eq!(count(&[one, request(7, false, 1_000_001)]), 0);
        let far = |between: u64| {
            let mut requests = vec![one];
            // All of one slot that is not that of the first.
            requests.extend((0..between).map(|_| request(8, true, 0)));
            requests.push(one);
            count(&requests) - between.saturating_sub(1)
        };
        assert_ne!(slot_of(&one), slot_of(&request(8, true, 0)));
        assert_eq!((far(63), far(64)), (1, 0));
    }

    #[test]
    fn most_repeats_of_deep_queues_are_found() {
        // Rounds of 32 different requests, each round recorded twice.
        let requests: Vec<Request> = (0..100)
            .flat_map(|round| (0..64).map(move |at| request(round * 1000 + at % 32, false, 0)))
            .collect();
        assert_eq!(slow_count(&requests), 3200);
        assert!(count(&requests) > 2700, "{}", count(&requests));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_repeat_is_made_up(
            records in prop::collection::vec((0..200_u64, any::<bool>(), 0..3_000_000_i64), 1..400),
        ) {
            let requests: Vec<Request> = records
                .into_iter()
                .map(|(page, write, time_ns)| request(page, write, time_ns))
                .collect();
            let (quick, slow) = (count(&requests), slow_count(&requests));
            prop_assert!(quick <= slow, "{quick} {slow}");
        }
    }
}
