// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads launch files with their buffers and expected contents, and selects the variant of a
//! program that a device can run.

use super::choice;
use anyhow::{bail, Context, Result};
use bcu_isa::diag::Diagnostic;
use bcu_program::launch::{self, Buffer, Contents, Expected, LaunchFile};
use std::fs;
use std::path::{Path, PathBuf};

/// The value on the device of bytes that the launch file does not define. A result that depends on
/// such bytes is then conspicuous.
const UNKNOWN: u8 = 0xa5;

/// A parsed launch file.
pub struct Case {
    /// The case's name in tables and files.
    pub name: String,
    path: PathBuf,
    text: String,
    pub file: LaunchFile,
    pub buffers: Vec<Buffer>,
    pub expected: Vec<Expected>,
}

/// The program of a case for a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub file: String,
    pub text: String,
}

/// The bytes of an address on a device.
const POINTER: u64 = 8;

/// What a launch file has that only the simulator supports.
fn of_simulator(file: &LaunchFile) -> Option<&'static str> {
    let has_fields = file.buffers.iter().any(|buffer| matches!(buffer.contents, Contents::Fields { .. }));
    let has_part = file.launches.iter().any(|launch| launch.ctas.is_some());
    match (file.settings.is_empty(), has_fields, has_part) {
        (false, ..) => Some("`[variables]`"),
        (_, true, _) => Some("buffers with `fields`"),
        (.., true) => Some("launches with `ctas`"),
        _ => None,
    }
}

/// The launch files in all subfolders of `folder`, without those that only the simulator supports.
pub fn launch_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let help = || format!("cannot read {}; name the folder of the kernels with `--kernels DIR`", folder.display());
    let mut paths = vec![];
    for entry in fs::read_dir(folder).with_context(help)? {
        let path = entry.with_context(help)?.path().join("launch.toml");
        if path.is_file() {
            let text = fs::read_to_string(&path).with_context(help)?;
            // A file with errors is reported when it is read as a case.
            let is_of_simulator = LaunchFile::parse(&text).is_ok_and(|file| of_simulator(&file).is_some());
            paths.extend((!is_of_simulator).then_some(path));
        }
    }
    if paths.is_empty() {
        bail!("{} has no folder with a launch.toml; name the folder of the kernels with `--kernels DIR`", folder.display());
    }
    paths.sort();
    Ok(paths)
}

impl Case {
    /// Reads a launch file with the files that it names. A folder means the file `launch.toml` in
    /// it. `seed` is for random contents of buffers.
    pub fn read(path: &Path, seed: u64) -> Result<Case> {
        let path = if path.is_dir() { path.join("launch.toml") } else { path.to_path_buf() };
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let wrong = |errors: Vec<Diagnostic>| anyhow::anyhow!(describe_errors(&path, &text, &errors));
        let file = LaunchFile::parse(&text).map_err(wrong)?;
        if let Some(what) = of_simulator(&file) {
            bail!("{}: only the simulator supports {what}; expected a launch file without them", path.display());
        }
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        };
        let buffers = launch::load(&file.buffers, seed, POINTER, &mut read).map_err(wrong)?;
        let expected = launch::expected(&file.expects, &buffers, &mut read).map_err(wrong)?;
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let above = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = above.filter(|_| stem == "launch").unwrap_or(stem);
        Ok(Case { name, path, text, file, buffers, expected })
    }

    /// The program for a device of compute capability `capability`: the program that the file names, or the same program in the same folder
    /// for another architecture.
    pub fn program(&self, capability: (u32, u32)) -> Result<Program> {
        let place = self.path.display();
        let Some(named) = self.file.program.as_ref().map(|named| named.get_ref().as_str()) else {
            bail!("{place}: names no program; write `program = \"kernel.ptx\"` at the beginning");
        };
        if !named.ends_with(".ptx") {
            bail!("{place}: the program `{named}` is not PTX; compile it with `nvcc -ptx` and name the result");
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let (inside, base) = named.rsplit_once('/').map_or(("", named), |(inside, base)| (inside, base));
        let file = match choice::has_siblings(base) {
            false => base,
            true => {
                let good = choice::files(capability);
                let found = good.iter().find(|file| folder.join(inside).join(file).is_file());
                let (major, minor) = capability;
                *found.with_context(|| match good.is_empty() {
                    true => format!("{place}: a device of compute capability {major}.{minor} can run none of the programs; 8.0 or later is needed"),
                    false => format!("{place}: this device needs {} next to `{named}`", good.join(" or ")),
                })?
            }
        };
        let path = folder.join(inside).join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Program { file: file.to_string(), text })
    }

    /// The errors in the launch file as text.
    pub fn describe_errors(&self, errors: &[Diagnostic]) -> String {
        describe_errors(&self.path, &self.text, errors)
    }
}

