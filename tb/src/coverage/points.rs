// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Coverage points as types: the points of a unit are the variants of an enum, so a point that is counted and not listed does not compile.
//! A variant's doc comment is its meaning, and its fields are the terms of its name.
//!
//! ```ignore
//! points! {
//!     pub enum Point {
//!         /// An operation has this effect on a warp in this state.
//!         Effect(warp: WarpState, effect: Effect) = "{warp}: {effect}",
//!         /// A Release ends several warps.
//!         SeveralWarpsLeave = "several warps leave",
//!     }
//! }
//! ```

use bcu_isa::config::Config;
use bcu_isa::units::UNITS;
use bcu_model::sizes::SizeError;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// Why a table cannot be created or filled.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    #[error("no coverage for unit `{0}`; there is one for {units}", units = UNITS.join(", "))]
    UnknownUnit(String),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error("the recording has no port `{0}`, which the coverage of this unit reads")]
    MissingPort(&'static str),
}

/// Why the points of mbarriers are unreachable.
pub const NO_MBARRIERS: &str = "the configuration has no mbarriers";

pub const NO_NAMED: &str = "the configuration has no `named`";

pub const NO_GATEWAY: &str = "the configuration has no gateway";

/// Why a point with a CTA slot number that is not built is unreachable.
const EVERY_SLOT: &str = "every slot number is built";

/// Whether runs of a configuration can reach a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Reachable,
    /// No run can reach the point, for this reason.
    Unreachable(&'static str),
    /// The configuration does not have the point.
    Absent,
}

impl Reach {
    /// Unreachable for `reason` if there is one.
    pub fn unless(reason: Option<&'static str>) -> Reach {
        reason.map_or(Reach::Reachable, Reach::Unreachable)
    }

    /// The reach of a point that needs a CTA slot number that is not built.
    pub fn of_unbuilt_slot(config: &Config) -> Reach {
        // A slot number has at least one bit, so with a single CTA slot the number 1 is not built.
        let every = config.cta_slots > 1 && config.cta_slots.is_power_of_two();
        Reach::unless(every.then_some(EVERY_SLOT))
    }
}

/// A term in the name of a point: a finite set of values, each with a text.
pub trait Term: Copy + 'static {
    fn all() -> Vec<Self>;
    fn text(self) -> String;
}

/// The points of a unit, or of a part of a unit.
pub trait PointSet: Copy + 'static {
    fn all() -> Vec<Self>;
    /// The name, unique within the unit.
    fn name(self) -> String;
    /// The event that the point counts, in one sentence.
    fn meaning(self) -> &'static str;
}

/// Declares an enum of points; see the head of the file.
macro_rules! points {
    (@all $all:ident, $point:expr) => { $all.push($point); };
    (@all $all:ident, $point:expr, $part:ident: $Part:ty) => {
        $all.extend(<$Part as $crate::coverage::points::Term>::all().into_iter().map($point));
    };
    (@all $all:ident, $point:expr, $a:ident: $A:ty, $b:ident: $B:ty) => {
        for $a in <$A as $crate::coverage::points::Term>::all() {
            $all.extend(<$B as $crate::coverage::points::Term>::all().into_iter().map(|$b| $point($a, $b)));
        }
    };
    (@all $all:ident, $point:expr, $a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty) => {
        for $a in <$A as $crate::coverage::points::Term>::all() {
            for $b in <$B as $crate::coverage::points::Term>::all() {
                $all.extend(<$C as $crate::coverage::points::Term>::all().into_iter().map(|$c| $point($a, $b, $c)));
            }
        }
    };
    ($(#[$attr:meta])* $vis:vis enum $Points:ident {
        $( $(#[doc = $meaning:literal])+ $Point:ident $( ( $($part:ident: $Part:ty),+ ) )? = $name:literal ),+ $(,)?
    }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Points {
            $( $(#[doc = $meaning])+ $Point $( ( $($Part),+ ) )? ),+
        }

        impl $crate::coverage::points::PointSet for $Points {
            fn all() -> Vec<Self> {
                let mut all = vec![];
                $( points!(@all all, $Points::$Point $(, $($part: $Part),+)?); )+
                all
            }

            fn name(self) -> String {
                match self {
                    $( Self::$Point $( ( $($part),+ ) )? => {
                        $( $( let $part = $crate::coverage::points::Term::text($part); )+ )?
                        format!($name)
                    } ),+
                }
            }

            fn meaning(self) -> &'static str {
                match self {
                    $( Self::$Point $( ( $(points!(@any $part)),+ ) )? => concat!($($meaning),+).trim_start() ),+
                }
            }
        }
    };
    (@any $part:ident) => { _ };
}
pub(super) use points;

/// Declares an enum whose variants are the point sets of the parts of a unit.
macro_rules! joined_points {
    ($(#[$attr:meta])* $vis:vis enum $Points:ident { $( $Part:ident($Set:ty) ),+ $(,)? }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Points { $( $Part($Set) ),+ }

        impl $crate::coverage::points::PointSet for $Points {
            fn all() -> Vec<Self> {
                let mut all = vec![];
                $( all.extend(<$Set as $crate::coverage::points::PointSet>::all().into_iter().map($Points::$Part)); )+
                all
            }

            fn name(self) -> String {
                match self { $( Self::$Part(point) => point.name() ),+ }
            }

            fn meaning(self) -> &'static str {
                match self { $( Self::$Part(point) => point.meaning() ),+ }
            }
        }
    };
}
pub(super) use joined_points;

/// Declares an enum that is a [`Term`], with the text of each value.
macro_rules! term {
    ($(#[$attr:meta])* $vis:vis enum $Term:ident { $( $Value:ident = $text:literal ),+ $(,)? }) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Term { $( $Value ),+ }

        impl $crate::coverage::points::Term for $Term {
            fn all() -> Vec<Self> {
                vec![$( $Term::$Value ),+]
            }

            fn text(self) -> String {
                match self { $( Self::$Value => $text ),+ }.to_string()
            }
        }
    };
}
pub(super) use term;

/// How often points of the set `P` were reached, by name.
#[derive(Clone, Debug)]
pub struct Points<P> {
    hits: BTreeMap<String, u64>,
    set: PhantomData<P>,
}

impl<P> Default for Points<P> {
    fn default() -> Self {
        Points { hits: BTreeMap::new(), set: PhantomData }
    }
}

impl<P: PointSet> Points<P> {
    /// Counts a point.
    pub(super) fn cover(&mut self, point: P) {
        *self.hits.entry(point.name()).or_insert(0) += 1;
    }

    /// Counts a point if its event has happened.
    pub(super) fn cover_if(&mut self, happened: bool, point: P) {
        if happened {
            self.cover(point);
        }
    }

    /// Adds the points of a part of the unit, whose set is a variant of `P`.
    pub(super) fn add<Q: PointSet>(&mut self, part: Points<Q>) {
        for (name, hits) in part.hits {
            *self.hits.entry(name).or_insert(0) += hits;
        }
    }

    /// The counts by the names of points.
    pub(super) fn into_hits(self) -> BTreeMap<String, u64> {
        self.hits
    }
}
