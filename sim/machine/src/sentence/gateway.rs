// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults at Intel's gateway as text.

use super::super::record::GatewayRow;
use super::super::report::{GatewayWait, Role, Signal, Whereabouts};
use super::object::counted;
use super::place::place;
use bcu_model::gateway_ports::Message;
use bcu_model::op::Code;

/// Text for a barrier that the thread group does not have.
pub(in super::super) fn no_named_barrier(id: u8, declared: u32) -> String {
    match declared {
        0 => format!("barrier {id} does not exist: the thread group declares none"),
        _ => format!("barrier {id} does not exist: the thread group declares {declared}, ids 0 to {}", declared - 1),
    }
}

/// Text such as `2 producers and 1 consumer`.
pub(crate) fn numbers(producers: u32, consumers: u32) -> String {
    let counted = |number: u32, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    format!("{} and {}", counted(producers, "producer"), counted(consumers, "consumer"))
}

/// Why a signal or a wait of `warp` was refused; `launched` is the number of threads of its thread group.
pub(in super::super) fn at_gateway(code: Code, message: Message, launched: u32, row: &GatewayRow, warp: usize) -> String {
    let Message { id, role, producers, consumers } = message;
    let phase = row.completed + 1;
    let given = numbers(producers.into(), consumers.into());
    let list = |signals: &[&Signal]| {
        let signals: Vec<String> =
            signals.iter().map(|signal| format!("warp {} ({})", signal.warp, place(&signal.place))).collect();
        signals.join(", ")
    };
    match code {
        Code::DoubleArrival => {
            let first = row.signals.iter().find(|signal| signal.warp == warp);
            let first = first.map_or(String::new(), |first| format!(", as {} ({})", first.role, place(&first.place)));
            format!("warp {warp} has already signalled at barrier {id} in phase {phase}{first}")
        }
        Code::SignalType => format!("a signal of type {role} at barrier {id}; expected 0 (both), 1 (producer) or 2 (consumer)"),
        Code::CountZero => {
            format!("a signal at barrier {id} for {given}: both numbers must be at least 1")
        }
        Code::CountExceedsGroup => format!(
            "a signal at barrier {id} for {given}, but the thread group has {launched} hardware threads: the barrier could never complete"
        ),
        Code::SignalMismatch => {
            let first = row.signals.first();
            let whose = first.map_or(String::new(), |first| format!(" of warp {} ({})", first.warp, place(&first.place)));
            format!("warp {warp} gives {given} for barrier {id}, but the first signal{whose} of phase {phase} gave other numbers")
        }
        Code::OverSignal => {
            let same = |signal: &&Signal| message.produces() && signal.role.produces() || message.consumes() && signal.role.consumes();
            let others: Vec<&Signal> = row.signals.iter().filter(same).collect();
            format!(
                "warp {warp} is one too many at barrier {id}: phase {phase} is for {given}, and these warps have already signalled: {}",
                list(&others)
            )
        }
        Code::NotificationLost => {
            let before = row.notified.iter().find(|(signal, _)| signal.warp == warp);
            let before = before.map_or(String::new(), |(signal, phase)| {
                format!(" for phase {phase}, for which it signalled in cycle {} ({})", signal.cycle, place(&signal.place))
            });
            format!("warp {warp} signals as consumer at barrier {id} before it has waited{before}: the notification would be lost")
        }
        _ => {
            let own_signals: Vec<&Signal> = row.signals.iter().filter(|signal| signal.warp == warp).collect();
            let why = match own_signals.is_empty() {
                true => "it has not signalled as consumer since it last waited there".to_string(),
                false => format!("in phase {phase} it has signalled as producer only: {}", list(&own_signals)),
            };
            format!("warp {warp} waits at barrier {id}, but no signal will notify it: {why}")
        }
    }
}

/// Text for a warp that starts a phase although it did not take part in the previous phase, and
/// although a consumer of the previous phase has not waited yet.
pub(in super::super) fn used_again(id: u8, signal: &Signal, late: &Signal, phase: usize) -> String {
    format!(
        "warp {0} signals at barrier {id} before warp {1} has waited for phase {phase}, in which warp {0} took no part: a barrier can be reused only \
         after all its consumers have waited",
        signal.warp, late.warp
    )
}

/// Text for a thread group that ended with barrier `id` in use.
pub(in super::super) fn group_left_open(id: u8, row: &GatewayRow) -> String {
    let mut parts = vec![];
    if !row.signals.is_empty() {
        let signals = row.signals.iter().map(|s| format!("warp {} as {} ({})", s.warp, s.role, place(&s.place)));
        parts.push(format!("in phase {} only {} signalled", row.completed + 1, signals.collect::<Vec<_>>().join(", ")));
    }
    if !row.notified.is_empty() {
        let late = row.notified.iter().map(|(s, phase)| format!("warp {} (phase {phase}, {})", s.warp, place(&s.place)));
        parts.push(format!("these warps never waited for their notification: {}", late.collect::<Vec<_>>().join(", ")));
    }
    format!("the thread group ended with barrier {id} in use: {}", parts.join("; "))
}

/// Text such as `1 of 2 producers and 3 of 3 consumers have signalled`.
pub(crate) fn signalled(wait: &GatewayWait) -> String {
    let (producers, consumers) = wait.signalled();
    let numbers = |number: u32, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    format!(
        "{producers} of {} and {consumers} of {} have signalled",
        numbers(wait.producers, "producer"),
        numbers(wait.consumers, "consumer")
    )
}

/// A note if a role lacks more signals than there are threads that can still signal; otherwise `None`.
pub(crate) fn too_few(wait: &GatewayWait) -> Option<String> {
    let live = wait.missing.iter().filter(|m| !matches!(m.warp.whereabouts, Whereabouts::Exited { .. })).count() as u32;
    let exited = wait.missing.len() as u32 - live;
    let most = wait.missing_producers.max(wait.missing_consumers);
    (live < most).then(|| match exited {
        0 => format!("one role still needs {}, but the thread group has only {}", counted(most, "signal"), counted(live, "other thread")),
        _ => format!(
            "one role still needs {}, but too few threads are left to signal, since {exited} exited: an exit does not count as a signal",
            counted(most, "signal")
        ),
    })
}

/// The name of a role in a table: `both`, `producer` or `consumer`.
pub(in super::super) fn role(role: Role) -> &'static str {
    match role {
        Role::Both => "both",
        Role::Producer => "producer",
        Role::Consumer => "consumer",
    }
}
