// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `grid`: the messages of CTAs about their grids, and the waiting warps (`docs/contract/grids.md`, `grid`).

use super::bits::{assign, members, next_in_turn};
use super::in_place::clone_in_place;
use super::mbarrier_ports::Commit;
use super::op::{port_enum, Code};
use super::outcome::Refused;
use super::sizes::Sizes;
use super::wire::{Clocked, Fields, PortAction, Value, Walk};

port_enum! {
    /// The kind of an operation, by the value of `op_kind`.
    GridKind { LaunchDependents, Wait }
}

port_enum! {
    /// The kind of a message from a multiprocessor to the hub.
    GridMessageKind { LaunchedDependents, Ended }
}

port_enum! {
    /// The kind of a message from the hub to the multiprocessors.
    GridHubKind { Opened, Ready }
}

/// The launch of a CTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridLaunch {
    pub cta: u8,
    pub has_grid: bool,
    pub grid: u8,
}

impl GridLaunch {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.cta(&mut self.cta);
        at.field("has_grid", &mut self.has_grid, 1);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
    }
}

/// An operation of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridOp {
    pub kind: GridKind,
    pub fault: Code,
    pub warp: u8,
    pub cta: u8,
}

impl GridOp {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.choice("fault", &mut self.fault);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
    }
}

/// A message to the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridMessage {
    pub kind: GridMessageKind,
    pub grid: u8,
}

impl GridMessage {
    pub(super) fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
    }
}

/// A message from the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridHubMessage {
    pub kind: GridHubKind,
    pub grid: u8,
}

impl GridHubMessage {
    pub(super) fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
    }
}

/// Input ports of `grid`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridIn {
    pub reset: bool,
    pub launch: Option<GridLaunch>,
    pub live: u64,
    /// CTA slots whose CTA has ended, one bit per slot.
    pub ended: u64,
    pub op: Option<GridOp>,
    pub grid_in: Option<GridHubMessage>,
    pub grid_out_ready: bool,
    pub fault_ready: bool,
}

/// Output ports of `grid`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridOut {
    pub op_ready: bool,
    pub grid_out_valid: bool,
    pub grid_out: GridMessage,
    pub commit_valid: bool,
    pub commit: Commit,
    pub release_valid: bool,
    /// The warps that resume, one bit per warp.
    pub release: u64,
    pub waiting: u64,
    pub fault_valid: bool,
    pub fault: Refused,
    pub opened_valid: bool,
    pub opened_grid: u8,
    /// CTA slots of which `grid` holds no state, one bit per slot.
    pub freed: u64,
}

impl GridOut {
    /// Visits the links from and to the hub.
    pub fn link(&mut self, grid_in: &mut Option<GridHubMessage>, ready: &mut bool, at: &mut Walk<impl PortAction>) {
        at.strobe_in("grid_in", grid_in, GridHubMessage::fields);
        at.channel_out("grid_out", &mut self.grid_out_valid, ready, &mut self.grid_out, GridMessage::fields);
    }
}

/// Visits a grid slot as the only field of a payload.
pub fn grid_slot(grid: &mut u8, at: &mut Fields<impl PortAction>) {
    at.field("grid", grid, at.sizes().grid_bits());
}

/// The grid state of a CTA slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Cta {
    /// The grid of the CTA in this CTA slot, until the Ended message of the CTA has been transferred.
    member: Option<u8>,
    requested_issue: bool,
    issued: bool,
}

clone_in_place! {
    /// The state of `grid`.
    #[derive(Debug, PartialEq, Eq, Hash)]
    pub struct Grid {
        sizes: Sizes,
        ctas: Vec<Cta>,
        /// The CTA slot whose message was offered last.
        last: Option<usize>,
        /// Grids that are ready, one bit each.
        ready: u64,
        /// For every warp, the grid for which it waits.
        waits: Vec<Option<u8>>,
        /// The warps that have a grid in `waits`, one bit per warp.
        waiting: u64,
        inside: Option<GridOp>,
        arrived: Option<GridHubMessage>,
        /// The warp slot and the refusal code of the operation that took effect at the last edge.
        done: Option<(u8, Code)>,
        out: GridOut,
    }
}

impl Grid {
    /// The operation that took effect at the last edge, if any: its warp slot and its refusal code.
    pub fn done(&self) -> Option<(u8, Code)> {
        self.done
    }

