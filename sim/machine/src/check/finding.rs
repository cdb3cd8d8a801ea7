// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of checks, with their locations.

use super::codes::{Code, Severity, DEADLOCK};

use crate::issued::Issued;
use crate::plan::CtaPlan;
use crate::report::{ObjectName, Report};
use crate::schedule_file::Execution;
use crate::Machine;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_program::{Function, Instr, Kind, Origin, Place, WarpProgram};
use std::ops::Range;
use std::sync::Arc;

/// A span in the text of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub file: usize,
    /// The offset in the file of the first byte of the span.
    pub start: usize,
    /// The offset in the file of the byte after the last byte of the span.
    pub end: usize,
    /// The location in the source from which the program was compiled.
    pub origin: Option<Arc<Origin>>,
}

impl At {
    pub(super) fn of(file: usize, instr: &Instr) -> At {
        At { file, start: instr.span.start, end: instr.span.end, origin: instr.place.origin.clone() }
    }

    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A note with a second location, in addition to the location of the finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub at: Option<At>,
    pub note: String,
}

/// A result of the checks, for one misuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: &'static Code,
    pub severity: Severity,
    pub at: Option<At>,
    /// What happened, one sentence without a full stop.
    pub message: String,
    /// The CTA of the first occurrence. The fields from `cta` to `generation` describe this
    /// occurrence; a field is `None` if its value is unknown.
    pub cta: Option<usize>,
    /// The number of the warp within its CTA.
    pub warp: Option<usize>,
    /// For a fault of the unit, the cycle of its report, as in [`Report`]; for any other finding, the cycle of the instruction.
    pub cycle: Option<u64>,
    pub barrier: Option<u8>,
    /// The generation of the barrier, from 1.
    pub generation: Option<usize>,
    /// The number of occurrences in the run; 0 if the finding is from the text of the program alone.
    pub times: usize,
    pub related: Vec<Related>,
    pub help: String,
    /// Locations of other findings that only follow from this finding.
    pub explains: Vec<At>,
    /// The mbarrier of a refused operation or of an early wait; `None` for all other findings. The
    /// module `consequences` compares it between findings.
    pub object: Option<ObjectName>,
    /// What a race is about; `None` for all other findings. Races of one line with the same subject are merged.
    pub race: Option<RaceSubject>,
}

/// The memory of a race, and how far its two threads are apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceSubject {
    /// The variable or buffer with the byte, else the kind of memory.
    pub memory: String,
    pub is_between_ctas: bool,
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
            race: None,
        }
    }

    /// Time and place of the first occurrence, in a few words; empty if the finding is from the text of the program alone.
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

/// The input of the checks: a run, its programs, and the data that gives findings their locations.
pub struct Case<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) report: &'a Report,
    pub(super) issued: &'a Issued,
    pub(super) plans: Vec<CtaPlan>,
}

