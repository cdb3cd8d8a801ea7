// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads a program text of any language: the result is a program for each warp of a CTA.

use crate::kind::Kind;
use crate::{bcu, ptx, visa, Clusters, WarpProgram};
use bcu_isa::diag::Diagnostic;

/// The programs of a launch.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Programs, one per warp, CTA by CTA; never empty.
    pub programs: Vec<WarpProgram>,
    /// CTAs of the grid.
    pub ctas: usize,
    /// The clusters of these CTAs.
    pub clusters: Clusters,
    /// Threads of a CTA.
    pub threads: u32,
    /// Warnings about legal but suspicious use.
    pub warnings: Vec<Diagnostic>,
}

impl Loaded {
    /// Whether the launch may start before the previous launch has ended.
    fn programmatic(&self) -> bool {
        self.programs.first().is_some_and(|program| program.grid.programmatic)
    }
}

/// The CTAs of a grid, and the threads and warps of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSize {
    pub ctas: usize,
    pub threads: u32,
    pub warps: usize,
}

/// Launches that run on a machine together: one launch, and the following launches that may start before it has ended.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub grids: Vec<GridSize>,
    /// Programs, one per warp, CTA by CTA, grid by grid.
    pub programs: Vec<WarpProgram>,
    /// Warnings about legal but suspicious use.
    pub warnings: Vec<Diagnostic>,
}

impl Run {
    /// A run of a single launch.
    pub fn of_one(loaded: Loaded) -> Run {
        let mut run = Run::default();
        run.add(loaded);
        run
    }

    fn add(&mut self, loaded: Loaded) {
        let Loaded { programs, ctas, threads, warnings, .. } = loaded;
        self.grids.push(GridSize { ctas, threads, warps: programs.len() / ctas.max(1) });
        self.programs.extend(programs);
        self.warnings.extend(warnings);
    }
}

/// Divides launches into runs, in order; each run starts when the previous one has ended.
pub fn runs(launches: &[Loaded]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for loaded in launches {
        if runs.is_empty() || !loaded.programmatic() {
            runs.push(Run::default());
        }
        runs.last_mut().into_iter().for_each(|run| run.add(loaded.clone()));
    }
    runs
}

/// The PTX entry that warps `first` to `last` execute.
pub type Role = ptx::Role;

/// Options of a run besides the text. Without threads, the text states their number. Roles are for PTX and replace the roles in the
/// comments of the text.
pub type Launch = ptx::Launch;

/// Reads a program text.
///
/// # Errors
/// All errors in the text, with spans.
pub fn load(kind: Kind, text: &str, launch: &Launch) -> Result<Loaded, Vec<Diagnostic>> {
    match kind {
        Kind::Bcu | Kind::Visa => {
            let visa = kind == Kind::Visa;
            if launch.kernel.is_some() || launch.grid != [1; 3] || launch.cluster.is_some() || !launch.params.is_empty() {
                let error = {
                    let this = if visa { "this is vISA" } else { "this is BCU assembly" };
                    Diagnostic::new(0..0, "kernels, grids, clusters and arguments are for PTX", this)
                };
                return Err(
                    vec![error.help("leave these options out; several CTAs need a machine file, see `bcu run --help`")],
                );
            }
            let threads = launch.all_threads();
            let warps = threads.map(|t| t.div_ceil(launch.lanes.max(1)) as usize);
            let parse = if visa { visa::parse } else { bcu::parse_for };
            let parsed = parse(text, warps, launch.lanes)?;
            let parsed_threads = parsed.warps.len() as u32 * launch.lanes;
            let (threads, clusters) = (threads.unwrap_or(parsed_threads), Clusters::default());
            Ok(Loaded { programs: parsed.warps, ctas: 1, clusters, threads, warnings: parsed.warnings })
        }
        Kind::Ptx => {
            let ptx::Lowered { warps, ctas, clusters, threads, warnings } = ptx::lower(&ptx::parse(text)?, launch)?;
            Ok(Loaded { programs: warps, ctas, clusters, threads, warnings })
        }
    }
}
