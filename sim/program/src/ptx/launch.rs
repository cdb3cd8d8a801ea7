// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How a module runs: number and shape of the threads, and the code of each warp.

use super::ast::{CodeKind, Module, Role};
use super::complaint::shorten;
use super::declared::Param;
use super::scope::similar;
use crate::launch::{kernel_title, matches, CudaKernel};
use crate::part::ctaid;
use crate::{Clusters, Part};
use bcu_isa::diag::Diagnostic;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of warps of a CTA, as in the largest configuration.
pub const MAX_WARPS: u64 = 64;

/// Maximum number of CTAs of one grid; the programs of all CTAs are kept.
pub const MAX_CTAS: u64 = 4096;

/// Maximum number of known names listed in the diagnostic for an unknown name.
pub(super) const MOST_NAMED: usize = 10;

/// Options of a run. If an option is not given, the directives of the module apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Lanes of a warp.
    pub lanes: u32,
    /// Threads of the CTA along x, y and z; by default from `// bcu: threads`, `.reqntid`, `.maxntid`, or the highest warp with a role.
    pub threads: Option<[u32; 3]>,
    /// CTAs along x, y and z.
    pub grid: [u32; 3],
    /// The CTAs of the grid that run; `None`: all.
    pub part: Option<Part>,
    /// CTAs of a cluster along x, y and z; by default from `.reqnctapercluster`, otherwise no clusters.
    pub cluster: Option<[u32; 3]>,
    /// Whether the launch may start before the previous launch has ended, if that launch allows it.
    pub programmatic: bool,
    /// Whether all CTAs must be resident at once; they then have a workspace for barriers of the grid.
    pub cooperative: bool,
    /// The kernel that all warps run: its name, or a part that only one kernel's name has.
    pub kernel: Option<String>,
    /// Roles of the warps; if not empty, they replace all `// bcu: warps`.
    pub roles: Vec<Role>,
    /// Values of kernel parameters; they take precedence over `// bcu: param`.
    pub params: Vec<(String, u64)>,
    /// The bytes of every parameter of the kernel that all warps run; they take precedence over `params`. Empty if not given.
    pub arguments: Vec<Vec<Option<u8>>>,
    /// Bytes of shared memory in addition to those that the module declares.
    pub shared: u64,
    /// The kernels of the CUDA source of the program, for the names of parameters; empty if there is no source.
    pub cuda: Vec<CudaKernel>,
}

impl Launch {
    /// One CTA with warps of this many lanes; the module supplies the rest.
    pub fn new(lanes: u32) -> Self {
        Launch {
            lanes,
            threads: None,
            grid: [1; 3],
            part: None,
            cluster: None,
            programmatic: false,
            cooperative: false,
            kernel: None,
            roles: Vec::new(),
            params: Vec::new(),
            arguments: Vec::new(),
            shared: 0,
            cuda: Vec::new(),
        }
    }
}

impl Launch {
    /// Threads of a CTA, if the launch states them.
    pub fn all_threads(&self) -> Option<u32> {
        self.threads.map(|shape| u32::try_from(total(shape)).unwrap_or(u32::MAX))
    }
}

/// A fully resolved launch.
pub(super) struct Plan {
    pub clusters: Clusters,
    pub ntid: [u32; 3],
    pub threads: u32,
    /// For each warp, the index of its code.
    pub warps: Vec<usize>,
}

fn total(shape: [u32; 3]) -> u64 {
    shape.iter().fold(1u64, |total, &size| total.saturating_mul(size.into()))
}

/// Maximum number of lanes of a warp: the bits of a mask of `bar.warp.sync`.
const MOST_LANES: u32 = 32;

/// Checks that a grid, or the part of it that runs, has an allowed number of CTAs.
///
/// # Errors
/// No CTAs, or too many; the caller adds the span.
pub fn check_grid(grid: [u32; 3], part: Option<&Part>) -> Result<(), Diagnostic> {
    if let Some(part) = part {
        return part.check(grid, MAX_CTAS);
    }
    let all = total(grid);
    match (1..=MAX_CTAS).contains(&all) {
        true => Ok(()),
        false => {
            let error = Diagnostic::new(0..0, format!("a grid of {all} CTAs"), format!("expected 1 to {MAX_CTAS}"));
            Err(error.help("run a part of the grid: `--ctas 0-3`, in a launch file `ctas = \"0-3\"`"))
        }
    }
}

/// Checks that a part of a grid has whole clusters, and that no other grid depends on it.
fn check_part(launch: &Launch, clusters: &Clusters) -> Result<(), Diagnostic> {
    let Some(part) = &launch.part else { return Ok(()) };
    let whole = match (launch.programmatic, launch.cooperative) {
        (true, _) => Some("only a part of a grid that may begin before the earlier grid has ended is to run"),
        (_, true) => Some("only a part of a cooperative grid is to run, whose CTAs wait for all others"),
        _ => None,
    };
    if let Some(message) = whole {
        return Err(Diagnostic::new(0..0, message, "expected the whole grid").help("leave out the list of CTAs"));
    }
    if clusters.size() == 1 {
        return Ok(());
    }
    let mut ctas: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    for number in part.numbers() {
        *ctas.entry(clusters.cluster(ctaid(number, launch.grid))).or_default() += 1;
    }
    match ctas.iter().find(|(_, ctas)| **ctas != clusters.size()) {
        None => Ok(()),
        Some((cluster, ctas)) => {
            let message = format!("{ctas} of the {} CTAs of cluster {cluster:?} run", clusters.size());
            let help = "the CTAs of a cluster run together: list all of them";
            Err(Diagnostic::new(0..0, message, "expected whole clusters").help(help))
        }
    }
}

