// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From the text of a program and its launches to what each of them runs, with buffers at their addresses.

use super::maps::Maps;
use super::{bind, place, Buffer, KernelLaunch, Missing};
use crate::{load, Kind, Loaded};
use crate::{ptx, Variable};
use bcu_isa::diag::Diagnostic;

/// Launches that run one after the other on the same global memory.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub launches: Vec<Loaded>,
    /// Where each buffer is, with what it holds before the first launch; behind them tensor maps that have a place of their own.
    pub buffers: Vec<Variable>,
}

/// What is wrong, and which text the places are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unprepared {
    Program(Vec<Diagnostic>),
    Launch(Vec<Diagnostic>),
}

/// Prepares the launches of a PTX text; `base` is what all of them have in common.
///
/// # Errors
/// Every complaint about the program, or about the first launch that does not fit it.
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
    for one in launches {
        let wanted = one.kernel.as_ref().map(|kernel| kernel.get_ref().as_str()).or(base.kernel.as_deref());
        let (kernel, params) = ptx::kernel(&module, wanted).map_err(|error| {
            let span = one.kernel.as_ref().map_or_else(|| one.span.clone(), toml::Spanned::span);
            Unprepared::Launch(vec![Diagnostic { span, ..error }])
        })?;
        let args = maps.made(&kernel, &params, &one.args).map_err(Unprepared::Launch)?;
        let arguments = bind(&kernel, &params, &args, maps.placed(), missing, one.span.clone()).map_err(Unprepared::Launch)?;
        let launch = ptx::Launch {
            kernel: Some(kernel),
            grid: one.grid,
            cluster: one.cluster,
            programmatic: one.programmatic,
            threads: one.block.or(base.threads),
            shared: one.shared.into(),
            arguments,
            ..base.clone()
        };
        prepared.push(load(Kind::Ptx, text, &launch).map_err(Unprepared::Program)?);
    }
    variables.extend(maps.variables);
    Ok(Prepared { launches: prepared, buffers: variables })
}

/// The bytes of a buffer as memory has them.
fn variable(buffer: &Buffer, address: u64) -> Variable {
    let known = |at: usize| buffer.known.as_ref().is_none_or(|known| known.get(at).copied().unwrap_or(false));
    let bytes = buffer.bytes.iter().enumerate().map(|(at, byte)| known(at).then_some(*byte)).collect();
    Variable { name: buffer.name.clone(), address, bytes }
}

impl Buffer {
    /// The buffer with the bytes that memory has now, as many as before; `None` is one that nobody knows.
    pub fn now(&self, bytes: &[Option<u8>]) -> Buffer {
        let known: Vec<bool> = bytes.iter().map(Option::is_some).collect();
        let known = known.contains(&false).then_some(known);
        Buffer { bytes: bytes.iter().map(|byte| byte.unwrap_or(0)).collect(), known, ..self.clone() }
    }
}
