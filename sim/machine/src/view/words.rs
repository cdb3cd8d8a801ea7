// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The texts of a picture about states, cycles and locations.

use crate::report::ObjectName;
use crate::timeline::{Awaited, Interval, PhaseWait, State};

/// The maximum number of cycles of time-outs that a text lists.
const MOST_CYCLES: usize = 8;

/// The state of a warp as text. `number` is the number of the generation at a named barrier.
pub fn state(state: State, number: Option<usize>) -> String {
    match state {
        State::Running => "running".to_string(),
        State::Busy => "busy".to_string(),
        State::Memory => "held until its memory accesses are performed".to_string(),
        State::Waiting(id) => format!("waits at barrier {id}{}", number.map_or(String::new(), |n| format!(", generation {n}"))),
        State::AtMbarrier => "waits at an mbarrier".to_string(),
        State::AtCluster => "waits at the barrier of its cluster".to_string(),
        State::AtGrid => "waits for the grids before its own".to_string(),
        State::AtCopies => "waits for its asynchronous copies".to_string(),
        State::Polling => "polls memory".to_string(),
        State::Gathering => "waits for its other lanes".to_string(),
        State::Stopped => "stopped by the fault policy".to_string(),
        State::Exited => "exited".to_string(),
    }
}

/// The state of a warp in an interval, with the object for which it waits.
pub fn heading(interval: &Interval, number: Option<usize>) -> String {
    match interval.awaited.as_deref() {
        Some(Awaited::Phase(wait)) => format!("waits at {}, {}", wait.object, awaited_phase(wait)),
        Some(Awaited::ClusterPhase(phase)) => format!("{}, phase {phase}", state(interval.state, None)),
        Some(Awaited::Polled(polled)) if !polled.word.is_empty() => format!("polls {} in a loop", polled.word),
        _ => state(interval.state, number),
    }
}

fn awaited_phase(wait: &PhaseWait) -> String {
    match wait.phase {
        Some(phase) => format!("phase {phase} (parity {})", wait.parity),
        None => format!("the phase before phase 0 (parity {})", wait.parity),
    }
}

/// How often a wait was executed, and how it ended; one line each.
pub fn outcome(awaited: &Awaited) -> Vec<String> {
    match awaited {
        Awaited::Phase(wait) => {
            let PhaseWait { tries, failures, time_outs, timed_out, complete, exists, .. } = wait;
            let mut lines = vec![format!("executed {}", times(*tries))];
            if *failures > 0 {
                lines.push(format!("returned false at once {}", times(*failures)));
            }
            if *time_outs > 0 {
                let cycles: Vec<String> = timed_out.iter().take(MOST_CYCLES).map(u64::to_string).collect();
                let more = if *time_outs > cycles.len() as u64 { ", …" } else { "" };
                lines.push(format!("timed out {}, in cycle {}{more}", times(*time_outs), cycles.join(", ")));
            }
            lines.push(match (exists, complete) {
                (false, _) => "there is no mbarrier at this address".to_string(),
                (true, true) => "then the phase was complete".to_string(),
                (true, false) => "the phase is not complete".to_string(),
            });
            lines
        }
        Awaited::Polled(polled) => vec![format!("read {}", times(polled.reads))],
        Awaited::ClusterPhase(_) => vec![],
    }
}

fn times(count: u64) -> String {
    if count == 1 {
        "once".to_string()
    } else {
        format!("{count} times")
    }
}

/// The object of a wait and its phase, for the label of a bar.
pub fn label(interval: &Interval) -> Option<String> {
    match interval.awaited.as_deref()? {
        Awaited::Phase(wait) => {
            Some(format!("{} {}", short(&wait.object), wait.phase.map_or("#-1".to_string(), |phase| format!("#{phase}"))))
        }
        Awaited::ClusterPhase(phase) => Some(format!("cluster #{phase}")),
        Awaited::Polled(polled) => Some(polled.word.split(' ').next()?.trim_matches('`').to_string()),
    }
}

/// The variable of an mbarrier without its scope and with its offset, or its address.
pub fn short(name: &ObjectName) -> String {
    let variable = name.variable.as_deref().map(|name| name.rsplit("::").next().unwrap_or(name).to_string());
    variable.unwrap_or_else(|| format!("{:#x}", name.address))
}

/// The cycles from `from` to before `to`.
pub fn cycles(from: u64, to: u64) -> String {
    match to - from {
        1 => format!("cycle {from}"),
        n => format!("cycles {from} to {} ({n})", to - 1),
    }
}

/// A share of cycles in percent.
pub fn percent(part: u64, total: u64) -> String {
    match (part * 100 + total / 2) / total.max(1) {
        0 => "below 1 %".to_string(),
        percent => format!("{percent} %"),
    }
}
