// SPDX-License-Identifier: Apache-2.0 OR MIT
//! File input and output: reads texts of bounded size, and writes sets of files completely or not at all.

use crate::failure::{Failure, Result};
use crate::interrupt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The maximum size of a file that is read.
const MAX_BYTES: u64 = 16 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a file cannot be read as a text.
pub struct Unreadable {
    /// One sentence without a full stop.
    pub message: String,
    help: Option<&'static str>,
}

impl From<Unreadable> for Failure {
    fn from(unreadable: Unreadable) -> Failure {
        Failure::plain(unreadable.message, unreadable.help)
    }
}

/// As [`text`], with an error that ends the command.
pub fn read(path: &Path, shown: &str) -> Result<String> {
    Ok(text(path, shown)?)
}

/// Reads a text file, or standard input for `-`; `shown` is its name in messages. A byte-order mark, which some editors write at the
/// start, is removed.
///
/// # Errors
/// If the file cannot be read, is larger than 16 MiB or is not UTF-8.
pub fn text(path: &Path, shown: &str) -> std::result::Result<String, Unreadable> {
    let cannot = |error: io::Error| Unreadable { message: format!("cannot read {shown}: {error}"), help: None };
    let too_large = || {
        let message = format!("{shown} is larger than the maximum of {} MiB", MAX_BYTES >> 20);
        let help = "expected a program, launch, machine, configuration or coverage file; these are smaller";
        Unreadable { message, help: Some(help) }
    };
    let mut bytes = vec![];
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        let file = File::open(path).map_err(cannot)?;
        let about = file.metadata().map_err(cannot)?;
        if about.is_dir() {
            return Err(Unreadable { message: format!("cannot read {shown}: it is a folder; expected a file"), help: None });
        }
        if about.len() > MAX_BYTES {
            return Err(too_large());
        }
        Box::new(file)
    };
    // The length of a pipe is unknown in advance. So up to one byte more than the limit is read:
    // that byte shows that the input is too large.
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{shown} is not a text file: the byte at offset {at} is not UTF-8");
        let help = "expected a program, launch, machine, configuration or coverage file, which are texts; save it as UTF-8";
        Unreadable { message, help: Some(help) }
    })?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).map(str::to_string).unwrap_or(text);
    // A text without a line feed may come from an old system that ends lines with a carriage return
    // alone.
    Ok(if text.contains('\n') { text } else { text.replace('\r', "\n") })
}

/// Refuses a file whose folder does not exist. It is for paths that a user writes in full: a missing folder is then a spelling error.
pub fn needs_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(missing) = folder.ancestors().filter(|f| !f.as_os_str().is_empty() && !f.exists()).last() else { return Ok(()) };
    let message = format!("cannot write {}: there is no folder {}", path.display(), missing.display());
    Err(Failure::plain(message, Some(&format!("create it with `mkdir -p {}`, or name another folder", folder.display()))))
}

/// Refuses outputs that cannot be written: a path in a missing folder, the path of a folder, or one that is named twice. It is for commands
/// that work for a long time before they write.
pub fn are_writable<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    let mut batch = Batch::default();
    paths.into_iter().try_for_each(|path| {
        needs_folder(path)?;
        batch.create(path).map(drop)
    })
}

/// Refuses to overwrite a file that `writer` did not write: an existing file at `path` whose text
/// lacks `mark`. The error recommends `option`, which selects another folder.
pub fn is_replaceable(path: &Path, mark: &str, writer: &str, option: &str) -> Result<()> {
    let has_other_content = match fs::read_to_string(path) {
        Ok(text) => !text.contains(mark),
        Err(error) => error.kind() == io::ErrorKind::InvalidData,
    };
    if !has_other_content {
        return Ok(());
    }
    let message = format!("{} exists and was not written by {writer}", path.display());
    Err(Failure::plain(message, Some(&format!("move it away, or name another folder with `{option}`"))))
}

