// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation as the model represents it: kinds, fault codes and fields, with the values that they have at the ports.

use super::sizes::Sizes;
use super::wire::{Fields, PortAction, Value};

/// Defines an enum whose variants have the values 0, 1, 2, … at a port; the first is the default.
macro_rules! port_enum {
    ($(#[$doc:meta])* $name:ident { $first:ident, $($rest:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            #[default]
            $first,
            $($rest),*
        }

        impl $name {
            /// Every variant, indexed by its value.
            pub const ALL: &'static [$name] = &[$name::$first, $($name::$rest),*];

            /// The variant with this value at a port; a value without a variant gives the first variant.
            #[inline]
            pub fn from_value(value: u64) -> Self {
                Self::ALL.get(value as usize).copied().unwrap_or_default()
            }

            /// The value at a port.
            #[inline]
            pub fn value(self) -> u64 {
                self as u64
            }
        }

        impl Value for $name {
            const NAMES: &'static [&'static str] = &[stringify!($first), $(stringify!($rest)),*];
            #[inline]
            fn get(&self) -> u64 {
                self.value()
            }
            #[inline]
            fn set(&mut self, value: u64) {
                *self = Self::from_value(value);
            }
        }
    };
}

pub(super) use port_enum;

port_enum! {
    /// The kind of an operation, by the value of `op_kind`.
    Kind {
        Sync,
        Arrive,
        Reduce,
        Read,
        Write,
        Exit,
        Launch,
        Release,
        Fence,
        Mbarrier,
        ClusterArrive,
        ClusterArriveRelaxed,
        ClusterWait,
        GridLaunch,
        GridWait,
        Gateway,
    }
}

port_enum! {
    /// The operator of a Reduce, by the value of `op_redop`.
    RedOp { And, Or, Popc }
}

port_enum! {
    /// The subject of a Read or Write, by the value of `op_state`.
    StateWord { Warp, Barrier, Result }
}

port_enum! {
    /// How the lanes of the warp take part in an arrival, by the value of `in_form`.
    Form { Raw, Aligned, Gathered, WarpSync, Elect }
}

port_enum! {
    /// The consequence of a refused operation for its warp, by the value of `fault_policy`.
    FaultPolicy { Report, Trap, Hang }
}

port_enum! {
    /// The reduction of a generation, by the value of `release_reduction`.
    Reduction { None, And, Or, Popc }
}

port_enum! {
    /// The cause for which an operation had no effect, by the value of `op_fault` and `fault_code`. A unit that finds several causes
    /// reports the lowest code.
    Code {
        None,
        NotResident,
        WarpBlocked,
        SlotOccupied,
        IllegalInstruction,
        IdOutOfRange,
        OperandNotUniform,
        PartialMask,
        GatherMismatch,
        CountZeroArrive,
        CountNotWarpMultiple,
        CountExceedsCta,
        DoubleArrival,
        KindMismatch,
        CountMismatch,
        NoResult,
        BadStateWord,
        BarrierLeftOpen,
        Deadlock,
        RankOutOfRange,
        WaitRemote,
        AddressMisaligned,
        AddressOutOfRange,
        MbarrierCount,
        RankAbsent,
        MbarrierInvalid,
        MbarrierTxRange,
        MbarrierOverArrival,
        MbarrierDropToZero,
        MbarrierCompletes,
        MbarrierExpectLate,
        ClusterDoubleArrival,
        ClusterWaitWithoutArrival,
        CannotSave,
        SignalType,
        CountZero,
        CountExceedsGroup,
        SignalMismatch,
        OverSignal,
        NotificationLost,
        ProducerWaits,
    }
}

impl Kind {
    /// Whether operations of this kind are executed by the whole warp, and their form states how the lanes take part.
    pub fn has_form(self) -> bool {
        matches!(self, Kind::Sync | Kind::Arrive | Kind::Reduce) || self.is_of_cluster()
    }

    /// Whether an operation of this kind arrives at a barrier without making its warp wait.
    pub fn goes_on(self) -> bool {
        matches!(self, Kind::Arrive | Kind::ClusterArrive | Kind::ClusterArriveRelaxed)
    }

    pub fn is_of_cluster(self) -> bool {
        matches!(self, Kind::ClusterArrive | Kind::ClusterArriveRelaxed | Kind::ClusterWait)
    }

    pub fn is_of_grid(self) -> bool {
        matches!(self, Kind::GridLaunch | Kind::GridWait)
    }
}

