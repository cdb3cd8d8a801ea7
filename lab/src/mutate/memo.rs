// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of mutants from earlier runs, one JSON line each, so that an interrupted campaign can resume.

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Recorded values, by the id of the mutant.
pub struct Memo<T> {
    inside: Mutex<(BTreeMap<String, T>, File)>,
}

impl<T: Serialize + DeserializeOwned + Clone> Memo<T> {
    /// Reads the entries in `path`; new entries will be appended to that file.
    pub fn open(path: &Path) -> Result<Memo<T>> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other.with_context(|| format!("cannot read {}", path.display()))?,
        };
        // An interrupted run may have left an incomplete last line, which is ignored.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let line = |line: &str| serde_json::from_str::<(String, T)>(line);
        let known = whole.lines().map(line).collect::<Result<_, _>>();
        let known = known.with_context(|| format!("{} is damaged: delete it", path.display()))?;
        fs::write(path, whole).with_context(|| format!("cannot write {}", path.display()))?;
        let file = File::options().append(true).open(path).with_context(|| format!("cannot open {}", path.display()))?;
        Ok(Memo { inside: Mutex::new((known, file)) })
    }

    /// The recorded value of a mutant, if there is one.
    pub fn get(&self, id: &str) -> Option<T> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).0.get(id).cloned()
    }

    pub fn add(&self, id: &str, value: T) -> Result<()> {
        let line = serde_json::to_string(&(id, &value))? + "\n";
        let (known, file) = &mut *self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes()).context("cannot append to the file of results")?;
        known.insert(id.to_string(), value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_known_and_half_a_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memo");
        Memo::open(&path).unwrap().add("a/1", 7).unwrap();
        fs::write(&path, fs::read_to_string(&path).unwrap() + "[\"a/2\",").unwrap();
        let memo: Memo<i32> = Memo::open(&path).unwrap();
        assert_eq!((memo.get("a/1"), memo.get("a/2")), (Some(7), None));
        memo.add("a/2", 8).unwrap();
        assert_eq!(Memo::<i32>::open(&path).unwrap().get("a/2"), Some(8));
        fs::write(&path, "x\n").unwrap();
        assert!(Memo::<i32>::open(&path).err().unwrap().to_string().contains("damaged"));
    }
}
