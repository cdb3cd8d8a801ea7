// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches with buffers: from a launch file or from options, and what is compared and written after them.

use super::launch::LaunchArgs;
use super::programs::{self, Program, Team};
use super::Lang;
use crate::diag::Source;
use crate::failure::{Failure, Result};
use crate::files::{needs_folder, Batch};
use bcu_sim::launch::{
    self, compare, from_options, npy, Allocation, Buffer, Expectation, Expected, KernelLaunch, LaunchFile, Missing, Unprepared,
};
use bcu_sim::machine::Launch;
use bcu_sim::program::Variable;
use std::path::{Path, PathBuf};

/// What several launches have in common.
pub struct Grids {
    /// The programs of each, in order; never empty.
    pub teams: Vec<Team>,
    /// Global memory before the first.
    pub variables: Vec<Variable>,
    buffers: Vec<Buffer>,
    /// Where each buffer is.
    addresses: Vec<u64>,
    expected: Vec<Expected>,
    /// Buffer and file.
    outputs: Vec<(usize, String)>,
}

/// A launch, where its text is from, and where its files are.
struct Asked {
    text: Source,
    folder: PathBuf,
    allocations: Vec<Allocation>,
    launches: Vec<KernelLaunch>,
    expects: Vec<Expectation>,
    missing: Missing,
}

/// Whether a file is a launch file by its ending.
pub fn is_launch_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

/// Reads a launch file and the program that it launches; `program` replaces the one that it names.
pub fn from_file(
    path: &Path,
    program: Option<&Path>,
    options: &LaunchArgs,
    (base, seed, lang): (&Launch, u64, Option<Lang>),
) -> Result<(Program, Grids)> {
    let text = Source::read(path)?;
    let file = LaunchFile::parse(&text.text).map_err(|errors| text.errors(&errors))?;
    if !options.params.is_empty() || options.grid.is_some() || options.block.is_some() || options.kernel.is_some() {
        let help = "leave them out, or write them into the file";
        return Err(Failure::plain("--kernel, --grid, --block and --arg do not go with a launch file", Some(help)));
    }
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let named = file.program.as_ref().map(|program| folder.join(program.get_ref()));
    let Some(program) = program.map(Path::to_path_buf).or(named) else {
        let help = "write `program = \"kernel.ptx\"` on top, or give `--program FILE`";
        return Err(Failure::plain(format!("{}: no program is named", text.name), Some(help)));
    };
    let program = programs::read(&[program], lang)?.remove(0);
    let mut expects = file.expects.clone();
    expects.extend(options.expect.iter().cloned());
    let asked = Asked {
        text,
        folder,
        allocations: file.buffers.clone(),
        launches: file.launches.clone(),
        expects,
        missing: Missing::Refused,
    };
    let grids = grids(&program, asked, options, (base, seed))?;
    Ok((program, grids))
}

/// The launch of a PTX program that options describe.
pub fn from_args(program: &Program, options: &LaunchArgs, (base, seed): (&Launch, u64)) -> Result<Grids> {
    let plain = |error: bcu_hw::diag::Diagnostic| Failure::plain(format!("{}, {}", error.message, error.label), error.help.as_deref());
    let (allocations, args) = from_options(&options.params).map_err(plain)?;
    let (grid, block) = (base.grid, options.block.or(base.threads));
    let launch = KernelLaunch { kernel: None, grid, block, shared: options.shared.unwrap_or(0), args, span: 0..0 };
    let asked = Asked {
        text: Source { name: "command line".to_string(), text: String::new() },
        folder: PathBuf::new(),
        allocations,
        launches: vec![launch],
        expects: options.expect.clone(),
        missing: Missing::Unknown,
    };
    grids(program, asked, options, (base, seed))
}

fn grids(program: &Program, asked: Asked, options: &LaunchArgs, (base, seed): (&Launch, u64)) -> Result<Grids> {
    let Asked { text, folder, allocations, launches, expects, missing } = asked;
    let wrong = |errors: Vec<bcu_hw::diag::Diagnostic>| match (text.text.is_empty(), errors.first()) {
        (true, Some(error)) => Failure::plain(format!("{}, {}", error.message, error.label), error.help.as_deref()),
        _ => text.errors(&errors),
    };
    let mut read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let buffers = launch::load(&allocations, seed, &mut read).map_err(wrong)?;
    let expected = launch::expected(&expects, &buffers, &mut read).map_err(wrong)?;
    let output = |(name, file): &(String, String)| match buffers.iter().position(|buffer| buffer.name == *name) {
        Some(at) => needs_folder(Path::new(file)).map(|()| (at, file.clone())),
        None => Err(Failure::plain(format!("--out: there is no buffer `{name}`"), None)),
    };
    let outputs = options.out.iter().map(output).collect::<Result<Vec<_>>>()?;
    let prepared = launch::prepare(program.text(), base, &launches, &buffers, missing).map_err(|why| match why {
        Unprepared::Program(errors) => program.source.errors(&errors),
        Unprepared::Launch(errors) => wrong(errors),
    })?;
    let addresses = prepared.buffers.iter().map(|buffer| buffer.address).collect();
    let teams = prepared.launches.into_iter().map(Team::of_one).collect();
    Ok(Grids { teams, variables: prepared.buffers, buffers, addresses, expected, outputs })
}

impl Grids {
    /// Writes and compares what the buffers hold after the last launch.
    pub fn finish(&self, variables: &[Variable]) -> Result<Vec<String>> {
        let now: Vec<Buffer> = self.buffers.iter().zip(&self.addresses).map(|(buffer, address)| now(buffer, *address, variables)).collect();
        let mut batch = Batch::default();
        for (at, file) in &self.outputs {
            let bytes = npy::write(&now[*at]).map_err(|error| Failure::plain(error.message, error.help.as_deref()))?;
            batch.add(Path::new(file), &bytes)?;
        }
        batch.commit()?;
        let wrong = |one: &Expected| compare(&one.wanted, &now[one.buffer], one.tolerance).err().map(|why| why.to_string());
        Ok(self.expected.iter().filter_map(wrong).collect())
    }

    /// How many buffers are compared.
    pub fn compared(&self) -> usize {
        self.expected.len()
    }
}

fn now(buffer: &Buffer, address: u64, variables: &[Variable]) -> Buffer {
    match variables.iter().find(|variable| variable.address == address) {
        Some(variable) => buffer.now(&variable.bytes),
        None => buffer.clone(),
    }
}