/// Resolves the kernels or fragments that warps run (by roles, or the only one), then the shape of the CTA, then the code of each warp.
pub(super) fn plan(module: &Module, launch: &Launch) -> Result<Plan, Vec<Diagnostic>> {
    let single_error = |diagnostic| Err(vec![diagnostic]);
    if !(1..=MOST_LANES).contains(&launch.lanes) {
        let message = format!("a warp of {} lanes: masks of PTX have a bit for each of {MOST_LANES}", launch.lanes);
        let help = "choose a configuration with 1 to 32 lanes (`bcu configs` lists them)";
        return single_error(Diagnostic::new(0..0, message, "expected 1 to 32 lanes").help(help));
    }
    let roles: Vec<(Role, Range<usize>)> = match launch.roles.is_empty() {
        true => module.directives.roles.clone(),
        false => launch.roles.iter().map(|role| (role.clone(), 0..0)).collect(),
    };
    check_grid(launch.grid, launch.part.as_ref()).map_err(|error| vec![error])?;
    let runnable = runnable(module);
    let (roles, runnable) = match &launch.kernel {
        Some(wanted) => (Vec::new(), vec![find(module, &runnable, wanted).map_err(|error| vec![error])?]),
        None => (roles, runnable),
    };
    let mut errors = Vec::new();
    let mut assigned = Vec::new();
    for (role, span) in &roles {
        match runnable.iter().find(|&&i| module.codes[i].name == role.entry) {
            Some(&code) => assigned.push((role, span, code)),
            None => {
                let names = || runnable.iter().map(|&i| module.codes[i].name.as_str());
                let error = Diagnostic::new(
                    span.clone(),
                    format!("`{}` is not a kernel or section of this text", role.entry),
                    "expected a kernel or section",
                );
                let mut known = self::names(names());
                shorten(&mut known);
                errors.push(match similar(&role.entry, names()) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help(format!("this text has {known}")),
                });
            }
        }
    }
    if roles.is_empty() && runnable.len() > 1 {
        let second = &module.codes[runnable[1]];
        let error = Diagnostic::new(
            second.span.clone(),
            "the text has several kernels, and no warps are assigned to them",
            "the second kernel",
        );
        errors.push(error.help(choose(module, &runnable)));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let used: Vec<usize> = if roles.is_empty() { runnable } else { assigned.iter().map(|a| a.2).collect() };
    let ntid = shape(module, launch, &used, &assigned)?;
    let clusters = clusters(module, launch, &used)?;
    check_part(launch, &clusters).map_err(|error| vec![error])?;
    // Both casts fit: the shape has been checked against the maximum number of warps.
    let (threads, lanes) = (total(ntid) as u32, launch.lanes);
    let mut warps = vec![None; threads.div_ceil(lanes) as usize];
    let exist = warps.len();
    for (role, span, code) in assigned {
        for warp in role.first..=role.last {
            match warps.get_mut(warp as usize) {
                None => {
                    let message = format!("warp {warp} does not exist: the CTA has {exist} warps ({threads} threads)");
                    errors.push(Diagnostic::new((*span).clone(), message, format!("expected warps below {exist}")));
                    break;
                }
                Some(Some(_)) => {
                    let message = format!("warp {warp} has two roles");
                    errors.push(Diagnostic::new((*span).clone(), message, "expected one role for each warp"));
                    break;
                }
                Some(free) => *free = Some(code),
            }
        }
    }
    if roles.is_empty() {
        warps.iter_mut().for_each(|warp| *warp = used.first().copied());
    }
    if let (true, Some(warp)) = (errors.is_empty(), warps.iter().position(Option::is_none)) {
        let span = roles.last().map_or(0..0, |role| role.1.clone());
        let error = Diagnostic::new(span, format!("warp {warp} of {exist} has no role"), "the last role");
        errors.push(error.help("give it one with `// bcu: warps … run NAME`, or launch fewer threads"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Plan { clusters, ntid, threads, warps: warps.into_iter().flatten().collect() })
}

/// The name and the parameters of the kernel `wanted`. `wanted` is the name of a kernel, mangled or not, or a part that no other kernel's
/// name has; `None`: the only kernel of the text.
///
/// # Errors
/// No such kernel, or several.
pub fn kernel(module: &Module, wanted: Option<&str>) -> Result<(String, Vec<Param>), Diagnostic> {
    let runnable = runnable(module);
    let found = match (wanted, &runnable[..]) {
        (Some(wanted), _) => find(module, &runnable, wanted)?,
        (None, [only]) => *only,
        (None, _) => {
            let error =
                Diagnostic::new(0..0, "the text has several kernels, and none is selected", "expected the name of one kernel");
            return Err(error.help(choose(module, &runnable)));
        }
    };
    let code = &module.codes[found];
    Ok((code.name.clone(), code.params.clone()))
}

fn runnable(module: &Module) -> Vec<usize> {
    (0..module.codes.len()).filter(|&i| module.codes[i].kind != CodeKind::Function).collect()
}

fn find(module: &Module, runnable: &[usize], wanted: &str) -> Result<usize, Diagnostic> {
    let name = |code: &usize| module.codes[*code].name.as_str();
    let best = runnable.iter().filter_map(|code| matches(name(code), wanted)).max();
    let found: Vec<usize> =
        runnable.iter().copied().filter(|code| best.is_some() && matches(name(code), wanted) == best).collect();
    if let [only] = found[..] {
        return Ok(only);
    }
    let mut known = names(runnable.iter().map(name));
    shorten(&mut known);
    let message = match found.is_empty() {
        false => format!("several kernels have `{wanted}` in their names"),
        true => format!("no kernel is called `{wanted}`"),
    };
    Err(Diagnostic::new(0..0, message, "expected the name of one kernel").help(format!("this text has {known}")))
}

/// Help on how to run one of several kernels, or each on separate warps.
fn choose(module: &Module, runnable: &[usize]) -> String {
    let codes = || runnable.iter().map(|&i| module.codes[i].name.as_str());
    let (mut names, first) = (names(codes()), codes().next().unwrap_or_default());
    shorten(&mut names);
    let title = kernel_title(first);
    let quoted = if title == first { title } else { format!("'{title}'") };
    format!("this text has {names}; choose one with `--kernel {quoted}`, or give each its warps in a comment: `// bcu: warps 0-1 run {first}`")
}

/// The first names, at most [`MOST_NAMED`], quoted.
fn names<'a>(given: impl Iterator<Item = &'a str>) -> String {
    format!("`{}`", given.take(MOST_NAMED).map(kernel_title).collect::<Vec<_>>().join("`, `"))
}

/// The clusters of the grid: the launch states their size, otherwise a kernel that runs does.
fn clusters(module: &Module, launch: &Launch, used: &[usize]) -> Result<Clusters, Vec<Diagnostic>> {
    let codes = || used.iter().map(|code| &module.codes[*code]);
    let demanded = codes().find_map(|code| Some(code.bounds.reqnctapercluster.as_ref()?.0));
    let launched = launch.cluster.or(demanded);
    let fitted = codes().map(|code| code.bounds.clusters((&code.name, &code.span), launch.grid, launched));
    let fitted: Vec<Clusters> = fitted.collect::<Result<_, _>>().map_err(|error| vec![error])?;
    Ok(fitted.last().copied().unwrap_or(Clusters::implicit(launch.grid)))
}

fn shape(
    module: &Module,
    launch: &Launch,
    used: &[usize],
    assigned: &[(&Role, &Range<usize>, usize)],
) -> Result<[u32; 3], Vec<Diagnostic>> {
    let codes = || used.iter().map(|&i| &module.codes[i]);
    let directive = module.directives.threads.as_ref();
    let by_roles = assigned.iter().map(|a| u64::from(a.0.last) + 1).max();
    let by_roles = by_roles.map(|warps| [u32::try_from(warps * u64::from(launch.lanes)).unwrap_or(u32::MAX), 1, 1]);
    let found = launch.threads.or(directive.map(|d| d.0));
    let found = found
        .or_else(|| codes().find_map(|code| code.bounds.reqntid))
        .or_else(|| codes().find_map(|code| code.bounds.maxntid))
        .or(by_roles);
    let span = directive.map_or_else(|| codes().next().map_or(0..0, |code| code.span.clone()), |d| d.1.clone());
    let Some(ntid) = found else {
        let error = Diagnostic::new(span, "the number of threads of a CTA is not given", "expected a number of threads");
        return Err(vec![error.help("give `--block 64`, or a comment: `// bcu: threads 64`")]);
    };
    let threads = total(ntid);
    if threads == 0 || threads.div_ceil(launch.lanes.into()) > MAX_WARPS {
        let message = format!("a CTA of {threads} threads, in warps of {}", launch.lanes);
        return Err(vec![Diagnostic::new(span, message, format!("expected 1 to {MAX_WARPS} warps"))]);
    }
    let mut errors = Vec::new();
    for code in codes() {
        let needs = match (code.bounds.reqntid, code.bounds.maxntid) {
            (Some(required), _) if required != ntid => format!(".reqntid {required:?}"),
            (_, Some(most)) if total(most) < threads => format!(".maxntid {most:?}"),
            _ => continue,
        };
        let message = format!("`{}` has {needs}, and the CTA has {ntid:?} threads", code.name);
        errors.push(Diagnostic::new(code.span.clone(), message, "launched with another number of threads"));
    }
    if errors.is_empty() {
        Ok(ntid)
    } else {
        Err(errors)
    }
}
