// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The requests of the host to `residency`, and which of those that pend may be handled (`docs/interface.md`, `residency`).

use super::wire::{Fields, Walk};

/// The payload of the launch channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Launch {
    /// CTA slot.
    pub cta: u8,
    /// Its warp slots.
    pub warps: u64,
    /// Those of them that have exited already.
    pub exited: u64,
    /// The live lanes of the last of its warp slots.
    pub lanes: u64,
    /// Barriers declared.
    pub barriers: u8,
    /// Its cluster's slot, its rank there, and how many CTAs the cluster has.
    pub cluster: u16,
    pub rank: u8,
    pub size: u8,
    /// Whether it is of a grid, and of which.
    pub of_grid: bool,
    pub grid: u8,
}

impl Launch {
    pub fn fields(&mut self, at: &mut Fields) {
        let (warps, lanes) = (at.sizes().warps(), at.sizes().lanes());
        at.cta(&mut self.cta);
        at.field("warps", &mut self.warps, warps);
        at.field("exited", &mut self.exited, warps);
        at.field("lanes", &mut self.lanes, lanes);
        at.field("barriers", &mut self.barriers, 6);
        at.field("cluster", &mut self.cluster, at.sizes().cluster_bits());
        at.field("rank", &mut self.rank, 4);
        at.field("size", &mut self.size, 5);
        at.field("of_grid", &mut self.of_grid, 1);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
    }
}

/// The payload of the retire channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Retire {
    /// CTA slot.
    pub cta: u8,
    /// Open barriers are no fault.
    pub saved: bool,
}

impl Retire {
    pub fn fields(&mut self, at: &mut Fields) {
        at.cta(&mut self.cta);
        at.field("saved", &mut self.saved, 1);
    }
}

/// The payload of the exit channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exit {
    pub warp: u8,
    /// Its lanes that exit.
    pub lanes: u64,
}

impl Exit {
    pub fn fields(&mut self, at: &mut Fields) {
        at.warp(&mut self.warp);
        at.field("lanes", &mut self.lanes, at.sizes().lanes());
    }
}

/// The three channels as a user drives them; `None` = valid is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requests {
    pub launch: Option<Launch>,
    pub retire: Option<Retire>,
    pub exit: Option<Exit>,
}

impl Requests {
    /// The channels, the outputs being `ready`.
    pub fn ports(&mut self, ready: &mut Ready, at: &mut Walk) {
        at.channel_in("launch", &mut self.launch, &mut ready.launch, Launch::fields);
        at.channel_in("retire", &mut self.retire, &mut ready.retire, Retire::fields);
        at.channel_in("exit", &mut self.exit, &mut ready.exit, Exit::fields);
    }
}

/// Which of the three channels would be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    pub launch: bool,
    pub retire: bool,
    pub exit: bool,
}

/// The place of each channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    pub launch: Place<Launch>,
    pub retire: Place<Retire>,
    pub exit: Place<Exit>,
    /// Cycles since reset.
    now: u64,
}

/// A request that pends, and the cycle in which it was taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<T> {
    pub request: Option<T>,
    since: u64,
}

impl<T: Copy> Place<T> {
    /// Whether one pends that was taken before `other`, and is as `named` says.
    fn is_before<U>(&self, other: &Place<U>, named: impl FnOnce(T) -> bool) -> bool {
        self.request.is_some_and(|request| self.since < other.since && named(request))
    }

    fn take(&mut self, offered: Option<T>, ready: bool, now: u64) {
        if ready {
            *self = Place { request: offered, since: now };
        }
    }
}

impl Places {
    pub fn ready(&self) -> Ready {
        Ready {
            launch: self.launch.request.is_none(),
            retire: self.retire.request.is_none(),
            exit: self.exit.request.is_none(),
        }
    }

    /// Takes what is offered where the port was `ready`.
    pub fn take(&mut self, offered: Requests, ready: Ready) {
        self.launch.take(offered.launch, ready.launch, self.now);
        self.retire.take(offered.retire, ready.retire, self.now);
        self.exit.take(offered.exit, ready.exit, self.now);
        self.now += 1;
    }

    /// The retirement, unless a launch of its slot comes before it.
    pub fn retirement(&self) -> Option<Retire> {
        let retire = self.retire.request?;
        (!self.launch.is_before(&self.retire, |launch| launch.cta == retire.cta)).then_some(retire)
    }

    /// The exit, unless a launch of its warp comes before it, or a retirement of `cta`, the slot of its warp, whose warps are still live.
    pub fn leaving(&self, cta: u8, ended: bool) -> Option<Exit> {
        let exit = self.exit.request?;
        let launches = self.launch.is_before(&self.exit, |launch| launch.warps >> exit.warp & 1 != 0);
        let retires = self.retire.is_before(&self.exit, |retire| retire.cta == cta && !ended);
        (!launches && !retires).then_some(exit)
    }
}
