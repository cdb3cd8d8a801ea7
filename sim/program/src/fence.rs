// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fences and scopes, in the terms of PTX's memory model.

/// The set of threads that a fence or a strong access synchronises with the executing thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Cta,
    Cluster,
    #[default]
    Gpu,
    System,
}

/// The accesses and inits that a fence orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// Earlier accesses of the lane are ordered before its later strong stores, for threads of this scope; `None`: the fence releases
    /// nothing.
    pub releases: Option<Scope>,
    /// Earlier strong loads of the lane are ordered before its later accesses, for threads of this scope; `None`: the fence acquires
    /// nothing.
    pub acquires: Option<Scope>,
    /// The fence also synchronises with each fence of this kind that is ordered after it (PTX, *Fence-SC order*).
    pub is_sc: bool,
    /// Earlier inits of mbarriers are ordered before later relaxed arrivals at the barrier of the cluster.
    pub releases_inits: bool,
    /// Asynchronous copies observe the mbarriers that the warp has initialised before the fence.
    pub shows_inits: bool,
    /// Accesses by the generic proxy that are ordered before the fence are also ordered before asynchronous copies after it. One flag is
    /// for accesses to shared memory, the other for accesses to global memory.
    pub async_proxy: AsyncProxy,
    /// The part of the fence in the order between changes of a tensor map and copies by it.
    pub tensor_maps: MapFence,
}

/// The side of a fence of tensor maps (`fence.proxy.tensormap::generic`): accesses that change a map, a release, an acquire, and the copy
/// by the map are ordered in this sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapFence {
    #[default]
    None,
    Release,
    Acquire,
}

/// The memories for which a fence orders the generic proxy and the asynchronous proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsyncProxy {
    pub shared: bool,
    pub global: bool,
}

impl Fence {
    /// A fence that acquires and releases, within a scope.
    pub fn acquire_release(scope: Scope) -> Fence {
        Fence { releases: Some(scope), acquires: Some(scope), ..Fence::default() }
    }

    /// Whether the fence makes inits of mbarriers visible to other CTAs.
    pub fn releases_to_other_ctas(&self) -> bool {
        self.releases_inits || self.releases.is_some_and(|scope| scope > Scope::Cta)
    }
}
