// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The issue of operations: each warp issues its operations in order, until it has to wait.

use super::memory::{self, Access, AccessKind};
use super::program::{Op, OpKind, Program, Token, Value, Word};
use super::state::{Agent, Queued, State, Status};

/// Whether an exit waits for the accesses of the warp, as an arrival does: it does not (`docs/contract/mem_order.md`). So a barrier that the
/// exit completes does not order the accesses of the warp that has exited.
pub const EXIT_WAITS: bool = false;

/// The index of the groups of `cp.async` in [`super::state::Warp::groups`].
pub const ASYNC: usize = 0;
/// The index of the groups of `cp.async.bulk` in [`super::state::Warp::groups`].
pub const BULK: usize = 1;

/// What a warp does with its next operation.
enum Issue {
    /// It cannot be issued now.
    Not,
    /// It is issued, and the warp continues.
    Done,
    /// It goes to the queue, and the warp continues.
    Queue,
    /// It goes to the queue, and the warp waits until it has taken effect.
    QueueAndWait,
    /// It is issued, and the warp waits until it has taken effect.
    Waits,
}

impl State {
    /// Issues all operations that can be issued.
    pub fn settle(&mut self, program: &Program) {
        for warp in 0..self.warps.len() {
            while self.issue_next(program, warp) {}
        }
    }

    /// Issues the next operation of a warp, if that is possible.
    fn issue_next(&mut self, program: &Program, warp: usize) -> bool {
        let at = usize::from(self.warps[warp].next);
        if self.warps[warp].status != Status::Runs {
            return false;
        }
        let Some(op) = program.warps[warp].get(at) else { return self.issue_exit(program, warp) };
        if let Some(guard) = op.guard {
            match self.warps[warp].results[usize::from(guard)] {
                None => return false,
                Some(0) => {
                    if op.kind.has_result() {
                        self.warps[warp].results[at] = Some(0);
                    }
                    self.warps[warp].next += 1;
                    return true;
                }
                Some(_) => {}
            }
        }
        match self.issue(program, warp, op.kind) {
            Issue::Not => return false,
            Issue::Done => self.warps[warp].next += 1,
            Issue::Waits => self.warps[warp].status = Status::Queued,
            Issue::Queue => {
                self.enqueue(warp, op.kind.is_release());
                self.warps[warp].next += 1;
            }
            Issue::QueueAndWait => {
                self.enqueue(warp, op.kind.is_release());
                self.warps[warp].status = Status::Queued;
            }
        }
        true
    }

    /// A warp exits when its reported results have come, because it stores them.
    fn issue_exit(&mut self, program: &Program, warp: usize) -> bool {
        let results = &self.warps[warp].results;
        let has_come = |(op, result): (&Op, &Option<u64>)| !op.kind.is_reported() || result.is_some();
        if !program.warps[warp].iter().zip(results).all(has_come) {
            return false;
        }
        self.enqueue(warp, EXIT_WAITS);
        self.warps[warp].status = Status::Queued;
        true
    }

    fn enqueue(&mut self, warp: usize, release: bool) {
        let warp = &mut self.warps[warp];
        let accesses = if release { warp.accesses.len() as u8 } else { 0 };
        warp.queue.push(Queued { op: warp.next, accesses });
    }

    fn access(&mut self, program: &Program, warp: usize, at: Word, kind: AccessKind) -> Issue {
        let address = memory::address(program, program.cta_of(warp), at) as u8;
        self.warps[warp].accesses.push(Access { address, kind });
        Issue::Done
    }

