// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches with their buffers, from the text of a launch file to the comparison of what they leave.

use super::{
    compare, expected, load, prepare, Allocation, Buffer, Expectation, Expected, KernelLaunch, LaunchFile, Mismatch, Missing,
    ReadFile, Unprepared,
};
use crate::Loaded;
use crate::{ptx, Variable};

/// What is launched, and what is expected of it.
#[derive(Clone, Debug)]
pub struct Launches {
    pub allocations: Vec<Allocation>,
    pub launches: Vec<KernelLaunch>,
    pub expects: Vec<Expectation>,
    pub missing: Missing,
}

impl From<&LaunchFile> for Launches {
    fn from(file: &LaunchFile) -> Launches {
        let LaunchFile { buffers, launches, expects, .. } = file.clone();
        Launches { allocations: buffers, launches, expects, missing: Missing::Refused }
    }
}

/// Launches that can run: programs, memory and expectations.
#[derive(Clone, Debug)]
pub struct Ready {
    /// In the order in which they run.
    pub launches: Vec<Loaded>,
    /// Global memory before the first.
    pub memory: Vec<Variable>,
    /// As they are before the first.
    pub buffers: Vec<Buffer>,
    /// Where each buffer is.
    addresses: Vec<u64>,
    expected: Vec<Expected>,
}

/// What the buffers hold after the last launch.
#[derive(Clone, Debug, Default)]
pub struct Left {
    pub buffers: Vec<Buffer>,
    /// How many of them were compared, and what was not as expected.
    pub compared: usize,
    pub mismatches: Vec<Mismatch>,
}

impl Launches {
    /// Reads the files, places the buffers, and fits the arguments to the kernels of a PTX text. `base` is what the launches have in
    /// common, `seed` that of random fills.
    ///
    /// # Errors
    /// Every complaint about the program, or about the launches.
    pub fn ready(&self, text: &str, base: &ptx::Launch, seed: u64, read: &mut ReadFile) -> Result<Ready, Unprepared> {
        let buffers = load(&self.allocations, seed, read).map_err(Unprepared::Launch)?;
        let expected = expected(&self.expects, &buffers, read).map_err(Unprepared::Launch)?;
        let prepared = prepare(text, base, &self.launches, &buffers, self.missing)?;
        let addresses = prepared.buffers.iter().map(|buffer| buffer.address).collect();
        Ok(Ready { launches: prepared.launches, memory: prepared.buffers, buffers, addresses, expected })
    }
}

impl Ready {
    /// What the buffers hold when global memory holds `memory`.
    pub fn left(&self, memory: &[Variable]) -> Left {
        let now = |(buffer, address): (&Buffer, &u64)| match memory.iter().find(|variable| variable.address == *address) {
            Some(variable) => buffer.now(&variable.bytes),
            None => buffer.clone(),
        };
        let buffers: Vec<Buffer> = self.buffers.iter().zip(&self.addresses).map(now).collect();
        let wrong = |one: &Expected| compare(&one.wanted, buffers.get(one.buffer)?, one.tolerance).err();
        let mismatches = self.expected.iter().filter_map(wrong).collect();
        Left { compared: self.expected.len(), mismatches, buffers }
    }

    /// The address of the first element that differs because nobody knows it.
    pub fn unknown_at(&self, mismatch: &Mismatch) -> Option<u64> {
        let Mismatch::Values { buffer, first, .. } = mismatch else { return None };
        let at = self.buffers.iter().position(|own| own.name == *buffer)?;
        let (buffer, address) = (self.buffers.get(at)?, self.addresses.get(at)?);
        let unknown = first.iter().find(|difference| difference.got.is_none())?;
        let place = unknown.index.iter().zip(&buffer.shape).fold(0, |place, (index, size)| place * size + index);
        Some(address + (place * buffer.element.size()) as u64)
    }
}
