// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture of a run: collects intervals during the run, and writes an SVG file after it.

use crate::cmd::case::Case;
use crate::failure::Result;
use crate::picture_file::PictureFile;
use bcu_machine::timeline::Recorder;
use bcu_machine::view::svg;
use bcu_machine::view::title::Title;
use bcu_machine::Report;
use std::path::Path;

/// A picture in progress.
pub struct Picture {
    pub intervals: Recorder,
    file: PictureFile,
}

impl Picture {
    /// Starts a picture. Fails if the file cannot be written.
    pub fn start(path: &Path) -> Result<Picture> {
        Ok(Picture { intervals: Recorder::default(), file: PictureFile::start(path)? })
    }

    /// Writes the picture, and returns a line with its path.
    pub fn finish(self, case: &Case, report: &Report) -> Result<String> {
        let title = Title { program: &case.name(), config: &case.session.config.name };
        let line = format!("timeline: {}\n", self.file.path.display());
        self.file.write(&svg(&title, report, &self.intervals.finish()))?;
        Ok(line)
    }
}
