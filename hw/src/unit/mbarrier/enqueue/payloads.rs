// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads between the blocks of [`enqueue`](super): the sources of items, the numbers of an operation, and the fields of an operation
//! that its item copies.

use crate::prelude::*;

/// The sources of the item queue, one bit for each.
#[payload]
pub struct Sources {
    /// The channel `op`: operations of warps.
    pub op: Bit,
    /// The channel `tx`: arrivals and bytes of copy engines and tensor units.
    pub tx: Bit,
    /// The channel `net_in`: operations of other CTAs of the cluster.
    pub net: Bit,
    /// Time-outs of suspended warps.
    pub time_out: Bit,
    /// Results of remote operations.
    pub remote_result: Bit,
    /// Faults of remote operations whose target CTA was absent.
    pub absent_target: Bit,
    /// Steps of the walk over the entries of a leaving CTA.
    pub walk_step: Bit,
}

/// The numbers of an operation.
#[payload]
pub struct Numbers {
    /// Number of arrivals.
    pub count: Bits<20>,
    /// Number of bytes.
    pub bytes: Bits<21>,
}

/// The fields of an operation from `op` that are copied into its item. Sizes: warp numbers of `LW` bits, tick counts of `XL` bits.
#[payload]
pub struct OpContext<LW, XL> {
    /// Warp that executes the operation.
    pub warp: Bits<LW>,
    /// Shared address of the object.
    pub address: Bits<32>,
    /// Waits: parity of the phase to test.
    pub phase: Bit,
    /// TryWait: maximum number of ticks to wait; 0 = no hint.
    pub hint: Bits<XL>,
    /// The destination of the result.
    pub destination: Destination,
}
