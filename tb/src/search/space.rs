// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of a state space and its transitions.

use std::fmt::Debug;
use std::hash::Hash;

/// A possible cycle of a multiprocessor, and its result.
pub struct Cycle<S: Space> {
    pub act: S::Act,
    pub next: S::Sm,
    /// The message that the multiprocessor's link delivers to the hub in this cycle.
    pub up: Option<S::Up>,
}

/// The part of a global state that the rules read.
pub struct View<'a, S: Space> {
    pub sms: [&'a S::SmSeen; 2],
    pub hub: &'a S::HubSeen,
    pub env: S::Env,
}

/// Two multiprocessors with their links and warps, a hub, and an environment.
pub trait Space: Sized {
    /// A multiprocessor: the unit, its links, its warps and CTAs.
    type Sm: Clone + Eq + Hash;
    /// The parts of a multiprocessor's state and of the hub's state that the rules read.
    type SmSeen;
    type Hub: Clone + Eq + Hash;
    type HubSeen;
    /// The state of host and scheduler.
    type Env: Copy + Eq + Hash;
    type Up: Copy + Eq + Hash;
    type Down: Copy + Eq + Hash;
    /// The actions of the environment in a cycle: `Act` at a multiprocessor, including whether a link passes a message; `Host` at the hub.
    type Act: Copy + Debug + PartialEq;
    type Host: Copy + Debug + Eq + Hash;
    /// The names of the events that must occur within a bounded number of cycles.
    const DUES: &'static [&'static str];

    fn start(&self) -> (Self::Sm, Self::Hub, Self::Env);
    fn see_sm(&self, sm: &Self::Sm) -> Self::SmSeen;
    fn see_hub(&self, hub: &Self::Hub) -> Self::HubSeen;
    /// The message that the hub sends on the link to a multiprocessor in this cycle.
    fn message_to(&self, hub: &Self::HubSeen, sm: usize) -> Option<Self::Down>;
    /// All possible cycles of a multiprocessor that receives `hub_message`.
    fn cycles(&self, sm: &Self::Sm, hub_message: Option<Self::Down>) -> Vec<Cycle<Self>>;
    fn serve(&self, hub: &Self::Hub, from: [Option<Self::Up>; 2], host: &Self::Host) -> Self::Hub;
    /// All possible actions at the hub. The first in the list is calm: it has no optional action.
    fn hosts(&self, hub: &Self::HubSeen, env: Self::Env) -> Vec<Self::Host>;
    /// Whether `act` is calm: it has no optional action, and in it the links pass their messages.
    fn is_calm(&self, act: &Self::Act) -> bool;
    /// The environment's state after this cycle; `None` if the actions break a promise.
    fn permit(&self, view: &View<Self>, acts: [&Self::Act; 2], host: &Self::Host) -> Option<Self::Env>;
    /// The rule that the state violates, if any.
    fn broken(&self, view: &View<Self>) -> Option<&'static str>;
    /// The events that must occur within a bounded number of cycles from this state on, one bit for each index of `DUES`.
    fn due(&self, view: &View<Self>) -> u8;
}
