// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Objects of a legal user of `mbarrier`: the contributions of each phase, and the word according to `docs/contract/mbarrier.md`.

use crate::stimulus::Rng;

/// The numbers of `MbarrierKind`.
pub const INIT: u64 = 0;
pub const INVAL: u64 = 1;
pub const ARRIVE: u64 = 2;
pub const ARRIVE_EXPECT: u64 = 3;
pub const ARRIVE_NO_COMPLETE: u64 = 4;
pub const DROP: u64 = 5;
pub const DROP_EXPECT: u64 = 6;
pub const DROP_NO_COMPLETE: u64 = 7;
pub const EXPECT: u64 = 8;
pub const COMPLETE: u64 = 9;
pub const ADD_PENDING: u64 = 10;
pub const TEST_WAIT: u64 = 11;
pub const TRY_WAIT: u64 = 12;

/// One operation on an object, from any sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    pub kind: u64,
    /// Index of the object among the CTA's objects.
    pub object: usize,
    pub count: u64,
    pub bytes: u64,
    /// The number of the phase to which the operation contributes, or for which it waits.
    pub phase: u64,
    /// The rank of another CTA of the cluster, if the operation is for that CTA.
    pub rank: Option<u64>,
}

impl Task {
    pub fn is_wait(&self) -> bool {
        self.kind >= TEST_WAIT
    }

    /// Whether the operation has a result. Arrivals, drops and waits do.
    pub fn has_result(&self) -> bool {
        (ARRIVE..=DROP_NO_COMPLETE).contains(&self.kind) || self.is_wait()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// The object is not initialised, or was invalidated.
    Raw,
    /// An Init or Inval of the object is planned.
    Changing,
    Live,
}

#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// The number of the object's word.
    pub word: u64,
    pub life: Life,
    /// The number of the planned phase.
    pub phase: u64,
    /// The number of arrivals that the next phase expects.
    pub expected: u64,
    /// Number of contributions to the planned phase that were not transferred yet.
    pub unsent: u64,
    /// Number of waits for the planned phase that were not answered true yet.
    pub waits: u64,
    pub is_planned: bool,
    /// Some wait for the planned phase was answered true.
    pub is_complete: bool,
    /// The pending arrivals of the planned phase after all transfers so far.
    pub pending: u64,
    /// The pending bytes of the planned phase after all transfers so far.
    pub tx: i64,
    /// Number of transfers on `tx` in the planned phase whose effect no output has confirmed yet.
    pub tx_unknown: u64,
    /// The object was invalidated, so its word is 0.
    pub is_zero: bool,
}

impl Object {
    pub fn new(word: u64) -> Object {
        Object {
            word,
            life: Life::Raw,
            phase: 0,
            expected: 0,
            unsent: 0,
            waits: 0,
            is_planned: false,
            is_complete: false,
            pending: 0,
            tx: 0,
            tx_unknown: 0,
            is_zero: false,
        }
    }

    /// Applies a transferred contribution to the sums; the order of contributions is irrelevant.
    pub fn transfer(&mut self, task: &Task) {
        self.unsent = self.unsent.saturating_sub(1);
        match task.kind {
            ADD_PENDING => self.pending += task.count,
            EXPECT => self.tx += task.bytes as i64,
            COMPLETE => self.tx -= task.bytes as i64,
            _ => {
                self.pending -= task.count;
                self.tx += task.bytes as i64;
                if matches!(task.kind, DROP | DROP_EXPECT | DROP_NO_COMPLETE) {
                    self.expected -= task.count;
                }
            }
        }
    }

    /// The object's word after all transfers have taken effect.
    pub fn as_word(&self) -> u64 {
        let flips = self.is_planned && self.unsent == 0 && self.pending == 0 && self.tx == 0;
        let (phase, pending) = if flips { (self.phase + 1, self.expected) } else { (self.phase, self.pending) };
        let negated = |number: i64, bits: u32| (number.wrapping_neg() as u64) & ((1 << bits) - 1);
        let (expected, pending) = (negated(self.expected as i64, 20), negated(pending as i64, 20));
        expected << 1 | negated(self.tx, 21) << 21 | pending << 43 | (phase & 1) << 63
    }
}

/// The sender of a contribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Warp,
    Copies,
    Network,
}

/// Splits a phase with `expected` arrivals into contributions. Each contribution is a sequence of operations of one source.
pub fn split(rng: &mut Rng, object: usize, expected: u64, has_network: bool, most: u64) -> Vec<(Source, Vec<Task>)> {
    let (mut arrivals_left, mut staying, mut bytes_left) = (expected, expected, (1u64 << 20) - 1);
    let mut parts = vec![];
    while arrivals_left > 0 {
        let count = if parts.len() as u64 + 1 >= most { arrivals_left } else { rng.range(1, arrivals_left) };
        arrivals_left -= count;
        let task = Task { object, count, ..Task::default() };
        let bytes = if rng.chance(600) { rng.below(100) } else { rng.below(bytes_left / 4) };
        let drops = staying > count && rng.chance(80);
        let source = rng.pick(&[Source::Warp, Source::Warp, Source::Copies, Source::Network]).unwrap_or(Source::Warp);
        let source = if source == Source::Network && !has_network { Source::Warp } else { source };
        if source == Source::Copies && count < 64 {
            parts.push((source, vec![Task { kind: ARRIVE, ..task }]));
            continue;
        }
        let source = if source == Source::Copies { Source::Warp } else { source };
        let kind = |plain: u64| if drops { plain + DROP - ARRIVE } else { plain };
        staying -= if drops { count } else { 0 };
        let expects = |kind: u64| Task { kind, bytes, ..task };
        let mut announced = 0;
        let tasks = match rng.below(6) {
            0 | 1 => vec![Task { kind: kind(ARRIVE), ..task }],
            2 => {
                announced = bytes;
                vec![expects(kind(ARRIVE_EXPECT))]
            }
            3 if source == Source::Warp => {
                announced = bytes;
                vec![Task { count: 0, ..expects(EXPECT) }, Task { kind: kind(ARRIVE), ..task }]
            }
            4 if count > 1 && source == Source::Warp => {
                let first = rng.range(1, count - 1);
                let no_complete = Task { kind: kind(ARRIVE_NO_COMPLETE), count: first, ..task };
                vec![no_complete, Task { kind: kind(ARRIVE), count: count - first, ..task }]
            }
            5 if source == Source::Warp && !drops && count < 1 << 18 => {
                let more = rng.range(1, 9);
                let added = Task { kind: ADD_PENDING, count: more, ..task };
                vec![added, Task { kind: ARRIVE, count: count + more, ..task }]
            }
            _ => vec![Task { kind: kind(ARRIVE), ..task }],
        };
        parts.push((source, tasks));
        bytes_left -= announced;
        while announced > 0 {
            let piece = if rng.chance(500) { announced } else { rng.range(1, announced) };
            announced -= piece;
            let source = rng.pick(&[Source::Copies, Source::Copies, Source::Warp, Source::Network]).unwrap_or(Source::Copies);
            let source = if source == Source::Network && !has_network { Source::Copies } else { source };
            // Many small pieces would take too many cycles, so the last piece has all remaining bytes.
            let piece = if parts.len() > 12 { piece + std::mem::take(&mut announced) } else { piece };
            parts.push((source, vec![Task { kind: COMPLETE, object, bytes: piece, ..Task::default() }]));
        }
    }
    parts
}
