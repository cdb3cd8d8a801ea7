// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as findings: what is wrong with a program, where in its text, and what to do.
//!
//! Findings come from the text before the run (`text`), from the faults of the unit (`faults`), from a hang (`hang`) and from what
//! met at the barriers (`meetings`). One misuse is one finding, however often it happens.

mod codes;
mod faults;
mod grids;
mod hang;
mod meetings;
mod objects;
mod place;
mod races;
mod text;

pub use codes::{markdown, of_fault, Code, Severity, CODES, TABLE_BEGIN, TABLE_END};

use crate::issued::Issued;
use crate::plan::{plan, CtaPlan};
use crate::report::Report;
use crate::Machine;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_program::{Place, WarpProgram};
use std::ops::Range;

/// What is checked.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Texts of the program files.
    pub files: &'a [&'a str],
    /// The programs of the run, and for each the file that it is from.
    pub programs: &'a [WarpProgram],
    pub owners: &'a [usize],
    /// What the readers of the files said, with the file.
    pub warnings: &'a [(usize, Diagnostic)],
    pub machine: &'a Machine,
    pub config: &'a Config,
    /// Also what only a strict reading of PTX or a library forbids.
    pub strict: bool,
}

/// A place in the text of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub file: usize,
    /// In bytes.
    pub start: usize,
    pub end: usize,
}

impl At {
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Something else that belongs to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub at: Option<At>,
    pub note: String,
}

/// One misuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: &'static Code,
    pub severity: Severity,
    pub at: Option<At>,
    /// What happened, one sentence without a full stop.
    pub message: String,
    /// The first time that it happened, as far as it happened.
    pub cta: Option<usize>,
    /// Within its CTA.
    pub warp: Option<usize>,
    /// Of what the unit reports as a fault, the cycle of that report, as in [`Report`]; else the cycle in which it took the instruction.
    pub cycle: Option<u64>,
    pub barrier: Option<u8>,
    /// Of the barrier, from 1.
    pub generation: Option<usize>,
    /// How often it happened; 0 if the run did not come there.
    pub times: usize,
    pub related: Vec<Related>,
    pub help: String,
}

impl Finding {
    fn new(code: &'static Code, at: Option<At>, message: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: code.severity,
            at,
            message: message.into(),
            cta: None,
            warp: None,
            cycle: None,
            barrier: None,
            generation: None,
            times: 1,
            related: vec![],
            help: code.help.to_string(),
        }
    }

    /// When and where it happened, in a few words; empty for what the text alone says.
    pub fn circumstances(&self) -> String {
        let part = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
        let reported = self.code.reported();
        let of_warp = [
            part("CTA", self.cta.map(|n| n.to_string())),
            part("warp", self.warp.map(|n| n.to_string())),
            part(if reported { "reported in cycle" } else { "cycle" }, self.cycle.map(|n| n.to_string())),
            part("barrier", self.barrier.map(|n| n.to_string())),
            part("generation", self.generation.map(|n| n.to_string())),
        ];
        let mut text = of_warp.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if self.times > 1 {
            text += &format!("; {} times in all", self.times);
        }
        text
    }
}

/// Findings about a program and what is needed to place them.
struct Case<'a> {
    subject: &'a Subject<'a>,
    report: &'a Report,
    issued: &'a Issued,
    plans: Vec<CtaPlan>,
}

impl Case<'_> {
    /// The file with the program of a warp.
    fn file(&self, cta: usize, warp: usize) -> usize {
        let index = self.plans.get(cta).and_then(|plan| plan.index(warp, self.subject.programs));
        index.and_then(|index| self.subject.owners.get(index)).copied().unwrap_or(0)
    }

    /// A place in the program of a warp.
    fn at(&self, cta: usize, warp: usize, place: &Place) -> Option<At> {
        self.locate(self.file(cta, warp), place)
    }

    fn locate(&self, file: usize, place: &Place) -> Option<At> {
        place::locate(file, self.subject.files.get(file)?, place)
    }
}

/// A refused operation of a CTA comes before what it leads to: that others wait for ever, or that a barrier is left open.
fn consequences(found: &mut [Finding]) {
    const AFTER: [&Code; 9] = [
        &codes::SIGNAL_MISSING,
        &codes::DEADLOCK,
        &codes::COUNTED_EXIT,
        &codes::WAIT_CYCLE,
        &codes::BARRIER_LEFT_OPEN,
        &codes::MBARRIER_WAIT,
        &codes::CLUSTER_WAIT,
        &codes::MBARRIER_LEFT_OPEN,
        &codes::MBARRIER_BYTES_LEFT,
    ];
    let causes: Vec<(Option<usize>, &'static Code)> = found
        .iter()
        .filter(|f| f.severity == Severity::Error && f.times > 0 && f.code.reported() && !AFTER.contains(&f.code))
        .map(|f| (f.cta, f.code))
        .collect();
    for finding in found.iter_mut().filter(|f| AFTER.contains(&f.code)) {
        if let Some((_, cause)) = causes.iter().find(|(cta, _)| *cta == finding.cta) {
            finding.severity = Severity::Note;
            finding.help = format!("this may follow from the `{}` of this CTA: mend that first", cause.name);
        }
    }
}

/// All findings about a program, sorted by place, from a run that gave `report` and in which `issued` watched.
///
/// # Errors
/// As [`run`](crate::run), if machine, programs and configuration do not fit.
pub fn findings(subject: &Subject, report: &Report, issued: &Issued) -> Result<Vec<Finding>, Diagnostic> {
    let plans = plan(subject.machine, subject.config, subject.programs)?;
    let case = Case { subject, report, issued, plans };
    let mut found = faults::find(&case);
    found.extend(hang::find(&case));
    found.extend(grids::find(&case));
    found.extend(meetings::find(&case));
    found.extend(races::find(&case));
    found.extend(objects::find(&case));
    found.extend(text::find(&case));
    consequences(&mut found);
    Ok(place::gather(found))
}
