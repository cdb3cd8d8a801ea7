// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An mbarrier object and the untimed semantics of its operations (`docs/contract/mbarrier.md`: the word, what an operation
//! does, the faults that depend on the object).

use super::op::{port_enum, Code};
use super::wire::Value;

port_enum! {
    /// The kind of an operation, by the value of `op_kind`.
    MbarrierKind {
        Init,
        Inval,
        Arrive,
        ArriveExpect,
        ArriveNoComplete,
        Drop,
        DropExpect,
        DropNoComplete,
        Expect,
        Complete,
        AddPending,
        TestWait,
        TryWait,
    }
}

use MbarrierKind::*;

impl MbarrierKind {
    /// Whether an operation of this kind has an operand n, a number of arrivals.
    pub fn counts(self) -> bool {
        self == Init || self == AddPending || self.arrives()
    }

    /// Whether the kind is an arrival of any form.
    pub fn arrives(self) -> bool {
        matches!(self, Arrive | ArriveExpect | ArriveNoComplete) || self.drops()
    }

    pub fn drops(self) -> bool {
        matches!(self, Drop | DropExpect | DropNoComplete)
    }

    /// Whether an operation of this kind adds to the tx-count.
    pub fn expects(self) -> bool {
        matches!(self, ArriveExpect | DropExpect | Expect)
    }

    /// Whether an operation of this kind can complete a phase.
    pub fn completes(self) -> bool {
        matches!(self, Arrive | ArriveExpect | Drop | DropExpect | Complete)
    }

    pub fn waits(self) -> bool {
        matches!(self, TestWait | TryWait)
    }

    /// Whether an operation of this kind can be remote: on an object of another CTA.
    pub fn travels(self) -> bool {
        self.arrives() || matches!(self, Expect | Complete)
    }

    /// Whether the warp of an operation of this kind receives a result.
    pub fn has_result(self) -> bool {
        self.arrives() || self.waits()
    }
}

/// The modulus of 20-bit numbers.
const WRAP: i64 = 1 << 20;

/// A word of shared memory, as an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// Bit 0 of the word is 1: the word has another layout than an object.
    pub other_layout: bool,
    pub phase: bool,
    /// Bit 42: the last participants have dropped out.
    pub spent: bool,
    /// The number of arrivals that later phases expect.
    pub expected: u32,
    pub pending: u32,
    /// The tx-count, the bytes outstanding: -(2^20 - 1) to 2^20.
    pub tx: i32,
}

impl Object {
    /// A new object, each phase of which expects n arrivals.
    pub fn new(n: u32) -> Object {
        Object { expected: n % WRAP as u32, pending: n % WRAP as u32, ..Object::default() }
    }

    pub fn from_word(word: u64) -> Object {
        let field = |low: u32, bits: u32| (word >> low & ((1 << bits) - 1)) as i64;
        let negated = |value: i64, wrap: i64| (wrap - value) % wrap;
        let tx = negated(field(21, 21), 2 * WRAP);
        Object {
            other_layout: word & 1 != 0,
            phase: word >> 63 != 0,
            spent: word >> 42 & 1 != 0,
            expected: negated(field(1, 20), WRAP) as u32,
            pending: negated(field(43, 20), WRAP) as u32,
            tx: if tx > WRAP { tx - 2 * WRAP } else { tx } as i32,
        }
    }

    pub fn word(&self) -> u64 {
        let negated = |value: i64, wrap: i64| (-value).rem_euclid(wrap) as u64;
        u64::from(self.other_layout)
            | negated(self.expected.into(), WRAP) << 1
            | negated(self.tx.into(), 2 * WRAP) << 21
            | u64::from(self.spent) << 42
            | negated(self.pending.into(), WRAP) << 43
            | u64::from(self.phase) << 63
    }

    /// Whether the word is a valid object for an operation of this kind.
    fn is_valid_for(&self, kind: MbarrierKind) -> bool {
        let over = self.spent && self.expected == 0 && self.pending == 0 && self.tx == 0;
        !self.other_layout && (!self.spent && self.expected != 0 || kind.waits() && over)
    }

    /// The object after an operation with n arrivals and t bytes, and whether the operation completes the phase. The operation is neither
    /// an Init nor an Inval.
    ///
    /// # Errors
    /// The fault with which the operation is refused, if the unit has checks.
    pub fn after(&self, kind: MbarrierKind, n: u32, t: u32, checks: bool) -> Result<(Object, bool), Code> {
        let (n, t) = (i64::from(n), i64::from(t));
        let pending = match kind {
            AddPending => i64::from(self.pending) + n,
            _ => i64::from(self.pending) - n,
        };
        let expected = i64::from(self.expected) - if kind.drops() { n } else { 0 };
        let tx = i64::from(self.tx) + if kind.expects() { t } else { -t };
        // The numbers are calculated exactly for the checks. Without checks they wrap to the widths of their fields.
        let wrapped_pending = pending.rem_euclid(WRAP);
        let wrapped_expected = expected.rem_euclid(WRAP);
        let wrapped_tx = (tx + WRAP - 1).rem_euclid(2 * WRAP) - (WRAP - 1);
        let empty = wrapped_pending == 0 && wrapped_tx == 0;
        // The faults that depend on the object, in the order of precedence.
        if checks {
            let moves_bytes = kind.expects() || kind == Complete;
            let fault = [
                (!self.is_valid_for(kind), Code::MbarrierInvalid),
                (kind == AddPending && pending >= WRAP, Code::MbarrierCount),
                (moves_bytes && tx.abs() >= WRAP, Code::MbarrierTxRange),
                (kind.arrives() && (pending < 0 || self.pending == 0), Code::MbarrierOverArrival),
                (kind.drops() && (expected < 0 || expected == 0 && !(empty && kind.completes())), Code::MbarrierDropToZero),
                (matches!(kind, ArriveNoComplete | DropNoComplete) && empty, Code::MbarrierCompletes),
                (kind == Expect && empty, Code::MbarrierExpectLate),
            ];
            if let Some((_, code)) = fault.into_iter().find(|(refused, _)| *refused) {
                return Err(code);
            }
        }
        let mut after = Object {
            other_layout: false,
            expected: wrapped_expected as u32,
            pending: wrapped_pending as u32,
            tx: wrapped_tx as i32,
            ..*self
        };
        // After a completed phase the next phase begins. It needs the arrivals that are still expected after all drops.
        let complete = empty && kind.completes();
        if complete {
            after.phase = !self.phase;
            after.pending = after.expected;
            after.spent |= after.expected == 0;
        }
        Ok((after, complete))
    }
}
