// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Program files, and the assignment of warps to programs, as the command line gives them.

use super::cuda_source::source_kernels;
use super::language::{detect_kind, Lang};
use crate::diag::Source;
use crate::failure::{Failure, Result};
use crate::origins::Origins;
use bcu_program::launch::{name_parameters, CudaKernel};
use bcu_program::{ptx, Assignment, AssignmentError, Kind, Launch, ProgramText, Role};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The program that runs when the command line has none.
const BUILT_IN: (&str, &str) = ("producer_consumer.ptx", include_str!("../../../../examples/producer_consumer.ptx"));

/// A program text with its language and the name by which a role refers to it.
pub struct Program {
    pub source: Source,
    kind: Kind,
    stem: String,
    /// The sources from which the program was compiled.
    pub origins: Origins,
    /// The CUDA file that nvcc has compiled to this text.
    pub cuda_file: Option<PathBuf>,
}

/// The argument `ENTRY=WARPS` of `--role`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleArg {
    entry: String,
    /// First and last warp of each range in WARPS, both included.
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

/// Reads the programs, `-` from standard input; without a file, the built-in program. `lang` replaces
/// the detection of the language by extension or first statement.
pub fn read(paths: &[PathBuf], lang: Option<Lang>) -> Result<Vec<Program>> {
    if paths.is_empty() {
        let source = Source { name: BUILT_IN.0.to_string(), text: BUILT_IN.1.to_string() };
        let (stem, origins) = ("producer_consumer".to_string(), Origins::of(Path::new("")));
        return Ok(vec![Program { source, kind: Kind::Ptx, stem, origins, cuda_file: None }]);
    }
    let read_program = |path: &PathBuf| {
        let name = path.display().to_string();
        if name == "-" {
            let source = Source::read(path)?;
            let Some(kind) = lang.map(Kind::from).or_else(|| detect_kind(&source.text)) else {
                let (message, help) = match source.text.trim().is_empty() {
                    true => ("standard input is empty", "give a program on standard input: `bcu run - < kernel.ptx`"),
                    false => (
                        "standard input: the text is not recognised as BCU assembly, PTX or vISA",
                        "name the language: `--lang bcu`, `--lang ptx` or `--lang visa`",
                    ),
                };
                return Err(Failure::plain(message, Some(help)));
            };
            let (stem, origins) = ("stdin".to_string(), Origins::of(Path::new("")));
            return Ok(Program { source, kind, stem, origins, cuda_file: None });
        }
        let source = Source::read(path)?;
        let Some(kind) = lang.map(Kind::from).or_else(|| Kind::from_file_name(&name)) else {
            let help = "name BCU assembly `.bcu`, PTX `.ptx` and vISA `.visa`, or name the language: `--lang bcu`, `--lang ptx` or `--lang visa`";
            return Err(Failure::plain(format!("{name}: unknown file name extension"), Some(help)));
        };
        let stem = Path::new(&name).file_stem().map_or(name.clone(), |s| s.to_string_lossy().into_owned());
        Ok(Program { source, kind, stem, origins: Origins::of(path), cuda_file: None })
    };
    paths.iter().map(read_program).collect()
}

impl RoleArg {
    /// One role for each range of WARPS.
    pub fn roles(&self) -> impl Iterator<Item = Role> + '_ {
        self.ranges.iter().map(|(first, last)| Role { entry: self.entry.clone(), first: *first, last: *last })
    }
}

/// Assigns a program to each warp.
pub fn assignment(programs: &[Program], launch: &Launch) -> Result<Assignment> {
    let texts: Vec<ProgramText> = programs.iter().map(Program::text).collect();
    Assignment::load(&texts, launch).map_err(|error| match error {
        AssignmentError::Text { index, errors } => programs[index].source.errors(&errors),
        AssignmentError::Misfit(error) => Failure::plain(error.message, error.help.as_deref()),
    })
}

impl Program {
    /// The file name without its folder.
    pub fn file_name(&self) -> String {
        let name = Path::new(&self.source.name).file_name();
        name.map_or(self.source.name.clone(), |name| name.to_string_lossy().into_owned())
    }

    /// The kernels of the CUDA source of this program, as far as it is known and can be read.
    pub fn cuda_kernels(&self) -> Vec<CudaKernel> {
        source_kernels(self.cuda_file.as_deref(), Path::new(&self.source.name), &self.source.text)
    }

    /// The text of a message with the parameters of its options `--arg` as the CUDA source names them.
    pub fn with_source_names(&self, message: &str) -> String {
        let cuda = if message.contains("--arg ") || message.contains("the parameter `") { self.cuda_kernels() } else { vec![] };
        let kernels = if cuda.is_empty() { vec![] } else { ptx::parse(&self.source.text).map_or(vec![], |m| ptx::kernels(&m)) };
        let mut text = match &self.cuda_file {
            // The PTX of nvcc does not have the comments of the source.
            Some(_) => without_directive(message),
            None => message.to_string(),
        };
        for mut kernel in kernels {
            name_parameters(&cuda, &kernel.name, &mut kernel.params);
            for param in &kernel.params {
                text = text.replace(&format!("--arg {}=", param.name), &format!("--arg {}=", param.title()));
                text = text.replace(&format!("the parameter `{}`", param.name), &format!("the parameter `{}`", param.title()));
            }
        }
        text
    }

    pub fn text(&self) -> ProgramText<'_> {
        ProgramText { kind: self.kind, name: &self.stem, text: &self.source.text }
    }
}

/// The text of a message without the advice to write a `// bcu:` comment.
fn without_directive(message: &str) -> String {
    let Some((before, rest)) = message.split_once(", or in the text `// bcu: ") else { return message.to_string() };
    before.to_string() + rest.split_once('`').map_or("", |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_for_the_text_is_left_out() {
        assert_eq!(without_directive("use `--arg n=64`, or in the text `// bcu: param n 64`; so"), "use `--arg n=64`; so");
        assert_eq!(without_directive("use `--arg n=64`"), "use `--arg n=64`");
    }

    #[test]
    fn roles_are_names_with_lists_of_warps() {
        let role = |text: &str| text.parse::<RoleArg>();
        assert_eq!(role("a=0,2-3").unwrap().ranges, [(0, 0), (2, 3)]);
        for wrong in ["", "a", "=1", "a=", "a=x", "a=3-1", "a=1-", "a=0-9999999999", "a=0-5000"] {
            assert!(role(wrong).is_err(), "{wrong}");
        }
    }
}
