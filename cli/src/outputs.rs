// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks output files before a long command starts: whether they can be written, and whether one is also another file of the command.

use crate::failure::{Failure, Result};
use crate::files::Batch;
use crate::paths::{folder_of, followed, is_same};
use std::path::Path;
use std::{fs, io};

/// Refuses a file whose folder does not exist. For paths that a user writes in full, in which a missing folder is a spelling error.
pub fn needs_folder(path: &Path) -> Result<()> {
    let file = followed(path);
    let folder = folder_of(&file);
    let Some(missing) = folder.ancestors().filter(|f| !f.as_os_str().is_empty() && !f.exists()).last() else { return Ok(()) };
    let message = format!("cannot write {}: there is no folder {}", path.display(), missing.display());
    Err(Failure::plain(message, Some(&format!("create it with `mkdir -p {}`, or name another folder", folder.display()))))
}

/// The name of a file in messages, for example `` `--junit` ``, and the path of the file.
pub type NamedFile<'a> = (&'a str, &'a Path);

/// Refuses outputs that cannot be written: a path in a missing folder, and the path of a folder. Also refuses the outputs that
/// [`are_distinct`] refuses. For commands that work for a long time before they write.
pub fn are_writable(outputs: &[NamedFile], inputs: &[NamedFile]) -> Result<()> {
    are_distinct(outputs, inputs)?;
    let mut batch = Batch::default();
    outputs.iter().try_for_each(|(_, path)| {
        needs_folder(path)?;
        batch.create(path).map(drop)
    })
}

/// Refuses an output path that occurs twice, is one of `inputs`, or is standard output: the command would overwrite one of its outputs
/// or inputs.
pub fn are_distinct(outputs: &[NamedFile], inputs: &[NamedFile]) -> Result<()> {
    const STDOUT: &str = "/dev/stdout";
    // An output may be the same terminal or pipe as standard output, but not the same file.
    let stdout = Path::new(STDOUT).is_file().then_some(("standard output", Path::new(STDOUT)));
    for (at, (name, path)) in outputs.iter().enumerate() {
        let mut others = inputs.iter().chain(&stdout).chain(&outputs[..at]);
        if let Some((other, _)) = others.find(|(_, other)| is_same(other, path)) {
            let message = format!("{name}: {} is also {other}", path.display());
            return Err(Failure::plain(message, Some("name another file for one of them")));
        }
    }
    Ok(())
}

/// Refuses to overwrite a file that `writer` did not write: an existing file at `path` whose text
/// lacks `mark`. The error recommends `option`, which selects another folder.
pub fn is_replaceable(path: &Path, mark: &str, writer: &str, option: &str) -> Result<()> {
    // A device or a pipe is not read: a read may never end.
    let is_special = fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    let has_other_content = is_special
        || match fs::read_to_string(path) {
            Ok(text) => !text.contains(mark),
            Err(error) => error.kind() == io::ErrorKind::InvalidData,
        };
    if !has_other_content {
        return Ok(());
    }
    let message = format!("{} exists and was not written by {writer}", path.display());
    Err(Failure::plain(message, Some(&format!("move it away, or name another folder with `{option}`"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_an_input_or_another_output_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "./one"].map(|name| folder.path().join(name));
        let refused = are_distinct(&[("`--junit`", &one), ("`--html`", &other)], &[]);
        assert!(matches!(refused, Err(Failure::CouldNotRun(text)) if text.contains("one is also `--junit`")));
        assert!(are_distinct(&[("`--junit`", &one)], &[("a record", &other)]).is_err());
        assert!(are_distinct(&[], &[("a record", &one), ("a record", &other)]).is_ok());
    }
}
