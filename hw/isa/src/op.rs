// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The enumerations of an operation: its kind, its form, its fault code.
//!
//! The order of [`FaultCode`] is the order of precedence of `docs/contract/faults.md`: if several faults apply, the lowest code is
//! reported. Signals need derives of rust-hdl, which cannot be added to a type of another crate. Therefore the RTL defines its own types
//! from the same list, [`op_enums`](crate::op_enums).

/// Passes every enumeration of an operation to the macro `$define`.
#[macro_export]
macro_rules! op_enums {
    ($define:ident) => {
        $define! {
            /// The kind of an operation of the stream.
            pub enum OpKind {
                /// The warp arrives and waits (BAR.SYNC).
                Sync,
                /// The warp arrives and resumes at once (BAR.ARV).
                Arrive,
                /// The warp arrives with a predicate, waits, and gets the reduction (BAR.RED).
                Reduce,
                /// Reads a state word (B2R).
                Read,
                /// Writes a state word (R2B).
                Write,
                /// The warp exits.
                Exit,
                /// A CTA is launched into its slot.
                Launch,
                /// A CTA gives its slot back.
                Release,
                /// The warp waits until its memory accesses are performed (FENCE.MEM).
                Fence,
                /// The warp's lanes operate on an mbarrier (MBAR).
                Mbarrier,
                /// The warp arrives at its cluster's barrier, after the accesses before it (CLUSTER.ARRIVE).
                ClusterArrive,
                /// The warp arrives at its cluster's barrier, and does not wait for outstanding accesses (CLUSTER.ARRIVE.RELAXED).
                ClusterArriveRelaxed,
                /// The warp waits for its cluster (CLUSTER.WAIT).
                ClusterWait,
                /// The grids that depend on the grid of the warp may start early (GRID.LAUNCH).
                GridLaunch,
                /// The warp waits for the grids that its grid depends on (GRID.WAIT).
                GridWait,
                /// A message to the gateway: the warp signals a named barrier of its thread group, or waits for it (NBAR).
                Gateway,
            }
        }

        $define! {
            /// The operator of a reduction (BAR.RED).
            pub enum RedOp {
                /// Whether all lanes' predicates were true.
                And,
                /// Whether any lane's predicate was true.
                Or,
                /// The number of lanes whose predicate was true.
                Popc,
            }
        }

        $define! {
            /// The reduction of a generation or of a result; `None`: no reduction.
            pub enum Reduction {
                None,
                And,
                Or,
                Popc,
            }
        }

        $define! {
            /// Which state a Read or Write accesses (B2R, R2B).
            pub enum StateWord {
                /// `WarpBARState`: the warp's last result, and whether the warp waits.
                Warp,
                /// `BARState`: a barrier's row.
                Barrier,
                /// The warp's last result alone.
                Result,
            }
        }

        $define! {
            /// What happens to a warp whose operation is refused, besides the fault.
            pub enum FaultPolicy {
                /// No effect on the warp: it resumes.
                Report,
                /// The warp is blocked, and its state word reports it.
                Trap,
                /// The warp is blocked, and its state word does not report it.
                Hang,
            }
        }

        $define! {
            /// What an arrival requires of the lanes of its warp.
            pub enum Form {
                /// Any executing lane arrives for the whole warp.
                Raw,
                /// All live lanes must execute the arrival together.
                Aligned,
                /// The executing lanes wait until all live lanes of the warp have executed the arrival.
                Gathered,
                /// The executing lanes wait for the lanes of the member mask; no barrier takes part.
                WarpSync,
                /// Like WarpSync, and in addition one of the lanes becomes the leader.
                Elect,
            }
        }

        $define! {
            /// Why an operation had no effect, in order of precedence; `None`: no fault.
            pub enum FaultCode {
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
    };
}

macro_rules! plain_enum {
    ($(#[$meta:meta])* pub enum $type:ident { $($(#[$variant_meta:meta])* $variant:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum $type {
            $($(#[$variant_meta])* $variant),*
        }
        impl $type {
            /// Every variant, indexed by its value at a port.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];

            /// The variant of a value at a port; a value without a variant reads as the first variant.
            pub fn from_u64(value: u64) -> Self {
                Self::ALL.get(value as usize).copied().unwrap_or(Self::ALL[0])
            }
        }
    };
}

op_enums!(plain_enum);

impl FaultCode {
    /// Whether only `mbarrier` detects this fault.
    pub fn is_of_mbarrier(self) -> bool {
        (FaultCode::RankOutOfRange as usize..FaultCode::MbarrierExpectLate as usize + 1).contains(&(self as usize))
    }

    /// Whether only `cluster` detects this fault.
    pub fn is_of_cluster(self) -> bool {
        matches!(self, FaultCode::ClusterDoubleArrival | FaultCode::ClusterWaitWithoutArrival)
    }

    /// Whether only `gateway` detects this fault.
    pub fn is_of_gateway(self) -> bool {
        self as usize >= FaultCode::SignalType as usize
    }

    /// The name in documents, reports and JSON: `count_mismatch`.
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::FaultCode;

    #[test]
    fn codes_have_the_names_of_the_documents() {
        assert_eq!(FaultCode::CountNotWarpMultiple.name(), "count_not_warp_multiple");
        assert_eq!(FaultCode::None.name(), "none");
    }
}
