// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warp executes what: program files, roles and the number of threads to one program per warp.

use super::language::{told, Lang};
use crate::diag::Source;
use crate::failure::{Failure, Result};
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_program::{load as load_one, GridSize, Kind, Launch, Loaded, Role, Run};
use bcu_program::{ptx, WarpProgram};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What runs when no program is given.
const BUILT_IN: (&str, &str) = ("producer_consumer.ptx", include_str!("../../../../examples/producer_consumer.ptx"));

/// A program text with its language and the name by which a role calls it.
pub struct Program {
    pub source: Source,
    kind: Kind,
    stem: String,
}

/// What runs at once, with the files that it is from.
pub struct Team {
    pub run: Run,
    /// Which file each of its programs is from.
    pub files: Vec<usize>,
    /// What is legal but looks wrong, with the file that it is about.
    pub warnings: Vec<(usize, Diagnostic)>,
}

impl Team {
    /// Of one file.
    pub fn of_one(run: Run) -> Team {
        let warnings = run.warnings.iter().map(|warning| (0, warning.clone())).collect();
        Team { files: vec![0; run.programs.len()], run, warnings }
    }

    /// It has one CTA, or the machine's description says which there are.
    pub fn alone(&self) -> bool {
        matches!(self.run.grids[..], [GridSize { ctas: 1, .. }])
    }
}

/// `ENTRY=WARPS` of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleArg {
    entry: String,
    /// First and last warp of each part of the list.
    ranges: Vec<(u32, u32)>,
}

impl FromStr for RoleArg {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let form = "expected ENTRY=WARPS, for example `producer=0` or `consumer=1,3-5`";
        let (entry, list) = text.split_once('=').filter(|(entry, _)| !entry.is_empty()).ok_or(form)?;
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last && last < 4096).then_some((first, last))
        };
        let ranges = list.split(',').map(range).collect::<Option<Vec<_>>>().ok_or(form)?;
        Ok(RoleArg { entry: entry.to_string(), ranges })
    }
}

/// Reads the files, `-` from standard input; without one, the built-in program. `lang` goes before what endings and texts say.
pub fn read(paths: &[PathBuf], lang: Option<Lang>) -> Result<Vec<Program>> {
    if paths.is_empty() {
        let source = Source { name: BUILT_IN.0.to_string(), text: BUILT_IN.1.to_string() };
        return Ok(vec![Program { source, kind: Kind::Ptx, stem: "producer_consumer".to_string() }]);
    }
    let one = |path: &PathBuf| {
        let name = path.display().to_string();
        if name == "-" {
            let source = Source::read(path)?;
            let Some(kind) = lang.map(Kind::from).or_else(|| told(&source.text)) else {
                let message = match source.text.trim().is_empty() {
                    true => "standard input is empty",
                    false => "standard input: the text does not begin like a program in BCU assembly, PTX or vISA",
                };
                return Err(Failure::plain(message, Some("say which it is: `--lang bcu`, `--lang ptx` or `--lang visa`")));
            };
            return Ok(Program { source, kind, stem: "stdin".to_string() });
        }
        let Some(kind) = lang.map(Kind::from).or_else(|| Kind::of(&name)) else {
            let help = "name BCU assembly `.bcu`, PTX `.ptx` and vISA `.visa`, or say which it is: `--lang bcu`, `--lang ptx` or `--lang visa`";
            return Err(Failure::plain(format!("{name}: the ending does not say what language this is"), Some(help)));
        };
        let stem = Path::new(&name).file_stem().map_or(name.clone(), |s| s.to_string_lossy().into_owned());
        Ok(Program { source: Source::read(path)?, kind, stem })
    };
    paths.iter().map(one).collect()
}

