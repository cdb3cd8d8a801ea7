// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Locations, numbers of threads and lanes in sentences.

use bcu_program::Place;

/// Text such as `line 7: BAR.SYNC 0x1`; of compiled code `scan.cu:12, PTX line 52: bar.sync 0`.
pub(crate) fn place(place: &Place) -> String {
    match &place.origin {
        Some(origin) => format!("{}, PTX line {}: {}", origin.of_author(), place.line, place.text),
        None => format!("line {}: {}", place.line, place.text),
    }
}

/// Text such as `line 7`; of compiled code `scan.cu:12 (PTX line 52)`.
pub(crate) fn line(place: &Place) -> String {
    match &place.origin {
        Some(origin) => format!("{} (PTX line {})", origin.of_author(), place.line),
        None => format!("line {}", place.line),
    }
}

/// Text such as `7`; of compiled code `scan.cu:12`, for tables.
pub(crate) fn number(place: &Place) -> String {
    place.origin.as_ref().map_or_else(|| place.line.to_string(), |origin| origin.of_author().to_string())
}

/// Text such as `l.7 BAR.SYNC 0x1`, for waveforms; of compiled code `scan.cu:12 l.52 bar.sync 0`.
pub(crate) fn short(place: &Place) -> String {
    let origin = place.origin.as_ref().map_or(String::new(), |origin| format!("{} ", origin.of_author()));
    format!("{origin}l.{} {}", place.line, place.text)
}

/// Text such as `4 warps (128 threads)`.
pub(super) fn count(threads: u32, lanes: u32) -> String {
    let warps = threads / lanes;
    format!("{warps} {} ({threads} threads)", if warps == 1 { "warp" } else { "warps" })
}

/// Text such as `128 threads`, or `no count`.
pub fn count_text(threads: u32) -> String {
    if threads == 0 {
        "no count".to_string()
    } else {
        format!("{threads} threads")
    }
}

/// Text such as `lanes 0-3, 8`.
pub fn lanes(mask: u64) -> String {
    let mut runs: Vec<String> = vec![];
    let mut unlisted = mask;
    while unlisted != 0 {
        let first = unlisted.trailing_zeros();
        let length = (unlisted >> first).trailing_ones();
        runs.push(if length == 1 { first.to_string() } else { format!("{first}-{}", first + length - 1) });
        unlisted &= u64::MAX.checked_shl(first + length).unwrap_or(0);
    }
    format!("{} {}", if mask.count_ones() == 1 { "lane" } else { "lanes" }, runs.join(", "))
}
