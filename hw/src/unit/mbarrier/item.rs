// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads that `mbarrier` stores, with their parts:
//!
//! - [`Word`], an mbarrier object; [`NewWord`], its fields with the sums of an operation.
//! - [`Entry`], an entry of the cache; [`Lookup`], the number of an item's entry, which is stored apart from the item.
//! - [`Item`], an item of the queue, with its parts [`Actions`], [`OpActions`], [`Addends`] and [`ObjectPlace`].
//! - [`TimeOut`], the time-out of a suspended warp.
//!
//! A word holds its counts negated, in two's complement, so that arrivals and completed bytes are added to them. Such a sum has no
//! carry-in, so `sums` can test whether the sum is 0 before the sum is known. A number that must be negated is inverted in [`Addends`], and
//! its sum has a carry-in of 1.
//!
//! Sizes: `W` warps with numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, cache entry numbers
//! of `XI` bits, cache tags of `XT` bits, tick counts of `XL` bits.

use crate::prelude::*;

/// An mbarrier object as it is stored, with all counts negated. The word 0 is not an mbarrier object.
#[payload]
pub struct Word {
    /// Arrivals that each later phase expects, negated.
    pub expected: Bits<20>,
    /// Bytes that the present phase still needs, negated.
    pub tx: Bits<21>,
    /// The object is spent: all participants have dropped out, and only waits on it are legal.
    pub spent: Bit,
    /// Arrivals that the present phase still needs, negated.
    pub pending: Bits<20>,
    /// Parity of the present phase: the lowest bit of its number.
    pub phase: Bit,
}

/// The fields of an object after an operation, before the operation completes the phase.
#[payload]
pub struct NewWord {
    /// Arrivals that each later phase expects, negated.
    pub new_expected: Bits<20>,
    /// Bytes that the present phase still needs, negated.
    pub new_tx: Bits<21>,
    /// The spent bit, which the operation does not change.
    pub new_spent: Bit,
    /// Arrivals that the present phase still needs, negated.
    pub new_pending: Bits<20>,
    /// The phase bit, which the operation does not change.
    pub new_phase: Bit,
}

/// An entry of the cache; an entry with all bits 0 is free.
#[payload]
pub struct Entry<W, XT> {
    /// The entry holds an object.
    pub live: Bit,
    /// The object was changed in the cache: shared memory holds an older word.
    pub dirty: Bit,
    /// CTA slot of the object, and the bits of the object's word number above the lowest bits, of which an entry number
    /// has as many.
    pub tag: Bits<XT>,
    /// Warps that are suspended on the object, one bit per warp.
    pub waiting: Bits<W>,
    /// The word of the object.
    pub word: Word,
}

/// The actions of an operation, decoded from its kind.
#[payload]
pub struct OpActions {
    /// The kind is Init.
    pub init: Bit,
    /// The kind is Inval. Also 1 in an internal item: `op_select` gives such an item the kind Inval, because Inval sets no
    /// other action. An internal item ignores `inval`: it does not operate, or is flawed.
    pub inval: Bit,
    /// The kind is TestWait or TryWait.
    pub waits: Bit,
    /// The kind is TryWait and all live lanes of the warp execute it: the warp may be suspended.
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
    /// The operation completes the phase if no arrival and no byte is missing after it.
    pub completes: Bit,
    /// The operation must not complete the phase (ArriveNoComplete, DropNoComplete): a completion is a fault.
    pub no_complete: Bit,
}

/// The actions of an item, decoded before the item is queued.
#[payload]
pub struct Actions {
    /// The item is a time-out, or the result of a remote operation. Such a result is decided as a time-out that wakes no warp.
    pub times_out: Bit,
    /// The item is a step of the walk over the entries of a leaving CTA.
    pub walks: Bit,
    /// The item is an operation, or the fault of a remote operation whose target CTA was absent.
    pub operates: Bit,
    /// The item has a fault that does not depend on its object.
    pub flawed: Bit,
    /// The actions of the operation.
    pub op: OpActions,
    /// The item has a result: an operation from `op` or the result of a remote operation gives its warp a token, and an
    /// operation from `net_in` gives its sender a reply.
    pub has_result: Bit,
}

/// The numbers that an operation adds to the counts of its object. The carry into the sum of `tx` is `expects` of [`OpActions`].
#[payload]
pub struct Addends {
    /// The number that is added to `pending`: arrivals, inverted for an Init or AddPending.
    pub add_pending: Bits<20>,
    /// The number that is added to `expected`: arrivals for a drop, inverted arrivals for an Init, else 0.
    pub add_expected: Bits<20>,
    /// The number that is added to `tx`: bytes, inverted if they are expected.
    pub add_tx: Bits<21>,
    /// Carry into the sum of `pending`: 1 if `add_pending` is inverted.
    pub pending_carry_in: Bit,
    /// Carry into the sum of `expected`: 1 if `add_expected` is inverted.
    pub expected_carry_in: Bit,
}

/// The object of an operation.
#[payload]
pub struct ObjectPlace<LC, XW> {
    /// CTA slot of the CTA that has the object.
    pub cta: Bits<LC>,
    /// Word number of the object: its offset in shared memory divided by 8.
    pub object: Bits<XW>,
}

/// An item of the queue.
#[payload]
pub struct Item<LW, LC, XW, XL> {
    /// The actions of the item.
    pub actions: Actions,
    /// Fault of the operation, if the fault does not depend on the object; None = no fault.
    pub code: FaultCode,
    /// The item belongs to a warp: it is an operation from `op`, or the result of a remote operation.
    pub has_warp: Bit,
    /// Warp that the item belongs to; in a time-out, the suspended warp.
    pub warp: Bits<LW>,
    /// The object of the operation.
    pub place: ObjectPlace<LC, XW>,
    /// Shared address of the object, which a fault reports.
    pub address: Bits<32>,
    /// The addends of the operation.
    pub addends: Addends,
    /// Waits: parity of the phase to test.
    pub tested_phase: Bit,
    /// TryWait: maximum number of ticks to wait; 0 = no hint.
    pub hint: Bits<XL>,
    /// The destination of the result. In an operation from `net_in`, the field `rd` holds `source` of the operation;
    /// `net_reply` returns this value.
    pub destination: Destination,
}

/// The cache entry of an item. The queue outputs it one cycle before the rest of the item.
#[payload]
pub struct Lookup<XI> {
    /// Number of the entry.
    pub entry: Bits<XI>,
    /// The item is an Init, which starts from an empty word.
    pub init: Bit,
}

/// A time-out: the wait of a suspended warp ends.
#[payload]
pub struct TimeOut<LW, XI> {
    /// The suspended warp.
    pub warp: Bits<LW>,
    /// The entry at which the warp was suspended.
    pub entry: Bits<XI>,
}
