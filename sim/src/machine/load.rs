// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From program texts, in whichever language, to the programs of the warps of a CTA.

use crate::program::{bcu, ptx, Clusters, WarpProgram};
use bcu_hw::diag::Diagnostic;

/// The language of a program text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// BCU assembly, `.bcu`.
    Bcu,
    /// PTX, `.ptx`.
    Ptx,
}

impl Kind {
    /// By the extension of a file's name.
    pub fn of(file: &str) -> Option<Kind> {
        match file.rsplit_once('.')?.1 {
            "bcu" => Some(Kind::Bcu),
            "ptx" => Some(Kind::Ptx),
            _ => None,
        }
    }
}

/// The programs of a launch.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// One per warp, CTA by CTA; never empty.
    pub programs: Vec<WarpProgram>,
    /// CTAs of the grid.
    pub ctas: usize,
    /// How they form clusters.
    pub clusters: Clusters,
    /// Threads of a CTA.
    pub threads: u32,
    /// What is legal but looks wrong.
    pub warnings: Vec<Diagnostic>,
}

/// Which PTX entry which warps execute, first to last.
pub type Role = ptx::Role;

/// What a run says beside the text. Without threads the text says how many there are; roles are for PTX and replace what its comments
/// say.
pub type Launch = ptx::Launch;

/// Reads a text.
///
/// # Errors
/// Every complaint about the text; spans are places in it.
pub fn load(kind: Kind, text: &str, launch: &Launch) -> Result<Loaded, Vec<Diagnostic>> {
    match kind {
        Kind::Bcu => {
            if launch.kernel.is_some() || launch.grid != [1; 3] || launch.cluster.is_some() || !launch.params.is_empty() {
                let error = Diagnostic::new(0..0, "kernels, grids, clusters and arguments are for PTX", "this is BCU assembly");
                return Err(vec![error.help("several CTAs stand in a machine file, see `bcu run --help`")]);
            }
            let threads = launch.all_threads();
            let warps = threads.map(|t| t.div_ceil(launch.lanes.max(1)) as usize);
            let parsed = bcu::parse_for(text, warps, launch.lanes)?;
            let all = parsed.warps.len() as u32 * launch.lanes;
            let (threads, clusters) = (threads.unwrap_or(all), Clusters::default());
            Ok(Loaded { programs: parsed.warps, ctas: 1, clusters, threads, warnings: parsed.warnings })
        }
        Kind::Ptx => {
            let ptx::Lowered { warps, ctas, clusters, threads, warnings } = ptx::lower(&ptx::parse(text)?, launch)?;
            Ok(Loaded { programs: warps, ctas, clusters, threads, warnings })
        }
    }
}
