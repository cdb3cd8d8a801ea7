// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prepares a program text and its launches for execution, with buffers at their addresses.

use super::cuda::name_parameters;
use super::maps::Maps;
use super::{bind, place, Buffer, KernelLaunch, Missing};
use crate::{load, Image, Kind, Loaded};
use crate::{ptx, Variable};
use bcu_isa::diag::Diagnostic;

/// Launches that run one after the other on the same global memory.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub launches: Vec<Loaded>,
    /// Each buffer with its address and its content before the first launch; then the tensor maps that have a separate address.
    pub buffers: Vec<Variable>,
}

/// Why launches cannot run: all errors of one text, with spans in that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprepared {
    /// Errors in the text of the program.
    Program(Vec<Diagnostic>),
    /// Errors in the launch file or in options; the span of an error in an option is empty.
    Launch(Vec<Diagnostic>),
}

/// Prepares the launches of kernels of the PTX program `text`. `base` holds the options that are the same for all launches, such as the
/// lanes of a warp, and the kernel and the number of threads for a launch that does not state them.
///
/// # Errors
/// All errors in the program, or in the first launch that does not fit it.
pub fn prepare(
    text: &str,
    base: &ptx::Launch,
    launches: &[KernelLaunch],
    buffers: &[Buffer],
    missing: Missing,
) -> Result<Prepared, Unprepared> {
    let module = ptx::parse(text).map_err(Unprepared::Program)?;
    let mut maps = Maps::new(buffers, place(buffers, module.end));
    let mut variables: Vec<Variable> =
        buffers.iter().zip(maps.placed()).map(|(buffer, placed)| variable(buffer, placed.address)).collect();
    let mut prepared = vec![];
    for launch in launches {
        let wanted = launch.kernel.as_ref().map(|kernel| kernel.get_ref().as_str()).or(base.kernel.as_deref());
        let (kernel, mut params) = ptx::kernel(&module, wanted).map_err(|error| {
            let span = launch.kernel.as_ref().map_or_else(|| launch.span.clone(), toml::Spanned::span);
            Unprepared::Launch(vec![Diagnostic { span, ..error }])
        })?;
        name_parameters(&base.cuda, &kernel, &mut params);
        let args = maps.create(&kernel, &params, &launch.args).map_err(Unprepared::Launch)?;
        let arguments =
            bind(&kernel, &params, &args, maps.placed(), missing, launch.span.clone()).map_err(Unprepared::Launch)?;
        let launch = ptx::Launch {
            kernel: Some(kernel),
            grid: launch.grid,
            cluster: launch.cluster,
            programmatic: launch.programmatic,
            cooperative: launch.cooperative,
            threads: launch.block.or(base.threads),
            shared: launch.shared.into(),
            arguments,
            ..base.clone()
        };
        prepared.push(load(Kind::Ptx, text, &launch).map_err(Unprepared::Program)?);
    }
    variables.extend(maps.variables);
    Ok(Prepared { launches: prepared, buffers: variables })
}

/// A variable in global memory with the name and the content of a buffer, at `address`.
fn variable(buffer: &Buffer, address: u64) -> Variable {
    Variable { name: buffer.name.clone(), address, bytes: buffer.bytes.clone() }
}

impl Buffer {
    /// The buffer with `bytes`, the present content of its memory, as its content.
    pub fn with_content(&self, bytes: &Image) -> Buffer {
        Buffer { bytes: bytes.clone(), ..self.clone() }
    }
}
