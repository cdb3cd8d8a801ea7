// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The effects of transitions.

use super::cluster;
use super::memory::{self, AccessKind};
use super::misuse::Misuse;
use super::named::{Arrival, Completed};
use super::program::{ArrivalForm, Mbar, OpKind, Program, Token, BARRIERS, TILE_BYTES, TILE_WORDS};
use super::state::{Agent, State, Status};
use super::transition::Part;

impl State {
    pub(super) fn perform_access(&mut self, program: &Program, warp: usize, index: usize) -> Result<(), Misuse> {
        let access = self.warps[warp].accesses[index];
        let address = usize::from(access.address);
        self.check_owner(program, warp, memory::owner(program, address))?;
        let of = &mut self.warps[warp];
        of.accesses.remove(index);
        for queued in &mut of.queue {
            if usize::from(queued.accesses) > index {
                queued.accesses -= 1;
            }
        }
        for agent in &mut self.agents {
            match agent {
                Agent::Copy { warp: of, accesses, .. } | Agent::StoreAsync { warp: of, accesses, .. }
                    if usize::from(*of) == warp && usize::from(*accesses) > index =>
                {
                    *accesses -= 1;
                }
                _ => {}
            }
        }
        self.agents.sort();
        if let AccessKind::Await(_) = access.kind {
            self.resume(warp);
            return Ok(());
        }
        if let Some((op, value)) = access.perform(&mut self.memory[address]) {
            of.results[usize::from(op)] = Some(value.into());
        }
        Ok(())
    }

    /// Another CTA must not have ended when its memory is accessed.
    fn check_owner(&self, program: &Program, warp: usize, owner: Option<usize>) -> Result<(), Misuse> {
        match owner {
            Some(cta) if cta != program.cta_of(warp) && self.has_ended(program, cta) => Err(Misuse("cluster_cta_exited")),
            _ => Ok(()),
        }
    }

    /// The number of an mbarrier. Its CTA must not have ended.
    fn mbarrier(&self, program: &Program, warp: usize, at: Mbar) -> Result<usize, Misuse> {
        let cta = program.cta_of(warp);
        if at.peer && self.has_ended(program, cta ^ 1) {
            return Err(Misuse("rank_absent"));
        }
        Ok(State::mbarrier_of(cta, at))
    }

    pub(super) fn perform_operation(&mut self, program: &Program, warp: usize) -> Result<(), Misuse> {
        let queued = self.warps[warp].queue.remove(0);
        let Some(op) = program.warps[warp].get(usize::from(queued.op)) else {
            self.exit(program, warp);
            return Ok(());
        };
        match op.kind {
            OpKind::ArriveCluster { .. } => {
                self.members[warp].arrive()?;
                self.complete_cluster();
            }
            OpKind::WaitCluster => {
                if self.members[warp].wait()? {
                    self.resume(warp);
                } else {
                    self.warps[warp].status = Status::Blocked;
                    self.complete_cluster();
                }
            }
            OpKind::Sync { id, count } => {
                let arrival = Arrival { warp, waits: true, count, reduction: None, threads: 0 };
                self.arrive(program, id, arrival)?;
            }
            OpKind::ArriveNamed { id, count } => {
                let arrival = Arrival { warp, waits: false, count: Some(count), reduction: None, threads: 0 };
                self.arrive(program, id, arrival)?;
            }
            OpKind::Reduce { id, count, reduction, predicate } => {
                let threads = if predicate { program.threads_of_warp() } else { 0 };
                let arrival = Arrival { warp, waits: true, count, reduction: Some(reduction), threads };
                self.arrive(program, id, arrival)?;
            }
            OpKind::Arrive { at, .. } | OpKind::ExpectTx { at, .. } if at.peer => {
                self.add_agent(Agent::Remote { warp: warp as u8, op: queued.op });
            }
            _ => self.perform_at_mbarrier(program, warp, queued.op)?,
        }
        Ok(())
    }

    /// The effect of an operation on an mbarrier.
    fn perform_at_mbarrier(&mut self, program: &Program, warp: usize, op: u8) -> Result<(), Misuse> {
        let kind = program.warps[warp][usize::from(op)].kind;
        let (OpKind::Init { at, .. }
        | OpKind::Inval { at }
        | OpKind::Arrive { at, .. }
        | OpKind::ExpectTx { at, .. }
        | OpKind::WaitParity { at, .. }
        | OpKind::WaitToken { at, .. }
        | OpKind::Peek { at, .. }
        | OpKind::CpArrive { at, .. }) = kind
        else {
            return Ok(());
        };
        let number = self.mbarrier(program, warp, at)?;
        let object = &mut self.mbarriers[number];
        let mut result = None;
        match kind {
            OpKind::Init { count, .. } => object.init(count)?,
            OpKind::Inval { .. } => object.inval(),
            OpKind::Arrive { count, form, drop, token, .. } => {
                let word = object.arrive(count, form, drop)?;
                result = (token != Token::Unused && !at.peer).then_some(word);
            }
            OpKind::ExpectTx { bytes, .. } => object.expect(bytes)?,
            OpKind::CpArrive { .. } => object.add_pending()?,
            OpKind::Peek { parity, .. } => result = Some(object.is_over(parity)?.into()),
            // A wait takes effect when its phase is over, or at once if there is no mbarrier, as a misuse.
            OpKind::WaitParity { .. } | OpKind::WaitToken { .. } => {
                object.is_over(false)?;
            }
            _ => {}
        }
        let of = &mut self.warps[warp];
        if let Some(result) = result {
            of.results[usize::from(op)] = Some(result);
        }
        match kind {
            OpKind::Arrive { .. } => {}
            OpKind::ExpectTx { .. } if at.peer => {}
            OpKind::CpArrive { .. } => self.add_agent(Agent::Arrival { warp: warp as u8, op }),
            _ => self.resume(warp),
        }
        Ok(())
    }

