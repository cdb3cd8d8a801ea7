// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What observers of a run read of a multiprocessor: accesses and copies in flight, and open generations.

use super::copy_in_flight::{copied_bytes, CopyInFlight};
use super::requests::{Copied, OFFSET};
use super::Sm;
use crate::memory::{Access, Bank};

impl Sm<'_> {
    /// The accesses that are issued and have not taken effect.
    pub fn accesses_in_flight(&self) -> impl Iterator<Item = &Access> {
        self.pipe.accesses().chain(&self.performing)
    }

    /// The number of copies that were issued so far. Copies are numbered from 1 in the order of their issue.
    pub fn copies_begun(&self) -> u64 {
        self.copying.begun()
    }

    /// Whether a copy has been issued, and is not performed.
    pub fn has_copy_in_flight(&self, copy: u64) -> bool {
        self.copying.contains(copy)
    }

    /// Describes a copy in flight.
    pub fn copy_in_flight(&self, copy: u64) -> CopyInFlight {
        let mut described = CopyInFlight::default();
        for access in self.accesses_in_flight().filter(|access| access.copy == Some(copy)) {
            described.warp = Some(access.warp);
            described.bytes += copied_bytes(access);
            for part in &access.parts {
                if let (Some(signal), Bank::Shared(cta)) = (part.signal, part.to) {
                    described.object.get_or_insert((cta, signal & OFFSET));
                }
            }
        }
        let offered = self.instr.filter(|_| self.offered_copy == Some(copy));
        let deferred = self.objects.deferred.iter().find(|arrival| arrival.copy == copy);
        if let Some(warp) = offered.or(deferred.map(|arrival| arrival.warp)).filter(|_| described.warp.is_none()) {
            let object = deferred.map(|arrival| (arrival.cta, (arrival.object * super::objects::BYTES) as u32));
            described = CopyInFlight { warp: Some(warp), bytes: 0, object, is_arrival: true };
        }
        described
    }

    /// The number of the open generation of a named barrier, or of the open phase at the gateway. Also returns whether warp `warp` has
    /// arrived in it.
    pub fn open_generation(&self, cta: usize, id: u8, warp: usize) -> (usize, bool) {
        let Some(of_cta) = self.record.ctas.get(cta) else { return (1, false) };
        let at = usize::from(id);
        let (completed, has_arrived) = match self.sizes.has_gateway() {
            true => of_cta
                .gateway
                .get(at)
                .map_or((0, false), |row| (row.completed, row.signals.iter().any(|signal| signal.warp == warp))),
            false => of_cta
                .rows
                .get(at)
                .map_or((0, false), |row| (row.completed, row.arrivals.iter().any(|arrival| arrival.warp == warp))),
        };
        (completed + 1, has_arrived)
    }

    /// The copy whose signal to an mbarrier took effect in cycle `cycle`.
    pub fn signalled_in(&self, cycle: u64) -> Option<Copied> {
        self.objects.last_effect.filter(|(at, _)| *at == cycle).map(|(_, copy)| copy)
    }
}
