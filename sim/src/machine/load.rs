// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From program texts, in whichever language, to the programs of the warps of a CTA.

use super::describe::LeaderPolicy;
use crate::program::{bcu, ptx, WarpProgram};
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

/// The programs of one CTA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// One per warp, never empty.
    pub programs: Vec<WarpProgram>,
    /// Threads of the CTA.
    pub threads: u32,
    /// What is legal but looks wrong.
    pub warnings: Vec<Diagnostic>,
}

/// Which PTX entry which warps execute, first to last.
pub type Role = ptx::Role;

/// Reads a text for warps of `lanes` lanes. Without `threads` the text says how many there are; `roles` are for PTX and replace
/// what its comments say. `leader` must be that of the machine: what follows an election is worked out here.
///
/// # Errors
/// Every complaint about the text; spans are places in it.
pub fn load(
    kind: Kind,
    text: &str,
    lanes: usize,
    threads: Option<u32>,
    roles: &[Role],
    leader: LeaderPolicy,
) -> Result<Loaded, Vec<Diagnostic>> {
    let lanes = lanes as u32;
    match kind {
        Kind::Bcu => {
            let warps = threads.map(|t| t.div_ceil(lanes) as usize);
            let parsed = bcu::parse_for(text, warps, lanes)?;
            let all = parsed.warps.len() as u32 * lanes;
            Ok(Loaded { programs: parsed.warps, threads: threads.unwrap_or(all), warnings: parsed.warnings })
        }
        Kind::Ptx => {
            let module = ptx::parse(text)?;
            let mut launch = ptx::Launch::new(lanes);
            launch.threads = threads.map(|t| [t, 1, 1]);
            launch.roles = roles.to_vec();
            launch.highest_leads = leader == LeaderPolicy::Highest;
            let lowered = ptx::lower(&module, &launch)?;
            Ok(Loaded { programs: lowered.warps, threads: lowered.threads, warnings: lowered.warnings })
        }
    }
}
