// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files in and out: text of bounded size in, whole files or none out.

use crate::failure::{Failure, Result};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// The largest file that is read.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a text file, or standard input for `-`.
pub fn read(path: &Path) -> Result<String> {
    let shown = path.display();
    let cannot = |error: io::Error| Failure::plain(format!("cannot read {shown}: {error}"), None);
    let mut bytes = vec![];
    // One byte more than allowed tells a file that is too large, whatever its kind.
    if path == Path::new("-") {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        File::open(path).map_err(cannot)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!("{shown} is larger than {} MiB, the most that is read", MAX_BYTES >> 20);
        return Err(Failure::plain(message, Some("is this the right file? programs and descriptions are small texts")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{shown} is not a text file: the byte at offset {at} is not UTF-8");
        Failure::plain(
            message,
            Some("give a program, machine or configuration as text; an object file must be disassembled first"),
        )
    })
}

/// A file that takes its name only when it is complete.
pub struct Output {
    file: NamedTempFile,
    path: std::path::PathBuf,
}

impl Output {
    /// Starts a file; its folder is made if there is none.
    pub fn create(path: &Path) -> Result<Output> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|e| cannot_write(folder, &e))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bcu-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(|e| cannot_write(path, &e))?;
        Ok(Output { file, path: path.to_path_buf() })
    }

    /// A second handle to write to.
    pub fn writer(&self) -> Result<File> {
        self.file.as_file().try_clone().map_err(|e| cannot_write(&self.path, &e))
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        self.file.persist(&self.path).map(|_| ()).map_err(|e| cannot_write(&self.path, &e.error))
    }
}

/// Writes a whole file.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let output = Output::create(path)?;
    output.writer()?.write_all(text.as_bytes()).map_err(|e| cannot_write(path, &e))?;
    output.finish()
}

pub fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write {}: {error}", path.display()), None)
}
