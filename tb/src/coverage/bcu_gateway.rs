// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `bcu` about Intel's gateway: notifications, and the channels where they meet other traffic.

use super::points::{points, CoverageError, Points, Reach};
use super::ports::View;
use super::terms::Warps;
use bcu_isa::op::FaultCode;

points! {
    pub enum Point {
        /// A phase of a barrier of the gateway is complete, and so many warps, its consumers, are notified.
        Notified(warps: Warps) = "notified: {warps}",
        /// A phase of a barrier of the gateway is complete, and so many of its consumers have waited and resume.
        Woken(warps: Warps) = "woken: {warps}",
        /// A warp that has been notified takes its notification by a wait, and resumes at once.
        NotificationTaken = "notification taken",
        /// A warp is notified or takes its notification in a cycle in which a fault is offered.
        NotificationAndFault = "notification and fault in one cycle",
        /// Warps are notified or take their notifications in two successive cycles.
        NotificationsInARow = "notifications in neighbouring cycles",
        /// The exit of lanes of a warp and a signal of this warp are transferred in one cycle.
        ExitAndSignal = "exit and signal of one warp in one cycle",
        /// A signal is transferred whose warp executed a fence as its previous instruction.
        SignalAfterFence = "signal after a fence of its warp",
        /// The retirement of a CTA with saved state is refused, because a barrier of the CTA is open or a notification has not
        /// been taken.
        RetireRefused = "retire: saved, though something is open",
    }
}

/// Whether a point can be reached. `no_gateway` is the reason if the configuration has no gateway, and `None` if it has one.
pub fn reach(no_gateway: Option<&'static str>, point: Point) -> Reach {
    match point {
        // A phase has at least one consumer.
        Point::Notified(Warps::No) => Reach::Absent,
        _ => Reach::unless(no_gateway),
    }
}

pub fn count(view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let [reset, word, warp, exit_warp] = view.places(["reset", "instr_word_0", "instr_warp", "exit_warp"])?;
    let (instr, exit) = (view.places(["instr_valid", "instr_ready"])?, view.places(["exit_valid", "exit_ready"])?);
    let [valid, notified, woken] =
        view.places(["gateway_release_valid", "gateway_release_notified", "gateway_release_warps"])?;
    let [fault, ready, code] = view.places(["fault_valid", "fault_ready", "fault_code"])?;
    // `fenced`: the warps whose last instruction was a fence. `before`: whether the previous cycle had a notification.
    let (mut fenced, mut before) = (0u64, false);
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        if view.both(instr, cycle) {
            let (bit, signals) = (1 << get(warp), get(word) & 0xff == 0xe4);
            points.cover_if(signals && fenced & bit != 0, Point::SignalAfterFence);
            let same = signals && view.both(exit, cycle) && get(warp) == get(exit_warp);
            points.cover_if(same, Point::ExitAndSignal);
            fenced = if get(word) & 0xff == 0xe3 { fenced | bit } else { fenced & !bit };
        }
        let cannot_save = FaultCode::from_u64(get(code)) == FaultCode::CannotSave;
        points.cover_if(get(fault) == 1 && get(ready) == 1 && cannot_save, Point::RetireRefused);
        if get(valid) == 1 {
            match get(notified) {
                0 => points.cover(Point::NotificationTaken),
                warps => {
                    points.cover(Point::Notified(Warps::of(warps)));
                    points.cover(Point::Woken(Warps::of(get(woken))));
                }
            }
            points.cover_if(get(fault) == 1, Point::NotificationAndFault);
            points.cover_if(before, Point::NotificationsInARow);
        }
        before = get(valid) == 1;
    }
    Ok(())
}
