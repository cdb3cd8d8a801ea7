// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations without a pattern, and changes.

use super::super::program::{ArrivalForm, Mbar, Op, OpKind, Reduction, Token, Value, BARRIERS, TILE_BYTES};
use super::Draft;

impl Draft {
    /// Any operation, to be added to a warp.
    pub(super) fn any(&mut self, warp: usize) -> Op {
        let (at, word) = (self.mbar(), self.word());
        let parity = self.rng.chance(400);
        let of = self.usable(warp);
        let count = if self.rng.chance(500) { None } else { Some(self.rng.range(1, 3) as u8) };
        let arrive = |form, drop, relaxed, token| OpKind::Arrive { at, count: 1, form, drop, relaxed, token };
        let drop = self.rng.chance(300);
        let kind = match self.rng.below(if self.ctas > 1 { 26 } else { 21 }) {
            0 | 1 => self.store(word),
            2 | 3 => self.load(word),
            4 => OpKind::Store { at: word, value: of.map_or(Value::Constant(9), Value::Result), strong: false },
            5 => OpKind::Fence { proxy: self.rng.chance(500) },
            6 => OpKind::Sync { id: self.id(), count },
            7 => OpKind::ArriveNamed { id: self.id(), count: count.unwrap_or(2) },
            8 => OpKind::Reduce { id: self.id(), count, reduction: Reduction::Or, predicate: parity },
            9 => OpKind::Init { at, count: self.rng.range(1, 2) as u32 },
            10 => OpKind::Inval { at },
            11 => arrive(ArrivalForm::Plain, true, false, Token::Unused),
            12 => arrive(ArrivalForm::NoComplete, drop, false, Token::Reported),
            13 => arrive(ArrivalForm::Plain, false, drop, Token::Waited),
            14 => OpKind::ExpectTx { at, bytes: TILE_BYTES },
            15 => OpKind::WaitParity { at, parity },
            16 | 17 => OpKind::Peek { at, parity },
            18 => OpKind::BulkLoad { tile: self.tile(), at, pieces: 1 },
            19 => OpKind::BulkStore { tile: self.tile(), pieces: self.rng.range(1, 2) as u8 },
            20 => self.await_flag(),
            21 => OpKind::StoreAsync { word: 0, value: 7, at: at.number },
            22 => OpKind::ArriveCluster { relaxed: drop },
            23 => OpKind::WaitCluster,
            24 => OpKind::ExpectTx { at: Mbar { peer: true, ..at }, bytes: 4 },
            _ => {
                let (at, form) = (Mbar { peer: true, ..at }, ArrivalForm::Plain);
                OpKind::Arrive { at, count: 1, form, drop, relaxed: false, token: Token::Unused }
            }
        };
        let guard = if kind.is_guardable() && self.rng.chance(250) { of } else { None };
        Op { kind, guard }
    }

    /// An operation of the warp whose result a later operation can use.
    fn usable(&mut self, warp: usize) -> Option<u8> {
        let ops = self.warps[warp].iter().enumerate().filter(|(_, op)| op.kind.is_usable());
        let numbers: Vec<u8> = ops.map(|(at, _)| at as u8).collect();
        self.rng.pick(&numbers)
    }

    /// Changes the program at one place.
    pub(super) fn change(&mut self) {
        let warp = self.warp();
        let length = self.warps[warp].len();
        let at = self.rng.below(length as u64) as usize;
        let op = self.any(warp);
        match self.rng.below(6) {
            0 | 1 => self.warps[warp].insert(at, Op { guard: None, ..op }),
            _ if length == 0 => {}
            2 => drop(self.warps[warp].remove(at)),
            3 if at > 0 => self.warps[warp].swap(at - 1, at),
            4 => {
                let op = self.warps[warp].remove(at);
                let to = self.warp();
                let place = self.rng.below(self.warps[to].len() as u64 + 1) as usize;
                self.warps[to].insert(place, op);
            }
            _ => self.alter(warp, at),
        }
    }

    /// Changes an operand.
    fn alter(&mut self, warp: usize, at: usize) {
        let other = Some(self.rng.range(1, 3) as u8);
        match &mut self.warps[warp][at].kind {
            OpKind::Sync { count, .. } | OpKind::Reduce { count, .. } => *count = if count.is_some() { None } else { other },
            OpKind::WaitParity { parity, .. } | OpKind::Peek { parity, .. } => *parity = !*parity,
            OpKind::Arrive { drop, .. } => *drop = !*drop,
            OpKind::Init { count, .. } => *count += 1,
            OpKind::ArriveNamed { id, .. } => *id = (*id + 1) % BARRIERS as u8,
            OpKind::BulkWait { read, .. } => *read = !*read,
            OpKind::ArriveCluster { relaxed } => *relaxed = !*relaxed,
            _ => {}
        }
    }
}
