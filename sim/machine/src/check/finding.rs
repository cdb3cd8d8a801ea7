// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What checks find, and where.

use super::codes::{Code, Severity, DEADLOCK};

use crate::issued::Issued;
use crate::plan::CtaPlan;
use crate::report::Report;
use crate::Machine;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_program::{Kind, Place, WarpProgram};
use std::ops::Range;

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
    /// Places of findings that only follow from this one.
    pub explains: Vec<At>,
    /// The mbarrier that it is about, in words, where findings about that may follow.
    pub object: Option<String>,
}

impl Finding {
    pub(super) fn new(code: &'static Code, at: Option<At>, message: impl Into<String>) -> Finding {
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
            explains: vec![],
            object: None,
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
pub struct Case<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) report: &'a Report,
    pub(super) issued: &'a Issued,
    pub(super) plans: Vec<CtaPlan>,
}

impl Case<'_> {
    /// The file with the program of a warp.
    pub(super) fn file(&self, cta: usize, warp: usize) -> usize {
        let index = self.plans.get(cta).and_then(|plan| plan.index(warp, self.subject.programs));
        index.and_then(|index| self.subject.owners.get(index)).copied().unwrap_or(0)
    }

    /// A place in the program of a warp.
    pub(super) fn at(&self, cta: usize, warp: usize, place: &Place) -> Option<At> {
        self.locate(self.file(cta, warp), place)
    }

    /// The cycle in which the unit reported that a CTA cannot go on.
    pub(super) fn deadlock_cycle(&self, cta: usize) -> Option<u64> {
        self.report.faults.iter().find(|f| f.cta == cta && f.code == DEADLOCK.name).map(|f| f.cycle)
    }

    /// The language of the program that a finding is about.
    pub(super) fn kind(&self, finding: &Finding) -> Kind {
        let file = finding.at.as_ref().map_or(0, |at| at.file);
        let of_file = self.subject.owners.iter().position(|owner| *owner == file);
        of_file.and_then(|index| self.subject.programs.get(index)).map_or(Kind::Ptx, |program| program.code.kind)
    }

    /// CTAs of one cluster.
    pub(super) fn are_peers(&self, a: usize, b: usize) -> bool {
        self.plans.iter().find(|plan| plan.cta == a).is_some_and(|plan| plan.cluster.contains(&b))
    }

    fn locate(&self, file: usize, place: &Place) -> Option<At> {
        locate(file, self.subject.files.get(file)?, place)
    }
}

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

/// The instruction on its line; the whole line where the text of the place is not what stands there.
pub fn locate(file: usize, text: &str, place: &Place) -> Option<At> {
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index + 1 == place.line {
            // An instruction over several lines begins on this one.
            let first = place.text.lines().next().unwrap_or("").trim();
            let (from, length) = match line.find(first).filter(|_| !first.is_empty()) {
                Some(from) => (from, first.len()),
                None => (line.len() - line.trim_start().len(), line.trim().len()),
            };
            return Some(At { file, start: start + from, end: start + from + length });
        }
        start += line.len();
    }
    None
}
