// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A small machine around the barrier unit: executes warp programs on any device with the ports of `bcu` and reports the result.
//!
//! [`run`] takes a device, its configuration, a [`Machine`] description and programs, and returns a [`Report`]. Same input, same report.

mod assume;
mod blocks;
pub mod check;
mod constraints;
mod cycle;
mod dependents;
mod describe;
mod execute;
pub mod exploration;
pub mod explore;
mod extent;
mod fits;
mod gateway;
mod gpu;
mod grant;
mod grids;
mod hang;
mod hang_check;
mod idle;
mod interrupt;
pub mod issued;
mod lookahead;
mod memory;
pub mod moments;
mod object_waits;
mod patience;
mod peers;
pub mod plan;
mod play;
pub mod priorities;
mod race;
mod record;
pub mod recorded;
mod reference;
mod refused;
pub mod report;
mod run;
mod run_error;
mod schedule;
pub mod schedule_file;
#[cfg(test)]
mod schema;
pub mod sentence;
mod session;
mod sm;
mod spin_waits;
pub mod text;
pub mod timeline;
pub mod trace;
pub mod trace_events;
mod uncore;
mod unit;
mod unknown_values;
pub mod view;
mod waits;
mod warp;
pub mod window;
mod wires;

pub use assume::{AssumedGuard, Assumption};
pub use cycle::{Cycle, Observer, WarpIdentity};
pub use describe::{ClusterSize, Cta, FaultPolicy, Fill, Latency, LeaderPolicy, Machine, Multiprocessors};
pub use execute::Stopped;
pub use extent::unit;
pub use interrupt::{interrupt, is_interrupted};
pub use reference::Contradiction;
pub use refused::{ImpossibleFault, NO_PROGRAM};
pub use report::arrival::{ArrivalForm, Reduction};
pub use report::{Report, Verdict};
pub use run::{run, run_with};
pub use run_error::RunError;
pub use schedule::Policy;
pub use session::{Ended, Session};
pub use wires::MissingPort;
