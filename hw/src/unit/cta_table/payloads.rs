// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that travel between the blocks of `cta_table`.

use crate::prelude::*;

/// The state of the warp that was read in the cycle before, and its part in the walk.
#[payload]
pub struct ReadWarp {
    /// The read was a step of the walk of a retirement.
    pub of_retire: Bit,
    /// The read was a step of the walk of a launch.
    pub of_launch: Bit,
    /// The warp slot belongs to a CTA.
    pub used: Bit,
    /// The launch names the warp.
    pub in_launch: Bit,
    /// The launch names the warp, and the warp has not exited already: it becomes live.
    pub starts_live: Bit,
}

/// A Launch to be offered as an operation.
#[payload]
pub struct LaunchOp<LC, L> {
    pub fault: FaultCode,
    pub cta: Bits<LC>,
    /// The live lanes of the last warp.
    pub lanes: Bits<L>,
}

/// A Release to be offered as an operation.
#[payload]
pub struct ReleaseOp<LC> {
    pub fault: FaultCode,
    pub cta: Bits<LC>,
}
