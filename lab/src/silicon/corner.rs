// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Corner cases: programs whose behaviour PTX leaves open or defines unclearly, each with its
//! result on a device and in the simulator.
//!
//! `corner/cases.toml` has the programs, with their results on a device of compute capability 9.0. An error or a hang makes the device
//! unusable for the process, so each program runs in a separate process.

mod case;
mod end;
#[cfg(test)]
mod tests;

use super::device::{About, Refusal};
use super::driver::{leave, Device};
use super::params::Params;
use anyhow::{Context, Result};
use case::Corner;
use end::End;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// A launch that lasts longer counts as a hang. The launches that do not hang take less than a
/// millisecond.
const LIMIT: Duration = Duration::from_secs(2);

/// Number of processes in parallel. They share the device in time slices, and a hanging process
/// uses up its slices.
const PROCESSES: usize = 4;

/// A program, and its results on a device and in the simulator.
pub struct Outcome {
    pub name: String,
    pub does: String,
    /// How the program ended on the device, or a sentence if this could not be determined.
    pub device: Result<End, String>,
    /// The recorded end on a device of compute capability 9.0.
    pub recorded: End,
    pub unit: String,
    /// Whether the device has compute capability 9.0, so that `device` and `recorded` must be equal.
    comparable: bool,
}

impl Outcome {
    pub fn is_good(&self) -> bool {
        !self.comparable || self.device.as_ref() == Ok(&self.recorded)
    }

    /// The end on the device as text, with the recorded end if it differs.
    pub fn shown(&self) -> String {
        let recorded_outcomes = match &self.device {
            Ok(end) => end.to_string(),
            Err(why) => why.clone(),
        };
        if self.device.as_ref() == Ok(&self.recorded) {
            recorded_outcomes
        } else {
            format!("{recorded_outcomes}; recorded of 9.0: {}", self.recorded)
        }
    }
}

/// Runs one program in this process and prints how it ends. Then the process exits at once, because
/// the device may be unusable.
pub fn run_one(device: &Device, name: &str) -> Result<()> {
    let corners = case::read_corners()?;
    let corner = corners.iter().find(|corner| corner.name == name);
    let corner = corner.with_context(|| {
        let names: Vec<&str> = corners.iter().map(|corner| corner.name.as_str()).collect();
        format!("`{name}`: unknown program; the programs are {}", names.join(", "))
    })?;
    println!("{}", on_device(device, corner)?);
    leave(0)
}

/// Runs a program on a device, and returns how it ends.
fn on_device(device: &Device, corner: &Corner) -> Result<End> {
    let memory = device.memory(&[0; 8 * case::PLACES])?;
    let text = corner.ptx();
    let module = device.module(&text)?;
    let mut params = Params::pack(&[memory.address.to_le_bytes().map(Some).to_vec()]);
    match module.run(&corner.name, corner.shape(), &mut params, LIMIT) {
        Ok(()) => {}
        Err(Refusal::Hangs { .. }) => return Ok(End::Hangs),
        Err(Refusal::Call { name, .. }) => return Ok(End::Error(name)),
        Err(other) => return Err(other.into()),
    }
    let bytes = memory.read()?;
    let values = bytes.chunks_exact(8).filter_map(|value| value.try_into().ok().map(u64::from_le_bytes));
    Ok(End::Completed(values.take(corner.places()).collect()))
}

/// Runs all programs on a device, each in a separate process. `child` creates the command of the
/// process from the name of the program.
pub fn run(about: &About, child: &(dyn Fn(&str) -> Command + Sync)) -> Result<Vec<Outcome>> {
    let corners = case::read_corners()?;
    let outcome = |corner: &Corner| Outcome {
        name: corner.name.clone(),
        does: corner.does.clone(),
        device: in_process(&mut child(&corner.name)),
        recorded: corner.device.clone(),
        unit: corner.unit.clone(),
        comparable: about.capability == (9, 0),
    };
    let part = corners.len().div_ceil(PROCESSES).max(1);
    let parts = thread::scope(|scope| {
        let threads: Vec<_> =
            corners.chunks(part).map(|part| scope.spawn(|| part.iter().map(outcome).collect::<Vec<_>>())).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect::<Option<Vec<_>>>()
    });
    Ok(parts.context("a thread of this command panicked")?.into_iter().flatten().collect())
}

fn in_process(command: &mut Command) -> Result<End, String> {
    let done = command.output().map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    let (out, complaint) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let line = out.lines().last().unwrap_or("");
    End::try_from(line.to_string()).map_err(|error| format!("{error:#} {}", complaint.trim()))
}
