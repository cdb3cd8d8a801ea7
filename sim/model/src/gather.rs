// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Untimed semantics of `gather`: how the operations of lanes become operations of their warp, one after the other
//! (`docs/contract/gather.md`).

use super::in_place::clone_in_place;
use super::mbarrier_request::MbarrierRequest;
use super::op::{Code, Form, Kind, Operation, RedOp};
use super::sizes::{mask, Sizes};
use super::wire::{Fields, PortAction};

/// An operation in the pipeline, with the fields that travel beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    pub op: Operation,
    pub request: MbarrierRequest,
    /// Mbarrier: this arrival waits for the accesses before it.
    pub release: bool,
    /// The executing lanes are all live lanes of the warp; valid downstream of `gather`.
    pub all_live_lanes: bool,
    /// The operation is from an instruction, not from `cta_table`.
    pub from_instr: bool,
    /// Destination register, 255 for none.
    pub rd: u8,
    /// Destination predicate, 7 for none.
    pub pu: u8,
}

impl Carried {
    /// Visits the destination of the operation's result, as port fields.
    pub fn destination(&mut self, at: &mut Fields<impl PortAction>) {
        at.field("rd", &mut self.rd, 8);
        at.field("pu", &mut self.pu, 3);
    }

    /// A mask with the bit of the operation's warp if an exit has caused the operation and the operation has no fault, else 0.
    pub fn comes_of_an_exit(&self) -> u64 {
        let Carried { op, from_instr, .. } = self;
        let can_be = op.kind == Kind::Exit || op.kind.has_form();
        u64::from(can_be && !from_instr && op.fault == Code::None) << op.warp
    }
}

/// An operation with its lanes and votes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Laned {
    pub carried: Carried,
    /// Executing lanes; Exit: the exiting lanes; Launch: the live lanes of the last warp.
    pub lanes: u64,
    /// Executing lanes whose predicate is true; Mbarrier: all executing lanes.
    pub votes: u64,
}

impl Laned {
    /// The operation with the contribution of the warp in the field `value`. Reduce with And: 1 if the predicate is false in an executing
    /// lane. Reduce with Or: 1 if the predicate is true in an executing lane. Reduce with Popc: the number of executing lanes with a true
    /// predicate. Mbarrier: the number of executing lanes. Other kinds: 0.
    pub fn counted(&self) -> Carried {
        let Laned { carried, lanes, votes } = self;
        let value = match (carried.op.kind, carried.op.redop) {
            (Kind::Reduce, RedOp::And) => u8::from(lanes & !votes != 0),
            (Kind::Reduce, RedOp::Or) => u8::from(*votes != 0),
            (Kind::Reduce, RedOp::Popc) | (Kind::Mbarrier, _) => votes.count_ones() as u8,
            _ => 0,
        };
        Carried { op: Operation { value, ..carried.op }, ..*carried }
    }
}

/// The payload of the operation channel into `gather`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    pub laned: Laned,
    pub form: Form,
    /// WarpSync, Elect: the lanes that take part.
    pub members: u64,
}

impl Offered {
    /// Whether the operation resets the rows of warps: a Launch or Release without a fault.
    pub fn resets_rows(&self) -> bool {
        let op = &self.laned.carried.op;
        matches!(op.kind, Kind::Launch | Kind::Release) && op.fault == Code::None
    }

    /// The warp whose row the operation uses; later operations on that row wait. For Launch and Release this is the highest warp of the
    /// CTA.
    pub fn row(&self) -> u8 {
        let op = &self.laned.carried.op;
        match op.kind {
            Kind::Launch | Kind::Release => op.mask.checked_ilog2().unwrap_or(0) as u8,
            _ => op.warp,
        }
    }
}

/// A barrier operation at which some lanes of its warp have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathering {
    pub kind: Kind,
    pub redop: RedOp,
    pub id: u8,
    pub count: u16,
    pub lanes: u64,
    pub votes: u64,
    /// The tag of the last operation that joined.
    pub tag: u32,
}