/// One operation of the stream. Fields that a kind does not use are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    pub kind: Kind,
    /// The fault found upstream; it is reported when the operation reaches the unit in which it would take effect.
    pub fault: Code,
    /// All executing lanes gave the same id, count and state word.
    pub uniform: bool,
    pub warp: u8,
    /// CTA slot.
    pub cta: u8,
    /// Barrier id, 0 to 15.
    pub id: u8,
    /// Threads, 0 to 4095; 0 = none given.
    pub count: u16,
    /// Reduce: the operator.
    pub redop: RedOp,
    /// Reduce: the warp's contribution, 0 to 64; Mbarrier: the number of executing lanes.
    pub value: u8,
    /// Read, Write: the subject.
    pub state: StateWord,
    /// Write: the state word; Mbarrier: the shared address; Gateway: the message, in which bit 13 is 1 for a wait.
    pub data: u32,
    /// Launch: number of warps launched. The fields `warps`, `live`, `barriers` and `saved` are at no port upstream of `named`.
    pub warps: u8,
    /// Launch: number of live warps.
    pub live: u8,
    /// Launch: number of barriers declared.
    pub barriers: u8,
    /// Release: the warp slots of the CTA.
    pub mask: u64,
    /// Release: open barriers are no fault.
    pub saved: bool,
    /// The number of the transfer on its channel, counted from reset; it is at no port.
    pub tag: u32,
}

impl Operation {
    /// Visits the fields of the stream up to `mem_order`. `value`: the field `value` is a port; this is so downstream of `gather`.
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>, value: bool) {
        self.fields_of_warp(at, value);
        self.mask(at);
    }

    /// Visits the fields at `named`.
    pub fn fields_of_named(&mut self, at: &mut Fields<impl PortAction>) {
        self.fields(at, true);
        at.field("warps", &mut self.warps, at.sizes().count_bits());
        at.field("live", &mut self.live, at.sizes().count_bits());
        at.field("barriers", &mut self.barriers, 6);
        at.field("saved", &mut self.saved, 1);
    }

    /// Visits the fields that an operation of a warp has.
    pub fn fields_of_warp(&mut self, at: &mut Fields<impl PortAction>, value: bool) {
        self.kind_and_fault(at);
        at.field("uniform", &mut self.uniform, 1);
        at.cta(&mut self.cta);
        at.field("id", &mut self.id, 4);
        at.field("count", &mut self.count, 12);
        at.choice("redop", &mut self.redop);
        at.choice("state", &mut self.state);
        at.field("data", &mut self.data, 32);
        at.warp(&mut self.warp);
        if value {
            at.field("value", &mut self.value, at.sizes().value_bits());
        }
    }

    /// Visits the field `mask`, which only Launch and Release use.
    pub fn mask(&mut self, at: &mut Fields<impl PortAction>) {
        at.field("mask", &mut self.mask, at.sizes().warps());
    }

    pub fn kind_and_fault(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.choice("fault", &mut self.fault);
    }

    /// The operation as `named` treats it: a CTA slot that is not built gives the fault `NotResident`.
    pub fn in_a_slot_of(self, sizes: &Sizes) -> Operation {
        let astray = self.fault == Code::None && usize::from(self.cta) >= sizes.cta_slots();
        Operation { fault: if astray { Code::NotResident } else { self.fault }, ..self }
    }

    /// The reduction that the operation requires of its generation.
    pub fn reduction(&self) -> Reduction {
        match (self.kind, self.redop) {
            (Kind::Reduce, RedOp::And) => Reduction::And,
            (Kind::Reduce, RedOp::Or) => Reduction::Or,
            (Kind::Reduce, RedOp::Popc) => Reduction::Popc,
            _ => Reduction::None,
        }
    }

    /// Whether the operation is an arrival whose warp waits until the generation completes.
    pub fn waits(&self) -> bool {
        matches!(self.kind, Kind::Sync | Kind::Reduce)
    }

    /// Whether the operation makes its warp wait for a notification of the gateway.
    pub fn waits_at_gateway(&self) -> bool {
        self.kind == Kind::Gateway && self.data >> 13 & 1 != 0
    }

    /// Whether the operation writes the state word of a warp that must wait again.
    pub fn restores_a_wait(&self) -> bool {
        self.kind == Kind::Write && self.state == StateWord::Warp && self.data >> 14 & 1 != 0
    }

    /// Whether `named` accepts no operation in the cycle after this operation.
    pub fn takes_two_slots(&self) -> bool {
        match self.kind {
            Kind::Exit | Kind::Launch | Kind::Release => true,
            Kind::Write => self.state == StateWord::Warp,
            _ => false,
        }
    }

    /// Whether a warp executes the operation, in contrast to the host's operations on its CTA.
    pub fn is_of_a_warp(&self) -> bool {
        !matches!(self.kind, Kind::Launch | Kind::Release)
    }
}
