// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The future instructions of a warp. The look-ahead executes the program of the warp from the warp's present registers; loads return
//! unknown values, and waits end at once.

use super::execute::begin;
use super::execute::env::{Begun, Env, Late};
use super::memory::{Access, Bank, Part};
use super::sm::{address, operation, OFFSET};
use super::warp::threads::At;
use super::warp::{Chosen, From, Scratch, Warp};
use bcu_isa::config::Config;
use bcu_isa::mbar::{Mbar, MbarOp};
use bcu_model::decode::Instruction;
use bcu_model::gateway_ports::Message;
use bcu_model::op::Kind;
use bcu_program::window::RANK_AT;
use bcu_program::{Op, Place};
use std::cell::Cell;

/// The maximum number of instructions that a look-ahead executes.
const FAR: u32 = 20_000;

/// The result of a look-ahead for an action of a warp, such as an arrival at a barrier.
#[derive(Clone, Debug)]
pub(super) enum Next {
    Arrives(Place),
    /// The warp exits without such an action.
    Never,
    /// The path of the warp depends on values that only the run provides.
    Unclear,
}

/// An action of a warp that another warp may wait for.
enum Action<'a> {
    /// An instruction for the unit.
    Issue(&'a Instruction),
    Access(&'a Access),
    Later(&'a [Late]),
}

/// The next instruction with which the warp arrives at barrier `id` of its CTA.
pub(super) fn next_arrival(warp: &Warp, id: u8, sizes: &Config) -> Next {
    next_issue(warp, &|issue| issue.decoded(sizes.pack_lsb, |_| true).arrives_at() == Some(id))
}

/// The next instruction with which the warp changes the mbarrier at this address of a CTA: an arrival, a change of its byte or arrival
/// counts, or a copy that signals the mbarrier. The second value is true for a copy.
pub(super) fn next_at_object(warp: &Warp, (cta, address): (usize, u32)) -> (Next, bool) {
    let by_copy = Cell::new(false);
    let hits = |action: Action| match action {
        Action::Issue(issue) => operation(issue).is_some_and(|mbar| {
            let rank = (issue.ra.wrapping_add(mbar.address.offset.into()) >> RANK_AT) as usize;
            let owner = if warp.is_remote(&mbar, issue) { warp.ctas.get(rank).copied() } else { Some(warp.cta) };
            changes(&mbar) && owner == Some(cta) && self::address(&mbar, issue) == address
        }),
        Action::Access(access) => {
            let signals = |part: &Part| part.signal.is_some_and(|at| part.to == Bank::Shared(cta) && at & OFFSET == address);
            let is_copy = access.parts.iter().any(signals);
            by_copy.set(is_copy);
            is_copy
        }
        Action::Later(arrivals) => arrivals.iter().any(|late| late.cta == cta && late.address & OFFSET == address),
    };
    (next(warp, &hits), by_copy.get())
}

/// The next instruction with which the warp stores to a byte of memory.
pub(super) fn next_store(warp: &Warp, bank: Bank, address: u64) -> Next {
    let covers = |(of, first, end): (Bank, u64, u64)| of == bank && (first..end).contains(&address);
    let stores = |access: &Access| access.stores() && access.ranges().into_iter().any(covers);
    next(warp, &|action| matches!(action, Action::Access(access) if stores(access)))
}

/// The next instruction with which the warp arrives at the barrier of its cluster.
pub(super) fn next_at_cluster(warp: &Warp, sizes: &Config) -> Next {
    let kinds = [Kind::ClusterArrive, Kind::ClusterArriveRelaxed];
    next_issue(warp, &|issue| kinds.contains(&issue.decoded(sizes.pack_lsb, |_| true).op.kind))
}

/// The next instruction with which the warp signals at this barrier of the gateway, and the type of the signal.
pub(super) fn next_signal(warp: &Warp, id: u8, sizes: &Config) -> (Next, Option<u8>) {
    let role = Cell::new(None);
    let signals = |issue: &Instruction| {
        let op = issue.decoded(sizes.pack_lsb, |_| true).op;
        let message = Message::from_word(op.data);
        let hits = op.kind == Kind::Gateway && !op.waits_at_gateway() && message.id == id;
        role.set(Some(message.role).filter(|_| hits));
        hits
    };
    (next_issue(warp, &signals), role.get())
}

/// Whether an operation is a wait. The look-ahead treats a wait as successful, because it searches for the instructions after the wait.
fn waits(mbar: &Mbar) -> bool {
    matches!(mbar.does, MbarOp::Test { .. } | MbarOp::Try { .. })
}

fn changes(mbar: &Mbar) -> bool {
    matches!(mbar.does, MbarOp::Arrive { .. } | MbarOp::Tx { .. } | MbarOp::Add(_))
}

/// The next instruction for the unit that `hits` accepts.
fn next_issue(warp: &Warp, hits: &dyn Fn(&Instruction) -> bool) -> Next {
    next(warp, &|action| matches!(action, Action::Issue(issue) if hits(issue)))
}

/// The instruction after the loop in which a warp spins; `None` if `chosen` is not the branch that
/// ends a round of this loop.
fn leaves(warp: &Warp, chosen: Chosen) -> Option<At> {
    let Op::Branch { target } = warp.instr(chosen.at)?.op else { return None };
    let is_spin = warp.spins_at() == Some(chosen.at);
    let instr = if target <= chosen.at.instr { chosen.at.instr + 1 } else { target };
    is_spin.then_some(At { instr, ..chosen.at })
}

/// The next instruction with an action that `hits` accepts.
fn next(warp: &Warp, hits: &dyn Fn(Action) -> bool) -> Next {
    let mut warp = warp.clone();
    for due in std::mem::take(&mut warp.scoreboard) {
        due.registers.iter().for_each(|(register, lanes)| warp.values.set_all(*register, *lanes, None));
        let answer = matches!(due.from, From::Mbarrier { .. }).then_some(1);
        due.predicates.iter().for_each(|(register, lanes)| warp.values.set_all(*register, *lanes, answer));
    }
    // Lanes that wait count as resumed.
    warp.rendezvous.clear();
    warp.end_wait(u64::MAX);
    let mut scratch = Scratch::default();
    for _ in 0..FAR {
        let Some(chosen) = warp.chosen() else { return if warp.lanes == 0 { Next::Never } else { Next::Unclear } };
        let next = At { instr: chosen.at.instr + 1, ..chosen.at };
        let begun = match begin(
            &mut warp,
            chosen,
            &mut Env { cycle: 0, index: 0, memory: None, assumptions: None, scratch: &mut scratch },
        ) {
            Ok(begun) => begun,
            Err(_) => match leaves(&warp, chosen) {
                Some(to) => {
                    warp.threads.move_to(chosen.lanes, to);
                    continue;
                }
                None => return Next::Unclear,
            },
        };
        match begun {
            Begun::Port => {
                let lanes = warp.issue.lanes();
                if lanes != 0 && hits(Action::Issue(&warp.issue)) {
                    return Next::Arrives(warp.place_of(chosen.at));
                }
                let written: Vec<usize> = warp.instr(chosen.at).map_or(vec![], |instr| instr.written().collect());
                let answer = operation(&warp.issue).filter(waits).map(|_| 1);
                for lane in super::warp::threads::bits(lanes) {
                    written.iter().for_each(|slot| warp.set(*slot, lane, answer));
                }
                warp.threads.move_to(chosen.lanes, next);
            }
            Begun::Exit(lanes) => {
                warp.threads.exit(lanes);
                warp.lanes &= !lanes;
            }
            Begun::Access(access) if hits(Action::Access(&access)) => return Next::Arrives(warp.place_of(chosen.at)),
            Begun::Later(arrivals) if hits(Action::Later(&arrivals)) => return Next::Arrives(warp.place_of(chosen.at)),
            Begun::Time(_) | Begun::Access(_) | Begun::Later(_) => {}
        }
        // The values that lanes exchange are unknown.
        let rendezvous = std::mem::take(&mut warp.rendezvous);
        for meeting in rendezvous {
            let lanes = || super::warp::threads::bits(meeting.lanes);
            meeting.writes.iter().flatten().for_each(|slot| lanes().for_each(|lane| warp.set(*slot, lane, None)));
            warp.waiting &= !meeting.lanes;
        }
    }
    Next::Unclear
}