/// Files that get their final names together, when all are complete. Until then they have temporary names in the same folders. If
/// [`Batch::commit`] is not reached, the temporary files are removed.
#[derive(Default)]
pub struct Batch {
    staged: Vec<(NamedTempFile, PathBuf)>,
    /// The folders created for these files, outermost first.
    folders: Vec<PathBuf>,
}

impl Batch {
    /// Starts a file to be written through the returned handle; its folder is created if it does not exist.
    pub fn create(&mut self, path: &Path) -> Result<File> {
        let cannot = |error: io::Error| cannot_write(path, &error);
        if path.is_dir() {
            return Err(Failure::plain(format!("cannot write {}: there is a folder of this name", path.display()), None));
        }
        if self.staged.iter().any(|(_, staged)| staged == path) {
            let message = format!("cannot write {}: two outputs have this name", path.display());
            return Err(Failure::plain(message, Some("name another file for one of them")));
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut missing: Vec<&Path> = folder.ancestors().take_while(|f| !f.as_os_str().is_empty() && !f.exists()).collect();
        while let Some(folder) = missing.pop() {
            fs::create_dir(folder).map_err(cannot)?;
            self.folders.push(folder.to_path_buf());
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".bcu-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The full error names the temporary file, which means nothing to the user. So only the
        // kind of the error is reported.
        let file = builder.tempfile_in(folder).map_err(|e| cannot(e.kind().into()))?;
        let handle = file.as_file().try_clone().map_err(cannot)?;
        interrupt::stage(file.path());
        self.staged.push((file, path.to_path_buf()));
        Ok(handle)
    }

    /// Adds a whole file.
    pub fn add(&mut self, path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
        self.create(path)?.write_all(contents.as_ref()).map_err(|e| cannot_write(path, &e))
    }

    /// Renames every file to its final name. If a rename fails, the files renamed so far are
    /// removed, except those that have replaced an existing file.
    pub fn commit(mut self) -> Result<()> {
        let mut new: Vec<PathBuf> = vec![];
        for (file, path) in std::mem::take(&mut self.staged) {
            let existed = path.exists();
            interrupt::unstage(file.path());
            if let Err(error) = file.persist(&path) {
                // A failed removal is ignored; the error of the rename is the one to report.
                new.iter().for_each(|path| fs::remove_file(path).unwrap_or_default());
                return Err(cannot_write(&path, &error.error.kind().into()));
            }
            if !existed {
                new.push(path);
            }
        }
        self.folders.clear();
        Ok(())
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.staged.iter().for_each(|(file, _)| interrupt::unstage(file.path()));
        self.staged.clear();
        // A folder that another process has written to meanwhile is not empty and remains.
        self.folders.iter().rev().for_each(|folder| fs::remove_dir(folder).unwrap_or_default());
    }
}

pub fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write {}: {error}", path.display()), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_batch_takes_its_names_together() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::default();
        batch.add(&folder.path().join("a/b/one"), "1").unwrap();
        batch.add(&folder.path().join("two"), "2").unwrap();
        assert!(!folder.path().join("two").exists());
        batch.commit().unwrap();
        assert_eq!(names(folder.path()), ["a", "two"]);
        assert_eq!(fs::read_to_string(folder.path().join("a/b/one")).unwrap(), "1");
    }

    #[test]
    fn a_batch_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::default();
        batch.add(&folder.path().join("a/b/one"), "1").unwrap();
        drop(batch);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_name_that_cannot_be_had_takes_back_what_was_new() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old"), "before").unwrap();
        let mut batch = Batch::default();
        for name in ["old", "new", "taken"] {
            batch.add(&at(name), "after").unwrap();
        }
        fs::create_dir_all(at("taken/inside")).unwrap();
        assert!(batch.commit().is_err());
        assert_eq!(names(folder.path()), ["old", "taken"]);
    }
}
