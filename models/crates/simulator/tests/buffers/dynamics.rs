//! Buffers over drifting writes and costs against plain replays of what they should see.

use proptest::prelude::*;
use tierwright_simulator::error::{Error, Result};
use tierwright_simulator::replay::buffers::{
    BufferCounters, Drift, DynamicsResult, DynamicsSpec, simulate_dynamics,
};

use super::slow::Access;
use super::{source, try_buffer};

const EPOCH: u64 = 100;
const STEADY: Drift = Drift {
    write_share: 0.5,
    write_growth: 0.0,
    write_odd: 1.0,
    asymmetry: 8.0,
    asymmetry_growth: 0.0,
    asymmetry_odd: 1.0,
};

fn accesses() -> impl Strategy<Value = Vec<Access>> {
    let page = prop_oneof![0_u64..30, 0_u64..8];
    prop::collection::vec((page, any::<bool>()), 0..700)
}

fn dynamics(accesses: &[Access], pages: u64, window: u64, drift: Drift) -> Result<DynamicsResult> {
    let spec = DynamicsSpec {
        pages,
        clean_pages: vec![1, pages - 1],
        epoch_accesses: EPOCH,
        window_accesses: window,
        drift,
    };
    simulate_dynamics(&mut source(accesses, 37), &spec, &mut |_| true)
}

/// Counters of the buffers in the order of the result, each replayed by itself.
fn by_themselves(accesses: &[Access], pages: u64, window: u64) -> Result<Vec<BufferCounters>> {
    let size = usize::try_from(pages).unwrap_or(usize::MAX);
    let (window, most) = (window.to_string(), (pages - 1).to_string());
    let half = (pages / 2).max(1).to_string();
    [
        (
            "fd_buffer",
            vec![
                ("asymmetry", "8"),
                ("window", window.as_str()),
                ("clean_pages", half.as_str()),
            ],
        ),
        ("lru", vec![]),
        ("cflru", vec![]),
        ("fd_static", vec![("clean_pages", "1")]),
        ("fd_static", vec![("clean_pages", most.as_str())]),
    ]
    .into_iter()
    .map(|(name, given)| Ok(try_buffer(accesses, name, size, &given)?.counters))
    .collect()
}

fn counters(found: &DynamicsResult) -> Vec<BufferCounters> {
    found.buffers.iter().map(|buffer| buffer.counters).collect()
}

proptest! {
    #[test]
    fn what_does_not_change_equals_replays_one_by_one(
        accesses in accesses(), pages in 2_u64..12, window in 20_u64..300
    ) {
        let found = dynamics(&accesses, pages, window, STEADY)?;
        prop_assert_eq!(counters(&found), by_themselves(&accesses, pages, window)?);
        let in_epochs: u64 = found.epochs.iter().map(|epoch| epoch.accesses).sum();
        prop_assert_eq!(in_epochs, accesses.len() as u64);
        for (at, counters) in counters(&found).iter().enumerate() {
            let sum = |pick: fn(&(u64, u64)) -> u64| -> u64 {
                found.epochs.iter().map(|epoch| pick(&epoch.counts[at])).sum()
            };
            prop_assert_eq!(sum(|counts| counts.0), counters.reads);
            prop_assert_eq!(sum(|counts| counts.1), counters.writes);
        }
    }

    /// Without writes in odd epochs, and with nothing but writes from the second epoch on: both can be
    /// written down by hand.
    #[test]
    fn changed_writes_equal_replays_of_the_changed_trace(
        accesses in accesses(), pages in 2_u64..12, grows in any::<bool>()
    ) {
        let drift = if grows {
            Drift { write_growth: 1.0, ..STEADY }
        } else {
            Drift { write_odd: 0.0, ..STEADY }
        };
        let found = dynamics(&accesses, pages, 50, drift)?;
        let changed: Vec<Access> = accesses
            .iter()
            .zip(0_u64..)
            .map(|(&(page, write), at)| {
                let epoch = at / EPOCH;
                if grows {
                    (page, write || epoch > 0)
                } else {
                    (page, write && epoch.is_multiple_of(2))
                }
            })
            .collect();
        prop_assert_eq!(counters(&found), by_themselves(&changed, pages, 50)?);
        for (epoch, chunk) in found.epochs.iter().zip(changed.chunks(100)) {
            let writes = chunk.iter().filter(|access| access.1).count();
            prop_assert_eq!(epoch.write_accesses, writes as u64);
        }
    }

    /// The advisor's counts do not depend on R, so at the end of window k it chooses what it chooses
    /// there under a constant R of that size.
    #[test]
    fn a_drifting_asymmetry_is_followed(accesses in accesses(), pages in 2_u64..12) {
        let drift = Drift { asymmetry_growth: 0.5, asymmetry_odd: 0.25, ..STEADY };
        let found = dynamics(&accesses, pages, EPOCH, drift)?;
        let size = usize::try_from(pages).unwrap_or(usize::MAX);
        for (at, epoch) in found.epochs.iter().enumerate() {
            let odd = if at % 2 == 1 { 0.25 } else { 1.0 };
            let expected = 8.0 * (1.0 + 0.5 * f64::from(u32::try_from(at).unwrap_or(0))) * odd;
            prop_assert!((epoch.asymmetry - expected).abs() < 1e-9);
            let given = [
                ("asymmetry", epoch.asymmetry.to_string()),
                ("window", EPOCH.to_string()),
            ];
            let given: Vec<_> = given.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let constant = try_buffer(&accesses, "fd_buffer", size, &given)?;
            if let Some(window) = constant.history.get(at) {
                prop_assert_eq!(epoch.clean_pages, window.next_clean_pages);
            }
        }
    }
}

#[test]
fn the_share_of_writes_is_the_expected_one() -> Result<()> {
    let accesses: Vec<Access> = (0..20_000).map(|at| (at % 50, at % 5 == 0)).collect();
    let spec = DynamicsSpec {
        pages: 10,
        clean_pages: vec![],
        epoch_accesses: 5_000,
        window_accesses: 5_000,
        drift: Drift {
            write_share: 0.2,
            write_growth: 0.25,
            write_odd: 0.5,
            ..STEADY
        },
    };
    let found = simulate_dynamics(&mut source(&accesses, 1000), &spec, &mut |_| true)?;
    // 0.2, 0.2 x 1.25 / 2, 0.2 x 1.5, 0.2 x 1.75 / 2
    for (epoch, share) in found.epochs.iter().zip([0.2, 0.125, 0.3, 0.175]) {
        let counted = f64::from(u32::try_from(epoch.write_accesses).unwrap_or(0)) / 5_000.0;
        assert!((counted - share).abs() < 0.02, "{counted} for {share}");
    }
    Ok(())
}

#[test]
fn a_drift_out_of_its_domain_is_refused() {
    for drift in [
        Drift {
            write_share: 1.5,
            ..STEADY
        },
        Drift {
            write_growth: -0.1,
            ..STEADY
        },
        Drift {
            asymmetry: 0.0,
            ..STEADY
        },
        Drift {
            asymmetry_odd: 0.0,
            ..STEADY
        },
        Drift {
            asymmetry_growth: f64::NAN,
            ..STEADY
        },
    ] {
        let found = dynamics(&[(1, true)], 4, 10, drift);
        assert!(
            matches!(found, Err(Error::BadParameter { .. })),
            "{drift:?}"
        );
    }
    assert!(dynamics(&[(1, true)], 1, 10, STEADY).is_err());
    assert!(dynamics(&[(1, true)], 4, 0, STEADY).is_err());
}
