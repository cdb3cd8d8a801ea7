// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The waveform of a run: ports, signals inside the unit, and the activity of each warp as text.

use super::occupancy::Occupancy;
use crate::cmd::case::Case;
use crate::failure::{Failure, Result};
use crate::files::{cannot_write, Batch};
use crate::hardware::{Device, Waveform};
use crate::outputs::needs_folder;
use bcu_isa::ports::Port;
use bcu_machine::trace::text::{Text, TextId, View};
use bcu_machine::trace::vcd::Vcd;
use bcu_machine::trace::vcd_text::CYCLE_NS;
use bcu_machine::trace::{files as viewer_files, Mark};
use bcu_machine::{Cycle, Report};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The VCD scope of the signals that show the activity of each warp as text.
const SCOPE: &str = "program";
/// The margin after the run is the window's length divided by this.
const MARGIN_DIVISOR: u64 = 16;

/// Fails if the waveform file, or a file for a viewer next to it, cannot be written. Called before the run starts.
pub fn needs(path: &Path) -> Result<()> {
    let (stem, mut batch, _) = begin(path)?;
    ["gtkw", "sucl"].iter().try_for_each(|ending| batch.create(&path.with_file_name(&stem).with_extension(ending)).map(drop))
}

/// Opens the waveform file. Returns its name without the extension, the batch that renames the file to its final name, and the file.
fn begin(path: &Path) -> Result<(String, Batch, File)> {
    let stem = path.file_stem().and_then(|s| s.to_str()).filter(|_| path.extension().is_some_and(|e| e == "vcd"));
    let Some(stem) = stem else {
        let message = format!("cannot write the waveform {}: the file name must end in `.vcd`", path.display());
        return Err(Failure::plain(message, Some("name it like `out.vcd`")));
    };
    needs_folder(path)?;
    let mut batch = Batch::default();
    let file = batch.create(path)?;
    Ok((stem.to_string(), batch, file))
}

/// The number of warp slots in the waveform: for a run of a single CTA its warps, otherwise all
/// warp slots.
pub fn shown_slots(case: &Case) -> Result<usize> {
    match &case.session.machine.ctas[..] {
        [only] if only.count.is_none() && only.programs.is_empty() && case.session.assignment.has_one_cta() => {
            Ok(case.session.assignment.run.programs.len())
        }
        _ => case.warp_slots(),
    }
}

/// A VCD file in progress.
pub struct Wave {
    path: PathBuf,
    stem: String,
    batch: Batch,
    texts: Vec<Text>,
    occupancy: Occupancy,
    /// The name of the unit, which is the VCD scope of its ports, and the ports of the unit.
    unit: (&'static str, Vec<Port>),
    waveform: Waveform,
    /// The first error of writing the file. After an error, nothing more is written.
    error: Option<io::Error>,
}

impl Wave {
    /// Starts the file of a run on `device`, which adds its internal signals, or on the model; `warps` is the number of warp slots to show.
    pub fn start(path: &Path, case: &Case, device: &mut Option<Box<dyn Device>>, warps: usize) -> Result<Wave> {
        let (stem, batch, file) = begin(path)?;
        let text = |slot: usize| Text { scope: SCOPE.to_string(), name: format!("warp_{slot}"), alias: None };
        let texts: Vec<Text> = (0..warps).map(text).collect();
        // The ports of a device have groups and names of values, which those of the model lack.
        let ports = device.as_ref().map_or_else(|| case.ports(), |device| Ok(device.ports().to_vec()))?;
        let unit = (case.unit()?, ports);
        let out = BufWriter::new(file);
        let waveform = match device {
            Some(device) => device.trace(out, &texts),
            None => Vcd::of_ports(out, unit.0, &unit.1, &texts).map(|vcd| Rc::new(RefCell::new(vcd))),
        };
        let waveform = waveform.map_err(|e| cannot_write(path, &e))?;
        let occupancy = Occupancy::new(&unit.1, warps);
        Ok(Wave { path: path.to_path_buf(), stem, batch, texts, occupancy, unit, waveform, error: None })
    }

    /// Writes the values at the end of a cycle to the file.
    pub fn cycle(&mut self, cycle: &Cycle) {
        self.occupancy.cycle(cycle);
        let vcd = &mut *self.waveform.borrow_mut();
        for slot in 0..self.texts.len() {
            vcd.set_text(TextId(slot), &self.occupancy.text(slot, cycle.warp(slot)));
        }
        if self.error.is_none() {
            self.error = vcd.cycle(cycle.inputs, cycle.outputs).err();
        }
    }

    /// Commits the file and the viewers' files next to it, and returns the viewer commands. `report` is `None` after a failure of the
    /// unit. The caller must have dropped the device, which holds a handle of the waveform.
    pub fn finish(mut self, report: Option<&Report>) -> Result<String> {
        let (top, ports) = self.unit;
        let Some(vcd) = Rc::into_inner(self.waveform).map(RefCell::into_inner) else {
            let message =
                format!("the waveform {} cannot be finished, because the device still writes to it", self.path.display());
            return Err(Failure::plain(message, Some("this is an error of `bcu`: report it with the command")));
        };
        let (from, to) = self.occupancy.window();
        // A margin after the last cycle keeps a marker in that cycle away from the edge of the
        // viewer's window.
        let end = to + (to - from) / MARGIN_DIVISOR + 1;
        let finish = |vcd: Vcd<BufWriter<File>>| {
            let mut out = vcd.finish()?;
            writeln!(out, "#{}", end * CYCLE_NS)?;
            out.flush()
        };
        let done = self.error.map_or_else(|| finish(vcd), Err);
        done.map_err(|e| cannot_write(&self.path, &e))?;
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let stem = &self.stem;
        let named = self.texts.into_iter().enumerate().map(|(slot, text)| Text { alias: self.occupancy.alias(slot), ..text });
        // Warp slots that no warp occupied have no text.
        let texts: Vec<Text> = named.filter(|text| text.alias.is_some()).collect();
        let marks: Vec<Mark> = report.map_or(vec![], Mark::from_report).into_iter().filter(|mark| mark.cycle < to).collect();
        let view = View { top, ports: &ports, texts: &texts, from, to, marks: &marks };
        for (name, text) in viewer_files(stem, &view) {
            self.batch.add(&folder.join(name), &text)?;
        }
        self.batch.commit()?;
        let (vcd, save) = (self.path.display(), folder.join(format!("{stem}.gtkw")));
        let surfer = folder.join(format!("{stem}.sucl"));
        Ok(format!("waveform: {vcd}\n  gtkwave {}\n  surfer -c {} {vcd}\n", save.display(), surfer.display()))
    }
}