    /// The grids that are ready.
    pub fn ready(&self) -> u64 {
        self.ready
    }

    /// The grid of the CTA in CTA slot `cta`, until the Ended message of the CTA has been transferred.
    pub fn member(&self, cta: u8) -> Option<u8> {
        self.ctas.get(usize::from(cta)).and_then(|cta| cta.member)
    }

    /// The message from the hub and the operation that take effect in this cycle.
    pub fn effects(&self) -> (Option<GridHubMessage>, Option<GridOp>) {
        (self.arrived, self.inside.filter(|_| !self.is_stalled()))
    }

    /// The grid for which a warp waits.
    pub fn waits(&self, warp: u8) -> Option<u8> {
        self.waits.get(usize::from(warp)).copied().flatten()
    }

    /// Whether the CTA has executed launch_dependents, and whether its LaunchedDependents message has been transferred.
    pub fn issue_state(&self, cta: u8) -> (bool, bool) {
        self.ctas.get(usize::from(cta)).map_or((false, false), |cta| (cta.requested_issue, cta.issued))
    }

    /// The CTA slots with a message due, one bit per slot.
    pub fn due(&self, ended: u64) -> u64 {
        let due = |(slot, cta): (usize, &Cta)| match cta.member {
            Some(_) if ended >> slot & 1 == 1 || cta.requested_issue && !cta.issued => 1 << slot,
            _ => 0,
        };
        self.ctas.iter().enumerate().map(due).fold(0, |all, one| all | one)
    }

    /// The CTA slot whose message was offered last.
    pub fn last(&self) -> Option<usize> {
        self.last
    }

    /// Whether the operation stays in its register because an earlier fault occupies the fault channel. A unit built without checks
    /// reports no faults, so its operations never stay.
    fn is_stalled(&self) -> bool {
        let faulty = self.inside.is_some_and(|op| op.fault != Code::None);
        faulty && self.sizes.parts().faults && self.out.fault_valid
    }

    /// Chooses the message that `grid_out` offers from the next cycle on. It is called in a cycle in which `grid_out` offers no message.
    fn choose(&mut self, ended: u64) {
        if let Some(slot) = next_in_turn(self.due(ended), self.last) {
            let Cta { member, issued, .. } = self.ctas[slot];
            let kind = if issued { GridMessageKind::Ended } else { GridMessageKind::LaunchedDependents };
            self.last = Some(slot);
            self.out.grid_out_valid = true;
            self.out.grid_out = GridMessage { kind, grid: member.unwrap_or_default() };
        }
    }

    /// Handles the transfer of the message on `grid_out`.
    fn leave(&mut self) {
        self.out.grid_out_valid = false;
        let Some(cta) = self.last.and_then(|slot| self.ctas.get_mut(slot)) else { return };
        match self.out.grid_out.kind {
            GridMessageKind::LaunchedDependents => cta.issued = true,
            GridMessageKind::Ended => cta.member = None,
        }
    }

    /// Sets the grid for which a warp waits.
    fn wait(&mut self, warp: usize, grid: Option<u8>) {
        self.waits[warp] = grid;
        assign(&mut self.waiting, warp, grid.is_some());
    }

    /// Applies an operation. `member` is the grid of its CTA. Returns the bit of its warp if the warp resumes at once, else 0.
    fn operate(&mut self, op: GridOp, member: Option<u8>) -> u64 {
        let checks = self.sizes.parts().faults;
        self.out.commit_valid = true;
        self.out.commit =
            Commit { warps: 1 << op.warp, refused: checks && ![Code::None, Code::NotResident].contains(&op.fault) };
        if op.fault != Code::None {
            if checks {
                self.out.fault_valid = true;
                self.out.fault = Refused { code: op.fault, has_warp: true, warp: op.warp, cta: op.cta };
            }
            return 0;
        }
        match (op.kind, member) {
            (GridKind::LaunchDependents, _) => {
                self.ctas.get_mut(usize::from(op.cta)).into_iter().for_each(|cta| cta.requested_issue = true);
                0
            }
            (GridKind::Wait, Some(grid)) if self.ready >> grid & 1 == 0 => {
                self.wait(usize::from(op.warp), Some(grid));
                0
            }
            (GridKind::Wait, _) => {
                self.wait(usize::from(op.warp), None);
                1 << op.warp
            }
        }
    }
}

