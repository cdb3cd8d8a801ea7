// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a warp would do next if nothing held it: its program gone through with its registers as they stand, and loads unknown.

use super::execute::begin;
use super::execute::env::{Begun, Env};
use super::sm::{address, operation};
use super::warp::Warp;
use bcu_isa::config::Config;
use bcu_isa::mbar::{Mbar, MbarOp};
use bcu_model::decode::Instruction;
use bcu_model::gateway_ports::Message;
use bcu_model::op::Kind;
use bcu_program::Place;
use std::cell::Cell;

/// So many instructions ahead.
const FAR: u32 = 20_000;

/// Whether a warp would arrive at a barrier.
#[derive(Clone, Debug)]
pub(super) enum Next {
    At(Place),
    /// It ends without.
    Never,
    /// Its way depends on what only the run can tell.
    Unclear,
}

/// The next instruction with which the warp arrives at the barrier.
pub(super) fn next_arrival(warp: &Warp, id: u8, sizes: &Config) -> Next {
    next(warp, &|issue| issue.decoded(sizes.pack_lsb, |_| true).arrives_at() == Some(id))
}

/// The next instruction with which the warp arrives at the mbarrier of this address, or expects bytes there.
pub(super) fn next_at_object(warp: &Warp, address: u32) -> Next {
    next(warp, &|issue| operation(issue).is_some_and(|mbar| changes(&mbar) && self::address(&mbar, issue) == address))
}

/// The next instruction with which the warp arrives at the barrier of its cluster.
pub(super) fn next_at_cluster(warp: &Warp, sizes: &Config) -> Next {
    let kinds = [Kind::ClusterArrive, Kind::ClusterArriveRelaxed];
    next(warp, &|issue| kinds.contains(&issue.decoded(sizes.pack_lsb, |_| true).op.kind))
}

/// The next instruction with which the warp signals at this barrier of the gateway, and the type of the signal.
pub(super) fn next_signal(warp: &Warp, id: u8, sizes: &Config) -> (Next, Option<u8>) {
    let role = Cell::new(None);
    let signals = |issue: &Instruction| {
        let op = issue.decoded(sizes.pack_lsb, |_| true).op;
        let message = Message::of(op.data);
        let hits = op.kind == Kind::Gateway && !op.waits_at_gateway() && message.id == id;
        role.set(Some(message.role).filter(|_| hits));
        hits
    };
    (next(warp, &signals), role.get())
}

fn changes(mbar: &Mbar) -> bool {
    matches!(mbar.does, MbarOp::Arrive { .. } | MbarOp::Tx { .. } | MbarOp::Add(_))
}

/// The next instruction for the unit that is one of these.
fn next(warp: &Warp, hits: &dyn Fn(&Instruction) -> bool) -> Next {
    let mut warp = warp.clone();
    for due in std::mem::take(&mut warp.scoreboard) {
        due.registers.iter().for_each(|(lane, register)| warp.values.set(*register, *lane, None));
    }
    // Lanes that wait may go on as well.
    warp.rendezvous.clear();
    warp.waits_no_more(u64::MAX);
    for _ in 0..FAR {
        let Some(chosen) = warp.chosen() else { return if warp.lanes == 0 { Next::Never } else { Next::Unclear } };
        let next = super::warp::threads::At { instr: chosen.at.instr + 1, ..chosen.at };
        let Ok(begun) = begin(&mut warp, chosen, &mut Env { cycle: 0, index: 0, memory: None, assumptions: None }) else {
            return Next::Unclear;
        };
        match begun {
            Begun::Port => {
                let lanes = warp.issue.lanes();
                if lanes != 0 && hits(&warp.issue) {
                    return Next::At(warp.place_of(chosen.at));
                }
                let written: Vec<usize> = warp.instr(chosen.at).map_or(vec![], |instr| instr.written().collect());
                for lane in super::warp::threads::bits(lanes) {
                    written.iter().for_each(|slot| warp.set(*slot, lane, None));
                }
                warp.threads.go(chosen.lanes, next);
            }
            Begun::Exit(lanes) => {
                warp.threads.exit(lanes);
                warp.lanes &= !lanes;
            }
            Begun::Time(_) | Begun::Access(_) | Begun::Later(_) => {}
        }
        // Nobody can tell what lanes that meet would see.
        let rendezvous = std::mem::take(&mut warp.rendezvous);
        for one in rendezvous {
            one.writes
                .iter()
                .flatten()
                .for_each(|slot| super::warp::threads::bits(one.lanes).for_each(|lane| warp.set(*slot, lane, None)));
            warp.waiting &= !one.lanes;
        }
    }
    Next::Unclear
}
