// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Users of a unit that keep its contract: random legal programs, and checks of what the unit does for them.
//!
//! Lockstep compares two readings of the same pages; a user here compares the unit with what its user may expect. Its inputs never break a
//! promise, so every fault, every lost wake-up and every early release is a failure of the unit (or of its pages).

mod bcu;
pub mod catalog;
mod run;
mod units;
pub mod user;

pub use run::{campaign, recording, LegalError, EPISODE};
