// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles CUDA sources to PTX with NVIDIA's compiler, which is not part of this project.

pub mod flags;

use crate::diag::Source;
use crate::failure::{complain, Failure, Result};
use flags::{Compiled, Flags};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// The default target.
pub const DEFAULT_ARCH: &str = "sm_90a";

/// The maximum number of bytes of the compiler's messages that are printed.
const LONGEST_MESSAGE: usize = 16 << 10;

/// How to get the compiler, in short; `examples/cuda/README.md` has the details.
const GET_NVCC: &str = "install it from PyPI into a separate virtual environment, and put its folder on PATH:\n  \
    python3 -m venv cuda-venv\n  \
    cuda-venv/bin/pip install nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 \
    nvidia-cuda-runtime==13.5.37 nvidia-cuda-cccl==13.3.5.0.6\n  \
    PATH=\"$(echo \"$PWD\"/cuda-venv/lib/python3*/site-packages/nvidia/cu13/bin):$PATH\"\n\
    it needs a host compiler (`apt-get install g++`); or compile the file elsewhere with `nvcc -ptx` and run the PTX";

/// Whether a file is CUDA, by its extension.
pub fn is_cuda(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "cu")
}

/// The PTX of a CUDA source, compiled for `arch`, such as `sm_90a`, by the nvcc of `PATH`. A command that needs the same PTX several times
/// starts nvcc once.
///
/// # Errors
/// The file does not exist, nvcc does not exist, or nvcc reports errors.
pub fn compile(path: &Path, arch: &str, flags: &Flags) -> Result<String> {
    type Key = (PathBuf, String, Flags);
    static COMPILED: Mutex<Vec<(Key, String)>> = Mutex::new(vec![]);
    let key = (path.to_path_buf(), arch.to_string(), flags.clone());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, text)) = compiled.iter().find(|(known, _)| *known == key) {
        return Ok(text.clone());
    }
    let text = compile_with(path, arch, flags, env::var_os("PATH").as_deref())?;
    compiled.push((key, text.clone()));
    Ok(text)
}

/// Like [`compile`], but searches for nvcc in the folders in `search`.
fn compile_with(path: &Path, arch: &str, flags: &Flags, search: Option<&OsStr>) -> Result<String> {
    let name = path.display();
    fs::metadata(path).map_err(|error| Failure::plain(format!("cannot read {name}: {error}"), None))?;
    let Some(nvcc) = find(search) else {
        let message = format!("{name} is CUDA, but there is no `nvcc` on PATH to compile it");
        return Err(Failure::plain(message, Some(GET_NVCC)));
    };
    let folder = folder()?;
    let out = folder.path().join("out.ptx");
    let mut command = Command::new(&nvcc);
    // nvcc warns of `-lineinfo` beside `-G`, which has line information too.
    let is_debug = flags.0.iter().any(|flag| flag == "-G" || flag == "--device-debug");
    command
        .arg("-ptx")
        .args((!is_debug).then_some("-lineinfo"))
        .arg(format!("-arch={arch}"))
        .args(&flags.0)
        .arg("-o")
        .arg(&out);
    // A file name that begins with `-` must not be read as an option.
    let option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    command.arg(if option { Path::new(".").join(path) } else { path.to_path_buf() });
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| Failure::plain(format!("cannot start {}: {error}", nvcc.display()), None))?;
    let said = said(&done.stdout, &done.stderr);
    if !done.status.success() {
        return Err(Failure::CouldNotRun(format!("error: nvcc does not compile {name} ({})\n{said}", done.status)));
    }
    if !said.is_empty() {
        complain(&said);
    }
    let cannot = |_| {
        Failure::plain(
            format!("nvcc has succeeded, but has written no PTX for {name}"),
            Some(&format!("nvcc was found at {}", nvcc.display())),
        )
    };
    fs::metadata(&out).map_err(cannot)?;
    Ok(Source::read(&out)?.text)
}

/// The programs, with PTX in place of CUDA. The PTX is in a folder that exists as long as this value.
pub struct Prepared {
    pub paths: Vec<PathBuf>,
    /// How the CUDA programs were compiled; `None` if there are none.
    pub compiled: Option<Compiled>,
    _folder: Option<TempDir>,
}

/// Compiles the CUDA programs, and leaves the others unchanged.
///
/// # Errors
/// The errors of [`compile`].
pub fn prepare(programs: &[PathBuf], arch: &str, flags: &Flags) -> Result<Prepared> {
    let mut paths = programs.to_vec();
    if !paths.iter().any(|path| is_cuda(path)) {
        return Ok(Prepared { paths, compiled: None, _folder: None });
    }
    let folder = folder()?;
    for (index, path) in paths.iter_mut().enumerate().filter(|(_, path)| is_cuda(path)) {
        let text = compile(path, arch, flags)?;
        // Each source has a separate folder, because sources of different folders may have the same name.
        let target = folder.path().join(index.to_string()).join(path.with_extension("ptx").file_name().unwrap_or_default());
        let cannot = |error| Failure::plain(format!("cannot write {}: {error}", target.display()), None);
        fs::create_dir_all(target.parent().unwrap_or(folder.path())).map_err(cannot)?;
        fs::write(&target, text).map_err(cannot)?;
        *path = target;
    }
    Ok(Prepared { paths, compiled: Some(Compiled::new(arch, flags)), _folder: Some(folder) })
}

