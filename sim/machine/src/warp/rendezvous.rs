// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lanes of a warp that meet to exchange values. They wait until all live lanes of their member mask have arrived. Then each lane reads
//! values of other lanes.

use super::meeting::{Rendezvous, Results};
use super::{bits, Warp};
use bcu_program::arith::bits::extended;
use bcu_program::arith::{lane_result, Calc, Float, Format, Limit, Operation, Round, Rules, Type, TypeKind};
use bcu_program::{Exchange, Reduce, Shuffle, Vote};

impl Warp {
    /// Exchanges the values at complete rendezvous, and resumes their lanes.
    pub fn complete_rendezvous(&mut self) {
        let complete = |first: &Rendezvous, rendezvous: &[Rendezvous], live: u64| {
            let same =
                rendezvous.iter().filter(|meeting| (meeting.exchange, meeting.members) == (first.exchange, first.members));
            same.fold(0, |lanes, meeting| lanes | meeting.lanes) & first.members & live == first.members & live
        };
        while let Some(first) = self.rendezvous.iter().position(|first| complete(first, &self.rendezvous, self.lanes)) {
            let (exchange, members) = (self.rendezvous[first].exchange, self.rendezvous[first].members);
            let waiting = std::mem::take(&mut self.rendezvous);
            let (together, incomplete): (Vec<_>, Vec<_>) =
                waiting.into_iter().partition(|meeting| (meeting.exchange, meeting.members) == (exchange, members));
            self.rendezvous = incomplete;
            let lanes = together.iter().fold(0, |lanes, meeting| lanes | meeting.lanes) & self.lanes;
            let source = |source: usize, lane: usize| {
                let own_meeting = together.iter().find(|meeting| meeting.lanes >> lane & 1 == 1)?;
                own_meeting.sources.get(source)?.get(lane).copied().flatten()
            };
            let results: Vec<(usize, Results)> = match exchange {
                Exchange::Product(product) => {
                    let [a, b, c, _] = product.registers();
                    let register = |number: usize| (0..self.width).map(|lane| source(number, lane)).collect();
                    product.calculate(&(0..a + b + c).map(register).collect::<Vec<_>>()).into_iter().enumerate().collect()
                }
                _ => bits(lanes).map(|lane| (lane, result(exchange, lane, lanes, self.width, &source))).collect(),
            };
            let origin = together.iter().find_map(|meeting| meeting.origin);
            for (lane, results) in results {
                let Some(own_meeting) = together.iter().find(|meeting| meeting.lanes >> lane & 1 == 1) else { continue };
                let shuffled = match exchange {
                    Exchange::Shuffle(kind) => shuffled(kind, lane, self.width, source(1, lane), source(2, lane)),
                    _ => None,
                };
                // The value from a lane that does not take part is unknown.
                let giver = shuffled.filter(|(from, _)| lanes >> from & 1 == 1);
                let partial = giver.and_then(|(from, _)| {
                    together.iter().find(|meeting| meeting.lanes >> from & 1 == 1)?.partial.get(from).copied()
                });
                for (number, (to, value)) in own_meeting.writes.iter().zip(results).enumerate() {
                    let Some(slot) = to else { continue };
                    match partial.filter(|_| number == 0) {
                        Some(partial) => self.set_partial(*slot, lane, partial),
                        None => self.set(*slot, lane, value),
                    }
                    if value.is_none() {
                        let base = self.threads.base[lane];
                        self.values.set_origin(base + slot, origin.or(Some(own_meeting.at)));
                    }
                }
            }
            self.waiting &= !lanes;
            self.held_cycles = 0;
        }
    }
}

