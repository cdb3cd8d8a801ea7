// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random stimulus for every unit, one seed at a time.
//!
//! A generator is reactive: it reads the outputs of the previous cycle, keeps the channel rules (an offer holds until it is taken)
//! and tracks an abstract state of the resident CTAs, so that most operations are sensible and deep states are reached. Its
//! behaviour is drawn per seed ([`swarm`]): some seeds never exit a warp, some never stall a sink, some violate every assumption.
//! The same seed gives the same run on every host.

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
pub(crate) use lanes::{OF_CLUSTERS, OF_GRIDS};
pub use rng::Rng;
use shape::Shape;

/// Drives the inputs of one unit.
pub trait Stimulus {
    /// The inputs of the next cycle, one value per input port in port order. `previous` holds the outputs of the previous cycle, in
    /// port order; the first call, whose inputs are a reset, ignores it.
    fn next(&mut self, previous: &[u64]) -> &[u64];
}

macro_rules! generators {
    ($($unit:ident $Unit:ident,)*) => {
        $(mod $unit;)*

        /// The generator for a unit of the given port list and sizes.
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