impl Clocked for Grid {
    type Inputs = GridIn;
    type Outputs = GridOut;

    fn new(sizes: Sizes) -> Grid {
        Grid {
            sizes,
            ctas: vec![Cta::default(); sizes.cta_slots()],
            last: None,
            ready: 0,
            waits: vec![None; sizes.warps()],
            waiting: 0,
            inside: None,
            arrived: None,
            done: None,
            out: GridOut::default(),
        }
    }

    fn ports(i: &mut GridIn, o: &mut GridOut, at: &mut Walk<impl PortAction>) {
        let (warps, slots) = (at.sizes().warps(), at.sizes().cta_slots());
        at.input("reset", &mut i.reset, 1);
        at.strobe_in("launch", &mut i.launch, GridLaunch::fields);
        at.input("live", &mut i.live, warps);
        at.input("ended", &mut i.ended, slots);
        at.channel_in("op", &mut i.op, &mut o.op_ready, GridOp::fields);
        o.link(&mut i.grid_in, &mut i.grid_out_ready, at);
        at.strobe_out("commit", &mut o.commit_valid, &mut o.commit, Commit::fields);
        at.strobe_out("release", &mut o.release_valid, &mut o.release, |warps, at| at.warps(warps));
        at.output("waiting", &mut o.waiting, warps);
        at.channel_out("fault", &mut o.fault_valid, &mut i.fault_ready, &mut o.fault, Refused::fields);
        at.strobe_out("opened", &mut o.opened_valid, &mut o.opened_grid, grid_slot);
        at.output("freed", &mut o.freed, slots);
    }

    fn outputs(&self) -> GridOut {
        let freed = |(slot, cta): (usize, &Cta)| u64::from(cta.member.is_none()) << slot;
        let freed = self.ctas.iter().enumerate().map(freed).fold(0, |all, one| all | one);
        GridOut { op_ready: !self.is_stalled(), waiting: self.waiting, freed, ..self.out }
    }

    fn clock(&mut self, inputs: &GridIn) {
        if inputs.reset {
            *self = Grid::new(self.sizes);
            return;
        }
        let is_stalled = self.is_stalled();
        let member = self.inside.and_then(|op| self.member(op.cta));
        match self.out.grid_out_valid {
            true if inputs.grid_out_ready => self.leave(),
            true => {}
            false => self.choose(inputs.ended),
        }
        self.out.fault_valid &= !inputs.fault_ready;
        (self.out.commit_valid, self.out.commit) = (false, Commit::default());

        // Order of effects: the message, the operation, then the warps that are no longer live.
        let mut released = 0;
        if let Some(message) = self.arrived {
            match message.kind {
                GridHubKind::Opened => self.ready &= !(1 << message.grid),
                GridHubKind::Ready => {
                    self.ready |= 1 << message.grid;
                    let waits = |warp: &usize| self.waits[*warp] == Some(message.grid);
                    released = members(self.waiting).filter(waits).fold(0, |all, warp| all | 1 << warp);
                    members(released).for_each(|warp| self.wait(warp, None));
                }
            }
        }
        self.done = None;
        if let Some(op) = self.inside.filter(|_| !is_stalled) {
            self.done = Some((op.warp, op.fault));
            released |= self.operate(op, member);
        }
        self.out.release = released & inputs.live;
        self.out.release_valid = self.out.release != 0;
        members(self.waiting & !inputs.live).for_each(|warp| self.wait(warp, None));

        // The inputs of this cycle: a launch begins the state of its CTA slot; an operation and a message take effect in the next cycle.
        let launched = inputs.launch.and_then(|launch| Some((launch, self.ctas.get_mut(usize::from(launch.cta))?)));
        if let Some((launch, cta)) = launched {
            *cta = Cta { member: launch.has_grid.then_some(launch.grid), ..Cta::default() };
        }
        if !is_stalled {
            self.inside = inputs.op;
        }
        self.arrived = inputs.grid_in;
        let opened = inputs.grid_in.filter(|message| message.kind == GridHubKind::Opened);
        self.out.opened_valid = opened.is_some();
        self.out.opened_grid = opened.map_or(self.out.opened_grid, |message| message.grid);
    }
}
