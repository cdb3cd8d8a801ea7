// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Legal users of the single units; the legal user of `bcu` is in [`super::bcu`].

mod base;
mod cluster;
mod cluster_hub;
mod cta_table;
mod deadlock_detector;
mod decode;
mod gateway;
mod gather;
mod grid;
mod grid_hub;
mod ledger;
mod mbarrier;
mod mem_order;
mod named;
mod pins;
mod residents;
mod restarts;
mod warp_status;

use super::user::LegalUser;
use crate::lockstep::units::shape;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::NoPort;
use restarts::Restarting;

macro_rules! users {
    ($($unit:ident $User:ident,)*) => {
        /// The units that have a legal user.
        pub const UNITS: &[&str] = &[$(stringify!($unit)),*];

        /// Creates the legal user of a single unit; `None` if there is no user for this name.
        ///
        /// # Errors
        /// If the unit lacks a port that its user needs.
        pub fn for_unit(unit: &str, ports: &[Port], config: &Config, seed: u64) -> Result<Option<Box<dyn LegalUser>>, NoPort> {
            Ok(Some(match unit {
                $(stringify!($unit) => {
                    let (ports, config) = (ports.to_vec(), config.clone());
                    let make = move |seed| -> Result<Box<dyn LegalUser>, NoPort> {
                        Ok(Box::new($unit::$User::new(&ports, &config, shape(&config), seed)?))
                    };
                    Box::new(Restarting::new(make, seed)?)
                })*
                _ => return Ok(None),
            }))
        }
    };
}

users! {
    cluster ClusterUser,
    cluster_hub ClusterHubUser,
    cta_table CtaTableUser,
    deadlock_detector DeadlockDetectorUser,
    decode DecodeUser,
    gather GatherUser,
    grid GridUser,
    grid_hub GridHubUser,
    gateway Gateway,
    mbarrier Mbarrier,
    mem_order MemOrder,
    named Named,
    warp_status WarpStatusUser,
}
