// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The timing of `gather`: for how many cycles an operation waits in the entry for its row or after a reset of rows, when it is
//! processed, when the results are output, and when it reaches `op_valid`.

use super::reference::{Effect, Lanes, Op, Strobe};
use bcu_isa::op::OpKind;

/// The outputs of an operation two cycles after it was processed, besides the operation that is passed on; the strobe of the lanes
/// another cycle later.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub strobe: Option<(usize, Strobe)>,
    pub exited: Option<usize>,
    pub absorbed: u64,
}

/// An operation that was processed, with its result.
#[derive(Clone, Debug)]
struct Decided {
    op: Op,
    effect: Effect,
    gathering: u64,
    /// The operation's lanes are all live lanes of the warp, and none of them waited before.
    is_whole: bool,
}

pub struct Timing {
    pub warps: Vec<Lanes>,
    all_lanes: u64,
    entry: Option<Op>,
    /// The operation in the entry waits for its row, or because rows were reset in the previous cycle.
    waits: bool,
    /// Rows of the operations processed in the last two cycles.
    rows: [Option<usize>; 2],
    /// The operation processed in the previous cycle.
    decided: Option<Decided>,
    /// The operation at `op_valid`, with its flag `is_whole` of [`Decided`].
    pub op: Option<(Op, bool)>,
    /// The operation at `op_valid` was there in the previous cycle and was not taken.
    is_kept: bool,
    /// The strobe of the next cycle, and that of the cycle after it.
    next_strobe: Option<(usize, Strobe)>,
    second_strobe: Option<(usize, Strobe)>,
    pub shown: Shown,
    pub gathering: u64,
    /// Warps, one bit each, with an exit that was passed on and that `op_done` has not reported. The level `exit_pending` also includes the
    /// exits that are still to be processed.
    exit_pending: u64,
}

impl Timing {
    pub fn new(warps: u64, lanes: u64) -> Timing {
        let all_lanes = u64::MAX >> (64 - lanes);
        Timing {
            warps: vec![Lanes::launched(all_lanes); warps as usize],
            all_lanes,
            entry: None,
            waits: false,
            rows: [None; 2],
            decided: None,
            op: None,
            is_kept: false,
            next_strobe: None,
            second_strobe: None,
            shown: Shown::default(),
            gathering: 0,
            exit_pending: 0,
        }
    }

    pub fn entry_waits(&self) -> bool {
        self.waits || self.closes_two()
    }

    pub fn full(&self) -> bool {
        self.decided.is_some() || self.is_kept
    }

    pub fn exit_pending(&self) -> u64 {
        let entered = self.entry.as_ref().filter(|op| op.is_of_exit()).map_or(0, |op| 1 << op.warp);
        let looked = self.decided.as_ref().filter(|decided| decided.op.is_of_exit()).map_or(0, |decided| 1 << decided.op.warp);
        self.exit_pending | entered | looked
    }

    /// Whether the operation processed in the previous cycle causes two `lanes` strobes.
    fn closes_two(&self) -> bool {
        self.decided.as_ref().is_some_and(|decided| decided.effect.strobes.len() > 1)
    }

    fn look(&mut self, op: Op, highest: bool) -> Decided {
        let before = self.warps[op.warp];
        let is_whole = op.lanes == before.live && before.waiting() == 0;
        let effect = match op.kind {
            OpKind::Launch | OpKind::Release => {
                let last = op.row();
                for warp in (0..self.warps.len()).filter(|warp| op.mask >> warp & 1 == 1) {
                    let partial = op.kind == OpKind::Launch && warp == last;
                    self.warps[warp] = Lanes::launched(if partial { op.lanes } else { self.all_lanes });
                }
                Effect { passed: Some(op.clone()), ..Effect::default() }
            }
            _ => self.warps[op.warp].apply(&op, highest),
        };
        let gathering = self.warps.iter().enumerate().filter(|(_, lanes)| lanes.is_gathering());
        let gathering = gathering.fold(0, |mask, (warp, _)| mask | 1 << warp);
        Decided { op, effect, gathering, is_whole }
    }

    /// Ends a cycle with these inputs. Returns whether the offered operation is taken, and the operation that left the unit.
    pub fn end(&mut self, offered: Option<&Op>, ready: bool, highest: bool, op_done: u64) -> (bool, Option<(Op, bool)>) {
        let stalls = self.full() && !ready || self.closes_two();
        let takes = !self.entry_waits() && (!self.full() || ready);
        let leaving_op = if ready { self.op.take() } else { None };
        self.is_kept = self.op.is_some();
        let shown = self.decided.take();
        let looked = if self.waits || stalls { None } else { self.entry.take() };
        let row = looked.as_ref().map(Op::row);
        let resets = looked.as_ref().is_some_and(|op| matches!(op.kind, OpKind::Launch | OpKind::Release));
        self.decided = looked.map(|op| self.look(op, highest));
        if let Some(decided) = &self.decided {
            self.op = decided.effect.passed.clone().map(|op| (op, decided.is_whole));
        }
        let taken_op = offered.filter(|_| takes);
        self.entry = self.entry.take().or(taken_op.cloned());
        self.rows = [row, self.rows[0]];
        // In a cycle with a stall, the operation in the entry waits one more cycle.
        if !stalls {
            self.waits = self.entry.as_ref().is_some_and(|op| resets || self.rows.contains(&Some(op.warp)));
        }
        self.show(shown, op_done);
        (taken_op.is_some(), leaving_op)
    }

    fn show(&mut self, shown: Option<Decided>, op_done: u64) {
        self.shown = Shown { strobe: self.next_strobe.take(), ..Shown::default() };
        self.next_strobe = self.second_strobe.take();
        self.exit_pending &= !op_done;
        let Some(Decided { op, effect, gathering, .. }) = shown else { return };
        self.gathering = gathering;
        let mut strobes = effect.strobes.into_iter().map(|strobe| (op.warp, strobe));
        self.next_strobe = strobes.next().or(self.next_strobe.take());
        self.second_strobe = strobes.next();
        self.shown.exited = effect.has_exited.then_some(op.warp);
        self.shown.absorbed = u64::from(op.from_instr && effect.passed.is_none()) << op.warp;
        self.exit_pending |= effect.passed.filter(Op::is_of_exit).map_or(0, |op| 1 << op.warp);
    }
}
