// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `gateway`: operations and rows to clear in a pipeline, and the queue of faults (`docs/contract/gateway.md`).

use super::gateway_ports::{GatewayCommit, GatewayIn, GatewayKind, GatewayOp, GatewayOut, Notification};
pub use super::gateway_rows::{Barrier, Group, Outcome, Phase, Rows};
use super::in_place::clone_in_place;
use super::op::Code;
use super::outcome::Fault;
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};
use std::collections::VecDeque;

/// The capacity of the fault queue (Q in `docs/contract/gateway.md`).
const FAULT_PLACES: usize = 4;

/// The item that enters the pipeline in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    Operation(GatewayOp),
    /// A row to clear.
    Row {
        cta: u8,
        id: u8,
        silent: bool,
    },
}

/// The rows that are still to be cleared, in the order of CTA slots and then of ids.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ToClear {
    cta: u8,
    id: u8,
    last_cta: u8,
    silent: bool,
}

clone_in_place! {
    /// The state of `gateway`.
    #[derive(Debug, PartialEq)]
    pub struct Gateway {
        sizes: Sizes,
        rows: Rows,
        /// The items that have not taken effect: the item transferred in the last cycle, and the item of the cycle before that.
        under_way: [Option<Work>; 2],
        to_clear: Option<ToClear>,
        /// CTA slots with rows in use; one bit per CTA slot. The slot of a released CTA is not included, even while its rows are still
        /// being cleared.
        open: u64,
        faults: VecDeque<Fault>,
        done: Option<(Work, Outcome)>,
        out: GatewayOut,
    }
}

impl Gateway {
    /// The item that took effect at the last edge, and its outcome.
    pub fn done(&self) -> Option<&(Work, Outcome)> {
        self.done.as_ref()
    }

    /// All barriers, after the last edge.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Whether a row to clear waits for room in the fault queue.
    pub fn is_held(&self) -> bool {
        self.to_clear.is_some() && !self.has_fault_room()
    }

    /// Whether the fault queue has room for all items in flight and one more.
    fn has_fault_room(&self) -> bool {
        self.faults.len() + self.under_way.iter().flatten().count() < FAULT_PLACES
    }

    /// Removes and returns the row to clear that enters the pipeline in this cycle.
    fn turn(&mut self) -> Option<Work> {
        let current @ ToClear { cta, id, last_cta, silent } = self.to_clear.filter(|_| self.has_fault_room())?;
        self.to_clear = if usize::from(id) + 1 < self.sizes.id_numbers() {
            Some(ToClear { id: id + 1, ..current })
        } else {
            (cta < last_cta).then_some(ToClear { cta: cta + 1, id: 0, ..current })
        };
        Some(Work::Row { cta, id, silent })
    }

    fn effect(&mut self, work: Work) -> Outcome {
        match work {
            Work::Row { cta, id, silent } => self.rows.clear(cta, id, silent),
            Work::Operation(op) => {
                let outcome = self.rows.apply(&op);
                let built = usize::from(op.cta) < self.sizes.cta_slots();
                if op.kind == GatewayKind::Release && outcome.fault.is_none() {
                    self.open &= !(1 << op.cta);
                } else if built {
                    let bit = 1 << op.cta;
                    self.open = self.open & !bit | if self.rows.is_in_use(op.cta.into()) { bit } else { 0 };
                }
                if outcome.clears {
                    self.to_clear = Some(ToClear { cta: op.cta, id: 0, last_cta: op.cta, silent: false });
                }
                outcome
            }
        }
    }

    fn commit(op: &GatewayOp, outcome: &Outcome) -> GatewayCommit {
        let of_warp = op.kind.is_of_a_warp();
        let code = outcome.fault.map_or(Code::None, |fault| fault.code);
        GatewayCommit {
            warps: if op.kind == GatewayKind::Release { op.mask } else { 1 << op.warp },
            refused: of_warp && ![Code::None, Code::NotResident].contains(&code),
            cta_release: op.kind == GatewayKind::Release && code == Code::None,
            warp_done: of_warp && (op.kind != GatewayKind::Exit || code == Code::None),
        }
    }
}

impl Clocked for Gateway {
    type Inputs = GatewayIn;
    type Outputs = GatewayOut;

    fn new(sizes: Sizes) -> Gateway {
        Gateway {
            sizes,
            rows: Rows::new(sizes),
            under_way: [None; 2],
            to_clear: None,
            open: 0,
            faults: VecDeque::with_capacity(FAULT_PLACES),
            done: None,
            out: GatewayOut::default(),
        }
    }

    fn ports(i: &mut GatewayIn, o: &mut GatewayOut, at: &mut Walk<impl PortAction>) {
        super::gateway_ports::ports(i, o, at);
    }

    fn outputs(&self) -> GatewayOut {
        self.out
    }

    fn clock(&mut self, inputs: &GatewayIn) {
        if inputs.reset {
            *self = Gateway::new(self.sizes);
            self.to_clear = Some(ToClear { cta: 0, id: 0, last_cta: (self.sizes.cta_slots() - 1) as u8, silent: true });
            self.out.clearing = true;
            return;
        }
        // An operation or a row to clear enters the pipeline, and the item that entered two cycles ago takes effect.
        let accepted = inputs.op.filter(|_| self.out.op_ready);
        let turn = self.turn();
        if self.out.fault_valid && inputs.fault_ready {
            self.faults.pop_front();
        }
        let [before, due] = self.under_way;
        self.done = due.map(|work| (work, self.effect(work)));
        let outcome = self.done.map_or(Outcome::default(), |(_, outcome)| outcome);
        self.faults.extend(outcome.fault);
        self.under_way = [accepted.map(Work::Operation).or(turn), before];

        let commit = match &self.done {
            Some((Work::Operation(op), outcome)) => Some(Gateway::commit(op, outcome)),
            _ => None,
        };
        // `op_ready` is 0 in the cycle after a Launch, from a Release until its rows are cleared, and while the fault queue lacks room.
        let operations = || self.under_way.iter().flatten().filter_map(Work::operation);
        let mut releases = operations().filter(|op| op.kind == GatewayKind::Release);
        let release = releases.next();
        let launches = accepted.is_some_and(|op| op.kind == GatewayKind::Launch);
        self.out = GatewayOut {
            op_ready: !launches && release.is_none() && self.to_clear.is_none() && self.has_fault_room(),
            release_valid: outcome.release.is_some(),
            release: outcome.release.unwrap_or(Notification { notified: 0, warps: 0, ..self.out.release }),
            commit_valid: commit.is_some(),
            commit: commit.unwrap_or_default(),
            waiting: self.rows.waiting,
            open: self.open,
            clearing: release.is_some_and(|op| self.is_valid_release(op)) || self.to_clear.is_some() || turn.is_some(),
            fault_valid: !self.faults.is_empty(),
            fault: self.faults.front().copied().unwrap_or(self.out.fault),
        };
    }
}

impl Work {
    pub fn operation(&self) -> Option<&GatewayOp> {
        match self {
            Work::Operation(op) => Some(op),
            Work::Row { .. } => None,
        }
    }
}

impl Gateway {
    /// Whether a Release has no fault from upstream and names a CTA slot that is built.
    fn is_valid_release(&self, op: &GatewayOp) -> bool {
        op.fault == Code::None && usize::from(op.cta) < self.sizes.cta_slots()
    }
}
