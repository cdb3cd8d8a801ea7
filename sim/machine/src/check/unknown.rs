// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unknown values that form addresses or reach buffers, one finding per instruction; and buffers with unexpected contents.

use super::codes::{
    ADDRESS_NOT_CHECKED, CONDITION_NOT_CHECKED, UNKNOWN_ADDRESS, UNKNOWN_CONDITION, UNKNOWN_OUTPUT, WRONG_RESULT,
};
use super::finding::{Case, Finding, Related};
use crate::report::{ConditionCause, UnknownAddress, UnknownCondition, UnknownValue, Verdict};
use bcu_program::Place;

/// The maximum number of parameters without a value that a remedy lists.
const MOST_PARAMETERS: usize = 12;

pub fn find(case: &Case) -> Vec<Finding> {
    // A run that was stopped at its limit of cycles has not computed all results.
    let is_whole = case.report.verdict != Verdict::Unfinished;
    let mismatches = case.report.mismatches.iter().filter(|_| is_whole);
    let wrong = mismatches.map(|mismatch| Finding::new(&WRONG_RESULT, None, mismatch.clone()));
    let addresses = case.report.unknown_addresses.iter().map(|unknown| address(case, unknown));
    let conditions = case.report.unknown_conditions.iter().map(|unknown| condition(case, unknown));
    wrong.chain(addresses).chain(conditions).chain(unchecked_stores(case)).chain(outputs(case)).collect()
}

/// The note for stores at unknown addresses in a launch with unknown arguments, unless their cause is reported as an error.
fn unchecked_stores(case: &Case) -> Option<Finding> {
    let is_open = case.subject.programs.iter().any(|program| program.grid.arguments.iter().any(Option::is_none));
    let message = match case.report.unknown_stores {
        0 => return None,
        1 => "a store of a lane has an unknown address: it is not executed, and not checked for races".to_string(),
        stores => format!("{stores} stores by lanes have unknown addresses: they are not executed, and not checked for races"),
    };
    let is_reported = !case.report.unknown_addresses.is_empty();
    (is_open && !is_reported).then(|| {
        let mut finding = Finding::new(&ADDRESS_NOT_CHECKED, None, message);
        let missing = without_value(case);
        if (1..=MOST_PARAMETERS).contains(&missing.len()) {
            let options: Vec<String> = missing.iter().map(|name| format!("`--arg {name}=…`")).collect();
            finding.help =
                format!("give each parameter without a value one: {}; the other findings are valid", options.join(" "));
        }
        finding
    })
}

/// The parameters of the kernels that run which have no value, each once.
fn without_value<'a>(case: &'a Case) -> Vec<&'a str> {
    let mut names = vec![];
    for program in case.subject.programs {
        let grid = &program.grid;
        let is_unknown = |byte: u64| grid.arguments.get(byte as usize).is_none_or(Option::is_none);
        for param in grid.params.iter().filter(|param| (param.offset..param.offset + param.bytes).all(is_unknown)) {
            if !names.contains(&param.name.as_str()) {
                names.push(&param.name);
            }
        }
    }
    names
}

/// The finding for an access at an unknown address: an error if the address depends on memory that was never written, and a note if it
/// depends on a result that is not calculated.
fn address(case: &Case, unknown: &UnknownAddress) -> Finding {
    let UnknownAddress { cta, warp, lane, place, from, is_unwritten } = unknown;
    let (code, message, note) = match is_unwritten {
        true => {
            let message = format!(
                "lane {lane} of warp {warp} accesses memory at an address that depends on memory that was never written"
            );
            (&UNKNOWN_ADDRESS, message, "the unwritten memory is read here")
        }
        false => {
            let message =
                format!("lane {lane} of warp {warp} accesses memory at an unknown address; the access is not checked");
            (&ADDRESS_NOT_CHECKED, message, "the address depends on this result, which is unknown")
        }
    };
    let mut finding = Finding::new(code, case.locate_in(*cta, *warp, place), message);
    (finding.cta, finding.warp) = (Some(*cta), Some(*warp));
    finding.related.push(Related { at: case.locate_in(*cta, *warp, from), note: note.to_string() });
    if !is_unwritten {
        finding.help = "the other findings are valid; races with this access are missed".to_string();
    }
    finding
}

