// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points of `decode`, with the terms that their names contain.

use crate::coverage::bcu_hubs::{NO_CLUSTERS, NO_GRIDS};
use crate::coverage::points::{points, term, Reach, NO_GATEWAY, NO_MBARRIERS, NO_NAMED};
use crate::coverage::terms::Form;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::op::Kind;

term! {
    /// The fault codes that `decode` itself produces.
    pub enum Fault {
        NoFault = "none",
        NotResident = "not_resident",
        WarpBlocked = "warp_blocked",
        IllegalInstruction = "illegal_instruction",
        Other = "another fault",
    }
}

impl Fault {
    /// The fault that a value of the port `op_fault` encodes.
    pub fn of(value: u64) -> Fault {
        match FaultCode::ALL.get(value as usize) {
            Some(FaultCode::None) => Fault::NoFault,
            Some(FaultCode::NotResident) => Fault::NotResident,
            Some(FaultCode::WarpBlocked) => Fault::WarpBlocked,
            Some(FaultCode::IllegalInstruction) => Fault::IllegalInstruction,
            _ => Fault::Other,
        }
    }
}

term! {
    /// How the lanes of the warp take part in an instruction.
    pub enum LaneForm {
        Raw = "Raw",
        Aligned = "Aligned",
        Gathered = "Gathered",
        WarpSync = "WarpSync",
        Elect = "Elect",
    }
}

impl LaneForm {
    /// The form that a value of the ports `instr_form` and `op_form` encodes; any other value reads as `Raw`.
    pub fn of(value: u64) -> LaneForm {
        match value {
            1 => LaneForm::Aligned,
            2 => LaneForm::Gathered,
            3 => LaneForm::WarpSync,
            4 => LaneForm::Elect,
            _ => LaneForm::Raw,
        }
    }

    /// Whether an instruction of this form is a WarpSync or Elect, which has no instruction word.
    pub fn is_meeting(self) -> bool {
        matches!(self, LaneForm::WarpSync | LaneForm::Elect)
    }
}

term! {
    /// The state that a Read returns. `Unnamed` is the encoding 3, which must not occur.
    pub enum State {
        Warp = "Warp",
        Barrier = "Barrier",
        Result = "Result",
        Unnamed = "3",
    }
}

term! {
    /// The operator of a reduction. `Unnamed` is the encoding 3, which must not occur.
    pub enum Operator {
        And = "And",
        Or = "Or",
        Popc = "Popc",
        Unnamed = "3",
    }
}

term! {
    /// How many of the executing lanes have a true predicate.
    pub enum Votes {
        No = "no vote",
        Some = "some votes",
        All = "all votes",
    }
}

