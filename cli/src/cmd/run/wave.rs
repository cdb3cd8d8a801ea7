// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The waveform of a run: ports, signals inside the unit, and beside them what each warp does.

use crate::failure::{complain, Failure, Result};
use crate::files::{self, cannot_write, Output};
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::machine::Cycle;
use bcu_sim::trace::vcd::Vcd;
use bcu_sim::trace::{files as viewer_files, Text, TextId, View};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The scope of the warps' texts.
const SCOPE: &str = "program";

struct Writing {
    vcd: Vcd<BufWriter<File>>,
    /// The first error of the file; nothing is written after it.
    error: Option<io::Error>,
}

/// A VCD file under way.
pub struct Recorder {
    path: PathBuf,
    output: Output,
    texts: Vec<Text>,
    writing: Rc<RefCell<Writing>>,
}

impl Recorder {
    /// Starts the file and has the engine show its signals.
    pub fn start(path: &Path, engine: &mut Engine, warps: usize) -> Result<Recorder> {
        let output = Output::create(path)?;
        let texts: Vec<Text> = (0..warps).map(|w| Text { scope: SCOPE.to_string(), name: format!("warp_{w}") }).collect();
        let vcd = Vcd::of_unit(BufWriter::new(output.writer()?), engine.unit(), &texts).map_err(|e| cannot_write(path, &e))?;
        let writing = Rc::new(RefCell::new(Writing { vcd, error: None }));
        let watched = writing.clone();
        engine.watch(move |block| watched.borrow_mut().vcd.capture(block));
        Ok(Recorder { path: path.to_path_buf(), output, texts, writing })
    }

    /// Ends a cycle in the file.
    pub fn cycle(&self, cycle: &Cycle) {
        let writing = &mut *self.writing.borrow_mut();
        for warp in 0..self.texts.len() {
            writing.vcd.set_text(TextId(warp), &cycle.warp(warp));
        }
        if writing.error.is_none() {
            writing.error = writing.vcd.cycle(cycle.inputs, cycle.outputs).err();
        }
    }

    /// Gives the file its name and writes those for the viewers beside it.
    pub fn finish(self, engine: Engine, cycles: u64) -> Result<()> {
        let (ports, top) = (engine.ports().to_vec(), engine.unit().name());
        // The engine's watcher holds the other handle.
        drop(engine);
        let Some(writing) = Rc::into_inner(self.writing).map(RefCell::into_inner) else {
            return Err(Failure::plain("the waveform is still being written", None));
        };
        let done = writing.error.map_or(writing.vcd.finish().map(|_| ()), Err);
        done.map_err(|e| cannot_write(&self.path, &e))?;
        let stem = self.path.file_stem().map_or("wave".into(), |s| s.to_string_lossy().into_owned());
        let folder = self.path.parent().unwrap_or(Path::new("")).to_path_buf();
        for (name, text) in viewer_files(&stem, &View { top, ports: &ports, texts: &self.texts, cycles }) {
            files::write(&folder.join(name), &text)?;
        }
        self.output.finish()?;
        let (vcd, save) = (self.path.display(), folder.join(format!("{stem}.gtkw")));
        complain(&format!("waveform: gtkwave {vcd} {}", save.display()));
        Ok(())
    }
}
