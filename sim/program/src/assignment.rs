// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warp executes what: several texts, roles and the number of threads to one program per warp.

use crate::kind::Kind;
use crate::load::{load, GridSize, Launch, Loaded, Role, Run};
use crate::{ptx, WarpProgram};
use bcu_isa::diag::Diagnostic;

/// A program text with its language, and the name by which a role calls it.
#[derive(Clone, Copy, Debug)]
pub struct ProgramText<'a> {
    pub kind: Kind,
    pub name: &'a str,
    pub text: &'a str,
}

/// The program of each warp of what runs at once, and the text that it is from.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub run: Run,
    /// Which text each of its programs is from.
    pub owners: Vec<usize>,
    /// What is legal but looks wrong, with the text that it is about.
    pub warnings: Vec<(usize, Diagnostic)>,
}

/// Why there is no assignment.
#[derive(Clone, Debug)]
pub enum AssignmentError {
    /// Complaints about one of the texts; spans are places in it.
    Text { index: usize, errors: Vec<Diagnostic> },
    /// Texts, roles and threads do not fit together; there is no place to show.
    Misfit(Diagnostic),
}

fn misfit(message: impl Into<String>, help: &str) -> AssignmentError {
    AssignmentError::Misfit(Diagnostic::new(0..0, message, "").help(help))
}

impl From<Run> for Assignment {
    /// Of one text.
    fn from(run: Run) -> Assignment {
        let warnings = run.warnings.iter().map(|warning| (0, warning.clone())).collect();
        Assignment { owners: vec![0; run.programs.len()], run, warnings }
    }
}

impl Assignment {
    /// One program per warp. Without roles one text is executed by all warps, and of several each by one.
    ///
    /// # Errors
    /// The first text that cannot be read, or how texts, roles and threads do not fit together.
    pub fn load(texts: &[ProgramText], launch: &Launch) -> Result<Assignment, AssignmentError> {
        let [only] = texts else { return several(texts, launch) };
        if only.kind != Kind::Ptx && !launch.roles.is_empty() {
            let help = "in one file of BCU assembly the line `.warps 1-3 consumer` says who executes what follows, in vISA `.threads 1-3 consumer`";
            return Err(misfit("roles name PTX entries or, with several programs, files", help));
        }
        Ok(Run::of_one(only.load(0, launch)?).into())
    }

    /// It has one CTA, or the machine's description says which there are.
    pub fn has_one_cta(&self) -> bool {
        matches!(self.run.grids[..], [GridSize { ctas: 1, .. }])
    }
}

fn several(texts: &[ProgramText], launch: &Launch) -> Result<Assignment, AssignmentError> {
    if launch.kernel.is_some() || launch.grid != [1; 3] || launch.cluster.is_some() {
        return Err(misfit("a kernel, a grid and a cluster go with one PTX file", "give one file"));
    }
    let owners = owners(texts, &launch.roles)?;
    let threads = launch.all_threads().unwrap_or(owners.len() as u32 * launch.lanes);
    let warps = threads.div_ceil(launch.lanes.max(1)) as usize;
    if warps != owners.len() {
        let message = format!("programs for {} warps, but the CTA has {warps} warps", owners.len());
        return Err(misfit(
            message,
            "leave out the number of warps, or give each warp a program, with roles if several share one",
        ));
    }
    // The whole CTA is loaded from each, since what a warp does may depend on its number; the warps of that text are kept.
    let whole = Launch { threads: launch.threads.or(Some([threads, 1, 1])), roles: vec![], ..launch.clone() };
    let mut programs: Vec<Option<WarpProgram>> = vec![None; owners.len()];
    let mut warnings = vec![];
    for (index, text) in texts.iter().enumerate() {
        let loaded = text.load(index, &whole)?;
        warnings.extend(loaded.warnings.into_iter().map(|warning| (index, warning)));
        let own = loaded.programs.into_iter().zip(&mut programs).zip(&owners).filter(|(_, owner)| **owner == index);
        for ((program, slot), _) in own {
            *slot = Some(WarpProgram { name: text.name.to_string(), ..program });
        }
    }
    let programs: Vec<WarpProgram> = programs.into_iter().flatten().collect();
    let grids = vec![GridSize { ctas: 1, threads, warps: programs.len() }];
    Ok(Assignment { run: Run { grids, programs, warnings: vec![] }, owners, warnings })
}

/// By warp: which of the texts it executes.
fn owners(texts: &[ProgramText], roles: &[Role]) -> Result<Vec<usize>, AssignmentError> {
    if roles.is_empty() {
        return Ok((0..texts.len()).collect());
    }
    let mut owners = vec![];
    for role in roles {
        let Some(index) = texts.iter().position(|text| text.name == role.entry) else {
            let names: Vec<&str> = texts.iter().map(|text| text.name).collect();
            let help = format!("with several programs a role is a file's name without its ending: {}", names.join(", "));
            return Err(misfit(format!("no program is called `{}`", role.entry), &help));
        };
        for warp in role.first as usize..=role.last as usize {
            owners.resize(owners.len().max(warp + 1), None);
            if owners[warp].replace(index).is_some() {
                return Err(misfit(format!("warp {warp} has two roles"), "give every warp one"));
            }
        }
    }
    if let Some(warp) = owners.iter().position(Option::is_none) {
        return Err(misfit(format!("warp {warp} has no role"), "give every warp up to the last one a role"));
    }
    let owners: Vec<usize> = owners.into_iter().flatten().collect();
    if let Some(idle) = (0..texts.len()).find(|index| !owners.contains(index)) {
        return Err(misfit(format!("no warp executes `{}`", texts[idle].name), "give it warps with a role, or leave it out"));
    }
    Ok(owners)
}

impl ProgramText<'_> {
    /// Whether all warps run one kernel of this text: of PTX with kernels, the one asked for or the only one.
    pub fn is_one_kernel(&self, wanted: Option<&str>) -> bool {
        // Of a text with errors these are shown, not what does not go with its options.
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
