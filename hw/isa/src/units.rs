// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of units.

/// What every unit must have in a crate, its *column*, is made from this list, so that a unit without it does not compile: gives the macro
/// `$column` every unit, `name Type,` each: the parts in the order of the data's way, then the whole, then several of it. The type has the same
/// name wherever a unit has one: block, model, stimulus.
#[macro_export]
macro_rules! for_each_unit {
    ($column:ident) => {
        $column! {
            cta_table CtaTable,
            decode Decode,
            gather Gather,
            mem_order MemOrder,
            named Named,
            gateway Gateway,
            mbarrier Mbarrier,
            cluster Cluster,
            grid Grid,
            warp_status WarpStatus,
            deadlock_detector DeadlockDetector,
            cluster_hub ClusterHub,
            grid_hub GridHub,
            bcu Bcu,
            gpu Gpu,
        }
    };
}

macro_rules! names {
    ($($unit:ident $Type:ident,)*) => {
        /// The names of all units, as in `bcu_<name>`.
        pub const UNITS: [&str; [$(stringify!($unit)),*].len()] = [$(stringify!($unit)),*];

        /// A unit, where a name that is misspelt must not compile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum UnitName {
            $($Type,)*
        }

        impl UnitName {
            /// The unit of a name of [`UNITS`].
            pub fn of(name: &str) -> Option<UnitName> {
                match name {
                    $(stringify!($unit) => Some(UnitName::$Type),)*
                    _ => None,
                }
            }
        }
    };
}

for_each_unit!(names);

/// The name of the whole unit.
pub const WHOLE: &str = "bcu";
/// Several of it with their hubs.
pub const SEVERAL: &str = "gpu";

/// The names of its parts, which are exported alone as well.
pub fn parts() -> impl Iterator<Item = &'static str> {
    UNITS.into_iter().filter(|unit| *unit != WHOLE)
}