impl Gathering {
    fn begin(op: &Operation) -> Gathering {
        Gathering { kind: op.kind, redop: op.redop, id: op.id, count: op.count, lanes: 0, votes: 0, tag: op.tag }
    }

    /// Whether `op` has the kind, the reduction, the id and the count of this gathering.
    fn is_of(&self, op: &Operation) -> bool {
        Gathering { lanes: 0, votes: 0, tag: op.tag, ..*self } == Gathering::begin(op)
    }
}

/// A WarpSync or Elect at which some lanes of a warp have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rendezvous {
    pub elect: bool,
    pub members: u64,
    /// The lanes that have arrived; one bit per lane.
    pub lanes: u64,
    /// The tag of the first operation that joined.
    pub tag: u32,
}

/// The state of the lanes of a warp. `None` in `gathering` or `rendezvous` means that no such group is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpLanes {
    pub live: u64,
    pub gathering: Option<Gathering>,
    pub rendezvous: [Option<Rendezvous>; 2],
}

impl WarpLanes {
    /// The lanes of the warp that wait in its gathering or in a rendezvous.
    pub fn waiting(&self) -> u64 {
        let gathered = self.gathering.map_or(0, |g| g.lanes);
        self.rendezvous.iter().flatten().fold(gathered, |lanes, r| lanes | r.lanes)
    }

    /// Whether the warp has live lanes and all of them wait in its gathering or in a rendezvous.
    pub fn is_stopped(&self) -> bool {
        self.live != 0 && self.live & !self.waiting() == 0
    }

    /// Whether `lanes` are all live lanes of the warp, and none of its lanes waits.
    pub fn is_whole(&self, lanes: u64) -> bool {
        lanes == self.live && self.waiting() == 0
    }

    /// Lanes that cannot take part in an operation: they wait, or are not live.
    fn unavailable_lanes(&self) -> u64 {
        self.waiting() | !self.live
    }

    /// Closes and returns the gathering if all live lanes have arrived.
    fn take_gathering(&mut self) -> Option<Gathering> {
        let live = self.live;
        self.gathering.take_if(|g| g.lanes == live)
    }

    /// Closes and returns a rendezvous if all its live members have arrived.
    fn take_rendezvous(&mut self, place: usize) -> Option<Rendezvous> {
        let live = self.live;
        self.rendezvous[place].take_if(|r| r.members & live & !r.lanes == 0)
    }
}

/// The payload of the lanes strobe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    pub warp: u8,
    pub mask: u64,
    /// The leaders that elections have chosen among these lanes.
    pub leaders: u64,
    /// The lanes must issue their instruction again instead of resuming.
    pub retry: bool,
}

impl Lanes {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        let lanes = at.sizes().lanes();
        at.warp(&mut self.warp);
        at.field("mask", &mut self.mask, lanes);
        at.field("leaders", &mut self.leaders, lanes);
        at.field("retry", &mut self.retry, 1);
    }
}

/// The effects of an operation, except the change of state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherEffect {
    pub passed: Option<Laned>,
    pub lanes: Option<Lanes>,
    /// The lanes of a second rendezvous that the operation closes; their strobe is output one cycle after the strobe of `lanes`.
    pub more_lanes: Option<Lanes>,
    /// The warp whose last lanes have exited.
    pub warp_exited: Option<u8>,
    /// The operation is from an instruction, and no operation is passed on.
    pub op_absorbed: bool,
}

impl GatherEffect {
    fn pass(laned: &Laned) -> GatherEffect {
        GatherEffect { passed: Some(*laned), ..GatherEffect::default() }
    }
}

clone_in_place! {
    /// The lane state of all warps. Warp numbers and lanes are truncated to the widths of their ports.
    #[derive(Debug, PartialEq)]
    pub struct Gather {
        sizes: Sizes,
        warps: Vec<WarpLanes>,
    }
}

