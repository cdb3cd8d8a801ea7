// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A space of states, and a step from one to the next.

use std::fmt::Debug;
use std::hash::Hash;

/// What may happen in a cycle of a multiprocessor, and what comes of it.
pub struct Cycle<S: Space> {
    pub act: S::Act,
    pub next: S::Sm,
    /// What its link gives to the hub in this cycle.
    pub up: Option<S::Up>,
}

/// A state of all, as far as its rules look at it.
pub struct View<'a, S: Space> {
    pub sms: [&'a S::SmSeen; 2],
    pub hub: &'a S::HubSeen,
    pub env: S::Env,
}

/// Two multiprocessors with their links and warps, a hub, and an environment.
pub trait Space: Sized {
    /// A multiprocessor: the unit, its links, its warps and CTAs.
    type Sm: Clone + Eq + Hash;
    /// What rules look at in it, and in the hub.
    type SmSeen;
    type Hub: Clone + Eq + Hash;
    type HubSeen;
    /// What host and scheduler know.
    type Env: Copy + Eq + Hash;
    type Up: Copy + Eq + Hash;
    type Down: Copy + Eq + Hash;
    /// What the environment does at a multiprocessor in a cycle, and at the hub; whether a link passes is a part of it.
    type Act: Copy + Debug + PartialEq;
    type Host: Copy + Debug + Eq + Hash;
    /// Names of what must come in a bounded time.
    const DUES: &'static [&'static str];

    fn start(&self) -> (Self::Sm, Self::Hub, Self::Env);
    fn see_sm(&self, sm: &Self::Sm) -> Self::SmSeen;
    fn see_hub(&self, hub: &Self::Hub) -> Self::HubSeen;
    /// What the hub gives to the link of a multiprocessor in this cycle.
    fn told(&self, hub: &Self::HubSeen, sm: usize) -> Option<Self::Down>;
    /// All that may happen in a cycle of a multiprocessor.
    fn cycles(&self, sm: &Self::Sm, told: Option<Self::Down>) -> Vec<Cycle<Self>>;
    fn serve(&self, hub: &Self::Hub, from: [Option<Self::Up>; 2], host: &Self::Host) -> Self::Hub;
    /// All that may happen at the hub, first that in which nobody does more than he has to.
    fn hosts(&self, hub: &Self::HubSeen, env: Self::Env) -> Vec<Self::Host>;
    /// Links pass and nobody does more than he has to.
    fn is_calm(&self, act: &Self::Act) -> bool;
    /// What the environment knows behind this cycle; `None` if it breaks a promise.
    fn permit(&self, view: &View<Self>, acts: [&Self::Act; 2], host: &Self::Host) -> Option<Self::Env>;
    /// A rule that a state breaks.
    fn broken(&self, view: &View<Self>) -> Option<&'static str>;
    /// What must come in a bounded time from here on: bits of `DUES`.
    fn due(&self, view: &View<Self>) -> u8;
}
