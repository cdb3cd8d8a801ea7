// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the exported Verilog under third-party simulators. Only this module of the crate runs processes and writes files.
//!
//! Every simulator here keeps the sampling rule of [`bcu_model::dut::Dut`]: inputs are set while `clock` is 0, outputs are sampled,
//! then the rising edge follows.

pub mod icarus;
pub mod reset;
pub mod verilator;

use bcu_isa::ports::{Dir, Port};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a simulator could not run a design. A wrong *result* of a run is not an error of this type.
#[derive(Debug, thiserror::Error)]
pub enum CosimError {
    #[error("`{tool}` did not start: {source}\nhelp: install it with `apt-get install {packages}`")]
    ToolMissing { tool: String, packages: &'static str, source: std::io::Error },
    #[error("`{command}` failed in {directory}:\n{output}")]
    ToolFailed { command: String, directory: PathBuf, output: String },
    #[error("cannot {what} {path}: {source}")]
    File { what: &'static str, path: PathBuf, source: std::io::Error },
    #[error("port `{port}`: {why}")]
    Port { port: String, why: &'static str },
    #[error("the compiled design {path} cannot be loaded: {source}\nhelp: delete its folder; the next run rebuilds it")]
    Load { path: PathBuf, source: libloading::Error },
    #[error("the simulator's output in {path} is not what the test bench writes: {why}")]
    Output { path: PathBuf, why: String },
    #[error("{given} stimulus values for {inputs} input ports over {cycles} cycles")]
    Shape { given: usize, inputs: usize, cycles: usize },
}

impl CosimError {
    /// Whether the reason is the host and not the design: a missing tool, or a file that cannot be written or loaded.
    pub fn is_of_host(&self) -> bool {
        matches!(self, CosimError::ToolMissing { .. } | CosimError::File { .. } | CosimError::Load { .. })
    }
}

/// A simulator that is not compiled into this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Simulator {
    Verilator,
    Icarus,
}

impl Simulator {
    /// The Debian packages of the simulator.
    fn packages(self) -> &'static str {
        match self {
            Simulator::Verilator => "verilator g++",
            Simulator::Icarus => "iverilog",
        }
    }

    /// Checks that the programs of the simulator are installed.
    ///
    /// # Errors
    /// [`CosimError::ToolMissing`] for the first program that does not start.
    pub fn check(self) -> Result<(), CosimError> {
        let packages = self.packages();
        let tools = match self {
            Simulator::Verilator => [("verilator", "--version"), ("g++", "--version")],
            Simulator::Icarus => [("iverilog", "-V"), ("vvp", "-V")],
        };
        tools.into_iter().try_for_each(|(tool, flag)| match Command::new(tool).arg(flag).output() {
            Err(source) => Err(CosimError::ToolMissing { tool: tool.to_string(), packages, source }),
            Ok(_) => Ok(()),
        })
    }
}

/// A design as Verilog text, with the names of its top module and ports.
#[derive(Clone, Debug)]
pub struct Design {
    /// Verilog-2005 text with the top module and all modules below it.
    pub text: String,
    /// Name of the top module.
    pub top: String,
    /// The ports of the top module without `clock`, in the port order of the unit.
    pub ports: Vec<Port>,
}

impl Design {
    /// Ports of one direction, in port order.
    fn ports(&self, dir: Dir) -> impl Iterator<Item = &Port> {
        self.ports.iter().filter(move |p| p.dir == dir)
    }

    /// Fails for ports that generated code cannot drive: unsuitable names, `clock`, and widths of 0 or over 64 bits.
    fn check(&self) -> Result<(), CosimError> {
        for p in &self.ports {
            let plain = !p.name.contains("__") && p.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let why = match () {
                _ if !plain => "expected letters, digits and single underscores",
                _ if !(1..=64).contains(&p.width) => "expected a width of 1 to 64 bits",
                _ if p.name == "clock" => "the clock is not part of the port list",
                _ => continue,
            };
            return Err(CosimError::Port { port: p.name.clone(), why });
        }
        Ok(())
    }
}

/// Number of cycles of a flat list that has one value per input port and cycle, `values` in all.
fn cycles_of(values: usize, inputs: usize) -> Result<usize, CosimError> {
    match inputs {
        0 => Err(CosimError::Shape { given: values, inputs, cycles: 0 }),
        _ if !values.is_multiple_of(inputs) => Err(CosimError::Shape { given: values, inputs, cycles: values / inputs }),
        _ => Ok(values / inputs),
    }
}

/// Runs a tool to its end and returns its stdout; an error carries stdout and stderr.
fn run(command: &mut Command, packages: &'static str, directory: &Path) -> Result<String, CosimError> {
    let shown = format!("{command:?}").replace('"', "");
    let tool = command.get_program().to_string_lossy().into_owned();
    let done = command.current_dir(directory).output().map_err(|source| CosimError::ToolMissing { tool, packages, source })?;
    let stdout = String::from_utf8_lossy(&done.stdout).into_owned();
    if done.status.success() {
        return Ok(stdout);
    }
    let output = format!("{stdout}{}", String::from_utf8_lossy(&done.stderr));
    Err(CosimError::ToolFailed { command: shown, directory: directory.to_path_buf(), output })
}

fn write(path: &Path, text: &str) -> Result<(), CosimError> {
    std::fs::write(path, text).map_err(|source| CosimError::File { what: "write", path: path.to_path_buf(), source })
}

fn create(path: &Path) -> Result<(), CosimError> {
    std::fs::create_dir_all(path).map_err(|source| CosimError::File { what: "create", path: path.to_path_buf(), source })
}

/// A folder name that depends on every part. It is a 64-bit FNV-1a hash, so it is the same on every host.
pub fn key(parts: &[&str]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// The path of a folder next to `done` that no other thread or process uses. [`publish`] renames the folder to `done` once the folder is
/// complete.
fn scratch(done: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    done.with_extension(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Renames a finished folder to `done`. If another run finished first, that run's equivalent result is kept.
fn publish(scratch: &Path, done: &Path) -> Result<(), CosimError> {
    match std::fs::rename(scratch, done) {
        Ok(()) => Ok(()),
        Err(_) if done.is_dir() => std::fs::remove_dir_all(scratch).map_err(|source| CosimError::File {
            what: "remove",
            path: scratch.to_path_buf(),
            source,
        }),
        Err(source) => Err(CosimError::File { what: "move into place", path: done.to_path_buf(), source }),
    }
}