/// The finding for a branch or an access with an unknown condition: an error if the condition depends on memory or a register that was never
/// written, else a note.
fn condition(case: &Case, unknown: &UnknownCondition) -> Finding {
    let UnknownCondition { cta, warp, lane, place, is_branch, from, cause } = unknown;
    let what = if *is_branch { "whether this branch is taken" } else { "whether this access is executed" };
    let of_lane = format!("{what} in lane {lane} of warp {warp}");
    let (code, message, note) = match (cause, from) {
        (ConditionCause::Unwritten, Some(_)) => (
            &UNKNOWN_CONDITION,
            format!("{of_lane} depends on a value that was never written"),
            "the unwritten value is read here",
        ),
        (ConditionCause::Unwritten, None) => {
            (&UNKNOWN_CONDITION, format!("{of_lane} depends on a register that was never written"), "")
        }
        (ConditionCause::Argument(name), _) => {
            let message = format!("{of_lane} depends on the parameter `{name}`, which has no value");
            (&CONDITION_NOT_CHECKED, message, "the parameter is read here")
        }
        (ConditionCause::NotCalculated, _) => {
            (&CONDITION_NOT_CHECKED, format!("{of_lane} is unknown"), "the condition depends on this result, which is unknown")
        }
    };
    let mut finding = Finding::new(code, case.locate_in(*cta, *warp, place), message);
    (finding.cta, finding.warp) = (Some(*cta), Some(*warp));
    if let Some(from) = from {
        finding.related.push(Related { at: case.locate_in(*cta, *warp, from), note: note.to_string() });
    }
    match cause {
        ConditionCause::Argument(name) => finding.help = format!("give it a value: `--arg {name}=…`"),
        ConditionCause::NotCalculated => {
            finding.help = "the other findings are valid; misuses under this condition are missed".to_string();
        }
        ConditionCause::Unwritten => {}
    }
    finding
}

/// One finding for each instruction that made values in buffers unknown.
fn outputs(case: &Case) -> Vec<Finding> {
    let report = case.report;
    if report.unknown_buffers.is_empty() {
        return vec![];
    }
    let mut makers: Vec<(&Place, &UnknownValue, usize)> = vec![];
    for value in &report.unknown_values {
        let maker = value.from.as_ref().unwrap_or(&value.place);
        match makers.iter_mut().find(|(known, ..)| *known == maker) {
            Some((_, _, times)) => *times += 1,
            None => makers.push((maker, value, 1)),
        }
    }
    makers.into_iter().map(|(maker, first, times)| describe_maker(case, maker, first, times)).collect()
}

fn describe_maker(case: &Case, maker: &Place, first: &UnknownValue, times: usize) -> Finding {
    let what = match first.from {
        Some(_) => "an unknown result is stored to",
        None => "a register without a value is stored to",
    };
    let buffers: Vec<String> = case.report.unknown_buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
    let message = format!("{what} global memory: {} at the end", unknown_bytes(case, &buffers));
    let mut finding = Finding::new(&UNKNOWN_OUTPUT, case.locate_in(first.cta, first.warp, maker), message);
    (finding.cta, finding.warp, finding.times) = (Some(first.cta), Some(first.warp), times);
    if let Some(name) = &first.argument {
        finding.message = format!("{}: the value depends on the parameter `{name}`, which has no value", finding.message);
        finding.help = format!("give it a value: `--arg {name}=…`");
    }
    let note = format!("lane {} of warp {} of CTA {} stores the unknown value here", first.lane, first.warp, first.cta);
    finding.related.push(Related { at: case.locate_in(first.cta, first.warp, &first.place), note });
    finding
}

/// Text such as `12 of 64 bytes of `out` are unknown`.
fn unknown_bytes(case: &Case, names: &[String]) -> String {
    let (unknown, bytes) = case
        .report
        .unknown_buffers
        .iter()
        .fold((0, 0), |(unknown, bytes), buffer| (unknown + buffer.unknown, bytes + buffer.bytes));
    format!("{unknown} of {bytes} bytes of {} are unknown", names.join(", "))
}
