// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transitions of a state: effects of accesses, of operations at barriers, and of what happens without a warp.
//!
//! A `cp.async` reads its source and writes its destination after the earlier accesses of its warp to these bytes have taken effect
//! (`docs/guide/races.md`: a copy is ordered after the accesses before its start). Later accesses of the warp do not wait for it, and bulk
//! copies are unordered with all accesses, because they are of another proxy.

use super::memory::{destination, source};
use super::misuse::Misuse;
use super::program::{Mbar, OpKind, Program, TILE_WORDS};
use super::state::{Agent, State};
use std::fmt;

/// One transition of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The access of a warp with this index takes effect.
    Access { warp: usize, index: usize },
    /// The first operation in the queue of a warp takes effect.
    Operation { warp: usize },
    /// A part of what an agent does.
    Agent { index: usize, part: Part },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A copy reads its source.
    Read,
    /// A copy or an asynchronous store writes a piece.
    Write(u8),
    /// It signals the bytes of a piece.
    Signal(u8),
    /// An arrival, or an operation of another CTA.
    Arrive,
}

impl State {
    /// The transitions that are possible. One of them may be a misuse, see [`State::after`].
    pub fn transitions(&self, program: &Program) -> Vec<Transition> {
        let mut found = vec![];
        for (number, warp) in self.warps.iter().enumerate() {
            for (index, access) in warp.accesses.iter().enumerate() {
                let is_over = access.may_take_effect(self.memory[usize::from(access.address)]);
                if is_over && !warp.accesses[..index].iter().any(|earlier| access.follows(*earlier)) {
                    found.push(Transition::Access { warp: number, index });
                }
            }
            if warp.queue.first().is_some_and(|first| first.accesses == 0 && self.may_take_effect(program, number)) {
                found.push(Transition::Operation { warp: number });
            }
        }
        for (index, agent) in self.agents.iter().enumerate() {
            found.extend(self.parts(program, agent).into_iter().map(|part| Transition::Agent { index, part }));
        }
        found
    }

    /// Whether a wait is over, or a misuse. A release takes effect after the earlier operations of its warp on mbarriers of the other CTA,
    /// which are operations on memory that it releases. Other operations can always take effect.
    fn may_take_effect(&self, program: &Program, warp: usize) -> bool {
        let Some(first) = self.warps[warp].queue.first() else { return false };
        let Some(op) = program.warps[warp].get(usize::from(first.op)) else { return true };
        let is_remote = |agent: &Agent| matches!(agent, Agent::Remote { warp: of, .. } if usize::from(*of) == warp);
        if op.kind.is_release() && self.agents.iter().any(is_remote) {
            return false;
        }
        match self.asked(op.kind, warp) {
            Some((at, odd)) => {
                let object = &self.mbarriers[State::mbarrier_of(program.cta_of(warp), at)];
                object.is_over(odd) != Ok(false)
            }
            None => true,
        }
    }

    /// The mbarrier and the phase bit for which a wait waits.
    fn asked(&self, kind: OpKind, warp: usize) -> Option<(Mbar, bool)> {
        match kind {
            OpKind::WaitParity { at, parity } => Some((at, parity)),
            OpKind::WaitToken { at, token } => {
                let word = self.warps[warp].results[usize::from(token)]?;
                Some((at, word >> 63 == 1))
            }
            _ => None,
        }
    }

    fn parts(&self, program: &Program, agent: &Agent) -> Vec<Part> {
        match agent {
            Agent::Copy { warp, op, accesses, data, unwritten, unsignalled, .. } => {
                let warp = usize::from(*warp);
                let (cta, kind) = (program.cta_of(warp), program.warps[warp][usize::from(*op)].kind);
                let tile = if data.is_none() { source(program, cta, kind) } else { destination(program, cta, kind) };
                let earlier = &self.warps[warp].accesses[..usize::from(*accesses)];
                if earlier.iter().any(|access| (tile..tile + TILE_WORDS).contains(&usize::from(access.address))) {
                    return vec![];
                }
                if data.is_none() {
                    return vec![Part::Read];
                }
                let bits = |mask: u8| (0..8).filter(move |piece| mask & 1 << piece != 0);
                let mut parts: Vec<Part> = bits(*unwritten).map(Part::Write).collect();
                parts.extend(bits(unsignalled & !unwritten).map(Part::Signal));
                parts
            }
            Agent::Arrival { warp, op } => {
                let is_earlier = |other: &Agent| {
                    let (of, at) = other.origin();
                    of == usize::from(*warp)
                        && at < usize::from(*op)
                        && matches!(program.warps[of][at].kind, OpKind::CpAsync { .. })
                };
                if self.agents.iter().any(is_earlier) {
                    vec![]
                } else {
                    vec![Part::Arrive]
                }
            }
            Agent::Remote { .. } => vec![Part::Arrive],
            Agent::StoreAsync { warp, op, accesses, written: false } => {
                let OpKind::StoreAsync { word, .. } = program.warps[usize::from(*warp)][usize::from(*op)].kind else {
                    return vec![];
                };
                // Like a copy, it is ordered after the earlier accesses of its warp to these bytes.
                let at = super::memory::shared(program.cta_of(usize::from(*warp)) ^ 1, word.into());
                let earlier = &self.warps[usize::from(*warp)].accesses[..usize::from(*accesses)];
                if earlier.iter().any(|access| usize::from(access.address) == at) {
                    vec![]
                } else {
                    vec![Part::Write(0)]
                }
            }
            Agent::StoreAsync { written: true, .. } => vec![Part::Signal(0)],
        }
    }

    /// The settled state after a transition.
    pub fn after(&self, program: &Program, transition: Transition) -> Result<State, Misuse> {
        let mut state = self.clone();
        match transition {
            Transition::Access { warp, index } => state.perform_access(program, warp, index)?,
            Transition::Operation { warp } => state.perform_operation(program, warp)?,
            Transition::Agent { index, part } => state.perform_part(program, index, part)?,
        }
        state.settle(program);
        Ok(state)
    }

    /// A transition in words.
    pub fn describe(&self, program: &Program, transition: Transition) -> String {
        match transition {
            Transition::Access { warp, index } => format!("warp {warp}: {:?}", self.warps[warp].accesses[index]),
            Transition::Operation { warp } => {
                let op = self.warps[warp].queue.first().map_or(0, |first| usize::from(first.op));
                match program.warps[warp].get(op) {
                    Some(op) => format!("warp {warp}: {:?}", op.kind),
                    None => format!("warp {warp}: exit"),
                }
            }
            Transition::Agent { index, part } => {
                let (warp, op) = self.agents[index].origin();
                format!("warp {warp}, later: {part} of {:?}", program.warps[warp][op].kind)
            }
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Part::Read => write!(f, "read"),
            Part::Write(piece) => write!(f, "write of piece {piece}"),
            Part::Signal(piece) => write!(f, "signal of piece {piece}"),
            Part::Arrive => write!(f, "arrival"),
        }
    }
}