impl Gather {
    /// The state after reset: in every warp all lanes are live, and no lane waits.
    pub fn new(sizes: Sizes) -> Gather {
        let fresh = WarpLanes { live: mask(sizes.lanes()), ..WarpLanes::default() };
        Gather { sizes, warps: vec![fresh; sizes.warp_numbers()] }
    }

    /// The lane state of the warp with this number.
    pub fn warp(&self, warp: u8) -> &WarpLanes {
        &self.warps[self.index(warp)]
    }

    /// Applies one operation atomically. If `highest` is set, an election makes the highest lane the leader, otherwise the lowest.
    pub fn apply(&mut self, offered: &Offered, highest: bool) -> GatherEffect {
        let laned = &offered.laned;
        let op = &laned.carried.op;
        let done = match (op.kind, offered.form) {
            _ if op.fault != Code::None => Ok(GatherEffect::pass(laned)),
            (
                Kind::Read | Kind::Write | Kind::Fence | Kind::Mbarrier | Kind::GridLaunch | Kind::GridWait | Kind::Gateway,
                _,
            ) => Ok(GatherEffect::pass(laned)),
            // Release resets its warps too: otherwise a later CTA in these warp slots would wait for lanes of the released CTA.
            (Kind::Launch | Kind::Release, _) => Ok(self.start_over(laned)),
            (Kind::Exit, _) => self.exit(laned, highest),
            (_, Form::Raw) => Ok(GatherEffect::pass(laned)),
            (_, Form::Aligned) => self.aligned(laned),
            (_, Form::Gathered) => self.gather(laned),
            (_, Form::WarpSync | Form::Elect) => self.meet(offered, highest),
        };
        let effect = done.unwrap_or_else(|code| {
            let mut refused = *laned;
            refused.carried.op.fault = code;
            GatherEffect::pass(&refused)
        });
        GatherEffect { op_absorbed: laned.carried.from_instr && effect.passed.is_none(), ..effect }
    }

    /// Resets the lane state of the warps of a Launch or Release, since later operations of these warp slots belong to the next CTA.
    fn start_over(&mut self, laned: &Laned) -> GatherEffect {
        let warps = laned.carried.op.mask;
        let all = mask(self.sizes.lanes());
        for (index, warp) in self.warps.iter_mut().enumerate().filter(|(index, _)| warps >> index & 1 != 0) {
            let is_last = warps >> index == 1;
            let in_part = is_last && laned.carried.op.kind == Kind::Launch;
            *warp = WarpLanes { live: if in_part { laned.lanes } else { all }, ..WarpLanes::default() };
        }
        GatherEffect::pass(laned)
    }

    /// Removes exiting lanes from the live lanes, so that no operation waits for them.
    fn exit(&mut self, laned: &Laned, highest: bool) -> Result<GatherEffect, Code> {
        let index = self.index(laned.carried.op.warp);
        let warp = &mut self.warps[index];
        if laned.lanes & warp.live == 0 {
            return Err(Code::NotResident);
        }
        if laned.lanes & warp.waiting() != 0 {
            return Err(Code::WarpBlocked);
        }
        warp.live &= !laned.lanes;
        if warp.live == 0 {
            return Ok(GatherEffect { warp_exited: Some(laned.carried.op.warp), ..GatherEffect::pass(laned) });
        }
        let gathered = warp.take_gathering();
        let met = [warp.take_rendezvous(0), warp.take_rendezvous(1)];
        Ok(leave(laned, gathered, met, highest))
    }

    fn aligned(&mut self, laned: &Laned) -> Result<GatherEffect, Code> {
        match self.warp(laned.carried.op.warp).is_whole(laned.lanes) {
            true => Ok(GatherEffect::pass(laned)),
            false => Err(Code::PartialMask),
        }
    }

