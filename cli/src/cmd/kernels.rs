// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu kernels`: the kernels of a PTX file.

use super::case::nvcc::flags::Flags;
use super::case::{nvcc, source_kernels, Format};
use crate::diag::Source;
use crate::failure::{print, Failure, Outcome, Result};
use crate::terminal::columns;
use bcu_program::launch::{demangled, kernel_title, listed_variables, name_parameters, shortened, ListedVariable};
use bcu_program::ptx::{self, Kernel};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu kernels k.ptx                  every kernel with its parameters; the variables of the file
  bcu kernels k.ptx --format json    the same for a script
  bcu kernels k.cu                   with the names of the parameters in CUDA
  bcu run k.ptx --kernel scan --grid 4 --block 128 --arg n=512

Exit codes: 0 all good, 2 the file cannot be read.";

/// List the kernels of a PTX file, with the arguments of a launch and the features that this version cannot run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A PTX file, or a `.cu` file, which nvcc compiles for sm_90a.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How to print the list; docs/guide/ptx.md describes the keys of the JSON.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub fn run(args: Args) -> Result {
    let prepared = nvcc::prepare(std::slice::from_ref(&args.file), nvcc::DEFAULT_ARCH, &Flags::default())?;
    let source = Source::read(prepared.paths.first().unwrap_or(&args.file))?;
    let module = ptx::parse(&source.text).map_err(|errors| source.errors(&errors))?;
    let mut kernels = ptx::kernels(&module);
    let cuda = prepared.compiled.as_ref().map(|_| args.file.as_path());
    let sources = source_kernels(cuda, &args.file, &source.text);
    for kernel in &mut kernels {
        name_parameters(&sources, &kernel.name, &mut kernel.params);
    }
    let variables = listed_variables(&module);
    match args.format {
        Format::Text => {
            let blocks = kernels.iter().map(text).chain(variables_text(&variables));
            print(&blocks.collect::<Vec<_>>().join("\n"))?;
        }
        Format::Json => {
            let listed: Vec<Listed> = kernels.iter().map(|kernel| Listed::new(kernel, &variables)).collect();
            let text = serde_json::to_string_pretty(&listed).map_err(|e| Failure::plain(e, None))?;
            print(&(text + "\n"))?;
        }
    }
    Ok(Outcome::Good)
}

/// A kernel in JSON.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    kernel: &'a Kernel,
    /// The name with types, as in C++; `None` if the name is not mangled.
    demangled: Option<String>,
    /// The variables of the file, the same for each kernel.
    variables: &'a [ListedVariable],
}

impl<'a> Listed<'a> {
    fn new(kernel: &'a Kernel, variables: &'a [ListedVariable]) -> Listed<'a> {
        Listed { kernel, demangled: demangled(&kernel.name), variables }
    }
}

/// The variables of the file as lines of text, each with the name that `--arg` and `--out` take; `None` without variables.
fn variables_text(variables: &[ListedVariable]) -> Option<String> {
    let line = |variable: &ListedVariable| {
        let shape: String = variable.shape.iter().map(|size| format!("[{size}]")).collect();
        format!("  {:<14} {}{shape}, {} bytes\n", variable.name, variable.ty, variable.bytes)
    };
    (!variables.is_empty()).then(|| format!("variables of the file\n{}", variables.iter().map(line).collect::<String>()))
}

/// The name of a parameter without the name of a kernel in front, if that is mangled.
fn short<'a>(param: &'a str, kernel: &str) -> &'a str {
    let tail = param.strip_prefix(kernel).and_then(|tail| tail.strip_prefix('_'));
    tail.filter(|_| demangled(kernel).is_some()).unwrap_or(param)
}

/// A kernel as lines of text.
fn text(kernel: &Kernel) -> String {
    let title = kernel_title(&kernel.name);
    let title = columns().map_or(title.clone(), |columns| shortened(&title, columns));
    let mut text = format!("{title}\n");
    let mut line = |head: &str, tail: String| {
        let _ = writeln!(text, "  {head:<14} {tail}");
    };
    if title != kernel.name {
        line("name in PTX", kernel.name.clone());
    }
    for param in &kernel.params {
        let source = param.source_name.as_ref().map_or(String::new(), |name| format!(", `{name}`"));
        line("parameter", format!("{} {}, {} bytes{source}", param.ty, short(&param.name, &kernel.name), param.bytes));
    }
    let shape = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    kernel.required_threads.into_iter().for_each(|threads| line("threads", shape(threads)));
    kernel.most_threads.into_iter().for_each(|threads| line("threads", format!("at most {}", shape(threads))));
    kernel.cluster.into_iter().for_each(|ctas| line("cluster", shape(ctas)));
    kernel.most_of_cluster.into_iter().for_each(|ctas| line("cluster", format!("at most {ctas} CTAs")));
    if kernel.shared_bytes > 0 {
        line("shared memory", format!("{} bytes", kernel.shared_bytes));
    }
    let mut ids: Vec<String> = kernel.barriers.iter().map(u64::to_string).collect();
    ids.extend(kernel.other_barriers.then(|| "from registers".to_string()));
    if !ids.is_empty() {
        line("barriers", ids.join(", "));
    }
    for missing in &kernel.not_built {
        line("cannot run", format!("{}, line {}", missing.opcode, missing.line));
    }
    for call in &kernel.heap {
        line("device heap", format!("{}, line {}", call.opcode, call.line));
    }
    for unknown in &kernel.unknown_results {
        line("result unknown", format!("{}, line {}", unknown.opcode, unknown.line));
    }
    text
}
