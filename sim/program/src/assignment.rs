// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assigns warps to programs: combines several texts, roles and the number of threads into one program per warp.

use crate::kind::Kind;
use crate::load::{load, GridSize, Launch, Loaded, Role, Run};
use crate::{ptx, WarpProgram};
use bcu_isa::diag::Diagnostic;

/// A program text with its language, and the name that a role uses for it.
#[derive(Clone, Copy, Debug)]
pub struct ProgramText<'a> {
    pub kind: Kind,
    pub name: &'a str,
    pub text: &'a str,
}

/// The program of each warp of a run, and the text that each program comes from.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub run: Run,
    /// For each program, the index of its text.
    pub owners: Vec<usize>,
    /// Warnings about legal but suspicious use, each with the index of its text.
    pub warnings: Vec<(usize, Diagnostic)>,
}

/// Why there is no assignment.
#[derive(Clone, Debug)]
pub enum AssignmentError {
    /// Errors in one of the texts; spans are in that text.
    Text { index: usize, errors: Vec<Diagnostic> },
    /// Texts, roles and threads do not match each other, so the error has no span in one text.
    Misfit(Diagnostic),
}

fn misfit(message: impl Into<String>, help: &str) -> AssignmentError {
    AssignmentError::Misfit(Diagnostic::new(0..0, message, "").help(help))
}

impl From<Run> for Assignment {
    /// The assignment of a run of one text.
    fn from(run: Run) -> Assignment {
        let warnings = run.warnings.iter().map(|warning| (0, warning.clone())).collect();
        Assignment { owners: vec![0; run.programs.len()], run, warnings }
    }
}

impl Assignment {
    /// Loads one program per warp. Without roles, all warps execute a single text; if there are several texts, each warp executes a
    /// different one.
    ///
    /// # Errors
    /// The first text that cannot be read, or a mismatch of texts, roles and threads.
    pub fn load(texts: &[ProgramText], launch: &Launch) -> Result<Assignment, AssignmentError> {
        let [only] = texts else { return several(texts, launch) };
        if only.kind != Kind::Ptx && !launch.roles.is_empty() {
            let help = "in one file of BCU assembly the line `.warps 1-3 consumer` selects the warps that execute the lines below, in vISA `.threads 1-3 consumer`";
            return Err(misfit(
                "`--role` names a PTX entry or one of several program files, but the run has one file that is not PTX",
                help,
            ));
        }
        Ok(Run::of_one(only.load(0, launch)?).into())
    }

    /// Whether the programs are for one CTA: the launch has one CTA, or the machine file describes the CTAs that run the texts.
    pub fn has_one_cta(&self) -> bool {
        matches!(self.run.grids[..], [GridSize { ctas: 1, .. }])
    }
}

fn several(texts: &[ProgramText], launch: &Launch) -> Result<Assignment, AssignmentError> {
    if launch.kernel.is_some() || launch.grid != [1; 3] || launch.cluster.is_some() {
        return Err(misfit(
            "`--kernel`, `--grid` and `--cluster` require a single PTX file",
            "give one file, or leave these options out",
        ));
    }
    let owners = owners(texts, &launch.roles)?;
    let threads = launch.all_threads().unwrap_or(owners.len() as u32 * launch.lanes);
    let warps = threads.div_ceil(launch.lanes.max(1)) as usize;
    if warps != owners.len() {
        let message = format!("programs for {} warps, but the CTA has {warps} warps", owners.len());
        return Err(misfit(
            message,
            &format!("remove `--warps`, or assign a program to each of the {warps} warps: `--role NAME=0-3`"),
        ));
    }
    // Each text is loaded for the whole CTA, because the code of a warp may depend on the number of the warp. Only the warps that run this
    // text are kept.
    let whole = Launch { threads: launch.threads.or(Some([threads, 1, 1])), roles: vec![], ..launch.clone() };
    let mut programs: Vec<Option<WarpProgram>> = vec![None; owners.len()];
    let mut warnings = vec![];
    for (index, text) in texts.iter().enumerate() {
        let loaded = text.load(index, &whole)?;
        warnings.extend(loaded.warnings.into_iter().map(|warning| (index, warning)));
        let programs_of_text =
            loaded.programs.into_iter().zip(&mut programs).zip(&owners).filter(|(_, owner)| **owner == index);
        for ((program, slot), _) in programs_of_text {
            *slot = Some(WarpProgram { name: text.name.to_string(), ..program });
        }
    }
    let programs: Vec<WarpProgram> = programs.into_iter().flatten().collect();
    let grids = vec![GridSize { ctas: 1, threads, warps: programs.len() }];
    Ok(Assignment { run: Run { grids, programs, warnings: vec![] }, owners, warnings })
}

/// For each warp, the index of the text that it executes.
fn owners(texts: &[ProgramText], roles: &[Role]) -> Result<Vec<usize>, AssignmentError> {
    if roles.is_empty() {
        return Ok((0..texts.len()).collect());
    }
    let mut owners = vec![];
    for role in roles {
        let Some(index) = texts.iter().position(|text| text.name == role.entry) else {
            let names: Vec<&str> = texts.iter().map(|text| text.name).collect();
            let help = format!(
                "with several program files, `--role` takes the name of a file without its extension: {}",
                names.join(", ")
            );
            return Err(misfit(format!("unknown program `{}`", role.entry), &help));
        };
        for warp in role.first as usize..=role.last as usize {
            owners.resize(owners.len().max(warp + 1), None);
            if owners[warp].replace(index).is_some() {
                return Err(misfit(format!("warp {warp} has two roles"), "give each warp one role"));
            }
        }
    }
    if let Some(warp) = owners.iter().position(Option::is_none) {
        return Err(misfit(format!("warp {warp} has no role"), "give a role to each warp from 0 to the highest one"));
    }
    let owners: Vec<usize> = owners.into_iter().flatten().collect();
    if let Some(idle) = (0..texts.len()).find(|index| !owners.contains(index)) {
        return Err(misfit(
            format!("no warp executes `{}`", texts[idle].name),
            "give this program warps with `--role`, or leave its file out",
        ));
    }
    Ok(owners)
}

impl ProgramText<'_> {
    /// Whether all warps run one kernel of this text: for PTX with kernels, the kernel `wanted`, or the only kernel.
    pub fn is_one_kernel(&self, wanted: Option<&str>) -> bool {
        // A text with errors counts as one kernel, so that these errors are reported first, not a mismatch of text and options.
        let one = |module: ptx::Module| {
            let kernels = module.codes.iter().filter(|code| code.kind == ptx::CodeKind::Kernel).count();
            module.roles() == 0 && (kernels == 1 || wanted.is_some() && kernels > 1)
        };
        self.kind == Kind::Ptx && ptx::parse(self.text).map_or(true, one)
    }

    fn load(&self, index: usize, launch: &Launch) -> Result<Loaded, AssignmentError> {
        load(self.kind, self.text, launch).map_err(|errors| AssignmentError::Text { index, errors })
    }
}