    /// A warp continues after the operation for which it waits.
    fn resume(&mut self, warp: usize) {
        self.warps[warp].status = Status::Runs;
        self.warps[warp].next += 1;
    }

    /// An arrival at a named barrier, with the number of the warp in the program.
    fn arrive(&mut self, program: &Program, id: u8, arrival: Arrival) -> Result<(), Misuse> {
        let (warp, launched) = (arrival.warp, program.warps_per_cta());
        let cta = program.cta_of(warp);
        if arrival.waits {
            self.warps[warp].status = Status::Blocked;
        }
        let live = self.live(program, cta);
        let arrival = Arrival { warp: warp % launched, ..arrival };
        let completed = self.named[cta * BARRIERS + usize::from(id)].arrive(arrival, launched, live)?;
        self.release(program, cta, completed);
        Ok(())
    }

    /// Resumes the warps that wait for the completed generation.
    fn release(&mut self, program: &Program, cta: usize, completed: Option<Completed>) {
        let Some(Completed { waiting, result }) = completed else { return };
        for number in (0..program.warps_per_cta()).filter(|number| waiting & 1 << number != 0) {
            let warp = cta * program.warps_per_cta() + number;
            let at = usize::from(self.warps[warp].next);
            if program.warps[warp].get(at).is_some_and(|op| matches!(op.kind, OpKind::Reduce { .. })) {
                self.warps[warp].results[at] = Some(result.into());
            }
            self.resume(warp);
        }
    }

    fn complete_cluster(&mut self) {
        for warp in cluster::complete(&mut self.members) {
            self.resume(warp);
        }
    }

    fn exit(&mut self, program: &Program, warp: usize) {
        self.warps[warp].status = Status::Exited;
        self.members[warp] = cluster::Member::Gone;
        let cta = program.cta_of(warp);
        let live = self.live(program, cta);
        for id in 0..BARRIERS {
            let completed = self.named[cta * BARRIERS + id].exit(live);
            self.release(program, cta, completed);
        }
        self.complete_cluster();
    }

    pub(super) fn perform_part(&mut self, program: &Program, index: usize, part: Part) -> Result<(), Misuse> {
        let mut agent = self.agents.remove(index);
        let (warp, op) = agent.origin();
        let (cta, kind) = (program.cta_of(warp), program.warps[warp][op].kind);
        let mut is_over = true;
        match (&mut agent, kind) {
            (Agent::Copy { data, unwritten, unsignalled, .. }, _) => {
                match part {
                    Part::Read => *data = Some(self.tile(memory::source(program, cta, kind))),
                    Part::Write(piece) => {
                        *unwritten &= !(1 << piece);
                        self.write(memory::destination(program, cta, kind), data.unwrap_or_default(), piece, pieces(kind));
                    }
                    Part::Signal(piece) => {
                        *unsignalled &= !(1 << piece);
                        if let OpKind::BulkLoad { at, .. } = kind {
                            let number = self.mbarrier(program, warp, at)?;
                            self.mbarriers[number].complete(TILE_BYTES / i32::from(pieces(kind)))?;
                        }
                    }
                    Part::Arrive => {}
                }
                is_over = *unwritten == 0 && *unsignalled == 0;
            }
            (Agent::Arrival { .. }, OpKind::CpArrive { at, .. }) => {
                let number = self.mbarrier(program, warp, at)?;
                self.mbarriers[number].arrive(1, ArrivalForm::Plain, false)?;
            }
            (Agent::Remote { .. }, _) => self.perform_at_mbarrier(program, warp, op as u8)?,
            (Agent::StoreAsync { written, .. }, OpKind::StoreAsync { word, value, at }) => {
                if *written {
                    let number = self.mbarrier(program, warp, Mbar { number: at, peer: true })?;
                    self.mbarriers[number].complete(4)?;
                } else {
                    self.check_owner(program, warp, Some(cta ^ 1))?;
                    self.memory[memory::shared(cta ^ 1, word.into())] = value;
                    *written = true;
                    is_over = false;
                }
            }
            _ => {}
        }
        if !is_over {
            self.add_agent(agent);
        }
        Ok(())
    }

    fn tile(&self, at: usize) -> [u32; TILE_WORDS] {
        std::array::from_fn(|word| self.memory[at + word])
    }

    fn write(&mut self, at: usize, data: [u32; TILE_WORDS], piece: u8, pieces: u8) {
        let words = TILE_WORDS / usize::from(pieces);
        let first = usize::from(piece) * words;
        self.memory[at + first..at + first + words].copy_from_slice(&data[first..first + words]);
    }
}

/// The pieces of a copy.
fn pieces(kind: OpKind) -> u8 {
    match kind {
        OpKind::BulkLoad { pieces, .. } | OpKind::BulkStore { pieces, .. } => pieces,
        _ => 1,
    }
}
