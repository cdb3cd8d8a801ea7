// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about named barriers: releases, state words, and the channels where they meet other traffic.

use super::points::{points, term, CoverageError, Points};
use super::ports::View;
use super::terms::Warps;

term! {
    /// The reduction of a generation of a barrier.
    pub enum Reduction {
        None = "None",
        And = "And",
        Or = "Or",
        Popc = "Popc",
    }
}

points! {
    pub enum Point {
        /// A named barrier with this reduction (None: without one) is complete, and releases so many waiting warps.
        Release(reduction: Reduction, warps: Warps) = "release: {reduction}, {warps}",
        /// An instruction that reads state writes a register and no predicate.
        WritebackRegister = "writeback: a register alone",
        /// An instruction that reads the result of a reduction writes a predicate.
        WritebackPredicate = "writeback: a predicate",
        /// An instruction that reads state names no register and no predicate for its result.
        WritebackNothing = "writeback: nothing",
        /// The result of a reduction that an instruction reads has a true predicate.
        WritebackTrue = "writeback: true",
        /// The exit of lanes of a warp and an arrival of this warp that waits are transferred in one cycle.
        ExitAndArrival = "exit and arrival of one warp in one cycle",
        /// A named barrier is complete in a cycle in which a fault is offered.
        ReleaseAndFault = "release and fault in one cycle",
        /// A named barrier is complete, and an instruction that reads state has its result in the same or a neighbouring cycle.
        ReleaseNearWriteback = "release and writeback in neighbouring cycles",
        /// An instruction that reads state is transferred while its warp is trapped.
        TrappedReads = "a trapped warp reads",
        /// An instruction that writes a state word is transferred while its warp is trapped.
        TrappedWrites = "a trapped warp writes",
        /// An instruction that reads state is transferred while its warp is blocked and not trapped.
        WaitingReads = "a blocked warp that is not trapped reads",
    }
}

pub fn count(view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let [reset, word, mode, warp] = view.places(["reset", "instr_word_0", "instr_word_2", "instr_warp"])?;
    let (instr, exit) = (view.places(["instr_valid", "instr_ready"])?, view.places(["exit_valid", "exit_ready"])?);
    let [exit_warp, blocked, trapped, fault] = view.places(["exit_warp", "blocked", "trapped", "fault_valid"])?;
    let [released, warps, reduction] = view.places(["release_valid", "release_warps", "release_reduction"])?;
    let [back, predicate, rd, pu] = view.places(["writeback_valid", "writeback_predicate", "writeback_rd", "writeback_pu"])?;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        if view.both(instr, cycle) {
            let of_trapped = get(trapped) >> get(warp) & 1 == 1;
            let (reads, writes) = ([0x1c, 0xdc].contains(&(get(word) & 0xff)), get(word) & 0xff == 0x1e);
            points.cover_if(of_trapped && reads, Point::TrappedReads);
            points.cover_if(of_trapped && writes, Point::TrappedWrites);
            points.cover_if(!of_trapped && get(blocked) >> get(warp) & 1 == 1 && reads, Point::WaitingReads);
            let arrives = get(word) & 0xff == 0xdd || get(word) & 0xff == 0x1d && get(mode) >> 16 & 1 == 0;
            let same = view.both(exit, cycle) && arrives && get(warp) == get(exit_warp);
            points.cover_if(same, Point::ExitAndArrival);
        }
        if get(released) == 1 {
            let reductions = [Reduction::None, Reduction::And, Reduction::Or, Reduction::Popc];
            points.cover(Point::Release(reductions[get(reduction) as usize & 3], Warps::of(get(warps))));
            points.cover_if(get(fault) == 1, Point::ReleaseAndFault);
            let next = |back| (cycle - 1..=cycle + 1).any(|c| c < view.length() && view.get(back, c) == 1);
            points.cover_if(next(back), Point::ReleaseNearWriteback);
        }
        if get(back) == 1 {
            points.cover(match (get(rd), get(pu)) {
                (255, 7) => Point::WritebackNothing,
                (_, 7) => Point::WritebackRegister,
                _ => Point::WritebackPredicate,
            });
            points.cover_if(get(predicate) == 1, Point::WritebackTrue);
        }
    }
    Ok(())
}
