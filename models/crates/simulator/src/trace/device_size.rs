//! What a trace reaches, against the size of the device that was recorded, as the user states it.
//!
//! A wrong unit of the offset moves all addresses by a factor. Beyond the end of the device it is
//! certain that something is wrong; far below it, it is possible. The factors of the usual mistakes
//! that bring the addresses back onto the device are named.

use crate::error::{Error, Result};
use crate::trace::TraceSource;
use crate::trace::canonical::CanonicalReader;
use crate::trace::reader::Warning;
use crate::wording::counted;

/// Smallest size of a device: a sector [bytes].
const SECTOR_BYTES: u64 = 512;
/// Fewer requests may well have stayed at the beginning of the device.
const ENOUGH_REQUESTS: u64 = 100;
/// How many times too large addresses become, and by which mistake.
const MISTAKES: [(u64, &str); 5] = [
    (2, "sectors read as KiB"),
    (8, "sectors read as blocks of 4 KiB"),
    (512, "bytes read as sectors"),
    (1024, "bytes read as KiB"),
    (4096, "bytes read as blocks of 4 KiB"),
];

/// What is known of where the requests go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// Size of each device, as stated [bytes].
    pub(crate) device_bytes: u64,
    /// The first address behind all requests [bytes]; `None` of formats that name pages or keys.
    pub(crate) end_bytes: Option<u64>,
    pub(crate) requests: u64,
    pub(crate) distinct_pages: u64,
    pub(crate) page_bytes: u64,
    pub(crate) devices: u64,
}

/// Refuses a size that no device has.
pub(crate) fn check(device_bytes: Option<u64>) -> Result<()> {
    match device_bytes {
        Some(bytes) if bytes < SECTOR_BYTES => Err(Error::BadParameter {
            name: "device-size",
            value: bytes.to_string(),
            message: "less than one sector of 512 bytes".to_owned(),
            hint: "give the size of the recorded device, such as 1TiB".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Compares the requests of a raw trace with the stated size.
pub(crate) fn of_requests(reach: &Reach) -> Option<Warning> {
    match reach.end_bytes {
        Some(end) if end > reach.device_bytes => Some(beyond(end, reach.device_bytes)),
        Some(end) if reach.requests >= ENOUGH_REQUESTS && far_below(end, reach.device_bytes) => {
            Some(Warning::new(
                "device_barely_reached",
                format!(
                    "requests reach up to byte {end}, less than 1/512 of the stated device size of {} bytes",
                    reach.device_bytes
                ),
                "check the unit of the offset: sectors read as bytes look like this, and multiplied by 512 the addresses still fit",
            ))
        }
        _ => footprint(reach),
    }
}

/// Compares a canonical trace, which keeps no addresses in bytes, with the stated size.
pub(crate) fn of_canonical(source: &CanonicalReader, device_bytes: Option<u64>) -> Option<Warning> {
    let device_bytes = device_bytes?;
    let summary = source.summary();
    footprint(&Reach {
        device_bytes,
        end_bytes: None,
        requests: summary.requests,
        distinct_pages: summary.distinct_pages,
        page_bytes: summary.page_bytes,
        devices: source.foot().spaces.len() as u64,
    })
    .or_else(|| {
        Some(Warning::new(
            "device_size_not_compared",
            "a canonical trace keeps pages, not addresses in bytes, so only its distinct pages were compared with the stated size",
            "give the size when you read the original recording",
        ))
    })
}

fn far_below(end: u64, device_bytes: u64) -> bool {
    end.checked_mul(SECTOR_BYTES)
        .is_some_and(|sectors| sectors <= device_bytes)
}

fn beyond(end: u64, device_bytes: u64) -> Warning {
    let fitting: Vec<String> = MISTAKES
        .iter()
        .filter(|(factor, _)| end.div_ceil(*factor) <= device_bytes)
        .map(|(factor, mistake)| format!("{factor} ({mistake})"))
        .collect();
    let hint = if fitting.is_empty() {
        "check the unit of the offset and the stated size; no common unit error explains this"
            .to_owned()
    } else {
        format!(
            "check the unit of the offset, or the stated size; the addresses would fit divided by {}",
            fitting.join(" or ")
        )
    };
    Warning::new(
        "beyond_device",
        format!(
            "requests reach up to byte {end}, beyond the end of the stated device of {device_bytes} bytes"
        ),
        hint,
    )
}

/// More distinct pages than the devices have room for.
fn footprint(reach: &Reach) -> Option<Warning> {
    let room = u128::from(reach.device_bytes) * u128::from(reach.devices.max(1));
    let touched = u128::from(reach.distinct_pages) * u128::from(reach.page_bytes);
    // The last page of each device may lie on it in part.
    let slack = u128::from(reach.page_bytes) * u128::from(reach.devices.max(1));
    (touched > room + slack).then(|| {
        Warning::new(
            "beyond_device",
            format!(
                "{} of {} bytes are more than fit on {} of {} bytes",
                counted(reach.distinct_pages, "distinct page", "distinct pages"),
                reach.page_bytes,
                counted(reach.devices.max(1), "stated device", "stated devices"),
                reach.device_bytes
            ),
            "check the page size and the stated size",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIB: u64 = 1 << 40;

    fn reach(end: u64) -> Reach {
        Reach {
            device_bytes: TIB,
            end_bytes: Some(end),
            requests: ENOUGH_REQUESTS,
            distinct_pages: 1,
            page_bytes: 4096,
            devices: 1,
        }
    }

    fn named(end: u64) -> Option<(String, String)> {
        of_requests(&reach(end)).map(|warning| (warning.name, warning.hint))
    }

    #[test]
    fn addresses_on_the_device_are_silent() {
        assert_eq!(named(TIB), None);
        assert_eq!(named(TIB / 512 + 1), None);
    }

    #[test]
    fn addresses_beyond_it_name_the_factors_that_fit() {
        let (code, hint) = named(TIB + 1).unwrap();
        assert_eq!(code, "beyond_device");
        assert!(hint.contains("2 (sectors read as KiB) or 8"), "{hint}");
        let (_, hint) = named(512 * TIB).unwrap();
        assert!(
            hint.contains("divided by 512 (bytes read as sectors) or 1024"),
            "{hint}"
        );
        let (_, hint) = named(512 * TIB + 1).unwrap();
        assert!(!hint.contains("by 512"), "{hint}");
        let (_, hint) = named(4096 * TIB + 1).unwrap();
        assert!(hint.contains("no common unit error"), "{hint}");
    }

    #[test]
    fn addresses_far_below_it_may_be_sectors() {
        assert_eq!(named(TIB / 512).unwrap().0, "device_barely_reached");
        let few = Reach {
            requests: ENOUGH_REQUESTS - 1,
            ..reach(TIB / 512)
        };
        assert_eq!(of_requests(&few), None);
    }

    #[test]
    fn pages_count_where_there_are_no_addresses() {
        let pages = |distinct_pages, devices| {
            of_requests(&Reach {
                end_bytes: None,
                distinct_pages,
                devices,
                ..reach(0)
            })
            .map(|warning| warning.name)
        };
        assert_eq!(pages(TIB / 4096 + 1, 1), None);
        assert_eq!(pages(TIB / 4096 + 2, 1).as_deref(), Some("beyond_device"));
        assert_eq!(pages(TIB / 4096 + 2, 2), None);
    }

    #[test]
    fn a_size_of_no_device_is_refused() {
        assert!(check(Some(511)).is_err());
        assert!(check(Some(512)).is_ok());
        assert!(check(None).is_ok());
    }
}
