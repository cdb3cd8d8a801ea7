// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Paths of files: where links lead, and whether two paths are one file.

use std::fs;
use std::path::{absolute, Path, PathBuf};

/// The maximum number of links in a chain, as on Linux.
const MAX_LINKS: usize = 40;

/// The folder of a file.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path that the links at `path` lead to, whether a file is there or not; `path` itself if it is no link.
pub fn followed(path: &Path) -> PathBuf {
    let mut file = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&file) else { break };
        file = folder_of(&file).join(link);
    }
    file
}

/// Whether two paths are one file, which need not exist.
pub fn is_same(one: &Path, other: &Path) -> bool {
    place(one) == place(other) || (identity(one).is_some() && identity(one) == identity(other))
}

/// The name of the file in its folder, without links.
fn place(path: &Path) -> PathBuf {
    let file = followed(path);
    let folder = folder_of(&file);
    let folder = folder.canonicalize().or_else(|_| absolute(folder)).unwrap_or_else(|_| folder.to_path_buf());
    file.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
}

/// The device and the inode number of the file at `path`; `None` if there is no file, or the system is not Unix.
fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    return fs::metadata(path).ok().map(|about| {
        use std::os::unix::fs::MetadataExt;
        (about.dev(), about.ino())
    });
    #[cfg(not(unix))]
    return None;
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn two_paths_of_one_file_are_the_same_whether_it_exists_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub", at("link")).unwrap();
        symlink("sub/new", at("dangling")).unwrap();
        for (one, other) in [("sub/new", "link/new"), ("sub/new", "sub/../sub/new"), ("dangling", "link/new")] {
            assert!(is_same(&at(one), &at(other)), "{one} {other}");
            assert!(!is_same(&at(one), &at("new")), "{one}");
        }
        fs::write(at("file"), "").unwrap();
        fs::hard_link(at("file"), at("second")).unwrap();
        assert!(is_same(&at("file"), &at("second")));
        symlink("circle", at("circle")).unwrap();
        assert!(followed(&at("circle")).is_symlink());
    }
}
