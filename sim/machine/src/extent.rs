// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number of multiprocessors for a run, and the unit that the run needs: `gpu` for several
//! multiprocessors, clusters of several CTAs or overlapping grids; otherwise `bcu`.

use super::cooperative;
use super::describe::Machine;
use super::plan::{plan, CtaPlan};
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_isa::units::{SEVERAL, WHOLE};
use bcu_program::WarpProgram;
use std::ops::Range;
use toml::Spanned;

/// The number of multiprocessors for a run, and the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Whether the unit is `gpu`.
    pub several: bool,
    /// The number of multiprocessors on which CTAs are launched.
    pub sms: usize,
}

/// The name of the unit that a run needs.
///
/// # Errors
/// Programs, machine and configuration do not fit, as for [`run`](super::run).
pub fn unit(machine: &Machine, sizes: &Config, programs: &[WarpProgram]) -> Result<&'static str, Diagnostic> {
    let extent = extent(machine, sizes, &plan(machine, sizes, programs)?)?;
    Ok(if extent.several { SEVERAL } else { WHOLE })
}

/// The number of multiprocessors for the CTAs `plans`, and whether they need `gpu`; an error if the configuration is too small for them.
pub(super) fn extent(machine: &Machine, sizes: &Config, plans: &[CtaPlan]) -> Result<Extent, Diagnostic> {
    let span = machine.sms.as_ref().map_or(0..0, Spanned::span);
    let requested_sms = machine.sms.as_ref().map(|sms| sms.get_ref().get() as usize);
    let cluster = plans.iter().map(|plan| plan.cluster.len()).max().unwrap_or(1);
    let overlap = plans.last().is_some_and(|plan| plan.grid > 0);
    // A cooperative launch that one multiprocessor cannot hold has all of the configuration.
    let spread = requested_sms.is_none() && missing(sizes).is_none() && cooperative::needs_several(plans, sizes);
    let several = overlap || cluster > 1 || spread || requested_sms.is_some_and(|sms| sms > 1);
    let sms = requested_sms.unwrap_or(if several { sizes.sms } else { 1 });
    if !several {
        cooperative::resident(plans, sms, sizes)?;
        return Ok(Extent { several, sms });
    }
    let what = match cluster {
        _ if overlap => "grids that begin before others have ended".to_string(),
        1 => format!("{sms} multiprocessors"),
        _ => format!("clusters of {cluster} CTAs"),
    };
    if let Some(missing) = missing(sizes) {
        let message =
            format!("{what} need a configuration with clusters, mbarriers and grids, but `{}` has {missing}", sizes.name);
        return Err(Diagnostic::new(span, message, "does not fit the configuration").help(with_several()));
    }
    if sms > sizes.sms {
        let message =
            format!("{sms} multiprocessors, but the configuration `{}` has {} (its key `sms`)", sizes.name, sizes.sms);
        return Err(Diagnostic::new(span, message, format!("expected 1 to {}", sizes.sms)).help(with_several()));
    }
    plans.iter().filter(|plan| plan.rank == 0).try_for_each(|plan| fits(plan, sms, sizes, &span))?;
    cooperative::resident(plans, sms, sizes)?;
    Ok(Extent { several, sms })
}

/// The first part that several multiprocessors need and the configuration lacks, with the key that adds it; `None` if the configuration has
/// all parts.
fn missing(sizes: &Config) -> Option<&'static str> {
    let lacks = [
        (!sizes.has_clusters(), "no clusters (`cluster_size`)"),
        (!sizes.has_mbarrier(), "no mbarriers (`mbarrier_objects`)"),
        (!sizes.has_grids(), "no grids (`grids`)"),
        (sizes.sms == 0, "no hubs (`sms`)"),
    ];
    lacks.into_iter().find(|(lacks, _)| *lacks).map(|(_, what)| what)
}

/// A list of the built-in configurations with several multiprocessors.
fn with_several() -> String {
    let all = bcu_isa::config::NAMED.iter().filter_map(|(name, _)| bcu_isa::config::named(name));
    let fit = all.filter(|config| missing(config).is_none());
    let names: Vec<String> = fit.map(|config| format!("`{}` ({})", config.name, config.sms)).collect();
    format!("use a configuration with several multiprocessors, here with their number: {}", names.join(", "))
}

/// Fails if a cluster does not fit: a cluster is launched as a whole or not at all.
fn fits(plan: &CtaPlan, sms: usize, sizes: &Config, span: &Range<usize>) -> Result<(), Diagnostic> {
    let (size, warps) = (plan.cluster.len(), plan.programs.len());
    if size > sizes.cluster_size {
        let message = format!("clusters of {size} CTAs, but the configuration allows at most {}", sizes.cluster_size);
        return Err(
            Diagnostic::new(span.clone(), message, format!("expected at most {}", sizes.cluster_size)).help("lower `cluster`")
        );
    }
    let each = sizes.cta_slots.min(sizes.warps / warps.max(1));
    if size <= each * sms {
        return Ok(());
    }
    let message = format!(
        "a cluster of {size} CTAs of {warps} warps is never launched: {sms} multiprocessors have slots for {} at once",
        each * sms
    );
    let help = "use a smaller cluster or smaller CTAs, more multiprocessors, or a larger configuration";
    Err(Diagnostic::new(span.clone(), message, "does not fit").help(help))
}
