// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an observer of a run learns of a copy in flight.

use crate::memory::{Access, AccessEffect};

/// What a copy does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct CopyInFlight {
    /// The index of the warp that issued the copy; `None` if it is unknown.
    pub warp: Option<usize>,
    pub bytes: u64,
    /// The CTA and the address of the mbarrier that the copy signals.
    pub object: Option<(usize, u32)>,
    /// Whether the copy is an arrival that waits for earlier copies, and writes no bytes.
    pub is_arrival: bool,
}

/// The number of bytes that an access of a copy writes; 0 if the access is no copy.
pub(in super::super) fn copied_bytes(access: &Access) -> u64 {
    let of_part = |bytes: Option<&Option<u64>>| bytes.copied().flatten().unwrap_or(0);
    match access.effect {
        AccessEffect::Copy(_, bytes) => bytes * access.parts.len() as u64,
        AccessEffect::BulkRead(_) | AccessEffect::BulkWrite(..) => {
            access.parts.iter().map(|part| of_part(part.values.get(1))).sum()
        }
        _ => 0,
    }
}
