// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of units.

/// Passes every unit, as `name Type,`, to the macro `$column`: the parts in pipeline order, then the whole unit, then `gpu` with several
/// whole units. From this list a crate generates its *column*: one item for each unit, such as its model, its stimulus or its coverage. A
/// crate that lacks a unit of the list therefore does not compile. The type of a unit has one name in all crates.
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

        /// A unit as a type, so that a misspelt name does not compile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum UnitName {
            $($Type,)*
        }

        impl UnitName {
            /// The unit with this name from [`UNITS`].
            pub fn from_name(name: &str) -> Option<UnitName> {
                match name {
                    $(stringify!($unit) => Some(UnitName::$Type),)*
                    _ => None,
                }
            }
        }
    };
}

for_each_unit!(names);

/// The name of the whole unit: one multiprocessor.
pub const WHOLE: &str = "bcu";
/// The name of the unit of several multiprocessors with their hubs.
pub const SEVERAL: &str = "gpu";

/// The names of all units but `bcu`: its parts, the hubs and `gpu`. Each can be exported
/// separately.
pub fn parts() -> impl Iterator<Item = &'static str> {
    UNITS.into_iter().filter(|unit| *unit != WHOLE)
}
