// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The accesses of a run as the race detector keeps them: one event for each access instruction, or for each part of an asynchronous copy.

use super::clock::Source;
use bcu_program::arith::Type;
use bcu_program::{Atomic, Scope};

/// The proxy by which memory is accessed (PTX, *Proxies*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proxy {
    Generic,
    /// Bulk and tensor copies.
    Async,
    /// The reads of tensor maps by tensor copies.
    TensorMap,
}

/// The strength of an access (PTX, *Morally strong operations*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// The access does not synchronise, and races with every unordered access to its bytes.
    Weak,
    /// Relaxed or stronger, within a scope.
    Strong(Scope),
    /// Volatile, but not a load that waits for a flag: as relaxed with the scope of the system.
    Volatile,
}

impl Strength {
    /// The scope of the access; `None` if it is weak.
    pub(super) fn scope(self) -> Option<Scope> {
        match self {
            Strength::Weak => None,
            Strength::Strong(scope) => Some(scope),
            Strength::Volatile => Some(Scope::System),
        }
    }
}

/// An access instruction of a warp, or a part of an asynchronous copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) source: Source,
    /// The step of the source; [`super::clock::NEVER`] until a copy that signals an mbarrier has completed.
    pub(super) step: u32,
    pub(super) grid: u32,
    pub(super) cta: u32,
    /// The first CTA of the cluster.
    pub(super) cluster: u32,
    pub(super) warp: u32,
    /// The index of the location of the instruction.
    pub(super) place: u32,
    /// How often the warp has executed the instruction, this execution included.
    pub(super) time: u32,
    pub(super) proxy: Proxy,
    pub(super) strength: Strength,
    /// Whether the event is an asynchronous copy. Program order alone does not order a copy before the later accesses of its lane.
    pub(super) is_copy: bool,
    /// For an atomic operation without a result that commutes with others of its kind: operation and type.
    pub(super) commuting: Option<(Atomic, Type)>,
    /// Whether the event is a load of memory to which no thread of the grid may store.
    pub(super) is_read_only: bool,
    /// Whether the event is a plain store, whose values are recorded as far as they are known.
    pub(super) has_values: bool,
}

impl Event {
    /// The smallest scope that includes the threads of both events.
    pub(super) fn common_scope(&self, other: &Event) -> Scope {
        common_scope((self.cta, self.cluster), (other.cta, other.cluster))
    }
}

/// The smallest scope that includes two threads, each given by its CTA and the first CTA of its cluster.
pub(super) fn common_scope(one: (u32, u32), other: (u32, u32)) -> Scope {
    match (one.0 == other.0, one.1 == other.1) {
        (true, _) => Scope::Cta,
        (false, true) => Scope::Cluster,
        (false, false) => Scope::Gpu,
    }
}