    fn issue(&mut self, program: &Program, warp: usize, kind: OpKind) -> Issue {
        let op = self.warps[warp].next;
        match kind {
            OpKind::Store { at, value, .. } => {
                let value = match value {
                    Value::Constant(value) => Some(value),
                    Value::Result(of) => self.warps[warp].results[usize::from(of)].map(|value| value as u32),
                };
                let Some(value) = value else { return Issue::Not };
                self.access(program, warp, at, AccessKind::Store(value))
            }
            OpKind::Await { at, value } => {
                self.access(program, warp, at, AccessKind::Await(value));
                Issue::Waits
            }
            OpKind::Load { at, strong } => self.access(program, warp, at, AccessKind::Load(op, strong)),
            OpKind::Atomic { at, atomic, operand, used } => {
                self.access(program, warp, at, AccessKind::Atomic(atomic, operand, used.then_some(op)))
            }
            OpKind::Fence { .. } => {
                let warp = &self.warps[warp];
                issued_if(warp.accesses.is_empty() && warp.queue.is_empty())
            }
            OpKind::WaitToken { token, .. } if self.warps[warp].results[usize::from(token)].is_none() => Issue::Not,
            OpKind::ArriveNamed { .. } | OpKind::Arrive { .. } | OpKind::ArriveCluster { .. } => Issue::Queue,
            OpKind::ExpectTx { at, .. } if at.peer => Issue::Queue,
            OpKind::CpArrive { noinc: false, .. } => Issue::Queue,
            OpKind::CpArrive { noinc: true, .. } => {
                self.add_agent(Agent::Arrival { warp: warp as u8, op });
                Issue::Done
            }
            OpKind::Sync { .. }
            | OpKind::Reduce { .. }
            | OpKind::Init { .. }
            | OpKind::Inval { .. }
            | OpKind::ExpectTx { .. }
            | OpKind::WaitParity { .. }
            | OpKind::WaitToken { .. }
            | OpKind::Peek { .. }
            | OpKind::WaitCluster => Issue::QueueAndWait,
            OpKind::BulkLoad { pieces, .. } => self.copy(warp, BULK, pieces, true),
            OpKind::BulkStore { pieces, .. } => self.copy(warp, BULK, pieces, false),
            OpKind::CpAsync { .. } => self.copy(warp, ASYNC, 1, false),
            OpKind::BulkCommit => self.commit(warp, BULK),
            OpKind::CpCommit => self.commit(warp, ASYNC),
            OpKind::BulkWait { pending, read } => issued_if(self.has_finished(program, warp, BULK, pending, read)),
            OpKind::CpWait { pending } => issued_if(self.has_finished(program, warp, ASYNC, pending, false)),
            OpKind::CpWaitAll => {
                self.commit(warp, ASYNC);
                let finished = self.has_finished(program, warp, ASYNC, 0, false);
                if !finished {
                    self.warps[warp].groups[ASYNC] -= 1;
                }
                issued_if(finished)
            }
            OpKind::StoreAsync { .. } => {
                let accesses = self.warps[warp].accesses.len() as u8;
                self.add_agent(Agent::StoreAsync { warp: warp as u8, op, accesses, written: false });
                Issue::Done
            }
        }
    }

    fn copy(&mut self, warp: usize, class: usize, pieces: u8, signals: bool) -> Issue {
        let (op, group) = (self.warps[warp].next, self.warps[warp].groups[class]);
        let all = (1 << pieces) - 1;
        let unsignalled = if signals { all } else { 0 };
        // A bulk copy is ordered after earlier accesses only by a proxy fence, which waits for them.
        let accesses = if class == ASYNC { self.warps[warp].accesses.len() as u8 } else { 0 };
        self.add_agent(Agent::Copy { warp: warp as u8, op, group, accesses, data: None, unwritten: all, unsignalled });
        Issue::Done
    }

    fn commit(&mut self, warp: usize, class: usize) -> Issue {
        self.warps[warp].groups[class] += 1;
        Issue::Done
    }

    /// Whether the committed groups of a warp except the last `pending` are finished; with `read` only their reads.
    fn has_finished(&self, program: &Program, warp: usize, class: usize, pending: u8, read: bool) -> bool {
        let before = self.warps[warp].groups[class].saturating_sub(pending);
        let is_pending = |agent: &Agent| match agent {
            Agent::Copy { warp: of, op, group, data, .. } => {
                let in_class = match program.warps[usize::from(*of)][usize::from(*op)].kind {
                    OpKind::CpAsync { .. } => class == ASYNC,
                    OpKind::BulkStore { .. } => class == BULK,
                    _ => false,
                };
                usize::from(*of) == warp && in_class && *group < before && !(read && data.is_some())
            }
            _ => false,
        };
        !self.agents.iter().any(is_pending)
    }
}

fn issued_if(condition: bool) -> Issue {
    if condition {
        Issue::Done
    } else {
        Issue::Not
    }
}

impl OpKind {
    /// Whether the operation has a result, for the program or for a later operation.
    fn has_result(self) -> bool {
        self.is_reported() || matches!(self, OpKind::Arrive { token: Token::Waited, .. })
    }

    /// Whether the operation waits for the accesses of the warp that were issued before it.
    pub(super) fn is_release(self) -> bool {
        match self {
            OpKind::Sync { .. } | OpKind::ArriveNamed { .. } | OpKind::Reduce { .. } => true,
            OpKind::Arrive { relaxed, .. } | OpKind::ArriveCluster { relaxed } => !relaxed,
            _ => false,
        }
    }
}
