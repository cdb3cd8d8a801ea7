// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The activity of every warp, mbarrier and copy over time, as intervals instead of cycles.

mod awaits;
mod copies;
mod intervals;
mod objects;
mod recorder;

pub use copies::CopyInterval;
pub use intervals::{Awaited, ClusterArrival, Interval, PhaseWait, Polled, Row, State, Timeline, MAX_INTERVALS};
pub use objects::{ObjectChange, ObjectRow, Phase};
pub use recorder::Recorder;
