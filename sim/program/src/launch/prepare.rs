// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prepares a program text and its launches for execution, with buffers at their addresses.

use super::argument::{Addresses, Argument};
use super::cuda::name_parameters;
use super::listed::listed_variables;
use super::maps::Maps;
use super::placed::{place, Placed};
use super::setting::{prefix, SetVariable};
use super::{bind, Buffer, KernelLaunch, Missing};
use crate::{load, Image, Kind, Loaded};
use crate::{ptx, Variable};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Launches that run one after the other on the same global memory.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub launches: Vec<Loaded>,
    /// Each buffer with its address and its content before the first launch; then the variables of the program that the launches give, and
    /// the tensor maps that have a separate address.
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

/// The memory of launches before it has addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub buffers: Vec<Buffer>,
    /// Structures that buffers hold: the index of the buffer, the structure, and the span of the buffer.
    pub structures: Vec<(usize, Argument, Range<usize>)>,
    /// Variables of the program that the launches give or read.
    pub variables: Vec<SetVariable>,
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
    let mut contents = Contents { buffers: buffers.to_vec(), ..Contents::default() };
    prepare_contents((text, &module), base, launches, &mut contents, missing)
}

/// As [`prepare`]; sets the contents that need addresses.
pub(super) fn prepare_contents(
    (text, module): (&str, &ptx::Module),
    base: &ptx::Launch,
    launches: &[KernelLaunch],
    contents: &mut Contents,
    missing: Missing,
) -> Result<Prepared, Unprepared> {
    let mut placed = place(&contents.buffers, module.end);
    placed.extend(contents.variables.iter().map(|set| set.placed(module)));
    let types = contents.buffers.clone();
    let mut maps = Maps::new(&types, placed, module.pointer());
    fill(module, &mut maps, contents).map_err(Unprepared::Launch)?;
    let mut variables: Vec<Variable> =
        contents.buffers.iter().zip(maps.placed()).map(|(buffer, placed)| variable(buffer, placed.address)).collect();
    variables.extend(contents.variables.iter().filter(|set| set.given).map(|set| set.variable(module)));
    let names: Vec<String> = listed_variables(module).into_iter().map(|variable| variable.name).collect();
    let mut prepared = vec![];
    let cut = launches.windows(2).find(|pair| pair[0].ctas.is_some() && pair[1].programmatic);
    if let Some([_, dependent]) = cut {
        let message = "a launch that may begin before the previous launch has ended depends on a part of a grid";
        let error = Diagnostic::new(dependent.span.clone(), message, "expected all CTAs of the previous launch");
        return Err(Unprepared::Launch(vec![error.help("leave out `ctas` of the previous launch, or `programmatic` here")]));
    }
    for launch in launches {
        let wanted = launch.kernel.as_ref().map(|kernel| kernel.get_ref().as_str()).or(base.kernel.as_deref());
        let (kernel, mut params) = ptx::kernel(module, wanted).map_err(|error| {
            let span = launch.kernel.as_ref().map_or_else(|| launch.span.clone(), toml::Spanned::span);
            Unprepared::Launch(vec![Diagnostic { span, ..error }])
        })?;
        name_parameters(&base.cuda, &kernel, &mut params);
        let args = maps.create(&kernel, &params, &launch.args).map_err(Unprepared::Launch)?;
        let arguments =
            bind(&kernel, &params, &args, (maps.placed(), &names), missing, launch.span.clone()).map_err(Unprepared::Launch)?;
        let launch = ptx::Launch {
            kernel: Some(kernel),
            grid: launch.grid,
            part: launch.ctas.clone(),
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

/// Sets the contents of buffers and variables that have addresses of buffers.
fn fill(module: &ptx::Module, maps: &mut Maps, contents: &mut Contents) -> Result<(), Vec<Diagnostic>> {
    let mut errors = vec![];
    for (number, structure, span) in &contents.structures {
        let bytes = maps.contents(structure).and_then(|value| value.contents(Addresses::Placed(maps.placed())));
        match bytes {
            Ok(bytes) => contents.buffers[*number].bytes = bytes.into_iter().collect(),
            Err(error) => errors.push(Diagnostic { span: span.clone(), ..error }),
        }
    }
    for set in &mut contents.variables {
        let Some(value) = &set.value else { continue };
        let (variable, declared) = (&module.variables[set.number], &module.variable_types[set.number]);
        let size = variable.bytes.len();
        let bytes = maps.contents(value).and_then(|value| value.encode(&declared.ty, size as u64, maps.placed()));
        match bytes {
            Ok(bytes) => set.buffer.bytes = prefix(&bytes.into_iter().collect::<Image>(), set.buffer.bytes.len()),
            Err(error) => {
                let message = format!("`{}`: {}", set.buffer.name, error.message.replace("parameter", "variable"));
                errors.push(Diagnostic { span: set.span.clone(), message, ..error });
            }
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// A variable in global memory with the name and the content of a buffer, at `address`.
fn variable(buffer: &Buffer, address: u64) -> Variable {
    Variable::new(buffer.name.clone(), address, buffer.bytes.clone())
}

impl SetVariable {
    /// The address of the variable.
    pub fn placed(&self, module: &ptx::Module) -> Placed {
        let Variable { address, bytes, .. } = &module.variables[self.number];
        Placed { name: self.buffer.name.clone(), address: *address, bytes: bytes.len() as u64 }
    }
}

impl Buffer {
    /// The buffer with `bytes`, the present content of its memory, as its content; a buffer is the first part of its memory.
    pub fn with_content(&self, bytes: &Image) -> Buffer {
        Buffer { bytes: prefix(bytes, self.bytes.len()), ..self.clone() }
    }
}
