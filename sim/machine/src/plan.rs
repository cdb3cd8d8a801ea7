// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a machine description and programs to the list of CTAs, with the program of each warp.

use super::describe::{Cta, Machine};
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_program::{Clusters, WarpProgram};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use toml::Spanned;

/// The maximum number of CTAs in a run: far more than the slots, but few enough to keep a report readable.
const MAX_CTAS: usize = 4096;

/// A CTA to launch.
#[derive(Clone, Debug)]
pub(crate) struct CtaPlan {
    /// The number of the CTA in the run.
    pub cta: usize,
    /// The number of the CTA's grid.
    pub grid: usize,
    /// The CTAs of the cluster, in order of rank.
    pub cluster: Rc<[usize]>,
    /// The rank of this CTA in the cluster.
    pub rank: usize,
    /// The number of threads of the CTA, at least 1. The last warp has fewer lanes if the number is not a multiple of the lanes of a
    /// warp.
    pub threads: usize,
    pub barriers: usize,
    /// The programs of the warps, one for each warp.
    pub programs: Vec<Rc<WarpProgram>>,
}

impl CtaPlan {
    /// The index in `programs` of the program of warp `warp`.
    pub fn index(&self, warp: usize, programs: &[WarpProgram]) -> Option<usize> {
        let own_program = self.programs.get(warp)?;
        programs.iter().position(|other| {
            other.name == own_program.name && other.entry == own_program.entry && Arc::ptr_eq(&other.code, &own_program.code)
        })
    }
}

/// The CTAs in order of their numbers. The span of a diagnostic is a byte range in the text of the description; for a value from another
/// source the span is empty, at byte 0.
pub(crate) fn plan(machine: &Machine, sizes: &Config, programs: &[WarpProgram]) -> Result<Vec<CtaPlan>, Diagnostic> {
    let programs: Vec<Rc<WarpProgram>> = programs.iter().cloned().map(Rc::new).collect();
    let default_cta = [Cta::default()];
    let ctas = if machine.ctas.is_empty() { &default_cta } else { machine.ctas.as_slice() };
    if !machine.grids.is_empty() {
        return plan_grids(machine, ctas, sizes, &programs);
    }
    let mut plans: Vec<CtaPlan> = vec![];
    for cta in ctas {
        let plan = plan_one(cta, sizes, &programs)?;
        let count = cta.count.as_ref().map_or(1, |n| n.get_ref().get() as usize);
        let first = plans.len();
        if first + count > MAX_CTAS {
            let message = format!("{} CTAs are more than the {MAX_CTAS} that a run may have", first + count);
            let span = cta.count.as_ref().map_or(0..0, Spanned::span);
            return Err(Diagnostic::new(span, message, "too many CTAs").help("lower `count`"));
        }
        let size = cta.cluster.as_ref().map_or(1, |size| size.get_ref().get() as usize);
        if count % size != 0 {
            let message = format!("{count} CTAs cannot be divided into clusters of {size}");
            let span = cta.cluster.as_ref().map_or(0..0, Spanned::span);
            let help = "`count` is the number of all CTAs of the entry; expected a multiple of `cluster`";
            return Err(Diagnostic::new(span, message, "expected a number that divides `count`").help(help));
        }
        plans.extend((0..count).map(|at| {
            let cluster = (first + at - at % size..first + at - at % size + size).collect();
            CtaPlan { cta: first + at, cluster, rank: at % size, ..plan.clone() }
        }));
    }
    Ok(plans)
}

/// The CTAs of all grids in order. The machine description gives the shape of each CTA.
fn plan_grids(
    machine: &Machine,
    ctas: &[Cta],
    sizes: &Config,
    programs: &[Rc<WarpProgram>],
) -> Result<Vec<CtaPlan>, Diagnostic> {
    let [described] = ctas else {
        let message =
            format!("the machine describes {} kinds of CTAs, but the launches define their CTAs themselves", ctas.len());
        return Err(Diagnostic::new(0..0, message, "expected at most one `[[cta]]`")
            .help("leave out `[[cta]]`, or all but one of them"));
    };
    let mut plans: Vec<CtaPlan> = vec![];
    let mut unplanned = programs;
    for (grid, size) in machine.grids.iter().enumerate() {
        let mut cta = described.clone();
        cta.size(size.threads);
        let (of_this_grid, others) = unplanned.split_at((size.warps * size.ctas).min(unplanned.len()));
        unplanned = others;
        let clusters = of_this_grid.first().map(|program| program.grid.clusters).unwrap_or_default();
        let plan_cta = |programs: &[Rc<WarpProgram>]| Ok(CtaPlan { grid, ..plan_one(&cta, sizes, programs)? });
        let of_grid = of_this_grid.chunks(size.warps.max(1)).map(plan_cta).collect::<Result<Vec<_>, _>>()?;
        plans.extend(clustered(of_grid, plans.len(), &clusters));
    }
    Ok(plans)
}

