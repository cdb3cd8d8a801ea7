// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values that `mbarrier` stores: the word of an object, an entry of the cache, an item of the queue.

use crate::prelude::*;

/// The word of an object in its stored form, with all counts negated; the word 0 is not an mbarrier object.
#[payload]
pub struct Word {
    /// Expected arrivals of the next phases, negated.
    pub expected: Bits<20>,
    /// Bytes outstanding, negated.
    pub tx: Bits<21>,
    /// The object is spent: all participants have dropped out, and only waits on it are legal.
    pub spent: Bit,
    /// Pending arrivals, negated.
    pub pending: Bits<20>,
    /// Phase bit.
    pub phase: Bit,
}

/// The fields of the word after an operation, before a completion is applied.
#[payload]
pub struct NewWord {
    /// Expected arrivals, negated.
    pub new_expected: Bits<20>,
    /// Bytes outstanding, negated.
    pub new_tx: Bits<21>,
    /// The spent bit, which the operation does not change.
    pub new_spent: Bit,
    /// Pending arrivals, negated.
    pub new_pending: Bits<20>,
    /// The phase bit, which the operation does not change.
    pub new_phase: Bit,
}

/// An entry of the cache; an entry with all bits 0 is free.
#[payload]
pub struct Entry<W, XT> {
    /// The entry holds an object.
    pub live: Bit,
    /// The object was changed: memory has an older word.
    pub dirty: Bit,
    /// CTA slot and high bits of the object's word number.
    pub tag: Bits<XT>,
    /// Warps that are suspended on the object.
    pub waiting: Bits<W>,
    /// The word of the object.
    pub word: Word,
}

/// The actions of an operation, decoded from its kind.
#[payload]
pub struct OpActions {
    /// Init.
    pub init: Bit,
    /// Inval; also set in an item that is no operation.
    pub inval: Bit,
    /// TestWait, TryWait.
    pub waits: Bit,
    /// TryWait by all live lanes of the warp: the warp may be suspended.
    pub suspends: Bit,
    /// The operation lowers the pending count.
    pub arrives: Bit,
    /// The operation lowers the expected count.
    pub drops: Bit,
    /// The operation raises the pending count (AddPending).
    pub adds: Bit,
    /// The operation raises the number of expected bytes.
    pub expects: Bit,
    /// The operation changes the byte count.
    pub moves_bytes: Bit,
    /// The operation raises the number of expected bytes and does nothing else (Expect).
    pub only_expects: Bit,
    /// The operation may complete the phase.
    pub completes: Bit,
    /// The operation must not complete the phase (NoComplete).
    pub no_complete: Bit,
}

/// The actions of an item, decoded before it is queued. With all bits 0 it reads an entry and leaves it unchanged.
#[payload]
pub struct Actions {
    /// The item is a time-out, or the result of a remote operation, which is decided as a time-out that wakes no warp.
    pub times_out: Bit,
    /// The item is a step of the walk over the entries of a leaving CTA.
    pub walks: Bit,
    /// The item is an operation, or the fault of a remote operation whose target CTA was absent.
    pub operates: Bit,
    /// The item has a fault that does not depend on its object.
    pub flawed: Bit,
    /// The actions of the operation.
    pub op: OpActions,
    /// The warp gets a token; for an operation from `net_in`, the sender gets a reply.
    pub has_result: Bit,
}

/// The numbers that an operation adds to the word of its object.
#[payload]
pub struct Addends {
    /// The number that is added to `pending` of the word.
    pub add_pending: Bits<20>,
    /// The number that is added to `expected` of the word.
    pub add_expected: Bits<20>,
    /// The number that is added to `tx` of the word.
    pub add_tx: Bits<21>,
    /// Carry into the sum of `pending`.
    pub pending_carry_in: Bit,
    /// Carry into the sum of `expected`.
    pub expected_carry_in: Bit,
}

/// The object of an operation.
#[payload]
pub struct ObjectPlace<LC, XW> {
    /// CTA slot of the object.
    pub cta: Bits<LC>,
    /// Word number of the object.
    pub object: Bits<XW>,
}

/// An item of the queue.
#[payload]
pub struct Item<LW, LC, XW, XL> {
    /// The actions of the item.
    pub actions: Actions,
    /// Fault of the operation, if the fault does not depend on the object; None = no fault.
    pub code: FaultCode,
    /// The item belongs to a warp: an operation from `op`, or the result of a remote one.
    pub has_warp: Bit,
    /// Warp that the item belongs to.
    pub warp: Bits<LW>,
    /// The object of the operation.
    pub place: ObjectPlace<LC, XW>,
    /// Shared address, to be reported with a fault.
    pub address: Bits<32>,
    /// The addends of the operation.
    pub addends: Addends,
    /// Waits: the phase to test.
    pub tested_phase: Bit,
    /// TryWait: maximum number of ticks to wait; 0 = no hint.
    pub hint: Bits<XL>,
    /// The destination of the result; for an operation from `net_in`, `rd` is the source.
    pub destination: Destination,
}

/// The cache entry of an item, available before the rest of the item.
#[payload]
pub struct Lookup<XI> {
    /// Number of the entry.
    pub entry: Bits<XI>,
    /// The item is an Init, which starts from an empty word.
    pub init: Bit,
}

/// A time-out of a suspended warp.
#[payload]
pub struct TimeOut<LW, XI> {
    /// The warp.
    pub warp: Bits<LW>,
    /// The entry at which the warp was suspended.
    pub entry: Bits<XI>,
}
