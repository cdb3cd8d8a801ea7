// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `decode`: the forms of instructions, the operations that they become, and their faults.

mod points;

use super::points::{CoverageError, Points};
use super::ports::View;
use super::terms::Form;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::config::Config;
use bcu_model::op::Kind;
pub use points::{reach, Point};
use points::{Fault, LaneForm, Operator, State, Votes};

/// The operation types of legal words: bits 7 to 0 of the instruction word.
const TYPES: [u64; 16] = [0x1d, 0xdd, 0x1c, 0xdc, 0x1e, 0xe3, 0xe1, 0xe2, 0xe4, 0xe5, 0xe0, 0xe8, 0xe9, 0xea, 0xeb, 0xec];

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let [reset, word, active, guard, uniform] =
        view.places(["reset", "instr_word_0", "instr_active", "instr_guard", "instr_uniform"])?;
    let (instr, op) = (view.places(["instr_valid", "op_ready"])?, view.places(["op_valid", "op_ready"])?);
    let [kind, fault, state, redop] = view.places(["op_kind", "op_fault", "op_state", "op_redop"])?;
    let [lanes, votes, warp, blocked, full] = view.places(["op_lanes", "op_votes", "instr_warp", "blocked", "full"])?;
    let [form, op_form, op_done, in_decode] = view.places(["instr_form", "op_form", "op_done", "in_decode"])?;
    let [data, same] = view.places(["op_data", "op_uniform"])?;
    let mbarrier = view.places(["op_mbarrier", "op_number", "op_phase", "op_cluster", "op_release"])?;
    // For an instruction that is offered and not yet accepted: the levels `blocked` and `full` of its warp in the first
    // cycle of the offer.
    let mut at_offer: Option<[bool; 2]> = None;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let levels_now = [blocked, full].map(|warps| get(warps) >> get(warp) & 1 == 1);
        if let (Some([was_blocked, was_full]), [is_blocked, is_full]) = (at_offer, levels_now) {
            points.cover_if(!was_blocked && is_blocked, Point::OfferBecomesBlocked);
            points.cover_if(was_blocked && !is_blocked, Point::OfferBecomesUnblocked);
            points.cover_if(!was_full && is_full, Point::OfferBecomesFull);
        }
        at_offer = (get(instr[0]) == 1 && get(instr[1]) == 0).then_some(at_offer.unwrap_or(levels_now));
        points.cover_if(get(in_decode).count_ones() > 1, Point::SeveralInDecode);
        if view.both(instr, cycle) {
            let meets = LaneForm::of(get(form)).is_meeting();
            let executes = get(active) & get(guard) != 0;
            let again = executes && (get(in_decode) & get(op_done)) >> get(warp) & 1 == 1;
            points.cover_if(again, Point::DoneAndAgain);
            let has_illegal_type = !TYPES.contains(&(get(word) & 0xff));
            points.cover_if(meets && executes && has_illegal_type, Point::MeetingWithIllegalWord);
            if let Some(encoding) = Form::of(get(word)) {
                points.cover(Point::Encoding(encoding));
            }
            points.cover_if(get(active) & get(guard) == 0, Point::NoExecutingLane);
            points.cover_if(get(uniform) == 0, Point::LanesDiffer);
            let accesses = [0x1c, 0xdc, 0x1e].contains(&(get(word) & 0xff));
            let is_arrival_form = !meets && get(form) != 0;
            points.cover_if(accesses && is_arrival_form, Point::AccessInArrivalForm);
            points.cover_if(get(word) & 0xfff == 0x3e3 && is_arrival_form, Point::FenceInArrivalForm);
            points.cover_if(accesses && get(blocked) >> get(warp) & 1 == 1, Point::AccessOfBlockedWarp);
        } else {
            points.cover_if(get(instr[0]) == 1, Point::InstructionWaits);
        }
        points.cover_if(get(op[0]) == 1 && get(op[1]) == 0, Point::OperationWaits);
        if !view.both(op, cycle) {
            continue;
        }
        let (kind, fault) = (Kind::from_value(get(kind)), Fault::of(get(fault)));
        points.cover(Point::Operation(kind, fault));
        if fault != Fault::NoFault {
            continue;
        }
        if kind.has_form() {
            points.cover(Point::LaneForm(kind, LaneForm::of(get(op_form))));
        }
        match kind {
            Kind::Gateway => {
                points.cover_if(get(data) >> 13 & 1 == 0, Point::GatewaySignal);
                points.cover_if(get(same) == 0, Point::GatewayLanesDiffer);
            }
            Kind::Fence => points.cover_if(get(lanes).count_ones() < config.lanes as u32, Point::FenceOfSomeLanes),
            Kind::Mbarrier => cover_mbarrier(points, mbarrier.map(get)),
            Kind::Read => points.cover(Point::Read(match get(state) {
                0 => State::Warp,
                1 => State::Barrier,
                2 => State::Result,
                _ => State::Unnamed,
            })),
            Kind::Reduce => {
                let operator = match get(redop) {
                    0 => Operator::And,
                    1 => Operator::Or,
                    2 => Operator::Popc,
                    _ => Operator::Unnamed,
                };
                let votes = match get(votes) {
                    0 => Votes::No,
                    all if all == get(lanes) => Votes::All,
                    _ => Votes::Some,
                };
                points.cover(Point::Reduce(operator, votes));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Counts the points of an operation on an mbarrier from the values of its ports.
fn cover_mbarrier(points: &mut Points<Point>, [kind, number, phase, cluster, release]: [u64; 5]) {
    let object_kind = MbarrierKind::ALL.get(kind as usize).copied().unwrap_or(MbarrierKind::Init);
    points.cover(Point::Mbarrier(object_kind));
    if (MbarrierKind::Arrive as u64..MbarrierKind::Expect as u64).contains(&kind) {
        points.cover(if release == 1 { Point::ArrivalInOrder } else { Point::ArrivalWithoutOrder });
    }
    if kind >= MbarrierKind::TestWait as u64 {
        points.cover(if phase == 1 { Point::WaitForPhase1 } else { Point::WaitForPhase0 });
    }
    points.cover_if(cluster == 1, Point::MbarrierOfCluster);
    points.cover_if(number == (1 << 21) - 1, Point::NumberTooLarge);
}
