// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A cycle as an observer sees it: the ports, and the activity of each warp.

use super::memory::Memory;
use super::report::Stop;
use super::sentence::place::short;
use super::sm::Sm;
use super::warp::Warp;
use std::fmt;

/// One cycle of a run, before the machine reacts to it.
pub struct Cycle<'a> {
    /// The number of the cycle; cycle 0 is the reset.
    pub number: u64,
    /// One value per input port, in port order.
    pub inputs: &'a [u64],
    /// One value per output port, in port order.
    pub outputs: &'a [u64],
    pub(super) sms: &'a [Sm<'a>],
    pub(super) memory: &'a Memory,
}

/// What gets the cycles of a run.
pub struct Observer<'o> {
    /// Whether the observer needs every cycle. Otherwise a run on the model may skip cycles in which nothing changes in the machine.
    pub needs_all: bool,
    pub observe: &'o mut dyn FnMut(&Cycle),
}

impl<'o> Observer<'o> {
    /// An observer of every cycle.
    pub fn of_all(observe: &'o mut dyn FnMut(&Cycle)) -> Observer<'o> {
        Observer { needs_all: true, observe }
    }

    /// An observer that need not get the cycles in which nothing changes.
    pub fn of_changes(observe: &'o mut dyn FnMut(&Cycle)) -> Observer<'o> {
        Observer { needs_all: false, observe }
    }
}

/// A warp by its CTA and number; displayed as `cta0.w3 consumer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpIdentity {
    pub cta: usize,
    /// The number of the warp within its CTA.
    pub warp: usize,
    /// The name of the warp's program, if it has one.
    pub role: Option<String>,
}

impl fmt::Display for WarpIdentity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "cta{}.w{}", self.cta, self.warp)?;
        self.role.iter().try_for_each(|role| write!(f, " {role}"))
    }
}

impl WarpIdentity {
    /// Identifies a warp whose program has the name `program`. A program of a single warp has by default the name `warp N`, which only
    /// repeats the number of the warp, so this name is not used as a role.
    pub(crate) fn new(cta: usize, warp: usize, program: &str) -> WarpIdentity {
        WarpIdentity { cta, warp, role: (program != format!("warp {warp}")).then(|| program.to_string()) }
    }
}

impl Cycle<'_> {
    /// The warp in warp slot `slot`. The numbers of the warp slots continue from one multiprocessor to the next.
    pub(super) fn owner(&self, slot: usize) -> Option<&Warp> {
        let each = self.sms.first()?.warp_slots.len().max(1);
        self.owner_in(slot / each, slot % each)
    }

    /// The warp in warp slot `slot` of multiprocessor `sm`.
    pub(super) fn owner_in(&self, sm: usize, slot: usize) -> Option<&Warp> {
        let sm = self.sms.get(sm)?;
        sm.warps.get((*sm.warp_slots.get(slot)?)?)
    }

    /// The identity of the warp in warp slot `slot`.
    pub fn identify_warp(&self, slot: usize) -> Option<WarpIdentity> {
        self.owner(slot).map(|warp| WarpIdentity::new(warp.cta, warp.warp, &warp.program.name))
    }

    /// The activity of the warp in a warp slot: the line and text of its next instruction, or the barrier and the instruction with which it
    /// waits; empty for a free slot. The most important part is first, because viewers cut off long texts.
    pub fn warp(&self, slot: usize) -> String {
        let Some(warp) = self.owner(slot) else { return String::new() };
        let state = match (warp.exited, warp.stopped, warp.waits_at) {
            (Some(_), _, _) => return "exited".to_string(),
            (None, Some(Stop::Trapped), _) => "trapped".to_string(),
            (None, Some(Stop::Hangs), _) => "hangs".to_string(),
            (None, None, Some(id)) if warp.waits_for_memory => format!("B{id} memory"),
            (None, None, Some(id)) => format!("B{id}"),
            (None, None, None) if warp.at_cluster.is_some() => "cluster".to_string(),
            (None, None, None) if warp.at_grid.is_some() => "grids".to_string(),
            (None, None, None) if warp.waiting != 0 && warp.chosen().is_none() => "lanes".to_string(),
            (None, None, None) => return short(&warp.place()),
        };
        format!("{state} {}", short(&warp.last_place()))
    }
}