impl Case<'_> {
    /// The index of the file that contains the program of a warp.
    pub(super) fn file(&self, cta: usize, warp: usize) -> usize {
        let index = self.plans.get(cta).and_then(|plan| plan.index(warp, self.subject.programs));
        index.and_then(|index| self.subject.owners.get(index)).copied().unwrap_or(0)
    }

    /// The location of an execution.
    pub(super) fn place(&self, execution: &Execution) -> Option<Place> {
        Some(self.instr(execution)?.place.clone())
    }

    /// The instruction of an execution.
    pub(super) fn instr(&self, execution: &Execution) -> Option<&Instr> {
        let Execution { cta, warp, function, instr, .. } = *execution;
        let program = self.plans.get(cta).and_then(|plan| plan.index(warp, self.subject.programs));
        self.subject.programs.get(program?)?.code.instr(function, instr)
    }

    /// The span of a location in the program of a warp.
    pub(super) fn locate_in(&self, cta: usize, warp: usize, place: &Place) -> Option<At> {
        self.locate(self.file(cta, warp), place)
    }

    /// The cycle in which the unit reported the deadlock of a CTA.
    pub(super) fn deadlock_cycle(&self, cta: usize) -> Option<u64> {
        self.report.faults.iter().find(|f| f.cta == cta && f.code == DEADLOCK.name).map(|f| f.cycle)
    }

    /// The language of the program in which a finding is located.
    pub(super) fn kind(&self, finding: &Finding) -> Kind {
        let file = finding.at.as_ref().map_or(0, |at| at.file);
        let of_file = self.subject.owners.iter().position(|owner| *owner == file);
        of_file.and_then(|index| self.subject.programs.get(index)).map_or(Kind::Ptx, |program| program.code.kind)
    }

    /// Whether two CTAs are in one cluster.
    pub(super) fn are_peers(&self, a: usize, b: usize) -> bool {
        self.plans.iter().find(|plan| plan.cta == a).is_some_and(|plan| plan.cluster.contains(&b))
    }

    /// The kernels of the run, each once.
    pub(super) fn kernels(&self) -> Vec<Kernel<'_>> {
        let mut kernels: Vec<Kernel> = vec![];
        let earlier = self.subject.earlier.iter().map(|program| (*program, &0));
        for (program, file) in self.subject.programs.iter().zip(self.subject.owners).chain(earlier) {
            if kernels.iter().any(|known| (known.file, known.program.entry) == (*file, program.entry)) {
                continue;
            }
            // A kernel also has the instructions of the functions that it may call.
            let code = &program.code;
            let functions = code.reached(program.entry).into_iter().filter_map(|number| code.functions.get(number)).collect();
            kernels.push(Kernel { program, file: *file, functions });
        }
        kernels
    }

    /// A span in a file, with the origin of the instruction that contains the start of the span.
    pub(super) fn at(&self, file: usize, span: &Range<usize>) -> At {
        let kernels = self.kernels();
        let functions = kernels.iter().filter(|kernel| kernel.file == file).flat_map(|kernel| &kernel.functions);
        let mut instrs = functions.flat_map(|function| &function.instrs);
        let origin = instrs.find(|instr| instr.span.contains(&span.start)).and_then(|instr| instr.place.origin.clone());
        At { file, start: span.start, end: span.end, origin }
    }

    fn locate(&self, file: usize, place: &Place) -> Option<At> {
        locate(file, self.subject.files.get(file)?, place)
    }
}

/// A kernel: its program, the index of its file, and the functions whose instructions it may execute.
pub(super) struct Kernel<'a> {
    pub(super) program: &'a WarpProgram,
    pub(super) file: usize,
    pub(super) functions: Vec<&'a Function>,
}

/// The checked programs.
pub struct Subject<'a> {
    /// Texts of the program files.
    pub files: &'a [&'a str],
    /// The programs of the run.
    pub programs: &'a [WarpProgram],
    /// The programs of the earlier runs of the session, which are in the first file.
    pub earlier: Vec<&'a WarpProgram>,
    /// For each program, the index of its file in `files`.
    pub owners: &'a [usize],
    /// The warnings of the files' parsers, with the index of the file.
    pub warnings: &'a [(usize, Diagnostic)],
    pub machine: &'a Machine,
    pub config: &'a Config,
    /// Whether the checks also report uses that are forbidden only by a strict reading of PTX or by the rules of a library.
    pub strict: bool,
}

/// The span of the instruction `place` in its line of `text`; the whole line if the line does not contain the text of `place`.
pub fn locate(file: usize, text: &str, place: &Place) -> Option<At> {
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index + 1 == place.line {
            // If an instruction spans several lines, only its first line is searched for.
            let first = place.text.lines().next().unwrap_or("").trim();
            let (from, length) = match line.find(first).filter(|_| !first.is_empty()) {
                Some(from) => (from, first.len()),
                None => (line.len() - line.trim_start().len(), line.trim().len()),
            };
            return Some(At { file, start: start + from, end: start + from + length, origin: place.origin.clone() });
        }
        start += line.len();
    }
    None
}
