// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random stimulus for every unit, one seed at a time.
//!
//! A generator is reactive: it sees the outputs of the cycle before, keeps the channel rules (an offer holds until it is
//! taken) and an abstract state of who is in which CTA, so that most operations make sense and deep states are reached. What
//! it does at all is drawn per seed ([`swarm`]): some seeds never exit a warp, some never stall a sink, some break every
//! promise. The same seed gives the same run on every host.

mod abstract_state;
mod answer;
mod choose;
mod copies;
mod cta;
mod driver;
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
mod shared_memory;
pub(crate) mod signals;
mod state_word;
pub(crate) mod swarm;
mod switch;
mod transaction;
pub(crate) mod word;

use bcu_isa::op::OpKind;
use bcu_isa::ports::Port;
use bcu_isa::units::UNITS;
use bcu_model::dut::NoPort;
pub(crate) use lanes::{OF_CLUSTERS, OF_GRIDS};
pub use rng::Rng;

/// Drives the inputs of one unit.
pub trait Stimulus {
    /// The inputs of the next cycle, one value per input port in port order. `previous` holds the outputs of the cycle
    /// before, in port order; in the first call, whose inputs are a reset, it is not looked at.
    fn next(&mut self, previous: &[u64]) -> &[u64];
}

/// The sizes of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Lanes of a warp.
    pub lanes: u64,
    /// Warps, at most 64.
    pub warps: u64,
    /// CTA slots.
    pub slots: u64,
    /// Barriers built per CTA, at most 16.
    pub barriers: u64,
    /// Barriers of Intel's gateway built per CTA, at most 32; 0: none.
    pub gateway_ids: u64,
    /// The lowest bit of the count in a packed register.
    pub pack_lsb: u64,
    /// Memory accesses that may be issued, and performed, in a cycle.
    pub accesses_per_cycle: u64,
    /// Words of a CTA's shared memory.
    pub words: u64,
    /// Bits of the number of ticks that a warp may wait at an mbarrier.
    pub limit_bits: u64,
    /// CTAs of a cluster at most; 0 or 1: none.
    pub cluster_size: u64,
    /// Clusters that can be named.
    pub cluster_slots: u64,
    /// Grids that can be named; 0: none.
    pub grids: u64,
    /// Multiprocessors that hubs serve.
    pub sms: u64,
    /// CTAs can be of grids.
    pub has_grids: bool,
    /// There are mbarriers.
    pub mbarriers: bool,
}

impl Shape {
    /// Barriers of either kind built per CTA.
    fn ids(&self) -> u64 {
        self.barriers.max(self.gateway_ids)
    }

    /// Whether mbarriers of other CTAs can be reached.
    fn has_network(&self) -> bool {
        self.mbarriers && self.has_clusters()
    }

    /// Whether CTAs form clusters.
    fn has_clusters(&self) -> bool {
        self.cluster_size > 1
    }

    /// Whether operations of this kind come to the units of barriers.
    fn has_kind(&self, kind: OpKind) -> bool {
        self.mbarriers || kind != OpKind::Mbarrier
    }

    /// Any kind of operation that comes.
    fn any_kind(&self, rng: &mut Rng) -> OpKind {
        let kinds: Vec<_> = OpKind::ALL.iter().copied().filter(|kind| self.has_kind(*kind)).collect();
        rng.pick(&kinds).unwrap_or(OpKind::Arrive)
    }

    /// Every warp.
    fn all(&self) -> u64 {
        u64::MAX >> (64 - self.warps.clamp(1, 64))
    }
}

/// Why there is no stimulus for a unit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum StimulusError {
    #[error("no stimulus for unit `{0}`; there is one for {units}", units = UNITS.join(", "))]
    UnknownUnit(String),
    #[error("{0}, which this unit's stimulus needs")]
    NoPort(#[from] NoPort),
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