/// The results in lane `lane` of an exchange among `lanes`.
fn result(exchange: Exchange, lane: usize, lanes: u64, width: usize, source: &impl Fn(usize, usize) -> Option<u64>) -> Results {
    let truth = |lane: usize| source(0, lane).map(|value| value & 1 == 1);
    let mask = |lanes: &mut dyn Iterator<Item = usize>| lanes.fold(0u64, |mask, lane| mask | 1 << lane);
    match exchange {
        Exchange::Shuffle(kind) => {
            let Some((from, is_in_range)) = shuffled(kind, lane, width, source(1, lane), source(2, lane)) else {
                return vec![None; 2];
            };
            // The value from a lane that does not take part is unknown.
            let value = if lanes >> from & 1 == 1 { source(0, from) } else { None };
            vec![value, Some(is_in_range.into())]
        }
        Exchange::Vote(vote) => {
            let Some(truths) = bits(lanes).map(truth).collect::<Option<Vec<bool>>>() else { return vec![None; 2] };
            let value = match vote {
                Vote::All => truths.iter().all(|t| *t).into(),
                Vote::Any => truths.iter().any(|t| *t).into(),
                Vote::Uniform => truths.iter().all(|t| Some(t) == truths.first()).into(),
                Vote::Ballot => mask(&mut bits(lanes).zip(&truths).filter(|(_, t)| **t).map(|(lane, _)| lane)),
            };
            vec![Some(value)]
        }
        Exchange::MatchAny | Exchange::MatchAll => {
            let Some(values) = bits(lanes).map(|lane| source(0, lane)).collect::<Option<Vec<u64>>>() else {
                return vec![None; 2];
            };
            let own_value = source(0, lane);
            let same =
                mask(&mut bits(lanes).zip(&values).filter(|(_, value)| Some(**value) == own_value).map(|(lane, _)| lane));
            match exchange {
                Exchange::MatchAny => vec![Some(same)],
                _ => vec![Some(if same == lanes { same } else { 0 }), Some((same == lanes).into())],
            }
        }
        Exchange::Reduce(op, ty) => {
            let values = bits(lanes).map(|lane| source(0, lane)).collect::<Option<Vec<u64>>>();
            vec![values.and_then(|values| values.into_iter().reduce(|a, b| reduced(op, ty, a, b)))]
        }
        Exchange::Extreme { least, magnitude, nan } => {
            let rules = Rules { round: Round::Even, ftz: false, limit: Limit::None, nan, xorsign: false };
            let op = Operation::Float { op: if least { Float::Min } else { Float::Max }, format: Format::F32, rules };
            let number = |lane: usize| source(0, lane).map(|bits| if magnitude { bits & 0x7fff_ffff } else { bits });
            let chosen = |one, other| lane_result(Calc { op, pair: None }, [one, other, None, None]).0;
            // With one lane, the result is the number itself.
            vec![bits(lanes).map(number).reduce(chosen).flatten()]
        }
        Exchange::Active => vec![Some(lanes)],
        Exchange::Transpose => {
            let half = |row: usize| {
                let word = source(0, row * 4 + lane / 4 / 2)?;
                Some(word >> (16 * (lane / 4 % 2)) & 0xffff)
            };
            vec![half(lane % 4 * 2).zip(half(lane % 4 * 2 + 1)).map(|(low_half, high_half)| high_half << 16 | low_half)]
        }
        // `complete_rendezvous` calculates the product, for all lanes at once.
        Exchange::Product(_) => vec![],
    }
}

/// The lane from which a shuffle takes the value, and whether it is inside the segment (PTX page on shfl.sync).
fn shuffled(kind: Shuffle, lane: usize, width: usize, by: Option<u64>, clamp: Option<u64>) -> Option<(usize, bool)> {
    let (by, clamp) = (by? as u32 & 0x1f, clamp? as u32);
    let (bound, segment, lane) = (clamp & 0x1f, clamp >> 8 & 0x1f, lane as u32);
    let highest = (lane & segment) | (bound & !segment);
    let lowest = lane & segment;
    let (from, is_in_range) = match kind {
        Shuffle::Up => {
            let from = lane.wrapping_sub(by);
            // For `up`, the clamp is the lowest lane of the segment.
            (from, lane >= by && from >= highest)
        }
        Shuffle::Down => (lane + by, lane + by <= highest),
        Shuffle::Butterfly => (lane ^ by, lane ^ by <= highest),
        Shuffle::Index => {
            let from = lowest | (by & !segment);
            (from, from <= highest)
        }
    };
    let from = if is_in_range { from } else { lane };
    Some((from as usize % width.max(1), is_in_range))
}

fn reduced(op: Reduce, ty: Type, a: u64, b: u64) -> u64 {
    let (x, y) = (extended(a, ty), extended(b, ty));
    let value = match op {
        Reduce::Add => x + y,
        Reduce::Min => x.min(y),
        Reduce::Max => x.max(y),
        Reduce::And => x & y,
        Reduce::Or => x | y,
        Reduce::Xor => x ^ y,
    };
    extended(value as u64, Type { kind: if ty.kind == TypeKind::Signed { TypeKind::Signed } else { TypeKind::Unsigned }, ..ty })
        as u64
}
