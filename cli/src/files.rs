// SPDX-License-Identifier: Apache-2.0 OR MIT
//! File input and output: reads texts of bounded size, and writes sets of files completely or not at all.

use crate::failure::{Failure, Result};
use crate::interrupt;
use crate::paths::{folder_of, followed, is_same};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, Write};
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

/// Files that get their final names together, when all are complete. Until then they have temporary names in the same folders. If
/// [`Batch::commit`] is not reached, the temporary files are removed. A link is followed: it remains, and the file that it leads to is
/// replaced. A device or a pipe also remains: the contents are written to it.
#[derive(Default)]
pub struct Batch {
    staged: Vec<Staged>,
    /// The folders created for these files, outermost first.
    folders: Vec<PathBuf>,
}

/// An output that is being written.
struct Staged {
    /// The path that was given to [`Batch::create`].
    path: PathBuf,
    contents: Contents,
}

enum Contents {
    /// A temporary file, and the path to which it is renamed.
    File(NamedTempFile, PathBuf),
    /// A temporary file whose contents are copied to the device or pipe at the path.
    Stream(File),
}

impl Batch {
    /// Starts a file to be written through the returned handle; its folder is created if it does not exist.
    pub fn create(&mut self, path: &Path) -> Result<File> {
        let cannot = |error: io::Error| cannot_write(path, &error);
        if self.staged.iter().any(|staged| is_same(&staged.path, path)) {
            let message = format!("cannot write {}: two outputs have this name", path.display());
            return Err(Failure::plain(message, Some("name another file for one of them")));
        }
        let contents = match fs::metadata(path) {
            Ok(about) if about.is_dir() => {
                return Err(Failure::plain(format!("cannot write {}: there is a folder of this name", path.display()), None));
            }
            Ok(about) if !about.is_file() => Contents::Stream(tempfile::tempfile().map_err(cannot)?),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
            _ => self.create_file(path)?,
        };
        let handle = match &contents {
            Contents::File(file, _) => file.as_file().try_clone(),
            Contents::Stream(file) => file.try_clone(),
        };
        self.staged.push(Staged { path: path.to_path_buf(), contents });
        handle.map_err(cannot)
    }

    fn create_file(&mut self, path: &Path) -> Result<Contents> {
        let cannot = |error: io::Error| cannot_write(path, &error);
        let target = followed(path);
        let folder = folder_of(&target);
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
        interrupt::stage(file.path());
        Ok(Contents::File(file, target))
    }

    /// Adds a whole file.
    pub fn add(&mut self, path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
        self.create(path)?.write_all(contents.as_ref()).map_err(|e| cannot_write(path, &e))
    }

    /// Adds a file that `write` writes piece by piece, so that it is never in memory as a whole.
    pub fn stream(&mut self, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let mut to = BufWriter::new(self.create(path)?);
        write(&mut to).and_then(|()| to.flush()).map_err(|e| cannot_write(path, &e))
    }

    /// Renames every file to its final name, then writes to devices and pipes. After an error, the files renamed so far are removed,
    /// except those that have replaced an existing file.
    pub fn commit(mut self) -> Result<()> {
        let mut new: Vec<PathBuf> = vec![];
        let done = self.finish(&mut new);
        if done.is_err() {
            // A failed removal is ignored; the first error is the one to report.
            new.iter().for_each(|path| fs::remove_file(path).unwrap_or_default());
        } else {
            self.folders.clear();
        }
        done
    }

    fn finish(&mut self, new: &mut Vec<PathBuf>) -> Result<()> {
        let mut streams = vec![];
        for Staged { path, contents } in std::mem::take(&mut self.staged) {
            match contents {
                Contents::File(file, target) => {
                    let existed = target.exists();
                    interrupt::unstage(file.path());
                    file.persist(&target).map_err(|error| cannot_write(&path, &error.error.kind().into()))?;
                    new.extend((!existed).then_some(target));
                }
                Contents::Stream(file) => streams.push((path, file)),
            }
        }
        for (path, mut file) in streams {
            let mut copy = || {
                file.rewind()?;
                io::copy(&mut file, &mut File::options().write(true).open(&path)?)
            };
            copy().map_err(|error| cannot_write(&path, &error))?;
        }
        Ok(())
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        for staged in self.staged.drain(..) {
            if let Contents::File(file, _) = staged.contents {
                interrupt::unstage(file.path());
            }
        }
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

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_a_pipe_is_written_to() {
        use std::os::unix::fs::{symlink, FileTypeExt};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("other")).unwrap();
        fs::write(at("other/file"), "before").unwrap();
        for (target, link) in [("other/file", "link"), ("other/new", "dangling"), ("pipe", "to_pipe")] {
            symlink(target, at(link)).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        // A pipe that is open for reading and writing does not block its other writer.
        let mut pipe = File::options().read(true).write(true).open(at("pipe")).unwrap();
        let mut batch = Batch::default();
        for name in ["link", "dangling", "to_pipe"] {
            batch.add(&at(name), "after").unwrap();
        }
        assert!(batch.create(&at("pipe")).is_err() && batch.create(&at("other/new")).is_err(), "one file has two names");
        batch.commit().unwrap();
        assert!(["link", "dangling", "to_pipe"].iter().all(|name| at(name).is_symlink()));
        assert_eq!(["other/file", "other/new"].map(|name| fs::read_to_string(at(name)).unwrap()), ["after", "after"]);
        assert!(fs::metadata(at("pipe")).unwrap().file_type().is_fifo());
        let mut text = [0; 5];
        pipe.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"after");
        assert_eq!(names(folder.path()), ["dangling", "link", "other", "pipe", "to_pipe"]);
        symlink("circle", at("circle")).unwrap();
        assert!(Batch::default().create(&at("circle")).is_err());
    }
}
