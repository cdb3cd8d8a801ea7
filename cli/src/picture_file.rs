// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file of a picture: it is opened before the runs that it shows, and written after them.

use crate::failure::{Failure, Result};
use crate::files::{cannot_write, Batch};
use crate::outputs::needs_folder;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A picture without contents; it leaves no file unless it is written.
pub struct PictureFile {
    pub path: PathBuf,
    batch: Batch,
    file: File,
}

impl PictureFile {
    /// Starts a picture. Fails if the file cannot be written.
    pub fn start(path: &Path) -> Result<PictureFile> {
        if path.extension().is_none_or(|e| e != "svg") {
            let message = format!("cannot write the picture {}: the file name must end in `.svg`", path.display());
            return Err(Failure::plain(message, Some("name it like `out.svg`")));
        }
        needs_folder(path)?;
        let mut batch = Batch::default();
        let file = batch.create(path)?;
        Ok(PictureFile { path: path.to_path_buf(), batch, file })
    }

    /// Writes the picture.
    pub fn write(mut self, svg: &str) -> Result<()> {
        self.file.write_all(svg.as_bytes()).map_err(|e| cannot_write(&self.path, &e))?;
        self.batch.commit()
    }
}
