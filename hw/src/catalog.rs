// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How each unit is made, and the sizes that are compiled in: widths of signals are const generics, so there is a list of sizes, which
//! `build.rs` writes.

use crate::ports::Unit;
use crate::unit::{
    cluster::Cluster, cluster_hub::ClusterHub, cta_table::CtaTable, deadlock_detector::DeadlockDetector, decode::Decode,
    gateway::Gateway, gather::Gather, gpu::Gpu, grid::Grid, grid_hub::GridHub, mbarrier::Mbarrier, mem_order::MemOrder,
    named::Named, top::Bcu, warp_status::WarpStatus,
};
use bcu_isa::config::Config;
use bcu_isa::config::Size;
use bcu_isa::for_each_unit;
use bcu_isa::units::{parts, SEVERAL, WHOLE};
use rust_hdl::prelude::Block;

/// The unit of a configuration that contains all others that are built into something: several multiprocessors where it has them.
pub fn outermost(config: &Config) -> &'static str {
    if config.has(SEVERAL) {
        SEVERAL
    } else {
        WHOLE
    }
}

/// Makes the unit of a name.
type Make = fn(&Config, &str) -> Option<Box<dyn Unit>>;

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// Whether the size of the configuration is compiled in.
pub fn is_compiled(config: &Config) -> bool {
    SIZES.iter().any(|(size, _)| size.serves(config))
}

/// The unit of this name in this configuration, or nothing if there is none; connected and ready to run.
pub fn build(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    let (_, make) = SIZES.iter().find(|(size, _)| size.serves(config))?;
    config.has(unit).then(|| make(config, unit)).flatten()
}

/// The units that a configuration has, the whole one last.
pub fn built(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    parts().filter(|part| config.has(part)).chain([WHOLE])
}

/// The unit of this name in a size: warps, bits of one, of a number of them; bits of a CTA slot, slots; bits of an id, of a row, of a number of ids; of a sum over all
/// lanes of all warps, of a number of lanes; lanes, the same in fours, bits of data or of one for each lane; bits of a place in `mem_order`, of a number of accesses, strobes for accesses; of `mbarrier` bits of the number
/// of a word in shared memory, of an entry, of its tag, of a number of ticks, of a place in its queue; of a cluster slot, and slots, of a grid slot, and slots; multiprocessors.
#[rustfmt::skip]
fn in_size<
    const W: usize, const LW: usize, const CW: usize, const LC: usize, const S: usize, const LI: usize,
    const RA: usize, const IW: usize, const AW: usize, const VW: usize, const L: usize, const LP: usize, const LD: usize, const PW: usize,
    const OB: usize, const P: usize, const XW: usize, const XI: usize, const XT: usize, const XL: usize, const XQ: usize, const KC: usize, const KN: usize, const KG: usize, const G: usize, const M: usize,
>(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    macro_rules! new {
        (cta_table) => { CtaTable::<W, LW, CW, LC, S, L, KC, KG>::new(config) };
        (decode) => { Decode::<W, LW, LC, L, LD>::new(config) };
        (gather) => { Gather::<W, LW, LC, L, LP, VW>::new(config) };
        (mem_order) => { MemOrder::<W, LW, CW, LC, S, VW, PW, OB, P>::new(config) };
        (named) => { Named::<W, LW, CW, LC, S, LI, RA, IW, AW, VW>::new(config) };
        (gateway) => { Gateway::<W, LW, CW, LC, S, LI, RA, IW>::new(config) };
        (mbarrier) => { Mbarrier::<W, LW, CW, LC, S, XW, XI, XT, XL, XQ, KC>::new(config) };
        (cluster) => { Cluster::<W, LW, LC, S, KC>::new(config) };
        (grid) => { Grid::<W, LW, LC, S, KG, G>::new(config) };
        (warp_status) => { WarpStatus::<W>::default() };
        (deadlock_detector) => { DeadlockDetector::<W, LW, LC, S>::default() };
        (cluster_hub) => { ClusterHub::<KC, KN, M>::default() };
        (grid_hub) => { GridHub::<KG, G, M>::default() };
        (bcu) => { Bcu::<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G>::new(config) };
        (gpu) => { Gpu::<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KN, KG, G, M>::new(config) };
    }
    macro_rules! by_name {
        ($($name:ident $Type:ident,)*) => {
            match unit {
                $(stringify!($name) => Some(connected(|| new!($name))),)*
                _ => None,
            }
        };
    }
    for_each_unit!(by_name)
}

/// Each unit is made in a frame of its own: together they would not fit the stack of a thread.
#[inline(never)]
fn connected<U: Unit + Block + 'static>(make: impl FnOnce() -> U) -> Box<dyn Unit> {
    let mut unit = Box::new(make());
    unit.connect_all();
    unit
}
