// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cooperative launches: all CTAs of the grid must be resident at once, and have a workspace in global memory for barriers of the grid.

use super::plan::CtaPlan;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_program::window::{GRID_BARRIER, WORKSPACE, WORKSPACE_BYTES};
use bcu_program::{Image, Variable};

/// The name of the word at which the CTAs of a grid arrive, in reports.
const NAME: &str = "grid barrier";

/// The address of the workspace of a grid; `grid` is its number in the run.
pub(super) fn workspace(grid: usize) -> u64 {
    WORKSPACE + grid as u64 * WORKSPACE_BYTES
}

/// Whether the CTA is part of a cooperative launch.
fn is_cooperative(plan: &CtaPlan) -> bool {
    plan.programs.first().is_some_and(|program| program.grid.cooperative)
}

/// The workspaces of all cooperative launches of a run: their words for barriers, and the bytes before and after these.
pub(super) fn workspaces(plans: &[CtaPlan]) -> Vec<Variable> {
    let mut grids: Vec<usize> = plans.iter().filter(|plan| is_cooperative(plan)).map(|plan| plan.grid).collect();
    grids.dedup();
    let parts = |grid: usize| {
        let (at, bytes) = GRID_BARRIER;
        let part = |name: &str, from: u64, to: u64| {
            let name = if grids.len() > 1 { format!("{name} of grid {grid}") } else { name.to_string() };
            Variable { name, address: workspace(grid) + from, bytes: Image::zeroed((to - from) as usize), unset: None }
        };
        let rest = "grid workspace";
        [part(rest, 0, at), part(NAME, at, at + bytes), part(rest, at + bytes, WORKSPACE_BYTES)]
    };
    grids.iter().flat_map(|grid| parts(*grid)).collect()
}

/// The number of grids up to the last cooperative one.
pub(super) fn grids(plans: &[CtaPlan]) -> usize {
    plans.iter().filter(|plan| is_cooperative(plan)).map(|plan| plan.grid + 1).max().unwrap_or(0)
}

/// The CTAs like `plan` that `sms` multiprocessors hold at once.
fn capacity(plan: &CtaPlan, sms: usize, sizes: &Config) -> usize {
    let (cluster, warps) = (plan.cluster.len(), plan.programs.len());
    let by_slots = sizes.cta_slots.min(sizes.warps / warps.max(1)) * sms;
    let clusters = by_slots / cluster.max(1);
    if cluster > 1 {
        clusters.min(sizes.cluster_slots) * cluster
    } else {
        by_slots
    }
}

/// Whether one multiprocessor is too small for a cooperative launch.
pub(super) fn needs_several(plans: &[CtaPlan], sizes: &Config) -> bool {
    resident(plans, 1, sizes).is_err()
}

/// Fails if the CTAs of a cooperative launch do not fit `sms` multiprocessors at once.
pub(super) fn resident(plans: &[CtaPlan], sms: usize, sizes: &Config) -> Result<(), Diagnostic> {
    let cooperative: Vec<&CtaPlan> = plans.iter().filter(|plan| is_cooperative(plan)).collect();
    for ctas in cooperative.chunk_by(|one, other| one.grid == other.grid) {
        // The CTAs of a grid have the same size.
        let (count, fit) = (ctas.len(), capacity(ctas[0], sms, sizes));
        if count > fit {
            return Err(too_large(ctas[0], (count, fit), sms, sizes));
        }
    }
    Ok(())
}

fn too_large(first: &CtaPlan, (count, fit): (usize, usize), sms: usize, sizes: &Config) -> Diagnostic {
    let warps = first.programs.len();
    let (each, units) =
        (if warps == 1 { "warp" } else { "warps" }, if sms == 1 { "multiprocessor" } else { "multiprocessors" });
    let slots = format!("{sms} {units} of {} CTA slots and {} warp slots", sizes.cta_slots, sizes.warps);
    let message = format!(
        "a cooperative launch of {count} CTAs of {warps} {each} does not fit at once: {slots} of `{}` hold {fit}",
        sizes.name
    );
    let enough = (1..=sizes.sms).find(|sms| capacity(first, *sms, sizes) >= count);
    let more = enough.map_or(String::new(), |sms| format!(", or use more multiprocessors: `--sms {sms}`"));
    let help = format!("launch at most {fit} CTAs, or smaller ones, and let each do more of the work{more}; `bcu configs` lists larger configurations");
    Diagnostic::new(0..0, message, "expected a grid that is resident as a whole").help(help)
}
