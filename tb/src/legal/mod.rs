// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Legal users: environments of a unit that keep its contract. They drive random legal programs and check the unit's responses.
//!
//! Lockstep compares two implementations of the same contract pages. A legal user compares the unit with the guarantees of these pages. The
//! user's inputs never break a promise, so every fault, lost wake-up or early release is an error of the unit or of its pages.

mod bcu;
pub mod catalog;
mod run;
mod units;
pub mod user;

pub use run::{campaign, recording, LegalError, EPISODE};
