// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random stimulus for every unit, one seed at a time.
//!
//! A generator is reactive: it reads the outputs of the previous cycle and keeps the channel rules (an offer holds until its transfer). It
//! also tracks an abstract state of the resident CTAs, so that most operations are legal and deep states are reached. The behaviour is
//! drawn for each seed ([`swarm`]): in some seeds no warp exits, in some no sink stalls, in some promises are broken. The same seed gives
//! the same run on every host.

mod abstract_state;
mod answer;
mod choose;
mod copies;
mod cta;
mod driver;
pub mod error;
mod grid_host;
mod hubs;
mod lane_moves;
mod lanes;
mod launcher;
mod memory;
mod multiprocessor;
mod network;
mod objects;
mod outside;
mod rng;
pub mod shape;
mod shared_memory;
pub(crate) mod signals;
mod state_word;
pub(crate) mod swarm;
mod switch;
mod transaction;
pub(crate) mod word;

use bcu_isa::ports::Port;
use error::StimulusError;
pub use rng::Rng;
use shape::Shape;

/// Drives the inputs of one unit.
pub trait Stimulus {
    /// Returns the inputs of the next cycle, one value per input port in port order. `previous` holds the outputs of the previous cycle, in
    /// port order. The first call returns a reset and ignores `previous`.
    fn next(&mut self, previous: &[u64]) -> &[u64];
}

macro_rules! generators {
    ($($unit:ident $Unit:ident,)*) => {
        $(mod $unit;)*

        /// Creates the generator for a unit with these ports and sizes.
        pub fn for_unit(unit: &str, ports: &[Port], shape: Shape, seed: u64) -> Result<Box<dyn Stimulus>, StimulusError> {
            let driver = driver::Driver::new(ports, seed, unit, shape);
            Ok(match unit {
                $(stringify!($unit) => Box::new($unit::$Unit::new(driver, shape)?),)*
                _ => return Err(StimulusError::UnknownUnit(unit.to_string())),
            })
        }
    };
}

bcu_isa::for_each_unit!(generators);