fn folder() -> Result<TempDir> {
    tempfile::Builder::new()
        .prefix("bcu-")
        .tempdir()
        .map_err(|error| Failure::plain(format!("cannot create a temporary folder: {error}"), None))
}

/// The first executable nvcc in the folders of `search`, which has the form of `PATH`.
fn find(search: Option<&OsStr>) -> Option<PathBuf> {
    let name = format!("nvcc{}", env::consts::EXE_SUFFIX);
    env::split_paths(search?)
        .filter(|folder| !folder.as_os_str().is_empty())
        .map(|folder| folder.join(&name))
        .find(|path| executable(path))
}

fn executable(path: &Path) -> bool {
    let Ok(about) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    about.is_file() && may_run
}

/// The output of the compiler, cut to `LONGEST_MESSAGE` bytes.
fn said(stdout: &[u8], stderr: &[u8]) -> String {
    let text = [stdout, stderr].map(String::from_utf8_lossy).concat();
    let end = (0..=LONGEST_MESSAGE.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let cut = if end < text.len() { "\nand more" } else { "" };
    format!("{}{cut}", text[..end].trim_end())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A folder with a script in place of nvcc, and with a source. The script is a link to a
    /// committed file, because executing a file that was just written can fail with "text file
    /// busy".
    fn bench(source: &str) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cmd/case/nvcc/fake-nvcc");
        std::os::unix::fs::symlink(fake, folder.path().join("nvcc")).unwrap();
        let path = folder.path().join("k.cu");
        fs::write(&path, source).unwrap();
        (folder, path)
    }

    fn refused(path: &Path, search: &Path) -> String {
        match compile_with(path, "sm_90a", &Flags::default(), Some(search.as_os_str())) {
            Err(Failure::CouldNotRun(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_source_is_compiled_with_line_numbers_for_its_target() {
        let (folder, path) = bench("__global__ void k() {}\n");
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("nvcc"), "not executable").unwrap();
        let search = env::join_paths([elsewhere.path(), folder.path()]).unwrap();
        let text = compile_with(&path, "sm_100", &flags::parse("-O2 -DA='b c'").unwrap(), Some(&search)).unwrap();
        assert_eq!(text, format!("// -ptx -lineinfo -arch=sm_100 -O2 -DA=b c {}\n", path.display()));
    }

    #[test]
    fn what_nvcc_says_is_shown() {
        let (folder, path) = bench("does not compile\n");
        let text = refused(&path, folder.path());
        assert!(
            text.contains("error: nvcc does not compile") && text.contains("k.cu(1): error: expected a declaration"),
            "{text}"
        );
        let (folder, path) = bench("writes nothing\n");
        assert!(refused(&path, folder.path()).contains("has written no PTX for "));
    }

    #[test]
    fn a_missing_compiler_or_source_is_told() {
        let (folder, path) = bench("");
        let empty = tempfile::tempdir().unwrap();
        let text = refused(&path, empty.path());
        assert!(text.contains("no `nvcc` on PATH") && text.contains("pip install nvidia-cuda-nvcc"), "{text}");
        assert!(matches!(compile_with(&path, "sm_90a", &Flags::default(), None), Err(Failure::CouldNotRun(_))));
        assert!(refused(&folder.path().join("other.cu"), folder.path()).contains("cannot read"));
    }

    #[test]
    fn the_packages_are_those_of_the_examples() {
        let page = include_str!("../../../../examples/cuda/README.md");
        let packages: Vec<&str> = GET_NVCC.split_whitespace().filter(|word| word.contains("==")).collect();
        assert_eq!(packages.len(), 5);
        assert!(packages.iter().all(|package| page.contains(package)), "{packages:?}");
    }

    #[test]
    fn programs_that_are_no_cuda_stay_as_they_are() {
        let paths = [PathBuf::from("a.ptx"), PathBuf::from("-"), PathBuf::from("b.bcu")];
        assert_eq!(prepare(&paths, DEFAULT_ARCH, &Flags::default()).unwrap().paths, paths);
        assert!(is_cuda(Path::new("a/b.cu")) && !is_cuda(Path::new("cu")));
    }

    #[test]
    fn long_messages_are_cut() {
        let text = said(b"", "é".repeat(LONGEST_MESSAGE).as_bytes());
        assert!(text.len() < LONGEST_MESSAGE + 20 && text.ends_with("and more"));
        assert_eq!(said(b"a\n", b"b\n"), "a\nb");
    }
}
