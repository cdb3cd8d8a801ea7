// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CUDA source of a PTX program, which has the names of the kernels' parameters.

use crate::origins::find_source;
use bcu_program::launch::{cuda_kernels, CudaKernel};
use std::fs;
use std::path::{Path, PathBuf};

/// The extensions of sources and headers.
const SOURCES: [&str; 5] = ["cu", "cuh", "h", "hpp", "inl"];

/// The kernels of the source `cuda` of a PTX text, and of the sources that its `.file` directives name, as far as they can be read.
/// `ptx` is the file of the text.
pub fn source_kernels(cuda: Option<&Path>, ptx: &Path, text: &str) -> Vec<CudaKernel> {
    let folder = ptx.parent().unwrap_or(Path::new(""));
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| SOURCES.iter().any(|known| ending == *known));
    let named = files(text).map(PathBuf::from).filter(is_source).filter_map(|path| find_source(&path, folder));
    let mut paths: Vec<PathBuf> = cuda.and_then(|path| find_source(path, Path::new(""))).into_iter().chain(named).collect();
    paths.sort();
    paths.dedup();
    paths.iter().filter_map(|path| read(path)).flat_map(|text| cuda_kernels(&text)).collect()
}

fn read(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// The names in the directives `.file 1 "name"` of a PTX text.
fn files(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix(".file")?;
        rest.split('"').nth(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_of_a_ptx_text_is_found_by_its_directive() {
        let folder = tempfile::tempdir().unwrap();
        let ptx = folder.path().join("k.ptx");
        fs::write(folder.path().join("k.cu"), "__global__ void k(int n) {}").unwrap();
        let kernel = CudaKernel { name: "k".to_string(), params: vec![Some("n".to_string())] };
        for text in ["\t.file\t1 \"/no/such/folder/k.cu\"\n", ".file 1 \"k.cu\", 12, 34"] {
            assert_eq!(source_kernels(None, &ptx, text), std::slice::from_ref(&kernel), "{text}");
        }
        for text in ["", ".file 1", ".file 1 \"/etc/passwd\"", ".file 1 \"other.cu\"", "// .file 1 \"k.cu\""] {
            assert_eq!(source_kernels(None, &ptx, text), [], "{text}");
        }
        assert_eq!(source_kernels(Some(&folder.path().join("k.cu")), &ptx, ""), [kernel]);
    }
}
