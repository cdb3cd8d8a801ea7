// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prepares launches and their buffers for a run ([`Launches::ready`]), and compares the buffers after the run with their expected content
//! ([`Ready::result`]). The run itself is not here.

use super::complaint::complaint;
use super::element::Element;
use super::load::{self as files, Wanted};
use super::prepare::{prepare_contents, Contents};
use super::setting::{resolve, SetVariable};
use super::{
    compare, expected, load, npy, Allocation, Buffer, Expectation, Expected, KernelLaunch, LaunchFile, Mismatch, Missing,
    ReadFile, Setting, Unprepared,
};
use crate::Loaded;
use crate::{ptx, Variable};
use bcu_isa::diag::Diagnostic;

/// The launches of a launch file or of a command line, before any other file is read.
#[derive(Clone, Debug)]
pub struct Launches {
    /// The buffers to create.
    pub allocations: Vec<Allocation>,
    /// The variables of the program that the launches give or read.
    pub settings: Vec<Setting>,
    /// The launches in execution order.
    pub launches: Vec<KernelLaunch>,
    /// The expected content of buffers after the last launch.
    pub expects: Vec<Expectation>,
    /// Treatment of a parameter for which a launch gives no argument.
    pub missing: Missing,
}

impl From<&LaunchFile> for Launches {
    fn from(file: &LaunchFile) -> Launches {
        let LaunchFile { buffers, settings, launches, expects, .. } = file.clone();
        Launches { allocations: buffers, settings, launches, expects, missing: Missing::Refused }
    }
}

/// Launches that can run, with the initial memory and the expected results.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The launches in execution order.
    pub launches: Vec<Loaded>,
    /// Global memory before the first launch: the buffers, then the given variables of the program, then the tensor maps that have a
    /// separate address.
    pub memory: Vec<Variable>,
    /// The buffers before the first launch, then the variables of the program that the launches give or read.
    pub buffers: Vec<Buffer>,
    /// The address of each buffer.
    addresses: Vec<u64>,
    expected: Vec<Expected>,
}

/// The content of the buffers after the last launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchResult {
    pub buffers: Vec<Buffer>,
    /// Number of compared buffers.
    pub compared: usize,
    /// Differences between compared buffers and their expected contents.
    pub mismatches: Vec<Mismatch>,
}

impl Launches {
    /// Reads the files with `read`, gives the buffers addresses, and matches the arguments with the kernels of the PTX program `text`.
    /// `base` holds the options that are the same for all launches, such as the lanes of a warp; `seed` is for random fills.
    ///
    /// # Errors
    /// All errors in the program, or in the launches.
    pub fn ready(&self, text: &str, base: &ptx::Launch, seed: u64, read: &mut ReadFile) -> Result<Ready, Unprepared> {
        let module = ptx::parse(text).map_err(Unprepared::Program)?;
        let buffers = load(&self.allocations, seed, module.pointer(), read).map_err(Unprepared::Launch)?;
        let mut variables = resolve(&self.settings, &module, seed, read).map_err(Unprepared::Launch)?;
        let twice = variables.iter().find(|set| buffers.iter().any(|buffer| buffer.name == set.buffer.name));
        if let Some(SetVariable { buffer, span, .. }) = twice {
            let error = complaint(format!("a buffer and a variable are called `{}`", buffer.name), "expected two names");
            return Err(Unprepared::Launch(vec![Diagnostic { span: span.clone(), ..error }]));
        }
        self.adopt_types(&mut variables, read);
        let structures = self.allocations.iter().enumerate().filter_map(|(number, allocation)| match &allocation.contents {
            files::Contents::Fields { fields, .. } => Some((number, fields.clone(), allocation.span.clone())),
            _ => None,
        });
        let mut contents = Contents { structures: structures.collect(), buffers, variables };
        let prepared = prepare_contents((text, &module), base, &self.launches, &mut contents, self.missing)?;
        let own = prepared.buffers.iter().take(contents.buffers.len()).map(|buffer| buffer.address);
        let addresses = own.chain(contents.variables.iter().map(|set| set.placed(&module).address)).collect();
        let Contents { mut buffers, variables, .. } = contents;
        buffers.extend(variables.into_iter().map(|set| set.buffer));
        let expected = expected(&self.expects, &buffers, read).map_err(Unprepared::Launch)?;
        Ok(Ready { launches: prepared.launches, memory: prepared.buffers, buffers, addresses, expected })
    }

    /// Gives variables for which the launch states neither type nor shape those of their expected contents. A file that cannot be read is
    /// an error when the expected contents are read.
    fn adopt_types(&self, variables: &mut [SetVariable], read: &mut ReadFile) {
        for expectation in &self.expects {
            let Some(set) = variables.iter_mut().find(|set| set.buffer.name == expectation.buffer) else { continue };
            let Wanted::Npy(file) = &expectation.wanted else { continue };
            let element = (set.buffer.element == Element::Bf16).then_some(Element::Bf16);
            let wanted = files::bytes(file, read).and_then(|bytes| npy::read(&expectation.buffer, bytes, element));
            if let Ok(wanted) = wanted {
                set.adopt(&wanted);
            }
        }
    }
}

impl Ready {
    /// The content of the buffers, and the differences from their expected content. `memory` is global memory after the last launch.
    pub fn result(&self, memory: &[Variable]) -> LaunchResult {
        let final_buffer =
            |(buffer, address): (&Buffer, &u64)| match memory.iter().find(|variable| variable.address == *address) {
                Some(variable) => buffer.with_content(&variable.bytes),
                None => buffer.clone(),
            };
        let buffers: Vec<Buffer> = self.buffers.iter().zip(&self.addresses).map(final_buffer).collect();
        let wrong = |one: &Expected| compare(&one.wanted, buffers.get(one.buffer)?, one.tolerance).err();
        let mismatches = self.expected.iter().filter_map(wrong).collect();
        LaunchResult { compared: self.expected.len(), mismatches, buffers }
    }

    /// The address of the first listed element of `mismatch` whose value after the run is unknown; `None` if there is none.
    pub fn unknown_at(&self, mismatch: &Mismatch) -> Option<u64> {
        let Mismatch::Values { buffer, first, .. } = mismatch else { return None };
        let at = self.buffers.iter().position(|own| own.name == *buffer)?;
        let (buffer, address) = (self.buffers.get(at)?, self.addresses.get(at)?);
        let unknown = first.iter().find(|difference| difference.actual.is_none())?;
        let place = unknown.index.iter().zip(&buffer.shape).fold(0, |place, (index, size)| place * size + index);
        Some(address + (place * buffer.element.size()) as u64)
    }
}