    /// Applies the arrival of lanes at a barrier of their warp. The error is the fault.
    fn gather(&mut self, laned: &Laned) -> Result<GatherEffect, Code> {
        let op = &laned.carried.op;
        if !op.uniform {
            // `named` reports the fault of operands that are not uniform.
            return Ok(GatherEffect::pass(laned));
        }
        let index = self.index(op.warp);
        let warp = &mut self.warps[index];
        if laned.lanes & warp.unavailable_lanes() != 0 || warp.gathering.is_some_and(|g| !g.is_of(op)) {
            return Err(Code::GatherMismatch);
        }
        let gathering = warp.gathering.get_or_insert(Gathering::begin(op));
        gathering.lanes |= laned.lanes;
        gathering.votes |= laned.votes;
        gathering.tag = op.tag;
        Ok(leave(laned, warp.take_gathering(), [None, None], false))
    }

    /// Applies the arrival of lanes at a WarpSync or Elect. The error is the fault.
    fn meet(&mut self, offered: &Offered, highest: bool) -> Result<GatherEffect, Code> {
        let Offered { laned, form, members } = offered;
        let elect = *form == Form::Elect;
        let index = self.index(laned.carried.op.warp);
        let warp = &mut self.warps[index];
        // While a rendezvous is open, its members can only take part in a rendezvous with the same members and the same form.
        let clashes = |r: &Rendezvous| r.members & members != 0 && (r.members != *members || r.elect != elect);
        let strays = laned.lanes & !members != 0 || laned.lanes & warp.unavailable_lanes() != 0;
        if strays || warp.rendezvous.iter().flatten().any(clashes) {
            return Err(Code::GatherMismatch);
        }
        // The lanes join the rendezvous of these members, or open one. If both rendezvous of the warp are in use, the lanes must issue
        // again.
        let places = &warp.rendezvous;
        let theirs = places.iter().position(|r| r.is_some_and(|r| r.members == *members));
        let Some(place) = theirs.or_else(|| places.iter().position(Option::is_none)) else {
            let again = Lanes { warp: laned.carried.op.warp, mask: laned.lanes, leaders: 0, retry: true };
            return Ok(GatherEffect { lanes: Some(again), ..GatherEffect::default() });
        };
        let opened = Rendezvous { elect, members: *members, lanes: 0, tag: laned.carried.op.tag };
        warp.rendezvous[place].get_or_insert(opened).lanes |= laned.lanes;
        Ok(leave(laned, None, [warp.take_rendezvous(place), None], highest))
    }

    fn index(&self, warp: u8) -> usize {
        usize::from(warp) & (self.sizes.warp_numbers() - 1)
    }
}

/// Outputs completed groups: a gathering as an operation of its warp, the lanes of each completed rendezvous by a lanes strobe.
fn leave(cause: &Laned, gathered: Option<Gathering>, met: [Option<Rendezvous>; 2], highest: bool) -> GatherEffect {
    let warp = cause.carried.op.warp;
    let whole = |g: Gathering| {
        let Gathering { kind, redop, id, count, lanes, votes, tag } = g;
        let op = Operation { kind, redop, id, count, uniform: true, tag, ..cause.carried.op };
        Laned { carried: Carried { op, ..cause.carried }, lanes, votes }
    };
    let going = gathered.filter(|g| g.kind.goes_on()).map(|g| (g.lanes, 0));
    let met = met.iter().flatten().map(|r| (r.lanes, if r.elect { leader(r.lanes, highest) } else { 0 }));
    // A lane cannot be both in a gathering and in a rendezvous, and a completed gathering has all live lanes. Therefore at most two strobes
    // result.
    let mut strobes = going.into_iter().chain(met).map(|(mask, leaders)| Lanes { warp, mask, leaders, retry: false });
    GatherEffect { passed: gathered.map(whole), lanes: strobes.next(), more_lanes: strobes.next(), ..GatherEffect::default() }
}

/// The bit of the leader among `lanes`; 0 if there is no lane.
fn leader(lanes: u64, highest: bool) -> u64 {
    if highest {
        lanes.checked_ilog2().map_or(0, |lane| 1 << lane)
    } else {
        lanes & lanes.wrapping_neg()
    }
}