/// The CTAs of a grid, or of a part of it with whole clusters, numbered from `first` on, with the cluster and the rank of each.
fn clustered(plans: Vec<CtaPlan>, first: usize, clusters: &Clusters) -> Vec<CtaPlan> {
    let ctaid = |plan: &CtaPlan| plan.programs.first().map_or([0; 3], |program| program.ctaid);
    let mut members: BTreeMap<[u32; 3], Vec<(usize, usize)>> = BTreeMap::new();
    for (at, plan) in plans.iter().enumerate() {
        members.entry(clusters.cluster(ctaid(plan))).or_default().push((clusters.rank(ctaid(plan)), first + at));
    }
    let has_all_ranks = |members: &mut Vec<(usize, usize)>| {
        members.sort_unstable();
        members.iter().map(|(rank, _)| *rank).eq(0..clusters.size())
    };
    let is_known = members.values_mut().all(has_all_ranks);
    let place = |(at, plan): (usize, CtaPlan)| {
        let ctaid = ctaid(&plan);
        let cluster = members.get(&clusters.cluster(ctaid)).filter(|_| is_known);
        match cluster {
            Some(cluster) => {
                let cluster = cluster.iter().map(|(_, cta)| *cta).collect();
                CtaPlan { cta: first + at, cluster, rank: clusters.rank(ctaid), ..plan }
            }
            None => CtaPlan { cta: first + at, cluster: [first + at].into(), ..plan },
        }
    };
    plans.into_iter().enumerate().map(place).collect()
}

/// The CTAs in launch order: cluster by cluster, and in each cluster by rank.
pub(crate) fn in_order(mut plans: Vec<CtaPlan>) -> Vec<CtaPlan> {
    plans.sort_by_key(|plan| (plan.cluster.first().copied(), plan.rank));
    plans
}

/// One CTA of the description `cta`, with the programs of its warps; `given` are all programs of the run.
fn plan_one(cta: &Cta, sizes: &Config, given: &[Rc<WarpProgram>]) -> Result<CtaPlan, Diagnostic> {
    let named = cta.programs.iter().map(|name| find(name.get_ref(), name.span(), given)).collect::<Result<Vec<_>, _>>()?;
    let list = if named.is_empty() { given } else { &named };
    let span = cta.programs.first().zip(cta.programs.last()).map_or(0..0, |(a, b)| a.span().start..b.span().end);
    let warps = warps(cta, sizes, list.len())?;
    if list.is_empty() {
        return Err(Diagnostic::new(span, "no program to execute", "expected at least one"));
    }
    if list.len() != 1 && list.len() != warps {
        let message = format!("{} programs for {warps} warps", list.len());
        let help = "give one program per warp, or one for all warps";
        return Err(Diagnostic::new(span, message, format!("expected 1 or {warps}")).help(help));
    }
    super::fits::fits(sizes, list)?;
    // The largest number of barriers that one of the programs declares.
    let declared = list.iter().filter_map(|program| program.grid.barriers).max();
    let barriers = match &cta.barriers {
        None => declared.map_or(sizes.ids(), |declared| declared as usize),
        Some(n) if usize::from(*n.get_ref()) <= sizes.ids() => usize::from(*n.get_ref()),
        Some(n) => {
            let message = format!("{} barriers declared, but the configuration has {} per CTA", n.get_ref(), sizes.ids());
            return Err(Diagnostic::new(n.span(), message, format!("expected 0 to {}", sizes.ids())));
        }
    };
    let threads = cta.threads.as_ref().map_or(warps * sizes.lanes, |t| t.get_ref().get() as usize);
    let programs = (0..warps).map(|w| list[if list.len() == 1 { 0 } else { w }].clone()).collect();
    Ok(CtaPlan { cta: 0, grid: 0, cluster: [0].into(), rank: 0, threads, barriers, programs })
}

fn find(name: &str, span: Range<usize>, given: &[Rc<WarpProgram>]) -> Result<Rc<WarpProgram>, Diagnostic> {
    given.iter().find(|p| p.name == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = given.iter().map(|p| p.name.as_str()).collect();
        let label = format!("expected one of: {}", names.join(", "));
        Diagnostic::new(span, format!("unknown program `{name}`"), label)
    })
}

