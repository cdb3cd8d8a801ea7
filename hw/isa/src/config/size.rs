// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The size of a configuration: the numbers that parameterise its circuits, each with its width in bits.

use super::Config;

/// The parameters that units are compiled for. Configurations of one size differ only in constants and absent parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub warps: usize,
    pub lanes: usize,
    pub cta_slots: usize,
    /// Barriers of a CTA, of `named` or of the gateway.
    pub ids: usize,
    /// Bits of an access count.
    pub outstanding_bits: usize,
    pub accesses_per_cycle: usize,
    /// Bits of the index of an 8-byte word in shared memory.
    pub word_bits: usize,
    /// Bits of the index of a cached object.
    pub entry_bits: usize,
    /// Bits of a tick count.
    pub limit_bits: usize,
    /// Bits of the number of a cluster slot.
    pub cluster_bits: usize,
    /// Bits of the number of a grid slot.
    pub grid_bits: usize,
    pub sms: usize,
}

/// Minimum width in bits of a sum over all lanes. `named` stores the result of a reduction in as many bits. For AND, OR and *no result*,
/// it encodes the kind in the two highest bits and in bits 2 and 1. These four bits must be distinct.
const LEAST_SUM_BITS: usize = 5;

/// Bits of an index into `n` items, at least 1: rust-hdl has no zero-width signal.
pub fn index_bits(n: usize) -> usize {
    (n.max(2) - 1).ilog2() as usize + 1
}

impl Size {
    pub fn from_config(config: &Config) -> Size {
        let (warp_bits, slot_bits) = (warp_bits(config.warps), index_bits(config.cta_slots));
        let word_bits = index_bits(config.smem_bytes / 8);
        Size {
            warps: config.warps,
            lanes: config.lanes,
            cta_slots: config.cta_slots,
            ids: config.ids(),
            outstanding_bits: index_bits(config.max_outstanding + 1),
            accesses_per_cycle: config.accesses_per_cycle,
            word_bits,
            entry_bits: if config.has_mbarrier() {
                index_bits(config.mbarrier_objects)
            } else {
                warp_bits.max(slot_bits).min(word_bits)
            },
            limit_bits: config.limit_bits,
            cluster_bits: index_bits(config.cluster_slots),
            grid_bits: index_bits(config.grid_slots),
            sms: config.sms.max(1),
        }
    }

    /// Whether hardware that is compiled for this size can implement the configuration. Sizes of parts that the configuration lacks are
    /// ignored.
    pub fn serves(&self, config: &Config) -> bool {
        let mut wanted = Size::from_config(config);
        if !config.has_mbarrier() {
            wanted.entry_bits = self.entry_bits;
        }
        if config.sms == 0 {
            wanted.sms = self.sms;
        }
        *self == wanted
    }

    /// The sizes that serve these configurations, without duplicates.
    pub fn that_serve(configs: &[Config]) -> Vec<Size> {
        let mut sizes: Vec<Size> = vec![];
        // Configurations with all parts come first: their sizes also serve configurations that lack some parts.
        let mut order: Vec<&Config> = configs.iter().collect();
        order.sort_by_key(|config| (!config.has_mbarrier(), config.sms == 0));
        for config in order {
            if !sizes.iter().any(|size| size.serves(config)) {
                sizes.push(Size::from_config(config));
            }
        }
        sizes
    }

    /// The parameters of blocks, each under its name in `hw/src/unit`.
    pub fn parameters(&self) -> Vec<(&'static str, usize)> {
        let (warp_bits, slot_bits, id_bits) = (warp_bits(self.warps), index_bits(self.cta_slots), index_bits(self.ids));
        let lane_bits = if self.lanes > 1 { index_bits(self.lanes) } else { 0 };
        vec![
            // Warps.
            ("W", self.warps),
            // Bits of a warp number.
            ("LW", warp_bits),
            // Bits of a warp count.
            ("CW", warp_bits + 1),
            // Bits of the number of a CTA slot.
            ("LC", slot_bits),
            // CTA slots.
            ("S", self.cta_slots),
            // Bits of a barrier id.
            ("LI", id_bits),
            // Bits of the number of a row: the number of a CTA slot and a barrier id.
            ("RA", slot_bits + id_bits),
            // Bits of a count of barrier ids.
            ("IW", id_bits + 1),
            // Bits of a sum over all lanes of all warps.
            ("AW", (index_bits(self.warps * self.lanes) + 1).max(LEAST_SUM_BITS)),
            // Bits of a number of lanes.
            ("VW", (lane_bits + 1).max(3)),
            // Lanes.
            ("L", self.lanes),
            // Lanes, rounded up to a multiple of four.
            ("LP", self.lanes.next_multiple_of(4)),
            // Bits of a field of `decode` that holds 32 bits of data or one bit for each lane.
            ("LD", self.lanes.max(32)),
            // Bits of the address of a parked operation in `mem_order`.
            ("PW", warp_bits + 2),
            // Bits of an access count.
            ("OB", self.outstanding_bits),
            // Accesses per cycle, each of which has a strobe.
            ("P", self.accesses_per_cycle),
            // Bits of the index of a word in shared memory.
            ("XW", self.word_bits),
            // Bits of an entry number of `mbarrier`.
            ("XI", self.entry_bits),
            // Bits of the tag of an entry.
            ("XT", slot_bits + self.word_bits - self.entry_bits),
            // Bits of a tick count.
            ("XL", self.limit_bits),
            // Bits of an index into the queue of `mbarrier`.
            ("XQ", warp_bits + 2),
            // Bits of the number of a cluster slot.
            ("KC", self.cluster_bits),
            // Cluster slots.
            ("KN", 1 << self.cluster_bits),
            // Bits of the number of a grid slot.
            ("KG", self.grid_bits),
            // Grid slots.
            ("G", 1 << self.grid_bits),
            // Multiprocessors.
            ("M", self.sms),
        ]
    }
}

/// Bits of a warp number, at least 2: some blocks process warps in groups of four.
pub fn warp_bits(warps: usize) -> usize {
    index_bits(warps).max(2)
}
