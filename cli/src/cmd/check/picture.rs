// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture of two orders: the run, and the run of the schedule that fails, with the two executions whose order differs.

use crate::cmd::case::Case;
use crate::failure::{Failure, Result};
use crate::interrupt::running;
use bcu_machine::check::difference;
use bcu_machine::exploration::Explored;
use bcu_machine::recorded::record;
use bcu_machine::view::title::Title;
use bcu_machine::view::two_orders::{svg, Mark, Run};
use bcu_machine::{is_interrupted, RunError};

/// The maximum number of errors and differences of the other run in the picture.
const MOST_DETAILS: usize = 3;

/// The SVG text of the picture. Both runs are executed once more, because an exploration records no intervals.
pub fn draw(case: &Case, [first, other]: [&Explored; 2]) -> Result<String> {
    let recorded = running(|| record(&case.session, &other.schedule));
    let (recorded, pair) = recorded.map_err(|error: RunError| Failure::plain(error, None))?;
    if is_interrupted() {
        return Err(Failure::plain("the runs of the picture were interrupted", None));
    }
    let Some(pair) = pair else { return Err(Failure::plain("the schedule of the picture has no constraint", None)) };
    let mut marks = vec![];
    for of_run in &recorded {
        let mark = |execution| {
            let place = case.session.place(&execution)?;
            Some(Mark { execution, place, moment: of_run.moment(&execution) })
        };
        marks.extend(mark(pair.delayed).zip(mark(pair.after)).map(|(delayed, after)| [delayed, after]));
    }
    let [of_first, of_other] = &marks[..] else {
        return Err(Failure::plain("the schedule of the picture has an execution without an instruction", None));
    };
    let (differs, errors) = difference(first, other);
    let errors = errors.iter().map(|error| format!("error[{}]: {}", error.code.name, error.message));
    let details: Vec<String> = errors.chain(results(first, other)).take(MOST_DETAILS).collect();
    let title = Title { program: &case.name(), config: &case.session.config.name };
    let [in_first, in_other] = &recorded;
    let run = Run {
        name: "this run",
        differs: "",
        details: &[],
        report: &first.report,
        timeline: &in_first.timeline,
        marks: of_first,
    };
    let other = Run {
        name: "other schedule",
        differs: &differs,
        details: &details,
        report: &other.report,
        timeline: &in_other.timeline,
        marks: of_other,
    };
    Ok(svg(&title, [run, other]))
}

/// The differences of a run to the expected contents of buffers; without an expectation, the first difference of each variable to the first run.
fn results<'a>(first: &'a Explored, other: &'a Explored) -> impl Iterator<Item = String> + 'a {
    let unexpected = other.outcome.mismatches().map(str::to_string);
    let is_compared = first.outcome.verdict == other.outcome.verdict && other.outcome.mismatches().next().is_none();
    let variables = other.variables.iter().filter(move |_| is_compared).filter_map(|variable| {
        let before = first.variables.iter().find(|before| before.name == variable.name)?;
        let (before, after) = (before.bytes.values(), variable.bytes.values());
        let at = before.iter().zip(&after).position(|(before, after)| before != after)?;
        Some(format!("the contents of `{}` differ from those of this run, first at byte {at}", variable.name))
    });
    unexpected.chain(variables)
}