points! {
    pub enum Point {
        /// An instruction whose word has this encoding is transferred, whether the word is legal or not.
        Encoding(encoding: Form) = "form: {encoding}",
        /// An operation of this kind leaves the unit with this fault code.
        Operation(kind: Kind, fault: Fault) = "operation: {kind}, {fault}",
        /// An operation of this kind leaves the unit without a fault, and the lanes of its warp take part in this form.
        LaneForm(kind: Kind, form: LaneForm) = "operation: {kind}, form {form}",
        /// A read of this state of a barrier or of a warp leaves the unit without a fault.
        Read(state: State) = "operation: read of {state}",
        /// A reduction with this operator leaves the unit, and none, some, or all of the executing lanes have a true predicate.
        Reduce(operator: Operator, votes: Votes) = "reduce: {operator}, {votes}",
        /// An operation of this kind on an mbarrier leaves the unit without a fault.
        Mbarrier(kind: MbarrierKind) = "mbarrier: {kind}",
        /// An arrival at an mbarrier leaves the unit, and the arrival does not wait for the memory accesses before it.
        ArrivalWithoutOrder = "mbarrier: without order",
        /// An arrival at an mbarrier leaves the unit, and the arrival waits for the memory accesses before it.
        ArrivalInOrder = "mbarrier: in order",
        /// An operation on an mbarrier uses the instruction form for the shared memory of the whole cluster.
        MbarrierOfCluster = "mbarrier: of the cluster",
        /// An operation on an mbarrier gives a number of arrivals or bytes that is too large for its field.
        NumberTooLarge = "mbarrier: a number too large",
        /// A wait on an mbarrier names the phase with bit 0.
        WaitForPhase0 = "mbarrier: phase 0",
        /// A wait on an mbarrier names the phase with bit 1.
        WaitForPhase1 = "mbarrier: phase 1",
        /// A signal to a named barrier of the gateway leaves the unit without a fault.
        GatewaySignal = "gateway: a signal",
        /// A message to the gateway leaves the unit, and the executing lanes have different values in the register of the message.
        GatewayLanesDiffer = "gateway: from a register, lanes differ",
        /// A fence instruction is transferred with form Aligned or Gathered.
        FenceInArrivalForm = "instruction: a fence in the form of an arrival",
        /// A fence leaves the unit, and fewer lanes execute it than a warp has.
        FenceOfSomeLanes = "fence: by some of the lanes",
        /// An instruction that reads or writes the state of a barrier or of a warp is transferred with form Aligned or Gathered.
        AccessInArrivalForm = "instruction: an access in the form of an arrival",
        /// A WarpSync or Elect is transferred together with a word whose operation type is illegal in the other forms.
        MeetingWithIllegalWord = "meeting: a word that is illegal elsewhere",
        /// An instruction is transferred in the cycle in which `op_done` reports the earlier operation of the same warp.
        DoneAndAgain = "op_done, and in_decode again at one edge",
        /// The output `in_decode` is 1 for several warps: an operation of each has not yet been parked or taken effect.
        SeveralInDecode = "in_decode: two operations",
        /// An instruction is transferred that no lane executes.
        NoExecutingLane = "instruction: no executing lane",
        /// An instruction is transferred whose executing lanes have different register operands.
        LanesDiffer = "instruction: lanes that differ",
        /// An instruction is offered and not accepted in this cycle.
        InstructionWaits = "instruction: waits",
        /// An operation is offered at the output and not accepted in this cycle.
        OperationWaits = "operation: waits",
        /// A blocked warp executes an instruction that reads or writes the state of a barrier or of a warp.
        AccessOfBlockedWarp = "read or write of a blocked warp",
        /// A warp becomes blocked while its instruction is offered and not yet accepted.
        OfferBecomesBlocked = "offer: its warp becomes blocked",
        /// A warp stops being blocked while its instruction is offered and not yet accepted.
        OfferBecomesUnblocked = "offer: its warp is no longer blocked",
        /// A warp may no longer even read or write state (input `full`) while its instruction is offered and not yet accepted.
        OfferBecomesFull = "offer: its warp becomes full",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    let no_named = not_built(config, Kind::Read);
    let no_mbarriers = not_built(config, Kind::Mbarrier);
    match point {
        Point::Operation(kind, fault) => match (kind, fault) {
            (Kind::Exit | Kind::Launch | Kind::Release, _) | (_, Fault::Other) => Reach::Absent,
            (Kind::Sync, _) => Reach::Reachable,
            (_, Fault::IllegalInstruction) => Reach::Unreachable("an illegal instruction has kind Sync"),
            _ => Reach::unless(not_built(config, kind)),
        },
        Point::LaneForm(kind, _) if !kind.has_form() => Reach::Absent,
        Point::LaneForm(Kind::Sync, form) if form.is_meeting() => Reach::Reachable,
        Point::LaneForm(_, form) if form.is_meeting() => Reach::Absent,
        Point::LaneForm(kind, _) => Reach::unless(not_built(config, kind)),
        Point::Read(State::Unnamed) | Point::Reduce(Operator::Unnamed, _) => Reach::Absent,
        Point::Read(_) | Point::Reduce(..) => Reach::unless(no_named),
        Point::Mbarrier(_)
        | Point::ArrivalWithoutOrder
        | Point::ArrivalInOrder
        | Point::MbarrierOfCluster
        | Point::NumberTooLarge
        | Point::WaitForPhase0
        | Point::WaitForPhase1 => Reach::unless(no_mbarriers),
        Point::GatewaySignal | Point::GatewayLanesDiffer => Reach::unless(not_built(config, Kind::Gateway)),
        _ => Reach::Reachable,
    }
}

/// The reason why operations of `kind` do not occur in this configuration; `None`: they occur.
fn not_built(config: &Config, kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Mbarrier => (!config.has_mbarrier()).then_some(NO_MBARRIERS),
        Kind::Gateway => (!config.has_gateway()).then_some(NO_GATEWAY),
        Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::Read | Kind::Write => (!config.has_named()).then_some(NO_NAMED),
        kind if kind.is_of_cluster() => (!config.has_clusters()).then_some(NO_CLUSTERS),
        kind if kind.is_of_grid() => (!config.has_grids()).then_some(NO_GRIDS),
        _ => None,
    }
}