/// One program per warp, and the threads of a CTA; `launch` without roles.
pub fn load(programs: &[Program], config: &Config, launch: Launch, roles: &[RoleArg]) -> Result<Team> {
    if let [program] = programs {
        if program.kind != Kind::Ptx && !roles.is_empty() {
            let help = "in one file of BCU assembly the line `.warps 1-3 consumer` says who executes what follows, in vISA `.threads 1-3 consumer`";
            return Err(Failure::plain("--role names PTX entries or, of several programs, files", Some(help)));
        }
        let role = |r: &RoleArg| {
            r.ranges.iter().map(|(first, last)| Role { entry: r.entry.clone(), first: *first, last: *last }).collect::<Vec<_>>()
        };
        let loaded = program.load(&Launch { roles: roles.iter().flat_map(role).collect(), ..launch })?;
        return Ok(Team::of_one(Run::of_one(loaded)));
    }
    if launch.kernel.is_some() || launch.grid != [1; 3] || launch.cluster.is_some() {
        return Err(Failure::plain("--kernel, --grid and --cluster go with one PTX file", Some("give one file")));
    }
    let owners = owners(programs, roles)?;
    let lanes = config.lanes as u32;
    let threads = launch.all_threads().unwrap_or(owners.len() as u32 * lanes);
    if threads.div_ceil(lanes) as usize != owners.len() {
        let message = format!("programs for {} warps, but the CTA has {} warps", owners.len(), threads.div_ceil(lanes));
        return Err(Failure::plain(
            message,
            Some("leave --warps out, or give each warp a program, with --role if several share one"),
        ));
    }
    let mut warps: Vec<Option<WarpProgram>> = vec![None; owners.len()];
    let mut warnings = vec![];
    for (index, program) in programs.iter().enumerate() {
        // The whole CTA is loaded, since what a warp does may depend on its number; the warps of this file are kept.
        let loaded = program.load(&Launch { threads: launch.threads.or(Some([threads, 1, 1])), ..launch.clone() })?;
        warnings.extend(loaded.warnings.into_iter().map(|warning| (index, warning)));
        for (warp, mut one) in loaded.programs.into_iter().enumerate().filter(|(w, _)| owners.get(*w) == Some(&index)) {
            one.name = program.stem.clone();
            warps[warp] = Some(one);
        }
    }
    let programs: Vec<WarpProgram> = warps.into_iter().flatten().collect();
    let grids = vec![GridSize { ctas: 1, threads, warps: programs.len() }];
    Ok(Team { run: Run { grids, programs, warnings: vec![] }, files: owners, warnings })
}

/// By warp: which of the programs it executes.
fn owners(programs: &[Program], roles: &[RoleArg]) -> Result<Vec<usize>> {
    if roles.is_empty() {
        return Ok((0..programs.len()).collect());
    }
    let mut owners = vec![];
    for role in roles {
        let Some(index) = programs.iter().position(|p| p.stem == role.entry) else {
            let stems: Vec<&str> = programs.iter().map(|p| p.stem.as_str()).collect();
            let help = format!("with several programs a role is a file's name without its ending: {}", stems.join(", "));
            return Err(Failure::plain(format!("no program is called `{}`", role.entry), Some(&help)));
        };
        for warp in role.ranges.iter().flat_map(|(first, last)| *first..=*last) {
            let warp = warp as usize;
            owners.resize(owners.len().max(warp + 1), None);
            if owners[warp].replace(index).is_some() {
                return Err(Failure::plain(format!("warp {warp} has two roles"), Some("give every warp one")));
            }
        }
    }
    if let Some(warp) = owners.iter().position(Option::is_none) {
        return Err(Failure::plain(format!("warp {warp} has no role"), Some("give every warp up to the last one a role")));
    }
    let owners: Vec<usize> = owners.into_iter().flatten().collect();
    if let Some(idle) = (0..programs.len()).find(|index| !owners.contains(index)) {
        let message = format!("no warp executes {}", programs[idle].source.name);
        return Err(Failure::plain(message, Some("give it warps with --role, or leave it out")));
    }
    Ok(owners)
}

impl Program {
    /// Without its folder.
    pub fn file_name(&self) -> String {
        let name = Path::new(&self.source.name).file_name();
        name.map_or(self.source.name.clone(), |name| name.to_string_lossy().into_owned())
    }

    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// Whether all warps run one kernel of this text: of PTX with kernels, the one asked for or the only one.
    pub fn one_kernel(&self, wanted: Option<&str>) -> bool {
        if self.kind != Kind::Ptx {
            return false;
        }
        // Of a text with errors these are told, not what does not go with its options.
        ptx::parse(&self.source.text).map_or(true, |module| {
            let kernels = module.codes.iter().filter(|code| code.kind == ptx::CodeKind::Kernel).count();
            module.roles() == 0 && (kernels == 1 || wanted.is_some() && kernels > 1)
        })
    }

    fn load(&self, launch: &Launch) -> Result<Loaded> {
        load_one(self.kind, &self.source.text, launch).map_err(|errors| self.source.errors(&errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_names_with_lists_of_warps() {
        let role = |text: &str| text.parse::<RoleArg>();
        assert_eq!(role("a=0,2-3").unwrap().ranges, [(0, 0), (2, 3)]);
        for wrong in ["", "a", "=1", "a=", "a=x", "a=3-1", "a=1-", "a=0-9999999999", "a=0-5000"] {
            assert!(role(wrong).is_err(), "{wrong}");
        }
    }
}
