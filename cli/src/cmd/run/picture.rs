// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture of a run: collects intervals during the run, and writes an SVG file after it.

use crate::cmd::case::Case;
use crate::failure::{Failure, Result};
use crate::files::{cannot_write, Batch};
use crate::outputs::needs_folder;
use bcu_machine::timeline::Recorder;
use bcu_machine::view::svg;
use bcu_machine::view::title::Title;
use bcu_machine::Report;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A picture in progress.
pub struct Picture {
    pub intervals: Recorder,
    path: PathBuf,
    batch: Batch,
    file: File,
}

impl Picture {
    /// Starts a picture. Fails if the file cannot be written.
    pub fn start(path: &Path) -> Result<Picture> {
        if path.extension().is_none_or(|e| e != "svg") {
            let message = format!("cannot write the picture {}: the file name must end in `.svg`", path.display());
            return Err(Failure::plain(message, Some("name it like `out.svg`")));
        }
        needs_folder(path)?;
        let mut batch = Batch::default();
        let file = batch.create(path)?;
        Ok(Picture { intervals: Recorder::default(), path: path.to_path_buf(), batch, file })
    }

    /// Writes the picture, and returns a line with its path.
    pub fn finish(mut self, case: &Case, report: &Report) -> Result<String> {
        let title = Title { program: &case.name(), config: &case.session.config.name };
        let text = svg(&title, report, &self.intervals.finish());
        self.file.write_all(text.as_bytes()).map_err(|e| cannot_write(&self.path, &e))?;
        self.batch.commit()?;
        Ok(format!("timeline: {}\n", self.path.display()))
    }
}