/// The number of warps of a CTA; an error if the configuration has fewer warps.
fn warps(cta: &Cta, sizes: &Config, programs: usize) -> Result<usize, Diagnostic> {
    let from_threads = cta.threads.as_ref().map(|t| (t.get_ref().get() as usize).div_ceil(sizes.lanes));
    let from_warps = cta.warps.as_ref().map(|w| w.get_ref().get() as usize);
    let threads_span = cta.threads.as_ref().map(Spanned::span);
    if let (Some(t), Some(w), Some(span)) = (from_threads, from_warps, threads_span.clone()) {
        if t != w {
            let message = format!("`threads` gives {t} warps of {} lanes, but `warps` is {w}", sizes.lanes);
            return Err(Diagnostic::new(span, message, "does not fit `warps`").help("give one of the two"));
        }
    }
    let warps = from_warps.or(from_threads).unwrap_or(programs);
    let span = cta.warps.as_ref().map(Spanned::span).or(threads_span).unwrap_or(0..0);
    if warps > sizes.warps {
        let message = format!(
            "a CTA of {warps} warps does not fit the configuration, which has {} warps of {} lanes",
            sizes.warps, sizes.lanes
        );
        let help = "use a configuration with more warps (`bcu configs` lists them), or fewer programs or warps";
        return Err(Diagnostic::new(span, message, format!("expected at most {} warps", sizes.warps)).help(help));
    }
    Ok(warps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> Config {
        Config {
            name: "test".to_string(),
            warps: 4,
            lanes: 8,
            cta_slots: 2,
            barriers: 4,
            gateway_ids: 0,
            pack_lsb: 4,
            max_outstanding: 3,
            accesses_per_cycle: 1,
            reductions: true,
            faults: true,
            lose_faults: false,
            smem_bytes: 1024,
            mbarrier_objects: 8,
            limit_bits: 2,
            max_copies: 4,
            cluster_size: 0,
            cluster_slots: 4,
            grids: false,
            grid_slots: 4,
            sms: 0,
            link_stages: 1,
            max_remote: 2,
            state_words: true,
        }
    }

    fn programs(names: &[&str]) -> Vec<WarpProgram> {
        let one = bcu_program::bcu::parse("EXIT", Some(1)).unwrap().warps.remove(0);
        names.iter().map(|n| WarpProgram { name: n.to_string(), ..one.clone() }).collect()
    }

    fn plan_text(text: &str, names: &[&str]) -> Result<Vec<CtaPlan>, Diagnostic> {
        plan(&Machine::parse(text).unwrap(), &sizes(), &programs(names))
    }

    fn names(plan: &CtaPlan) -> String {
        plan.programs.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn programs_go_to_warps() {
        assert_eq!(names(&plan_text("", &["a", "b", "c"]).unwrap()[0]), "a b c");
        assert_eq!(names(&plan_text("[[cta]]\nwarps = 3", &["a"]).unwrap()[0]), "a a a");
        let plans = plan_text(
            "[[cta]]\ncount = 2\nprograms = ['b', 'a', 'b']\n[[cta]]\nthreads = 9\nprograms = ['b']\nbarriers = 1",
            &["a", "b"],
        );
        let plans = plans.unwrap();
        assert_eq!(plans.iter().map(names).collect::<Vec<_>>(), ["b a b", "b a b", "b b"]);
        assert_eq!((plans[0].threads, plans[2].threads, plans[0].barriers, plans[2].barriers), (24, 9, 4, 1));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        let refused = |text: &str, given: &[&str], part: &str, at: &str| {
            let d = plan_text(text, given).unwrap_err();
            assert!(d.message.contains(part), "{}", d.message);
            assert_eq!(&text[d.span], at);
        };
        refused("", &[], "no program", "");
        refused("", &["a", "b", "c", "d", "e"], "a CTA of 5 warps", "");
        refused("[[cta]]\nthreads = 33", &["a"], "a CTA of 5 warps", "33");
        refused("[[cta]]\nthreads = 32\nwarps = 3", &["a"], "gives 4 warps", "32");
        refused("[[cta]]\nprograms = ['a', 'x']", &["a"], "`x`", "'x'");
        refused("[[cta]]\nwarps = 3\nprograms = ['a', 'a']", &["a"], "2 programs for 3 warps", "'a', 'a'");
        refused("[[cta]]\nbarriers = 5", &["a"], "configuration has 4", "5");
        refused("[[cta]]\ncount = 5000", &["a"], "5000 CTAs", "5000");
    }
}
