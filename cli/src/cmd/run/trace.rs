// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file of a trace: it is written while the run goes on, and gets its name after the run.

use crate::cmd::case::Case;
use crate::failure::{Failure, Result};
use crate::files::{cannot_write, Batch};
use crate::outputs::needs_folder;
use bcu_machine::trace_events::TraceEvents;
use bcu_machine::Report;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// A trace in progress; it leaves no file unless it is finished.
pub struct TraceFile {
    path: PathBuf,
    batch: Batch,
    pub events: TraceEvents<BufWriter<File>>,
}

impl TraceFile {
    /// Starts a trace. Fails if the file cannot be written.
    pub fn start(path: &Path, case: &Case) -> Result<TraceFile> {
        if path.extension().is_none_or(|e| e != "json") {
            let message = format!("cannot write the trace {}: the file name must end in `.json`", path.display());
            return Err(Failure::plain(message, Some("name it like `out.json`")));
        }
        needs_folder(path)?;
        let mut batch = Batch::default();
        let file = batch.create(path)?;
        let events = TraceEvents::new(BufWriter::new(file), &case.name(), &case.session.config.name);
        Ok(TraceFile { path: path.to_path_buf(), batch, events })
    }

    /// Ends the trace, and returns a line with its path. `report` is `None` after a failure of the unit.
    pub fn finish(self, report: Option<&Report>) -> Result<String> {
        self.events.finish(report).map_err(|error| cannot_write(&self.path, &error))?;
        self.batch.commit()?;
        Ok(format!("trace: {}\n  open it with https://ui.perfetto.dev\n", self.path.display()))
    }
}
