// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cache entry of the item that is queued. For an operation, this is the entry of its object; for a time-out or a step of
//! the walk, the entry in its payload.
//!
//! *Reads:* the source that is taken; the object of the operation; the entries of the time-out and of the step of the walk.
//! *Writes:* in the same cycle the entry. *Latency:* 0, no state. Implements *Entries* of `docs/contract/mbarrier.md`.

use super::payloads::Sources;
use crate::prelude::*;
use crate::unit::mbarrier::index_hash::IndexHash;
use crate::unit::mbarrier::item::Lookup;

/// Sizes: CTA slot numbers of `LC` bits, cache entry numbers of `XI` bits.
#[block]
pub struct EntryLookup<LC, XI> {
    /// The source whose offer is taken.
    pub take: Signal<In, Sources>,
    /// CTA slot of the operation's object.
    pub cta: Signal<In, Bits<LC>>,
    /// The lowest bits of the word number of the object, as many as an entry number has.
    pub object_low: Signal<In, Bits<XI>>,
    /// The bits of the word number directly above those of `object_low`, as many as an entry number has.
    pub object_high: Signal<In, Bits<XI>>,
    /// The operation is an Init.
    pub is_init: Signal<In, Bit>,
    /// Entry of the step of the walk.
    pub walk_entry: Signal<In, Bits<XI>>,
    /// Entry of the time-out.
    pub time_out_entry: Signal<In, Bits<XI>>,
    /// The cache entry of the item.
    pub lookup: Signal<Out, Lookup<XI>>,
    index_hash: IndexHash<LC, XI>,
}

#[block]
impl Logic for EntryLookup {
    fn update(&mut self) {
        let take = self.take.val();
        self.index_hash.object_high.next = self.object_high.val();
        self.index_hash.cta.next = self.cta.val();
        self.lookup.next.entry = self.object_low.val() ^ self.index_hash.hash.val();
        self.lookup.next.init = take.op & self.is_init.val();
        if take.walk_step {
            self.lookup.next.entry = self.walk_entry.val();
        }
        if take.time_out {
            self.lookup.next.entry = self.time_out_entry.val();
        }
        // The object of a remote operation is not in this cache: the item of its result reads entry 0, and leaves it unchanged.
        if take.remote_result {
            self.lookup.next.entry = 0.into();
        }
    }
}