/// The bytes of a buffer as devices get them: undefined bytes have the value `UNKNOWN`.
pub fn filled(buffer: &Buffer) -> Vec<u8> {
    buffer.bytes.values().into_iter().map(|byte| byte.unwrap_or(UNKNOWN)).collect()
}

/// The errors in a text, each with its location.
pub fn describe_errors(path: &Path, text: &str, errors: &[Diagnostic]) -> String {
    let describe = |error: &Diagnostic| {
        let (line, column) = error.position(text);
        let help = error.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        format!("{}:{line}:{column}: {}, {}{help}", path.display(), error.message, error.label)
    };
    errors.iter().map(describe).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bcu_tb::kernels::is_beyond;

    fn kernels() -> PathBuf {
        xtask::root().join("examples/kernels")
    }

    #[test]
    fn the_program_is_that_of_the_device() {
        let case = Case::read(&kernels().join("relay"), 1).unwrap();
        assert_eq!(case.name, "relay");
        let file = |capability| case.program(capability).unwrap().file;
        assert_eq!((file((9, 0)), file((10, 0)), file((8, 6)), file((12, 0))).0, "sm_90a.ptx");
        assert_eq!(
            (file((10, 0)), file((8, 6)), file((12, 0))),
            ("sm_100a.ptx".into(), "sm_80.ptx".into(), "sm_80.ptx".into())
        );
        let old = case.program((7, 5)).unwrap_err().to_string();
        assert!(old.contains("relay") && old.contains("7.5"), "{old}");
    }

    #[test]
    fn every_kernel_is_found_and_can_be_read_for_every_device() {
        let paths = launch_files(&kernels()).unwrap();
        assert!(paths.len() >= 20, "{}", paths.len());
        for path in &paths {
            let case = Case::read(path, 1).unwrap();
            let devices = [((10, 0), "sm_100a"), ((9, 0), "sm_90a"), ((8, 0), "sm_80")];
            let newest = devices.iter().find_map(|(capability, _)| case.program(*capability).ok()).unwrap();
            for (capability, target) in devices {
                // A kernel has a program for every device that has its instructions.
                let found = case.program(capability).is_ok();
                assert!(found || is_beyond(&newest.text, target), "{} for {capability:?}", case.name);
            }
        }
    }

    #[test]
    fn errors_name_the_file_and_what_to_do() {
        let missing = launch_files(Path::new("/no/such/folder")).err().map(|error| format!("{error:#}")).unwrap_or_default();
        assert!(missing.contains("/no/such/folder") && missing.contains("--kernels"), "{missing}");
        let folder = tempfile::tempdir().unwrap();
        let empty = launch_files(folder.path()).unwrap_err().to_string();
        assert!(empty.contains("no folder with a launch.toml"), "{empty}");
        let path = folder.path().join("x.toml");
        fs::write(&path, "[[launch]]\nblok = 3\n").unwrap();
        let wrong = Case::read(&path, 1).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(wrong.contains("x.toml:2:1"), "{wrong}");
        for (program, says) in
            [("", "names no program"), ("program = \"x.cu\"\n", "nvcc -ptx"), ("program = \"x.ptx\"\n", "cannot read")]
        {
            fs::write(&path, format!("{program}[[launch]]\n")).unwrap();
            let case = Case::read(&path, 1).unwrap();
            assert_eq!(case.name, "x");
            let error = case.program((9, 0)).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("x."), "{error}");
        }
    }

    #[test]
    fn bytes_that_nobody_gives_are_conspicuous() {
        let buffer = Buffer {
            name: "x".into(),
            element: launch::Element::U8,
            shape: vec![3],
            bytes: [Some(1), None, Some(3)].into_iter().collect(),
        };
        assert_eq!(filled(&buffer), [1, UNKNOWN, 3]);
        assert_eq!(filled(&Buffer { bytes: vec![1, 0, 3].into(), ..buffer }), [1, 0, 3]);
    }
}
