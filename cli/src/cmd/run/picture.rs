// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture of a run: collects intervals during the run, and writes an SVG file after it.

use crate::cmd::case::Case;
use crate::cmd::window;
use crate::failure::Result;
use crate::picture_file::PictureFile;
use bcu_machine::timeline::Recorder;
use bcu_machine::view::svg_of;
use bcu_machine::view::title::Title;
use bcu_machine::window::Window;
use bcu_machine::Report;
use std::path::Path;

/// A picture in progress.
pub struct Picture {
    pub intervals: Recorder,
    window: Window,
    file: PictureFile,
}

impl Picture {
    /// Starts a picture. Fails if the file cannot be written.
    pub fn start(path: &Path) -> Result<Picture> {
        Ok(Picture { intervals: Recorder::default(), window: Window::default(), file: PictureFile::start(path)? })
    }

    /// The picture of the cycles of a window; to be called before the run.
    pub fn in_window(self, window: Window) -> Picture {
        Picture { intervals: Recorder::of_window(window), window, ..self }
    }

    /// Writes the picture, and returns a line with its path. Fails if the run has no cycle of the window.
    pub fn finish(self, case: &Case, report: &Report) -> Result<String> {
        window::check(&self.window, report.cycles)?;
        let title = Title { program: &case.name(), config: &case.session.config.name };
        let line = format!("timeline: {}\n", self.file.path.display());
        self.file.write(&svg_of(&title, report, &self.intervals.finish(), self.window))?;
        Ok(line)
    }
}
