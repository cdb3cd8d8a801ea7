// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operands of `mbarrier` and `cp.async.mbarrier.arrive`: their number, their kinds, and the type of the result.

use super::mbarrier::token;
use super::mbarrier_form::{Does, MbarrierForm};
use crate::arith::{Type, TypeKind};

impl MbarrierForm {
    /// Minimum and maximum number of operands, and their description.
    pub fn operands(&self) -> (usize, usize, &'static str) {
        match (self.does, &self.mode) {
            (Does::Init, _) => (2, 2, "an address and a count: `[addr], count`"),
            (Does::Inval | Does::Copies { .. }, _) => (1, 1, "an address: `[addr]`"),
            (Does::Tx(_), _) => (2, 2, "an address and a number of bytes: `[addr], txCount`"),
            (Does::Arrive { .. }, None) => (2, 3, "a state, an address and optionally a count: `state, [addr], count`"),
            (Does::Arrive { .. }, Some((".expect_tx", _))) => {
                (3, 3, "a state, an address and a number of bytes: `state, [addr], txCount`")
            }
            (Does::Arrive { .. }, Some(_)) => (3, 3, "a state, an address and a count: `state, [addr], count`"),
            (Does::Wait { suspends: false }, _) if self.parity.is_some() => {
                (3, 3, "a predicate, an address and a parity: `waitComplete, [addr], phaseParity`")
            }
            (Does::Wait { suspends: false }, _) => (3, 3, "a predicate, an address and a state: `waitComplete, [addr], state`"),
            (Does::Wait { .. }, _) if self.parity.is_some() => (
                3,
                4,
                "a predicate, an address, a parity and optionally a hint: `waitComplete, [addr], phaseParity, suspendTimeHint`",
            ),
            (Does::Wait { .. }, _) => {
                (3, 4, "a predicate, an address, a state and optionally a hint: `waitComplete, [addr], state, suspendTimeHint`")
            }
            (Does::PendingCount, _) => (2, 2, "a count and a state: `count, state`"),
        }
    }

    /// If the first operand is a destination: its meaning, for messages, and the check of its type.
    pub fn result(&self) -> Option<(&'static str, fn(Type) -> bool)> {
        match self.does {
            Does::Arrive { .. } => Some(("the state of an mbarrier", token)),
            Does::Wait { .. } => Some(("the result of a wait", |ty| ty.kind == TypeKind::Predicate)),
            Does::PendingCount => {
                Some(("a number of arrivals", |ty| ty.bits == 32 && matches!(ty.kind, TypeKind::Unsigned | TypeKind::Signed)))
            }
            _ => None,
        }
    }

    pub fn expected_result(&self) -> &'static str {
        match self.does {
            Does::Arrive { .. } => "a .b64 register, or `_`",
            Does::Wait { .. } => "a .pred register",
            _ => "a .u32 register",
        }
    }

    /// Whether the result may be left out.
    pub fn sinks(&self) -> bool {
        matches!(self.does, Does::Arrive { .. })
    }
}
